"""Operators whose kernels are written in Python."""

from __future__ import annotations

import typing

from ._values import Plain, of_plain, to_plain

# (domain, name, make), as python/src/custom_operators.h has it.
Operator = tuple[str, str, typing.Callable[..., typing.Any]]


def _attribute(value: typing.Any) -> typing.Any:
    """Tensors as arrays; numbers, texts and lists are what they are."""
    if isinstance(value, tuple):
        return of_plain(value)
    return [_attribute(element) for element in value] if isinstance(value, list) else value


def _outputs(given: typing.Any) -> list[Plain]:
    values = given if isinstance(given, tuple) else (given,)
    if any(value is None for value in values):
        raise TypeError("None is no output")
    return [to_plain(value, f"output {i}") for i, value in enumerate(values)]


def _of_function(function: typing.Callable[..., typing.Any]) -> typing.Callable[..., typing.Any]:
    def make(
        domain: str, name: str, node: str, inputs: list[str], outputs: list[str],
        attributes: dict[str, typing.Any],
    ) -> typing.Callable[[list[Plain]], list[Plain]]:
        given = {key: _attribute(value) for key, value in attributes.items()}

        def run(plains: list[Plain]) -> list[Plain]:
            return _outputs(function(*(of_plain(plain) for plain in plains), **given))

        return run

    return make


def _of_op_run(kind: typing.Any) -> typing.Callable[..., typing.Any]:
    """A class as onnx.reference has them: OpRun's constructor takes the node."""

    def make(
        domain: str, name: str, node: str, inputs: list[str], outputs: list[str],
        attributes: dict[str, typing.Any],
    ) -> typing.Callable[[list[Plain]], list[Plain]]:
        import numpy as np
        from onnx import helper, numpy_helper
        from onnx.reference import ReferenceEvaluator

        given = {key: _attribute(value) for key, value in attributes.items()}
        given = {key: numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
                 for key, value in given.items()}
        proto = helper.make_node(name, inputs, outputs, name=node, domain=domain, **given)
        operator = kind(proto, {
            "log": lambda *_: None, "opsets": {domain: 1}, "verbose": 0, "nodes": None,
            "new_ops": None, "existing_functions": {}, "evaluator_cls": ReferenceEvaluator,
        })

        def run(plains: list[Plain]) -> list[Plain]:
            return _outputs(tuple(operator.run(*(of_plain(plain) for plain in plains))))

        return run

    return make


def operators(new_ops: typing.Any) -> list[Operator]:
    """`new_ops`: classes as onnx.reference.op_run.OpRun, or functions by "domain::Name" or
    (domain, name), which take the inputs and, by name, the attributes, and give an output or a
    tuple of them."""
    found: list[Operator] = []
    if isinstance(new_ops, typing.Mapping):
        for key, function in new_ops.items():
            domain, name = key if isinstance(key, tuple) else key.rpartition("::")[::2]
            if not callable(function):
                raise TypeError(f"new_ops: {key} is a {type(function).__name__} and no function")
            found.append((domain, name, _of_op_run(function) if isinstance(function, type)
                          else _of_function(function)))
        return found
    for one in new_ops or ():
        if not isinstance(one, type) or not hasattr(one, "op_domain"):
            raise TypeError(
                "new_ops are classes of onnx.reference.op_run.OpRun, or a dict of functions by "
                f"\"domain::Name\", not {type(one).__name__}"
            )
        found.append((one.op_domain, one.__name__, _of_op_run(one)))
    return found

"""record(): keeps the results of a run."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import typing

from . import _runtime
from ._evaluator import Evaluator
from ._recording import RecordedResult, Recording


def _flat(value: typing.Any, name: str) -> typing.Iterator[tuple[str, typing.Any]]:
    """The tensors in what a module takes or gives, by names that say where they lie."""
    import torch

    if isinstance(value, torch.Tensor):
        yield name, value.detach().clone()
    elif isinstance(value, typing.Mapping):
        for key, element in value.items():
            yield from _flat(element, f"{name}.{key}")
    elif isinstance(value, (list, tuple)):
        for i, element in enumerate(value):
            yield from _flat(element, f"{name}[{i}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _flat(getattr(value, field.name), f"{name}.{field.name}")


def _only(values: list[tuple[str, typing.Any]], name: str) -> list[tuple[str, typing.Any]]:
    return [(name, values[0][1])] if len(values) == 1 else values


class _ModuleRecorder:
    """Hooks that keep what every module of a torch model gives, in order."""

    def __init__(self) -> None:
        self.results: list[RecordedResult] = []
        self._calls: dict[str, int] = {}

    def _hook(self, name: str, kind: str) -> typing.Callable[..., None]:
        def seen(module: typing.Any, args: typing.Any, output: typing.Any) -> None:
            call = self._calls.get(name, 0)
            self._calls[name] = call + 1
            label = name if call == 0 else f"{name}#{call + 1}"
            for key, tensor in _only(list(_flat(output, label)), label):
                self.results.append(RecordedResult(key, tensor, op_type=kind, domain="torch",
                                                   node=name))

        return seen

    @contextlib.contextmanager
    def on(self, module: typing.Any) -> typing.Iterator[None]:
        handles = []
        for name, part in module.named_modules():
            if name:  # the whole one gives the outputs
                handles.append(part.register_forward_hook(self._hook(name, type(part).__name__)))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


def _input_names(module: typing.Any, args: tuple[typing.Any, ...]) -> list[str]:
    names = [
        name
        for name, parameter in inspect.signature(module.forward).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return names + [f"input_{i}" for i in range(len(names), len(args))]


def _record_module(
    module: typing.Any, args: tuple[typing.Any, ...], kwargs: dict[str, typing.Any]
) -> Recording:
    import torch

    recorder = _ModuleRecorder()
    given: list[RecordedResult] = []
    for name, value in [*zip(_input_names(module, args), args), *kwargs.items()]:
        for key, tensor in _only(list(_flat(value, name)), name):
            given.append(RecordedResult(key, tensor, "INPUT"))
    with torch.no_grad(), recorder.on(module):
        output = module(*args, **kwargs)
    outputs = list(_flat(output, "output"))
    named = [RecordedResult(key, tensor, "OUTPUT") for key, tensor in _only(outputs, "output")]
    return Recording([*given, *recorder.results, *named], source=type(module).__name__)


def record(
    what: typing.Any,
    args: typing.Any = (),
    kwargs: typing.Mapping[str, typing.Any] | None = None,
) -> Recording:
    """Runs something once and keeps its results, with its inputs and in their order.

    A torch module (what every module in it gives, by its name), a model of any kind that compare()
    takes (what every node gives in our evaluator), a runtime of onnxcmp.runtimes, or an
    onnxruntime.InferenceSession (its outputs). `args`: a tuple for a module, a dict by the inputs'
    names for the others.
    """
    if hasattr(what, "named_modules") and hasattr(what, "forward"):
        given = tuple(args) if isinstance(args, (tuple, list)) else (args,)
        if isinstance(args, typing.Mapping):
            given, kwargs = (), {**args, **(kwargs or {})}
        return _record_module(what, given, dict(kwargs or {}))
    if _runtime.is_runtime(what):
        return _runtime.record_runtime(what, dict(args))
    if hasattr(what, "get_outputs") and hasattr(what, "run") and not hasattr(what, "results"):
        names = [one.name for one in what.get_outputs()]
        values = what.run(names, dict(args))
        return Recording(
            [RecordedResult(name, value, "INPUT") for name, value in dict(args).items()]
            + [RecordedResult(name, value, "OUTPUT") for name, value in zip(names, values)],
            source=type(what).__name__,
        )
    evaluator = what if isinstance(what, Evaluator) else Evaluator(what)
    return Recording(
        [
            RecordedResult(r.name, r.value, r.kind, r.op_type, r.domain, r.node, r.path)
            for r in evaluator.results(dict(args))
            if r.depth == 0
        ]
    )

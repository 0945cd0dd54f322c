"""onnx.backend.base.Backend: ONNX's own tests run against it.

    import onnx.backend.test
    backend_test = onnx.backend.test.BackendTest(onnxcmp.backend, __name__)
"""

from __future__ import annotations

import typing

from onnx import ModelProto, NodeProto, helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from ._evaluator import Evaluator
from ._values import to_array

__all__ = [
    "OnnxcmpBackend",
    "OnnxcmpRep",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]


class OnnxcmpRep(BackendRep):
    """A model that is loaded."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def run(self, inputs: typing.Any, **kwargs: typing.Any) -> tuple[typing.Any, ...]:
        """`inputs`: one value, a sequence of them in the order of the inputs, or a dict."""
        if isinstance(inputs, typing.Mapping):
            feeds = dict(inputs)
        else:
            given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            required = [one.name for one in self.evaluator.get_inputs()]
            names = required if len(given) <= len(required) else self.evaluator.input_names
            if len(given) > len(names):
                raise ValueError(f"{len(given)} inputs for a model that takes {len(names)}")
            feeds = dict(zip(names, given))
        names = self.evaluator.output_names
        values = self.evaluator.run(None, feeds)
        if len(set(names)) == len(names) and all(names):
            return namedtupledict("Outputs", names)(*values)
        return tuple(values)


class OnnxcmpBackend(Backend):
    """The reference evaluator of onnxcmp, on the CPU."""

    @classmethod
    def is_compatible(
        cls, model: ModelProto, device: str = "CPU", **kwargs: typing.Any
    ) -> bool:
        """True if the model can be read and all its operators are known."""
        from ._errors import Error

        try:
            Evaluator(model)
        except Error:
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: typing.Any) -> OnnxcmpRep:
        """The model, ready to run. ValueError: another device than the CPU."""
        if not cls.supports_device(device):
            raise ValueError(f"there is no device {device}, only the CPU")
        return OnnxcmpRep(Evaluator(model, **kwargs))

    @classmethod
    def run_model(
        cls, model: ModelProto, inputs: typing.Any, device: str = "CPU", **kwargs: typing.Any
    ) -> tuple[typing.Any, ...]:
        """Runs a model once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: typing.Any,
        device: str = "CPU",
        outputs_info: typing.Any = None,
        **kwargs: typing.Any,
    ) -> tuple[typing.Any, ...]:
        """Runs one node, as a model of its own."""
        given = inputs if isinstance(inputs, typing.Mapping) else dict(
            zip([name for name in node.input if name], inputs)
        )
        types = []
        for name in dict.fromkeys(name for name in node.input if name):
            array = to_array(given[name], name)
            types.append(
                helper.make_tensor_value_info(
                    name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
                )
            )
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        graph = helper.make_graph([node], "node", types, outputs)
        imports = None
        if "opset_version" in kwargs:
            imports = [helper.make_opsetid(node.domain, kwargs.pop("opset_version"))]
        model = helper.make_model(graph, opset_imports=imports)
        return cls.run_model(model, dict(given), device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """True for the CPU."""
        return device.partition(":")[0] == "CPU"


is_compatible = OnnxcmpBackend.is_compatible
prepare = OnnxcmpBackend.prepare
run_model = OnnxcmpBackend.run_model
run_node = OnnxcmpBackend.run_node
supports_device = OnnxcmpBackend.supports_device

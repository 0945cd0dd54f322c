"""What torch runs, as recordings: a module's parts by their names, a graph's nodes by theirs."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import typing

from ._recording import RecordedResult, Recording
from ._values import to_array


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


def input_names(module: typing.Any, args: tuple[typing.Any, ...]) -> list[str]:
    names = [
        name
        for name, parameter in inspect.signature(module.forward).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return names + [f"input_{i}" for i in range(len(names), len(args))]


def record_module(
    module: typing.Any, args: tuple[typing.Any, ...], kwargs: dict[str, typing.Any]
) -> Recording:
    import torch

    recorder = _ModuleRecorder()
    given: list[RecordedResult] = []
    for name, value in [*zip(input_names(module, args), args), *kwargs.items()]:
        for key, tensor in _only(list(_flat(value, name)), name):
            given.append(RecordedResult(key, tensor, "INPUT"))
    with torch.no_grad(), recorder.on(module):
        output = module(*args, **kwargs)
    outputs = list(_flat(output, "output"))
    named = [RecordedResult(key, tensor, "OUTPUT") for key, tensor in _only(outputs, "output")]
    recording = Recording([*given, *recorder.results, *named], source=type(module).__name__)
    recording.names_are_hints = True
    return recording


def parameters_of(module: typing.Any) -> list[str]:
    """The names of the arguments of a module or a graph."""
    graph = graph_module(module)
    if graph is not None:
        return [str(node.target) for node in graph.graph.nodes if node.op == "placeholder"]
    return [
        name
        for name, parameter in inspect.signature(module.forward).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def to_torch(value: typing.Any) -> typing.Any:
    """A tensor of torch's; lists of tensors stay lists."""
    import torch

    if isinstance(value, (torch.Tensor, str, bool, int, float, type(None))):
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(to_torch(element) for element in value)
    array = to_array(value).copy()
    if array.dtype.name == "bfloat16" or array.dtype.name.startswith("float8"):
        bits = "uint16" if array.dtype.itemsize == 2 else "uint8"
        return torch.from_numpy(array.view(bits)).view(getattr(torch, array.dtype.name))
    return torch.from_numpy(array)


def graph_module(module: typing.Any) -> typing.Any:
    """The graph of a torch.fx.GraphModule or an ExportedProgram; None of anything else."""
    import torch

    if isinstance(module, torch.fx.GraphModule):
        return module
    if isinstance(module, torch.export.ExportedProgram):
        return module.module()
    return None


def record_graph(
    graph: typing.Any,
    args: tuple[typing.Any, ...],
    kwargs: dict[str, typing.Any],
    source: str,
) -> Recording:
    import torch

    results: list[RecordedResult] = []
    outputs: list[RecordedResult] = []

    class Seeing(torch.fx.Interpreter):
        def run_node(self, node: typing.Any) -> typing.Any:
            value = super().run_node(node)
            if node.op == "output":
                tensors = _only(list(_flat(value, "output")), "output")
                outputs.extend(RecordedResult(key, t, "OUTPUT") for key, t in tensors)
            elif node.op != "get_attr":
                kind = "INPUT" if node.op == "placeholder" else "RESULT"
                target = "" if node.op == "placeholder" else str(node.target)
                for key, tensor in _only(list(_flat(value, node.name)), node.name):
                    results.append(
                        RecordedResult(key, tensor, kind, target, "torch" if target else "",
                                       node.name if target else "")
                    )
            return value

    given = list(args)
    names = [node.target for node in graph.graph.nodes if node.op == "placeholder"]
    given.extend(kwargs[name] for name in names[len(given):] if name in kwargs)
    with torch.no_grad():
        Seeing(graph).run(*given)
    inputs = [one for one in results if one.kind == "INPUT"]
    rest = [one for one in results if one.kind != "INPUT"]
    recording = Recording([*inputs, *rest, *outputs], source=source)
    # An exporter names its results after the nodes that decompositions leave.
    recording.names_are_hints = True
    return recording

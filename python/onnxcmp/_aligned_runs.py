"""The two runs of run_aligned(): an exported program of torch, and the model that was made of it."""

from __future__ import annotations

import dataclasses
import time
import typing

import numpy as np

from ._errors import Error
from ._evaluator import Evaluator
from ._recording import RecordedResult, Recording
from ._replay import hidden_names
from ._values import to_array

INITIALIZER = -1


@dataclasses.dataclass
class TorchResult:
    node: int
    op: str  # "placeholder" or "call_function", and so on
    target: str
    value: typing.Any
    seconds: float | None = None
    weight: str | None = None  # of a placeholder that is no input: its name in the module

    @property
    def is_placeholder(self) -> bool:
        return self.op == "placeholder"

    @property
    def is_input(self) -> bool:
        return self.is_placeholder and self.weight is None


@dataclasses.dataclass
class OnnxResult:
    """A result of the model's main graph."""

    node: int  # -1: an initializer or an input
    output: int | None
    op_type: str
    shape: tuple[int, ...] | None = None  # of an initializer
    value: typing.Any = None
    seconds: float | None = None


def _program_inputs(
    program: typing.Any, args: tuple[typing.Any, ...], kwargs: dict[str, typing.Any]
) -> tuple[list[typing.Any], list[str | None]]:
    """Values of all placeholders, and the names of those that are weights. Copies but for
    parameters: operators that write to their arguments write to these."""
    import torch
    from torch.export.graph_signature import InputKind

    def copied(value: typing.Any) -> typing.Any:
        return value.detach().clone() if isinstance(value, torch.Tensor) else value

    state = {**program.state_dict, **program.constants}
    leaves = iter(torch.utils._pytree.tree_leaves((args, kwargs)))
    values, weights = [], []
    for spec in program.graph_signature.input_specs:
        own = spec.kind == InputKind.USER_INPUT
        if own:
            try:
                values.append(copied(next(leaves)))
            except StopIteration:
                raise Error(f"the program has more inputs than were given: {spec.arg.name}") from None
        else:
            value = state[spec.target]
            values.append(value if spec.kind == InputKind.PARAMETER else copied(value))
        weights.append(None if own else spec.target)
    if sum(1 for _ in leaves):
        raise Error("more inputs were given than the program has")
    return values, weights


def run_program(
    program: typing.Any, args: tuple[typing.Any, ...], kwargs: dict[str, typing.Any]
) -> tuple[dict[str, TorchResult], list[str]]:
    """Its results by name, in order, and the names of its outputs."""
    import torch

    values, weights = _program_inputs(program, args, kwargs)
    numbers = {node.name: i for i, node in enumerate(program.graph.nodes)}
    results: dict[str, TorchResult] = {}
    outputs: list[str] = []

    class Timed(torch.fx.Interpreter):
        def run_node(self, node: typing.Any) -> typing.Any:
            start = time.perf_counter()
            value = super().run_node(node)
            seconds = time.perf_counter() - start
            if node.op == "output":
                flat = torch.utils._pytree.tree_leaves(node.args)
                outputs.extend(one.name for one in flat if isinstance(one, torch.fx.Node))
            elif isinstance(value, (torch.Tensor, bool, int, float)):
                kept = value.detach().clone() if isinstance(value, torch.Tensor) else value
                place = node.op == "placeholder"
                results[node.name] = TorchResult(
                    numbers[node.name], node.op, str(node.target), kept,
                    None if place else seconds,
                    weights[numbers[node.name]] if place else None,
                )
            return value

    with torch.no_grad():
        Timed(program.graph_module, garbage_collect_values=True).run(*values, enable_io_processing=False)
    return results, outputs


def recording_of(results: dict[str, TorchResult], outputs: list[str]) -> Recording:
    kept = []
    for name, one in results.items():
        kind = "RESULT"
        if one.is_placeholder:
            kind = "INPUT" if one.is_input else "INITIALIZER"
        op_type = one.target if kind == "RESULT" else ""
        kept.append(RecordedResult(name, one.value, kind, op_type, "torch" if op_type else "",
                                   name if op_type else ""))
    kept.extend(RecordedResult(name, results[name].value, "OUTPUT") for name in outputs
                if name in results)
    return Recording(kept, source="ExportedProgram")


def results_of(graph: typing.Any) -> dict[str, OnnxResult]:
    """The results of the main graph by name, without values."""
    known = {one.name: OnnxResult(INITIALIZER, None, "input") for one in graph.input}
    for one in graph.initializer:
        known[one.name] = OnnxResult(INITIALIZER, None, "initializer", tuple(one.dims))
    for i, node in enumerate(graph.node):
        for j, name in enumerate(node.output):
            if name:
                known[name] = OnnxResult(i, j, node.op_type)
    return known


See = typing.Callable[[str, typing.Any, float | None], typing.Any]


def run_ours(model: typing.Any, feeds: dict[str, typing.Any], see: See) -> None:
    last = time.perf_counter()

    def seen(result: typing.Any) -> typing.Any:
        nonlocal last
        seconds = time.perf_counter() - last
        given = None
        if result.depth == 0 and result.kind != "OUTPUT":
            given = see(result.name, result.value, seconds if result.kind == "RESULT" else None)
        last = time.perf_counter()
        return given

    Evaluator(model).run(None, feeds, observer=seen)


def run_by_node(
    model: typing.Any, run_cls: typing.Any, options: dict[str, typing.Any],
    feeds: dict[str, typing.Any], see: See, use_tensor: bool,
) -> None:
    """Each node by an evaluator of the caller's, as onnx_diagnostic does it."""
    import onnx

    def own(value: typing.Any) -> typing.Any:
        if not use_tensor or not isinstance(value, np.ndarray):
            return value if use_tensor or not hasattr(value, "detach") else to_array(value)
        import torch

        if value.dtype.isbuiltin == 1:
            return torch.from_numpy(np.array(value))
        bits = np.array(value).view(np.uint16 if value.dtype.itemsize == 2 else np.uint8)
        return torch.from_numpy(bits).view(getattr(torch, value.dtype.name))

    values: dict[str, typing.Any] = {}
    for name, value in [
        *((one.name, onnx.numpy_helper.to_array(one)) for one in model.graph.initializer),
        *feeds.items(),
    ]:
        replaced = see(name, value, None)
        values[name] = own(value if replaced is None else replaced)
    for node in model.graph.node:
        names = dict.fromkeys([*(n for n in node.input if n), *hidden_names(node)])
        evaluator = run_cls(node, **options)
        start = time.perf_counter()
        given = evaluator.run(None, {name: values[name] for name in names})
        seconds = time.perf_counter() - start
        for name, value in zip([n for n in node.output if n], given):
            replaced = see(name, value, seconds)
            values[name] = own(value if replaced is None else replaced)

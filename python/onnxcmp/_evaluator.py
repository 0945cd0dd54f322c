"""Runs models."""

from __future__ import annotations

import dataclasses
import functools
import os
import typing

from . import _core
from ._custom import operators
from ._errors import Error
from ._progress import watches_signals
from ._recording import KINDS
from ._sides import Kept, in_folder, kept_source, model_source
from ._values import of_plain, to_plain, type_name


@functools.cache
def _operators(nchwc_block: int) -> _core.Operators:
    """All operators, by the channels in a block of com.microsoft.nchwc."""
    return _core.operators(nchwc_block, [])


@dataclasses.dataclass(frozen=True)
class NodeArg:
    """An input or output of a model, as onnxruntime describes it."""

    name: str
    type: str
    shape: list[int | str | None]


@dataclasses.dataclass(frozen=True)
class RunResult:
    """A result of a run: an initializer, an input, what a node gave, an output."""

    kind: str
    name: str
    op_type: str
    domain: str
    node: str
    path: str
    depth: int
    value: typing.Any


def _type_text(type_: typing.Any) -> str:
    if type_ is None:
        return ""
    if type_[0] == "tensor":
        return f"tensor({type_name(type_[1])})"
    if type_[0] == "sparse":
        return f"sparse_tensor({type_name(type_[1])})"
    if type_[0] == "sequence":
        return f"seq({_type_text(type_[1])})"
    if type_[0] == "optional":
        return f"optional({_type_text(type_[1])})"
    return f"map({type_name(type_[1])},{_type_text(type_[2])})"


def _node_args(infos: list[tuple[str, typing.Any]]) -> list[NodeArg]:
    args = []
    for name, type_ in infos:
        shape = type_[2] if type_ is not None and type_[0] in ("tensor", "sparse") else None
        args.append(NodeArg(name, _type_text(type_), list(shape or [])))
    return args


class Evaluator:
    """A model that runs in onnxcmp's reference evaluator.

    In the place of onnx.reference.ReferenceEvaluator and of onnxruntime.InferenceSession: run(),
    get_inputs(), get_outputs(), input_names, output_names. The model is whatever compare() takes
    for one. Several threads may call run() at a time.
    """

    def __init__(
        self,
        model: typing.Any,
        *,
        verbose: int = 0,
        in_double: bool = False,
        expand_functions: bool = False,
        functions: typing.Literal["inline", "keep"] = "inline",
        threads: int = 0,
        seed: int = 0,
        max_tensor: int = 4 << 30,
        max_memory: int = 0,
        max_steps: int = 0,
        follow_links: bool = False,
        nchwc_block: int = 0,
        base_dir: str | os.PathLike[str] | None = None,
        new_ops: typing.Any = None,
    ) -> None:
        """verbose: 1 prints a line for each result of a run, 2 values too. in_double: floats of 16
        and 32 bits are computed in double. base_dir: the folder of the external data of a model
        that is no file. new_ops: operators of your own, functions by "domain::Name" or classes of
        onnx.reference.op_run.OpRun. The others are the options of `onnxcmp run`."""
        arguments = locals()  # which hold the parameters alone here
        if functions not in ("inline", "keep"):
            raise ValueError(f"functions: 'inline' or 'keep', not {functions!r}")
        self.verbose = verbose
        self._arguments = {name: value for name, value in arguments.items()
                           if name not in ("self", "model", "base_dir")}
        self._onnxcmp_source = model_source(in_folder(model, base_dir), "model")
        more = operators(new_ops)
        self._core = _core.load(
            self._onnxcmp_source,
            _core.operators(nchwc_block, more) if more else _operators(nchwc_block),
            {
                "in_double": in_double,
                "expand_functions": expand_functions,
                "functions": functions,
                "threads": threads,
                "seed": seed,
                "max_tensor": max_tensor,
                "max_memory": max_memory,
                "max_steps": max_steps,
                "follow_links": follow_links,
            },
        )
        self._inputs = _node_args(self._core.inputs())
        self._outputs = _node_args(self._core.outputs())
        self._required = frozenset(self._core.required())

    def __reduce__(self) -> tuple[typing.Any, ...]:
        """The model, its path if it is a file, and the arguments."""
        return _restored, (kept_source(self._onnxcmp_source), self._arguments)

    @property
    def input_names(self) -> list[str]:
        """All inputs of the graph, those with a default too."""
        return [one.name for one in self._inputs]

    @property
    def output_names(self) -> list[str]:
        """The names of the graph's outputs, in order."""
        return [one.name for one in self._outputs]

    def get_inputs(self) -> list[NodeArg]:
        """Inputs that need a value, in order."""
        return [one for one in self._inputs if one.name in self._required]

    def get_outputs(self) -> list[NodeArg]:
        """The graph's outputs, as onnxruntime's InferenceSession has them."""
        return list(self._outputs)

    def _feeds(self, feeds: typing.Mapping[str, typing.Any]) -> list[tuple[str, typing.Any]]:
        if not isinstance(feeds, typing.Mapping):
            raise TypeError(f"feeds are a dict by the inputs' names, not {type(feeds).__name__}")
        return [(name, to_plain(value, name)) for name, value in feeds.items()]

    def run(
        self,
        output_names: typing.Sequence[str] | None = None,
        feed_inputs: typing.Mapping[str, typing.Any] | None = None,
        run_options: typing.Any = None,
        *,
        observer: typing.Callable[[RunResult], typing.Any] | None = None,
        intermediate: bool = False,
    ) -> typing.Any:
        """Runs the model: a list of the outputs that are named (None: all), which may be any
        results of the main graph. `observer` is called with each RunResult as it appears, on
        another thread; what it returns, but None, goes on in its place. With intermediate=True all
        results by name. run_options are accepted and ignored."""
        feeds = self._feeds(feed_inputs if feed_inputs is not None else {})
        if isinstance(output_names, str):
            raise TypeError("output_names is a list of names")
        names = None if output_names is None or intermediate else [str(n) for n in output_names]
        gathered: dict[str, typing.Any] = {}

        def seen(
            kind: int,
            name: str,
            op_type: str,
            domain: str,
            node: str,
            path: str,
            depth: int,
            plain: typing.Any,
        ) -> typing.Any:
            result = RunResult(
                KINDS[kind], name, op_type, domain, node, path, depth, of_plain(plain)
            )
            if self.verbose:
                print(self._line(result))
            if intermediate and depth == 0:
                gathered[name] = result.value
            given = observer(result) if observer is not None else None
            return None if given is None else to_plain(given, name)

        watched = observer is not None or intermediate or self.verbose > 0
        plains = self._core.run(feeds, names, seen if watched else None, watches_signals())
        if not intermediate:
            return [of_plain(plain) for plain in plains]
        if output_names is not None:
            missing = [name for name in output_names if name not in gathered]
            if missing:
                raise Error(f"the model has no result `{missing[0]}`", "NOT_FOUND")
            return {name: gathered[name] for name in output_names}
        return gathered

    def results(self, feeds: typing.Mapping[str, typing.Any]) -> list[RunResult]:
        """Every result of a run, those of subgraphs too, in the order of their appearance. Arrays
        may share memory and cannot be written to."""
        found: list[RunResult] = []
        self.run(None, feeds, observer=found.append)
        return found

    def _line(self, result: RunResult) -> str:
        value = result.value
        shape = f"{value.dtype.name}{list(value.shape)}" if hasattr(value, "dtype") else ""
        text = f"{result.kind:<11} {result.op_type or '-'} -> {result.name}: {shape}"
        return f"{text}\n{value}" if self.verbose > 1 else text

    def __repr__(self) -> str:
        return f"<onnxcmp.Evaluator {self.input_names} -> {self.output_names}>"


def _restored(model: Kept, arguments: dict[str, typing.Any]) -> Evaluator:
    return Evaluator(model, **arguments)

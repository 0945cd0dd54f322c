"""Runtimes of this process as sides: what they have in common, an object of the caller's, torch."""

from __future__ import annotations

import importlib
import os
import tempfile
import typing

from ._errors import Error, RuntimeFailure
from ._recording import RecordedResult, Recording
from ._sides import Source, is_path, model_source, write_model
from ._torch_modules import graph_module, parameters_of, record_graph, record_module, to_torch


class Runtime:
    """Runs a model and gives its results."""

    name = "runtime"

    def record(self, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
        """Its inputs, every result that it gives, and its outputs."""
        raise NotImplementedError

    @property
    def model(self) -> typing.Any:
        """The model, for those who make inputs up for it; None: nobody knows it."""
        return None

    @property
    def own_inputs(self) -> bool:
        """True if record(None) runs it: the other side is fed these inputs."""
        return self.model is None

    @property
    def isolated(self) -> str:
        """The command line's name of a runtime that has a process of its own; "": it runs here."""
        return ""


class _Names(typing.NamedTuple):
    """The main graph of a model."""

    inputs: list[str]
    nodes: list[typing.Any]
    outputs: list[str]


def _names_of(path: str) -> _Names:
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    return _Names(
        [one.name for one in graph.input],
        list(graph.node),
        [one.name for one in graph.output],
    )


class Adapter(Runtime):
    """A model and an object with the methods load(path, extra), run(session, feeds) and
    unload(session); or the name of what runs it in a process of its own, as the command line has
    it: "./mine.py:device=3", a program that speaks the protocol, "onnxruntime:threads=1"."""

    def __init__(
        self, model: typing.Any, adapter: typing.Any, *, name: str = "", command_line: str = ""
    ) -> None:
        self._model = model
        self.adapter: typing.Any = None
        self._isolated = ""
        self._command_line = command_line  # its name there, if it has one
        self.fuses = False  # its outputs were others than those that its nodes lead to
        if is_path(adapter):
            self._isolated = os.fspath(adapter)
            self.name = name or self._isolated
            return
        for method in ("load", "run", "unload"):
            if not callable(getattr(adapter, method, None)):
                raise TypeError(f"{type(adapter).__name__} has no method {method}")
        self.adapter = adapter
        self.name = name or getattr(adapter, "name", "") or type(adapter).__name__

    @property
    def model(self) -> typing.Any:
        """The model that was given."""
        return self._model

    @property
    def isolated(self) -> str:
        """The command line's name, if it has a process of its own; else ""."""
        return self._isolated

    @property
    def command_line(self) -> str:
        """Its name on the command line. Raises TypeError for an object that has none there."""
        if not self._isolated and not self._command_line:
            raise TypeError(f"{self.name} has no name on the command line")
        return self._isolated or self._command_line

    def in_a_process(self) -> Adapter | None:
        """The same in a process of its own, if the command line knows it."""
        if not self._command_line:
            return None
        return Adapter(self._model, self._command_line, name=self.name)

    def record(self, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
        """Runs the model for its outputs, and once more for every result. Raises RuntimeFailure."""
        if self._isolated:
            raise TypeError(f"{self.name} has a process of its own: onnxcmp.record() runs it")
        source = model_source(self._model, self.name)
        with tempfile.TemporaryDirectory(prefix="onnxcmp-") as folder:
            path = _model_file(source, folder)
            names = _names_of(path)
            outputs, values = self._run(path, names, dict(feeds or {}))
        self.fuses = any(not _same_bits(outputs[n], values[n]) for n in outputs if n in values)
        results = [RecordedResult(n, v, "INPUT") for n, v in (feeds or {}).items()
                   if n in names.inputs]
        for node in names.nodes:
            results.extend(
                RecordedResult(name, values[name], "RESULT", node.op_type, node.domain, node.name)
                for name in node.output
                if name and name in values
            )
        missing = [name for name in names.outputs if name not in outputs]
        if missing:
            raise Error(f"{self.name} gave no output `{missing[0]}`", "NOT_FOUND")
        results.extend(RecordedResult(n, outputs[n], "OUTPUT") for n in names.outputs)
        return Recording(results, source=f"{self._label(source)} ({self.name})")

    def _label(self, source: Source) -> str:
        label = source[1]
        return os.fsdecode(label) if isinstance(label, bytes) else label

    def _run(
        self, path: str, names: _Names, feeds: dict[str, typing.Any]
    ) -> tuple[dict[str, typing.Any], dict[str, typing.Any]]:
        """The outputs of the model as it is, and what every node gave: a model that has all results
        as outputs is optimized less, so that its nodes may lead to other outputs."""
        inside = [n for node in names.nodes for n in node.output if n and n not in names.outputs]
        if not getattr(self.adapter, "knows_results", True):
            inside = []
        given = {name: _to_adapter(value) for name, value in feeds.items()}
        outputs = self._run_once(path, [], given)
        if not inside:
            return outputs, outputs
        try:
            return outputs, {**outputs, **self._run_once(path, inside, given)}
        except Exception:  # it gives its outputs alone
            return outputs, outputs

    def _run_once(
        self, path: str, extra: list[str], feeds: dict[str, typing.Any]
    ) -> dict[str, typing.Any]:
        try:
            session = self.adapter.load(path, extra)
            try:
                return {n: _from_adapter(v) for n, v in self.adapter.run(session, feeds).items()}
            finally:
                self.adapter.unload(session)
        except Exception as error:  # a runtime's own, of whatever kind
            text = f"{self.name} failed: {type(error).__name__}: {error}"
            raise RuntimeFailure(text) from error


def _model_file(source: Source, folder: str) -> str:
    if source[0] == "file":
        return os.fsdecode(source[1])
    path = os.path.join(folder, "model.onnx")
    write_model(source, path)
    return path


def base() -> typing.Any:
    return importlib.import_module("onnxcmp._adapters.base")


def own_adapter(name: str, options: dict[str, typing.Any]) -> typing.Any:
    module = importlib.import_module(f"onnxcmp._adapters.{name}_adapter")
    given = {key: str(value) for key, value in options.items() if value is not None}
    try:
        return module.Adapter(given)
    except ModuleNotFoundError as error:
        needed = ", ".join(module.Adapter.packages) or error.name
        raise ImportError(f"{module.Adapter.name} needs {needed}: pip install {needed}") from error
    except base().Refusal as refusal:
        raise ValueError(str(refusal)) from None


def _to_adapter(value: typing.Any) -> typing.Any:
    from ._values import to_array

    if value is None or isinstance(value, (list, dict)):
        return value
    array = to_array(value)
    return array if array.dtype.isbuiltin == 1 else base().without_ml_dtypes(array)


def _from_adapter(value: typing.Any) -> typing.Any:
    return base().with_ml_dtypes(value) if type(value).__name__ == "Bits" else value


def _same_bits(one: typing.Any, other: typing.Any) -> bool:
    import numpy as np

    if one is other or not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return True
    return one.shape == other.shape and one.dtype == other.dtype and (
        one.dtype.hasobject or one.tobytes() == other.tobytes())


class Torch(Runtime):
    """A torch module with its arguments: what every module in it gives. Of an ExportedProgram or a
    torch.fx.GraphModule: every node, by the names that exporters give to values. Without arguments
    an ExportedProgram has those that it was exported with, and others are fed as the other side is:
    by the names of their parameters, or else in order."""

    name = "torch"

    def __init__(
        self,
        module: typing.Any,
        args: typing.Any = (),
        kwargs: typing.Mapping[str, typing.Any] | None = None,
    ) -> None:
        if not hasattr(module, "named_modules") and graph_module(module) is None:
            raise TypeError(
                f"Torch takes a module, an ExportedProgram or a GraphModule, not "
                f"{type(module).__name__}; give a function as a side itself"
            )
        self.module = module
        self.args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
        self.kwargs = dict(kwargs or {})
        self._example = not self.args and not self.kwargs
        if self._example and getattr(module, "example_inputs", None):
            self.args, self.kwargs = module.example_inputs

    @property
    def own_inputs(self) -> bool:
        """True if arguments were given, or an ExportedProgram has some."""
        return bool(self.args or self.kwargs)

    def record(self, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
        """Runs the module on its arguments, or on feeds by the names of its parameters."""
        args, kwargs = self.args, self.kwargs
        if feeds:
            if not self._example:
                raise Error("Torch has its own inputs: args and kwargs, not feeds")
            args, kwargs = bound(parameters_of(self.module), feeds)
            args = tuple(to_torch(value) for value in args)
            kwargs = {name: to_torch(value) for name, value in kwargs.items()}
        graph = graph_module(self.module)
        if graph is not None:
            return record_graph(graph, args, kwargs, type(self.module).__name__)
        return record_module(self.module, args, kwargs)


def bound(
    parameters: typing.Sequence[str], feeds: typing.Mapping[str, typing.Any]
) -> tuple[tuple[typing.Any, ...], dict[str, typing.Any]]:
    """Arguments of a function: feeds by the names of its parameters, or else in order."""
    if all(name in parameters for name in feeds):
        return (), dict(feeds)
    return tuple(feeds.values()), {}

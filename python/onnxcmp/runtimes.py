"""Other runtimes as sides of compare(), in this process:

    onnxcmp.compare("model.onnx", onnxcmp.runtimes.OnnxRuntime("model.onnx"))
    onnxcmp.compare(onnxcmp.runtimes.Torch(module, args), "exported.onnx")

A runtime runs the model as it is, for its outputs, and once more with every result as an output, as
far as it lets one ask for them; what it gives is a recording with its inputs. An object of your own
with the three methods load(path, extra), run(session, feeds) and unload(session) becomes a side by
Adapter(model, object); docs/runtimes.md has what they take and give.

With isolated=True a runtime runs in a process of its own, as on the command line: it may die or hang
without harm, nodes are run in it one by one to find causes, and the node at which it fails is named.
"""

from __future__ import annotations

import importlib
import os
import tempfile
import typing

from ._compare import compare
from ._errors import Error, RuntimeFailure
from ._record import _flat, _only, record
from ._recording import RecordedResult, Recording
from ._sides import Source, is_path, model_source

__all__ = ["Adapter", "OnnxRuntime", "OpenVino", "Reference", "Runtime", "Torch", "Tract"]


class Runtime:
    """Runs a model and gives its results."""

    name = "runtime"

    def record(self, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
        """Its inputs, every result that it gives, and its outputs."""
        raise NotImplementedError

    @property
    def model(self) -> typing.Any:
        """The model, for those who make inputs up for it; None: it has inputs of its own."""
        return None

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

    def __init__(self, model: typing.Any, adapter: typing.Any, *, name: str = "") -> None:
        self._model = model
        self.adapter: typing.Any = None
        self._isolated = ""
        self._command_line = ""
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
        return self._model

    @property
    def isolated(self) -> str:
        return self._isolated

    def in_a_process(self) -> Adapter | None:
        """The same in a process of its own, if the command line knows it."""
        if not self._command_line:
            return None
        return Adapter(self._model, self._command_line, name=self.name)

    def record(self, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
        if self._isolated:
            return _record_isolated(self, feeds)
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


def _record_isolated(side: Adapter, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
    """The results that it gives beside our evaluator."""
    compared = compare(side.model, side, feeds or None, causes=False, letters=False)
    if compared.right.error:
        raise Error(compared.right.error)
    seen = compared.right.results
    values = compared.values("right", range(len(seen)))
    return Recording(
        [
            RecordedResult(one.name, value, one.kind.upper(), one.op_type, one.domain, one.node)
            for one, value in zip(seen, values)
            if one.kind.upper() != "INITIALIZER" and one.depth == 0
        ],
        source=compared.right.source,
    )


def _model_file(source: Source, folder: str) -> str:
    if source[0] == "file":
        return os.fsdecode(source[1])
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(source[2])
    return path


def _base() -> typing.Any:
    return importlib.import_module("onnxcmp._adapters.base")


def _to_adapter(value: typing.Any) -> typing.Any:
    from ._values import to_array

    if value is None or isinstance(value, (list, dict)):
        return value
    array = to_array(value)
    return array if array.dtype.isbuiltin == 1 else _base().without_ml_dtypes(array)


def _from_adapter(value: typing.Any) -> typing.Any:
    return _base().with_ml_dtypes(value) if type(value).__name__ == "Bits" else value


def _same_bits(one: typing.Any, other: typing.Any) -> bool:
    import numpy as np

    if one is other or not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return True
    return one.shape == other.shape and one.dtype == other.dtype and (
        one.dtype.hasobject or one.tobytes() == other.tobytes())


class _Own(Adapter):
    """A runtime of which this package has the adapter."""

    def __init__(
        self, model: typing.Any, name: str, options: dict[str, typing.Any], isolated: bool
    ) -> None:
        chosen = ",".join(f"{key}={value}" for key, value in options.items() if value is not None)
        command_line = f"{name}:{chosen}" if chosen else name
        super().__init__(model, command_line if isolated else _own_adapter(name, options))
        self._command_line = command_line


def _own_adapter(name: str, options: dict[str, typing.Any]) -> typing.Any:
    module = importlib.import_module(f"onnxcmp._adapters.{name}_adapter")
    given = {key: str(value) for key, value in options.items() if value is not None}
    try:
        return module.Adapter(given)
    except ModuleNotFoundError as error:
        needed = ", ".join(module.Adapter.packages) or error.name
        raise ImportError(f"{module.Adapter.name} needs {needed}: pip install {needed}") from error
    except _base().Refusal as refusal:
        raise ValueError(str(refusal)) from None


class OnnxRuntime(_Own):
    """onnxruntime. providers: names, in full or without "ExecutionProvider"; optimization: "none",
    "basic", "extended", "layout" or "all"; disable: optimizers that are left out; session: entries
    of the session's configuration."""

    def __init__(
        self,
        model: typing.Any,
        *,
        providers: typing.Sequence[str] = ("CPU",),
        optimization: str = "all",
        threads: int = 0,
        custom_ops: typing.Sequence[str] = (),
        disable: typing.Sequence[str] = (),
        session: typing.Mapping[str, str] | None = None,
        isolated: bool = False,
    ) -> None:
        options = {
            "provider": "+".join(p.removesuffix("ExecutionProvider") for p in providers),
            "optimization": optimization,
            "threads": threads,
            "custom_ops": "+".join(custom_ops) or None,
            "disable": "+".join(disable) or None,
            **{f"session.{key}": value for key, value in (session or {}).items()},
        }
        super().__init__(model, "onnxruntime", options, isolated)


class OpenVino(_Own):
    """OpenVINO; options as docs/runtimes.md has them."""

    def __init__(
        self, model: typing.Any, *, isolated: bool = False, **options: typing.Any
    ) -> None:
        super().__init__(model, "openvino", options, isolated)


class Tract(_Own):
    """tract; options as docs/runtimes.md has them."""

    def __init__(
        self, model: typing.Any, *, isolated: bool = False, **options: typing.Any
    ) -> None:
        super().__init__(model, "tract", options, isolated)


class Reference(_Own):
    """onnx.reference.ReferenceEvaluator."""

    def __init__(
        self, model: typing.Any, *, isolated: bool = False, **options: typing.Any
    ) -> None:
        super().__init__(model, "reference", options, isolated)


class Torch(Runtime):
    """A torch module with its arguments: what every module in it gives. Of an ExportedProgram or a
    torch.fx.GraphModule: every node, by the names that exporters give to values."""

    name = "torch"

    def __init__(
        self,
        module: typing.Any,
        args: typing.Any = (),
        kwargs: typing.Mapping[str, typing.Any] | None = None,
    ) -> None:
        self.module = module
        self.args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
        self.kwargs = dict(kwargs or {})

    def record(self, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
        if feeds:
            raise Error("Torch has its own inputs: args and kwargs, not feeds")
        graph = _graph_module(self.module)
        if graph is not None:
            return _record_graph(graph, self.args, self.kwargs, type(self.module).__name__)
        return record(self.module, self.args, self.kwargs)


def _graph_module(module: typing.Any) -> typing.Any:
    import torch

    if isinstance(module, torch.fx.GraphModule):
        return module
    if isinstance(module, torch.export.ExportedProgram):
        return module.module()
    return None


def _record_graph(
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
    return Recording([*inputs, *rest, *outputs], source=source)

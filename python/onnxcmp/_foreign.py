"""Objects of other packages as sides: sessions, evaluators, compiled models, modules, functions."""

from __future__ import annotations

import inspect
import typing

from ._engines import Adapter, Runtime, Torch, bound, own_adapter
from ._errors import RuntimeFailure
from ._recording import RecordedResult, Recording
from ._runtime import is_runtime
from ._sides import is_model, is_path


class _Runner(Runtime):
    """Runs an object of another package, which gives its outputs alone."""

    def __init__(
        self,
        name: str,
        run: typing.Callable[[dict[str, typing.Any]], typing.Mapping[str, typing.Any]],
        model: typing.Any = None,
        inputs: typing.Sequence[str] | None = None,
    ) -> None:
        self.name = name
        self._run = run
        self._model = model
        self._inputs = inputs

    @property
    def model(self) -> typing.Any:
        return self._model

    @property
    def own_inputs(self) -> bool:
        return False

    def record(self, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
        given = {name: value for name, value in (feeds or {}).items()
                 if self._inputs is None or name in self._inputs}
        try:
            outputs = self._run(given)
        except Exception as error:  # a package's own, of whatever kind
            text = f"{self.name} failed: {type(error).__name__}: {error}"
            raise RuntimeFailure(text) from error
        results = [RecordedResult(name, value, "INPUT") for name, value in given.items()]
        results.extend(RecordedResult(name, value, "OUTPUT") for name, value in outputs.items())
        return Recording(results, source=self.name)


class _Session:
    """The adapter of onnxruntime with a session that is there."""

    name = "onnxruntime"

    def __init__(self, session: typing.Any, adapter: typing.Any) -> None:
        self._session = session
        self._adapter = adapter

    def load(self, path: str, extra: typing.Sequence[str]) -> typing.Any:
        return self._adapter.load(path, extra) if extra else self._session

    def run(self, session: typing.Any, feeds: typing.Any) -> typing.Any:
        return self._adapter.run(session, feeds)

    def unload(self, session: typing.Any) -> None:
        pass


def _onnxruntime(session: typing.Any) -> Runtime:
    names = [one.removesuffix("ExecutionProvider") for one in session.get_providers()]
    adapter = own_adapter("onnxruntime", {"provider": "+".join(names)})
    model = getattr(session, "_model_path", None) or getattr(session, "_model_bytes", None)
    if model is None:
        inputs = [one.name for one in session.get_inputs()]
        return _Runner("onnxruntime", lambda feeds: adapter.run(session, feeds), None, inputs)
    return Adapter(model, _Session(session, adapter), name="onnxruntime",
                   command_line=f"onnxruntime:provider={'+'.join(names)}")


def _reference(evaluator: typing.Any) -> Runtime:
    proto = evaluator.proto_

    def run(feeds: dict[str, typing.Any]) -> dict[str, typing.Any]:
        return dict(zip(evaluator.output_names, evaluator.run(None, feeds)))

    return _Runner("ReferenceEvaluator", run, proto if hasattr(proto, "graph") else None,
                   evaluator.input_names)


def _openvino(compiled: typing.Any) -> Runtime:
    def run(feeds: dict[str, typing.Any]) -> dict[str, typing.Any]:
        values = compiled(feeds)
        return {port.get_any_name(): values[port] for port in compiled.outputs}

    return _Runner("OpenVINO", run, None, [port.get_any_name() for port in compiled.inputs])


def _polygraphy(runner: typing.Any) -> Runtime:
    def run(feeds: dict[str, typing.Any]) -> dict[str, typing.Any]:
        if runner.is_active:
            return dict(runner.infer(feeds))
        with runner:
            return dict(runner.infer(feeds))

    return _Runner(str(runner.name), run)


def _names(function: typing.Callable[..., typing.Any]) -> list[str]:
    """Parameters that may be given by name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function without a signature
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def _function(function: typing.Callable[..., typing.Any]) -> Runtime:
    def run(feeds: dict[str, typing.Any]) -> dict[str, typing.Any]:
        args, kwargs = bound(_names(function), feeds)
        given = function(*args, **kwargs)
        if isinstance(given, typing.Mapping):
            return dict(given)
        if isinstance(given, (tuple, list)):
            return {f"output[{i}]": value for i, value in enumerate(given)}
        return {"output": given}

    return _Runner(getattr(function, "__name__", type(function).__name__), run)


def _has(*names: str) -> typing.Callable[[typing.Any], bool]:
    return lambda value: all(hasattr(value, name) for name in names)


# What tells an object of a package, without an import of it, and how it becomes a side.
_FORMS: tuple[tuple[typing.Callable[[typing.Any], bool],
                    typing.Callable[[typing.Any], Runtime]], ...] = (
    (_has("get_providers", "get_inputs", "run"), _onnxruntime),
    (_has("proto_", "input_names", "run"), _reference),
    (_has("create_infer_request", "inputs", "outputs"), _openvino),
    (_has("infer", "activate", "get_input_metadata"), _polygraphy),
    (_has("named_modules", "forward"), Torch),
    (_has("graph_signature", "module", "example_inputs"), Torch),
    (callable, _function),
)


def side_of(side: typing.Any) -> typing.Any:
    """The side itself if it is a model, values or a runtime; else what makes one of it."""
    if (
        is_path(side) or isinstance(side, typing.Mapping) or is_model(side) or is_runtime(side)
        or isinstance(side, type)
    ):
        return side
    for is_one, make in _FORMS:
        if is_one(side):
            return make(side)
    return side

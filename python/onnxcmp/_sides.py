"""Sides of a comparison, as the extension takes them."""

from __future__ import annotations

import os
import typing

from ._errors import Error
from ._recording import KINDS, Recording
from ._values import Plain, to_plain

# ("file", path), ("model", label, bytes, folder) or ("values", label, sets): as
# python/src/comparison.cc has it.
Source = tuple[typing.Any, ...]


def is_path(value: typing.Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def path_bytes(value: str | os.PathLike[str]) -> bytes:
    path = os.fspath(value)
    return path if isinstance(path, bytes) else os.fsencode(path)


def _serialized(model: typing.Any, label: str) -> Source:
    try:
        data = model.SerializeToString()
    except Exception as error:  # protobuf's own, of whatever implementation
        raise Error(
            f"the model cannot be serialized: {error}; save one of 2 GB or more to a file with "
            "external data, and give the path"
        ) from error
    name = model.graph.name
    return ("model", f"ModelProto {name}" if name else label, data, "")


def _proto_of(model: typing.Any) -> typing.Any:
    """The ModelProto of what is no ModelProto itself; None if there is none."""
    module = type(model).__module__
    if module.startswith("onnx_ir") or (
        module.startswith("onnxscript.ir") and type(model).__name__ == "Model"
    ):
        import onnx_ir

        return onnx_ir.to_proto(model)
    if hasattr(model, "model_proto"):  # torch.onnx.ONNXProgram
        return model.model_proto
    if hasattr(model, "to_model_proto"):  # onnxscript's functions
        return model.to_model_proto()
    return None


def is_model(value: typing.Any) -> bool:
    """True if a value is, or has, a ModelProto."""
    return (
        isinstance(value, (bytes, bytearray, memoryview))
        or _is_proto(value)
        or hasattr(value, "model_proto")
        or hasattr(value, "to_model_proto")
        or type(value).__module__.startswith("onnx_ir")
        or hasattr(value, "_onnxcmp_source")
    )


def _is_proto(value: typing.Any) -> bool:
    return hasattr(value, "SerializeToString") and hasattr(value, "graph")


def model_source(model: typing.Any, label: str) -> Source:
    """Raises TypeError for what is no model."""
    if is_path(model):
        return ("file", path_bytes(model))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return ("model", label, bytes(model), "")
    if hasattr(model, "_onnxcmp_source"):
        return model._onnxcmp_source
    if _is_proto(model):
        return _serialized(model, label)
    proto = _proto_of(model)
    if proto is None or not _is_proto(proto):
        raise TypeError(
            f"{label}: {type(model).__name__} is no model: a path, bytes, an onnx.ModelProto, or a "
            "model of onnxscript or onnx_ir"
        )
    return _serialized(proto, label)


def values_set(values: typing.Mapping[str, typing.Any], name: str = "") -> Plain:
    """A set of results whose kinds are not known, in their order."""
    entries = []
    for key, value in values.items():
        if not isinstance(key, str):
            raise TypeError(f"names of values are texts, not {type(key).__name__}")
        entries.append((key, KINDS.index("RESULT"), "", "", "", "", to_plain(value, key)))
    return (name, False, entries)


def recording_set(recording: Recording, name: str = "") -> Plain:
    entries = []
    for result in recording.results:
        entries.append(
            (
                result.name,
                KINDS.index(result.kind),
                result.op_type,
                result.domain,
                result.node,
                result.path,
                to_plain(result.value, result.name),
            )
        )
    return (name, recording.described, entries)


def side_source(side: typing.Any, label: str) -> Source:
    """A model or a recording. Raises TypeError for what is neither."""
    if isinstance(side, Recording):
        return ("values", side.source or label, [recording_set(side)])
    if isinstance(side, typing.Mapping):
        if not side:
            raise Error(f"{label}: a recording without values")
        return ("values", f"{label} (values)", [values_set(side)])
    try:
        return model_source(side, label)
    except TypeError:
        raise TypeError(
            f"{label}: {type(side).__name__} is no side of a comparison: a path, bytes, an "
            "onnx.ModelProto, a model of onnxscript or onnx_ir, a dict of arrays, a recording or "
            "a runtime"
        ) from None


def feed_sets(feeds: typing.Any, label: str) -> list[Plain]:
    """One set of inputs, or several."""
    if isinstance(feeds, typing.Mapping):
        return [values_set(feeds)]
    if isinstance(feeds, (list, tuple)) and feeds and all(
        isinstance(one, typing.Mapping) for one in feeds
    ):
        width = 1 if len(feeds) == 1 else 0
        return [values_set(one, "" if width else f"[{i}]") for i, one in enumerate(feeds)]
    raise TypeError(
        f"{label} are a dict of arrays by the inputs' names, a list of such dicts, or a path, not "
        f"{type(feeds).__name__}"
    )

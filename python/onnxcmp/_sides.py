"""Sides of a comparison, as the extension takes them."""

from __future__ import annotations

import functools
import importlib
import os
import tempfile
import typing

from ._errors import Error, FileMissing
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


# Constants of at least this many bytes, of models that have this many in all, go through a file.
_LARGE_TENSOR = 1 << 20
_LARGE_MODEL = 64 << 20


def _serialized(model: typing.Any, label: str, folder: str = "") -> Source:
    """`folder`: where its external data are. What is behind the folder keeps it."""
    name = model.graph.name
    label = f"ModelProto {name}" if name else label
    try:
        keeper = None
        if not folder and model.ByteSize() >= _LARGE_MODEL:
            keeper = tempfile.TemporaryDirectory(prefix="onnxcmp-")
            model, folder = _with_weights_in(model, keeper.name), keeper.name
        return ("model", label, model.SerializeToString(), folder, keeper)
    except Exception as error:  # protobuf's own, of whatever implementation
        raise Error(
            f"the model cannot be serialized: {error}; save one of 2 GB or more to a file with "
            "external data, and give the path"
        ) from error


def _with_weights_in(model: typing.Any, folder: str) -> typing.Any:
    """The model with the large constants of its main graph as external data. A model of gigabytes
    is so handed over without copies of its weights in memory: the file is mapped."""
    light = type(model)()
    for field, value in model.ListFields():
        if field.name != "graph":
            _copy(light, field.name, value)
    for field, value in model.graph.ListFields():
        if field.name != "initializer":
            _copy(light.graph, field.name, value)
    with open(os.path.join(folder, "weights"), "wb") as file:
        for tensor in model.graph.initializer:
            raw = tensor.raw_data
            copy = light.graph.initializer.add()
            if len(raw) < _LARGE_TENSOR:
                copy.CopyFrom(tensor)
                continue
            file.seek(-file.tell() % 4096, os.SEEK_CUR)
            copy.name, copy.data_type = tensor.name, tensor.data_type
            copy.dims.extend(tensor.dims)
            copy.data_location = type(tensor).EXTERNAL
            for key, number in (("location", "weights"), ("offset", file.tell()),
                                ("length", len(raw))):
                entry = copy.external_data.add()
                entry.key, entry.value = key, str(number)
            file.write(raw)
    return light


def _copy(message: typing.Any, name: str, value: typing.Any) -> None:
    if hasattr(value, "CopyFrom"):
        getattr(message, name).CopyFrom(value)
    elif hasattr(value, "extend"):
        getattr(message, name).extend(value)
    else:
        setattr(message, name, value)


class ModelIn:
    """A model whose external data are in a folder."""

    def __init__(self, model: typing.Any, folder: str | os.PathLike[str]) -> None:
        self._model = model
        self._folder = os.fsdecode(folder)

    @functools.cached_property
    def _onnxcmp_source(self) -> Source:
        if isinstance(self._model, (bytes, bytearray, memoryview)):
            return ("model", "model", bytes(self._model), self._folder)
        return _serialized(self._model, "model", self._folder)


class Kept:
    """The source of a model as pickle keeps it. `weights`: what was in a temporary folder."""

    def __init__(self, source: Source, weights: bytes | None) -> None:
        self._source = source
        self._weights = weights

    @functools.cached_property
    def _onnxcmp_source(self) -> Source:
        if self._weights is None:
            return self._source
        keeper = tempfile.TemporaryDirectory(prefix="onnxcmp-")
        with open(os.path.join(keeper.name, "weights"), "wb") as file:
            file.write(self._weights)
        return (*self._source[:3], keeper.name, keeper)


def kept_source(source: Source) -> Kept:
    """For pickle, which keeps no temporary folders."""
    if source[0] == "file" or len(source) < 5 or source[4] is None:
        return Kept(source[:4], None)
    with open(os.path.join(source[3], "weights"), "rb") as file:
        return Kept(source[:4], file.read())


def in_folder(model: typing.Any, folder: str | os.PathLike[str] | None) -> typing.Any:
    """The model, or values as they are; a serialized one with the folder of its external data."""
    is_serialized = _is_proto(model) or isinstance(model, (bytes, bytearray, memoryview))
    return ModelIn(model, folder) if folder is not None and is_serialized else model


def _is_ir(model: typing.Any) -> bool:
    """True for a model of onnx_ir, or of the copy of it that onnxscript had."""
    module = type(model).__module__
    return module.startswith(("onnx_ir", "onnxscript.ir")) and type(model).__name__ == "Model"


def _ir_source(model: typing.Any, label: str) -> Source:
    """External tensors know their folders: one folder is told on, several are read."""
    import onnx_ir

    tensors = [value.const_value for value in model.graph.initializers.values()]
    external = [one for one in tensors if hasattr(one, "base_dir") and hasattr(one, "location")]
    folders = {os.path.abspath(one.base_dir) for one in external}
    proto = onnx_ir.to_proto(model)
    if len(folders) > 1:
        read = {one.name: one for one in external}
        for tensor in proto.graph.initializer:
            if tensor.name in read:
                del tensor.external_data[:]
                tensor.data_location = type(tensor).DEFAULT
                tensor.raw_data = read[tensor.name].tobytes()
    return _serialized(proto, label, folders.pop() if len(folders) == 1 else "")


def _proto_of(model: typing.Any) -> typing.Any:
    """The ModelProto of what is no ModelProto itself; None if there is none."""
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
        or _is_ir(value)
        or hasattr(value, "_onnxcmp_source")
        or _is_file(value)
    )


def _is_file(value: typing.Any) -> bool:
    return callable(getattr(value, "read", None)) and callable(getattr(value, "readable", None))


def _read(file: typing.Any, label: str) -> Source:
    data = file.read()
    if not isinstance(data, bytes):
        raise Error(f"{label}: a file that is open for text; open it with mode 'rb'")
    return ("model", str(getattr(file, "name", label)), data, "")


def _is_proto(value: typing.Any) -> bool:
    return hasattr(value, "SerializeToString") and hasattr(value, "graph")


def model_source(model: typing.Any, label: str) -> Source:
    """Raises TypeError for what is no model, FileNotFoundError for a path without a file."""
    if is_path(model):
        if not os.path.lexists(model):
            raise FileMissing(f"{label}: there is no file {os.fsdecode(model)!r}")
        return ("file", path_bytes(model))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return ("model", label, bytes(model), "")
    if hasattr(model, "_onnxcmp_source"):
        return model._onnxcmp_source
    if _is_proto(model):
        return _serialized(model, label)
    if _is_ir(model):
        return _ir_source(model, label)
    if _is_file(model):
        return _read(model, label)
    proto = _proto_of(model)
    if proto is None or not _is_proto(proto):
        raise TypeError(
            f"{label}: {type(model).__name__} is no model: a path, bytes, a file, an "
            "onnx.ModelProto, or a model of onnxscript or onnx_ir"
        )
    return _serialized(proto, label)


def write_model(source: Source, path: str | os.PathLike[str]) -> None:
    """Writes a model to a file, and external data beside it. `source`: as model_source() gives it.
    Needs onnx where there are external data."""
    if source[0] == "file":
        folder = os.path.dirname(os.path.abspath(os.fsdecode(source[1])))
        with open(source[1], "rb") as given:
            data = given.read()
    else:
        data, folder = source[2], source[3]
    if folder and importlib.import_module("onnxcmp._adapters.base").has_external_data(data):
        import onnx

        model = onnx.ModelProto.FromString(data)
        onnx.load_external_data_for_model(model, folder)
        onnx.save(model, path, save_as_external_data=True,
                  location=f"{os.path.basename(path)}.data")
        return
    with open(path, "wb") as file:
        file.write(data)


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


def _iterations(side: typing.Any) -> list[typing.Any] | None:
    """The results of each iteration of Polygraphy's RunResults, of one runner; None: it is none."""
    if type(side).__name__ != "RunResults":
        return None
    runners = list(side)
    if len(runners) != 1:
        names = ", ".join(str(name) for name, _ in runners)
        raise Error(f"RunResults of several runners ({names}); give those of one: results[name]")
    return list(runners[0][1])


def side_source(side: typing.Any, label: str) -> Source:
    """A model or a recording. Raises TypeError for what is neither."""
    if isinstance(side, Recording):
        return ("values", side.source or label, [recording_set(side)])
    iterations = _iterations(side)
    if iterations is not None:
        names = ["" if len(iterations) == 1 else f"[{i}]" for i in range(len(iterations))]
        return ("values", f"{label} (RunResults)",
                [values_set(one, name) for one, name in zip(iterations, names)])
    if isinstance(side, typing.Mapping):
        if getattr(side, "zip", side) is None:
            raise Error(f"{label}: the .npz is closed")
        if not side:
            raise Error(f"{label}: a recording without values")
        return ("values", f"{label} (values)", [values_set(side)])
    try:
        return model_source(side, label)
    except TypeError:
        raise TypeError(
            f"{label}: {type(side).__name__} is no side of a comparison: a path, bytes, an open "
            "file, an onnx.ModelProto, a model of onnxscript or onnx_ir, a dict of arrays, a "
            "recording, a runtime of onnxcmp.runtimes, a session of onnxruntime, OpenVINO, "
            "Polygraphy or onnx.reference, a torch module or a function"
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
    if isinstance(feeds, (list, tuple)):
        given = f"a list of {type(feeds[0]).__name__}" if feeds else "an empty list"
        raise TypeError(
            f"{label} are a dict of arrays by the inputs' names, a list of such dicts, or a path, "
            f"not {given}"
        )
    raise TypeError(
        f"{label} are a dict of arrays by the inputs' names, a list of such dicts, or a path, not "
        f"{type(feeds).__name__}"
    )

"""Arrays, sequences, optionals, maps and sparse tensors as the extension has them, and back."""

from __future__ import annotations

import dataclasses
import typing

import numpy as np

# A value as the extension takes and gives it: python/src/values.h has the forms.
Plain = typing.Any

_NUMBERS = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "complex64": 14,
    "complex128": 15,
    "bfloat16": 16,
    "float8_e4m3fn": 17,
    "float8_e4m3fnuz": 18,
    "float8_e5m2": 19,
    "float8_e5m2fnuz": 20,
    "uint4": 21,
    "int4": 22,
    "float4_e2m1fn": 23,
    "float8_e8m0fnu": 24,
    "uint2": 25,
    "int2": 26,
    "float6_e2m3fn": 27,
    "float6_e3m2fn": 28,
}
_NAMES = {number: name for name, number in _NUMBERS.items()}
# Of what is handed over as it is.
_PLAIN = {np.dtype(name): number for name, number in _NUMBERS.items() if number <= 15}
_STRING = 8
# Integers of less than a byte, with their bits.
_SMALL_INTEGERS = {"int4": 4, "int2": 2}
# As ONNX names element types in types of inputs.
_ONNX_NAMES = {
    **_NAMES,
    1: "float",
    11: "double",
    _STRING: "string",
    17: "float8e4m3fn",
    18: "float8e4m3fnuz",
    19: "float8e5m2",
    20: "float8e5m2fnuz",
    23: "float4e2m1",
    24: "float8e8m0",
    27: "float6e2m3",
    28: "float6e3m2",
}


@dataclasses.dataclass(frozen=True)
class SparseTensor:
    """A sparse tensor: values, their indices (linear, or a row each), and the dense shape."""

    values: np.ndarray
    indices: np.ndarray
    shape: tuple[int, ...]


def type_name(number: int) -> str:
    """ "float", "int64", ... as ONNX writes tensor(float)."""
    return _ONNX_NAMES.get(number, "undefined")


def onnx_type_of(array: np.ndarray) -> int:
    """The number that onnx.TensorProto has for the array's element type."""
    return _STRING if array.dtype.kind in "OUST" else _NUMBERS.get(array.dtype.name, 0)


def _ml_dtype(name: str) -> np.dtype:
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError(f"arrays of {name} need the package ml_dtypes") from None
    if not hasattr(ml_dtypes, name):
        raise ImportError(f"arrays of {name} need a newer version of the package ml_dtypes")
    return np.dtype(getattr(ml_dtypes, name))


def _dense(array: np.ndarray) -> np.ndarray:
    return array if array.flags.c_contiguous else array.copy(order="C")


def _strings_to_plain(array: np.ndarray, name: str) -> Plain:
    texts = []
    for element in array.reshape(-1).tolist():
        if isinstance(element, str):
            texts.append(element.encode("utf-8", "surrogateescape"))
        elif isinstance(element, bytes):
            texts.append(element)
        else:
            raise TypeError(
                f"{name}: an array of objects must hold strings, not {type(element).__name__}"
            )
    return ("strings", list(array.shape), texts)


def _array_to_plain(array: np.ndarray, name: str) -> Plain:
    kind = array.dtype.kind
    if kind in "OUST":
        return _strings_to_plain(array, name)
    shape = list(array.shape)
    if kind == "V" and array.dtype.name.startswith("void") and array.dtype.fields is None:
        # How NumPy saves ml_dtypes' types: which one it was is not known.
        if array.dtype.itemsize in (1, 2):
            bits = _dense(array).view(np.uint8 if array.dtype.itemsize == 1 else np.uint16)
            return ("opaque", array.dtype.itemsize, shape, bits)
    number = _NUMBERS.get(array.dtype.name)
    if number is None:
        raise TypeError(f"{name}: an array of {array.dtype} is no tensor of ONNX's")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    array = _dense(array)
    if number in (16, *range(17, 21), 24):
        array = array.view(np.uint16 if number == 16 else np.uint8)
    elif array.dtype.name in _SMALL_INTEGERS:
        mask = (1 << _SMALL_INTEGERS[array.dtype.name]) - 1
        array = array.astype(np.int8).view(np.uint8) & np.uint8(mask)
    elif number in (21, 25):
        array = array.astype(np.uint8)
    elif number in (23, 27, 28):
        array = array.view(np.uint8)
    return ("tensor", number, shape, array)


def _torch_to_numpy(tensor: typing.Any) -> np.ndarray:
    """Shares the memory of a tensor on the CPU."""
    import torch

    tensor = tensor.detach().cpu()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    name = str(tensor.dtype).removeprefix("torch.")
    if name == "bfloat16":
        return tensor.contiguous().view(torch.uint16).numpy().view(_ml_dtype(name))
    if name.startswith("float8"):
        return tensor.contiguous().view(torch.uint8).numpy().view(_ml_dtype(name))
    return tensor.numpy()


def to_array(value: typing.Any, name: str = "value") -> np.ndarray:
    """A tensor of any library as an array of NumPy, without a copy where that can be."""
    if isinstance(value, np.ndarray):
        if np.ma.is_masked(value):
            raise TypeError(f"{name}: no tensor has masked elements; give array.filled(...)")
        return value
    module = type(value).__module__
    if module == "torch" or module.startswith("torch."):
        return _torch_to_numpy(value)
    if hasattr(value, "numpy") and module.startswith("onnxruntime"):
        return value.numpy()
    if hasattr(value, "__array__") or isinstance(value, np.generic):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    if isinstance(value, (str, bytes)):
        return np.asarray(value, dtype=object)
    if isinstance(value, (bool, int, float, complex)):
        return np.asarray(value)
    if isinstance(value, (bytearray, memoryview)):
        return np.asarray(value)
    raise TypeError(f"{name}: {type(value).__name__} is no value of a model")


def _is_plain_list(value: typing.Any) -> bool:
    """Numbers and texts in lists alone, which are an array."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_is_plain_list(element) for element in value)
    return isinstance(value, (bool, int, float, complex, str, bytes))


def _refuse_lost(array: np.ndarray, values: typing.Sequence[typing.Any], name: str) -> None:
    """Raises TypeError if floats stand for integers that they do not hold, or for integers alone."""
    elements = list(np.asarray(values, object).flat)
    whole = [isinstance(element, (int, np.integer)) for element in elements]
    if array.size and (all(whole) or any(
        is_whole and int(held) != int(element)
        for is_whole, held, element in zip(whole, array.flat, elements)
    )):
        raise TypeError(f"{name}: no element type holds all of these integers")


def _list_to_array(values: typing.Sequence[typing.Any], name: str) -> np.ndarray:
    """An array of the elements as they are. NumPy by itself makes texts of numbers beside texts,
    takes NULs from their ends, and makes floats of integers that none of its types holds."""
    array = np.asarray(values)
    if array.dtype.kind in "SU":
        return np.asarray(values, dtype=object)
    if array.dtype == np.float64:
        _refuse_lost(array, values, name)
    return array


def _sequence_to_plain(value: typing.Sequence[typing.Any], name: str) -> Plain:
    elements = [to_plain(element, f"{name}[{i}]") for i, element in enumerate(value)]
    kinds = {e[1] if e and e[0] == "tensor" else _STRING if e and e[0] == "strings" else 0
             for e in elements}
    return ("sequence", kinds.pop() if len(kinds) == 1 else 0, elements)


def _map_to_plain(value: typing.Mapping[typing.Any, typing.Any], name: str) -> Plain:
    keys = list(value)
    if all(isinstance(key, str) for key in keys):
        plain_keys = _strings_to_plain(np.array(keys, dtype=object), name)
    elif all(isinstance(key, (int, np.integer)) for key in keys):
        plain_keys = _array_to_plain(np.array(keys, dtype=np.int64), name)
    else:
        raise TypeError(f"{name}: the keys of a map are integers or strings")
    values = list(value.values())
    if all(np.ndim(element) == 0 and not isinstance(element, (list, dict)) for element in values):
        arrays = _list_to_array(values, name)
        # Floats of Python's come from runtimes that know them by no other name.
        if arrays.dtype == np.float64 and not any(
            getattr(element, "dtype", None) == np.float64 for element in values
        ):
            arrays = arrays.astype(np.float32)
            _refuse_lost(arrays, values, name)
        return ("map", plain_keys, _array_to_plain(arrays, name))
    return ("map", plain_keys, _sequence_to_plain(values, name))


def to_plain(value: typing.Any, name: str = "value") -> Plain:
    """Any value as the extension takes it. Raises TypeError, which names it, for what is none."""
    if type(value) is np.ndarray:
        number = _PLAIN.get(value.dtype)
        if number is not None and value.flags.c_contiguous:
            return ("tensor", number, list(value.shape), value)
    if value is None:
        return ("optional", 0, None)
    if isinstance(value, SparseTensor):
        return (
            "sparse",
            _array_to_plain(to_array(value.values, name), name),
            _array_to_plain(to_array(value.indices, name), name),
            [int(dim) for dim in value.shape],
        )
    if isinstance(value, (list, tuple)):
        if _is_plain_list(value):
            return _array_to_plain(_list_to_array(value, name), name)
        return _sequence_to_plain(value, name)
    if isinstance(value, typing.Mapping):
        return _map_to_plain(value, name)
    return _array_to_plain(to_array(value, name), name)


def _array_of_plain(number: int, array: np.ndarray) -> np.ndarray:
    if number <= 15:
        return array
    name = _NAMES.get(number, "")
    if name in _SMALL_INTEGERS:
        sign = 1 << (_SMALL_INTEGERS[name] - 1)
        return ((array.astype(np.int8) ^ sign) - sign).astype(_ml_dtype(name))
    if number in (21, 25):
        return array.astype(_ml_dtype(name))
    return array.view(_ml_dtype(name))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def of_plain(plain: Plain) -> typing.Any:
    """A value as the extension takes it: arrays, lists, dicts, SparseTensor, None."""
    if plain is None:
        return None
    kind = plain[0]
    if kind == "tensor":
        return _array_of_plain(plain[1], plain[2])
    if kind == "strings":
        array = np.empty(len(plain[2]), dtype=object)
        array[:] = [_text(raw) for raw in plain[2]]
        return array.reshape(plain[1])
    if kind == "sequence":
        return [of_plain(element) for element in plain[2]]
    if kind == "optional":
        return of_plain(plain[2])
    if kind == "map":
        keys = of_plain(plain[1]).reshape(-1).tolist()
        values = of_plain(plain[2])
        if isinstance(values, np.ndarray):
            values = values.reshape(-1).tolist() if values.ndim <= 1 else list(values)
        return dict(zip(keys, values))
    return SparseTensor(of_plain(plain[1]), of_plain(plain[2]), tuple(plain[3]))

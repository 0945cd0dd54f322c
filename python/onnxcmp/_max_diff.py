"""The greatest differences of two values, as onnx_diagnostic measures them."""

from __future__ import annotations

import typing

import numpy as np

from ._values import to_array


def _all(value: float) -> dict[str, typing.Any]:
    return {key: value for key in ("abs", "rel", "sum", "n", "dnan")}


def _leaves(value: typing.Any) -> list[typing.Any]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in _leaves(one)]
    if isinstance(value, (list, tuple)):
        return [leaf for one in value for leaf in _leaves(one)]
    return [] if value is None else [value]


def _device(value: typing.Any) -> typing.Any:
    return getattr(value, "device", None) if type(value).__module__.startswith("torch") else None


def _diff_arrays(
    expected: typing.Any, got: typing.Any, hist: typing.Any
) -> dict[str, typing.Any]:
    devices = [device for device in (_device(expected), _device(got)) if device is not None]
    dev = None
    if len(devices) == 2:
        dev = int(devices[0] != devices[1])
    elif devices:
        dev = int(devices[0].type != "cpu")
    one, other = to_array(expected, "expected"), to_array(got, "got")
    if one.dtype.kind == "c":
        if other.dtype != one.dtype and other.dtype not in (np.float32, np.float64):
            return _all(np.inf)
        if len(devices) == 2 and other.dtype == one.dtype:
            one, other = (np.stack([v.real, v.imag], axis=-1) for v in (one, other))
        else:
            one, other = one.real, other.real
    if one.shape != other.shape:
        return _all(np.inf)
    left, right = one.astype(np.float64), other.astype(np.float64)
    nans = np.abs(np.isnan(left).astype(int) - np.isnan(right).astype(int))
    left, right = np.nan_to_num(left, nan=1e10), np.nan_to_num(right, nan=1e10)
    diff = np.abs(right - left)
    found: dict[str, typing.Any] = {**_all(0.0), "argm": None}
    if diff.size:
        found = {
            "abs": float(diff.max()),
            "rel": float((diff / (np.abs(left) + 1e-3)).max()),
            "sum": float(diff.sum()),
            "n": float(diff.size),
            "dnan": float(nans.sum()),
            "argm": tuple(int(i) for i in np.unravel_index(diff.argmax(), diff.shape)),
        }
    if dev is not None:
        found["dev"] = dev
    if hist:
        steps = [0, 0.0001, 0.001, 0.01, 0.1, 1, 10, 100] if isinstance(hist, bool) else hist
        steps = np.array(steps, dtype=diff.dtype)
        found["rep"] = {f">{step}": int((diff > step).sum()) for step in steps}
    return found


def _diff_lists(
    expected: typing.Any, got: typing.Any, index: int, options: dict[str, typing.Any]
) -> dict[str, typing.Any]:
    total: dict[str, typing.Any] = {"abs": 0, "rel": 0, "sum": 0.0, "n": 0.0, "dnan": 0}
    for i, (one, other) in enumerate(zip(expected, got)):
        found = _diff(one, other, index + i, options)
        for key in ("abs", "rel", "dnan"):
            total[key] = max(total[key], found[key])
        for key in ("sum", "n"):
            total[key] += found[key]
        if found.get("dev") is not None:
            total["dev"] = total.get("dev", 0) + found["dev"]
        for key, count in found.get("rep", {}).items():
            rep = total.setdefault("rep", {})
            rep[key] = rep.get(key, 0) + count
    return total


def _diff(
    expected: typing.Any, got: typing.Any, index: int, options: dict[str, typing.Any]
) -> dict[str, typing.Any]:
    if (expected is None and got is None) or (options["skip_none"] and None in (expected, got)):
        return _all(0)
    if hasattr(expected, "shape") and isinstance(got, (list, tuple)) and len(got) == 1:
        got = got[0]
    if hasattr(expected, "to_tuple"):
        expected = expected.to_tuple()
    if hasattr(got, "to_tuple"):
        got = got.to_tuple()
    if isinstance(expected, (list, tuple)):
        if len(expected) == 1 and not isinstance(got, type(expected)):
            return _diff(expected[0], got, index, options)
        if not isinstance(got, (list, tuple)):
            return _all(np.inf)
        if len(got) != len(expected):
            if not options["flatten"]:
                return _all(np.inf)
            return _diff(_leaves(expected), _leaves(got), index, {**options, "flatten": False})
        return _diff_lists(expected, got, index, options)
    if isinstance(expected, dict):
        if isinstance(got, dict):
            if set(expected) != set(got):
                return _all(np.inf)
            keys = sorted(expected)
            return _diff([expected[k] for k in keys], [got[k] for k in keys], index, options)
        if not isinstance(got, (list, tuple)) or len(expected) != len(got):
            return _all(np.inf)
        return _diff(list(expected.values()), list(got), index, options)
    if index < options["begin"] or (options["end"] != -1 and index >= options["end"]):
        return _all(0.0)
    if expected is None or got is None:
        return _all(np.inf)
    if isinstance(expected, (bool, int, float)) and np.ndim(got) == 0:
        one, other = float(expected), float(got)
        if one == other:
            return _all(0.0)
        error = abs(one - other)
        return {"abs": error, "rel": error / (abs(one) + 1e-5), "sum": error, "n": 1, "dnan": 0}
    try:
        return _diff_arrays(expected, got, options["hist"])
    except TypeError:
        return _all(np.inf)


def max_diff(
    expected: typing.Any,
    got: typing.Any,
    verbose: int = 0,
    level: int = 0,
    flatten: bool = False,
    debug_info: list[str] | None = None,
    begin: int = 0,
    end: int = -1,
    _index: int = 0,
    allow_unique_tensor_with_list_of_one_element: bool = True,
    hist: typing.Any = None,
    skip_none: bool = False,
) -> dict[str, typing.Any]:
    """The greatest differences of two values, nested ones too, as onnx_diagnostic measures them.

    abs, rel: the greatest ones; sum: of all absolute ones; n: elements; dnan: elements that are NaN
    on one side alone; dev: 0 if both are on one device, for tensors; rep: with `hist`, elements
    beyond each step. NaN counts as 1e10. Infinity: the two have other shapes or other structures.
    """
    options = {"flatten": flatten, "begin": begin, "end": end, "hist": hist,
               "skip_none": skip_none}
    found = _diff(expected, got, _index, options)
    if verbose:
        print(f"[max_diff] {found}")
    return found

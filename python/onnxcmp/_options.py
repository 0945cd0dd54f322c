"""Arguments of compare() as options of the command line."""

from __future__ import annotations

import typing

from ._sides import feed_sets, is_path, path_bytes

# Names of inputs that are no file.
_FEEDS = {"inputs": "the feeds", "left-inputs": "the left feeds", "right-inputs": "the right feeds"}


# The form of a value on the command line:
def _pairs(value: typing.Any) -> list[str]:
    if isinstance(value, typing.Mapping):
        return [f"{left}={right}" for left, right in value.items()]
    if isinstance(value, str):
        return [value]
    return [one if isinstance(one, str) else f"{one[0]}={one[1]}" for one in value]


def _sizes(value: typing.Any) -> list[str]:
    for name, size in value.items() if isinstance(value, typing.Mapping) else ():
        if isinstance(size, bool) or not hasattr(size, "__index__") or size < 0:
            raise ValueError(f"dim: {name} is {size!r}; a size is a whole number from 0 on")
    return _pairs(value)


def _tolerances(value: typing.Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, typing.Mapping):
        return list(value)
    return [f"{name}={rtol!r},{atol!r}" for name, (rtol, atol) in value.items()]


def _seconds(value: typing.Any) -> str:
    return value if isinstance(value, str) else f"{float(value)}s"


_LISTS: dict[str, typing.Callable[[typing.Any], list[str]]] = {
    "dim": _sizes,
    "map-input": _pairs,
    "pair": _pairs,
    "role": _pairs,
    "state": _pairs,
    "tolerance": _tolerances,
}
_FLAGS = frozenset(
    "each partial any-row-order coverage shadow quantization fusions fused nan prove ramp "
    "free invariants causal encoder".split()
)


def command_line(options: typing.Mapping[str, typing.Any]) -> list[str | bytes]:
    line: list[str | bytes] = []
    for key, value in options.items():
        name = key.replace("_", "-")
        if value is None or value is False and name not in ("causes", "share"):
            continue
        if name in ("causes", "share"):
            if not value:
                line.append(f"--no-{name}")
        elif name in _FLAGS:
            line.append(f"--{name}")
        elif name in _LISTS:
            line.extend(f"--{name}={one}" for one in _LISTS[name](value))
        elif name == "search":
            line.append(f"--search={'60s' if value is True else _seconds(value)}")
        elif name in ("runtime-timeout", "max-time"):
            line.append(f"--{name}={_seconds(value)}")
        elif is_path(value):
            line.append(f"--{name}=".encode() + path_bytes(value))
        elif isinstance(value, float):
            line.append(f"--{name}={value!r}")
        else:
            line.append(f"--{name}={value}")
    return line


def with_feeds(
    line: list[str | bytes], given: typing.Mapping[str, typing.Any]
) -> dict[str, tuple[list[typing.Any], bool]]:
    """Adds inputs to a command line; what is no file is given back by its name there, with whether
    names alone tell where a value goes: those of a dict do, those of a recording need not."""
    in_memory = {}
    for option, feeds in given.items():
        if feeds is None:
            continue
        if is_path(feeds):
            line.append(f"--{option}=".encode() + path_bytes(feeds))
            continue
        label = _FEEDS[option]
        sets = feeds if isinstance(feeds, (list, tuple)) else [feeds]
        by_name = all(type(one) is dict for one in sets)
        in_memory[label] = (feed_sets(feeds, label), by_name)
        line.append(f"--{option}={label}")
    return in_memory

"""Rows of a comparison as columns of a data frame, whose types do not depend on the data."""

from __future__ import annotations

import csv
import io
import re
import typing

if typing.TYPE_CHECKING:
    import pandas

_TEXTS = frozenset("relation marks reason nearer proof module".split())
_COUNTS = frozenset(
    "elements beyond nan_left nan_right infinite_left infinite_right non_finite_disagree "
    "beyond_0.1 beyond_0.01 beyond_0.001".split()
)
# What is 0 of two results with the same bits.
_ZEROS = _COUNTS - {"elements"} | frozenset(
    "max_absolute max_relative mean_absolute mean_relative rms max_ulp".split()
)
_WORST = ("worst_left", "worst_right")


def number(text: str) -> typing.Any:
    """A number as JSON and tables write it; None for none, other texts as they are."""
    if text == "":
        return None
    for read in (int, float, complex):
        try:
            return read(text.replace("i", "j") if read is complex else text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def index(text: str) -> tuple[int, ...] | str | None:
    """ "[0,3]" as (0, 3); what is no index of a tensor stays a text."""
    if not re.fullmatch(r"\[[0-9, ]*\]", text or ""):
        return text or None
    return tuple(int(one) for one in text[1:-1].split(",") if one.strip())


def _module(line: dict[str, str]) -> str:
    """The scope in the name of a result, as exporters write it: /encoder/layer.0/MatMul_output_0."""
    name = line["left_name"] or line["right_name"]
    return ".".join(part for part in name.split("/")[:-1] if part)


def _value(column: str, text: str, same_bits: bool) -> typing.Any:
    if column == "agree":
        return True if same_bits else {"true": True, "false": False}.get(text)
    if same_bits and text == "" and column in _ZEROS:
        return 0 if column in _COUNTS else 0.0
    if column in _COUNTS:
        return int(text) if text else None
    if column.endswith("_results"):
        return tuple(int(one) for one in text.split())
    if column.endswith("_shape") or column == "worst_at":
        return index(text)
    if column in _WORST:
        return number(text)
    if column in _TEXTS or column.startswith(("left_", "right_")) and not column.endswith("double"):
        return text
    return float(text) if text else None


def columns(text: str) -> dict[str, list[typing.Any]]:
    """The columns of the CSV (docs/formats.md), and the `module` of each row."""
    reader = csv.DictReader(io.StringIO(text))
    found: dict[str, list[typing.Any]] = {name: [] for name in (*(reader.fieldnames or ()), "module")}
    for line in reader:
        line["module"] = _module(line)
        paired = bool(line["left_results"]) and bool(line["right_results"])
        same_bits = paired and line["relation"] == "same" and line["agree"] == ""
        for name, values in found.items():
            values.append(_value(name, line[name], same_bits))
    return found


def to_pandas(text: str) -> pandas.DataFrame:
    import pandas

    series: dict[str, typing.Any] = {}
    for name, values in columns(text).items():
        if name == "agree":
            series[name] = pandas.array(values, dtype="boolean")
        elif name in _COUNTS:
            series[name] = pandas.array(values, dtype="Int64")
        elif any(isinstance(value, (tuple, str)) for value in values) or name in _WORST or (
            name in _TEXTS or name == "worst_at" or name.endswith(("_results", "_shape"))
        ):
            series[name] = pandas.Series(values, dtype=object).array
        else:
            series[name] = pandas.Series(values, dtype="float64").array
    return pandas.DataFrame(series)


def to_polars(text: str) -> typing.Any:
    import polars

    found: dict[str, typing.Any] = {}
    for name, values in columns(text).items():
        if name.endswith(("_results", "_shape")) or name == "worst_at":
            kept = [list(value) if isinstance(value, tuple) else None for value in values]
            found[name] = polars.Series(name, kept, dtype=polars.List(polars.Int64))
        elif name in _WORST:
            texts = [None if value is None else str(value) for value in values]
            found[name] = polars.Series(name, texts, dtype=polars.String)
        elif name == "agree":
            found[name] = polars.Series(name, values, dtype=polars.Boolean)
        elif name in _COUNTS:
            found[name] = polars.Series(name, values, dtype=polars.Int64)
        elif any(isinstance(value, str) for value in values):
            found[name] = polars.Series(name, values, dtype=polars.String)
        else:
            found[name] = polars.Series(name, values, dtype=polars.Float64)
    return polars.DataFrame(found)

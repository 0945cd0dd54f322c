"""Inputs of models: made up, or read from files."""

from __future__ import annotations

import os
import typing

from . import _core
from ._evaluator import Evaluator
from ._options import command_line
from ._sides import path_bytes
from ._values import of_plain


def make_inputs(
    model: typing.Any,
    other: typing.Any = None,
    *,
    seed: int | None = None,
    ramp: bool = False,
    dim: typing.Mapping[str, int] | None = None,
) -> dict[str, typing.Any]:
    """Inputs that fit what the model does with them (docs/inputs.md), those that compare() makes
    up first."""
    return inputs_for(command_line({"seed": seed, "ramp": ramp, "dim": dim}), model, other)


def inputs_for(
    line: list[str | bytes], model: typing.Any, other: typing.Any
) -> dict[str, typing.Any]:
    """The same with options as the command line has them."""
    left = Evaluator(model)._core
    right = left if other is None else Evaluator(other)._core
    return {name: of_plain(plain) for name, plain in _core.make_inputs(line, left, right)}


def read_feeds(
    model: typing.Any, path: str | os.PathLike[str], each: bool
) -> list[tuple[str, dict[str, typing.Any]]]:
    """The sets of a file of inputs with their names, as compare() feeds them to the model. `each`:
    slices of the file's arrays are sets."""
    sets = Evaluator(model)._core.read_feeds(path_bytes(path), each)
    return [(name, {key: of_plain(plain) for key, plain in feeds.items()}) for name, feeds in sets]

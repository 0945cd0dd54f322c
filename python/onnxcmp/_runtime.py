"""Runtimes as sides: they run first, and what they give is compared as a recording."""

from __future__ import annotations

import os
import typing

from ._errors import Error
from ._evaluator import Evaluator
from ._inputs import inputs_for, read_feeds
from ._recording import Recording
from ._sides import is_path, model_source

Given = dict[str, typing.Any]


def is_runtime(side: typing.Any) -> bool:
    """True if a side is one of onnxcmp.runtimes, or has their method."""
    return callable(getattr(side, "record", None)) and hasattr(side, "model")


def isolated(side: typing.Any) -> str:
    """The command line's name of a runtime that has a process of its own; "": it is none."""
    return str(getattr(side, "isolated", "")) if is_runtime(side) else ""


def _runs_here(side: typing.Any) -> bool:
    return is_runtime(side) and not isolated(side)


def record_runtime(runtime: typing.Any, feeds: Given) -> Recording:
    return runtime.record(feeds or None)


def _same_model(left: typing.Any, right: typing.Any) -> bool:
    one, other = (getattr(side, "model", side) if is_runtime(side) else side
                  for side in (left, right))
    return one is other or (is_path(one) and is_path(other) and str(one) == str(other))


def _given_feeds(given: Given) -> Given | None:
    if any(given[key] is not None for key in ("left-inputs", "right-inputs")):
        raise TypeError("runtimes take `feeds`, the same for both sides")
    feeds = given["inputs"]
    if feeds is not None and not isinstance(feeds, typing.Mapping):
        raise TypeError(
            "runtimes take `feeds` as a dict of arrays by the inputs' names, a list of such dicts, "
            f"or a path, not {type(feeds).__name__}"
        )
    return None if feeds is None else dict(feeds)


def feeds_by_set(
    left: typing.Any, right: typing.Any, given: Given, line: list[str | bytes]
) -> list[tuple[str, Given]]:
    """What is given for each set of inputs, with the set's name. A runtime of this process runs on
    one set after the other; everything else takes all sets at once."""
    feeds = given["inputs"]
    if not _runs_here(left) and not _runs_here(right):
        return [("", given)]
    if is_path(feeds):
        return [(name, {**given, "inputs": one})
                for name, one in _feeds_in_file(left, right, feeds, line)]
    if isinstance(feeds, (list, tuple)) and feeds and all(
        isinstance(one, typing.Mapping) for one in feeds
    ):
        return [("" if len(feeds) == 1 else f"[{i}]", {**given, "inputs": one})
                for i, one in enumerate(feeds)]
    return [("", given)]


def _feeds_in_file(
    left: typing.Any, right: typing.Any, path: typing.Any, line: list[str | bytes]
) -> list[tuple[str, Given]]:
    """The sets of a file of inputs, by the names of the inputs of the model that has them."""
    models = [side.model if is_runtime(side) else side for side in (left, right)]
    models = [model for model in models if model is not None and not _is_values(model)]
    if not models:
        raise TypeError("feeds of a file need a model whose inputs they are")
    return read_feeds(models[0], path, each="--each" in line)


def _feeds_for(sides: typing.Sequence[typing.Any], line: list[str | bytes]) -> Given | None:
    """Inputs for runtimes that have none of their own, where nobody gave any."""
    if not any(is_runtime(side) for side in sides):
        return None
    if any(str(option).startswith("--sets=") and option != "--sets=1" for option in line):
        raise TypeError(
            "a runtime in this process takes made-up inputs once, not `sets`: give it several as "
            "feeds=[...], or a process of its own (isolated=True)"
        )
    for side in sides:
        if isinstance(side, Recording) and side.inputs:
            return side.inputs
    models = [side.model if is_runtime(side) else side for side in sides]
    models = [model for model in models if model is not None and not _is_values(model)]
    if not models:
        raise TypeError("feeds are needed: no side has a model whose inputs could be made up")
    return inputs_for(line, models[0], models[1] if len(models) > 1 else None)


def _is_values(side: typing.Any) -> bool:
    return isinstance(side, typing.Mapping)


def _refuse_unknown(feeds: Given, recordings: typing.Sequence[Recording]) -> None:
    """Adapters leave out what their models have no input for."""
    for name in feeds:
        if not any(name in one.inputs or len(one.inputs) >= len(feeds) for one in recordings):
            raise Error(f"no input takes {name} of the feeds")


def _outputs(side: typing.Any) -> int | None:
    """The number of a side's outputs; None: nobody knows."""
    if isinstance(side, Recording):
        return len(side.outputs) if side.described else None
    if _is_values(side):
        return None
    import onnx

    try:
        source = model_source(side, "model")
        if source[0] == "model":
            return len(onnx.ModelProto.FromString(source[2]).graph.output)
        return len(onnx.load(os.fsdecode(source[1]), load_external_data=False).graph.output)
    except Exception:  # no model, or one in a form that onnx does not read: the comparison tells
        return None


def _read(side: typing.Any) -> typing.Any:
    """The recording, where a path is one: a runtime is fed its inputs."""
    if not is_path(side) or os.fsdecode(side).endswith(".onnx"):
        return side
    try:
        Evaluator(side)
        return side
    except Error as error:
        try:
            return Recording.load(side)
        except Error:
            raise error from None


def run_sides(
    left: typing.Any, right: typing.Any, given: Given, line: list[str | bytes]
) -> tuple[typing.Any, typing.Any, Given]:
    """Runs what is a runtime. Gives both sides and the inputs; adds to the command line what
    follows from that."""
    for name, side in (("left", left), ("right", right)):
        if isolated(side):
            line.append(f"--{name}-runtime={isolated(side)}")
    if not _runs_here(left) and not _runs_here(right):
        left, right = (side.model if is_runtime(side) else side for side in (left, right))
        return left, right, given
    feeds = _given_feeds(given)
    left, right = _read(left), _read(right)
    own = [_runs_here(side) and getattr(side, "own_inputs", side.model is None)
           for side in (left, right)]
    # A side with inputs of its own runs first: the other one is fed these.
    sides = [side.record(feeds) if its else side for side, its in zip((left, right), own)]
    if feeds is None:
        feeds = _feeds_for(sides, line)
    recordings = []
    for i, side in enumerate(sides):
        if isolated(side):
            sides[i] = side.model
        elif is_runtime(side):
            sides[i] = side.record(feeds)
            recordings.append(sides[i])
    both = all(isinstance(side, typing.Mapping) for side in sides)
    if both and not any(own):
        _refuse_unknown(given["inputs"] or {}, recordings)
    if not any(own) and "--partial" not in line and not _same_model(left, right):
        # Results that one model computes in another way are on one side alone, outputs are not.
        counts = {_outputs(side) for side in sides} - {None}
        if len(counts) < 2:
            line.append("--partial")
    return sides[0], sides[1], {**given, "inputs": None if both or any(own) else feeds}


def in_processes(
    left: typing.Any, right: typing.Any, given: Given
) -> tuple[typing.Any, typing.Any, Given] | None:
    """The same sides with runtimes in processes of their own, where what fails is a result, with the
    node at which it does; None if one of them has none."""
    sides = []
    for side in (left, right):
        if _runs_here(side):
            side = side.in_a_process() if hasattr(side, "in_a_process") else None
        if side is None:
            return None
        sides.append(side)
    return sides[0], sides[1], given


def recorded_in_processes(
    left: typing.Any, right: typing.Any, recorded: typing.Sequence[typing.Any], given: Given
) -> tuple[typing.Any, typing.Any, Given] | None:
    """The same with runtimes in processes of their own and the inputs that they were fed here."""
    if not _runs_here(left) and not _runs_here(right):
        return None
    for side, recording in zip((left, right), recorded):
        if _runs_here(side):
            given = {**given, "inputs": recording.inputs}
    return in_processes(left, right, given)

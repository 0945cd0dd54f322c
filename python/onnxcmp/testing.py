"""Models in unit tests, with pytest, unittest or without either.

    def test_optimizer():
        onnxcmp.testing.assert_agree("model.onnx", optimize("model.onnx"))

With pytest the fixture `onnxcmp_agree` does the same and keeps the page and small models of the
causes of what fails, in the folder that --onnxcmp-artifacts names, or else in pytest's temporary
one. `@pytest.mark.onnxcmp_opset(17)` skips a test where onnx has no such opset.
"""

from __future__ import annotations

import os
import pathlib
import typing

from ._compare import Comparison, compare
from ._errors import Error

__all__ = ["assert_agree", "assert_equal_for_all_inputs"]


def _kept(comparison: Comparison, folder: pathlib.Path) -> list[str]:
    """Writes what tells more of a failure; says in lines what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "onnxcmp.html"
    comparison.save(page)
    lines = [f"page: {page}"]
    try:
        lines.extend(f"repro: {one}" for one in comparison.save_repro(folder / "repro"))
    except Error as error:
        lines.append(f"no repro: {error}")
    return lines


def assert_agree(
    left: typing.Any,
    right: typing.Any,
    feeds: typing.Any = None,
    *,
    artifacts: str | os.PathLike[str] | None = None,
    message: str = "",
    **options: typing.Any,
) -> Comparison:
    """Fails unless both sides agree on all inputs, as by `onnxcmp LEFT RIGHT` with exit status 0.

    The options are those of compare(). The failure is the table with the causes, as an
    AssertionError. Models without outputs, or none of whose outputs tells anything, fail, as do
    those that cannot run. `artifacts`: a folder for the page and small models of the causes.
    Returns the comparison.
    """
    __tracebackhide__ = True
    comparison = compare(left, right, feeds, **{"letters": False, **options})
    if comparison:
        return comparison
    first = f": {comparison.causes[0].line}" if comparison.causes else ""
    what = f"the models do not agree{first}"
    raise AssertionError(_failure(comparison, what, message, artifacts))


def assert_equal_for_all_inputs(
    left: typing.Any,
    right: typing.Any,
    feeds: typing.Any = None,
    *,
    conversions: bool = False,
    as_fed: typing.Collection[str] = (),
    guessed_inputs: bool = False,
    given_shapes: bool = False,
    large_masks: bool = False,
    rounded_jumps: bool = False,
    artifacts: str | os.PathLike[str] | None = None,
    message: str = "",
    **options: typing.Any,
) -> Comparison:
    """Fails unless both sides agree and are proved to be the same function of their inputs, as by
    `onnxcmp LEFT RIGHT --prove` (docs/proof.md).

    No tolerance hides a fault, and no rounding is one. What cannot be proved fails, too, although
    it may be right: the failure says where the proof ends. With `conversions` constants and results
    that a side has in fewer digits, as in float16 or in 8 bits, may count as the exact numbers that
    they were rounded from. A proof that rests on what it tells fails, too, unless that is accepted:
    inputs named in `as_fed`, which did not vary, with `guessed_inputs` a pairing of inputs that was
    guessed, with `given_shapes` shapes that depend on values, with `large_masks` masks of -10000
    and less, other ones on the two sides, as -infinity, with `rounded_jumps` functions that jump,
    as Floor, after other roundings on the two sides. The other arguments are those of
    assert_agree().
    """
    __tracebackhide__ = True
    comparison = assert_agree(
        left, right, feeds, artifacts=artifacts, message=message, **{**options, "prove": True}
    )
    for one in comparison.sets:
        proof = one.proof
        holds = proof is not None and (
            proof.proved or (conversions and proof.proved_with_exact_numbers)
        )
        if not holds or not all(sizes.proved for sizes in proof.other_sizes):
            what = "the models are not proved equal for all inputs"
            raise AssertionError(_failure(one, what, message, artifacts))
        rests_on = proof.rests_on
        told = [f"{name} as fed (as_fed)" for name in rests_on.inputs_as_fed if name not in as_fed]
        if rests_on.inputs_guessed and not guessed_inputs:
            told.append(f"{', '.join(rests_on.inputs_guessed)} (guessed_inputs)")
        if rests_on.shapes_as_on_these and not given_shapes:
            told.append("shapes that depend on values (given_shapes)")
        if rests_on.masks_as_infinity and not large_masks:
            told.append("-10000 and less as -infinity in Softmax (large_masks)")
        if rests_on.rounded_jumps and not rounded_jumps:
            told.append(f"roundings before {', '.join(rests_on.rounded_jumps)} (rounded_jumps)")
        if told:
            what = f"the proof rests on what is not accepted: {'; '.join(told)}"
            raise AssertionError(_failure(one, what, message, artifacts))
    return comparison


def _failure(
    comparison: Comparison,
    what: str,
    message: str,
    artifacts: str | os.PathLike[str] | None,
) -> str:
    lines = [message] if message else []
    lines.append(what)
    if len(comparison.sets) > 1:
        lines.append(f"on the inputs {comparison.set_name}")
    lines.append(comparison.table(width=100))
    if artifacts is not None:
        lines.extend(_kept(comparison, pathlib.Path(artifacts)))
    return "\n".join(lines)

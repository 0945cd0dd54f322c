"""The findings of a comparison, as objects with the members of its JSON (docs/formats.md)."""

from __future__ import annotations

import typing

import numpy as np

from ._frames import index, number
from ._members import Json, Record, integer, member, real
from ._words import all_in_python, in_python

class Compared(typing.Protocol):
    """The comparison that a part belongs to."""

    def values(self, side: str, results: typing.Iterable[int]) -> list[typing.Any]: ...
    def _lines(self, part: str) -> list[Json]: ...
    def _result(self, side: str, index: int) -> Result: ...


class Worst(Record):
    """A pair of elements that are far apart."""

    __slots__ = ()
    index: tuple[int, ...] | str = member(index)
    left: typing.Any = member(number)
    right: typing.Any = member(number)
    absolute: float = member(real)
    relative: float = member(real)


def _worst(items: list[Json]) -> tuple[Worst, ...]:
    return tuple(Worst(item) for item in items)


class Diff(Record):
    """How far two values are apart. What is None was not measured."""

    __slots__ = ()
    agree: bool = member()
    reason: str = member(absent="")
    elements: int = member(integer)
    beyond: int = member(integer)
    both_nan: int = member(integer)
    rtol: float = member(real)
    atol: float = member(real)
    whole: float = member(real)
    apart: float = member(real)
    fault: str = member(absent="")
    rms: float = member(real)
    cosine: float = member(real)
    max_absolute: float = member(real)
    max_absolute_at: tuple[int, ...] | str | None = member(index)
    max_relative: float = member(real)
    max_relative_at: tuple[int, ...] | str | None = member(index)
    same_bits: bool = member(absent=False)
    mean_absolute: float | None = member(real)
    mean_relative: float | None = member(real)
    sqnr_db: float | None = member(real)
    max_ulp: float | None = member(real)
    range: float | None = member(real)
    nan_left: int | None = member(integer)
    nan_right: int | None = member(integer)
    infinite_left: int | None = member(integer)
    infinite_right: int | None = member(integer)
    non_finite_disagree: int | None = member(integer)
    beyond_0_1: int | None = member(integer, name="beyond_0.1")
    beyond_0_01: int | None = member(integer, name="beyond_0.01")
    beyond_0_001: int | None = member(integer, name="beyond_0.001")
    worst: tuple[Worst, ...] = member(_worst, absent=())

    def _in_words(self) -> str:
        """How far, in a few words; to_dict() has all of it."""
        if self.reason:
            return self.reason
        if self.same_bits or not self.max_absolute:
            return "the same bits" if self.same_bits else "no difference"
        return (f"max abs {self.max_absolute:.2g}, max rel {self.max_relative or 0:.2g}, "
                f"{self.beyond or 0} of {self.elements or 0} beyond the tolerance")

    def __repr__(self) -> str:
        return f"<Diff {self._in_words()}>"


class Statistics(Record):
    """Of the elements of a result."""

    __slots__ = ()
    min: float = member(real)
    max: float = member(real)
    mean: float = member(real)
    deviation: float = member(real)
    zeros: int = member(integer)
    nans: int = member(integer)
    infinities: int = member(integer)


class _Part(Record):
    """A record that knows which comparison it is of."""

    __slots__ = ("_of",)

    def __init__(self, json: Json, of: Compared) -> None:
        super().__init__(json)
        self._of = of


class Result(_Part):
    """A result of a side: an initializer, an input, what a node gave, an output."""

    __slots__ = ("_side", "index")
    kind: str = member()
    name: str = member()
    op_type: str = member(absent="")
    domain: str = member(absent="")
    node: str = member(absent="")
    slot: int = member(integer, absent=0)
    module: str = member(absent="")
    source_line: str = member(absent="")
    attributes: str = member(absent="")
    inputs: tuple[int | None, ...] = member(tuple, absent=())
    captures: tuple[int | None, ...] = member(tuple, absent=())
    path: tuple[str, ...] = member(tuple, absent=())
    depth: int = member(absent=0)
    source: int | None = member()
    type: str = member(absent="")
    dtype: str = member(absent="")
    shape: tuple[int, ...] | None = member(lambda dims: tuple(int(d) for d in dims))
    elements: int = member(integer, absent=0)
    letters: str = member(absent="")
    statistics: Statistics | None = member(Statistics)

    def __init__(self, json: Json, of: Compared, side: str, index: int) -> None:
        super().__init__(json, of)
        self._side = side
        self.index = index

    @property
    def value(self) -> typing.Any:
        """The value: the side runs again for it. An array that cannot be written to."""
        return self._of.values(self._side, [self.index])[0]


class Side(_Part):
    """One of the two."""

    __slots__ = ("_name", "_results")
    source: str = member(absent="")
    error: str = member(in_python, absent="")
    ran_in: str = member(absent="")
    bytes: int = member(integer, absent=0)
    nodes: int = member(integer, absent=0)
    operators: int = member(integer, absent=0)
    initializers: int = member(integer, absent=0)
    opsets: dict[str, int] = member(absent={})
    notes: tuple[str, ...] = member(all_in_python, absent=())

    def __init__(self, json: Json, of: Compared, name: str) -> None:
        super().__init__(json, of)
        self._name = name
        self._results: tuple[Result, ...] | None = None

    @property
    def results(self) -> tuple[Result, ...]:
        """All results, in the order of their appearance."""
        if self._results is None:
            lines = self._of._lines(f"json_{self._name}")
            self._results = tuple(
                Result(line, self._of, self._name, i) for i, line in enumerate(lines)
            )
        return self._results

    def result(self, name: str) -> Result:
        """The last result of that name. Raises KeyError."""
        for one in reversed(self.results):
            if one.name == name and one.kind != "OUTPUT":
                return one
        raise KeyError(name)


class Row(_Part):
    """A row of the table: a pair, or a result of one side alone."""

    __slots__ = ()
    relation: str = member()
    left: tuple[int, ...] = member(tuple, absent=())
    right: tuple[int, ...] = member(tuple, absent=())
    marks: tuple[str, ...] = member(tuple, absent=())
    proved: bool | None = member()
    proved_given: bool = member(absent=False)
    differs_exactly: bool = member(absent=False)
    diff: Diff | None = member(Diff)

    def __repr__(self) -> str:
        names = [f"{r.op_type or r.kind.lower()} {r.name}" if r is not None else "-"
                 for r in (self.left_result, self.right_result)]
        apart = "" if self.diff is None else f": {self.diff._in_words()}"
        return f"<Row {self.relation} {names[0]} | {names[1]}{apart}>"

    @property
    def left_result(self) -> Result | None:
        """The left's result of the pair; None in `right_only`."""
        return self._of._result("left", self.left[-1]) if self.left else None

    @property
    def right_result(self) -> Result | None:
        """The right's result of the pair; None in `left_only`."""
        return self._of._result("right", self.right[-1]) if self.right else None

    @property
    def name(self) -> str:
        """The left's name of it, or else the right's."""
        result = self.left_result or self.right_result
        return result.name if result is not None else ""

    @property
    def left_value(self) -> typing.Any:
        """The left's value, for which the left runs again; None in `right_only`."""
        return None if self.left_result is None else self.left_result.value

    @property
    def right_value(self) -> typing.Any:
        """The right's value, for which the right runs again; None in `left_only`."""
        return None if self.right_result is None else self.right_result.value


class Cause(_Part):
    """A pair that goes apart by itself, and why."""

    __slots__ = ()
    left: int | None = member()
    right: int | None = member()
    kind: str = member()
    text: str = member(in_python)
    count: int = member(absent=1)
    left_name: str = member(absent="")
    left_op_type: str = member(absent="")
    left_node: str = member(absent="")
    right_name: str = member(absent="")
    right_op_type: str = member(absent="")
    right_node: str = member(absent="")
    in_body: Json | None = member()
    overflow: bool = member(absent=False)
    effect: float | None = member(real)
    verified: bool = member(absent=False)
    gain: float | None = member(real)
    certificate: str = member(absent="")
    diff: Diff | None = member(Diff)
    truth: Json | None = member()
    truth_text: str = member(absent="")
    attributes: tuple[Json, ...] = member(tuple, absent=())
    proof_text: str = member(absent="")
    differs_exactly: bool = member(absent=False)
    apart: float | None = member(real)
    repro: str = member(absent="")
    veto: str = member(absent="")
    why: str = member(absent="")

    def __repr__(self) -> str:
        return f"<Cause {self.line}>"

    @property
    def line(self) -> str:
        """The operator, the result and the text."""
        where = self.left_op_type or self.right_op_type or self.kind
        return f"{where} {self.left_name or self.right_name}: {self.text}"

    @property
    def is_wrong(self) -> bool:
        """True if it is a mistake, and not another way to compute the same."""
        return self.kind not in ("approximation", "quantization")


class Output(_Part):
    """A pair of outputs, or a recorded result that counts as one."""

    __slots__ = ()
    left: str = member()
    right: str = member()
    type: str = member(absent="")
    diff: Diff = member(Diff)
    tolerance: str = member(in_python, absent="")
    recorded: bool = member(absent=False)
    entry: bool = member(absent=False)
    ties: bool = member(absent=False)
    chosen_by: str = member(absent="")
    margin: Json | None = member()
    sqnr_with_ids: float | None = member(real)
    honest_noise: bool = member(absent=False)
    sqnr: float | None = member(real)
    reordered: bool = member(absent=False)
    nearer_in_double: bool = member(absent=False)
    moved_by_causes: float | None = member(real)

    def __repr__(self) -> str:
        return f"<Output {self.left} | {self.right}: {self.diff._in_words()}>"

    def _value(self, side: str, name: str) -> np.ndarray | typing.Any:
        lines = list(enumerate(self._of._lines(f"json_{side}")))
        for wanted in ("OUTPUT", ""):
            for index, line in reversed(lines):
                if line["name"] == name and wanted in ("", line["kind"]):
                    return self._of._result(side, index).value
        raise KeyError(name)

    @property
    def left_value(self) -> typing.Any:
        """The left's value, for which the left runs again."""
        return self._value("left", self.left)

    @property
    def right_value(self) -> typing.Any:
        """The right's value, for which the right runs again."""
        return self._value("right", self.right)


class Origin(Record):
    """Where numbers become NaN or infinite."""

    __slots__ = ()
    result: int = member()
    value: str = member()
    elements: int = member(integer)
    reason: str = member()
    index: tuple[int, ...] | str | None = member(index)
    text: str = member(absent="")
    made_from: tuple[Json, ...] = member(tuple, absent=())

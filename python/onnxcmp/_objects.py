"""The findings of a comparison, as objects with the members of its JSON (docs/formats.md)."""

from __future__ import annotations

import typing

import numpy as np

from ._frames import index, number
from ._words import all_in_python, in_python

Json = dict[str, typing.Any]


class Compared(typing.Protocol):
    """The comparison that a part belongs to."""

    def values(self, side: str, results: typing.Iterable[int]) -> list[typing.Any]: ...
    def _lines(self, part: str) -> list[Json]: ...
    def _result(self, side: str, index: int) -> Result: ...


def _real(value: typing.Any) -> float:
    return float(value)  # "NaN", "Infinity" and "-Infinity" too


def _whole(value: typing.Any) -> int:
    return int(value)  # beyond 2^53 a string of digits


class _Member:
    """A member of the JSON; one that is not there is `absent`."""

    def __init__(
        self,
        convert: typing.Callable[[typing.Any], typing.Any] | None = None,
        absent: typing.Any = None,
        name: str = "",
    ) -> None:
        self._convert = convert
        self._absent = absent
        self._name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = self._name or name

    def __get__(self, record: typing.Any, owner: type | None = None) -> typing.Any:
        if record is None:
            return self
        if self._name not in record._json or record._json[self._name] is None:
            return self._absent
        value = record._json[self._name]
        return value if self._convert is None else self._convert(value)


def _member(
    convert: typing.Callable[[typing.Any], typing.Any] | None = None,
    absent: typing.Any = None,
    name: str = "",
) -> typing.Any:
    return _Member(convert, absent, name)


class _Record:
    __slots__ = ("_json",)

    def __init__(self, json: Json) -> None:
        self._json = json

    def to_dict(self) -> Json:
        """The JSON."""
        return self._json

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._json == self._json

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> tuple[None, dict[str, typing.Any]]:
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        return None, {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        members = []
        for name in self._shown():
            value = getattr(self, name)
            if value is not None and value is not False and value not in ("", ()):
                members.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(members)})"

    @classmethod
    def _shown(cls) -> tuple[str, ...]:
        return tuple(name for name, value in vars(cls).items() if isinstance(value, _Member))


class Worst(_Record):
    """A pair of elements that are far apart."""

    __slots__ = ()
    index: tuple[int, ...] | str = _member(index)
    left: typing.Any = _member(number)
    right: typing.Any = _member(number)
    absolute: float = _member(_real)
    relative: float = _member(_real)


def _worst(items: list[Json]) -> tuple[Worst, ...]:
    return tuple(Worst(item) for item in items)


class Diff(_Record):
    """How far two values are apart. What is None was not measured."""

    __slots__ = ()
    agree: bool = _member()
    reason: str = _member(absent="")
    elements: int = _member(_whole)
    beyond: int = _member(_whole)
    both_nan: int = _member(_whole)
    rtol: float = _member(_real)
    atol: float = _member(_real)
    whole: float = _member(_real)
    apart: float = _member(_real)
    fault: str = _member(absent="")
    rms: float = _member(_real)
    cosine: float = _member(_real)
    max_absolute: float = _member(_real)
    max_absolute_at: tuple[int, ...] | str | None = _member(index)
    max_relative: float = _member(_real)
    max_relative_at: tuple[int, ...] | str | None = _member(index)
    same_bits: bool = _member(absent=False)
    mean_absolute: float | None = _member(_real)
    mean_relative: float | None = _member(_real)
    sqnr_db: float | None = _member(_real)
    max_ulp: float | None = _member(_real)
    range: float | None = _member(_real)
    nan_left: int | None = _member(_whole)
    nan_right: int | None = _member(_whole)
    infinite_left: int | None = _member(_whole)
    infinite_right: int | None = _member(_whole)
    non_finite_disagree: int | None = _member(_whole)
    beyond_0_1: int | None = _member(_whole, name="beyond_0.1")
    beyond_0_01: int | None = _member(_whole, name="beyond_0.01")
    beyond_0_001: int | None = _member(_whole, name="beyond_0.001")
    worst: tuple[Worst, ...] = _member(_worst, absent=())

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


class Statistics(_Record):
    """Of the elements of a result."""

    __slots__ = ()
    min: float = _member(_real)
    max: float = _member(_real)
    mean: float = _member(_real)
    deviation: float = _member(_real)
    zeros: int = _member(_whole)
    nans: int = _member(_whole)
    infinities: int = _member(_whole)


class _Part(_Record):
    """A record that knows which comparison it is of."""

    __slots__ = ("_of",)

    def __init__(self, json: Json, of: Compared) -> None:
        super().__init__(json)
        self._of = of


class Result(_Part):
    """A result of a side: an initializer, an input, what a node gave, an output."""

    __slots__ = ("_side", "index")
    kind: str = _member()
    name: str = _member()
    op_type: str = _member(absent="")
    domain: str = _member(absent="")
    node: str = _member(absent="")
    inputs: tuple[int | None, ...] = _member(tuple, absent=())
    captures: tuple[int | None, ...] = _member(tuple, absent=())
    path: tuple[str, ...] = _member(tuple, absent=())
    depth: int = _member(absent=0)
    source: int | None = _member()
    type: str = _member(absent="")
    dtype: str = _member(absent="")
    shape: tuple[int, ...] | None = _member(lambda dims: tuple(int(d) for d in dims))
    elements: int = _member(_whole, absent=0)
    letters: str = _member(absent="")
    statistics: Statistics | None = _member(Statistics)

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
    source: str = _member(absent="")
    error: str = _member(in_python, absent="")
    bytes: int = _member(_whole, absent=0)
    nodes: int = _member(_whole, absent=0)
    operators: int = _member(_whole, absent=0)
    initializers: int = _member(_whole, absent=0)
    opsets: dict[str, int] = _member(absent={})
    notes: tuple[str, ...] = _member(all_in_python, absent=())

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
    relation: str = _member()
    left: tuple[int, ...] = _member(tuple, absent=())
    right: tuple[int, ...] = _member(tuple, absent=())
    marks: tuple[str, ...] = _member(tuple, absent=())
    proved: bool | None = _member()
    proved_given: bool = _member(absent=False)
    differs_exactly: bool = _member(absent=False)
    diff: Diff | None = _member(Diff)

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
        return self._of._result("right", self.right[-1]) if self.right else None

    @property
    def name(self) -> str:
        """The left's name of it, or else the right's."""
        result = self.left_result or self.right_result
        return result.name if result is not None else ""

    @property
    def left_value(self) -> typing.Any:
        return None if self.left_result is None else self.left_result.value

    @property
    def right_value(self) -> typing.Any:
        return None if self.right_result is None else self.right_result.value


class Cause(_Part):
    """A pair that goes apart by itself, and why."""

    __slots__ = ()
    left: int | None = _member()
    right: int | None = _member()
    kind: str = _member()
    text: str = _member(in_python)
    count: int = _member(absent=1)
    left_name: str = _member(absent="")
    left_op_type: str = _member(absent="")
    left_node: str = _member(absent="")
    right_name: str = _member(absent="")
    right_op_type: str = _member(absent="")
    right_node: str = _member(absent="")
    in_body: Json | None = _member()
    effect: float | None = _member(_real)
    diff: Diff | None = _member(Diff)
    truth: Json | None = _member()
    truth_text: str = _member(absent="")
    proof_text: str = _member(absent="")
    differs_exactly: bool = _member(absent=False)
    apart: float | None = _member(_real)
    repro: str = _member(absent="")

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
    left: str = _member()
    right: str = _member()
    type: str = _member(absent="")
    diff: Diff = _member(Diff)
    tolerance: str = _member(in_python, absent="")
    recorded: bool = _member(absent=False)
    entry: bool = _member(absent=False)
    ties: bool = _member(absent=False)
    chosen_by: str = _member(absent="")
    sqnr_with_ids: float | None = _member(_real)
    honest_noise: bool = _member(absent=False)
    sqnr: float | None = _member(_real)
    reordered: bool = _member(absent=False)
    moved_by_causes: float | None = _member(_real)

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
        return self._value("left", self.left)

    @property
    def right_value(self) -> typing.Any:
        return self._value("right", self.right)


class Origin(_Record):
    """Where numbers become NaN or infinite."""

    __slots__ = ()
    result: int = _member()
    value: str = _member()
    elements: int = _member(_whole)
    reason: str = _member()
    index: tuple[int, ...] | str | None = _member(index)
    text: str = _member(absent="")
    made_from: tuple[Json, ...] = _member(tuple, absent=())


class Rewrite(_Record):
    """Nodes that the two sides compute in different ways."""

    __slots__ = ()
    what: str = _member()
    places: int = _member(_whole)
    finding: str = _member()


class NotProved(_Record):
    """A pair at which the two part: what is before it is equal."""

    __slots__ = ()
    left: str = _member()
    right: str = _member()
    differs_exactly: bool = _member()
    why: str = _member(absent="")


class ProvedOutput(_Record):
    __slots__ = ()
    left: str = _member()
    right: str = _member()
    proved: bool = _member()


class FoldedConstant(_Record):
    """A constant of one side that the other computes."""

    __slots__ = ()
    left: str = _member()
    right: str = _member()
    ulp: int = _member(_whole)


class ConvertedConstant(_Record):
    """A constant that one side has in fewer digits: each element is the nearest number."""

    __slots__ = ()
    constant: str = _member()
    type: str = _member()
    elements: int = _member(_whole)
    zeros: int = _member(_whole)
    out_of_range: int = _member(_whole)


class RoundedResults(_Record):
    """Results that one side rounds to the codes of a type."""

    __slots__ = ()
    type: str = _member()
    count: int = _member(_whole)
    nodes: tuple[str, ...] = _member(tuple, absent=())


class Conversions(_Record):
    """Constants and results that `side` has in fewer digits than the other."""

    __slots__ = ()
    side: str = _member()
    constants: tuple[ConvertedConstant, ...] = _member(
        lambda items: tuple(ConvertedConstant(item) for item in items), absent=()
    )
    results: tuple[RoundedResults, ...] = _member(
        lambda items: tuple(RoundedResults(item) for item in items), absent=()
    )
    outputs: tuple[str, ...] = _member(tuple, absent=())


class RestsOn(_Record):
    """The conditions of a proof."""

    __slots__ = ()
    inputs_as_fed: tuple[str, ...] = _member(tuple, absent=())
    inputs_guessed: tuple[str, ...] = _member(tuple, absent=())
    shapes_as_on_these: bool = _member(absent=False)
    masks_as_infinity: bool = _member(absent=False)
    rounded_jumps: tuple[str, ...] = _member(tuple, absent=())
    constants: tuple[str, ...] = _member(tuple, absent=())
    folded_constants: tuple[FoldedConstant, ...] = _member(
        lambda items: tuple(FoldedConstant(item) for item in items), absent=()
    )
    conversions: Conversions | None = _member(Conversions)


class OtherSizes(_Record):
    """The finding at other sizes of free dimensions."""

    __slots__ = ()
    sizes: str = _member()
    proved: bool = _member()
    why: str = _member(absent="")


class ProofEnd(_Record):
    """A node behind which nothing is known, or an unknown function."""

    __slots__ = ()
    side: str = _member()
    node: str = _member()
    op_type: str = _member()
    why: str = _member(absent="")


def _ends(items: list[Json]) -> tuple[ProofEnd, ...]:
    return tuple(ProofEnd(item) for item in items)


class Proof(_Record):
    """The proof that both sides are the same for all inputs (docs/proof.md). True if proved."""

    __slots__ = ()
    proved: bool = _member()
    proved_with_exact_numbers: bool = _member(absent=False)
    runs: int = _member(_whole, absent=0)
    chance_of_error: float | None = _member()
    text: tuple[str, ...] = _member(tuple, absent=())
    not_possible: str = _member(absent="")
    pairs: int = _member(_whole, absent=0)
    proved_pairs: int = _member(_whole, absent=0)
    outputs: tuple[ProvedOutput, ...] = _member(
        lambda items: tuple(ProvedOutput(item) for item in items), absent=()
    )
    rests_on: RestsOn | None = _member(RestsOn)
    other_sizes: tuple[OtherSizes, ...] = _member(
        lambda items: tuple(OtherSizes(item) for item in items), absent=()
    )
    not_proved: tuple[NotProved, ...] = _member(
        lambda items: tuple(NotProved(item) for item in items), absent=()
    )
    ends: tuple[ProofEnd, ...] = _member(_ends, absent=())
    unknown_functions: tuple[ProofEnd, ...] = _member(_ends, absent=())
    rewrites: tuple[Rewrite, ...] = _member(
        lambda items: tuple(Rewrite(item) for item in items), absent=()
    )

    def __bool__(self) -> bool:
        return self.proved

    def __repr__(self) -> str:
        return f"<Proof {self.text[0] if self.text else self.proved}>"

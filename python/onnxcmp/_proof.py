"""What a proof found, as objects with the members of its JSON (docs/proof.md)."""

from __future__ import annotations

import typing

from ._members import Json, Record, integer, member


class Rewrite(Record):
    """Nodes that the two sides compute in different ways."""

    __slots__ = ()
    what: str = member()
    places: int = member(integer)
    finding: str = member()


class NotProved(Record):
    """A pair at which the two part: what is before it is equal."""

    __slots__ = ()
    left: str = member()
    right: str = member()
    differs_exactly: bool = member()
    why: str = member(absent="")


class ProvedOutput(Record):
    __slots__ = ()
    left: str = member()
    right: str = member()
    proved: bool = member()


class FoldedConstant(Record):
    """A constant of one side that the other computes."""

    __slots__ = ()
    left: str = member()
    right: str = member()
    ulp: int = member(integer)


class ConvertedConstant(Record):
    """A constant that one side has in fewer digits: each element is the nearest number."""

    __slots__ = ()
    constant: str = member()
    type: str = member()
    elements: int = member(integer)
    zeros: int = member(integer)
    out_of_range: int = member(integer)


class RoundedResults(Record):
    """Results that one side rounds to the codes of a type."""

    __slots__ = ()
    type: str = member()
    count: int = member(integer)
    nodes: tuple[str, ...] = member(tuple, absent=())


class Conversions(Record):
    """Constants and results that `side` has in fewer digits than the other."""

    __slots__ = ()
    side: str = member()
    constants: tuple[ConvertedConstant, ...] = member(
        lambda items: tuple(ConvertedConstant(item) for item in items), absent=()
    )
    results: tuple[RoundedResults, ...] = member(
        lambda items: tuple(RoundedResults(item) for item in items), absent=()
    )
    outputs: tuple[str, ...] = member(tuple, absent=())


class RestsOn(Record):
    """The conditions of a proof."""

    __slots__ = ()
    inputs_as_fed: tuple[str, ...] = member(tuple, absent=())
    inputs_guessed: tuple[str, ...] = member(tuple, absent=())
    shapes_as_on_these: bool = member(absent=False)
    masks_as_infinity: bool = member(absent=False)
    rounded_jumps: tuple[str, ...] = member(tuple, absent=())
    constants: tuple[str, ...] = member(tuple, absent=())
    folded_constants: tuple[FoldedConstant, ...] = member(
        lambda items: tuple(FoldedConstant(item) for item in items), absent=()
    )
    conversions: Conversions | None = member(Conversions)


class OtherSizes(Record):
    """The finding at other sizes of free dimensions."""

    __slots__ = ()
    sizes: str = member()
    proved: bool = member()
    why: str = member(absent="")


class ProofEnd(Record):
    """A node behind which nothing is known, or an unknown function."""

    __slots__ = ()
    side: str = member()
    node: str = member()
    op_type: str = member()
    why: str = member(absent="")


def _ends(items: list[Json]) -> tuple[ProofEnd, ...]:
    return tuple(ProofEnd(item) for item in items)


class Proof(Record):
    """The proof that both sides are the same for all inputs (docs/proof.md). True if proved."""

    __slots__ = ()
    proved: bool = member()
    proved_with_exact_numbers: bool = member(absent=False)
    runs: int = member(integer, absent=0)
    chance_of_error: float | None = member()
    text: tuple[str, ...] = member(tuple, absent=())
    not_possible: str = member(absent="")
    pairs: int = member(integer, absent=0)
    proved_pairs: int = member(integer, absent=0)
    outputs: tuple[ProvedOutput, ...] = member(
        lambda items: tuple(ProvedOutput(item) for item in items), absent=()
    )
    rests_on: RestsOn | None = member(RestsOn)
    other_sizes: tuple[OtherSizes, ...] = member(
        lambda items: tuple(OtherSizes(item) for item in items), absent=()
    )
    not_proved: tuple[NotProved, ...] = member(
        lambda items: tuple(NotProved(item) for item in items), absent=()
    )
    ends: tuple[ProofEnd, ...] = member(_ends, absent=())
    unknown_functions: tuple[ProofEnd, ...] = member(_ends, absent=())
    rewrites: tuple[Rewrite, ...] = member(
        lambda items: tuple(Rewrite(item) for item in items), absent=()
    )

    def __bool__(self) -> bool:
        return self.proved

    def __repr__(self) -> str:
        return f"<Proof {self.text[0] if self.text else self.proved}>"

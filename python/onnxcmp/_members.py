"""Records of the JSON as objects with its members as attributes."""

from __future__ import annotations

import typing

Json = dict[str, typing.Any]


def real(value: typing.Any) -> float:
    return float(value)  # "NaN", "Infinity" and "-Infinity" too


def integer(value: typing.Any) -> int:
    return int(value)  # beyond 2^53 a string of digits


class Member:
    """A member of the JSON; one that is not there is `absent`."""

    def __init__(
        self,
        convert: typing.Callable[[typing.Any], typing.Any] | None = None,
        absent: typing.Any = None,
        name: str = "",
    ) -> None:
        self._convert = convert
        self._absent = absent
        self.name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def __get__(self, record: typing.Any, owner: type | None = None) -> typing.Any:
        if record is None:
            return self
        if self.name not in record._json or record._json[self.name] is None:
            return self._absent
        value = record._json[self.name]
        return value if self._convert is None else self._convert(value)


def member(
    convert: typing.Callable[[typing.Any], typing.Any] | None = None,
    absent: typing.Any = None,
    name: str = "",
) -> typing.Any:
    return Member(convert, absent, name)


class Record:
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
        return tuple(name for name, value in vars(cls).items() if isinstance(value, Member))

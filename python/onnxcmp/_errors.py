"""The exception of this package."""

from __future__ import annotations

import re

from ._words import in_error


class Error(Exception):
    """An error, in the words of this package's arguments.

    message:  the same as str(error)
    code:     of which kind, as absl::StatusCode names it: "INVALID_ARGUMENT", "UNIMPLEMENTED",
              "RESOURCE_EXHAUSTED", "NOT_FOUND", "CANCELLED", ...
    side:     "left" or "right", if it is of one side of a comparison
    node, operator, path: where a run failed: the node's name, its operator, and the calls and
              subgraphs around it; None if it is of no node
    """

    message: str
    code: str
    side: str | None
    node: str | None
    operator: str | None
    path: str | None

    def __init__(
        self,
        message: str,
        code: str = "INVALID_ARGUMENT",
        node: str | None = None,
        operator: str | None = None,
        path: str | None = None,
    ) -> None:
        message = in_error(message)
        super().__init__(message)
        self.message = message
        self.code = code
        of_side = re.match(r"(left|right): ", message)
        self.side = of_side.group(1) if of_side else None
        self.node = node
        self.operator = operator
        self.path = path

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.message, self.code, self.node, self.operator, self.path)


class FileMissing(Error, FileNotFoundError):
    """There is no file of that name."""

    def __init__(self, message: str, code: str = "NOT_FOUND", *where: str | None) -> None:
        super().__init__(message, code, *where)

    def __str__(self) -> str:
        return self.message


class RuntimeFailure(Error):
    """A runtime of this process that does not load or run a model."""

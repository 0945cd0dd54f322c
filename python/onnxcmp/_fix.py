"""fix(): a model without the causes of its difference from another one."""

from __future__ import annotations

import os
import pathlib
import tempfile
import typing

from ._chain import loaded
from ._command import Command
from ._members import Json, Record, integer, member, real
from ._shown import Text
from ._sides import is_path

_Path = str | os.PathLike[str]


class Edit(Record):
    """An edit that was kept: its lines, the cause that it takes away, and the distance of the
    outputs before it and after it."""

    __slots__ = ()
    lines: tuple[str, ...] = member(tuple, absent=())
    cause: str = member(absent="")
    before: float = member(real)
    after: float = member(real)

    def __repr__(self) -> str:
        return f"<Edit {'; '.join(self.lines)}>"


class Fix(Record):
    """What came of mending a model (docs/fix.md). True if its outputs agree and nothing speaks
    against it; str() is the text of the command line.

    path:    the mended model, which goes with this object unless it was named; None without edits
    script:  a program that applies the edits with Python's onnx alone
    """

    __slots__ = ("path", "script", "_text", "_keeper")
    side: str = member()
    edits: tuple[Edit, ...] = member(lambda items: tuple(map(Edit, items)), absent=())
    agrees: bool = member(absent=False)
    verified: bool = member(absent=False)
    tried: int = member(integer, absent=0)
    certificates: tuple[str, ...] = member(tuple, absent=())
    checks: tuple[str, ...] = member(tuple, absent=())
    notes: tuple[str, ...] = member(tuple, absent=())

    def __init__(
        self, json: Json, text: str, path: pathlib.Path | None, script: str, keeper: object
    ) -> None:
        super().__init__(json)
        self.path = path
        self.script = Text(script)
        self._text = Text(text)
        self._keeper = keeper  # a temporary folder goes with it

    @property
    def model(self) -> typing.Any:
        """An onnx.ModelProto, or bytes where onnx is not installed; None without edits."""
        return None if self.path is None else loaded(str(self.path))

    def __bool__(self) -> bool:
        return self.agrees and self.verified

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        lines = "; ".join(line for edit in self.edits for line in edit.lines)
        return f"<onnxcmp.Fix {'verified' if self else 'not verified'}: {lines or 'no edit'}>"


def fix(
    left: typing.Any,
    right: typing.Any = None,
    *,
    against: typing.Any = None,
    feeds: typing.Any = None,
    out: _Path | None = None,
    **options: typing.Any,
) -> Fix:
    """Mends the right model by edits until its outputs agree with the left's (fix_left=True: the
    left by the right's). With `against`, a runtime by its name on the command line or one of
    onnxcmp.runtimes, `left` is written so that this computes it right. `out` names the file of the
    mended model. Options are those of the command line: search, sets, rtol, atol, ...
    """
    keeper = tempfile.TemporaryDirectory(prefix="onnxcmp-") if out is None else None
    path = pathlib.Path(keeper.name) / "fixed.onnx" if keeper else pathlib.Path(
        typing.cast(_Path, out)
    )
    with Command("") as command:
        report, script = command.folder / "fix.json", command.folder / "fix.py"
        line: list[str | bytes] = [command.file_of(left, "left"), *command.inputs(feeds),
                                   f"--fix={path}", f"--fix-script={script}", f"--json={report}"]
        if right is not None:
            line.insert(1, command.file_of(right, "right"))
        if against is not None:
            line.append(f"--against={against if is_path(against) else against.command_line}")
        before = path.stat().st_mtime_ns if path.exists() else None
        text = command.run(line, options, needs=report).text
        json = command.json(report)["fix"]
        written = path.exists() and path.stat().st_mtime_ns != before
        told = text[text.index("\nfix "):].lstrip() if "\nfix " in text else text
        program = script.read_text("utf-8") if script.exists() else ""
        return Fix(json, told, path if written else None, program, keeper)

"""reduce(), extract() and cut(): small models that show what a large one does."""

from __future__ import annotations

import inspect
import os
import pathlib
import tempfile
import traceback
import typing

from ._chain import loaded
from ._command import Command
from ._inputs import read_feeds
from ._recording import Recording
from ._shown import Text
from ._sides import is_path

_Path = str | os.PathLike[str]


class Part:
    """A model in a folder as ONNX's backend tests have it, with the inputs that it is fed.

    folder:  the folder, which goes with this object unless it was named
    text:    the report of the command line
    nodes:   the number of nodes of the main graph
    """

    def __init__(self, folder: pathlib.Path, file: str, text: str, keeper: object) -> None:
        self.folder = folder
        self.path = folder / file
        self.text = Text(text)
        self._keeper = keeper  # a temporary folder goes with it

    @property
    def model(self) -> typing.Any:
        """An onnx.ModelProto, or bytes where onnx is not installed."""
        return loaded(str(self.path))

    @property
    def inputs(self) -> dict[str, typing.Any]:
        """The values of the part's inputs in a run of the whole model."""
        data = self.folder / "test_data_set_0"
        return read_feeds(self.path, data if data.is_dir() else self.folder, False)[0][1]

    @property
    def nodes(self) -> int:
        """The number of nodes of the main graph."""
        return len(self.model.graph.node)

    @property
    def report(self) -> str:
        """The text for a bug report."""
        file = self.folder / "report.md"
        return Text(file.read_text("utf-8") if file.exists() else self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<onnxcmp.Part {self.path.name}: {self.text.splitlines()[0] if self.text else ''}>"


class PartPair:
    """The smallest parts of two models that still differ. left, right: a Part each."""

    def __init__(self, folder: pathlib.Path, text: str, keeper: object) -> None:
        self.folder = folder
        self.text = Text(text)
        self.left = Part(folder, "left.onnx", text, keeper)
        self.right = Part(folder, "right.onnx", text, keeper)

    @property
    def inputs(self) -> dict[str, typing.Any]:
        """The values that both parts are run on."""
        return self.left.inputs

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<onnxcmp.PartPair {self.text.splitlines()[0] if self.text else ''}>"


class _Output:
    """The folder of a result: one that is named, or a temporary one."""

    def __init__(self, out: _Path | None) -> None:
        self.keeper = tempfile.TemporaryDirectory(prefix="onnxcmp-") if out is None else None
        self.folder = pathlib.Path(self.keeper.name) / "part" if self.keeper else pathlib.Path(
            typing.cast(_Path, out)
        )

    def text(self, printed: str) -> str:
        hidden = f"{self.folder.parent}{os.sep}" if self.keeper else ""
        return printed.replace(hidden, "") if hidden else printed


def _checker(check: typing.Callable[..., typing.Any]) -> typing.Callable[[list[str]], tuple[int, str]]:
    """A failure is a false answer or an exception, of the same kind as on the whole model."""
    kinds: dict[str, int] = {"": 1}
    takes_inputs = _takes_two(check)

    def answer(arguments: list[str]) -> tuple[int, str]:
        model, inputs = arguments
        try:
            given = (loaded(model), *([Recording.load(inputs)] if takes_inputs else []))
            return (0, "") if check(*given) else (1, "the answer is false\n")
        except Exception as error:
            kind = f"{type(error).__module__}.{type(error).__qualname__}"
            # Statuses above 125 have a meaning for the shell.
            return kinds.setdefault(kind, min(1 + len(kinds), 125)), traceback.format_exc()

    return answer


def _name_function(folder: pathlib.Path, called: str, name: str) -> None:
    """Nobody can call a function by the command line that stood for it here."""
    (folder / "check.sh").unlink(missing_ok=True)
    report = folder / "report.md"
    text = report.read_text("utf-8")
    text = text.replace("Command (`check.sh` runs it):", "A function of Python fails:")
    report.write_text(text.replace(called, f"{name}(model)"), "utf-8")


def _takes_two(function: typing.Callable[..., typing.Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function without a signature
        return False
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in places if p.default is p.empty]
    return len(required) == 2 or (len(places) == 2 and places[1].name in ("inputs", "feeds"))


def reduce(
    model: typing.Any,
    other: typing.Any = None,
    *,
    check: typing.Callable[..., typing.Any] | str | None = None,
    against: typing.Any = None,
    feeds: typing.Any = None,
    out: _Path | None = None,
    **options: typing.Any,
) -> typing.Any:
    """Finds the smallest model that still fails (docs/reduce.md): a Part, or of two models a
    PartPair.

    It fails if `check` does: check(model), or check(model, inputs), is false or raises what it
    raises on the whole model; a text is a command for the shell. Or `against`, a runtime by its
    name on the command line or one of onnxcmp.runtimes, dies, refuses it or gives other outputs. Or
    `other` differs. `out` names the folder of the result. Options are those of the command line:
    match, timeout, jobs, rtol, atol, fail_on, seed, dim, ... Raises Error if the model does not
    fail.
    """
    with Command("reduce") as command:
        output = _Output(out)
        line: list[str | bytes] = [command.file_of(model, "model"), *command.inputs(feeds),
                                   f"--output={output.folder}"]
        if other is not None:
            line.insert(1, command.file_of(other, "other"))
        if isinstance(check, str):
            line.append(f"--check={check}")
        elif check is not None:
            called = command.function(_checker(check), "{model}", "{inputs}")
            line.append(f"--check={called}")
        if against is not None:
            line.append(f"--against={against if is_path(against) else against.command_line}")
        text = output.text(command.run(line, options).text)
        if callable(check):
            _name_function(output.folder, called, getattr(check, "__name__", "check"))
        if other is not None:
            return PartPair(output.folder, text, output.keeper)
        return Part(output.folder, "model.onnx", text, output.keeper)


def _names(names: str | typing.Iterable[str]) -> str:
    return names if isinstance(names, str) else ",".join(names)


def extract(
    model: typing.Any,
    *,
    from_: str | typing.Iterable[str] = (),
    to: str | typing.Iterable[str] = (),
    feeds: typing.Any = None,
    constants: bool = False,
    as_function: bool = False,
    out: _Path | None = None,
    **options: typing.Any,
) -> Part:
    """Cuts out the nodes that compute the results `to` from the results `from_`, as a model of
    their own with its inputs and outputs in a run of the whole one (docs/reduce.md)."""
    with Command("extract") as command:
        output = _Output(out)
        line = [command.file_of(model, "model"), *command.inputs(feeds),
                f"--output={output.folder}"]
        for option, names in (("from", _names(from_)), ("to", _names(to))):
            line.extend([f"--{option}={names}"] if names else [])
        line.extend(["--constants"] if constants else [])
        line.extend(["--as-function"] if as_function else [])
        text = output.text(command.run(line, options).text)
        return Part(output.folder, "model.onnx", text, output.keeper)


def cut(
    left: typing.Any,
    right: typing.Any,
    at: str | int,
    *,
    feeds: typing.Any = None,
    out: _Path | None = None,
    **options: typing.Any,
) -> tuple[PartPair, PartPair]:
    """Cuts both models at a row of their comparison, by its number or a result's name: what comes
    before it, and what comes after it, fed with the left's value on both sides."""
    with Command("cut") as command:
        output = _Output(out)
        line = [command.file_of(left, "left"), command.file_of(right, "right"),
                *command.inputs(feeds), f"--at={at}", f"--output={output.folder}"]
        text = output.text(command.run(line, options).text)
        before, after = (PartPair(output.folder / half, text, output.keeper)
                         for half in ("before", "after"))
        return before, after

"""chain() and bisect(): which of several models is the first that differs."""

from __future__ import annotations

import collections.abc
import pathlib
import traceback
import typing

from ._command import Command
from ._errors import Error
from ._members import Json, Record, integer, member, real
from ._shown import Printed, Shown
from ._sides import is_path, model_source, write_model

if typing.TYPE_CHECKING:
    import pandas


class AgainstFirst(Record):
    """The first model beside the second one of a step."""

    __slots__ = ()
    verdict: str = member()
    exit_status: int = member(integer)
    text: str | tuple[str, ...] = member()


class Step(Record):
    """Two models of a chain, one after the other. True if they agree."""

    __slots__ = ()
    from_: str = member(name="from")
    to: str = member()
    sets: int = member(integer)
    set: str = member(absent="")
    verdict: str = member()
    exit_status: int = member(integer)
    text: tuple[str, ...] | str = member()
    changes: tuple[str, ...] | str = member()
    counts: Json | None = member()
    causes: tuple[str, ...] = member(tuple, absent=())
    against_first: AgainstFirst | None = member(AgainstFirst)
    proof: Json | None = member()

    def __bool__(self) -> bool:
        return self.exit_status == 0

    def __repr__(self) -> str:
        return f"<Step {self.from_} → {self.to}: {self.verdict}>"


def _step(json: Json | None) -> Step | None:
    return None if json is None else Step(json)


class Chain(Record, Shown):
    """Models compared one after the other. True if all agree; str() is the command line's text, and
    a notebook shows the page."""

    __slots__ = ("_printed", "_page")
    models: tuple[str, ...] = member(tuple, absent=())
    steps: tuple[Step, ...] = member(lambda items: tuple(map(Step, items)), absent=())
    ends: Step | None = member(_step)
    broken_by: int | None = member(integer)
    adds_up_at: int | None = member(integer)
    optimizers: tuple[str, ...] = member(tuple, absent=())
    verdict: str = member()
    exit_status: int = member(integer)

    def __init__(self, json: Json, text: str, page: str) -> None:
        super().__init__(json)
        self._printed = text
        self._page = page

    def __bool__(self) -> bool:
        return self.exit_status == 0

    @property
    def broken_step(self) -> Step | None:
        """The first step that fails."""
        return None if self.broken_by is None else self.steps[self.broken_by]

    def html(self) -> str:
        """The page of all steps."""
        return self._page

    def to_dataframe(self) -> pandas.DataFrame:
        """A line for each step."""
        import pandas

        columns = ("from", "to", "verdict", "text", "changes")
        return pandas.DataFrame(
            [{**{name: _joined(step.to_dict().get(name)) for name in columns},
              "causes": "; ".join(step.causes)} for step in self.steps]
        )

    def __repr__(self) -> str:
        broken = "" if self.broken_step is None else f", broken by {self.broken_step!r}"
        return f"<onnxcmp.Chain of {len(self.models)} models: {self.verdict}{broken}>"


def _joined(value: typing.Any) -> typing.Any:
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _named(models: tuple[typing.Any, ...]) -> list[tuple[str, typing.Any]]:
    """Models with names: arguments, one list of them, or one dict."""
    if len(models) == 1 and isinstance(models[0], dict):
        return [(str(name), model) for name, model in models[0].items()]
    if len(models) == 1 and isinstance(models[0], collections.abc.Iterable) and not is_path(
        models[0]
    ) and not isinstance(models[0], (bytes, bytearray)):
        models = tuple(models[0])
    width = len(str(len(models) - 1))
    return [(f"model_{i:0{width}}", model) for i, model in enumerate(models)]


def files_of(command: Command, models: tuple[typing.Any, ...]) -> list[str]:
    """The paths of a chain's models."""
    named = _named(models)
    for name, _ in named:
        if "/" in name or name in ("", ".", ".."):
            raise ValueError(f"{name!r} is no name of a file")
    return [command.file_of(model, name) for name, model in named]


def chain(*models: typing.Any, feeds: typing.Any = None, **options: typing.Any) -> Chain:
    """Compares each model with the next one, and the first with all (docs/which_pass.md).

    The models are arguments, a list, or a dict by their names; each is a path, a model, a dict of
    arrays or a Recording. One path may be a folder of them. `feeds` and `options` are those of
    compare(); besides prove, levels and disable. Raises Error where the command line prints one; a
    model that cannot run is no error but the verdict "failed".
    """
    with Command("chain") as command:
        report, page = command.folder / "report.json", command.folder / "report.html"
        line = [*files_of(command, models), *command.inputs(feeds), f"--json={report}",
                f"--html={page}"]
        finished = command.run(line, options, needs=report)
        return Chain(command.json(report), finished.text,
                     command.without_folder(page.read_text("utf-8", "replace")))


class Trial(Record):
    """An answer about a candidate: "good", "bad" or "skip", and why."""

    __slots__ = ()
    candidate: int = member(integer)
    name: str = member()
    answer: str = member()
    text: str = member(absent="")
    judged: bool = member(absent=False)
    seconds: float | None = member(real)

    def __repr__(self) -> str:
        return f"<Trial {self.name}: {self.answer}, {self.text}>"


class Bisection(Record, Printed):
    """The search for the first bad candidate. True if none is bad; candidates are named by their
    numbers, from 0."""

    __slots__ = ("_printed", "_given")
    candidates: tuple[str, ...] = member(tuple, absent=())
    first_bad: int | None = member(integer)
    last_good: int | None = member(integer)
    suspects: tuple[int, ...] = member(tuple, absent=())
    monotonic: bool = member(absent=True)
    good_again: tuple[int, ...] = member(tuple, absent=())
    judged: int = member(integer, absent=0)
    most_judged: int = member(integer, absent=0)
    log: tuple[Trial, ...] = member(lambda items: tuple(map(Trial, items)), absent=())
    step: Step | None = member(_step)
    against_reference: Step | None = member(_step)
    notes: tuple[str, ...] = member(tuple, absent=())
    exit_status: int = member(integer)

    def __init__(self, json: Json, text: str, given: list[typing.Any]) -> None:
        super().__init__(json)
        self._printed = text
        self._given = given

    def __bool__(self) -> bool:
        return self.exit_status == 0

    @property
    def first_bad_value(self) -> typing.Any:
        """The first bad candidate as it was given: a value of make(), or a model."""
        return None if self.first_bad is None or not self._given else self._given[self.first_bad]

    def __repr__(self) -> str:
        found = "none is bad" if self else "not found"
        if self.first_bad is not None:
            found = f"the first bad one is {self.candidates[self.first_bad]}"
        return f"<onnxcmp.Bisection of {len(self.candidates)} candidates: {found}>"


def _values(candidates: typing.Iterable[typing.Any]) -> dict[str, typing.Any]:
    """Candidates by their texts, which a file lists a line each."""
    listed = list(candidates)
    values = {" ".join(str(value).split()): value for value in listed}
    if len(values) == len(listed) and all(text and text[0] != "#" for text in values):
        return values
    return {f"candidate {i}": value for i, value in enumerate(listed)}


def bisect(
    candidates: typing.Iterable[typing.Any] | typing.Mapping[str, typing.Any],
    *,
    make: typing.Callable[[typing.Any], typing.Any] | None = None,
    check: typing.Callable[[typing.Any], bool | None] | str | None = None,
    reference: typing.Any = None,
    every: bool = False,
    feeds: typing.Any = None,
    **options: typing.Any,
) -> Bisection:
    """Finds the first bad candidate by as few comparisons as show it (docs/which_pass.md).

    Candidates are models, by names if they are a dict, or with `make` any values: make(value) gives
    the model, or None where there is none, which skips the value; so does an exception. Good is one
    that agrees with the `reference`, or with the first candidate. With `check` good is a model of
    which check(model) is true; None skips it, and an exception says that it is bad. A text is a
    command for the shell. `feeds` and other options are those of compare().
    """
    with Command("bisect") as command:
        report = command.folder / "report.json"
        line: list[str | bytes] = [f"--dir={command.folder / 'candidates'}", f"--json={report}",
                                   *command.inputs(feeds)]
        given: list[typing.Any]
        maker: _Maker | None = None
        if make is not None:
            values = _values(candidates)
            # The first candidate is the reference, where there is none.
            given = list(values.values())
            names = command.folder / "values.txt"
            names.write_text("\n".join(values) + "\n", "utf-8")
            line.append(f"--candidates={names}")
            maker = _Maker(make, values)
            line.append(f"--command={command.function(maker, '{}', '{out}')}")
        else:
            models = (candidates,) if isinstance(candidates, dict) else tuple(candidates)
            given = [model for _, model in _named(models)]
            line.extend(files_of(command, models))
        if isinstance(check, str):
            line.append(f"--check={check}")
        elif check is not None:
            line.append(f"--check={command.function(_checker(check), '{model}')}")
        if reference is not None:
            line.append(f"--reference={command.file_of(reference, 'reference')}")
        if every:
            line.append("--every")
        try:
            finished = command.run(line, options, needs=report)
        except Error as error:
            if maker is None or not maker.failed:
                raise
            raise Error(f"{error}; {maker.failed}", error.code) from maker.raised
        return Bisection(command.json(report), finished.text, given)


class _Maker:
    """make() as a command that writes a model. failed: the last time that there was none."""

    def __init__(
        self,
        make: typing.Callable[[typing.Any], typing.Any],
        values: dict[str, typing.Any],
    ) -> None:
        self._make = make
        self._values = values
        self.failed = ""
        self.raised: Exception | None = None

    def __call__(self, arguments: list[str]) -> tuple[int, str]:
        text, out = arguments
        self.raised = None
        try:
            model = self._make(self._values[text])
        except Exception as error:
            self.raised = error
            self.failed = f"make({text}) raised {type(error).__name__}: {error}"
            return 1, traceback.format_exc()
        if model is None:
            self.failed = f"make({text}) gave None"
            return 1, f"{self.failed}\n"
        write_model(model_source(model, "the model"), out)
        return 0, ""


def _checker(
    check: typing.Callable[[typing.Any], bool | None],
) -> typing.Callable[[list[str]], tuple[int, str]]:
    def answer(arguments: list[str]) -> tuple[int, str]:
        try:
            good = check(loaded(arguments[0]))
        except Exception:
            return 1, traceback.format_exc()
        return (125, "") if good is None else (0 if good else 1, "")

    return answer


def loaded(path: str) -> typing.Any:
    """The model as an onnx.ModelProto, where onnx is installed, or else its bytes."""
    try:
        import onnx
    except ImportError:
        return pathlib.Path(path).read_bytes()
    return onnx.load(path)



"""compare() and what it gives."""

from __future__ import annotations

import difflib
import json
import os
import pathlib
import shutil
import typing

from . import _core, _frames, _runtime
from ._custom import Operator, operators
from ._errors import Error, RuntimeFailure
from ._foreign import side_of
from ._kept import KeptComparison
from ._members import Json
from ._objects import Cause, Origin, Output, Result, Row, Side
from ._options import command_line, with_feeds
from ._progress import Progress, Tick, watches_signals
from ._proof import Proof
from ._recording import Recording
from ._shown import Printed, Text, frame
from ._sides import in_folder, path_bytes, side_source
from ._values import of_plain
from ._words import all_in_python, in_python

if typing.TYPE_CHECKING:
    import pandas

_VERDICTS = ("same", "close", "untested", "different", "failed")
# Parameters of compare() that are no options of the command line by their names.
_NO_OPTIONS = frozenset(
    "left right feeds left_feeds right_feeds base_dir new_ops letters progress options".split()
)
_PAGE_BYTES = 10_000_000
_NOTEBOOK_BYTES = 2_000_000


class Comparison(Printed):
    """Two sides compared on one set of inputs.

    bool(c) says whether they agree, str(c) is the table, and a notebook shows the page. What is
    found of several sets of inputs is in `sets`; the comparison itself is then the worst of them.
    """

    def __init__(
        self, core: _core.Comparison | KeptComparison, progress: bool | Tick | None = None, set_name: str = ""
    ) -> None:
        self._core = core
        self._set_name = set_name or core.set_name
        self._progress = progress
        # Nothing here refers to this object: it and what it holds go when nobody wants it.
        self._before: tuple[Comparison, ...] = ()
        self._after: tuple[Comparison, ...] = ()
        self._head: Json | None = None
        self._parts: dict[str, list[Json]] = {}

    def __getstate__(self) -> dict[str, typing.Any]:
        """Findings and reports, without the sides and their values."""
        core = self._core if isinstance(self._core, KeptComparison) else KeptComparison(self._core)
        return {**self.__dict__, "_core": core, "_progress": None}

    # Findings.

    @property
    def verdict(self) -> str:
        """ "same", "close", "untested", "different" or "failed"."""
        return self._core.verdict

    @property
    def exit_status(self) -> int:
        """The exit status of the command line: 0, 1 or 2."""
        return self._core.exit_status

    def __bool__(self) -> bool:
        return self.exit_status == 0

    @property
    def sets(self) -> tuple[Comparison, ...]:
        """A comparison for each set of inputs that was given."""
        return (*self._before, self, *self._after)

    @property
    def set_name(self) -> str:
        """Which set of inputs; "" if there is but one."""
        return self._set_name

    def _get(self) -> Json:
        if self._head is None:
            self._head = json.loads(self._core.report("json_head"))
        return self._head

    def _lines(self, part: str) -> list[Json]:
        if part not in self._parts:
            self._parts[part] = json.loads(self._core.report(part))
        return self._parts[part]

    def _result(self, side: str, index: int) -> Result:
        return Result(self._lines(f"json_{side}")[index], self, side, index)

    @property
    def summary(self) -> str:
        """The verdict in a sentence."""
        return in_python(self._get()["summary"])

    @property
    def words(self) -> tuple[str, ...]:
        """The verdict in sentences, as the table ends with."""
        return all_in_python(self._get()["words"])

    @property
    def error(self) -> str | None:
        """Why nothing was compared though both sides may be fine."""
        error = self._get().get("error")
        return None if error is None else in_python(error)

    @property
    def left(self) -> Side:
        """The left side: its source, counts and results."""
        return Side(self._get()["left"], self, "left")

    @property
    def right(self) -> Side:
        """The right side: its source, counts and results."""
        return Side(self._get()["right"], self, "right")

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the table, all of them."""
        return tuple(Row(line, self) for line in self._lines("json_rows"))

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The causes of differences; mistakes first, then by effect."""
        return tuple(Cause(one, self) for one in self._get()["causes"])

    @property
    def dismissed(self) -> tuple[Cause, ...]:
        """Findings that a review refused, each with its `veto` and `why` (docs/causes.md)."""
        return tuple(Cause(one, self) for one in self._get().get("dismissed", ()))

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Pairs of outputs, and of recorded results that count."""
        return tuple(Output(one, self) for one in self._get()["outputs"])

    @property
    def proof(self) -> Proof | None:
        """The proof that both are the same for all inputs; None unless prove=True (docs/proof.md)."""
        found = self._get().get("proof")
        return None if found is None else Proof(found)

    @property
    def outputs_left_only(self) -> tuple[str, ...]:
        """Names of outputs that the other side lacks."""
        return tuple(self._get()["outputs_left_only"])

    @property
    def outputs_right_only(self) -> tuple[str, ...]:
        """Names of outputs that the other side lacks."""
        return tuple(self._get()["outputs_right_only"])

    @property
    def notes(self) -> tuple[str, ...]:
        """How inputs were made, mapped and cast, and the like."""
        return all_in_python(self._get()["notes"])

    @property
    def not_finite(self) -> dict[str, tuple[Origin, ...]]:
        """Where numbers become NaN or infinite, by "left" and "right"."""
        head = self._get()
        return {
            side: tuple(Origin(one) for one in head[f"not_finite_{side}"])
            for side in ("left", "right")
        }

    def feeds(self, side: str = "left") -> dict[str, typing.Any]:
        """The values that a side was fed, by the names of its inputs."""
        given = self._core.feeds(0 if _side_name(side) == "left" else 1)
        return {name: of_plain(plain) for name, plain in given.items()}

    def values(
        self, side: str, results: typing.Iterable[int | str | Result]
    ) -> list[typing.Any]:
        """Values of results of a side, by number, name or as they are in `left.results`. The side
        runs once more for them. The arrays cannot be written to."""
        of: Side = getattr(self, _side_name(side))
        numbers = []
        for one in results:
            if isinstance(one, str):
                one = of.result(one)
            numbers.append(one.index if isinstance(one, Result) else int(one))
        with Progress(self._progress) as progress:
            plains = self._core.values(
                0 if side == "left" else 1, numbers, progress.tick(), watches_signals()
            )
        return [of_plain(plain) for plain in plains]

    # Reports.

    def table(
        self,
        *,
        rows: typing.Literal["folded", "all", "different"] = "folded",
        width: int | None = None,
        color: bool = False,
        ascii: bool = False,
        wide: bool = False,
        nan: bool = False,
        coverage: bool = False,
    ) -> str:
        """The table of the command line, in the words of this package's arguments."""
        if width is None:
            width = shutil.get_terminal_size((100, 24)).columns
        if rows not in ("folded", "all", "different"):
            raise ValueError(f"rows: 'folded', 'all' or 'different', not {rows!r}")
        table = self._core.table(max(40, int(width)), color, ascii, wide, rows, nan, coverage)
        return Text(in_python(table))

    def _text(self) -> str:
        tables = [
            (f"{one.set_name}\n" if len(self.sets) > 1 else "") + one.table().rstrip("\n")
            for one in self.sets
        ]
        return "\n\n".join(tables)

    def __repr__(self) -> str:
        causes = self._get()["causes"]
        first = f"; cause: {Cause(causes[0], self).line}" if causes else ""
        return f"<onnxcmp.Comparison {self.verdict}: {self.summary}{first}>"

    def _repr_html_(self) -> str:
        return frame(self.html(_NOTEBOOK_BYTES))

    def html(self, most_bytes: int = _PAGE_BYTES) -> str:
        """The page of the command line: one file that loads nothing."""
        return self._core.html(most_bytes)

    def explain(self, what: str | int) -> str:
        """One pair in depth, by a result's name on either side or a row's number. Both sides run
        once more."""
        with Progress(self._progress) as progress:
            core = self._core.explain(str(what), progress.tick(), watches_signals())
        return Comparison(core, self._progress).table()

    def to_dict(self) -> Json:
        """The JSON of the command line (docs/formats.md)."""
        return json.loads(self._core.report("json"))

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows as a DataFrame of pandas, in the columns of the CSV (docs/formats.md) and the
        `module` that a row's name has. Types of columns do not depend on the data: shapes and
        indices are tuples, `agree` is true of rows with the same bits."""
        return _frames.to_pandas(self._core.report("csv"))

    def to_polars(self) -> typing.Any:
        """The same as a DataFrame of polars."""
        return _frames.to_polars(self._core.report("csv"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a report in the form that the ending says: .html, .json, .md, .csv, .xml (JUnit),
        .dot (Graphviz), .svg (a picture) or .txt (the table)."""
        file = pathlib.Path(path)
        forms = {".json": "json", ".md": "markdown", ".csv": "csv", ".xml": "junit", ".dot": "dot",
                 ".svg": "svg"}
        ending = file.suffix.lower()
        if ending == ".html":
            text = self.html()
        elif ending == ".txt":
            text = self.table(rows="all", width=160)
        elif ending in forms:
            text = self._core.report(forms[ending])
        else:
            raise ValueError(
                f"{file}: the ending says the form: .html, .txt, {', '.join(forms)}"
            )
        file.write_bytes(text.encode("utf-8", "replace"))

    def save_repro(self, folder: str | os.PathLike[str]) -> list[pathlib.Path]:
        """Writes each cause to a folder of its own, as two small models that show it alone, with a
        test as ONNX lays them out (docs/causes.md). Both sides run once more. Gives the folders."""
        with Progress(self._progress) as progress:
            core = self._core.write_repros(
                path_bytes(folder), progress.tick(), watches_signals()
            )
        again = Comparison(core, self._progress)
        return [pathlib.Path(cause.repro) for cause in again.causes if cause.repro]



def _side_name(side: str) -> str:
    if side not in ("left", "right"):
        raise ValueError(f"a side is 'left' or 'right', not {side!r}")
    return side


def compare(
    left: typing.Any,
    right: typing.Any,
    feeds: typing.Any = None,
    *,
    left_feeds: typing.Any = None,
    right_feeds: typing.Any = None,
    map_input: typing.Mapping[str, str] | typing.Iterable[str] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    tolerance: typing.Mapping[str, tuple[float, float]] | typing.Iterable[str] | None = None,
    seed: int | None = None,
    ramp: bool = False,
    dim: typing.Mapping[str, int] | None = None,
    sets: int | None = None,
    each: bool = False,
    search: float | str | bool | None = None,
    coverage: bool = False,
    pair: typing.Mapping[str, str] | typing.Iterable[str] | None = None,
    partial: bool = False,
    any_row_order: bool = False,
    ties: typing.Literal["different", "close"] | None = None,
    min_sqnr: float | None = None,
    output_types: typing.Literal["exact", "close"] | None = None,
    fail_on: typing.Literal["different", "causes", "bits", "rewrites"] | None = None,
    depth: int | None = None,
    causes: bool = True,
    share: bool = True,
    shadow: bool = False,
    prove: bool = False,
    quantization: bool = False,
    fusions: bool = False,
    explain: str | int | None = None,
    repro: str | os.PathLike[str] | None = None,
    functions: typing.Literal["inline", "keep"] | None = None,
    threads: int | None = None,
    keep_values: int | str | None = None,
    search_memory: int | str | None = None,
    max_tensor: int | str | None = None,
    max_memory: int | str | None = None,
    max_steps: int | None = None,
    max_time: float | str | None = None,
    follow_links: bool = False,
    nchwc_block: int | None = None,
    base_dir: str | os.PathLike[str] | tuple[typing.Any, typing.Any] | None = None,
    new_ops: typing.Any = None,
    letters: bool = True,
    progress: bool | Tick | None = None,
    options: typing.Mapping[str, typing.Any] | None = None,
) -> Comparison:
    """Runs both sides on the same inputs and compares every result.

    A side is a path, bytes, an open file, an onnx.ModelProto, a model of onnxscript or onnx_ir, a
    dict of arrays or a Recording (results that were kept elsewhere), a runtime (onnxcmp.runtimes), a
    session of another package, a torch module or a function (docs/python.md). `feeds` is a dict of
    arrays by the inputs' names, a list of such dicts, or the path of a file; without it inputs are
    made up. `base_dir` is the folder of the external data of models that are no files, or a pair of
    them; `new_ops` are operators of your own, as Evaluator() takes them. All other arguments are the options of the command line by the same names
    (docs/python.md); `options` holds those that are not listed here. With letters=False the JSON
    has no letters of results, which saves a pass over them.

    Raises Error where the command line prints one. A side that fails while it runs is no error:
    the verdict is then "failed".
    """
    arguments = locals()  # which hold the parameters alone here
    _refuse_unknown(options, arguments)
    line = command_line(
        {name: value for name, value in arguments.items() if name not in _NO_OPTIONS}
        | dict(options or {})
    )
    folders = base_dir if isinstance(base_dir, tuple) else (base_dir, base_dir)
    left, right = (in_folder(side_of(side), folder)
                   for side, folder in zip((left, right), folders))
    given = {"inputs": feeds, "left-inputs": left_feeds, "right-inputs": right_feeds}
    more = operators(new_ops)
    compared: tuple[Comparison, ...] = ()
    for name, one in _runtime.feeds_by_set(left, right, given, line):
        compared += _compare_once(left, right, one, list(line), letters, more, progress, name)
    worst = max(
        range(len(compared)),
        key=lambda i: (compared[i].exit_status, _VERDICTS.index(compared[i].verdict), -i),
    )
    compared[worst]._before, compared[worst]._after = compared[:worst], compared[worst + 1 :]
    return compared[worst]


def _refuse_unknown(
    options: typing.Mapping[str, typing.Any] | None, known: typing.Collection[str]
) -> None:
    """Raises TypeError for an option that is an argument misspelt."""
    for name in options or ():
        near = difflib.get_close_matches(name.replace("-", "_"), known, 1, 0.8)
        if near and near[0] != name.replace("-", "_"):
            raise TypeError(f"there is no option {name}; did you mean {near[0]}?")


def _compare_once(
    left: typing.Any,
    right: typing.Any,
    given: dict[str, typing.Any],
    line: list[str | bytes],
    letters: bool,
    more: list[Operator],
    progress: bool | Tick | None,
    set_name: str,
) -> tuple[Comparison, ...]:
    """Runs what is a runtime of this process, and compares. `set_name`: of what is given, if that
    is one set of several."""
    sides, options, feeds = (left, right), list(line), given
    if _runtime.is_runtime(left) or _runtime.is_runtime(right):
        try:
            left, right, given = _runtime.run_sides(left, right, given, line)
        except RuntimeFailure:
            failing = _runtime.in_processes(*sides, feeds)
            if failing is None:
                raise
            return _compare_once(*failing, options, letters, more, progress, set_name)
    written = len(line)
    in_memory = with_feeds(line, given)
    with Progress(progress) as shown:
        cores = _core.compare(
            line,
            side_source(left, "left"),
            side_source(right, "right"),
            in_memory,
            letters,
            more,
            shown.tick(),
            watches_signals(),
        )
    compared = tuple(Comparison(core, progress, set_name) for core in cores)
    if any(one.verdict == "different" for one in compared) and _outputs_agree(compared):
        named = _with_hints(left, right)
        if named != (left, right):
            judged = _compare_once(*named, given, line[:written], letters, more, progress, set_name)
            return judged if all(judged) else compared
    if any(one.verdict == "different" for one in compared):
        again = _runtime.recorded_in_processes(*sides, (left, right), feeds)
        if again is not None:
            try:
                judged = _compare_once(*again, options, letters, more, progress, set_name)
            except Error:  # a machine without that process has the finding of this one
                return compared
            if _is_told_by(sides, compared, judged):
                return judged
    return compared


def _is_told_by(
    sides: typing.Iterable[typing.Any],
    here: typing.Sequence[Comparison],
    in_processes: typing.Sequence[Comparison],
) -> bool:
    """True if the comparison in processes tells of the difference that was found here: one of
    fusions, one of results inside alone, which is none of the model, or one that is there, too."""
    return (
        any(getattr(side, "fuses", False) for side in sides)
        or _outputs_agree(here)
        or any(one.verdict == "different" for one in in_processes)
    )


def _outputs_agree(compared: typing.Sequence[Comparison]) -> bool:
    return all(row.relation != "different"
               for one in compared for row in one.rows if _is_output(row))


def _with_hints(left: typing.Any, right: typing.Any) -> tuple[typing.Any, typing.Any]:
    """Sides without what is but a hint where outputs agree: names inside a recording that may stand
    for another result. Beside another recording there is no graph that tells which results belong
    together, so that of these the outputs alone count."""
    sides = (left, right)
    hints = [getattr(side, "names_are_hints", False) for side in sides]
    if any(hints) and all(isinstance(side, Recording) for side in sides):
        return left, right.without_inside()
    left, right = (
        side.with_own_names() if hint else side for side, hint in zip(sides, hints)
    )
    return left, right


def _is_output(row: Row) -> bool:
    return any(r is not None and r.kind == "OUTPUT" for r in (row.left_result, row.right_result))

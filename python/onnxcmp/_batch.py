"""batch(): many pairs, each in a process of its own."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
import typing

from ._command import Command
from ._members import Json, Record, integer, member, real
from ._shown import Shown
from ._sides import is_path

if typing.TYPE_CHECKING:
    import pandas


class PairResult(Record):
    """What came of a pair (docs/batch.md). True if it is as expected."""

    __slots__ = ()
    name: str = member()
    verdict: str = member()
    as_expected: bool = member(absent=False)
    summary: str = member(absent="")
    left: str = member(absent="")
    right: str = member(absent="")
    tags: tuple[str, ...] = member(tuple, absent=())
    worst_output: str = member(absent="")
    worst_distance: float | None = member(real)
    causes: tuple[Json, ...] = member(tuple, absent=())
    seconds: float | None = member(real)
    peak_bytes: int | None = member(integer)
    proved: bool | None = member()

    def __bool__(self) -> bool:
        return self.as_expected

    def __repr__(self) -> str:
        return f"<PairResult {self.name}: {self.verdict}>"


class Batch(Shown):
    """Results of many pairs. True if all are as expected. A sequence of PairResult; batch["name"] is
    one of them."""

    def __init__(
        self, folder: pathlib.Path, status: int, text: str, results: list[Json],
        summary: Json, page: str, keeper: object,
    ) -> None:
        self.folder = folder
        self.exit_status = status
        self.summary = summary
        self.results = tuple(PairResult(one) for one in results)
        self._printed = text
        self._page = page
        self._keeper = keeper  # a temporary folder goes with it

    def __bool__(self) -> bool:
        return self.exit_status == 0

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> typing.Iterator[PairResult]:
        return iter(self.results)

    def __getitem__(self, which: int | str) -> PairResult:
        if isinstance(which, int):
            return self.results[which]
        for one in self.results:
            if one.name == which:
                return one
        raise KeyError(which)

    def to_dict(self) -> Json:
        """The summary and the results, one for each pair."""
        return {"summary": self.summary, "results": [one.to_dict() for one in self.results]}

    def to_dataframe(self) -> pandas.DataFrame:
        """A line for each pair."""
        import pandas

        return pandas.DataFrame([one.to_dict() for one in self.results])

    def html(self) -> str:
        """The page of all pairs."""
        return self._page

    def __repr__(self) -> str:
        expected = sum(1 for one in self.results if one)
        return f"<onnxcmp.Batch of {len(self)} pairs: {expected} as expected>"


def _manifest(command: Command, pairs: typing.Iterable[typing.Any]) -> pathlib.Path:
    """Pairs as lines of a manifest: (left, right), (left, right, feeds), or dicts of its members."""
    lines = []
    for i, pair in enumerate(pairs):
        line: Json = dict(pair) if isinstance(pair, typing.Mapping) else dict(
            zip(("left", "right", "inputs"), pair))
        line.setdefault("name", f"pair_{i}")
        for member in ("left", "right"):
            if line.get(member) is not None:
                line[member] = os.path.abspath(command.file_of(line[member], f"{i}_{member}"))
        inputs = line.get("inputs")
        if inputs is None:
            line.pop("inputs", None)
        elif is_path(inputs):
            line["inputs"] = os.path.abspath(os.fsdecode(inputs))
        else:
            option = str(command.inputs(inputs, f"inputs_{i}")[0])
            line["inputs"] = option.partition("=")[2]
        lines.append(json.dumps(line))
    file = command.folder / "pairs.jsonl"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def batch(
    *sources: typing.Any,
    pairs: typing.Iterable[typing.Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    options: typing.Sequence[str] = (),
    **batch_options: typing.Any,
) -> Batch:
    """Compares many pairs, each in a process of its own, on all cores (docs/batch.md).

    `sources` are a manifest, or two folders; or `pairs` lists them: (left, right), (left, right,
    feeds), or dicts with left, right, inputs, name, tags, options, expect and cause. `out` is the
    folder of results: the same call goes on where an earlier one stopped. `options` are those of
    each comparison, as on the command line; the others are those of the batch: against, jobs,
    memory, pair_time, baseline, pages, ...
    """
    with Command("batch") as command:
        keeper = tempfile.TemporaryDirectory(prefix="onnxcmp-") if out is None else None
        folder = pathlib.Path(keeper.name if keeper else typing.cast(str, out))
        line: list[str | bytes] = [os.fsdecode(source) for source in sources]
        if pairs is not None:
            line.append(str(_manifest(command, pairs)))
        line.append(f"--out={folder}")
        results, behind = folder / "results.jsonl", ["--", *options] if options else []
        finished = command.run(line, batch_options, needs=results, last=behind)
        read = [json.loads(command.without_folder(one))
                for one in results.read_text("utf-8", "replace").splitlines()]
        summary = command.json(folder / "summary.json")
        page = command.without_folder((folder / "index.html").read_text("utf-8", "replace"))
        return Batch(folder, finished.status, finished.text, read, summary, page, keeper)

"""samples(): two models over many samples."""

from __future__ import annotations

import concurrent.futures
import io
import os
import pathlib
import subprocess
import tempfile
import typing

from . import _start
from ._command import Command
from ._errors import Error
from ._options import command_line
from ._sides import is_path
from ._shown import Printed
from ._values import to_array

if typing.TYPE_CHECKING:
    import pandas

_LABELS = ("label", "labels")


class Samples(Printed):
    """Two models over many samples: str() prints what was found, to_dict() has its members
    (docs/samples.md), and bool() says that all agree, or that no condition failed."""

    def __init__(self, text: str, json: typing.Any, table: str) -> None:
        self._printed = text
        self._json = json
        self._table = table

    def to_dict(self) -> typing.Any:
        """The JSON of the command line (docs/samples.md)."""
        return self._json

    def __bool__(self) -> bool:
        return bool(self._json["exit_status"] == 0)

    @property
    def headline(self) -> str:
        """What was found in one line."""
        return str(self._json["headline"])

    @property
    def layers(self) -> list[dict[str, typing.Any]]:
        """The layers that differ, those that bring the outputs' error first."""
        return list(self._json["layers"])

    @property
    def outputs(self) -> list[dict[str, typing.Any]]:
        """The outputs with the figures of their tasks."""
        return list(self._json["outputs"])

    @property
    def failed(self) -> list[dict[str, typing.Any]]:
        """Samples that could not be read or run, and why."""
        return list(self._json["failed"])

    def to_dataframe(self) -> pandas.DataFrame:
        """A row for each layer that differs. Needs pandas."""
        import pandas

        return pandas.read_csv(io.StringIO(self._table))

    def __repr__(self) -> str:
        return f"<onnxcmp.Samples {self.headline}>"


def _arrow_rows(folder: pathlib.Path) -> list[dict[str, typing.Any]]:
    """The rows of a folder of a Hugging Face dataset. Needs pyarrow."""
    import pyarrow

    rows: list[dict[str, typing.Any]] = []
    for file in sorted(folder.glob("*.arrow")):
        with pyarrow.memory_map(os.fspath(file)) as source:
            try:
                table = pyarrow.ipc.open_stream(source).read_all()
            except pyarrow.ArrowInvalid:
                table = pyarrow.ipc.open_file(source).read_all()
            rows.extend(table.to_pylist())
    return rows


def _images(rows: list[dict[str, typing.Any]]) -> str | None:
    """The column that holds encoded images, as datasets keep them."""
    for name, value in rows[0].items():
        if isinstance(value, typing.Mapping) and isinstance(value.get("bytes"), bytes):
            return name
    return None


def _write(rows: list[dict[str, typing.Any]], folder: pathlib.Path) -> None:
    """A file for each row: its image, or its numbers as arrays by their names."""
    import numpy

    folder.mkdir()
    image = _images(rows)
    width = len(str(len(rows)))
    for i, row in enumerate(rows):
        file = folder / f"{i:0{width}}"
        if image is not None:
            data = row[image]["bytes"]
            file.with_suffix(".png" if data[:4] == b"\x89PNG" else ".jpg").write_bytes(data)
            continue
        arrays = {name: numpy.asarray(value) if isinstance(value, list) else to_array(value, name)
                  for name, value in row.items()
                  if value is not None and not isinstance(value, (str, bytes))}
        numpy.savez(file.with_suffix(".npz"), **arrays)


def _rows_of(samples: typing.Any) -> list[dict[str, typing.Any]] | None:
    """Samples that are no file: rows with a value for each input. None: a file."""
    if is_path(samples):
        folder = pathlib.Path(os.fsdecode(samples))
        return _arrow_rows(folder) if any(folder.glob("*.arrow")) else None
    if isinstance(samples, typing.Mapping):
        arrays = {name: to_array(value, name) for name, value in samples.items()}
        lengths = {len(array) for array in arrays.values()}
        if len(lengths) != 1:
            raise ValueError(f"the first axis is the sample, and there are {sorted(lengths)} of them")
        return [{name: array[i] for name, array in arrays.items()} for i in range(lengths.pop())]
    return [dict(row) for row in samples]


def _figures_of_part(line: list[str], part: str) -> bytes:
    """The figures of one part of the samples, where this runs. Its paths have to be known there."""
    with tempfile.TemporaryDirectory(prefix="onnxcmp-") as folder:
        file = pathlib.Path(folder) / "figures.json"
        done = subprocess.run(
            [*_start.program(), *line, f"--part={part}", f"--figures={file}",
             "--format=json", "--quiet"], capture_output=True, text=True, check=False)
        if not file.exists():
            raise Error(done.stderr.strip() or f"part {part} ended with {done.returncode}")
        return file.read_bytes()


def _measure_parts(line: list[str], parts: int, ray_address: str | None | bool) -> list[bytes]:
    """The figures of all parts: by processes here, or by tasks of Ray."""
    names = [f"{part}/{parts}" for part in range(parts)]
    if ray_address is False:
        with concurrent.futures.ThreadPoolExecutor(parts) as pool:
            return list(pool.map(lambda name: _figures_of_part(line, name), names))
    from ._ray_cluster import connected

    with connected(ray_address if isinstance(ray_address, str) else None):
        import ray

        measure = ray.remote(_figures_of_part)
        return list(ray.get([measure.options(num_cpus=1).remote(line, name) for name in names]))


# Options that say how figures are shown, and not how they are measured.
_SHOWN = ("all", "fail_if", "wide", "width", "color", "ascii")


def samples(
    left: typing.Any,
    right: typing.Any,
    samples: typing.Any,
    *,
    labels: typing.Any = None,
    against: typing.Any = None,
    workers: int = 1,
    ray: bool | str = False,
    **options: typing.Any,
) -> Samples:
    """Measures two models on many samples (docs/samples.md).

    samples: a path as of --samples, a folder of a Hugging Face dataset (needs pyarrow), a dict of
    arrays whose first axis is the sample, or rows, a dict of values for the inputs each. labels: a
    path or numbers; columns `label` and `labels` of rows are some, too. against: the runtime of the
    right side. workers: processes that share the samples; with `ray`, True or a cluster's address,
    they are its tasks, which have to see the same paths. The figures have the same bits. Options are those of the command line: limit, batch, fail_if, task, resize, mean,
    std, sensitivity, target, seed, ...
    """
    with Command("") as command:
        line: list[str | bytes] = [command.file_of(left, "left"), command.file_of(right, "right")]
        rows = _rows_of(samples)
        if is_path(samples) and rows is not None:
            options.setdefault("partial", True)  # a dataset has columns that are no inputs
        if rows is None:
            line.append(f"--samples={os.fsdecode(samples)}")
        else:
            if not rows:
                raise ValueError("there are no samples")
            for name in _LABELS:
                found = [row.pop(name, None) for row in rows]
                labels = found if labels is None and None not in found else labels
            _write(rows, command.folder / "samples")
            line.append(f"--samples={command.folder / 'samples'}")
        if labels is not None and not is_path(labels):
            file = command.folder / "labels.txt"
            file.write_text("".join(f"{float(label):.17g}\n" for label in labels), "utf-8")
            labels = file
        if labels is not None:
            line.append(f"--labels={os.fsdecode(labels)}")
        if against is not None:
            line.append(f"--against={against if is_path(against) else against.command_line}")
        if workers > 1:
            measured = {name: value for name, value in options.items() if name not in _SHOWN}
            options = {name: value for name, value in options.items() if name in _SHOWN}
            words = [os.fsdecode(word) for word in [*line, *command_line(measured)]]
            for part, figures in enumerate(_measure_parts(words, workers, ray)):
                file = command.folder / f"figures.{part}.json"
                file.write_bytes(figures)
                line.append(f"--merge={file}")
        report, table = command.folder / "samples.json", command.folder / "layers.csv"
        text = command.run([*line, f"--json={report}", f"--csv={table}"], options, needs=report).text
        return Samples(text, command.json(report), table.read_text("utf-8"))

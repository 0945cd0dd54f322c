"""Recordings: results of a run that were kept."""

from __future__ import annotations

import collections.abc
import dataclasses
import json
import os
import pathlib
import typing

import numpy as np

from . import _core
from ._errors import FileMissing
from ._values import Plain, of_plain, to_array, to_plain, type_name


# By the numbers that the extension has for them.
KINDS = ("INITIALIZER", "INPUT", "RESULT", "OUTPUT")


@dataclasses.dataclass
class RecordedResult:
    """A value and what is known of it. kind: "INITIALIZER", "INPUT", "RESULT" or "OUTPUT"."""

    name: str
    value: typing.Any
    kind: str = "RESULT"
    op_type: str = ""
    domain: str = ""
    node: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.name}: {self.kind!r} is no kind of result")


class Recording(collections.abc.Mapping[str, typing.Any]):
    """Results by name, in the order of their appearance: a side of compare().

    `described` says that kinds mean something: which values are inputs, which are outputs.
    """

    def __init__(
        self,
        results: typing.Iterable[RecordedResult] = (),
        described: bool = True,
        source: str = "",
    ) -> None:
        self.results = list(results)
        self.described = described
        self.source = source
        # Names of results inside may stand for other results on the other side.
        self.names_are_hints = False

    def __getitem__(self, name: str) -> typing.Any:
        for result in self.results:
            if result.name == name:
                return result.value
        raise KeyError(name)

    def __iter__(self) -> typing.Iterator[str]:
        return iter(dict.fromkeys(result.name for result in self.results))

    def __len__(self) -> int:
        return len({result.name for result in self.results})

    def with_own_names(self) -> Recording:
        """The same with names of results inside that nobody else has: values pair them."""
        results = [dataclasses.replace(one, name=f"{self.source}:{one.name}")
                   if one.kind == "RESULT" else one for one in self.results]
        return Recording(results, self.described, self.source)

    def without_inside(self) -> Recording:
        """Inputs and outputs alone."""
        results = [one for one in self.results if one.kind in ("INPUT", "OUTPUT")]
        return Recording(results, self.described, self.source)

    @property
    def inputs(self) -> dict[str, typing.Any]:
        """The recorded inputs by their names."""
        return {r.name: r.value for r in self.results if r.kind == "INPUT"}

    @property
    def outputs(self) -> dict[str, typing.Any]:
        """The recorded outputs by their names."""
        return {r.name: r.value for r in self.results if r.kind == "OUTPUT"}

    def __repr__(self) -> str:
        return f"<onnxcmp.Recording of {len(self.results)} results>"

    @classmethod
    def load(cls, path: str | os.PathLike[str], number: int = 0) -> Recording:
        """Reads a recording of any form that compare() takes (docs/formats.md): files of arrays,
        folders of them, what other tools wrote. `number`: which of its sets, if it has several."""
        if not os.path.lexists(path):
            raise FileMissing(f"there is no file {os.fsdecode(path)!r}")
        described, values = _core.open_recording(os.fsencode(path), number)
        results = [
            RecordedResult(name, of_plain(plain), KINDS[kind], *where)
            for name, kind, *where, plain in values
        ]
        return cls(results, described, os.fsdecode(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an .npz as `onnxcmp run` does (docs/formats.md), or .safetensors, which keeps no
        kinds."""
        file = pathlib.Path(path)
        if file.suffix == ".npz":
            _save_npz(file, self.results, self.described)
        elif file.suffix == ".safetensors":
            from safetensors.numpy import save_file

            arrays = {r.name: np.ascontiguousarray(to_array(r.value, r.name)) for r in self.results
                      if not isinstance(r.value, (list, dict, type(None)))}
            save_file(arrays, file)
        else:
            raise ValueError(f"{file}: a recording is an .npz or .safetensors file")


def _texts(plain: Plain, name: str) -> np.ndarray:
    texts = of_plain(plain)
    if any(text.endswith("\0") for text in texts.reshape(-1)):
        raise TypeError(f"{name}: strings that end in a NUL cannot be written to a file")
    return texts.astype(str)


class _NpzEntries:
    """Arrays and what onnxcmp.json says of them."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def _entry(self, name: str) -> str:
        entry, number = name, 1
        while entry in self.arrays or entry == "onnxcmp.json":
            number += 1
            entry = f"{name}#{number}"
        return entry

    def add(self, name: str, plain: Plain) -> dict[str, typing.Any]:
        """A value as to_plain() gives it, which the JSON then refers to."""
        kind = "absent" if plain is None else plain[0]
        if kind == "tensor":
            return self._tensor(name, type_name(plain[1]), plain[2], plain[3])
        if kind == "strings":
            return self._tensor(name, "string", plain[1], _texts(plain, name))
        if kind in ("sequence", "optional"):
            elements = plain[2] if kind == "sequence" else [] if plain[2] is None else [plain[2]]
            parts = [self.add(f"{name}/{i}", element) for i, element in enumerate(elements)]
            dtype = {"dtype": type_name(plain[1])} if plain[1] else {}
            return {"type": kind, **dtype, "elements": parts}
        if kind == "map":
            return {"type": kind, "keys": self.add(f"{name}/keys", plain[1]),
                    "values": self.add(f"{name}/values", plain[2])}
        if kind == "sparse":
            return {"type": "sparse_tensor", "shape": plain[3],
                    "values": self.add(f"{name}/values", plain[1]),
                    "indices": self.add(f"{name}/indices", plain[2])}
        if kind == "absent":
            return {"type": kind}
        raise TypeError(f"{name}: an .npz keeps no value of kind {kind}")

    def _tensor(
        self, name: str, dtype: str, shape: list[int], stored: np.ndarray
    ) -> dict[str, typing.Any]:
        entry = self._entry(name)
        self.arrays[entry] = stored
        return {"type": "tensor", "dtype": dtype, "shape": shape, "entry": entry}


def _save_npz(file: pathlib.Path, results: list[RecordedResult], described: bool) -> None:
    import zipfile

    entries = _NpzEntries()
    lines = []
    for result in results:
        line: dict[str, typing.Any] = {"kind": result.kind, "name": result.name}
        if result.op_type:
            line.update(op_type=result.op_type, domain=result.domain, node=result.node)
        line.update(path=result.path, depth=0,
                    value=entries.add(result.name, to_plain(result.value, result.name)))
        lines.append(json.dumps(line))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in entries.arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)
        if described:
            head = {"format": "onnxcmp recording", "version": 1,
                    "producer": f"onnxcmp {_core.version}"}
            text = json.dumps(head)[:-1] + ', "results": [\n' + ",\n".join(lines) + "\n]}\n"
            archive.writestr("onnxcmp.json", text)

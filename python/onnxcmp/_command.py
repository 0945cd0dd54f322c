"""A command of the program, run for a function of the package in a process of its own.

Models and inputs that are objects become files of a temporary folder, functions of Python become
commands that call back, and the folder's path is left out of all that the command says.
"""

from __future__ import annotations

import json
import os
import pathlib
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import typing

from ._errors import Error
from ._options import command_line
from ._recording import RecordedResult, Recording
from ._sides import is_path, model_source, write_model
from ._values import to_array

# Gives the exit status and the output of a command.
Answer = typing.Callable[[list[str]], tuple[int, str]]


class Finished(typing.NamedTuple):
    """What a command printed on standard output."""

    status: int
    text: str


def _save_side(side: typing.Any, file: pathlib.Path) -> pathlib.Path:
    """Writes a model or a recording, and gives the file, whose ending says what it is."""
    if isinstance(side, typing.Mapping):
        file = file.with_name(f"{file.name}.npz")
        recording = side if isinstance(side, Recording) else Recording(
            (RecordedResult(name, value) for name, value in side.items()), described=False
        )
        recording.save(file)
        return file
    file = file.with_name(f"{file.name}.onnx")
    write_model(model_source(side, file.stem), file)
    return file


def _save_tensors(feeds: dict[str, typing.Any], folder: pathlib.Path) -> None:
    """Writes inputs as ONNX's test data have them, each with its name."""
    from onnx import numpy_helper

    folder.mkdir(parents=True)
    for i, (name, value) in enumerate(feeds.items()):
        tensor = numpy_helper.from_array(to_array(value, name), name)
        (folder / f"input_{i}.pb").write_bytes(tensor.SerializeToString())


class Command:
    """A temporary folder and the calls of one command. A context manager."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._folder = tempfile.TemporaryDirectory(prefix="onnxcmp-")
        self.folder = pathlib.Path(self._folder.name)
        self._answers: list[Answer] = []

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def file_of(self, side: typing.Any, name: str) -> str:
        """The path of a model or a recording; one that is no file is written to the folder."""
        if is_path(side):
            return os.fsdecode(side)
        return str(_save_side(side, self.folder / name))

    def inputs(self, feeds: typing.Any, name: str = "inputs") -> list[str | bytes]:
        """The option for a dict of arrays, a list of such dicts, or a path."""
        if feeds is None:
            return []
        if is_path(feeds):
            return [f"--{name}={os.fsdecode(feeds)}"]
        if isinstance(feeds, typing.Mapping):
            return [f"--{name}={_save_side(dict(feeds), self.folder / name)}"]
        if not isinstance(feeds, (list, tuple)) or not feeds:
            raise TypeError(
                "feeds are a dict of arrays by the inputs' names, a list of such dicts, or a path, "
                f"not {'an empty list' if feeds == [] else type(feeds).__name__}"
            )
        for i, one in enumerate(feeds):
            _save_tensors(dict(one), self.folder / name / f"test_data_set_{i}")
        return [f"--{name}={self.folder / name}"]

    def function(self, answer: Answer, *arguments: str) -> str:
        """A command line for the shell that calls a function of this process. `arguments` may hold
        what the program fills in: {model}."""
        self._answers.append(answer)
        client = pathlib.Path(__file__).with_name("_callback.py")
        words = [sys.executable, "-S", "-E", str(client), str(self.folder / "socket"),
                 str(len(self._answers) - 1)]
        return " ".join([*map(shlex.quote, words), *arguments])

    def run(
        self,
        arguments: typing.Iterable[str | bytes],
        options: typing.Mapping[str, typing.Any],
        needs: pathlib.Path | None = None,
        last: typing.Sequence[str] = (),
    ) -> Finished:
        """Runs the command. `needs`: a file without which it has failed; None: any exit status but
        2 is well. `last`: arguments behind the options. Raises Error with what the command says."""
        if not sys.executable:
            raise Error("a command needs a process of its own, and sys.executable is not set")
        name = [self._name] if self._name else []  # "": a comparison
        line = [sys.executable, "-m", "onnxcmp", *name, *arguments, *command_line(options), *last]
        with open(self.folder / "stdout", "w+b") as output, \
                open(self.folder / "stderr", "w+b") as errors:
            status = self._run_and_answer(line, output, errors)
            text, said = (self._told(file) for file in (output, errors))
        if (status == 2 and needs is None) or status not in (0, 1, 2) or (
            needs is not None and not needs.exists()
        ):
            raise Error(_message_of(said) or f"{self._name} ended with the exit status {status}")
        return Finished(status, text)

    def _told(self, file: typing.IO[bytes]) -> str:
        file.seek(0)
        return self.without_folder(file.read().decode("utf-8", "replace"))

    def without_folder(self, text: str) -> str:
        return text.replace(f"{self.folder}{os.sep}", "")

    def json(self, file: pathlib.Path) -> typing.Any:
        return json.loads(self.without_folder(file.read_text("utf-8", "replace")))

    def _run_and_answer(
        self, line: list[str | bytes], output: typing.IO[bytes], errors: typing.IO[bytes]
    ) -> int:
        place = self.folder / "socket"
        place.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(place))
            listener.listen()
            # The package may be found by a path that only this process has.
            home = str(pathlib.Path(__file__).parent.parent)
            paths = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
            process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                       env={**os.environ, "PYTHONPATH": paths})
            try:
                while process.poll() is None:
                    # Functions are called on this thread, as other code of the caller's.
                    if select.select([listener], [], [], 0.02)[0]:
                        self._answer(listener)
            except BaseException:
                process.send_signal(signal.SIGINT)
                process.wait()
                raise
            return process.returncode

    def _answer(self, listener: socket.socket) -> None:
        with listener.accept()[0] as connection:
            number, *arguments = json.loads(connection.makefile("rb").readline())
            status, output = self._answers[int(number)](arguments)
            answer = json.dumps({"status": status, "output": output})
            try:
                connection.sendall(answer.encode() + b"\n")
            except BrokenPipeError:  # a command that was ended at its time limit
                pass


def _message_of(said: str) -> str:
    """The errors among the lines on standard error."""
    lines = [line for line in said.splitlines() if line.strip()]
    first = next((i for i, line in enumerate(lines) if line.startswith("onnxcmp: ")), 0)
    return "\n".join(line.removeprefix("onnxcmp: ") for line in lines[first:])

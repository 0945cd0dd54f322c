"""generate(): decoders step by step, and one against itself."""

from __future__ import annotations

import os
import pathlib
import typing

from ._chain import files_of
from ._command import Command
from ._errors import Error
from ._shown import Printed
from ._sides import is_path


class Generation(Printed):
    """What `onnxcmp generate` found: str() prints it, to_dict() has its members (docs/generate.md),
    and bool() says that all steps agree, or that all that was tried holds."""

    def __init__(self, text: str, json: typing.Any) -> None:
        self._printed = text
        self._json = json

    def to_dict(self) -> typing.Any:
        """The JSON of the command line (docs/generate.md)."""
        return self._json

    def __bool__(self) -> bool:
        return bool(self._json["exit_status"] == 0)

    @property
    def steps(self) -> list[dict[str, typing.Any]]:
        """A step each; none of one model alone."""
        return list(self._json.get("steps", []))

    @property
    def failing_step(self) -> int | None:
        """The first step that fails."""
        return typing.cast("int | None", self._json.get("failing_step"))

    @property
    def invariants(self) -> list[dict[str, typing.Any]]:
        """The properties of one model; of two those of a side alone, where they were tried."""
        return list(self._json.get("invariants", self._json.get("alone", [])))

    def __repr__(self) -> str:
        return f"<onnxcmp.Generation exit_status={self._json['exit_status']}>"


class GenerationChain(Printed):
    """What `onnxcmp chain --generate` found: str() prints it, to_dict() has its members
    (docs/generate.md), and bool() says that all passes agree."""

    def __init__(self, text: str, json: typing.Any) -> None:
        self._printed = text
        self._json = json

    def to_dict(self) -> typing.Any:
        """The JSON of the command line (docs/generate.md)."""
        return self._json

    def __bool__(self) -> bool:
        return bool(self._json["exit_status"] == 0)

    @property
    def broken_by(self) -> int | None:
        """The first pass whose decoders part, from 0."""
        return typing.cast("int | None", self._json["broken_by"])

    def __repr__(self) -> str:
        return f"<onnxcmp.GenerationChain exit_status={self._json['exit_status']}>"


def _tokenizer(models: typing.Iterable[typing.Any]) -> typing.Any:
    """Of the first folder of a model that has one."""
    folders = []
    for model in models:
        if not is_path(model):
            continue
        path = pathlib.Path(os.fsdecode(model).split("+")[0])
        folders.append(path if path.is_dir() else path.parent)
    for folder in folders:
        file = folder / "tokenizer.json"
        if not file.is_file():
            continue
        try:
            import tokenizers
        except ImportError as error:
            raise Error(
                f"a prompt that is a text takes the package tokenizers for {file}: "
                "pip install tokenizers"
            ) from error
        return tokenizers.Tokenizer.from_file(str(file))
    where = ", ".join(map(str, folders)) or "no model that is a path"
    raise Error(f"a prompt that is a text takes a tokenizer.json beside a model: none in {where}")


def _prompts(prompt: typing.Any, models: typing.Iterable[typing.Any]) -> list[str]:
    """The options for token ids or texts, one prompt or several."""
    if prompt is None:
        return []
    if isinstance(prompt, os.PathLike):
        file = pathlib.Path(prompt)
        if file.suffix == ".npy":
            return [f"--prompt={file}"]
        prompt = file.read_text()
    rows = [prompt] if isinstance(prompt, str) else list(prompt)
    if any(isinstance(row, str) for row in rows):
        tokenizer = _tokenizer(models)
        rows = [list(tokenizer.encode(row).ids) if isinstance(row, str) else row for row in rows]
        if not all(rows):
            raise Error("a prompt has no tokens: its text is empty")
    rows = [list(row) if hasattr(row, "__iter__") else row for row in rows]
    if not any(isinstance(row, list) for row in rows):
        rows = [rows]
    return [f"--prompt={','.join(str(int(token)) for token in row)}" for row in rows]


def generate(
    left: typing.Any,
    right: typing.Any = None,
    feeds: typing.Any = None,
    *,
    prompt: typing.Any = None,
    **options: typing.Any,
) -> Generation:
    """Runs two decoders step by step, or with `invariants=True` tries one against itself.

    left, right: models; a path may name several, as prompt.onnx+steps.onnx, or a folder of them, or
    a recording of steps. prompt: token ids, a text for the tokenizer.json beside a model (package
    tokenizers), or a list of such; a pathlib.Path of a text or an .npy. feeds: what stays the same,
    as an encoder's states.
    Other options are those of the command line: steps, free, state, role, against, causal, encoder, seed.
    Raises Error if nothing could be run.
    """
    with Command("generate") as command:
        models = [command.file_of(left, "left")]
        models.extend([command.file_of(right, "right")] if right is not None else [])
        file = command.folder / "generation.json"
        line = [*models, *_prompts(prompt, (left, right)), *command.inputs(feeds), f"--json={file}"]
        text = command.run(line, options, needs=file).text
        found = Generation(text, command.json(file))
        error = found.to_dict().get("error")
        if error and not found.steps and found.to_dict()["comparison"] is None:
            raise Error(error)
        return found


def generate_chain(
    *models: typing.Any, feeds: typing.Any = None, prompt: typing.Any = None, **options: typing.Any
) -> GenerationChain:
    """Runs each decoder step by step beside the one before, and the last beside the first, as
    `onnxcmp chain --generate`: which pass is the first whose tokens or logits part?

    The models are arguments, a list, or a dict by their names. prompt, feeds and options are those of
    generate(). Raises Error if nothing could be run.
    """
    with Command("chain") as command:
        file = command.folder / "chain.json"
        given: typing.Iterable[typing.Any] = models
        if len(models) == 1 and isinstance(models[0], (dict, list, tuple)):
            given = models[0].values() if isinstance(models[0], dict) else models[0]
        line = ["--generate", *files_of(command, models), *_prompts(prompt, given),
                *command.inputs(feeds), f"--json={file}"]
        text = command.run(line, options, needs=file).text
        return GenerationChain(text, command.json(file))

"""generate(): decoders step by step, and one against itself."""

from __future__ import annotations

import typing

from ._command import Command
from ._errors import Error
from ._shown import Printed


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


def _prompts(prompt: typing.Any) -> list[str]:
    """The options for token ids, one prompt or several."""
    if prompt is None:
        return []
    rows = [list(row) if hasattr(row, "__iter__") else row for row in prompt]
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

    left, right: models; a path may name several, as prompt.onnx+steps.onnx, or a folder of them.
    prompt: token ids, or a list of such lists. feeds: what stays the same, as an encoder's states.
    Other options are those of the command line: steps, free, state, role, against, causal, encoder, seed.
    Raises Error if nothing could be run.
    """
    with Command("generate") as command:
        models = [command.file_of(left, "left")]
        models.extend([command.file_of(right, "right")] if right is not None else [])
        file = command.folder / "generation.json"
        line = [*models, *_prompts(prompt), *command.inputs(feeds), f"--json={file}"]
        text = command.run(line, options, needs=file).text
        found = Generation(text, command.json(file))
        error = found.to_dict().get("error")
        if error and not found.steps and found.to_dict()["comparison"] is None:
            raise Error(error)
        return found

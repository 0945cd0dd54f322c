"""show(), fusions() and layers(): what models look like, without a run."""

from __future__ import annotations

import typing

from ._command import Command
from ._shown import Printed, Shown


class Drawing(Shown):
    """One model, or two side by side. str() is the text, a notebook shows the page, svg() and dot()
    draw it, and to_dict() has the nodes (docs/show.md)."""

    def __init__(self, forms: dict[str, typing.Any]) -> None:
        self._forms = forms

    def _text(self) -> str:
        return str(self._forms["text"])

    def html(self) -> str:
        """A page, to be kept or sent."""
        return str(self._forms["html"])

    def to_dict(self) -> typing.Any:
        """The JSON of the drawing (docs/show.md)."""
        return self._forms["json"]

    def svg(self) -> str:
        """A picture, without scripts."""
        return str(self._forms["svg"])

    def dot(self) -> str:
        """For Graphviz."""
        return str(self._forms["dot"])

    def __repr__(self) -> str:
        lines = self._text().splitlines()
        return f"<onnxcmp.Drawing {lines[0] if lines else ''}>"


def show(model: typing.Any, other: typing.Any = None, **options: typing.Any) -> Drawing:
    """Shows a model without running it, or two side by side as their structure pairs them.

    Options are those of the command line: around, hops, nodes, all, wide, dim, functions, width.
    """
    with Command("show") as command:
        models = [command.file_of(model, "model")]
        models.extend([command.file_of(other, "other")] if other is not None else [])
        forms: dict[str, typing.Any] = {}
        for form in ("text", "json", "html", "svg", "dot"):
            file = command.folder / f"shown.{form}"
            command.run([*models, f"--format={form}", f"--output={file}"], options, needs=file)
            forms[form] = command.json(file) if form == "json" else command.without_folder(
                file.read_text("utf-8", "replace"))
        return Drawing(forms)


class Listing(Printed):
    """A list of the command line: str() prints it, to_dict() has its members."""

    def __init__(self, text: str, json: typing.Any) -> None:
        self._printed = text
        self._json = json

    def to_dict(self) -> typing.Any:
        """The JSON of the command line."""
        return self._json

    def __repr__(self) -> str:
        lines = self._printed.splitlines()
        return f"<onnxcmp.Listing {lines[0] if lines else ''}>"


def _listing(command: Command, line: list[str | bytes], options: dict[str, typing.Any]) -> Listing:
    text = command.run(line, options).text
    file = command.folder / "listing.json"
    file.write_text(command.run([*line, "--format=json"], options).text, "utf-8")
    return Listing(text, command.json(file))


def fusions(model: typing.Any, **options: typing.Any) -> Listing:
    """The blocks that fuse in runtimes, whole or broken (docs/fusions.md)."""
    with Command("fusions") as command:
        return _listing(command, [command.file_of(model, "model")], options)


def layers(left: typing.Any, right: typing.Any, **options: typing.Any) -> Listing:
    """The layers of two engines, or of an engine and a model (docs/layers.md)."""
    with Command("layers") as command:
        sides = [command.file_of(left, "left"), command.file_of(right, "right")]
        return _listing(command, list(sides), options)

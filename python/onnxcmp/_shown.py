"""Texts and pages as IPython and notebooks show them."""

from __future__ import annotations

import html
import typing


class Text(str):
    """A text of several lines, which IPython and notebooks show as it is printed."""

    def _repr_pretty_(self, printer: typing.Any, cycle: bool) -> None:
        printer.text(str(self))


def frame(page: str) -> str:
    """A page, which loads nothing, inside another one."""
    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts" title="onnxcmp" '
        'style="display:block;box-sizing:border-box;width:100%;height:600px;'
        'border:1px solid #8884"></iframe>'
    )


class Printed:
    """Shows itself as the command line prints it."""

    _printed: str

    def _text(self) -> str:
        return self._printed

    def __str__(self) -> str:
        return self._text()

    def _repr_pretty_(self, printer: typing.Any, cycle: bool) -> None:
        # IPython in a terminal, and notebooks where nobody shows HTML; in a list it is a line.
        printer.text(repr(self) if cycle or printer.indentation else str(self))


class Shown(Printed):
    """The same, and in a notebook as its page."""

    def html(self) -> str:
        """The page of the command line: one file that loads nothing."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return frame(self.html())

"""The findings of a comparison without its sides: what pickle keeps."""

from __future__ import annotations

import typing
import zlib

from ._errors import Error

# Reports that members of a Comparison are read from.
_REPORTS = ("json", "json_head", "json_rows", "json_left", "json_right", "csv", "dot", "junit",
            "markdown", "svg")
_PAGE_BYTES = 2_000_000
_ROWS = ("folded", "all", "different")
_WIDTH = 100


class KeptComparison:
    """In the place of the extension's Comparison."""

    def __init__(self, core: typing.Any) -> None:
        self.verdict: str = core.verdict
        self.exit_status: int = core.exit_status
        self.set_name: str = core.set_name
        texts = {name: core.report(name) for name in _REPORTS}
        texts |= {f"table {rows}": core.table(_WIDTH, False, False, False, rows, False, False)
                  for rows in _ROWS}
        texts["html"] = core.html(_PAGE_BYTES)
        self._texts = {name: zlib.compress(text.encode("utf-8", "surrogatepass"))
                       for name, text in texts.items()}

    def _text(self, name: str) -> str:
        return zlib.decompress(self._texts[name]).decode("utf-8", "surrogatepass")

    def report(self, format: str) -> str:
        return self._text(format)

    def table(self, width: int, color: bool, ascii: bool, wide: bool, rows: str, nan: bool,
              coverage: bool) -> str:
        """As it was printed, 100 columns wide."""
        return self._text(f"table {rows}")

    def html(self, most_bytes: int) -> str:
        return self._text("html")

    def _no_sides(self, *_: typing.Any) -> typing.Any:
        raise Error(
            "this comparison was unpickled: its findings are here, its sides, whose values were "
            "asked for, are not",
            "FAILED_PRECONDITION",
        )

    feeds = values = explain = write_repros = _no_sides

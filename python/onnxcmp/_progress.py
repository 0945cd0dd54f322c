"""How far a comparison is, for those who wait for it."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import threading
import time
import typing

# Called with (run, nodes done, nodes, the node).
Tick = typing.Callable[[str, int, int, str], None]

_BEFORE_FIRST = 1.0  # seconds


def watches_signals() -> bool:
    """True on the thread on which Python handles signals."""
    return threading.current_thread() is threading.main_thread()


def in_notebook() -> bool:
    """True in the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    got = shell.get_ipython() if shell is not None else None
    return got is not None and "IPKernelApp" in getattr(got, "config", {})


class _Line:
    """A line on standard error that is rewritten, and erased at the end."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._drawn = False

    def tick(self, run: str, done: int, total: int, node: str) -> None:
        seconds = time.monotonic() - self._start
        if seconds < _BEFORE_FIRST:
            return
        text = f"{run}: {done} of {total} nodes, {seconds:.1f} s, {node}" if total else run
        width = shutil.get_terminal_size().columns - 1
        safe = "".join(c if c.isprintable() else "?" for c in text)[:width]
        sys.stderr.write(f"\r{safe:<{width}}" if not in_notebook() else f"\r{safe}   ")
        sys.stderr.flush()
        self._drawn = True

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K" if not in_notebook() else "\n")
            sys.stderr.flush()


def _new_bar(total: int) -> typing.Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a notebook without ipywidgets gets a plain bar
        from tqdm.auto import tqdm

        return tqdm(total=total, unit="node", leave=False)


class _Bar:
    """A bar of tqdm's, one for all runs."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._bar: typing.Any = None

    def tick(self, run: str, done: int, total: int, node: str) -> None:
        if time.monotonic() - self._start < _BEFORE_FIRST or not total:
            return
        if self._bar is None:
            self._bar = _new_bar(total)
        self._bar.set_description(run, refresh=False)
        self._bar.set_postfix_str(node, refresh=False)
        self._bar.total = total
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _shown() -> _Line | _Bar:
    if in_notebook() and importlib.util.find_spec("tqdm") is not None:
        return _Bar()
    return _Line()


class Progress:
    """What `progress=` of a call asks for: True, False, a function, or None: where somebody sees
    it."""

    def __init__(self, asked: bool | Tick | None) -> None:
        self._shown: _Line | _Bar | None = None
        self._call: Tick | None = None
        if callable(asked):
            self._call = asked
        elif asked or (asked is None and (sys.stderr is not None and sys.stderr.isatty())):
            self._shown = _shown()
        elif asked is None and in_notebook():
            self._shown = _shown()

    def tick(self) -> typing.Callable[[bytes, int, int, bytes], None] | None:
        """For the extension."""
        if self._call is None and self._shown is None:
            return None
        call = self._call if self._call is not None else self._shown.tick  # type: ignore[union-attr]

        def show(run: bytes, done: int, total: int, node: bytes) -> None:
            call(run.decode("utf-8", "replace"), done, total, node.decode("utf-8", "replace"))

        return show

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.close()

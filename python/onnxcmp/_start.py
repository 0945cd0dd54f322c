"""Words that start this package as a process. The folder where it starts must not say what is imported:
Python has an option for that (-P) from 3.11 on."""

from __future__ import annotations

import sys

_SAFE = "import sys; sys.path = [folder for folder in sys.path if folder]; "
_PROGRAM = 'import runpy; runpy.run_module("onnxcmp", run_name="__main__", alter_sys=True)'


def code(text: str) -> list[str]:
    """Runs these lines."""
    return [sys.executable, "-c", _SAFE + text]


def program() -> list[str]:
    """Runs the program; no word has a line break, with which ONNXCMP_BATCH_PYTHON separates them."""
    return code(_PROGRAM)

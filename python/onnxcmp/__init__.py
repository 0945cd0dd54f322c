"""Runs two ONNX models on the same inputs, compares every intermediate result and names causes.

    import onnxcmp
    c = onnxcmp.compare("before.onnx", "after.onnx")
    print(c)                 # the table
    c.verdict, bool(c)       # "close", True
    c.causes[0].text         # what differs by itself, and where

docs/python.md of the project has the rest. Modules: `onnxcmp.testing` for unit tests,
`onnxcmp.backend` for ONNX's own tests, `onnxcmp.runtimes`, `onnxcmp.compat` for scripts that were
written for onnx_array_api and onnx_diagnostic.
"""

from __future__ import annotations

import os as _os
import typing as _typing

from . import _level

# An older processor takes the extension that is compiled for it; a package that was built for one
# processor has none.
if not _level.is_x86_64_v3:
    __path__.insert(0, _os.path.join(__path__[0], "_older"))

# The module of each name; modules are imported on first use.
_HOMES = {
    "Batch": "_batch",
    "Bisection": "_chain",
    "Cause": "_objects",
    "Chain": "_chain",
    "Comparison": "_compare",
    "Diff": "_objects",
    "Drawing": "_show",
    "Edit": "_fix",
    "Error": "_errors",
    "Evaluator": "_evaluator",
    "Fix": "_fix",
    "Generation": "_generate",
    "GenerationChain": "_generate",
    "Listing": "_show",
    "Output": "_objects",
    "PairResult": "_batch",
    "Part": "_parts",
    "PartPair": "_parts",
    "Proof": "_proof",
    "RecordedResult": "_recording",
    "Recording": "_recording",
    "Result": "_objects",
    "Row": "_objects",
    "RunResult": "_evaluator",
    "Samples": "_samples",
    "Side": "_objects",
    "SparseTensor": "_values",
    "Statistics": "_objects",
    "Step": "_chain",
    "Trial": "_chain",
    "batch": "_batch",
    "bisect": "_chain",
    "chain": "_chain",
    "compare": "_compare",
    "cut": "_parts",
    "extract": "_parts",
    "fix": "_fix",
    "fusions": "_show",
    "generate": "_generate",
    "generate_chain": "_generate",
    "layers": "_show",
    "make_inputs": "_inputs",
    "record": "_record",
    "reduce": "_parts",
    "samples": "_samples",
    "show": "_show",
}
_MODULES = ("backend", "compat", "runtimes", "testing")

__all__ = ["__version__", *_HOMES, *_MODULES]

if _typing.TYPE_CHECKING:
    # "as" makes them exported for type checkers, which do not read what __all__ is computed from.
    from . import backend as backend
    from . import compat as compat
    from . import runtimes as runtimes
    from . import testing as testing
    from ._batch import Batch as Batch
    from ._batch import PairResult as PairResult
    from ._batch import batch as batch
    from ._chain import Bisection as Bisection
    from ._chain import Chain as Chain
    from ._chain import Step as Step
    from ._chain import Trial as Trial
    from ._chain import bisect as bisect
    from ._chain import chain as chain
    from ._compare import Comparison as Comparison
    from ._compare import compare as compare
    from ._errors import Error as Error
    from ._evaluator import Evaluator as Evaluator
    from ._evaluator import RunResult as RunResult
    from ._fix import Edit as Edit
    from ._fix import Fix as Fix
    from ._fix import fix as fix
    from ._generate import Generation as Generation
    from ._generate import GenerationChain as GenerationChain
    from ._generate import generate as generate
    from ._generate import generate_chain as generate_chain
    from ._inputs import make_inputs as make_inputs
    from ._objects import Cause as Cause
    from ._objects import Diff as Diff
    from ._objects import Output as Output
    from ._proof import Proof as Proof
    from ._objects import Result as Result
    from ._objects import Row as Row
    from ._objects import Side as Side
    from ._objects import Statistics as Statistics
    from ._parts import Part as Part
    from ._parts import PartPair as PartPair
    from ._parts import cut as cut
    from ._parts import extract as extract
    from ._parts import reduce as reduce
    from ._record import record as record
    from ._recording import RecordedResult as RecordedResult
    from ._recording import Recording as Recording
    from ._samples import Samples as Samples
    from ._samples import samples as samples
    from ._show import Drawing as Drawing
    from ._show import Listing as Listing
    from ._show import fusions as fusions
    from ._show import layers as layers
    from ._show import show as show
    from ._values import SparseTensor as SparseTensor

    __version__: str


def __getattr__(name: str) -> object:
    import importlib

    if name == "__version__":
        return importlib.import_module("._core", __name__).version
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

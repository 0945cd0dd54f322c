"""record(): keeps the results of a run."""

from __future__ import annotations

import typing

from . import _foreign, _runtime
from ._compare import compare
from ._errors import Error
from ._evaluator import Evaluator
from ._inputs import make_inputs
from ._recording import RecordedResult, Recording
from ._torch_modules import record_module


def _record_isolated(side: typing.Any, feeds: typing.Mapping[str, typing.Any] | None) -> Recording:
    """The results that it gives beside our evaluator."""
    compared = compare(side.model, side, feeds or None, causes=False, letters=False)
    if compared.right.error:
        raise Error(compared.right.error)
    seen = compared.right.results
    values = compared.values("right", range(len(seen)))
    return Recording(
        [
            RecordedResult(one.name, value, one.kind.upper(), one.op_type, one.domain, one.node)
            for one, value in zip(seen, values)
            if one.kind.upper() != "INITIALIZER" and one.depth == 0
        ],
        source=compared.right.source,
    )


def record(
    what: typing.Any,
    args: typing.Any = (),
    kwargs: typing.Mapping[str, typing.Any] | None = None,
) -> Recording:
    """Runs something once and keeps its results, with its inputs and in their order.

    A torch module (what every module in it gives, by its name), a model of any kind that compare()
    takes (what every node gives in our evaluator), a runtime of onnxcmp.runtimes, or a session of
    another package that compare() takes. `args`: a tuple for a module, a dict by the inputs' names
    for the others; without it inputs are made up for a model.
    """
    if hasattr(what, "named_modules") and hasattr(what, "forward"):
        given = tuple(args) if isinstance(args, (tuple, list)) else (args,)
        if isinstance(args, typing.Mapping):
            given, kwargs = (), {**args, **(kwargs or {})}
        return record_module(what, given, dict(kwargs or {}))
    what = _foreign.side_of(what)
    if _runtime.isolated(what):
        return _record_isolated(what, dict(args))
    if _runtime.is_runtime(what):
        return _runtime.record_runtime(what, dict(args))
    evaluator = what if isinstance(what, Evaluator) else Evaluator(what)
    args = args or make_inputs(evaluator)
    return Recording(
        [
            RecordedResult(r.name, r.value, r.kind, r.op_type, r.domain, r.node, r.path)
            for r in evaluator.results(dict(args))
            if r.depth == 0
        ]
    )

"""In the place of onnx_array_api.reference, and of onnx_diagnostic's max_diff and run_aligned.

Scripts that were written for these work when their import is changed:

    from onnxcmp.compat import ExtendedReferenceEvaluator, compare_onnx_execution

The table is theirs byte for byte, a thousand times faster. What it cannot show, onnxcmp.compare()
does.
"""

from __future__ import annotations

import dataclasses
import enum
import os
import tempfile
import typing

import numpy as np

from . import _core
from ._aligned import RunAlignedRecord, run_aligned
from ._evaluator import Evaluator
from ._max_diff import max_diff
from ._progress import watches_signals
from ._replay import ReplayConfiguration
from ._sides import is_path, model_source, path_bytes
from ._values import of_plain, to_plain

__all__ = [
    "DistanceExecution",
    "ExtendedReferenceEvaluator",
    "ReplayConfiguration",
    "ResultExecution",
    "ResultType",
    "RunAlignedRecord",
    "YieldEvaluator",
    "compare_onnx_execution",
    "generate_inputs",
    "make_summary",
    "max_diff",
    "run_aligned",
]


class ResultType(enum.IntEnum):
    """The kind of a result, by the numbers of onnx_array_api."""

    RESULT = 1
    INITIALIZER = 2
    SPARSE_INITIALIZER = 4
    INPUT = 8
    OUTPUT = 16
    NODE = 32

    def __repr__(self) -> str:
        return f"ResultType.{self.name}"


# By their numbers in the extension.
_KINDS = (
    ResultType.INITIALIZER,
    ResultType.INPUT,
    ResultType.RESULT,
    ResultType.OUTPUT,
    ResultType.NODE,
)


def _dtype_name(dtype: typing.Any) -> str:
    return "" if dtype is None or isinstance(dtype, int) else str(np.dtype(dtype))


def _dtype_of(name: str) -> typing.Any:
    if not name:
        return 0
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(object)


@dataclasses.dataclass
class ResultExecution:
    """The facts about a result; str() is its half of a row."""

    kind: ResultType
    dtype: typing.Any
    shape: tuple[int | str, ...] | None
    summary: str
    op_type: str | None
    name: str | None
    value: typing.Any = None

    def __len__(self) -> int:
        return 6

    def __getitem__(self, i: int) -> typing.Any:
        if not 0 <= i < 6:
            raise IndexError(f"{i} is not among 0 to 5")
        return (self.kind, self.dtype, self.shape, self.summary, self.op_type, self.name)[i]

    def __str__(self) -> str:
        return _core.classic_row_text(self._plain(False))

    def _plain(self, with_value: bool) -> tuple[typing.Any, ...]:
        kind = _KINDS.index(
            ResultType.INITIALIZER
            if self.kind == ResultType.SPARSE_INITIALIZER
            else ResultType(self.kind)
        )
        shape = None if self.shape is None else [
            dim if isinstance(dim, str) else int(dim) for dim in self.shape
        ]
        value = to_plain(self.value) if with_value and self.value is not None else None
        return (kind, _dtype_name(self.dtype), shape, self.summary, self.op_type or "",
                self.name or "", value)


def _result_of(row: tuple[typing.Any, ...]) -> ResultExecution:
    kind, dtype, shape, summary, op_type, name, value = row
    return ResultExecution(
        _KINDS[kind], _dtype_of(dtype), shape, summary, op_type or None, name, of_plain(value)
    )


def make_summary(value: typing.Any, length: int = 4, modulo: int = 26) -> str:
    """The letters of a value: sums of as many runs of its elements, each as a letter."""
    flat = np.asarray(value).reshape(-1)
    numbers = np.real(flat) if np.iscomplexobj(flat) else flat
    padded = np.zeros(-(-max(flat.size, length) // length) * length, dtype=np.float64)
    padded[: flat.size] = numbers.astype(np.float64)
    sums = padded if flat.size <= length else padded.reshape(length, -1).sum(axis=1)
    return "".join(
        chr(ord("A") + int(total) % modulo) if abs(total) < 1e10 else "?" for total in sums
    )


class ExtendedReferenceEvaluator(Evaluator):
    """The evaluator of onnxcmp with the arguments of the class of this name."""

    def __init__(
        self,
        proto: typing.Any,
        opsets: dict[str, int] | None = None,
        functions: typing.Any = None,
        verbose: int = 0,
        new_ops: typing.Any = None,
        **kwargs: typing.Any,
    ) -> None:
        if opsets is not None or functions:
            raise NotImplementedError("opsets and functions: those of the model count")
        super().__init__(proto, verbose=verbose, new_ops=new_ops, **kwargs)
        self.proto_ = proto

    def run(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any:
        """As ReferenceEvaluator.run(), or with one list of all inputs in order."""
        if len(args) == 1 and isinstance(args[0], list):
            return super().run(None, dict(zip(self.input_names, args[0])), **kwargs)
        return super().run(*args, **kwargs)


def _foreign_results(
    evaluator: typing.Any, feeds: dict[str, typing.Any], raise_exc: bool
) -> typing.Iterator[tuple[ResultType, str, typing.Any, str | None]]:
    """Of an evaluator that is made as onnx.reference.ReferenceEvaluator is."""
    results = {"": None, **evaluator.rt_inits_, **feeds}
    for name, value in evaluator.rt_inits_.items():
        yield ResultType.INITIALIZER, name, value, None
    for name, value in feeds.items():
        yield ResultType.INPUT, name, value, None
    for node in evaluator.rt_nodes_:
        context = {"context": results} if node.need_context() else {}
        try:
            values = node.run(*[results[name] for name in node.input], **context)
        except Exception:
            if raise_exc:
                raise
            return
        for name, value in zip(node.output, values):
            yield ResultType.RESULT, name, value, node.op_type
            results[name] = value
    for name in evaluator.output_names:
        yield ResultType.OUTPUT, name, results[name], None


class YieldEvaluator:
    """Gives the results of a model one by one."""

    def __init__(
        self, onnx_model: typing.Any, recursive: bool = False, cls: type | None = None
    ) -> None:
        if recursive:
            raise NotImplementedError("recursive=True")
        self.onnx_model = onnx_model
        self.evaluator = (cls or ExtendedReferenceEvaluator)(onnx_model)

    def enumerate_results(
        self,
        output_names: list[str] | None = None,
        feed_inputs: dict[str, typing.Any] | None = None,
        raise_exc: bool = True,
    ) -> typing.Iterator[tuple[ResultType, str, typing.Any, str | None]]:
        """Yields kind, name, value and operator of each result."""
        if not isinstance(self.evaluator, Evaluator):
            yield from _foreign_results(self.evaluator, feed_inputs or {}, raise_exc)
            return
        for row in self._rows(feed_inputs or {}, raise_exc, keep=True):
            if row.kind == ResultType.OUTPUT and output_names and row.name not in output_names:
                continue
            yield row.kind, row.name or "", row.value, row.op_type

    def enumerate_summarized(
        self,
        output_names: list[str] | None = None,
        feed_inputs: dict[str, typing.Any] | None = None,
        raise_exc: bool = True,
        keep_tensor: bool = False,
    ) -> typing.Iterator[ResultExecution]:
        """Yields a ResultExecution for each result."""
        if isinstance(self.evaluator, Evaluator):
            for row in self._rows(feed_inputs or {}, raise_exc, keep_tensor):
                if row.kind != ResultType.OUTPUT or not output_names or row.name in output_names:
                    yield row
            return
        for kind, name, value, op_type in self.enumerate_results(
            output_names, feed_inputs, raise_exc
        ):
            yield ResultExecution(kind, value.dtype, value.shape, make_summary(value), op_type,
                                  name, value if keep_tensor else None)

    def _rows(
        self, feeds: dict[str, typing.Any], raise_exc: bool, keep: bool
    ) -> list[ResultExecution]:
        given = self.evaluator._feeds(feeds)
        core = self.evaluator._core
        rows = _core.classic_rows(core, given, keep, raise_exc, watches_signals())
        return [_result_of(row) for row in rows]


_DEFAULT_COSTS = (50, 1000, 10, 100, 10, 1000)


class DistanceExecution:
    """How unlike results and sequences of them are."""

    float_types: set[np.dtype[typing.Any]] = {np.dtype("float16"), np.dtype("float32"), np.dtype("float64")}

    def __init__(self, max_lag: int = 50) -> None:
        self.kind_cost = 1000
        self.type_cost = 10
        self.rank_cost = 100
        self.op_type_cost = 10
        self.max_lag = max_lag
        self.insert_cost = 1000

    def _is_default(self) -> bool:
        costs = (self.max_lag, self.kind_cost, self.type_cost, self.rank_cost, self.op_type_cost,
                 self.insert_cost)
        return costs == _DEFAULT_COSTS

    def distance_pair(self, r1: ResultExecution, r2: ResultExecution) -> float:
        """The cost of pairing two results."""
        cost: float = self.kind_cost * (r1.kind != r2.kind)
        if _dtype_name(r1.dtype) != _dtype_name(r2.dtype):
            floats = {_dtype_name(r1.dtype), _dtype_name(r2.dtype)} <= {
                dtype.name for dtype in self.float_types
            }
            cost += self.type_cost * (0.2 if floats else 1)
        if r1.shape != r2.shape:
            cost += self._shape_cost(r1.shape, r2.shape)
        cost += sum(abs(ord(a) - ord(b)) for a, b in zip(r1.summary, r2.summary))
        if (r1.op_type or None) != (r2.op_type or None):
            cost += self.op_type_cost
        return cost

    def _shape_cost(self, one: typing.Any, other: typing.Any) -> float:
        if one is None or other is None:
            return self.rank_cost
        if any(isinstance(dim, str) for dim in (*one, *other)):
            if len(one) != len(other):
                return self.rank_cost
            return sum(
                abs(a - b) if isinstance(a, int) and isinstance(b, int)
                else self.rank_cost / 2 * (a != b)
                for a, b in zip(one, other)
            )
        cost = abs(int(np.prod(one, dtype=object)) - int(np.prod(other, dtype=object)))
        if len(one) != len(other):
            return self.rank_cost + cost
        return cost + sum(abs(a - b) for a, b in zip(one, other))

    def distance_sequence(
        self, s1: list[ResultExecution], s2: list[ResultExecution]
    ) -> tuple[float, list[tuple[int, int]]]:
        """The cost of the cheapest alignment of two sequences, and that alignment."""
        if not self._is_default():
            return self._sequence(s1, s2)
        way = _core.classic_align([r._plain(False) for r in s1], [r._plain(False) for r in s2])
        cost, last = 0.0, (-1, -1)
        for i, j in way:
            paired = (i, j) == (last[0] + 1, last[1] + 1)
            cost += self.distance_pair(s1[i], s2[j]) if paired else self.insert_cost
            last = (i, j)
        return cost, way

    def _sequence(
        self, s1: list[ResultExecution], s2: list[ResultExecution]
    ) -> tuple[float, list[tuple[int, int]]]:
        """The same for other costs."""
        lag = max(self.max_lag, abs(len(s2) - len(s1)) + 1)
        best: dict[tuple[int, int], tuple[float, tuple[int, int] | None]] = {(-1, -1): (0, None)}
        for i in range(len(s1)):
            for j in range(max(0, i - lag), min(len(s2), i + lag)):
                steps = (
                    ((i - 1, j - 1), lambda: self.distance_pair(s1[i], s2[j])),
                    ((i - 1, j), lambda: self.insert_cost),
                    ((i, j - 1), lambda: self.insert_cost),
                )
                for before, cost in steps:
                    if before in best:
                        total = best[before][0] + cost()
                        if (i, j) not in best or total < best[i, j][0]:
                            best[i, j] = (total, before)
        end = (len(s1) - 1, len(s2) - 1)
        way, at = [], end
        while at is not None and at != (-1, -1):
            way.append(at)
            at = best[at][1]  # type: ignore[assignment]
        return best[end][0], way[::-1]

    def to_str(
        self,
        s1: list[ResultExecution],
        s2: list[ResultExecution],
        alignment: list[tuple[int, int]],
        column_size: int = 60,
    ) -> str:
        """The table."""
        keep = any(r.value is not None for r in s1) and any(r.value is not None for r in s2)
        return _core.classic_table(
            [r._plain(keep) for r in s1],
            [r._plain(keep) for r in s2],
            [(int(i), int(j)) for i, j in alignment],
            int(column_size),
            keep,
        )


def generate_inputs(model: typing.Any) -> list[typing.Any]:
    """Ramps for the inputs that need a value."""
    evaluator = model if isinstance(model, Evaluator) else Evaluator(model)
    return [of_plain(plain) for _, plain in evaluator._core.ramps()]


def _node_rows(model: typing.Any) -> list[ResultExecution]:
    if is_path(model):
        path = path_bytes(model)
        return [_result_of(row) for row in _core.classic_node_rows(path, b"")]
    source = model_source(model, "model")
    if source[0] == "file":
        return _node_rows(os.fsdecode(source[1]))
    with tempfile.TemporaryDirectory(prefix="onnxcmp-") as folder:
        file = os.path.join(folder, "model.onnx")
        with open(file, "wb") as writer:
            writer.write(source[2])
        rows = _core.classic_node_rows(os.fsencode(file), b".")
    return [_result_of(row) for row in rows]


def _feeds_of(
    evaluators: tuple[typing.Any, typing.Any], inputs: typing.Any
) -> tuple[dict[str, typing.Any], dict[str, typing.Any]]:
    if isinstance(inputs, tuple):
        if len(inputs) != 2 or not all(isinstance(one, dict) for one in inputs):
            raise ValueError("inputs are a list of arrays or two dicts of them, one for each model")
        return inputs[0], inputs[1]
    if isinstance(inputs, dict):
        return inputs, inputs
    first, second = (dict(zip(one.input_names, inputs)) for one in evaluators)
    return first, second


def compare_onnx_execution(
    model1: typing.Any,
    model2: typing.Any,
    inputs: typing.Any = None,
    verbose: int = 0,
    raise_exc: bool = True,
    mode: str = "execute",
    keep_tensor: bool = False,
    cls: type | None = None,
) -> tuple[
    list[ResultExecution], list[ResultExecution], list[tuple[int, int]], DistanceExecution
]:
    """The results of both models, their alignment, and what makes a table of them.

    inputs: a list for both in the order of their inputs, two dicts (one for each), or None: ramps.
    mode: "execute", or "nodes": without running. keep_tensor: the table has errors of pairs.
    """
    if mode not in ("execute", "nodes"):
        raise ValueError(f"mode: 'execute' or 'nodes', not {mode!r}")
    if mode == "nodes":
        res1, res2 = _node_rows(model1), _node_rows(model2)
    else:
        yields = [YieldEvaluator(model, cls=cls) for model in (model1, model2)]
        if inputs is None:
            if verbose:
                print("[compare_onnx_execution] generate inputs")
            inputs = generate_inputs(model1)
        feeds = _feeds_of((yields[0].evaluator, yields[1].evaluator), inputs)
        res1, res2 = (
            list(one.enumerate_summarized(None, fed, raise_exc=raise_exc, keep_tensor=keep_tensor))
            for one, fed in zip(yields, feeds)
        )
    if verbose:
        print(f"[compare_onnx_execution] got {len(res1)} results (first model)")
        print(f"[compare_onnx_execution] got {len(res2)} results (second model)")
    distance = DistanceExecution()
    _, align = distance.distance_sequence(res1, res2)
    if verbose:
        print(f"[compare_onnx_execution] got {len(align)} pairs")
    return res1, res2, align, distance

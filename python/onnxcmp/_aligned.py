"""An exported program of torch beside the model that was made of it, node by node."""

from __future__ import annotations

import dataclasses
import os
import typing

import numpy as np

from ._aligned_runs import (
    INITIALIZER,
    OnnxResult,
    See,
    recording_of,
    results_of,
    run_by_node,
    run_ours,
    run_program,
)
from ._errors import Error
from ._evaluator import Evaluator
from ._max_diff import max_diff
from ._replay import ReplayConfiguration, dump_replay
from ._sides import model_source
from ._values import onnx_type_of, to_array

_HIST = [0.1, 0.01]


@dataclasses.dataclass
class RunAlignedRecord:
    """A result of the program (ep_...), of the model (onnx_...), or of both, with what is between
    them: err_abs and err_rel the greatest errors, err_dev 1 if they are on different devices,
    err_nan elements that are NaN on one side alone, err_h01 and err_h001 elements that are more
    than 0.1 and 0.01 apart. The same with a 2 at the end: when the model is fed the program's values
    at every result that both have. Node numbers are those of `ep.graph.nodes` and
    `model.graph.node`, -1 for initializers and inputs; times are seconds."""

    ep_id_node: int | None = None
    onnx_id_node: int | None = None
    ep_name: str | None = None
    onnx_name: str | None = None
    ep_target: str | None = None
    onnx_op_type: str | None = None
    onnx_id_output: int | None = None
    ep_shape_type: str | None = None
    onnx_shape_type: str | None = None
    err_abs: float | None = None
    err_rel: float | None = None
    err_dev: float | None = None
    err_nan: float | None = None
    err_h01: float | None = None
    err_h001: float | None = None
    ep_time_run: float | None = None
    onnx_time_run: float | None = None
    err_abs2: float | None = None
    err_rel2: float | None = None
    err_dev2: float | None = None
    err_nan2: float | None = None
    err_h012: float | None = None
    err_h0012: float | None = None
    comment: str | None = None

    def set_diff(self, diff: dict[str, typing.Any], end: str = "") -> None:
        """Takes what max_diff() gave; end: "2" for the second error."""
        for key, name in (("abs", "err_abs"), ("rel", "err_rel"), ("dev", "err_dev"),
                          ("dnan", "err_nan")):
            if key in diff:
                setattr(self, f"{name}{end}", diff[key])
        if "rep" in diff:
            setattr(self, f"err_h01{end}", diff["rep"][">0.1"])
            setattr(self, f"err_h001{end}", diff["rep"][">0.01"])

    @property
    def key(self) -> tuple[typing.Any, ...]:
        """The nodes and names of the pair, by which records are told apart."""
        return (self.ep_id_node, self.onnx_id_node, self.onnx_id_output, self.ep_name,
                self.onnx_name)


def _shape_type(value: typing.Any) -> str:
    """A value in the form of onnx_diagnostic's string_type(): CT1s2x3, A1s2x3."""
    if isinstance(value, (bool, int, float)):
        return type(value).__name__
    if not hasattr(value, "shape"):
        return type(value).__name__
    prefix = "A"
    if hasattr(value, "device") and type(value).__module__.startswith("torch"):
        prefix = "CT" if value.device.type == "cpu" else "GT"
    number = onnx_type_of(to_array(value))
    return f"{prefix}{number}s{'x'.join(str(int(dim)) for dim in value.shape)}"


def _agree(theirs: typing.Any, ours: typing.Any) -> bool:
    """To three digits of the greatest element."""
    one, other = to_array(theirs), to_array(ours)
    if one.dtype != other.dtype or not one.size or one.dtype.kind in "OSU":
        return False
    one, other = one.astype(np.float64), other.astype(np.float64)
    scale = np.abs(one).max()
    return bool(np.isfinite(scale) and np.abs(one - other).max() <= 1e-3 * scale)


def _same_form(value: typing.Any, initializer: OnnxResult) -> bool:
    return tuple(getattr(value, "shape", ())) == initializer.shape


def _as_theirs(ours: typing.Any, theirs: typing.Any) -> typing.Any:
    """Our weight, transposed where an exporter has written the program's weight so."""
    if np.ndim(ours) != 2 or np.ndim(theirs) != 2:
        return ours
    one, other = to_array(ours), to_array(theirs)
    if one.T.shape != other.shape:
        return ours
    turned = one.shape != other.shape or (
        one.dtype == other.dtype and not np.array_equal(one, other)
        and np.array_equal(one.T, other)
    )
    return one.T if turned else ours


class _Aligned:
    """Both runs, and which results belong together."""

    def __init__(self, program: typing.Any, model: typing.Any, args: typing.Any,
                 kwargs: typing.Any, runner: typing.Any, weights: bool) -> None:
        """weights: data that the model has in other files is wanted, too."""
        import onnx

        from ._compare import compare

        self.torch, outputs = run_program(program, tuple(args or ()), dict(kwargs or {}))
        source = model_source(model, "the model")
        if source[0] == "file":
            self.proto = onnx.load(os.fsdecode(source[1]), load_external_data=weights)
        else:
            self.proto = onnx.load_from_string(source[2])
        self.model = model
        self.runner = runner
        self.known = results_of(self.proto.graph)
        compared = compare(recording_of(self.torch, outputs), model, causes=False, letters=False,
                           partial=True)
        if compared.right.error:
            raise Error(compared.right.error)
        self.feeds = compared.feeds("right")
        self.pairs: dict[str, str] = {}  # of the model's names to the program's
        self.found = self.run(lambda name: False)
        self.pairs = self._pairs(compared, outputs)

    def _pairs(self, compared: typing.Any, outputs: list[str]) -> dict[str, str]:
        """Outputs by their order, weights by their names, then what agrees; of what is left on both
        sides equal names, then what compare() says of it."""
        pairs: dict[str, str] = {}
        names = [one.name for one in self.proto.graph.output]
        if len(names) == len(outputs):
            pairs.update(zip(names, outputs))
        for name, one in self.torch.items():
            ours = one.weight if one.weight is not None else name if one.is_input else None
            if ours in self.known and (one.is_input or _same_form(one.value, self.known[ours])):
                pairs[ours] = name
        self._take_rows(compared, True, pairs)
        self._take_equal(pairs)
        taken = set(pairs.values())
        for name in self.known:
            if name in self.torch and name not in pairs and name not in taken:
                pairs[name] = name
        self._take_rows(compared, False, pairs)
        return {ours: torch for ours, torch in pairs.items() if torch in self.torch}

    def _take_rows(self, compared: typing.Any, agreeing: bool, pairs: dict[str, str]) -> None:
        """Adds pairs of rows that agree, or that do not. Of several results of the program that have
        the same value the one of the same name is taken, else the first."""
        right, left = compared.right.results, compared.left.results
        placeholders = {name for name in pairs.values()
                        if name in self.torch and self.torch[name].is_placeholder}
        taken = set() if agreeing else set(pairs.values())
        for row in compared.rows:
            if (row.relation != "different") != agreeing or not row.left or not row.right:
                continue
            for ours in (right[i] for i in row.right):
                if ours.depth or ours.name in pairs or ours.name not in self.known:
                    continue
                constant = self.known[ours.name].node == INITIALIZER
                fit = [
                    theirs.name
                    for theirs in (left[i] for i in row.left)
                    if theirs.name in self.torch
                    and theirs.name not in placeholders
                    and theirs.name not in taken
                    and self.torch[theirs.name].is_placeholder == constant
                    # Values that agree in another shape are the same in another layout.
                    and (self._same_shape(ours.name, theirs.name) or not (agreeing or constant)
                         or (constant and self._is_transposed(ours.name, theirs.name)))
                ]
                if fit:
                    pairs[ours.name] = ours.name if ours.name in fit else fit[0]

    def _same_shape(self, ours: str, theirs: str) -> bool:
        return ours in self.found and (
            np.shape(self.found[ours].value) == np.shape(self.torch[theirs].value)
        )

    def _is_transposed(self, ours: str, theirs: str) -> bool:
        value = self.torch[theirs].value
        return ours in self.found and np.array_equal(
            _as_theirs(self.found[ours].value, value), to_array(value))

    def _take_equal(self, pairs: dict[str, str]) -> None:
        """Adds pairs of what is left on both sides and agrees: compare() prefers equal names where
        each side has several such."""
        taken = set(pairs.values())
        left = [name for name, one in self.torch.items()
                if name not in taken and not one.is_placeholder]
        for name, one in self.found.items():
            if name in pairs or one.node == INITIALIZER:
                continue
            for theirs in left:
                if self._same_shape(name, theirs) and _agree(self.torch[theirs].value, one.value):
                    pairs[name] = theirs
                    left.remove(theirs)
                    break

    def run(self, replaced: typing.Callable[[str], bool]) -> dict[str, OnnxResult]:
        """The model's results; those of the names that `replaced` says get the program's values for
        what comes after them."""
        found: dict[str, OnnxResult] = {}

        def see(name: str, value: typing.Any, seconds: float | None) -> typing.Any:
            if name not in self.known:
                return None
            found[name] = dataclasses.replace(self.known[name], value=value, seconds=seconds)
            if name not in self.pairs or not replaced(name):
                return None
            given = to_array(self.torch[self.pairs[name]].value, name)
            array = to_array(value, name) if hasattr(value, "shape") else None
            if array is None or array.shape != given.shape or array.dtype != given.dtype:
                return None
            return given

        if self.runner is None:
            run_ours(self.model, self.feeds, see)
        else:
            self.runner(self.proto, self.feeds, see)
        return found


def _runner(run_cls: typing.Any, verbose: int, use_tensor: bool) -> typing.Any:
    """None: our evaluator."""
    if run_cls is None or isinstance(run_cls, type) and issubclass(run_cls, Evaluator):
        return None
    if not callable(run_cls):
        raise TypeError(f"run_cls={run_cls!r} makes no evaluator of a node")
    import inspect

    taken = inspect.signature(run_cls).parameters

    def run(proto: typing.Any, feeds: dict[str, typing.Any], see: See) -> None:
        options = {
            "ir_version": proto.ir_version,
            "opsets": {one.domain: one.version for one in proto.opset_import},
            "verbose": max(verbose - 1, 0),
            "providers": ["CPUExecutionProvider"],
        }
        run_by_node(proto, run_cls, {k: v for k, v in options.items() if k in taken}, feeds, see,
                     use_tensor)

    return run


def _of_placeholders(both: _Aligned, found: dict[str, OnnxResult]
                     ) -> typing.Iterator[RunAlignedRecord]:
    """Records of inputs and weights, which are there before any node runs."""
    taken = {torch: ours for ours, torch in both.pairs.items()
             if both.known[ours].node == INITIALIZER}
    for name, one in both.known.items():
        if one.op_type == "initializer" and name not in both.pairs and name in found:
            yield RunAlignedRecord(onnx_id_node=INITIALIZER, onnx_name=name,
                                   onnx_op_type="initializer",
                                   onnx_shape_type=_shape_type(found[name].value))
    for name, torch_one in both.torch.items():
        if not torch_one.is_placeholder:
            continue
        record = RunAlignedRecord(ep_id_node=torch_one.node, ep_name=name,
                                  ep_target="input" if torch_one.is_input else "placeholder",
                                  ep_shape_type=_shape_type(torch_one.value))
        ours = taken.get(name)
        if ours is not None and ours in found:
            record.onnx_id_node, record.onnx_name = INITIALIZER, ours
            record.onnx_op_type = "input" if torch_one.is_input else "initializer"
            record.onnx_shape_type = _shape_type(found[ours].value)
            if not torch_one.is_input:
                value = _as_theirs(found[ours].value, torch_one.value)
                record.set_diff(max_diff(torch_one.value, value, hist=_HIST))
                record.comment = None if value is found[ours].value else "transposed"
        yield record


def run_aligned(
    ep: typing.Any,
    onx: typing.Any,
    run_cls: typing.Any = None,
    args: typing.Sequence[typing.Any] | None = None,
    kwargs: typing.Mapping[str, typing.Any] | None = None,
    use_tensor: bool = False,
    atol: float | None = None,
    rtol: float | None = None,
    verbose: int = 0,
    exc: bool = True,
    reset_names: typing.Iterable[str] | None = None,
    replay_configuration: ReplayConfiguration | None = None,
    run_onnx_with_torch_inputs: bool = False,
) -> typing.Iterator[RunAlignedRecord]:
    """Runs a torch.export.ExportedProgram and a model that was made of it on the same inputs, and
    gives a record for each result that both have, for inputs, and for weights.

    In the place of onnx_diagnostic.torch_onnx.sbs.run_aligned. Results are paired by name, and
    where names differ as compare() pairs them. run_cls: what runs a node (None: our evaluator runs
    the model); args, kwargs: the program's inputs. With run_onnx_with_torch_inputs each record has a
    second error: that of the nodes between it and the results before it that both have, on the
    program's values for these. reset_names: results of the program that the model goes on with in
    the place of its own. What is beyond atol or rtol says so in its comment; with exc=False a model
    that fails ends the records instead of raising. replay_configuration: which differences are
    written as small models."""
    reset = {reset_names} if isinstance(reset_names, str) else set(reset_names or ())
    try:
        runner = _runner(run_cls, verbose, use_tensor)
        both = _Aligned(ep, onx, args, kwargs, runner,
                        weights=runner is not None or replay_configuration is not None)
        found = both.run(lambda name: both.pairs[name] in reset) if reset else both.found
        fed = both.run(lambda name: True) if run_onnx_with_torch_inputs else {}
    except Error as error:
        if exc:
            raise
        yield RunAlignedRecord(comment=str(error))
        return
    unknown = reset - set(both.torch)
    if unknown:
        raise ValueError(f"reset_names: the program has no result {sorted(unknown)[0]!r}")
    yield from _of_placeholders(both, found)
    for name, one in found.items():
        if one.node == INITIALIZER or name not in both.pairs:
            continue
        record = _record_of(both, name, one, fed.get(name), atol, rtol)
        if verbose:
            print(f"[run_aligned] {record.ep_name} / {name}: abs={record.err_abs}, "
                  f"rel={record.err_rel}")
        yield record
        if replay_configuration is not None and replay_configuration.select(
            name=name, op_type=one.op_type, err_abs=record.err_abs
        ):
            dump_replay(replay_configuration, both.proto, name,
                        {key: value.value for key, value in found.items()},
                        {ours: both.torch[torch].value for ours, torch in both.pairs.items()})
        if record.ep_name in reset:
            yield dataclasses.replace(record, onnx_op_type="reset", err_abs=0.0, err_rel=0.0)


def _record_of(
    both: _Aligned, name: str, one: OnnxResult, fed: OnnxResult | None,
    atol: float | None, rtol: float | None,
) -> RunAlignedRecord:
    theirs = both.torch[both.pairs[name]]
    record = RunAlignedRecord(
        ep_id_node=theirs.node, onnx_id_node=one.node, ep_name=both.pairs[name], onnx_name=name,
        ep_target=theirs.target, onnx_op_type=one.op_type, onnx_id_output=one.output,
        ep_shape_type=_shape_type(theirs.value), onnx_shape_type=_shape_type(one.value),
        ep_time_run=theirs.seconds, onnx_time_run=one.seconds,
    )
    record.set_diff(max_diff(theirs.value, one.value, hist=_HIST))
    if fed is not None:
        record.set_diff(max_diff(theirs.value, fed.value, hist=_HIST), "2")
    beyond = [
        f"{key} error {error:.3g} beyond {limit:g}"
        for key, error, limit in (("absolute", record.err_abs, atol), ("relative", record.err_rel, rtol))
        if limit is not None and error is not None and not error <= limit
    ]
    record.comment = "; ".join(beyond) or None
    return record

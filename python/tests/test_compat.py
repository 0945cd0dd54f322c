"""In the place of onnx_array_api.reference and of onnx_diagnostic's max_diff."""

import re

import numpy as np
import onnx
import pytest
from conftest import ROOT
from onnx.reference import ReferenceEvaluator

from onnxcmp.compat import (
    DistanceExecution,
    ExtendedReferenceEvaluator,
    ResultExecution,
    ResultType,
    compare_onnx_execution,
    make_summary,
    max_diff,
)

LLM = ROOT / "testdata/models/llm"


def lines(text, fragile):
    """Rows; of those whose letters depend on the last bit of a sum, without letters."""
    made = []
    for number, line in enumerate(text.split("\n"), 1):
        line = re.sub(r"\| a=\S+ r=\S+", "| a= r=", line)
        if number in fragile:
            line = re.sub(r" [A-Z?]{4} ", " **** ", line.replace("~ |", "= |", 1))
        made.append(line)
    return made


@pytest.mark.parametrize("table, options, fed, fragile", [
    ("llm_default", {}, False, {41, 49, 52}),
    ("llm_inputs", {}, True, {41, 49, 52}),
    ("llm_keep", {"keep_tensor": True}, True, {41, 49, 52}),
    ("llm_nodes", {"mode": "nodes"}, False, set()),
])
def test_is_the_other_tools_table(table, options, fed, fragile):
    left, right = (onnx.load(LLM / f"{name}.onnx") for name in ("plain", "optimized"))
    inputs = None
    if fed:
        given = np.load(LLM / "inputs.npz")
        feeds = {name: given[name] for name in given.files}
        inputs = (feeds, feeds)
    res1, res2, align, distance = compare_onnx_execution(left, right, inputs=inputs, **options)
    text = distance.to_str(res1, res2, align, column_size=60)
    want = (ROOT / f"testdata/classic/{table}.txt").read_text().removesuffix("\n")
    assert lines(text, fragile) == lines(want, fragile)


def test_results(plain, x):
    res1, res2, align, distance = compare_onnx_execution(plain, plain, [x], keep_tensor=True)
    assert align == [(i, i) for i in range(len(res1))]
    b = next(r for r in res1 if r.name == "b")
    assert b.kind == ResultType.RESULT and b.dtype == np.float32 and b.shape == (3, 4)
    assert b[3] == b.summary == make_summary(b.value) and len(b) == 6
    assert distance.distance_pair(b, b) == 0 and str(b).startswith("RESULT float32  2:3x4")
    cost, again = distance.distance_sequence(res1, res2)
    assert (cost, again) == (0, align)


def test_costs_of_ones_own(plain, wrong, x):
    res1, res2, align, distance = compare_onnx_execution(plain, wrong, [x])
    same = DistanceExecution()
    assert same._sequence(res1, res2) == same.distance_sequence(res1, res2)
    same.insert_cost = 0
    assert len(same.distance_sequence(res1, res2)[1]) > len(align)


def test_evaluator_of_another_class(plain, x):
    ours = compare_onnx_execution(plain, plain, [x])[0]
    theirs = compare_onnx_execution(plain, plain, [x], cls=ReferenceEvaluator)[0]
    assert [(r.kind, r.name, r.shape) for r in ours] == [(r.kind, r.name, r.shape) for r in theirs]


def test_evaluator_takes_a_list(plain, x):
    e = ExtendedReferenceEvaluator(plain)
    np.testing.assert_array_equal(e.run([x])[0], e.run(None, {"x": x})[0])
    with pytest.raises(NotImplementedError):
        ExtendedReferenceEvaluator(plain, functions=[object])


def test_rows_of_ones_own():
    one = ResultExecution(ResultType.RESULT, np.dtype("float32"), (2, 2), "CEIO", "Abs", "Z")
    other = ResultExecution(ResultType.RESULT, np.dtype("float64"), (2, 3), "CEIP", "Neg", "Z")
    d = DistanceExecution()
    assert d.distance_pair(one, other) == 2 + (2 + 1) + 1 + 10
    assert d.to_str([one], [other], [(0, 0)], 20).startswith("001 ~ | RESULT float32  2:2x")


@pytest.mark.parametrize("value, letters", [
    (np.array([0, 1, 2, 27]), "ABCB"),
    (np.array([], np.float32), "AAAA"),
    (np.array([np.nan, np.inf, 1e10, -1]), "???Z"),
    (np.arange(8), "BFJN"),
])
def test_summary(value, letters):
    assert make_summary(value) == letters


def test_max_diff():
    x = np.array([1.0, 2.0, np.nan], np.float32)
    y = np.array([1.0, 2.5, np.nan], np.float32)
    found = max_diff(x, y)
    assert found["abs"] == 0.5 and found["sum"] == 0.5 and found["n"] == 3 and found["dnan"] == 0
    assert found["rel"] == pytest.approx(0.5 / 2.001) and found["argm"] == (1,)
    assert max_diff(x, y[:2])["abs"] == np.inf
    assert max_diff([x, x], [x, y])["abs"] == 0.5 and max_diff([x, x], [x, y])["n"] == 6
    assert max_diff({"a": x}, {"b": x})["abs"] == np.inf
    assert max_diff({"a": x}, {"a": y})["abs"] == 0.5
    assert max_diff(x, np.array([1, 2, 3], np.float32))["dnan"] == 1
    assert max_diff([[x], x], [x, x], flatten=True)["abs"] == 0
    assert max_diff(None, None)["n"] == 0
    assert max_diff(x, y, hist=True)["rep"][">0.1"] == 1
    assert max_diff(x, [y])["abs"] == 0.5
    assert max_diff(1.0, 3)["abs"] == 2
    assert max_diff([x, y], [y, y], begin=1)["abs"] == 0


def test_max_diff_of_torch():
    torch = pytest.importorskip("torch")
    x = torch.ones(3)
    assert max_diff(x, x + 1)["dev"] == 0 and max_diff(x, x.numpy())["dev"] == 0
    assert max_diff([x, x], [x, x])["dev"] == 0

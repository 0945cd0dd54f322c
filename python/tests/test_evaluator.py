"""Evaluator, in the place of ReferenceEvaluator and InferenceSession."""

import threading

import numpy as np
import pytest
from conftest import info, layers, model_of
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import onnxcmp


def test_is_what_the_reference_gives(plain, x):
    want = ReferenceEvaluator(plain).run(None, {"x": x})
    got = onnxcmp.Evaluator(plain).run(None, {"x": x})
    assert len(got) == 1 and got[0].dtype == want[0].dtype
    np.testing.assert_allclose(got[0], want[0], rtol=1e-5, atol=1e-6)


def test_names_and_types(plain):
    e = onnxcmp.Evaluator(plain)
    assert e.input_names == ["x"] and e.output_names == ["y"]
    (given,) = e.get_inputs()
    assert (given.name, given.type, given.shape) == ("x", "tensor(float)", ["n", 4])
    assert e.get_outputs()[0].name == "y"


def test_some_outputs_and_intermediate_results(plain, x):
    e = onnxcmp.Evaluator(plain)
    b, y = e.run(["b", "y"], {"x": x})
    every = e.run(None, {"x": x}, intermediate=True)
    np.testing.assert_array_equal(every["b"], b)
    np.testing.assert_array_equal(every["y"], y)
    assert {"x", "w0", "a", "b", "c", "y"} <= set(every)
    with pytest.raises(onnxcmp.Error, match="nobody"):
        e.run(["nobody"], {"x": x})
    assert e.run(["y", "y"], {"x": x})[1].shape == (3, 4)


def test_outputs_can_be_written_to(plain, x):
    e = onnxcmp.Evaluator(plain)
    first = e.run(None, {"x": x})[0]
    kept = first.copy()
    first += 1
    np.testing.assert_array_equal(e.run(None, {"x": x})[0], kept)
    # An output that is a weight, or the input itself, is a copy.
    nodes = [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Identity", ["w"], ["z"])]
    same = onnxcmp.Evaluator(
        model_of(nodes, [info("x")], [info("y"), info("z")], [("w", np.ones((1, 4), np.float32))])
    )
    big = np.zeros((1 << 18, 4), np.float32)
    y, z = same.run(None, {"x": big})
    y += 1
    z += 1
    assert big.max() == 0
    np.testing.assert_array_equal(same.run(None, {"x": big})[1], np.ones((1, 4)))


def test_observer(plain, x):
    seen = []
    e = onnxcmp.Evaluator(plain)
    e.run(None, {"x": x}, observer=lambda r: seen.append((r.kind, r.name, r.op_type)))
    assert ("RESULT", "b", "LayerNormalization") in seen and seen[-1][:2] == ("OUTPUT", "y")

    def replace(result):
        return np.zeros_like(result.value) if result.name == "b" else None

    np.testing.assert_array_equal(e.run(None, {"x": x}, observer=replace)[0], np.zeros((3, 4)))

    def fail(result):
        raise RuntimeError(f"enough at {result.name}")

    with pytest.raises(RuntimeError, match="enough at"):
        e.run(None, {"x": x}, observer=fail)
    with pytest.raises(ValueError):
        e.results({"x": x})[0].value[...] = 1


def test_results_of_subgraphs():
    body = helper.make_graph(
        [
            helper.make_node("Add", ["v", "v"], ["w"]),
            helper.make_node("Identity", ["c"], ["go"]),
        ],
        "body",
        [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []), info("v")],
        [info("go", TensorProto.BOOL, []), info("w")],
    )
    loop = model_of(
        [helper.make_node("Loop", ["trips", "", "x"], ["y"], name="loop", body=body)],
        [info("x")], [info("y")], [("trips", np.array(3))],
    )
    results = onnxcmp.Evaluator(loop).results({"x": np.ones((1, 4), np.float32)})
    inner = [r for r in results if r.name == "w"]
    assert [r.path for r in inner] == ["loop[0]", "loop[1]", "loop[2]"]
    assert inner[-1].depth == 1 and inner[-1].value.max() == 8


def test_in_double(plain, x):
    single = onnxcmp.Evaluator(plain).run(None, {"x": x})[0]
    double = onnxcmp.Evaluator(plain, in_double=True).run(None, {"x": x})[0]
    assert double.dtype == np.float64 and np.abs(double - single).max() < 1e-5


def test_errors_tell_where(x):
    nodes = [helper.make_node("Gather", ["x", "i"], ["y"], name="look")]
    e = onnxcmp.Evaluator(model_of(nodes, [info("x")], [info("y")], [("i", np.array([99]))]))
    with pytest.raises(onnxcmp.Error) as caught:
        e.run(None, {"x": x})
    error = caught.value
    assert (error.node, error.operator, error.path) == ("look", "Gather", "")
    assert "look" in str(error)


def test_bad_input(plain, x):
    e = onnxcmp.Evaluator(plain)
    for feeds in ({}, {"x": x, "z": x}, {"x": x.astype(np.float64)}, {"x": x[0]}):
        with pytest.raises(onnxcmp.Error):
            e.run(None, feeds)
    for feeds in ([x], {"x": object()}, {"x": np.array([[object()]])}):
        with pytest.raises(TypeError):
            e.run(None, feeds)
    for model in (b"nothing", "no/file.onnx"):
        with pytest.raises(onnxcmp.Error):
            onnxcmp.Evaluator(model)
    with pytest.raises(onnxcmp.Error, match="NoSuchOperator"):
        onnxcmp.Evaluator(model_of([helper.make_node("NoSuchOperator", ["x"], ["y"])],
                                   [info("x")], [info("y")]))
    with pytest.raises(TypeError):
        e.run("y", {"x": x})


def test_limits():
    nodes = [helper.make_node("Expand", ["x", "shape"], ["y"])]
    wide = model_of(nodes, [info("x")], [info("y", shape=None)],
                    [("shape", np.array([1 << 20, 1 << 20, 1, 4]))])
    with pytest.raises(onnxcmp.Error) as caught:
        onnxcmp.Evaluator(wide).run(None, {"x": np.ones((1, 4), np.float32)})
    assert caught.value.code == "RESOURCE_EXHAUSTED"


def test_large_feeds_that_change_are_told(plain):
    x = np.ones((1 << 18, 4), np.float32)

    def write(result):
        x[0, 0] = result.value.size
        return None

    with pytest.raises(onnxcmp.Error, match="written to"):
        onnxcmp.Evaluator(plain).run(None, {"x": x}, observer=write)


def test_threads_give_the_same(plain):
    e = onnxcmp.Evaluator(layers())
    xs = [np.random.default_rng(i).standard_normal((64, 4)).astype(np.float32) for i in range(4)]
    want = [e.run(None, {"x": x})[0] for x in xs]
    wrong = []

    def work(i):
        for _ in range(50):
            if not np.array_equal(e.run(None, {"x": xs[i]})[0], want[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_verbose(plain, x, capsys):
    onnxcmp.Evaluator(plain, verbose=1).run(None, {"x": x})
    assert "LayerNormalization -> b: float32[3, 4]" in capsys.readouterr().out

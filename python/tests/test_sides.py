"""Objects of other packages as sides, and operators of one's own."""

import io
import pickle

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import info, model_of
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

import onnxcmp


class Twice(OpRun):
    op_domain = "custom"

    def _run(self, x, factor=None):
        return (x * (2 if factor is None else factor),)


def own_model(**attributes):
    node = helper.make_node("Twice", ["x"], ["y"], domain="custom", **attributes)
    model = model_of([node], [info("x")], [info("y")])
    model.opset_import.append(helper.make_opsetid("custom", 1))
    return model


def test_session(plain, wrong, x):
    session = onnxruntime.InferenceSession(plain.SerializeToString())
    c = onnxcmp.compare(plain, session, {"x": x})
    assert c and {r.name for r in c.right.results} >= {"a", "b", "c", "y"}
    assert onnxcmp.compare(plain, session) and onnxcmp.compare(session, session, {"x": x})
    assert not onnxcmp.compare(wrong, session, {"x": x})
    assert list(onnxcmp.record(session, {"x": x}).outputs) == ["y"]


def test_reference_evaluator(plain, wrong, x):
    assert onnxcmp.compare(plain, ReferenceEvaluator(plain), {"x": x})
    assert onnxcmp.compare(plain, ReferenceEvaluator(plain))
    assert not onnxcmp.compare(ReferenceEvaluator(wrong), plain, {"x": x})


def test_function(plain, x):
    w = {t.name: numpy_helper.to_array(t) for t in plain.graph.initializer}

    def network(x):
        a = x @ w["w0"]
        b = (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)
        return b @ w["w1"] + w["bias"]

    assert onnxcmp.compare(plain, network, {"x": x}) and onnxcmp.compare(network, plain)
    assert onnxcmp.compare(plain, lambda anything: {"y": network(anything)}, {"x": x})
    assert onnxcmp.compare(plain, lambda *x: network(*x), {"x": x})
    assert not onnxcmp.compare(plain, lambda x: network(x) + 0.1, {"x": x})
    with pytest.raises(TypeError, match="feeds are needed"):
        onnxcmp.compare(network, network)


def test_function_that_raises(plain, x):
    def network(x):
        raise ValueError("no such thing")

    with pytest.raises(onnxcmp.Error, match="network failed: ValueError: no such thing"):
        onnxcmp.compare(plain, network, {"x": x})


class Port:
    def __init__(self, name):
        self._name = name

    def get_any_name(self):
        return self._name


def test_compiled_model(plain, x):
    """As OpenVINO's."""

    class Compiled:
        inputs, outputs = [Port("x")], [Port("y")]

        def create_infer_request(self):
            raise NotImplementedError

        def __call__(self, feeds):
            return {self.outputs[0]: ReferenceEvaluator(plain).run(None, feeds)[0]}

    assert onnxcmp.compare(plain, Compiled(), {"x": x})


class RunResults(list):
    """As Polygraphy's: pairs of a runner's name and its iterations."""


def test_run_results(plain, wrong, x):
    y = onnxcmp.Evaluator(plain).run(None, {"x": x})
    results = RunResults([("onnxrt", [{"y": y[0]}, {"y": y[0]}])])
    assert len(onnxcmp.compare(results, results).sets) == 2
    assert onnxcmp.compare(plain, results, [{"x": x}, {"x": x}])
    assert not onnxcmp.compare(wrong, results, [{"x": x}, {"x": x}])
    results.append(("trt", []))
    with pytest.raises(onnxcmp.Error, match="onnxrt, trt"):
        onnxcmp.compare(results, plain, {"x": x})


def test_file_and_classes(plain, x):
    assert onnxcmp.compare(plain, io.BytesIO(plain.SerializeToString()), {"x": x})
    with pytest.raises(TypeError, match="session of onnxruntime"):
        onnxcmp.compare(plain, ReferenceEvaluator)
    with pytest.raises(onnxcmp.Error, match="mode 'rb'"):
        onnxcmp.compare(plain, io.StringIO("text"))


def external(folder, plain):
    copy = onnx.ModelProto.FromString(plain.SerializeToString())  # which is changed
    onnx.save(copy, folder / "m.onnx", save_as_external_data=True, location="m.data",
              size_threshold=0)
    return folder / "m.onnx"


def test_external_data_of_a_proto(plain, x, tmp_path):
    path = external(tmp_path, plain)
    light = onnx.load(path, load_external_data=False)
    with pytest.raises(onnxcmp.Error, match="base_dir"):
        onnxcmp.compare(light, plain, {"x": x})
    assert onnxcmp.compare(light, plain, {"x": x}, base_dir=tmp_path).verdict == "same"
    assert onnxcmp.compare(light, light, {"x": x}, base_dir=(tmp_path, tmp_path))
    assert onnxcmp.Evaluator(light, base_dir=tmp_path).run(None, {"x": x})


def test_external_data_of_onnx_ir(plain, x, tmp_path):
    onnx_ir = pytest.importorskip("onnx_ir")
    path = external(tmp_path, plain)
    assert onnxcmp.compare(onnx_ir.load(path), plain, {"x": x}).verdict == "same"
    other = tmp_path / "other"
    other.mkdir()
    mixed = onnx_ir.load(path)
    mixed.graph.initializers["w0"].const_value = onnx_ir.load(
        external(other, plain)).graph.initializers["w0"].const_value
    assert onnxcmp.compare(mixed, plain, {"x": x}).verdict == "same"


def large(scale=1.0):
    w = np.random.default_rng(0).standard_normal((4, 5 << 20), dtype=np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]),
             helper.make_node("ReduceMean", ["m"], ["y"], keepdims=1)]
    return model_of(nodes, [info("x")], [info("y", shape=(1, 1))], [("w", w * np.float32(scale))])


def test_large_proto_and_its_pickle(x):
    """Weights of many megabytes go through a file."""
    model = large()
    assert model.ByteSize() > 64 << 20
    assert onnxcmp.compare(model, model, {"x": x}).verdict == "same"
    assert onnxcmp.compare(model, large(1.5), {"x": x}).causes[0].left_name == "w"
    e = onnxcmp.Evaluator(model)
    again = pickle.loads(pickle.dumps(e))
    np.testing.assert_array_equal(again.run(None, {"x": x})[0], e.run(None, {"x": x})[0])


@pytest.mark.parametrize(
    "new_ops",
    [[Twice], {"custom::Twice": lambda x, factor=2: x * factor}, {("custom", "Twice"): Twice}],
)
def test_operator_of_ones_own(new_ops, x):
    for factor, model in ((2, own_model()), (3, own_model(factor=3))):
        y, = onnxcmp.Evaluator(model, new_ops=new_ops).run(None, {"x": x})
        np.testing.assert_array_equal(y, x * factor)
        assert onnxcmp.compare(model, model, {"x": x}, new_ops=new_ops).verdict == "same"
    c = onnxcmp.compare(own_model(), own_model(factor=3), {"x": x}, new_ops=new_ops)
    assert not c and c.causes[0].left_op_type == "Twice"


def test_operator_with_a_tensor_and_texts(x):
    seen = {}

    def keep(value, **attributes):
        seen.update(attributes)
        return value + attributes["table"].sum(), np.array(["a"], object)

    node = helper.make_node("Keep", ["x"], ["y", "t"], domain="custom", mode="up", axes=[1, 2],
                            table=numpy_helper.from_array(np.ones(3, np.float32)), scale=0.5)
    model = model_of([node], [info("x")], [info("y"), info("t", onnx.TensorProto.STRING, (1,))])
    model.opset_import.append(helper.make_opsetid("custom", 1))
    y, t = onnxcmp.Evaluator(model, new_ops={"custom::Keep": keep}).run(None, {"x": x})
    np.testing.assert_array_equal(y, x + 3)
    assert t.tolist() == ["a"] and seen["mode"] == "up" and seen["axes"] == [1, 2]


def test_operators_that_fail(x, plain):
    def broken(value):
        raise ZeroDivisionError("by nothing")

    with pytest.raises(onnxcmp.Error, match="ZeroDivisionError: by nothing") as caught:
        onnxcmp.Evaluator(own_model(), new_ops={"custom::Twice": broken}).run(None, {"x": x})
    assert caught.value.operator == "custom.Twice"
    c = onnxcmp.compare(own_model(), own_model(), {"x": x}, new_ops={"custom::Twice": broken})
    assert c.verdict == "failed" and "by nothing" in c.left.error
    with pytest.raises(onnxcmp.Error, match="0 outputs of 1"):
        onnxcmp.Evaluator(own_model(), new_ops={"custom::Twice": lambda x: ()}).run(
            None, {"x": x})
    with pytest.raises(onnxcmp.Error, match="None is no output"):
        onnxcmp.Evaluator(own_model(), new_ops={"custom::Twice": lambda x: None}).run(
            None, {"x": x})
    with pytest.raises(onnxcmp.Error, match="name and a domain of its own"):
        onnxcmp.Evaluator(plain, new_ops={"::MatMul": np.matmul})
    with pytest.raises(TypeError, match="OpRun"):
        onnxcmp.Evaluator(plain, new_ops=[object])


def test_names_that_are_hints():
    """As of a program before an exporter's decompositions: equal names, other results."""

    def views(scale=1.0):
        shapes = [("s0", [2, 3, 4]), ("s1", [6, 4]), ("s2", [3, 2, 4]), ("s3", [24])]
        nodes = [helper.make_node("Mul", ["x", "scale"], ["view"])]
        nodes += [helper.make_node("Reshape", [f"view_{i - 1}" if i else "view", name],
                                   [f"view_{i}"]) for i, (name, _) in enumerate(shapes)]
        nodes.append(helper.make_node("Neg", ["view_3"], ["y"]))
        values = [(name, np.array(shape)) for name, shape in shapes]
        values.append(("scale", np.full(1, scale, np.float32)))
        return model_of(nodes, [info("x", shape=(4, 6))], [info("y", shape=(24,))], values)

    feeds = {"x": np.arange(24, dtype=np.float32).reshape(4, 6)}

    def recording(model):
        names = [r.name for r in onnxcmp.record(model, feeds).results if r.kind == "RESULT"]
        moved = dict(zip(names, names[1:] + names[:1]))
        results = [onnxcmp.RecordedResult(moved[r.name] if r.kind == "RESULT" else r.name, r.value,
                                          r.kind)
                   for r in onnxcmp.record(model, feeds).results if r.kind != "INITIALIZER"]
        return onnxcmp.Recording(results, source="Program")

    shifted = recording(views())
    assert onnxcmp.compare(shifted, views(), partial=True).verdict == "different"
    shifted.names_are_hints = True
    assert onnxcmp.compare(shifted, views(), partial=True)
    other = recording(views(1.5))
    other.names_are_hints = True
    assert onnxcmp.compare(other, views(), partial=True).verdict == "different"

"""Runtimes as sides, and record()."""

import sys

import ml_dtypes
import numpy as np
import onnx
import pytest
from conftest import ROOT, info, layers, model_of
from onnx.reference import ReferenceEvaluator

import onnxcmp
from onnxcmp.runtimes import Adapter

pytestmark = pytest.mark.skipif(not (ROOT / "runtimes").exists(), reason="no adapters")


class Mine:
    """An adapter of one's own, which may be wrong."""

    name = "mine"

    def __init__(self, fault=0.0):
        self.fault = fault
        self.unloaded = False

    def load(self, path, extra=()):
        self.extra = list(extra)
        return ReferenceEvaluator(onnx.load(path))

    def run(self, session, feeds):
        every = session.run(None, feeds, intermediate=True)
        wanted = {n: every[n] for n in [*self.extra, *session.output_names]}
        return {n: v + self.fault if n == "y" else v for n, v in wanted.items()}

    def unload(self, session):
        self.unloaded = True


def test_adapter_of_ones_own(plain, x):
    mine = Mine()
    c = onnxcmp.compare(plain, Adapter(plain, mine), {"x": x})
    assert c.verdict in ("same", "close") and mine.unloaded
    assert {r.name for r in c.right.results} >= {"a", "b", "c", "y"}
    assert onnxcmp.compare(plain, Adapter(plain, Mine())).verdict in ("same", "close")


def test_adapter_that_is_wrong(plain, x):
    c = onnxcmp.compare(plain, Adapter(plain, Mine(0.5)), {"x": x})
    assert c.verdict == "different"
    both = onnxcmp.compare(Adapter(plain, Mine()), Adapter(plain, Mine(0.5)), {"x": x})
    assert both.verdict == "different"


def test_runtimes_take_feeds_that_they_have(plain, x):
    mine = Adapter(plain, Mine())
    with pytest.raises(TypeError, match="sets"):
        onnxcmp.compare(plain, mine, sets=3)
    with pytest.raises(onnxcmp.Error, match="nobody"):
        onnxcmp.compare(Adapter(plain, Mine()), mine, {"x": x, "nobody": x})
    with pytest.raises(onnxcmp.Error, match="nobody"):
        onnxcmp.compare(plain, mine, {"x": x, "nobody": x})
    for bad in ([], [{"x": x}, 3], 5):
        with pytest.raises(TypeError, match="feeds"):
            onnxcmp.compare(plain, mine, bad)


class WrongAbove(Mine):
    """Wrong where an input is great."""

    def run(self, session, feeds):
        self.fault = 0.5 if feeds["x"].max() > 50 else 0.0
        return super().run(session, feeds)


def test_runtimes_take_several_sets_one_after_the_other(plain, x):
    feeds = [{"x": x}, {"x": x + 100}, {"x": -x}]
    for sides in ((plain, Adapter(plain, WrongAbove())),
                  (Adapter(plain, WrongAbove()), Adapter(plain, Mine()))):
        c = onnxcmp.compare(*sides, feeds)
        assert [one.set_name for one in c.sets] == ["[0]", "[1]", "[2]"]
        assert [one.verdict == "different" for one in c.sets] == [False, True, False]
        assert c.verdict == "different" and c.set_name == "[1]" and not c
        assert all(name in str(c) for name in ("[0]\n", "[1]\n", "[2]\n"))
    good = onnxcmp.compare(plain, Adapter(plain, Mine()), feeds)
    assert good and len(good.sets) == 3
    for one, given in zip(good.sets, feeds):
        np.testing.assert_array_equal(one.feeds("left")["x"], given["x"])
        np.testing.assert_array_equal(one.right.result("x").value, given["x"])
    alone = onnxcmp.compare(plain, Adapter(plain, Mine()), feeds[:1])
    assert [one.set_name for one in alone.sets] == [""]


def test_runtimes_take_files_of_feeds(plain, x, tmp_path):
    np.savez(tmp_path / "one.npz", x=x + 100)
    for right in (Mine(), WrongAbove()):
        c = onnxcmp.compare(plain, Adapter(plain, right), tmp_path / "one.npz")
        assert bool(c) == (type(right) is Mine)
        np.testing.assert_array_equal(c.feeds("left")["x"], x + 100)
    for i, value in enumerate((x, x + 100)):
        folder = tmp_path / "sets" / f"test_data_set_{i}"
        folder.mkdir(parents=True)
        (folder / "input_0.pb").write_bytes(
            onnx.numpy_helper.from_array(value, "x").SerializeToString())
    c = onnxcmp.compare(plain, Adapter(plain, WrongAbove()), tmp_path / "sets")
    assert [bool(one) for one in c.sets] == [True, False]
    assert len({one.set_name for one in c.sets}) == 2
    with pytest.raises(onnxcmp.Error, match="none.npz"):
        onnxcmp.compare(plain, Adapter(plain, Mine()), tmp_path / "none.npz")


def test_made_up_inputs_are_those_of_the_options(plain):
    c = onnxcmp.compare(plain, Adapter(plain, Mine()), seed=7, dim={"n": 5})
    want = onnxcmp.make_inputs(plain, seed=7, dim={"n": 5})["x"]
    assert want.shape == (5, 4)
    np.testing.assert_array_equal(c.feeds("left")["x"], want)


def test_an_output_that_one_side_lacks_is_a_difference(plain, x):
    """Results of two models may be on one side alone, outputs may not."""
    more = onnx.load_from_string(plain.SerializeToString())
    more.graph.output.append(onnx.helper.make_tensor_value_info("a", 1, None))
    assert onnxcmp.compare(more, Adapter(plain, Mine()), {"x": x}).verdict == "different"
    assert onnxcmp.compare(layers(name="h"), Adapter(plain, Mine()), {"x": x})


def test_a_recording_brings_the_inputs_of_a_runtime(plain, x):
    kept = onnxcmp.record(plain, {"x": x})
    for c in (onnxcmp.compare(kept, Adapter(plain, Mine())),
              onnxcmp.compare(Adapter(plain, Mine()), kept)):
        assert c.verdict in ("same", "close"), str(c)
    assert onnxcmp.compare(kept, Adapter(plain, Mine(0.5))).verdict == "different"


def test_a_side_with_inputs_of_its_own_brings_those_of_a_runtime(plain, x):
    class Own(onnxcmp.runtimes.Runtime):
        def record(self, feeds):
            if feeds:
                raise onnxcmp.Error("it has inputs of its own")
            return onnxcmp.record(plain, {"x": x})

    for c in (onnxcmp.compare(Own(), Adapter(plain, Mine())),
              onnxcmp.compare(Adapter(plain, Mine()), Own())):
        assert c.verdict in ("same", "close"), str(c)
    assert onnxcmp.compare(Own(), Adapter(plain, Mine(0.5))).verdict == "different"
    for other in (plain, Adapter(plain, Mine())):
        with pytest.raises(onnxcmp.Error, match="of its own"):
            onnxcmp.compare(Own(), other, {"x": x + 1})


def test_feeds_of_initializers(x):
    """Inputs that have a default take feeds, too."""
    model = layers()
    model.graph.input.append(onnx.helper.make_tensor_value_info("bias", 1, [4]))
    bias = np.full(4, 3, np.float32)
    c = onnxcmp.compare(model, Adapter(model, Mine()), {"x": x, "bias": bias})
    assert c.verdict in ("same", "close"), str(c)


def test_what_is_no_adapter(plain):
    with pytest.raises(TypeError, match="load"):
        Adapter(plain, object())


def test_record_a_model(plain, x, tmp_path):
    kept = onnxcmp.record(plain, {"x": x})
    assert list(kept.inputs) == ["x"] and list(kept.outputs) == ["y"]
    kept.save(tmp_path / "kept.npz")
    c = onnxcmp.compare(tmp_path / "kept.npz", plain)
    assert c.verdict == "same"
    np.testing.assert_array_equal(c.feeds("right")["x"], x)
    assert onnxcmp.compare(kept, plain).verdict == "same"


def test_onnxruntime_takes_steps(tmp_path):
    """States go from step to step in the runtime, too."""
    pytest.importorskip("onnxruntime")
    from onnx import parser

    text = (ROOT / "testdata/generate/cached.onnxtxt").read_text()
    model = tmp_path / "model.onnx"
    onnx.save(parser.parse_model(text), model)
    found = onnxcmp.generate(model, against="onnxruntime", steps=4, prompt=[[1, 2, 3], [4]])
    assert found and len(found.steps) == 4
    faulty = f"{ROOT / 'tests/support/runtimes/faulty.py'}:result=present_value_1,how=percent"
    wrong = onnxcmp.generate(model, against=faulty, steps=2)
    assert wrong.failing_step == 0 and "present_value_1" in str(wrong)


def test_onnxruntime(plain, x):
    pytest.importorskip("onnxruntime")
    ort = onnxcmp.runtimes.OnnxRuntime(plain, optimization="none")
    assert onnxcmp.compare(plain, ort, {"x": x}).verdict in ("same", "close")
    with pytest.raises(ValueError, match="optimization"):
        onnxcmp.runtimes.OnnxRuntime(plain, optimization="some")


class Fusing(Mine):
    """Wrong where no results are asked for, as a runtime is that fuses less with them."""

    def run(self, session, feeds):
        self.fault = 0.0 if self.extra else 0.5
        return super().run(session, feeds)


def test_what_is_wrong_only_when_fused_is_wrong_at_the_output(plain, x):
    c = onnxcmp.compare(plain, Adapter(plain, Fusing()), {"x": x})
    assert c.verdict == "different"
    differ = [row for row in c.rows if row.relation == "different"]
    assert [row.right_result.kind for row in differ] == ["OUTPUT"]


def test_what_differs_when_fused_is_compared_again_in_a_process(plain, x):
    pytest.importorskip("onnxruntime")
    ort = onnxcmp.runtimes.OnnxRuntime(plain, optimization="none")
    ort.adapter = Fusing()
    for sides in ((plain, ort), (ort, plain)):
        c = onnxcmp.compare(*sides, [{"x": x}, {"x": -x}])
        assert ort.fuses and c, str(c)
        assert [one.set_name for one in c.sets] == ["[0]", "[1]"]
        np.testing.assert_array_equal(c.sets[1].feeds("left")["x"], -x)
        assert "onnxruntime" in str(c)
    ort.adapter = Mine(0.5)
    assert onnxcmp.compare(plain, ort, {"x": x}).verdict == "different" and not ort.fuses


def adapter_file(folder):
    """An adapter for a process of its own, with an option that makes it err or die."""
    adapter = folder / "mine.py"
    adapter.write_text(f"""
import os, sys
sys.path[:] = {[p for p in sys.path if p]!r}
import onnx
from onnx.reference import ReferenceEvaluator
from onnxcmp_runtimes import base

class Adapter(base.Adapter):
    name = "mine"
    options = {{"fault": "0"}}
    def load(self, path, extra=(), optimized=None):
        return ReferenceEvaluator(onnx.load_from_string(base.marked_bytes(path, extra)))
    def run(self, session, feeds):
        if self.chosen["fault"] == "die":
            os.abort()
        values = dict(zip(session.output_names, session.run(None, feeds)))
        return {{n: v + float(self.chosen["fault"]) if n == "y" else v for n, v in values.items()}}
    def unload(self, session):
        pass
""")
    return adapter


class WrongInside(Mine):
    """Wrong in a result on the way, as one that is off by its rounding, and right at the output."""

    def run(self, session, feeds):
        given = super().run(session, feeds)
        return {n: v + 0.5 if n == "a" else v for n, v in given.items()}


def test_results_inside_are_judged_as_the_command_line_judges_them(plain, x, tmp_path):
    pytest.importorskip("onnxruntime")
    ort = onnxcmp.runtimes.OnnxRuntime(plain, optimization="none")
    ort.adapter = WrongInside()
    # In a process of its own the outputs decide; what is no runtime of the command line's is a
    # recording, of which every result counts.
    assert onnxcmp.compare(plain, ort, {"x": x}).verdict in ("same", "close")
    assert onnxcmp.compare(plain, Adapter(plain, WrongInside()), {"x": x}).verdict == "different"
    # A difference that is there as well has its cause from there.
    ort.adapter, ort._command_line = Mine(0.5), f"{adapter_file(tmp_path)}:fault=0.5"
    c = onnxcmp.compare(plain, ort, {"x": x})
    assert c.verdict == "different" and c.causes, str(c)
    assert [one.right_name for one in c.causes] == ["y"], str(c)


def test_what_a_runtime_raises_is_told(plain, x):
    class Broken(Mine):
        def run(self, session, feeds):
            raise OSError("no device")

    with pytest.raises(onnxcmp.Error, match="mine failed: OSError: no device"):
        onnxcmp.compare(plain, Adapter(plain, Broken()), {"x": x})
    with pytest.raises(ValueError, match="'NOBODY' is no kind"):
        onnxcmp.RecordedResult("a", x, "NOBODY")


def narrow():
    """A model of bfloat16."""
    nodes = [onnx.helper.make_node("Cast", ["x"], ["a"], to=1),
             onnx.helper.make_node("Mul", ["a", "a"], ["b"]),
             onnx.helper.make_node("Cast", ["b"], ["y"], to=16)]
    return model_of(nodes, [info("x", 16, [3])], [info("y", 16, [3])])


@pytest.mark.parametrize("isolated", [False, True])
def test_onnxruntime_with_bfloat16(isolated):
    pytest.importorskip("onnxruntime")
    x = np.array([1.5, -2, 3], ml_dtypes.bfloat16)
    runtime = onnxcmp.runtimes.OnnxRuntime(narrow(), isolated=isolated)
    c = onnxcmp.compare(narrow(), runtime, {"x": x})
    assert c.verdict == "same", str(c)
    assert c.right.result("y").value.dtype == ml_dtypes.bfloat16


def test_a_model_that_it_refuses_is_a_result_of_its_side():
    """As on the command line, with the node."""
    pytest.importorskip("onnxruntime")
    model = model_of([onnx.helper.make_node("Tan", ["x"], ["y"], name="refused")],
                     [info("x", 11, [3])], [info("y", 11, [3])])
    x = np.array([1, 2, 3], np.float64)
    for isolated in (False, True):
        runtime = onnxcmp.runtimes.OnnxRuntime(model, isolated=isolated)
        c = onnxcmp.compare(model, runtime, {"x": x})
        assert c.verdict == "failed" and "refused" in c.right.error, str(c)
        with pytest.raises(onnxcmp.Error):
            onnxcmp.record(runtime, {"x": x})


def test_isolated(plain, files, x):
    pytest.importorskip("onnxruntime")
    for model in (plain, files[0]):
        runtime = onnxcmp.runtimes.OnnxRuntime(model, optimization="basic", isolated=True)
        c = onnxcmp.compare(model, runtime, {"x": x})
        assert c.verdict in ("same", "close"), str(c)
        assert "optimization basic" in str(c) and "b" in {r.name for r in c.right.results}
    both = onnxcmp.compare(runtime, onnxcmp.runtimes.OnnxRuntime(files[1], isolated=True))
    assert both.verdict == "different" and any("norm" in (one.text or "") or one.kind
                                               for one in both.causes)
    mixed = onnxcmp.compare(onnxcmp.runtimes.OnnxRuntime(files[0]), runtime, {"x": x})
    assert mixed.verdict in ("same", "close"), str(mixed)
    kept = onnxcmp.record(runtime, {"x": x})
    assert list(kept.inputs) == ["x"] and list(kept.outputs) == ["y"]
    np.testing.assert_array_equal(kept["x"], x)


def test_isolated_adapters_of_ones_own(plain, x, tmp_path):
    """One errs, one dies, one is not there: none of them takes this process with it."""
    adapter = adapter_file(tmp_path)
    good = onnxcmp.compare(plain, Adapter(plain, adapter), {"x": x})
    assert good.verdict in ("same", "close"), str(good)
    bad = onnxcmp.compare(plain, Adapter(plain, f"{adapter}:fault=0.5"), {"x": x})
    assert bad.verdict == "different" and any(c.right_op_type == "Add" for c in bad.causes), str(bad)
    dead = onnxcmp.compare(plain, Adapter(plain, f"{adapter}:fault=die"), {"x": x})
    assert dead.verdict == "failed" and "Abort" in dead.right.error
    with pytest.raises(onnxcmp.Error, match="ended by signal|Abort"):
        onnxcmp.record(Adapter(plain, f"{adapter}:fault=die"), {"x": x})
    with pytest.raises(onnxcmp.Error, match="nobody"):
        onnxcmp.compare(plain, Adapter(plain, "nobody"), {"x": x})


def test_torch(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = torch.nn.Linear(4, 8), torch.nn.Linear(8, 4)

        def forward(self, x):
            return self.two(torch.relu(self.one(x)))

    torch.manual_seed(0)
    net, args = Net().eval(), (torch.randn(3, 4),)
    program = torch.onnx.export(net, args, dynamo=True)
    kept_model = program.model_proto  # the program shares the module's weights
    kept = onnxcmp.record(net, args)
    assert [r.name for r in kept.results] == ["x", "one", "two", "output"]
    for side in (onnxcmp.runtimes.Torch(net, args),
                 onnxcmp.runtimes.Torch(torch.export.export(net, args), args)):
        c = onnxcmp.compare(side, program)
        assert c.verdict in ("same", "close"), str(c)
    with torch.no_grad():
        net.two.bias += 1
    c = onnxcmp.compare(onnxcmp.runtimes.Torch(net, args), kept_model)
    assert c.verdict == "different"


def test_torch_takes_one_tensor_as_it_is():
    torch = pytest.importorskip("torch")
    from onnxcmp.runtimes import Torch

    recorded = onnxcmp.record(Torch(torch.nn.ReLU(), torch.ones(2, 3)))
    np.testing.assert_array_equal(recorded["output"], np.ones((2, 3), np.float32))


def test_torch_program_that_keeps_something(tmp_path):
    """Each run begins with what the program was saved with, whatever its model says of it."""
    torch = pytest.importorskip("torch")

    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(3))

        def forward(self, x):
            self.count.add_(x)
            return x * self.count

    torch.export.save(torch.export.export(Counting(), (torch.ones(3),)), tmp_path / "net.pt2")
    model = model_of([onnx.helper.make_node("Mul", ["x", "x"], ["mul"])], [info("x", 1, [3])],
                     [info("mul", 1, [3])])
    feeds = [{"x": np.array([i, 2, 3], np.float32)} for i in range(3)]
    c = onnxcmp.compare(Adapter(model, f"torch:program={tmp_path / 'net.pt2'}"), model, feeds)
    assert [one.verdict for one in c.sets] == ["same"] * 3, str(c)


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_a_recorded_file_beside_a_runtime(plain, wrong, x, tmp_path, ending):
    if ending == "safetensors":
        pytest.importorskip("safetensors")
    file = tmp_path / f"kept.{ending}"
    onnxcmp.record(plain, {"x": x}).save(file)
    loaded = onnxcmp.Recording.load(file)
    np.testing.assert_array_equal(loaded["x"], x)
    if ending == "npz":
        assert list(loaded.inputs) == ["x"] and list(loaded.outputs) == ["y"]
        assert {r.op_type for r in loaded.results} >= {"MatMul", "LayerNormalization"}
        np.testing.assert_array_equal(onnxcmp.compare(file, Adapter(plain, Mine())).feeds("left")
                                      .get("x", x), x)
    feeds = None if ending == "npz" else {"x": x}
    for sides in ((str(file), Adapter(plain, Mine())), (Adapter(plain, Mine()), file)):
        assert onnxcmp.compare(*sides, feeds).verdict in ("same", "close")
    assert onnxcmp.compare(file, Adapter(wrong, Mine()), feeds).verdict == "different"
    onnx.save(plain, tmp_path / "m.onnx")
    with pytest.raises(onnxcmp.Error, match="a model, not a recording"):
        onnxcmp.Recording.load(tmp_path / "m.onnx")
    (tmp_path / "none.bin").write_bytes(b"nothing")
    with pytest.raises(onnxcmp.Error):
        onnxcmp.compare(tmp_path / "none.bin", Adapter(plain, Mine()))

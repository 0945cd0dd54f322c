"""Runtimes as sides, and record()."""

import numpy as np
import onnx
import pytest
from conftest import ROOT
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


def test_onnxruntime(plain, x):
    pytest.importorskip("onnxruntime")
    ort = onnxcmp.runtimes.OnnxRuntime(plain, optimization="none")
    assert onnxcmp.compare(plain, ort, {"x": x}).verdict in ("same", "close")
    with pytest.raises(ValueError, match="optimization"):
        onnxcmp.runtimes.OnnxRuntime(plain, optimization="some")


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

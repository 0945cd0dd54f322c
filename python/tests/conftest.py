"""Models that the tests share."""

import pathlib
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

pytest_plugins = ["pytester"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def info(name, dtype=TensorProto.FLOAT, shape=("n", 4)):
    return helper.make_tensor_value_info(name, dtype, shape)


def model_of(nodes, inputs, outputs, initializers=(), opset=21, name="g", **options):
    graph = helper.make_graph(
        nodes, name, inputs, outputs, [numpy_helper.from_array(a, n) for n, a in initializers]
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10, **options
    )


def layers(epsilon=1e-5, bias=0.0, name="g"):
    """Two MatMuls around a LayerNormalization."""
    rng = np.random.default_rng(0)
    w = [rng.standard_normal((4, 4)).astype(np.float32) for _ in range(2)]
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"], name="first"),
        helper.make_node("LayerNormalization", ["a", "scale"], ["b"], name="norm", epsilon=epsilon),
        helper.make_node("MatMul", ["b", "w1"], ["c"], name="second"),
        helper.make_node("Add", ["c", "bias"], ["y"], name="last"),
    ]
    values = [
        ("w0", w[0]),
        ("w1", w[1]),
        ("scale", np.ones(4, np.float32)),
        ("bias", np.full(4, bias, np.float32)),
    ]
    return model_of(nodes, [info("x")], [info("y")], values, name=name)


@pytest.fixture
def plain():
    return layers()


@pytest.fixture
def wrong():
    """The same with another epsilon, which is the cause of what differs."""
    return layers(epsilon=0.1)


@pytest.fixture
def files(tmp_path, plain, wrong):
    left, right = tmp_path / "left.onnx", tmp_path / "right.onnx"
    onnx.save(plain, left)
    onnx.save(wrong, right)
    return left, right


@pytest.fixture
def x():
    return np.arange(12, dtype=np.float32).reshape(3, 4) / 7


@pytest.fixture
def python():
    """This interpreter, for tests of processes."""
    return sys.executable

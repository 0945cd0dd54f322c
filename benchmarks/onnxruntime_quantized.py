"""Runs QLinearConv, QLinearMatMul and MatMulNBits of products_benchmark.cc with onnxcmp and with
onnxruntime, side by side on one thread.

    pip install numpy onnx onnxruntime
    python benchmarks/onnxruntime_quantized.py build/benchmarks/benchmarks

onnxruntime has the weights as initializers, so that it makes them ready when it loads the model.
"""
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from side_by_side import best_time, compare

RNG = np.random.default_rng(0)


def random_bytes(shape):
    return RNG.integers(0, 256, shape).astype(np.uint8)


def measure(op, x, w, **attributes):
    constants = {"x_scale": np.float32(0.02), "x_zero": np.uint8(120), "w": random_bytes(w),
                 "w_scale": np.float32(0.01), "w_zero": np.uint8(128),
                 "y_scale": np.float32(0.5), "y_zero": np.uint8(128)}
    node = helper.make_node(op, ["x", *constants], ["y"], **attributes)
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", TensorProto.UINT8, x)],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return best_time(model, {"x": random_bytes(x)})


def conv(inputs, outputs, group, size, kernel, stride):
    return measure("QLinearConv", [1, inputs, size, size],
                   [outputs, inputs // group, kernel, kernel],
                   group=group, strides=[stride] * 2, pads=[kernel // 2] * 4)


def mat_mul(m, n, k):
    return measure("QLinearMatMul", [m, k], [k, n])


def mat_mul_n_bits(m, n, k, bits):
    """In blocks of 32, and at accuracy level 0, which multiplies floats as onnxcmp always does."""
    node = helper.make_node("MatMulNBits", ["x", "w", "scales"], ["y"], domain="com.microsoft",
                            N=n, K=k, bits=bits, block_size=32)
    weights = [numpy_helper.from_array(random_bytes((n, k // 32, 4 * bits)), "w"),
               numpy_helper.from_array(RNG.standard_normal((n, k // 32)).astype(np.float32),
                                       "scales")]
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [m, k])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights)
    model = helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])
    return best_time(model, {"x": RNG.standard_normal((m, k)).astype(np.float32)})


compare(sys.argv[1], {"BM_QLinearConv": conv, "BM_QLinearMatMul": mat_mul,
                      "BM_MatMulNBits": mat_mul_n_bits})

"""Times onnxruntime on the convolutions and products of products_benchmark.cc, on one thread.

    pip install numpy onnx onnxruntime
    python benchmarks/onnxruntime_products.py
"""
import numpy as np
import side_by_side
from onnx import TensorProto, helper, numpy_helper


def floats(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def measure(label, flops, op, x, w, opset=13, **attributes):
    node = helper.make_node(op, ["x", "w"], ["y"], **attributes)
    graph = helper.make_graph([node], "g", [floats("x", x), floats("w", w)], [floats("y", None)])
    rng = np.random.default_rng(0)
    run(label, flops, graph, {"x": rng.standard_normal(x).astype(np.float32),
                              "w": rng.standard_normal(w).astype(np.float32)}, opset)


def measure_n_bits(m, n, k, bits, level):
    """Weights in blocks of 32, made ready when the session is, as in a real model."""
    rng = np.random.default_rng(0)
    node = helper.make_node("MatMulNBits", ["x", "w", "scales"], ["y"], domain="com.microsoft",
                            N=n, K=k, bits=bits, block_size=32, accuracy_level=level)
    weights = [numpy_helper.from_array(rng.integers(0, 256, (n, k // 32, 4 * bits), np.uint8), "w"),
               numpy_helper.from_array(rng.standard_normal((n, k // 32)).astype(np.float32),
                                       "scales")]
    graph = helper.make_graph([node], "g", [floats("x", [m, k])], [floats("y", None)], weights)
    run(f"MatMulNBits {m} x {n} x {k}, {bits} bits, level {level}", 2 * m * n * k, graph,
        {"x": rng.standard_normal((m, k)).astype(np.float32)}, 21)


def run(label, flops, graph, feeds, opset):
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    best = side_by_side.best_time(model, feeds) / 1e6
    print(f"{label:44} {best * 1e6:10.1f} us {flops / best / 1e9:8.1f} GFLOP/s")


for m, n, k, batch in [(128, 768, 768, 1), (128, 3072, 768, 1), (128, 768, 3072, 1),
                       (128, 128, 64, 12), (128, 64, 128, 12), (2048, 512, 512, 1),
                       (1, 4096, 4096, 1), (4, 16, 8, 1), (1000, 999, 1001, 1)]:
    measure(f"MatMul {m} x {n} x {k}, batch {batch}", 2 * m * n * k * batch, "MatMul",
            [batch, m, k], [batch, k, n])

for inputs, outputs, group, size, kernel, stride in [
        (3, 64, 1, 224, 7, 2), (64, 64, 1, 56, 3, 1), (256, 64, 1, 56, 1, 1),
        (64, 256, 1, 56, 1, 1), (256, 512, 1, 56, 1, 2), (256, 256, 1, 14, 3, 1),
        (512, 512, 1, 7, 3, 1), (2048, 512, 1, 7, 1, 1), (96, 96, 96, 56, 3, 1)]:
    measure(f"Conv {inputs} -> {outputs} / {group}, {size}, {kernel} x {kernel} / {stride}",
            2 * (size // stride) ** 2 * outputs * inputs // group * kernel ** 2, "Conv",
            [1, inputs, size, size], [outputs, inputs // group, kernel, kernel],
            group=group, strides=[stride] * 2, pads=[kernel // 2] * 4)

# Level 0 multiplies floats, as onnxcmp does at every level; 4 rounds them to 8 bits.
for m, bits, level in [(1, 4, 0), (1, 4, 4), (16, 4, 0), (128, 4, 0), (128, 4, 4), (1, 8, 0),
                       (128, 8, 0)]:
    measure_n_bits(m, 4096, 4096, bits, level)

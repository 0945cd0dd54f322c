"""Times onnxruntime on the convolutions and products of products_benchmark.cc, on one thread.

    pip install numpy onnx onnxruntime
    python benchmarks/onnxruntime_products.py
"""
import numpy as np
import side_by_side
from onnx import TensorProto, helper


def floats(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def measure(label, flops, op, x, w, **attributes):
    node = helper.make_node(op, ["x", "w"], ["y"], **attributes)
    graph = helper.make_graph([node], "g", [floats("x", x), floats("w", w)], [floats("y", None)])
    rng = np.random.default_rng(0)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    best = side_by_side.best_time(model, {"x": rng.standard_normal(x).astype(np.float32),
                                          "w": rng.standard_normal(w).astype(np.float32)}) / 1e6
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

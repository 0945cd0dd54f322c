"""Runs the cases of attention_benchmark.cc with onnxcmp and with onnxruntime, side by side on one
thread.

    pip install numpy onnx onnxruntime
    python benchmarks/onnxruntime_attention.py build/benchmarks/benchmarks
"""
import sys

import numpy as np
import side_by_side
from onnx import TensorProto, helper

TYPES = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("int32"): TensorProto.INT32}


def node_time(op, inputs, attributes):
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    feeds = {name: x for name, x in zip(names, inputs) if name}
    outputs = ["y", "present_key", "present_value"]
    node = helper.make_node(op, names, outputs, domain="com.microsoft", **attributes)
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info(n, TYPES[x.dtype], x.shape)
                      for n, x in feeds.items()],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])
    return side_by_side.best_time(model, feeds)


def random(*shape):
    return np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)


def multi_head_attention(tokens, past, heads, size):
    inputs = [random(1, tokens, heads * size)] * 3
    if past:
        inputs += [None] * 3 + [random(1, heads, past, size)] * 2
    return node_time("MultiHeadAttention", inputs, {"num_heads": heads})


def group_query_attention(tokens, past, heads, kv_heads, size):
    inputs = [random(1, tokens, heads * size)] + [random(1, tokens, kv_heads * size)] * 2
    inputs += [random(1, kv_heads, past, size)] * 2
    total = past + tokens
    inputs += [np.array([total - 1], np.int32), np.array([total], np.int32)]
    inputs += [random(total, size // 2)] * 2
    return node_time("GroupQueryAttention", inputs,
                     {"num_heads": heads, "kv_num_heads": kv_heads, "do_rotary": 1})


side_by_side.compare(sys.argv[1], {"BM_MultiHeadAttention": multi_head_attention,
                                   "BM_GroupQueryAttention": group_query_attention})

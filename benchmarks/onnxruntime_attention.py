"""Runs the cases of attention_benchmark.cc with onnxcmp and with onnxruntime, side by side on one
thread.

    pip install numpy onnx onnxruntime
    python benchmarks/onnxruntime_attention.py build/benchmarks/benchmarks
"""
import json
import re
import subprocess
import sys
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

TYPES = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("int32"): TensorProto.INT32}


def best_time(op, inputs, attributes):
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
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    best = float("inf")
    until = time.perf_counter() + 1
    while time.perf_counter() < until:
        start = time.process_time()
        session.run(None, feeds)
        best = min(best, time.process_time() - start)
    return best * 1e6


def random(*shape):
    return np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)


def multi_head_attention(tokens, past, heads, size):
    inputs = [random(1, tokens, heads * size)] * 3
    if past:
        inputs += [None] * 3 + [random(1, heads, past, size)] * 2
    return best_time("MultiHeadAttention", inputs, {"num_heads": heads})


def group_query_attention(tokens, past, heads, kv_heads, size):
    inputs = [random(1, tokens, heads * size)] + [random(1, tokens, kv_heads * size)] * 2
    inputs += [random(1, kv_heads, past, size)] * 2
    total = past + tokens
    inputs += [np.array([total - 1], np.int32), np.array([total], np.int32)]
    inputs += [random(total, size // 2)] * 2
    return best_time("GroupQueryAttention", inputs,
                     {"num_heads": heads, "kv_num_heads": kv_heads, "do_rotary": 1})


MEASURES = {"BM_MultiHeadAttention": multi_head_attention,
            "BM_GroupQueryAttention": group_query_attention}


def main():
    # One case at a time, so that both run under the same load.
    program = sys.argv[1]
    listed = subprocess.run([program, "--benchmark_list_tests",
                             "--benchmark_filter=" + "|".join(MEASURES)],
                            check=True, capture_output=True, text=True).stdout.split()
    print(f"{'us of processor time':72} {'onnxcmp':>10} {'onnxruntime':>12} {'ratio':>6}")
    for name in listed:
        run = subprocess.run([program, f"--benchmark_filter=^{name}$", "--benchmark_format=json",
                              "--benchmark_repetitions=5"],
                             check=True, capture_output=True, text=True)
        ours = min(b["cpu_time"] for b in json.loads(run.stdout)["benchmarks"]
                   if b["run_type"] == "iteration")
        sizes = [int(value) for value in re.findall(r":(\d+)", name)]
        theirs = MEASURES[name.split("/")[0]](*sizes)
        print(f"{name:72} {ours:10.1f} {theirs:12.1f} {ours / theirs:6.2f}")


main()

"""Many comparisons in one process, whose memory has to stay: soak.py [COMPARISONS].

Pairs that agree, that differ with a cause, that cannot be compared, each with its table, objects and
values. Prints the memory that the process holds; exit status 1 if it grows.
"""

import gc
import itertools
import sys
import time

import numpy as np
import onnx

import onnxcmp

HEAD = '<ir_version: 10, opset_import: ["": 21]>'
# Held beyond the first tenth: what allocators keep in reserve.
MOST_GROWTH = 16 << 20


def models():
    base = f"""{HEAD} g (float[n, 8] x, float[8, 8] w) => (float[n, 8] y)
        <float[8] b = {{1, 2, 3, 4, 5, 6, 7, 8}}>
        {{ h = MatMul(x, w) s = Add(h, b) y = Softmax <axis = -1> (s) }}"""
    same = base.replace("s = Add(h, b)", "s = Add(b, h)")
    fault = base.replace("{1, 2", "{1, 2.5")
    axis = base.replace("axis = -1", "axis = 0")
    fails = base.replace("Softmax <axis = -1> (s)", "Reshape(s, t)").replace(
        "<float[8] b", "<int64[1] t = {3}, float[8] b")
    loop = f"""{HEAD} g (float[n, 8] x, float[8, 8] w) => (float[n, 8] y)
        <int64 n3 = {{3}}, bool go = {{1}}>
        {{ h = MatMul(x, w) y = Loop <body = b (int64 i, bool c, float[n, 8] a)
           => (bool d, float[n, 8] e) {{ d = Identity(c) e = Neg(a) }}> (n3, go, h) }}"""
    return [onnx.parser.parse_model(text) for text in (base, same, fault, axis, fails, loop)]


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def compare(left, right, feeds):
    try:
        comparison = onnxcmp.compare(left, right, feeds)
        str(comparison)
        for row in comparison.rows[:2]:
            row.left_value
        comparison.to_dict()
    except onnxcmp.Error:
        pass


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    parsed = models()
    forms = [*parsed, *(model.SerializeToString() for model in parsed)]
    pairs = itertools.cycle(itertools.product(forms, forms))
    feeds = {"x": np.ones((2, 8), np.float32), "w": np.eye(8, dtype=np.float32)}
    step = max(1, count // 10)
    held = []
    start = time.monotonic()
    for done in range(1, count + 1):
        left, right = next(pairs)
        compare(left, right, feeds if done % 2 else None)
        if done % step == 0:
            gc.collect()
            held.append(resident())
            print(f"{done} comparisons, {time.monotonic() - start:.0f} s, "
                  f"{held[-1] / 2**20:.1f} MiB", flush=True)
    sys.exit(max(held) - held[0] > MOST_GROWTH)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Counts how many faults of quantized networks `onnxcmp --fix` mends, beside the networks in float.

    script/score_grids.py [--onnxcmp build/onnxcmp] [--only TEXT] [-v]

Needs onnx, onnxruntime and numpy. A perceptron and a convolutional network get random weights, and onnxruntime
quantizes them: as QDQ, as QLinear operators, with scales for each tensor and for each channel, with int8 and uint8,
dynamically. Each pair has one fault: a scale, a zero point, integers of weights, biases or results. Counted are pairs
that differ, those whose mended model agrees and is verified, and those whose mended model has the nodes that it had.
Pairs without a fault must not get an edit. The exit status is 1 if they do, or if ONNX's checker or onnxruntime
refuses a mended model.
"""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

onnxruntime.set_default_logger_severity(4)
OUTPUT_SLOTS = {"QuantizeLinear": (1, 2), "QLinearConv": (6, 7), "QLinearMatMul": (6, 7), "QLinearAdd": (6, 7)}


def network(nodes, constants, shape, outputs):
    graph = helper.make_graph(
        [helper.make_node(op, inputs, [output], name=f"/{output}/{op}", **attributes)
         for op, inputs, output, attributes in nodes], "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, outputs)],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def networks():
    rng = np.random.default_rng(0)
    pads = {"pads": [1, 1, 1, 1]}
    yield "cnn", (1, 3, 8, 8), network(
        [("Conv", ["x", "w1", "b1"], "c1", pads), ("Relu", ["c1"], "r1", {}), ("Conv", ["r1", "w2", "b2"], "c2", pads),
         ("Relu", ["c2"], "r2", {}), ("GlobalAveragePool", ["r2"], "g", {}), ("Flatten", ["g"], "f", {}),
         ("Gemm", ["f", "w3", "b3"], "y", {"transB": 1})],
        {"w1": rng.normal(size=(8, 3, 3, 3)) * 0.3, "b1": rng.normal(size=8) * 0.1,
         "w2": rng.normal(size=(12, 8, 3, 3)) * 0.2, "b2": rng.normal(size=12) * 0.1,
         "w3": rng.normal(size=(5, 12)), "b3": rng.normal(size=5)}, [1, 3, 8, 8], [1, 5])
    yield "mlp", (4, 16), network(
        [("MatMul", ["x", "w1"], "m1", {}), ("Add", ["m1", "b1"], "a1", {}), ("Relu", ["a1"], "r1", {}),
         ("MatMul", ["r1", "w2"], "m2", {}), ("Add", ["m2", "b2"], "a2", {}), ("Tanh", ["a2"], "t2", {}),
         ("MatMul", ["t2", "w3"], "y", {})],
        {"w1": rng.normal(size=(16, 32)) * 0.3, "b1": rng.normal(size=32) * 0.1, "w2": rng.normal(size=(32, 32)) * 0.2,
         "b2": rng.normal(size=32) * 0.1, "w3": rng.normal(size=(32, 8)) * 0.3}, [4, 16], [4, 8])


class Reader(quantization.CalibrationDataReader):
    def __init__(self, shape):
        self.sets = iter([{"x": np.random.default_rng(i).normal(size=shape).astype(np.float32)} for i in range(8)])

    def get_next(self):
        return next(self.sets, None)


def quantized(plain, shape, folder):
    """The versions of a network, by their names."""
    path, out = folder / "plain.onnx", folder / "quantized.onnx"
    onnx.save(plain, path)
    for form in (quantization.QuantFormat.QDQ, quantization.QuantFormat.QOperator):
        for kind in (quantization.QuantType.QUInt8, quantization.QuantType.QInt8):
            for channels in (False, True):
                quantization.quantize_static(path, out, Reader(shape), quant_format=form, per_channel=channels,
                                             activation_type=kind, weight_type=quantization.QuantType.QInt8)
                yield f"{form} {kind} {'by channel' if channels else ''}", onnx.load(out)
    quantization.quantize_dynamic(path, out)
    yield "dynamic", onnx.load(out)


class Faults:
    """Puts one fault into a model, or returns None where it has no place for it."""

    def __init__(self, model, rng):
        self.graph, self.rng = model.graph, rng
        self.constants = {x.name: x for x in self.graph.initializer}

    def get(self, name):
        return numpy_helper.to_array(self.constants[name]).copy()

    def put(self, name, array):
        kept = self.get(name)
        self.constants[name].CopyFrom(numpy_helper.from_array(array.astype(kept.dtype).reshape(kept.shape), name))
        return name

    def pick(self, found):
        places = [x for x in dict.fromkeys(found) if all(name in self.constants for name in x[:2])]
        return self.rng.choice(places) if places else None

    def results(self):
        for node in self.graph.node:
            if node.op_type == "QuantizeLinear" and node.input[0] in self.constants:
                continue
            if node.op_type in OUTPUT_SLOTS or node.op_type.startswith("QLinear"):
                yield tuple(node.input[i] for i in OUTPUT_SLOTS.get(node.op_type, (3, 4)))

    def weights(self):
        for node in self.graph.node:
            if node.op_type == "DequantizeLinear" and node.input[0] in self.constants:
                if self.constants[node.input[0]].data_type in (TensorProto.INT8, TensorProto.UINT8):
                    yield tuple(node.input[:3])
            elif node.op_type in ("QLinearConv", "QLinearMatMul"):
                yield tuple(node.input[3:6])
            elif node.op_type in ("ConvInteger", "MatMulInteger"):
                yield node.input[1], node.input[1].replace("_quantized", "_scale"), node.input[3]

    def biases(self):
        for node in self.graph.node:
            if node.op_type == "DequantizeLinear" and node.input[0] in self.constants:
                if self.constants[node.input[0]].data_type == TensorProto.INT32:
                    yield tuple(node.input[:2])
            elif node.op_type == "QLinearConv" and len(node.input) > 8:
                yield node.input[8], node.input[4]

    def scale(self, places, slot, factor):
        place = self.pick(places)
        return place and self.put(place[slot], self.get(place[slot]) * np.float32(factor))

    def zero(self, places, slot, steps):
        place = self.pick(places)
        if place is None or place[slot] not in self.constants:
            return None
        before = self.get(place[slot])
        most = np.iinfo(before.dtype)
        after = np.clip(before.astype(int) + steps, most.min, most.max)
        if (after == before).all():
            after = np.clip(before.astype(int) - steps, most.min, most.max)
        return self.put(place[slot], after)

    def change_weights(self, change):
        place = self.pick(self.weights())
        integers, scale = self.get(place[0]), self.get(place[1])
        made = change(integers.astype(int), scale) if integers.dtype == np.int8 else None
        if made is None:
            return None
        self.put(place[1], made[1])
        return self.put(place[0], made[0])


def some(integers, scale):
    flat = integers.reshape(-1)
    count = max(1, flat.size // 20)
    flat[:count] = -flat[:count] // 2 + 40
    return integers, scale


def exchanged(integers, scale):
    return (integers.T, scale) if integers.ndim == 2 and integers.shape[0] == integers.shape[1] else None


def one_channel(_, scale):
    if scale.size < 2:
        return None
    scale.flat[scale.size // 2] *= 2.5
    return _, scale


def moved(integers, scale):
    return (integers, np.roll(scale, 1)) if scale.size > 1 else None


FAULTS = {
    "results: scale x 4": lambda f: f.scale(f.results(), 0, 4),
    "results: scale x 0.3": lambda f: f.scale(f.results(), 0, 0.3),
    "results: zero point": lambda f: f.zero(f.results(), 1, 40),
    "weights: scale x 1.5": lambda f: f.scale(f.weights(), 1, 1.5),
    "weights: scale x 0.4": lambda f: f.scale(f.weights(), 1, 0.4),
    "weights: zero point": lambda f: f.zero(f.weights(), 2, 20),
    "weights: one scale": lambda f: f.change_weights(one_channel),
    "weights: scales moved": lambda f: f.change_weights(moved),
    "weights: integers": lambda f: f.change_weights(some),
    "weights: exchanged": lambda f: f.change_weights(exchanged),
    "weights: cut off": lambda f: f.change_weights(lambda q, s: (np.clip(q * 4, -127, 127), s / 4)),
    "weights: too coarse": lambda f: f.change_weights(lambda q, s: (np.round(q / 16), s * 16)),
    "bias: integers": lambda f: f.scale(f.biases(), 0, 3),
    "bias: scale": lambda f: f.scale(f.biases(), 1, 4),
}


def mend(options, folder, right):
    onnx.save(right, folder / "right.onnx")
    (folder / "mended.onnx").unlink(missing_ok=True)
    ran = subprocess.run([options.onnxcmp, folder / "plain.onnx", folder / "right.onnx", "--inputs",
                          folder / "inputs.npz", "--fix", folder / "mended.onnx", "--format", "json", "--quiet"],
                         capture_output=True, text=True, check=False)
    return json.loads(ran.stdout)


def operators(model):
    return [node.op_type for node in model.graph.node]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onnxcmp", default="build/onnxcmp")
    parser.add_argument("--only", default="")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    counts, bad = collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for network_name, shape, plain in networks():
            np.savez(folder / "inputs.npz", x=np.random.default_rng(3).normal(size=shape).astype(np.float32))
            for version, honest in list(quantized(plain, shape, folder)):
                label = f"{network_name} {version}"
                if options.only in f"{label} honest" and mend(options, folder, honest)["fix"]["edits"]:
                    bad.append(f"{label}: an honest pair has edits")
                counts["honest"]["pairs"] += 1
                for kind, fault in FAULTS.items():
                    right = onnx.ModelProto.FromString(honest.SerializeToString())
                    if options.only not in f"{label} {kind}" or not fault(Faults(right, random.Random(f"{label}{kind}"))):
                        continue
                    report = mend(options, folder, right)
                    counts[kind][report["verdict"]] += 1
                    if report["verdict"] != "different":
                        continue
                    fix = report["fix"]
                    mended = fix["agrees"] and fix["verified"]
                    counts[kind]["mended"] += mended
                    lines = [line for edit in fix["edits"] for line in edit["lines"]]
                    kept = False
                    if (folder / "mended.onnx").exists():
                        made = onnx.load(folder / "mended.onnx")
                        kept = mended and operators(made) == operators(honest)
                        try:
                            onnx.checker.check_model(made, full_check=True)
                            onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
                        except Exception as error:  # pylint: disable=broad-exception-caught
                            bad.append(f"{label} {kind}: {str(error)[:300]}")
                    counts[kind]["the nodes that it had"] += kept
                    if options.verbose or not kept:
                        print("mended" if mended else "not mended:", label, kind, lines, fix["notes"])
    total = collections.Counter()
    for kind, count in counts.items():
        print(f"{kind:22}", dict(count))
        if kind != "honest":
            total.update(count)
    print(len(FAULTS), "kinds of faults", dict(total))
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

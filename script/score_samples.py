#!/usr/bin/env python3
"""score_samples.py ONNXCMP FOLDER: counts how many faulty layers onnxcmp --samples ranks first.

FOLDER has the models of benchmarks/samples_models.py. Each trial plants one fault into a layer of a
quantized model: a range that is clipped, a zero point that is shifted, one scale for weights that
need one for each channel, a scale of one channel that is wrong.
"""

import argparse
import collections
import functools
import json
import pathlib
import random
import subprocess

import numpy as np
import onnx
from onnx import numpy_helper

KINDS = ["clipped", "shifted", "per_tensor", "channel"]


def constants(model):
    return {tensor.name: tensor for tensor in model.graph.initializer}


def replace(tensor, array):
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def scales_of(model):
    """Each scale of an activation with its zero point, and each of weights, with all its nodes."""
    known = constants(model)
    activations, weights = collections.defaultdict(list), {}
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear" and node.input[1] in known:
            activations[node.input[1], node.input[2]].append(node.input[0])
        if node.op_type == "DequantizeLinear" and node.input[0] in known:
            if known[node.input[0]].data_type == onnx.TensorProto.INT8:
                axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
                weights[node.input[1]] = (node.input[0], node.output[0], axis)
    return activations, weights


def plant(model, kind, pick):
    """The float names of the results that are wrong; None: there is no place for such a fault."""
    known = constants(model)
    activations, weights = scales_of(model)
    outputs = {value.name for value in model.graph.output}
    if kind in ("clipped", "shifted"):
        # A fault of an input or of the last layer is one, too.
        (scale, zero), names = pick.choice(sorted(activations.items()))
        if kind == "clipped":
            replace(known[scale], numpy_helper.to_array(known[scale]) * np.float32(0.15))
        else:
            before = numpy_helper.to_array(known[zero])
            # By far enough that a part of the range is lost.
            after = np.array(before + 70 if before < 100 else before - 70, before.dtype)
            replace(known[zero], after)
        return set(names)
    places = [item for item in sorted(weights.items())
              if numpy_helper.to_array(known[item[0]]).size > 1]
    if not places:
        return None
    scale, (ints, output, axis) = pick.choice(places)
    values = numpy_helper.to_array(known[ints]).astype(np.float32)
    scales = numpy_helper.to_array(known[scale])
    shape = [1] * values.ndim
    shape[axis] = -1
    if kind == "channel":
        changed = scales.copy()
        changed[int(np.argmax(scales))] *= np.float32(3)
        replace(known[scale], changed)
    else:
        # One channel has a range that is 30 times the others'.
        real = values * scales.reshape(shape)
        one = np.float32(np.abs(real).max() * 30 / 127)
        replace(known[ints], np.clip(np.round(real / one), -127, 127).astype(np.int8))
        replace(known[scale], np.full_like(scales, one))
    reader = next(node for node in model.graph.node if output in node.input)
    return {reader.output[0]}


def aliases(model, names):
    """The names of results, and of those that pass on or activate their numbers."""
    names = set(names)
    for node in model.graph.node:
        if node.op_type in ("Relu", "Clip", "QuantizeLinear", "DequantizeLinear", "Identity",
                            "Reshape", "Transpose", "Flatten", "MaxPool", "Add"):
            if node.op_type == "Add" and not any(i in constants(model) for i in node.input):
                continue
            if node.input[0] in names:
                names.add(node.output[0])
    return names


@functools.cache
def honest(program, folder, name):
    """Decibels of the quantized model without a fault."""
    run = subprocess.run(
        [program, folder / f"{name}.onnx", folder / f"{name}_qdq.onnx",
         "--samples", folder / f"{name}_samples.npz", "--limit", "100", "--format", "json",
         "--quiet"], capture_output=True, text=True, check=False)
    return json.loads(run.stdout)["outputs"][0]["sqnr_pooled"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnxcmp")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true")
    arguments = parser.parse_args()
    pick = random.Random(arguments.seed)
    tally = collections.Counter()
    broken = arguments.folder / "broken.onnx"
    while tally["planted"] < arguments.faults:
        name = pick.choice(["digits_cnn", "digits_mobile", "words_bert"])
        kind = KINDS[tally["planted"] % len(KINDS)]
        model = onnx.load(arguments.folder / f"{name}_qdq.onnx")
        where = plant(model, kind, pick)
        if where is None:
            continue
        onnx.save(model, broken)
        run = subprocess.run(
            [arguments.onnxcmp, arguments.folder / f"{name}.onnx", broken, "--samples",
             arguments.folder / f"{name}_samples.npz", "--limit", "100", "--format", "json",
             "--quiet"], capture_output=True, text=True, check=False)
        report = json.loads(run.stdout)
        if report["outputs"][0]["sqnr_pooled"] > honest(arguments.onnxcmp, arguments.folder, name) - 3:
            continue  # a fault without an effect
        layers = report["layers"]
        wanted = aliases(model, where) | aliases(onnx.load(arguments.folder / f"{name}.onnx"),
                                                 where)
        at = next((i for i, layer in enumerate(layers)
                   if {layer["left_result"], layer["result"]} & wanted), None)
        tally["planted"] += 1
        tally["first"] += at == 0
        tally["of five"] += at is not None and at < 5
        if arguments.v and at != 0:
            print(name, kind, where, "is", at, "behind", layers[0]["left_result"], report["headline"])
    broken.unlink()
    print(", ".join(f"{key} {count}" for key, count in tally.items()))


if __name__ == "__main__":
    main()

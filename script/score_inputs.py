#!/usr/bin/env python3
"""How many faults made-up inputs show: puts one fault at a time into models and compares each with the
model it was put into, on given inputs and on made-up ones.

    script/score_inputs.py ONNXCMP MODEL[=INPUTS.npz]... [--faults N] [--seed N] [--option O]...
    script/score_inputs.py ONNXCMP --kinds N [--seed N] [--option O]...

Counts faults that differ on the given inputs (or, without such, on any of five seeds), and of these
those that differ on made-up ones; lists the missed. --option is handed to onnxcmp where inputs are made
up (--option=--search --option=20s). --kinds makes N pairs of each kind in input_kinds.py, which differ on
what a tester of their trade would feed first, and in rare_input_kinds.py, and as many right twins. Needs onnx and numpy.
"""
import argparse
import collections
import pathlib
import random
import subprocess
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

import input_kinds
import rare_input_kinds

LIKE = {"Relu": "Identity", "Sigmoid": "Tanh", "Tanh": "Sigmoid", "Add": "Sub", "Sub": "Add",
        "Mul": "Add", "Div": "Mul", "Erf": "Tanh", "Max": "Min", "Min": "Max", "Softmax": "LogSoftmax",
        "Greater": "Less", "Less": "Greater", "And": "Or", "Or": "And", "ReduceMean": "ReduceMax",
        "ReduceSum": "ReduceMean", "MaxPool": "AveragePool", "Sin": "Cos", "Cos": "Sin",
        "LeakyRelu": "Relu", "Clip": "Identity", "Floor": "Ceil", "Abs": "Identity", "Neg": "Identity",
        "Sqrt": "Identity", "Where": None, "Gelu": "Relu", "ArgMax": "ArgMin"}


def weights(model):
    return {t.name: t for t in model.graph.initializer}


def attribute(node, name):
    return next((a for a in node.attribute if a.name == name), None)


def like(model, node, _):
    if LIKE.get(node.op_type) is None:
        return False
    node.op_type = LIKE[node.op_type]
    if node.op_type == "Identity":
        del node.input[1:]
        del node.attribute[:]
    if node.op_type in ("AveragePool", "Relu"):
        for name in ("storage_order", "dilations", "alpha", "approximate"):
            if attribute(node, name) is not None:
                node.attribute.remove(attribute(node, name))
    return True


def swapped(model, node, _):
    if node.op_type in ("Sub", "Div", "MatMul", "Greater", "Less", "Pow"):
        node.input[0], node.input[1] = node.input[1], node.input[0]
    elif node.op_type == "Where":
        node.input[1], node.input[2] = node.input[2], node.input[1]
    elif node.op_type == "Concat" and len(node.input) > 1:
        node.input[0], node.input[1] = node.input[1], node.input[0]
    else:
        return False
    return True


def axis(model, node, pick):
    a = attribute(node, "axis")
    if a is not None and node.op_type != "Constant":
        a.i = a.i - 1 if a.i in (-1, 2, 3) else a.i + 1
        return True
    p = attribute(node, "perm")
    if p is not None and len(p.ints) > 1:
        i = pick.randrange(len(p.ints) - 1)
        p.ints[i], p.ints[i + 1] = p.ints[i + 1], p.ints[i]
        return True
    return False


def constant(model, node, pick):
    names = [i for i in node.input if i in weights(model)]
    for name in pick.sample(names, len(names)):
        t = weights(model)[name]
        values = numpy_helper.to_array(t).copy()
        if values.size == 0 or values.dtype == object:
            continue
        flat = values.reshape(-1)
        i = pick.randrange(flat.size)
        if values.dtype.kind == "f":
            if values.size > 16:
                flat *= np.asarray(1.1, values.dtype)
            else:
                flat[i] = flat[i] * 1.2 + 0.05
        elif node.op_type in ("Slice", "Gather", "Split") and values.dtype == np.int64:
            if abs(int(flat[i])) > 1 << 30:
                continue
            flat[i] += 1 if flat[i] >= 0 else -1
        else:
            continue
        model.graph.initializer.remove(t)
        model.graph.initializer.append(numpy_helper.from_array(values, name))
        return True
    return False


def float_attribute(model, node, pick):
    floats = [a for a in node.attribute if a.type == onnx.AttributeProto.FLOAT and a.f != 0]
    if not floats:
        return False
    a = pick.choice(floats)
    a.f = a.f * 1.5 if a.name != "epsilon" else a.f + 0.1
    return True


def dropped(model, node, pick):
    if node.op_type not in ("Add", "Mul", "Where", "And", "Sub") or len(node.input) < 2:
        return False
    kept = pick.choice(list(node.input[-2:]))
    del node.input[:]
    node.input.append(kept)
    node.op_type = "Identity"
    return True


def conditional(model, node, pick):
    """Shows only beyond a threshold, on one sign."""
    if node.op_type not in ("Add", "MatMul", "Conv", "Gemm", "LayerNormalization"):
        return False
    kept, low = node.output[0], node.output[0] + "_was"
    high = pick.choice(["Relu", "min"])
    readers = [(n, i) for n in model.graph.node for i, x in enumerate(n.input) if x == kept]
    node.output[0] = low
    at = list(model.graph.node).index(node) + 1
    limit = numpy_helper.from_array(np.float32(pick.choice([0.5, 2.0])), kept + "_limit")
    model.graph.initializer.append(limit)
    new = helper.make_node("Min" if high == "min" else "Max",
                           [low, limit.name] if high == "min" else [low, kept + "_least"], [kept])
    if high != "min":
        model.graph.initializer.append(
            numpy_helper.from_array(np.float32(-pick.choice([0.5, 2.0])), kept + "_least"))
    model.graph.node.insert(at, new)
    return bool(readers) or kept in [o.name for o in model.graph.output]


FAULTS = [like, swapped, axis, constant, float_attribute, dropped, conditional]


def verdict(tool, *arguments):
    run = subprocess.run([tool, *map(str, arguments), "--no-causes", "--quiet"], capture_output=True,
                         text=True, timeout=600)
    return run.returncode


def score_kinds(given, folder):
    """By kind: pairs that are found to differ, twins that are not."""
    found, refused = collections.Counter(), collections.Counter()
    left, right = folder / "left.onnx", folder / "right.onnx"
    kinds = input_kinds.KINDS + rare_input_kinds.KINDS
    for kind in kinds:
        for i in range(given.kinds):
            made = kind(random.Random(f"{given.seed} {kind.__name__} {i}"))
            onnx.save(input_kinds.model(made[0]), left)
            for graph, counts, status in ((made[1], found, 1), (made[2], refused, 0)):
                onnx.save(input_kinds.model(graph), right)
                now = verdict(given.onnxcmp, left, right, *given.option)
                counts[kind.__name__] += now == 1 if status == 1 else now != 0
                if now != status:
                    print(f"{kind.__name__} {i}: {'wrong' if status == 1 else 'twin'}: exit {now}")
        print(f"{kind.__name__}: {found[kind.__name__]} of {given.kinds} found, "
              f"{refused[kind.__name__]} twins refused", flush=True)
    total = given.kinds * len(kinds)
    print(f"{found.total()} of {total} pairs found, {refused.total()} of {total} twins refused")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnxcmp")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--kinds", type=int, default=0, help="pairs of each kind")
    parser.add_argument("--faults", type=int, default=12, help="of each model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--option", action="append", default=[])
    given = parser.parse_args()
    counts = collections.Counter()
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        if given.kinds:
            score_kinds(given, pathlib.Path(folder))
        faulty = pathlib.Path(folder) / "faulty.onnx"
        for spec in given.models:
            path, _, inputs = spec.partition("=")
            honest = verdict(given.onnxcmp, path, path, *given.option)
            counts["honest", honest] += 1
            if honest != 0:
                print("honest pair:", path, "exit", honest)
            pick = random.Random(f"{given.seed} {path}")
            made = 0
            for _ in range(20 * given.faults):
                if made == given.faults:
                    break
                model = onnx.load(path)
                node = pick.choice(model.graph.node)
                fault = pick.choice(FAULTS)
                what = f"{fault.__name__} {node.op_type} {node.output[0]}"
                if not fault(model, node, pick):
                    continue
                onnx.save(model, faulty)
                if inputs:
                    shows = verdict(given.onnxcmp, path, faulty, "--inputs", inputs) == 1
                else:
                    shows = any(verdict(given.onnxcmp, path, faulty, "--ramp", "--seed", seed) == 1
                                for seed in range(5))
                if not shows:
                    continue
                made += 1
                found = verdict(given.onnxcmp, path, faulty, *given.option)
                counts["found" if found == 1 else "missed"] += 1
                if found != 1:
                    missed.append(f"{path}: {what}: exit {found}")
    if not given.models:
        return
    print("\n".join(missed))
    print(f"{counts['found']} of {counts['found'] + counts['missed']} faults found")


if __name__ == "__main__":
    main()

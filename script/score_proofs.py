#!/usr/bin/env python3
"""Counts what `onnxcmp --prove` proves of pairs of models, and of the same pairs with a fault.

    script/score_proofs.py [--onnxcmp build/onnxcmp] [--mutants N] LEFT RIGHT [LEFT RIGHT ...]

Prints a line a pair and the sums. A mutant is the right model with one fault: one weight's last
place, an epsilon, an axis or an operator. None may be proved: the exit status is 1 if one is.
Needs the Python packages onnx and numpy.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
from onnx import numpy_helper

SWAPS = {"Add": "Sub", "Sub": "Add", "Mul": "Div", "Tanh": "Sigmoid", "Sigmoid": "Tanh", "Erf": "Tanh",
         "Relu": "Abs", "Cos": "Sin", "Sin": "Cos", "Max": "Min", "ReduceMean": "ReduceSum",
         "Greater": "GreaterOrEqual", "Less": "LessOrEqual", "MaxPool": "AveragePool"}


def load(path):
    if str(path).endswith(".onnxtxt"):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        return onnx.parser.parse_model("\n".join(l for l in text.splitlines() if not l.startswith("#")))
    return onnx.load(path)


def prove(program, left, right):
    """"proved", "not" or "impossible", with the first line of the proof."""
    run = subprocess.run([program, left, right, "--prove", "--sets", "1", "--no-causes"],
                         capture_output=True, text=True, check=False, timeout=300)
    text = " ".join(run.stdout.split())
    word = "(proved) " if "(proved)" in text else ""
    lines = [word + text.split(" proof ", 1)[1]] if " proof " in text else []
    first = lines[0] if lines else (run.stderr or run.stdout).strip().splitlines()[-1:]
    if not lines or "not possible" in lines[0]:
        return "impossible", str(first)
    return ("proved" if "(proved)" in lines[0] else "not"), "; ".join(lines)


def faults(model):
    """Functions that each put a fault into a model of this kind."""
    made = []
    for i, tensor in enumerate(model.graph.initializer):
        if tensor.data_type != onnx.TensorProto.FLOAT or tensor.dims == [0]:
            continue

        def weight(copy, i=i):
            array = numpy_helper.to_array(copy.graph.initializer[i]).copy()
            if array.size == 0:
                return
            flat = array.reshape(-1)
            at = random.randrange(flat.size)
            flat[at] = numpy.nextafter(flat[at], numpy.float32(numpy.inf), dtype=numpy.float32)
            copy.graph.initializer[i].CopyFrom(
                numpy_helper.from_array(array, copy.graph.initializer[i].name))

        made.append(("last place of " + tensor.name, weight))
    for i, node in enumerate(model.graph.node):
        if node.op_type in SWAPS and node.domain == "":

            def swap(copy, i=i):
                copy.graph.node[i].op_type = SWAPS[copy.graph.node[i].op_type]

            made.append((f"{node.op_type} {node.output[0]}", swap))
        for j, attribute in enumerate(node.attribute):
            if attribute.name in ("epsilon", "alpha"):

                def number(copy, i=i, j=j):
                    copy.graph.node[i].attribute[j].f *= 1.5

                made.append((f"{attribute.name} of {node.output[0]}", number))
            if attribute.name == "axis":

                def axis(copy, i=i, j=j):
                    copy.graph.node[i].attribute[j].i = 0 if attribute.i else 1

                made.append((f"axis of {node.output[0]}", axis))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--onnxcmp", default="build/onnxcmp")
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    pairs = list(zip(arguments.models[::2], arguments.models[1::2]))
    counts = {"proved": 0, "not": 0, "impossible": 0}
    proved = []
    for left, right in pairs:
        start = time.time()
        answer, line = prove(arguments.onnxcmp, left, right)
        counts[answer] += 1
        if answer == "proved":
            proved.append((left, right))
        print(f"{answer:10} {time.time() - start:6.2f} s  {left} {right}  {line if answer != 'proved' else ''}"[:400])
    print(f"{len(pairs)} pairs:", counts)
    wrong = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        target = str(pathlib.Path(folder) / "mutant.onnx")
        while proved and tried < arguments.mutants:
            left, right = random.choice(proved)
            model = load(right)
            made = faults(model)
            if not made:
                proved.remove((left, right))
                continue
            name, fault = random.choice(made)
            before = model.SerializeToString()
            fault(model)
            if model.SerializeToString() == before:
                continue
            onnx.save(model, target)
            tried += 1
            answer, line = prove(arguments.onnxcmp, left, target)
            if answer == "proved":
                wrong += 1
                print("PROVED", left, right, name, line)
    print(f"{tried} mutants, {wrong} proved")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Counts what `onnxcmp --prove` proves of pairs of models, and of the same pairs with a fault.

    script/score_proofs.py [--onnxcmp build/onnxcmp] [--mutants N] [--seeds N]
                           LEFT RIGHT [LEFT RIGHT ...]

Prints a line a pair and the sums. A mutant is one of both models with one fault: one weight's last
place, an attribute, an operator, turned inputs. None may be proved: the exit status is 1 if one is,
unless it gives the same bits as the model without it. Models that do not run do not count. The last
place of a BatchNormalization, or of the layer before it, that the other model has folded may be within
the rounding of that, which the proof tells: these are counted by themselves. With --seeds each pair is proved so many
times, each with other random numbers, and has to get the same answer.
Needs the Python packages onnx and numpy.
"""
import argparse
import json
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
         "Greater": "GreaterOrEqual", "GreaterOrEqual": "Less", "Less": "LessOrEqual", "LessOrEqual": "Greater",
         "And": "Or", "Or": "And", "Min": "Max", "Sqrt": "Abs", "Abs": "Relu", "Exp": "Sigmoid", "Floor": "Ceil",
         "ReduceSum": "ReduceMean", "ReduceMax": "ReduceMin", "ArgMax": "ArgMin", "Neg": "Abs",
         "MaxPool": "AveragePool"}


def load(path):
    if str(path).endswith(".onnxtxt"):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        return onnx.parser.parse_model("\n".join(l for l in text.splitlines() if not l.startswith("#")))
    return onnx.load(path)


def prove(program, left, right, *options):
    """"proved", "not" or "impossible", with what is said of the proof."""
    run = subprocess.run([program, left, right, "--prove", "--format", "json", "--sets", "1", "--no-causes", *options],
                         capture_output=True, text=True, check=False, timeout=300)
    try:
        proof = json.loads(run.stdout)["proof"]
    except (ValueError, KeyError):
        return "impossible", str((run.stderr or run.stdout).strip().splitlines()[-1:])
    if "not_possible" in proof:
        return "impossible", proof["not_possible"]
    return ("proved" if proof["proved"] else "not"), "; ".join(proof["text"])


NO_MEANING = {"accuracy_level", "saturate", "storage_order", "enable_gqa", "is_inner_broadcast"}


def change_element(copy, i, change):
    array = numpy_helper.to_array(copy.graph.initializer[i]).copy()
    flat = array.reshape(-1)
    at = random.randrange(flat.size)
    flat[at] = change(flat[at])
    copy.graph.initializer[i].CopyFrom(numpy_helper.from_array(array, copy.graph.initializer[i].name))


def change_list(numbers):
    """Another order, or another number where all are alike."""
    other = list(numbers)
    if len(set(other)) > 1:
        i, j = random.sample(range(len(other)), 2)
        other[i], other[j] = other[j], other[i]
    elif other:
        other[-1] += 1
    return other


def change_attribute(attribute):
    kind = onnx.AttributeProto
    if attribute.type == kind.FLOAT:
        attribute.f = attribute.f * 1.5 + (attribute.f == 0) if random.random() < 0.5 else float(
            numpy.nextafter(numpy.float32(attribute.f), numpy.float32(numpy.inf)))
    elif attribute.type == kind.INT:
        attribute.i = 1 - attribute.i if attribute.i in (0, 1) else attribute.i + random.choice((-1, 1))
    elif attribute.type == kind.INTS:
        attribute.ints[:] = change_list(attribute.ints)
    elif attribute.type == kind.STRING:
        swap = {b"Relu": b"Sigmoid", b"none": b"tanh", b"tanh": b"none", b"LeakyRelu": b"Relu",
                b"euclidean": b"sqeuclidean", b"silu": b"none", b"right": b"left"}
        attribute.s = swap.get(attribute.s, attribute.s)


def change_tensor(tensor):
    """Another number in one element of a constant: the next float, or one more."""
    array = numpy_helper.to_array(tensor).copy()
    if array.size == 0 or array.dtype.kind not in "fiu":
        return
    flat = array.reshape(-1)
    at = random.randrange(flat.size)
    if array.dtype == numpy.float32 and random.random() < 0.5:
        flat[at] = numpy.nextafter(flat[at], numpy.float32(numpy.inf), dtype=numpy.float32)
    else:
        flat[at] = flat[at] + 1 if flat[at] < 100 else flat[at] - 1
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def rewire(graph, i):
    """An input of a node becomes what another node before it, or an input, gives."""
    node = graph.node[i]
    names = [name for other in graph.node[:i] for name in other.output if name]
    names += [given.name for given in graph.input]
    places = [j for j, name in enumerate(node.input) if name]
    if names and places:
        node.input[random.choice(places)] = random.choice(names)


def drop(graph, i):
    """A node gives its first input."""
    node = graph.node[i]
    kept = onnx.helper.make_node("Identity", node.input[:1], node.output[:1], name=node.name)
    node.CopyFrom(kept)


def graphs_of(graph):
    """The graph, and those of its nodes, always in the same order."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs_of(attribute.g)


def faults_of_nodes(number, graph):
    """Faults of a graph's nodes, the graph being that of this number in graphs_of()."""

    def here(fault):
        return lambda copy: fault(list(graphs_of(copy.graph))[number])

    made = []
    for i, node in enumerate(graph.node):
        label = f"{node.op_type} {node.output[0]}"
        made.append((label + " with another wire", here(lambda graph, i=i: rewire(graph, i))))
        if len(node.output) == 1 and len(node.input) > 0 and node.op_type != "Identity":
            made.append((label + " dropped", here(lambda graph, i=i: drop(graph, i))))
        if len(node.input) > 2 and node.op_type in ("Where", "Clip", "Gemm", "Conv"):

            def turn_last(graph, i=i):
                inputs = graph.node[i].input
                inputs[1], inputs[2] = inputs[2], inputs[1]

            made.append((label + " with its last inputs turned", here(turn_last)))
        for j, attribute in enumerate(node.attribute):
            if attribute.type == onnx.AttributeProto.TENSOR:
                made.append((f"a number of {label}",
                             here(lambda graph, i=i, j=j: change_tensor(graph.node[i].attribute[j].t))))
        if number > 0:
            made += [(name, here(fault)) for name, fault in faults_of_node(i, node)]
    return made


def faults_of_node(i, node):
    """Faults of a node, as functions of its graph."""
    made = []
    label = f"{node.op_type} {node.output[0]}"
    if node.op_type in SWAPS and node.domain == "":

        def swap(graph):
            graph.node[i].op_type = SWAPS[graph.node[i].op_type]

        made.append((label + " for another", swap))
    if len(node.input) > 1 and node.op_type not in ("Add", "Mul", "Max", "Min", "Sum"):

        def turn(graph):
            inputs = graph.node[i].input
            inputs[0], inputs[1] = inputs[1], inputs[0]

        made.append((label + " with inputs turned", turn))
    for j, attribute in enumerate(node.attribute):
        if attribute.name not in NO_MEANING:
            made.append((f"{attribute.name} of {label}",
                         lambda graph, j=j: change_attribute(graph.node[i].attribute[j])))
    return made


def next_number(x):
    """The next float; of 0, which has no last place, that of 1."""
    return numpy.nextafter(x, numpy.float32(numpy.inf), dtype=numpy.float32) if x else numpy.float32(1.2e-7)


def faults(model):
    """Functions that each put a fault into a model of this kind."""
    made = []
    graph = model.graph
    for i, tensor in enumerate(graph.initializer):
        if 0 in tensor.dims:
            continue
        if tensor.data_type == onnx.TensorProto.FLOAT:
            made.append(("last place of " + tensor.name, lambda copy, i=i: change_element(copy, i, next_number)))
            made.append(("element of " + tensor.name,
                         lambda copy, i=i: change_element(copy, i, lambda x: x + numpy.float32(0.5))))
        elif tensor.data_type in (onnx.TensorProto.INT64, onnx.TensorProto.INT32, onnx.TensorProto.UINT8):
            made.append(("element of " + tensor.name,
                         lambda copy, i=i: change_element(copy, i, lambda x: x + 1 if x < 255 else x - 1)))
    for i, node in enumerate(graph.node):
        made += [(name, lambda copy, fault=fault: fault(copy.graph)) for name, fault in faults_of_node(i, node)]
    for number, inner in enumerate(graphs_of(graph)):
        made += faults_of_nodes(number, inner)
    return made


def exaggerated(model, mutant):
    """The mutant with changes of last places made large: where nobody reads them, they change nothing."""
    for before, after in zip(model.graph.initializer, mutant.graph.initializer):
        if before == after or after.data_type != onnx.TensorProto.FLOAT:
            continue
        array = numpy_helper.to_array(after).copy()
        array[array != numpy_helper.to_array(before)] += numpy.float32(0.5)
        after.CopyFrom(numpy_helper.from_array(array, after.name))
    return mutant


def is_before_folding(model, name):
    """True if the fault is in the last place of a BatchNormalization, or of the layer before one."""
    tensor = name.removeprefix("last place of ")
    layers = {output for node in model.graph.node if tensor in node.input[1:] for output in node.output}
    return name != tensor and any(
        node.op_type == "BatchNormalization" and (tensor in node.input[1:] or node.input[0] in layers)
        for node in model.graph.node)


def is_the_same(program, right, mutant):
    """True if a mutant gives the same bits on several sets of inputs: it may be no fault at all."""
    run = subprocess.run([program, right, mutant, "--sets", "6", "--no-causes", "-q"], capture_output=True,
                         text=True, check=False, timeout=300)
    return run.returncode in (0, 2) and "the same bits" in " ".join(run.stdout.split())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--onnxcmp", default="build/onnxcmp")
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=0)
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
    wrong = tried = same = folded = other_answers = 0
    for left, right in pairs[:None if arguments.seeds else 0]:
        answers = {prove(arguments.onnxcmp, left, right, "--seed", str(seed))[0]
                   for seed in range(arguments.seeds)}
        print(f"{arguments.seeds} seeds: {', '.join(sorted(answers))}  {left} {right}", flush=True)
        other_answers += len(answers) > 1
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        target = str(pathlib.Path(folder) / "mutant.onnx")
        while proved and tried < arguments.mutants:
            left, right = random.choice(proved)
            if random.random() < 0.3:
                left, right = right, left
            model = load(right)
            made = faults(model)
            if not made:
                continue
            name, fault = random.choice(made)
            before = model.SerializeToString()
            fault(model)
            if model.SerializeToString() == before:
                continue
            onnx.save(model, target)
            answer, line = prove(arguments.onnxcmp, left, target)
            counts[answer] = counts.get(answer, 0) + 1
            if answer == "impossible":
                continue
            tried += 1
            if answer == "proved":
                if "folded constant" in line and is_before_folding(model, name):
                    folded += 1
                    print("within the rounding of folding:", left, right, name)
                    continue
                onnx.save(exaggerated(load(right), model), target)
                if is_the_same(arguments.onnxcmp, right, target):
                    same += 1
                    print("same bits:", left, right, name)
                    continue
                wrong += 1
                print("PROVED", left, right, name, line, flush=True)
    print(f"{tried} mutants, {wrong} proved, {same} more that give the same bits as the model without, "
          f"{folded} before folding and within its rounding, which is told; {counts}")
    return 1 if wrong or other_answers else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How well limits hold: makes hostile models and runs the program on each of them.

    script/score_limits.py ONNXCMP [--only KIND] [--commands run,compare,show,prove] [--jobs N]
                           [--limits '--max-memory 128M --max-time 20 --max-steps 3000'] [--keep DIR]

A kind of model has many sizes. `compare` and `prove` take the model and a changed copy. Each call is held
against what docs/limits.md promises: it ends by itself with status 0, 1 or 2, within 30 s, and holds less
than 364 MiB in pages that belong to no file. A line for each call that does not, then the figures by command.
Needs onnx and numpy.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LONGEST = 30  # seconds
MOST = 364 << 20  # bytes
KILLED_AFTER = 60  # seconds
SIZES = (10**3, 10**6, 10**8, 10**10, 2**40, 2**62)
KINDS = {}


def kind(function):
    """Registers a generator of (name, model or bytes, files) for each model of a kind."""
    KINDS[function.__name__] = function
    return function


def value(name, dtype=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs=(), outputs=("y",), constants=(), functions=(), opset=21):
    inputs = [i if not isinstance(i, str) else value(i, shape=[4]) for i in inputs]
    outputs = [o if not isinstance(o, str) else value(o) for o in outputs]
    graph = helper.make_graph(list(nodes), "g", inputs, outputs, list(constants))
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 5),
               helper.make_opsetid("f", 1), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10, functions=list(functions))


def node(op, inputs, outputs=("y",), **attributes):
    return helper.make_node(op, list(inputs), list(outputs), **attributes)


def constant(name, *numbers, dtype=np.int64):
    return numpy_helper.from_array(np.array(numbers, dtype), name)


def filled(name, *shape):
    """A constant of the shape and the node that makes it."""
    return constant(name + "_shape", *shape), node("ConstantOfShape", [name + "_shape"], [name])


UNARY = ("Abs", "Neg", "Exp", "Softmax", "LogSoftmax", "Hardmax", "Relu", "Gelu", "Sigmoid", "Erf", "Floor",
         "ReduceSum", "ReduceMax", "ReduceL2", "ArgMax", "CumSum", "TopK", "Unique", "NonZero", "Shape",
         "Size", "Identity", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "EyeLike", "Trilu", "Bernoulli",
         "Dropout", "Cast", "IsNaN", "LpNormalization", "RandomNormalLike", "Det", "GlobalAveragePool")


@kind
def shapes():
    """Constants of many elements in many operators."""
    for op in UNARY:
        for size in SIZES:
            rows = 1 if op in ("EyeLike", "Trilu", "Det", "GlobalAveragePool") else 0
            shape, maker = filled("x", *([1] * rows), size)
            more = {"CumSum": [constant("k", 0)], "TopK": [constant("k", 1)],
                    "Unsqueeze": [constant("k", 0)]}.get(op, [])
            attributes = {"to": TensorProto.FLOAT16} if op == "Cast" else {}
            outputs = ("y", "z") if op == "TopK" else ("y",)
            inputs = ["x"] + [m.name for m in more]
            yield f"{op}_{size}", model([maker, node(op, inputs, outputs, **attributes)],
                                        constants=[shape, *more]), {}


@kind
def asked():
    """Operators that a few numbers ask for many elements."""
    for size in SIZES:
        n = constant("n", size)
        yield f"Expand_{size}", model([node("Expand", ["x", "n"])], [value("x", shape=[1])], constants=[n]), {}
        yield f"Tile_{size}", model([node("Tile", ["x", "n"])], ["x"], constants=[n]), {}
        yield f"Tile_text_{size}", model([node("Tile", ["x", "n"])], [value("x", TensorProto.STRING, [2])],
                                         constants=[n]), {}
        yield f"Pad_{size}", model([node("Pad", ["x", "p"])], ["x"], constants=[constant("p", size, size)]), {}
        yield f"Pad_wrap_{size}", model([node("Pad", ["x", "p"], mode="wrap")], ["x"],
                                        constants=[constant("p", size, size)]), {}
        zero, one = helper.make_tensor("a", 7, [], [0]), helper.make_tensor("b", 7, [], [1])
        end = helper.make_tensor("n", 7, [], [size])
        yield f"Range_{size}", model([node("Range", ["a", "n", "b"])], constants=[zero, one, end]), {}
        yield f"OneHot_{size}", model([node("OneHot", ["i", "n", "v"])], [value("i", 7, [3])],
                                      constants=[n, constant("v", 0, 1)]), {}
        yield f"Reshape_{size}", model([node("Reshape", ["x", "n"])], ["x"], constants=[n]), {}
        yield f"RandomNormal_{size}", model([node("RandomNormal", [], shape=[size])]), {}
        yield f"Multinomial_{size}", model([node("Multinomial", ["x"], sample_size=min(size, 2**62))],
                                           [value("x", shape=[1, 3])]), {}
        yield f"Resize_{size}", model([node("Resize", ["x", "", "", "s"])], [value("x", shape=[1, 1, 2, 2])],
                                      constants=[constant("s", 1, 1, size, 2)]), {}
        yield f"Scale_{size}", model([node("Resize", ["x", "", "s"], mode="cubic")],
                                     [value("x", shape=[1, 1, 2, 2])],
                                     constants=[constant("s", 1, 1, size, 2, dtype=np.float32)]), {}
        yield f"Window_{size}", model([node("HannWindow", ["n0"])],
                                      constants=[helper.make_tensor("n0", 7, [], [size])]), {}
        yield f"Mel_{size}", model([node("MelWeightMatrix", ["b", "d", "r", "lo", "hi"])], constants=[
            helper.make_tensor("b", 7, [], [min(size, 10**6)]), helper.make_tensor("d", 7, [], [size]),
            helper.make_tensor("r", 7, [], [8192]), helper.make_tensor("lo", 1, [], [0.0]),
            helper.make_tensor("hi", 1, [], [4096.0])]), {}
        yield f"Col2Im_{size}", model([node("Col2Im", ["x", "i", "b"])], [value("x", shape=[1, 4, 4])],
                                      constants=[constant("i", size, 4), constant("b", 2, 2)]), {}
        yield f"Sequence_{size}", model([node("SplitToSequence", ["x"], keepdims=0)],
                                        [value("x", shape=[min(size, 2**62)])]), {}
        yield f"Scatter_{size}", model([*[filled("x", size)[1]], node("ScatterElements", ["x", "i", "u"])],
                                       constants=[filled("x", size)[0], constant("i", 1),
                                                  constant("u", 1, dtype=np.float32)]), {}


@kind
def inputs_of_types():
    """Inputs of every type whose declared shapes are large."""
    for dtype in range(0, 24):
        for shape in ([10**6], [10**9], [2**31, 2**31], [2**62], [0, 2**62]):
            yield f"{dtype}_{'x'.join(map(str, shape))}", model([node("Identity", ["x"])],
                                                              [value("x", dtype, shape)]), {}


@kind
def windows():
    """Windows, samples and paddings that multiply the work of a small tensor."""
    for side in (64, 300, 1000, 1900):
        shape, maker = filled("w", 1, 1, side, side)
        image = [value("x", shape=[1, 1, 2000, 2000])]
        yield f"Conv_{side}", model([maker, node("Conv", ["x", "w"])], image, constants=[shape]), {}
        yield f"ConvTranspose_{side}", model([maker, node("ConvTranspose", ["x", "w"])], image,
                                             constants=[shape]), {}
        for op in ("MaxPool", "AveragePool", "LpPool"):
            yield f"{op}_{side}", model([node(op, ["x"], kernel_shape=[side, side])], image), {}
            yield f"{op}_pads_{side}", model([node(op, ["x"], kernel_shape=[side, side],
                                                   pads=[side - 1] * 4)], image), {}
        yield f"MaxPool_ids_{side}", model([node("MaxPool", ["x"], ["y", "z"], kernel_shape=[side, side])],
                                           image), {}
    for size in SIZES:
        small = [value("x", shape=[1, 1, 8, 8])]
        yield f"dilation_{size}", model([node("MaxPool", ["x"], kernel_shape=[2, 2],
                                              dilations=[size, 1])], small), {}
        yield f"stride_{size}", model([node("MaxPool", ["x"], kernel_shape=[2, 2], strides=[size, 1])], small), {}
        yield f"kernel_{size}", model([node("MaxPool", ["x"], kernel_shape=[size, 1],
                                            pads=[size - 1, 0, size - 1, 0])], small), {}
        yield f"LRN_{size}", model([node("LRN", ["x"], size=size)], [value("x", shape=[1, 3000, 8, 8])]), {}
        yield f"RoiAlign_{size}", model([node("RoiAlign", ["x", "r", "b"], sampling_ratio=size)],
                                        [value("x", shape=[1, 4, 32, 32]), value("r", shape=[8, 4]),
                                         value("b", 7, [8])]), {}
        yield f"RoiAlign_size_{size}", model([node("RoiAlign", ["x", "r", "b"], output_height=size)],
                                             [value("x", shape=[1, 4, 32, 32]), value("r", shape=[8, 4]),
                                              value("b", 7, [8])]), {}
        yield f"group_{size}", model([node("Conv", ["x", "w"], group=size)],
                                     [*small, value("w", shape=[1, 1, 3, 3])]), {}
        yield f"output_shape_{size}", model([node("ConvTranspose", ["x", "w"], output_shape=[size, 8])],
                                            [*small, value("w", shape=[1, 1, 3, 3])]), {}
        yield f"SpaceToDepth_{size}", model([node("SpaceToDepth", ["x"], blocksize=size)], small), {}
        yield f"DepthToSpace_{size}", model([node("DepthToSpace", ["x"], blocksize=size)], small), {}


@kind
def work():
    """Nodes whose work grows faster than their data."""
    for n in (100, 1000, 2500, 5000):
        square = [value("a", shape=[n, n]), value("b", shape=[n, n])]
        yield f"MatMul_{n}", model([node("MatMul", ["a", "b"])], square), {}
        yield f"Gemm_{n}", model([node("Gemm", ["a", "b"], transA=1, transB=1)], square), {}
        yield f"Einsum_{n}", model([node("Einsum", ["a", "b"], equation="ij,kl->ijl")],
                                   [value("a", shape=[n, 9]), value("b", shape=[9, n])]), {}
        yield f"Einsum_sum_{n}", model([node("Einsum", ["a", "b", "a", "b"], equation="ij,kl,mn,op->i")],
                                       [value("a", shape=[n, 9]), value("b", shape=[9, n])]), {}
        yield f"Det_{n}", model([node("Det", ["a"])], square[:1]), {}
        yield f"DFT_{n}", model([node("DFT", ["x"])], [value("x", shape=[1, n * 997, 1])]), {}
        yield f"MatMulInteger_{n}", model([node("MatMulInteger", ["a", "b"])],
                                          [value("a", 2, [n, n]), value("b", 2, [n, n])]), {}
        yield f"grid_{n}", model([node("GridSample", ["x", "g"])], [
            value("x", shape=[1, 1, 64, 64]), value("g", shape=[1, n, 1000, 2])]), {}
        yield f"grid_channels_{n}", model([node("GridSample", ["x", "g"], mode="cubic")], [
            value("x", shape=[1, n, 8, 8]), value("g", shape=[1, n, 3, 2])]), {}
        yield f"boxes_{n}", model([node("NonMaxSuppression", ["b", "s", "m"])], [
            value("b", shape=[1, n * 4, 4]), value("s", shape=[1, 8, n * 4])],
            constants=[constant("m", 2**62)]), {}
        yield f"Attention_{n}", model([node("Attention", ["q", "k", "v"])],
                                      [value(i, shape=[1, 2, n * 2, 8]) for i in "qkv"], opset=23), {}
        yield f"LSTM_{n}", model([node("LSTM", ["x", "w", "r"], hidden_size=16)], [
            value("x", shape=[n * 100, 1, 4]), value("w", shape=[1, 64, 4]), value("r", shape=[1, 64, 16])]), {}
        yield f"STFT_{n}", model([node("STFT", ["x", "s", "", "l"])], [value("x", shape=[1, n * 100, 1])],
                                 constants=[helper.make_tensor("s", 7, [], [1]),
                                            helper.make_tensor("l", 7, [], [n])]), {}
        yield f"TfIdf_{n}", model([node("TfIdfVectorizer", ["x"], mode="TF", min_gram_length=1,
                                        max_gram_length=n, max_skip_count=n, ngram_counts=[0],
                                        ngram_indexes=[0], pool_int64s=[1])], [value("x", 7, [n * 10])]), {}
        yield f"DeformConv_{n}", model([node("DeformConv", ["x", "w", "o"])], [
            value("x", shape=[1, 8, n, 8]), value("w", shape=[8, 8, 3, 3]),
            value("o", shape=[1, 18, n - 2, 6])]), {}
        yield f"Unique_{n}", model([node("Unique", ["x"], axis=0)], [value("x", shape=[n, n])]), {}
        yield f"pairs_{n}", model([node("Unsqueeze", ["x", "r"], ["a"]), node("Unsqueeze", ["x", "c"], ["b"]),
                                   node("Less", ["a", "b"])], [value("x", shape=[n * 4])],
                                  constants=[constant("r", 0), constant("c", 1)]), {}


def loop_over(body, count, state, **types):
    """A Loop whose body has the nodes `body` from `a` to `b`."""
    info = value("a", **types), value("b", **types)
    graph = helper.make_graph([*body, node("Identity", ["c"], ["d"])], "body",
                              [value("i", 7, []), value("c", 9, []), info[0]], [value("d", 9, []), info[1]])
    go = helper.make_tensor("go", 9, [], [True])
    many = helper.make_tensor("many", 7, [], [count])
    return model([node("Loop", ["many", "go", "x"], body=graph)], [state], constants=[go, many])


@kind
def loops():
    """Loops that do not end, whose values grow, or that stand in one another."""
    for count in (10, 3000, 10**6, 2**62):
        vector = value("x", shape=[1000])
        yield f"endless_{count}", loop_over([node("Sin", ["a"], ["b"])], count, vector), {}
        yield f"doubles_{count}", loop_over([node("Concat", ["a", "a"], ["b"], axis=0)], count, vector), {}
        yield f"sums_{count}", loop_over([node("Add", ["a", "a"], ["b"])], count, vector), {}
        text = value("x", TensorProto.STRING, [4])
        yield f"text_{count}", loop_over([node("StringConcat", ["a", "a"], ["b"])], count, text,
                                         dtype=TensorProto.STRING), {}
        yield f"words_{count}", loop_over([node("Concat", ["a", "a"], ["b"], axis=0)], count, text,
                                          dtype=TensorProto.STRING), {}
        square = value("x", shape=[300, 300])
        yield f"products_{count}", loop_over([node("MatMul", ["a", "a"], ["b"])], count, square), {}
        for depth in (2, 4):
            inner = [node("Sin", ["a"], ["b"])]
            for level in range(depth):
                infos = value("a"), value("b")
                graph = helper.make_graph([*inner, node("Identity", ["c"], ["d"])], f"l{level}", [
                    value("i", 7, []), value("c", 9, []), infos[0]], [value("d", 9, []), infos[1]])
                inner = [node("Loop", ["many", "go", "a" if level + 1 < depth else "x"],
                              ["b" if level + 1 < depth else "y"], body=graph)]
            yield f"nested_{depth}_{count}", model(inner, [value("x", shape=[3])], constants=[
                helper.make_tensor("go", 9, [], [True]), helper.make_tensor("many", 7, [], [count])]), {}
        scanned = helper.make_graph([node("Add", ["s", "e"], ["t"]), node("Identity", ["t"], ["o"])], "scan",
                                    [value("s", shape=[8]), value("e", shape=[8])],
                                    [value("t", shape=[8]), value("o", shape=[8])])
        yield f"Scan_{count}", model([node("Scan", ["s", "x"], ["t", "y"], body=scanned, num_scan_inputs=1)], [
            value("s", shape=[8]), value("x", shape=[min(count, 2**40), 8])]), {}


@kind
def texts():
    """Strings that are long, many, or hard to match."""
    for n in (10, 10**4, 10**6, 10**7):
        long = numpy_helper.from_array(np.array(["a" * n], object), "t")
        yield f"long_{n}", model([node("StringConcat", ["t", "t"])], constants=[long]), {}
        yield f"split_{n}", model([node("StringSplit", ["t"], ["y", "z"], delimiter="a")], constants=[long]), {}
        yield f"regex_{n}", model([node("RegexFullMatch", ["t"], pattern="(a*)*(a*)*(a|aa)*b")],
                                  constants=[long]), {}
        yield f"pattern_{n}", model([node("RegexFullMatch", ["t"], pattern="a?" * min(n, 10**6))],
                                    constants=[long]), {}
        yield f"normalize_{n}", model([node("StringNormalizer", ["t"], case_change_action="UPPER",
                                            stopwords=["a" * min(n, 1000)] * 50)], constants=[long]), {}
        yield f"label_{n}", model([node("LabelEncoder", ["t"], domain="ai.onnx.ml",
                                        keys_strings=[str(i) for i in range(min(n, 10**5))],
                                        values_int64s=list(range(min(n, 10**5))))], constants=[long]), {}
        doubled = [node("StringConcat", [f"t{i}" if i else "t"] * 2, [f"t{i + 1}"]) for i in range(40)]
        yield f"doubled_{n}", model([*doubled, node("Identity", ["t40"])], constants=[long]), {}


@kind
def sparse():
    """Sparse constants whose dense form is large, or whose indices are not right."""
    for size in SIZES:
        for index in (0, 5, size - 1, size, -1, 2**63 - 1):
            numbers = helper.make_tensor("s", 1, [1], [1.0])
            indices = helper.make_tensor("i", 7, [1], [index])
            made = helper.make_sparse_tensor(numbers, indices, [size])
            one = model([node("Relu", ["s"])])
            one.graph.sparse_initializer.append(made)
            yield f"{size}_{index}", one, {}


@kind
def external():
    """External data of holes, of nothing, beyond its file, in other places."""
    def with_data(shape, **entries):
        tensor = TensorProto(name="w", data_type=1, dims=shape, data_location=TensorProto.EXTERNAL)
        for key, text in entries.items():
            tensor.external_data.add(key=key, value=str(text))
        return model([node("ReduceSum", ["w"])], constants=[tensor])

    for size in (10**3, 10**6, 5 * 10**7, 10**9, 10**10):
        file = {"data": 4 * size}
        for op in ("ReduceSum", "Softmax", "Relu", "TopK"):
            one = with_data([size], location="data")
            del one.graph.node[:]
            more = ["k"] if op == "TopK" else []
            one.graph.node.append(node(op, ["w", *more], ("y", "z") if more else ("y",)))
            one.graph.initializer.extend([constant("k", 1)] if more else [])
            yield f"{op}_{size}", one, file
        for name, entries in {"short": {"length": 4}, "past": {"offset": 4 * size}, "before": {"offset": -4},
                              "overflow": {"offset": 2**63 - 1, "length": 2**63 - 1},
                              "text": {"offset": "x"}}.items():
            yield f"{name}_{size}", with_data([size], location="data", **entries), file
    for i, place in enumerate(("", ".", "..", "../data", "/dev/zero", "/dev/stdin", "/proc/self/mem", "data\0x", "a" * 10**6,
                  "none")):
        yield f"place_{i}", with_data([10], location=place), {"data": 40}


@kind
def attributes():
    """Attributes that are long, many, or of the wrong kind."""
    for n in (10, 10**3, 10**5, 10**6):
        yield f"perm_{n}", model([node("Transpose", ["x"], perm=list(range(n)))], ["x"]), {}
        yield f"kernel_{n}", model([node("MaxPool", ["x"], kernel_shape=[1] * n)], ["x"]), {}
        yield f"value_{n}", model([node("Constant", [], value_ints=list(range(n)))]), {}
        yield f"split_{n}", model([node("Split", ["x"], [f"y{i}" for i in range(min(n, 10**5))],
                                        num_outputs=min(n, 10**5))], ["x"], ["y0"]), {}
        yield f"floats_{n}", model([node("Scaler", ["x"], domain="ai.onnx.ml", scale=[1.0] * n,
                                         offset=[0.0] * n)], [value("x", shape=[1, n])]), {}
        yield f"many_{n}", model([node("Relu", ["x"], **{f"a{i}": i for i in range(min(n, 10**5))})], ["x"]), {}
        yield f"text_{n}", model([node("Relu", ["x"], text="a" * n * 10)], ["x"]), {}
        yield f"equation_{n}", model([node("Einsum", ["x"], equation="i" * n + "->")], ["x"]), {}
        yield f"rank_{n}", model([node("Relu", ["x"])], [value("x", shape=[1] * n)]), {}
        yield f"axes_{n}", model([node("ReduceSum", ["x", "k"])], ["x"], constants=[constant("k", *([0] * n))]), {}
        tree = dict(nodes_falsenodeids=[i + 1 for i in range(n)], nodes_truenodeids=[i + 1 for i in range(n)],
                    nodes_featureids=[0] * n, nodes_modes=["BRANCH_LEQ"] * n, nodes_nodeids=list(range(n)),
                    nodes_treeids=[0] * n, nodes_values=[0.0] * n, target_ids=[0], target_nodeids=[0],
                    target_treeids=[0], target_weights=[1.0], n_targets=1)
        if n <= 10**5:
            yield f"tree_{n}", model([node("TreeEnsembleRegressor", ["x"], domain="ai.onnx.ml", **tree)],
                                     [value("x", shape=[3, 4])]), {}
            tree["nodes_falsenodeids"] = tree["nodes_truenodeids"] = [0] * n
            yield f"circle_{n}", model([node("TreeEnsembleRegressor", ["x"], domain="ai.onnx.ml", **tree)],
                                       [value("x", shape=[3, 4])]), {}


@kind
def deep():
    """Functions, subgraphs and types that stand in one another."""
    for depth in (10, 60, 100, 1000, 3000):
        functions = [helper.make_function("f", "F0", ["a"], ["b"], [node("Sin", ["a"], ["b"])],
                                          [helper.make_opsetid("", 21)])]
        twice = list(functions)
        for i in range(1, depth):
            call = [node(f"F{i - 1}", ["a"], ["b"], domain="f")]
            functions.append(helper.make_function("f", f"F{i}", ["a"], ["b"], call, [
                helper.make_opsetid("", 21), helper.make_opsetid("f", 1)]))
            calls = [node(f"F{i - 1}", ["a"], ["m"], domain="f"), node(f"F{i - 1}", ["m"], ["b"], domain="f")]
            twice.append(helper.make_function("f", f"F{i}", ["a"], ["b"], calls, [
                helper.make_opsetid("", 21), helper.make_opsetid("f", 1)]))
        call = [node(f"F{depth - 1}", ["x"], domain="f")]
        yield f"calls_{depth}", model(call, ["x"], functions=functions), {}
        yield f"calls_twice_{depth}", model(call, ["x"], functions=twice), {}
        circle = helper.make_function("f", "F", ["a"], ["b"], [node("F", ["a"], ["b"], domain="f")],
                                      [helper.make_opsetid("f", 1)])
        yield f"circle_{depth}", model([node("F", ["x"], domain="f")], ["x"], functions=[circle]), {}
    for depth in (5, 10, 15):
        graph = helper.make_graph([node("Sin", ["x"], ["b0"])], "s0", [], [value("b0")])
        for i in range(1, depth):
            inner = node("If", ["go"], [f"b{i}"], then_branch=graph,
                         else_branch=helper.make_graph([node("Cos", ["x"], [f"e{i}"])], "e", [], [value(f"e{i}")]))
            graph = helper.make_graph([inner], f"s{i}", [], [value(f"b{i}")])
        yield f"If_{depth}", model([node("If", ["go"], then_branch=graph, else_branch=graph)], ["x"], constants=[
            helper.make_tensor("go", 9, [], [True])]), {}
    for depth in (2, 10, 17, 25):
        kinds = {"seq": helper.make_sequence_type_proto, "opt": helper.make_optional_type_proto}
        for name, wrap in kinds.items():
            held = helper.make_tensor_type_proto(1, [2])
            for _ in range(depth):
                held = wrap(held)
            yield f"{name}_{depth}", model([node("Identity", ["x"])], [helper.make_value_info("x", held)]), {}


@kind
def many():
    """Many inputs, outputs, nodes, readers, constants."""
    for n in (100, 10**4, 10**5, 3 * 10**5):
        names = [f"v{i}" for i in range(n)]
        yield f"inputs_{n}", model([node("Relu", ["v0"])], names), {}
        yield f"outputs_{n}", model([node("Relu", ["x"], [v]) for v in names], ["x"], names), {}
        yield f"Sum_{n}", model([node("Sum", names)], names), {}
        yield f"Concat_{n}", model([node("Concat", ["x"] * n, axis=0)], ["x"]), {}
        yield f"chain_{n}", model([node("Neg", [names[i - 1] if i else "x"], [names[i]]) for i in range(n)],
                                  ["x"], [names[-1]]), {}
        yield f"adds_{n}", model([node("Add", [names[i - 1] if i else "x", names[i - 2] if i > 1 else "x"],
                                       [names[i]]) for i in range(n)], ["x"], [names[-1]]), {}
        yield f"readers_{n}", model([node("Add", ["x", f"c{i % 7}"], [v]) for i, v in enumerate(names)], ["x"], [
            names[-1]], constants=[constant(f"c{i}", i, dtype=np.float32) for i in range(7)]), {}
        yield f"constants_{n}", model([node("Relu", ["x"])], ["x"], constants=[
            constant(v, i) for i, v in enumerate(names)]), {}
        yield f"same_{n}", model([node("Relu", ["x"], [v], name="n") for v in names], ["x"], [names[-1]]), {}
        gelu = []
        for i in range(n // 4):
            a = f"g{i - 1}" if i else "x"
            gelu += [node("Erf", [a], [f"e{i}"]), node("Add", [f"e{i}", "one"], [f"f{i}"]),
                     node("Mul", [a, f"f{i}"], [f"h{i}"]), node("Mul", [f"h{i}", "half"], [f"g{i}"])]
        yield f"Gelu_{n}", model(gelu, ["x"], [f"g{n // 4 - 1}"], constants=[
            constant("one", 1, dtype=np.float32), constant("half", 0.5, dtype=np.float32)]), {}


@kind
def names():
    """Names that are long, equal, empty, or made to mislead."""
    odd = ["", " ", "\n", "\x1b[31m", "\u202e", "a" * 10**4, "a" * 10**7, "../../x", "%s%n", "{model}", "a/b[c]",
           "\u00e9" * 10**5, "'; rm", "<script>", "--prove", "=", "NaN", "a\0b"]
    for i, name in enumerate(odd):
        yield f"node_{i}", model([node("Relu", ["x"], name=name)], ["x"]), {}
        yield f"value_{i}", model([node("Relu", ["x"], [name]), node("Neg", [name])], ["x"]), {}
        yield f"input_{i}", model([node("Relu", [name])], [name]), {}
        yield f"op_{i}", model([node(name, ["x"])], ["x"]), {}
        yield f"dim_{i}", model([node("Relu", ["x"])], [value("x", shape=[name, 2])]), {}
        yield f"domain_{i}", model([node("Relu", ["x"], domain=name)], ["x"]), {}


@kind
def broken():
    """Graphs, types, versions and constants that are not right."""
    yield "circle", model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Neg", ["b"])], ["x"]), {}
    yield "self", model([node("Add", ["x", "y"])], ["x"]), {}
    yield "undefined", model([node("Add", ["x", "none"])], ["x"]), {}
    yield "twice", model([node("Relu", ["x"]), node("Neg", ["x"])], ["x"]), {}
    yield "order", model([node("Neg", ["b"]), node("Relu", ["x"], ["b"])], ["x"]), {}
    yield "no_output", model([node("Relu", ["x"])], ["x"], ["z"]), {}
    yield "empty", onnx.ModelProto(), {}
    for version in (-1, 0, 1, 5, 22, 99, 2**31, 2**62):
        yield f"opset_{version}", model([node("Relu", ["x"])], ["x"], opset=version), {}
        one = model([node("Relu", ["x"])], ["x"])
        one.ir_version = version
        yield f"ir_{version}", one, {}
    for dims in ([-1], [-2**63], [2**32, 2**32], [2**31, 2**31, 2**31], [0, 2**62], [3], [], [1] * 300):
        for data in ({}, {"raw_data": b"1234"}, {"float_data": [1, 2, 3, 4]}, {"int32_data": [1]}):
            for dtype in (1, 7, 8, 10, 17, 22, 0, 99):
                tensor = TensorProto(name="w", dims=dims, **data)
                tensor.data_type = dtype
                label = f"{'x'.join(map(str, dims[:4]))}_{''.join(data)}_{dtype}"
                yield f"tensor_{label}", model([node("Identity", ["w"])], constants=[tensor]), {}
    for dtype in (0, 99, -1, 2**31 - 1):
        yield f"type_{dtype}", model([node("Cast", ["x"], to=dtype)], [value("x", dtype, [2])]), {}


@kind
def bytes_changed():
    """Models with bytes that were changed, cut off or put in."""
    seeds = [made.SerializeToString() for made in (
        loop_over([node("Sin", ["a"], ["b"])], 5, value("x", shape=[3])),
        model([filled("x", 4, 4)[1], node("MatMul", ["x", "x"])], constants=[filled("x", 4, 4)[0]]),
        next(deep())[1])]
    chance = random.Random(1)
    for i in range(150):
        text = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(max(len(text), 1))
            how = chance.randrange(4)
            if how == 0:
                text[at:at + 1] = bytes([chance.randrange(256)])
            elif how == 1:
                del text[at:at + chance.randint(1, 8)]
            elif how == 2:
                text[at:at] = bytes([255] * chance.randint(1, 9))
            else:
                text = text[:max(at, 10)]
        yield f"{i}", bytes(text), {}


CHANGED = {"Relu": "Sigmoid", "Sin": "Cos", "Neg": "Abs", "Softmax": "LogSoftmax", "Add": "Sub", "Identity": "Neg",
           "MaxPool": "AveragePool", "ReduceSum": "ReduceMax", "Erf": "Tanh", "Less": "Greater"}


def changed(made):
    """A copy with another operator, or else with a node after its first output."""
    other = onnx.ModelProto()
    other.CopyFrom(made)
    for one in reversed(other.graph.node):
        if one.op_type in CHANGED:
            one.op_type = CHANGED[one.op_type]
            return other
    for one in other.graph.node:
        for attribute in one.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                for inner in attribute.g.node:
                    if inner.op_type in CHANGED:
                        inner.op_type = CHANGED[inner.op_type]
                        return other
    if other.graph.output:
        name = other.graph.output[0].name
        other.graph.node.append(node("Identity", [name], ["changed"]))
        other.graph.output[0].name = "changed"
    return other


def write(folder, made, files):
    """Writes the model, its changed copy and its files; the paths of the first two."""
    paths = [os.path.join(folder, "a.onnx"), os.path.join(folder, "b.onnx")]
    if isinstance(made, bytes):
        for path in paths:
            pathlib.Path(path).write_bytes(made)
    else:
        for path, one in zip(paths, (made, changed(made))):
            pathlib.Path(path).write_bytes(one.SerializeToString())
    for name, size in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.truncate(size)
    return paths


def private_bytes(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def call(line, folder):
    """(status or -signal, seconds, most private bytes, the last words) of a program. A call that takes too
    long is killed."""
    start = time.monotonic()
    peak = 0
    with open(os.path.join(folder, "words"), "wb") as words:
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words)
        while process.poll() is None:
            peak = max(peak, private_bytes(process.pid))
            if time.monotonic() - start > KILLED_AFTER:
                process.kill()
            time.sleep(0.004)
    text = pathlib.Path(folder, "words").read_bytes()[-400:].decode(errors="replace")
    return process.returncode, time.monotonic() - start, peak, text.strip().replace("\n", " | ")


def score(program, commands, limits, name, made, files, keep):
    with tempfile.TemporaryDirectory() as folder:
        try:
            left, right = write(folder, made, files)
        except ValueError:  # protobuf has a limit of its own
            return []
        lines = {"run": ["run", left], "compare": [left, right], "show": ["show", left],
                 "prove": [left, right, "--prove"]}
        found = []
        for command in commands:
            found.append((command, *call([program, *lines[command], *limits], folder)))
            bad = found[-1][1] not in (0, 1, 2) or found[-1][2] > LONGEST or found[-1][3] > MOST
            if bad and keep and os.path.getsize(left) < 10**7:
                pathlib.Path(keep).mkdir(parents=True, exist_ok=True)
                for path in (left, right):
                    target = pathlib.Path(keep, f"{name.replace('/', '_')[:80]}_{os.path.basename(path)}")
                    target.write_bytes(pathlib.Path(path).read_bytes())
        return [(name, *one) for one in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="kinds whose names have this")
    parser.add_argument("--commands", default="run,compare,show,prove")
    parser.add_argument("--limits", default="--max-memory 128M --max-time 20 --max-steps 3000")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", default="", help="where models that are found are kept")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    commands, limits = arguments.commands.split(","), arguments.limits.split()
    totals = {command: collections.Counter() for command in commands}
    most = {command: [0, 0] for command in commands}
    models = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = set()

        def take(done):
            for future in done:
                for name, command, status, seconds, peak, words in future.result():
                    total = totals[command]
                    total[f"status {status}" if status in (0, 1, 2) else "signals"] += 1
                    total["limit of time"] += "--max-time allows" in words
                    total["slow"] += seconds > LONGEST
                    total["large"] += peak > MOST
                    most[command] = [max(most[command][0], seconds), max(most[command][1], peak)]
                    if status not in (0, 1, 2) or seconds > LONGEST or peak > MOST:
                        print(f"{name} {command}: status {status}, {seconds:.1f} s, {peak >> 20} MiB: {words[-160:]}",
                              flush=True)

        for kind_name, make in KINDS.items():
            if arguments.only not in kind_name:
                continue
            for name, made, files in make():
                models += 1
                if len(waiting) >= 2 * arguments.jobs:
                    done, waiting = concurrent.futures.wait(
                        waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                    take(done)
                waiting.add(pool.submit(score, program, commands, limits, f"{kind_name}/{name}", made, files,
                                        arguments.keep))
        take(waiting)
    print(f"{models} models")
    for command in commands:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(totals[command].items()) if count)
        print(f"{command}: {counts}; at most {most[command][0]:.1f} s and {most[command][1] >> 20} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

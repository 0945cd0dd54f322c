#!/usr/bin/env python3
"""Counts how many faults `onnxcmp --fix` mends, in generated networks with one fault each.

    script/score_fixes.py [--onnxcmp build/onnxcmp] [--seeds N] [--only TEXT] [--script] [--jobs N] [-v]

Needs onnx, onnxruntime and numpy. Small networks get random weights. The right model of a pair is the left one with
one fault: as it is, with other names and in another order, as onnxruntime has optimized it, with its activations in
local functions, or with its constants in another file. Counted are pairs that differ, those whose first cause is
verified without an edit, those whose mended model agrees and is verified, and those whose mended model is, node by
node and bit by bit, the model before the fault. Each written model has to pass ONNX's checker, and onnxruntime has to
load it, and to give the left's results where the outputs agree. Honest pairs, renamed, optimized by onnxruntime or
those of testdata/, must not get any edit. --script applies the script of --fix-script, too, which has to make the same
model. The exit status is 1 if a written model is refused or wrong, or an honest pair has an edit.
"""
import argparse
import collections
import concurrent.futures
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

onnxruntime.set_default_logger_severity(4)
TESTDATA = pathlib.Path(__file__).resolve().parent.parent / "testdata"
UNARY = ("Relu", "Tanh", "Sigmoid", "LeakyRelu", "Softmax", "Elu", "HardSigmoid", "Neg", "Exp")


class Builder:
    """A graph that grows node by node."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.count = [], [], 0

    def new(self, stem):
        self.count += 1
        return f"{stem}_{self.count}"

    def const(self, *shape, scale=0.5, base=0.0, values=None):
        name = self.new("w")
        array = self.random.normal(size=shape) * scale + base if values is None else np.array(values)
        array = array.astype(np.float32) if values is None else array
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, op, *inputs, outputs=1, **attributes):
        names = [self.new(op.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=self.new(f"/{op}"), **attributes))
        return names[0] if outputs == 1 else names

    def model(self, inputs, outputs):
        infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()]
        made = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs]
        graph = helper.make_graph(self.nodes, "net", infos, made, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        inferred = onnx.shape_inference.infer_shapes(model)
        del model.graph.output[:]
        model.graph.output.extend(inferred.graph.output)
        return model


def mlp(seed):
    b = Builder(seed)
    x = "x"
    for size_in, size_out in ((12, 16), (16, 16), (16, 8)):
        x = b.add("Gemm", x, b.const(size_in, size_out), b.const(size_out), alpha=1.0)
        x = b.add(("Relu", "Tanh", "Sigmoid")[b.count % 3], x)
    x = b.add("LeakyRelu", b.add("Sub", x, b.const(8)), alpha=0.2)
    return b.model({"x": ["batch", 12]}, [b.add("Softmax", x, axis=1)])


def cnn(seed):
    b = Builder(seed)
    x, channels = "x", 3
    for width in (8, 8, 12):
        y = b.add("Conv", x, b.const(width, channels, 3, 3), b.const(width), pads=[1, 1, 1, 1], strides=[1, 1])
        y = b.add("BatchNormalization", y, b.const(width, base=1), b.const(width), b.const(width),
                  b.const(width, scale=0.1, base=1), epsilon=1e-5)
        y = b.add("Relu", y)
        x = b.add("Add", x, y) if width == channels else y
        channels = width
    x = b.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.add("Concat", x, b.add("HardSigmoid", x, alpha=0.25), axis=1)
    x = b.add("Flatten", b.add("GlobalAveragePool", x), axis=1)
    return b.model({"x": [2, 3, 8, 8]}, [b.add("Gemm", x, b.const(24, 5), b.const(5))])


def encoder(seed):
    b = Builder(seed)
    size, x = 16, "x"
    for _ in range(2):
        def heads(source):
            y = b.add("Add", b.add("MatMul", source, b.const(size, size)), b.const(size))
            y = b.add("Reshape", y, b.const(values=np.array([0, 0, 4, 4], np.int64)))
            return y
        q = b.add("Transpose", heads(x), perm=[0, 2, 1, 3])
        k = b.add("Transpose", heads(x), perm=[0, 2, 3, 1])
        v = b.add("Transpose", heads(x), perm=[0, 2, 1, 3])
        scores = b.add("Div", b.add("MatMul", q, k), b.const(values=np.float32(2)))
        y = b.add("Transpose", b.add("MatMul", b.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        y = b.add("Reshape", y, b.const(values=np.array([0, 0, 16], np.int64)))
        x = b.add("LayerNormalization", b.add("Add", x, y), b.const(size, base=1), b.const(size), epsilon=1e-5)
        h = b.add("Tanh", b.add("Add", b.add("MatMul", x, b.const(size, 24)), b.const(24)))
        h = b.add("Add", b.add("MatMul", h, b.const(24, size)), b.const(size))
        x = b.add("LayerNormalization", b.add("Add", x, h), b.const(size, base=1), b.const(size), epsilon=1e-5)
    return b.model({"x": [2, 5, size]}, [x, b.add("ReduceMean", x, axes=[1], keepdims=0)])


def recurrent(seed):
    b = Builder(seed)
    y, _, _ = b.add("LSTM", "x", b.const(1, 32, 6), b.const(1, 32, 8), b.const(1, 64), outputs=3, hidden_size=8)
    y = b.add("Squeeze", y, b.const(values=np.array([1], np.int64)))
    z = b.add("Mul", b.add("Sigmoid", b.add("MatMul", y, b.const(8, 8))), y)
    left, right = b.add("Split", z, b.const(values=np.array([4, 4], np.int64)), outputs=2, axis=2)
    z = b.add("Concat", b.add("Exp", b.add("Neg", left)), b.add("Elu", right, alpha=0.7), axis=2)
    return b.model({"x": [4, 2, 6]}, [b.add("Sub", b.add("Clip", z, b.const(values=np.float32(-1)),
                                                        b.const(values=np.float32(2))), b.const(8))])


NETWORKS = {"mlp": mlp, "cnn": cnn, "encoder": encoder, "recurrent": recurrent}


class Faults:
    """Puts one fault into a model, or returns None where it has no place for it."""

    def __init__(self, model, rng):
        self.model, self.graph, self.rng = model, model.graph, rng
        self.constants = {x.name: i for i, x in enumerate(self.graph.initializer)}

    def pick(self, found):
        nodes = [node for node in self.graph.node if found(node)]
        return self.rng.choice(nodes) if nodes else None

    def attribute(self, names, change):
        node = self.pick(lambda n: any(a.name in names for a in n.attribute))
        if node is None:
            return None
        attribute = self.rng.choice([a for a in node.attribute if a.name in names])
        value = change(helper.get_attribute_value(attribute))
        attribute.CopyFrom(helper.make_attribute(attribute.name, value))
        return node.name

    def second_attribute(self, name, value, **others):
        """Gives a node that has all of the others this attribute and those."""
        node = self.pick(lambda n: n.op_type == name)
        if node is None:
            return None
        for key, made in {**value, **others}.items():
            for i, a in enumerate(node.attribute):
                if a.name == key:
                    del node.attribute[i]
                    break
            node.attribute.append(helper.make_attribute(key, made))
        return node.name

    def without_attribute(self, names):
        node = self.pick(lambda n: any(a.name in names for a in n.attribute))
        if node is None:
            return None
        for i, a in enumerate(node.attribute):
            if a.name in names:
                del node.attribute[i]
                return node.name

    def scalar(self):
        scalars = [x for x in self.graph.initializer if x.data_type == TensorProto.FLOAT and not x.dims]
        if not scalars:
            return None
        tensor = self.rng.choice(scalars)
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * np.float32(0.6), tensor.name))
        return tensor.name

    def exchange_constants(self):
        by_shape = collections.defaultdict(list)
        for x in self.graph.initializer:
            if x.data_type == TensorProto.FLOAT and x.dims:
                by_shape[tuple(x.dims)].append(x)
        places = [x for x in by_shape.values() if len(x) > 1]
        if not places:
            return None
        a, b = self.rng.sample(self.rng.choice(places), 2)
        values = numpy_helper.to_array(a), numpy_helper.to_array(b)
        a.CopyFrom(numpy_helper.from_array(values[1], a.name))
        b.CopyFrom(numpy_helper.from_array(values[0], b.name))
        return a.name

    def exchange_slots(self, operators, first, second):
        node = self.pick(lambda n: n.op_type in operators and len(n.input) > second)
        if node is None:
            return None
        node.input[first], node.input[second] = node.input[second], node.input[first]
        return node.name

    def exchange_outputs(self):
        node = self.pick(lambda n: n.op_type == "Split")
        if node is None:
            return None
        node.output[0], node.output[1] = node.output[1], node.output[0]
        return node.name

    def add_scaling(self):
        node = self.pick(lambda n: n.op_type not in ("Reshape", "Transpose"))
        index = list(self.graph.node).index(node)
        result, source = node.output[0], node.output[0] + "_raw"
        node.output[0] = source
        self.graph.initializer.append(numpy_helper.from_array(np.float32(1.25), "added_factor"))
        self.graph.node.insert(index + 1, helper.make_node("Mul", [source, "added_factor"], [result], name="added"))
        return result

    def twice(self):
        node = self.pick(lambda n: n.op_type in UNARY)
        index = list(self.graph.node).index(node)
        again = onnx.NodeProto.FromString(node.SerializeToString())
        node.output[0] += "_once"
        again.input[0], again.name = node.output[0], "again"
        self.graph.node.insert(index + 1, again)
        return again.output[0]

    def too_early(self):
        """The activation comes before the bias."""
        makers = {n.output[0]: n for n in self.graph.node}
        reads = collections.Counter(i for n in self.graph.node for i in n.input)
        def fits(n):
            before = makers.get(n.input[0]) if n.input else None
            return (n.op_type in ("Relu", "Tanh", "Sigmoid") and before is not None and before.op_type == "Add"
                    and before.input[1] in self.constants and reads[before.output[0]] == 1)
        node = self.pick(fits)
        if node is None:
            return None
        add = makers[node.input[0]]
        place = list(self.graph.node).index(add)
        source, between, result = add.input[0], add.output[0], node.output[0]
        self.graph.node.remove(node)
        made = onnx.NodeProto.FromString(node.SerializeToString())
        made.input[0], made.output[0] = source, between + "_early"
        add.input[0], add.output[0] = made.output[0], result
        self.graph.node.insert(place, made)
        return result

    def constant(self, change):
        floats = [x for x in self.graph.initializer if x.data_type == TensorProto.FLOAT and len(x.dims) > 0]
        tensor = self.rng.choice(floats)
        array = change(numpy_helper.to_array(tensor).copy(), np.random.default_rng(self.rng.randrange(1000)))
        if array is None:
            return None
        tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))
        return tensor.name

    def exchange(self, operators):
        node = self.pick(lambda n: n.op_type in operators and len(n.input) >= 2 and n.input[0] != n.input[1])
        if node is None:
            return None
        node.input[0], node.input[1] = node.input[1], node.input[0]
        return node.name

    def drop(self):
        residual = self.pick(lambda n: n.op_type in (*UNARY, "Clip", "BatchNormalization", "LayerNormalization", "Add",
                                                     "Sub", "Div"))
        outputs = {x.name for x in self.graph.output}
        if residual is None or residual.output[0] in outputs:
            return None
        self.redirect(residual.output[0], residual.input[0])
        name = residual.name
        self.graph.node.remove(residual)
        return name

    def redirect(self, old, new, skip=None):
        for node in self.graph.node:
            if node.name == skip:
                continue
            for i, name in enumerate(node.input):
                if name == old:
                    node.input[i] = new

    def insert(self, *kinds, through=TensorProto.FLOAT16, **attributes):
        node = self.pick(lambda n: n.op_type not in ("Reshape", "Transpose"))
        index = list(self.graph.node).index(node)
        result, source = node.output[0], node.output[0] + "_raw"
        node.output[0] = source
        for i, op in enumerate(kinds):
            made = result if i + 1 == len(kinds) else f"{result}_step_{i}"
            new = helper.make_node(op, [source], [made], name=f"added_{i}_{result}",
                                   **(attributes if op != "Cast" else {"to": (through, TensorProto.FLOAT)[i]}))
            self.graph.node.insert(index + 1 + i, new)
            source = made
        return result

    def edge(self):
        shapes = {}
        inferred = onnx.shape_inference.infer_shapes(self.model)
        for info in (*inferred.graph.value_info, *inferred.graph.input):
            shapes[info.name] = info.type.tensor_type.shape.SerializeToString()
        made, places = [x.name for x in self.graph.input], []
        for node in self.graph.node:
            for slot, name in enumerate(node.input):
                for other in made:
                    if other != name and name in shapes and shapes[name] == shapes.get(other):
                        places.append((node, slot, other))
            made += node.output
        if not places:
            return None
        node, slot, other = self.rng.choice(places)
        node.input[slot] = other
        return node.name

    def operator(self):
        others = {"Relu": "Sigmoid", "Tanh": "Sigmoid", "Sigmoid": "Tanh", "Add": "Sub", "Sub": "Add", "Mul": "Add",
                  "Exp": "Neg", "MaxPool": "AveragePool", "Div": "Mul", "ReduceMean": "ReduceMax"}
        node = self.pick(lambda n: n.op_type in others)
        if node is None:
            return None
        node.op_type = others[node.op_type]
        return node.name


def one_element(array, random):
    array.flat[random.integers(array.size)] += 0.7
    return array


def one_row(array, random):
    if array.ndim < 2:
        return None
    array[random.integers(array.shape[0])] *= -1
    return array


def one_column(array, random):
    if array.ndim < 2:
        return None
    array[:, random.integers(array.shape[1])] += 0.3
    return array


def turned(array, _):
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        return None
    return array.T


def two_rows(array, random):
    if array.ndim < 2 or array.shape[0] < 2:
        return None
    i, j = random.choice(array.shape[0], 2, replace=False)
    array[[i, j]] = array[[j, i]]
    return array


def block_of_zeros(array, _):
    if array.ndim < 2 or min(array.shape[:2]) < 4:
        return None
    array[1:3, 1:4] = 0
    return array


def gates(array, _):
    """Blocks of the second axis, as those of an LSTM, in another order."""
    if array.ndim < 2 or array.shape[0] != 1 or array.shape[1] % 4:
        return None
    i, o, f, c = np.split(array, 4, axis=1)
    return np.concatenate([i, f, o, c], axis=1)


FAULTS = {
    "pads": lambda f: f.second_attribute("Conv", {"pads": [0, 0, 2, 2]}),
    "dilations": lambda f: f.second_attribute("Conv", {"dilations": [2, 2], "pads": [2, 2, 2, 2]}),
    "kernel_shape": lambda f: f.second_attribute("MaxPool", {"kernel_shape": [1, 1]}),
    "direction": lambda f: f.second_attribute("LSTM", {"direction": "reverse"}),
    "added_beta": lambda f: f.second_attribute("Gemm", {"beta": 0.5}),
    "lost_attribute": lambda f: f.without_attribute(("alpha", "perm", "pads")),
    "scalar": lambda f: f.scalar(),
    "two_rows": lambda f: f.constant(two_rows),
    "block_of_zeros": lambda f: f.constant(block_of_zeros),
    "coarse": lambda f: f.constant(lambda a, r: np.round(a * 4) / np.float32(4)),
    "offset": lambda f: f.constant(lambda a, r: a + np.float32(0.1)),
    "shifted": lambda f: f.constant(lambda a, r: np.roll(a, 1, axis=-1)),
    "gates": lambda f: f.constant(gates),
    "two_constants": lambda f: f.exchange_constants(),
    "two_parameters": lambda f: f.exchange_slots(("BatchNormalization", "LayerNormalization"), 1, 2),
    "split_outputs": lambda f: f.exchange_outputs(),
    "added_mul": lambda f: f.add_scaling(),
    "added_abs": lambda f: f.insert("Abs"),
    "added_floor": lambda f: f.insert("Floor"),
    "bfloat16_detour": lambda f: f.insert("Cast", "Cast", through=TensorProto.BFLOAT16),
    "integer_detour": lambda f: f.insert("Cast", "Cast", through=TensorProto.INT32),
    "twice": lambda f: f.twice(),
    "too_early": lambda f: f.too_early(),
    "two_faults": lambda f: f.constant(one_row) and f.operator(),
    "epsilon": lambda f: f.attribute(("epsilon",), lambda x: 0.3),
    "alpha": lambda f: f.attribute(("alpha",), lambda x: x * 1.5 + 0.1),
    "axis": lambda f: f.attribute(("axis",), lambda x: 0 if x != 0 else 1),
    "perm": lambda f: f.attribute(("perm",), lambda x: [x[0], x[2], x[1], x[3]]),
    "one_element": lambda f: f.constant(one_element),
    "one_row": lambda f: f.constant(one_row),
    "one_column": lambda f: f.constant(one_column),
    "scaled": lambda f: f.constant(lambda a, r: a * np.float32(1.2)),
    "negated": lambda f: f.constant(lambda a, r: -a),
    "zero": lambda f: f.constant(lambda a, r: a * 0),
    "reversed": lambda f: f.constant(lambda a, r: a[::-1]),
    "turned": lambda f: f.constant(turned),
    "exchanged": lambda f: f.exchange(("Sub", "Div", "MatMul")),
    "concat_order": lambda f: f.exchange(("Concat",)),
    "dropped": lambda f: f.drop(),
    "added_relu": lambda f: f.insert("Relu"),
    "added_neg": lambda f: f.insert("Neg"),
    "added_tanh": lambda f: f.insert("Tanh"),
    "float16_detour": lambda f: f.insert("Cast", "Cast"),
    "edge": lambda f: f.edge(),
    "operator": lambda f: f.operator(),
}


def disguised(model, seed):
    """Other names for all but inputs and outputs, constants in another order."""
    made = onnx.ModelProto.FromString(model.SerializeToString())
    graph, rng = made.graph, random.Random(seed)
    kept = {x.name for x in (*graph.input, *graph.output)}
    names = {}
    for name in [*(x.name for x in graph.initializer), *(o for n in graph.node for o in n.output)]:
        names[name] = name if name in kept or not name else f"t{rng.randrange(10**9)}"
    for node in graph.node:
        node.name = f"n{rng.randrange(10**9)}"
        for field in (node.input, node.output):
            for i, name in enumerate(field):
                field[i] = names.get(name, name)
    constants = list(graph.initializer)
    rng.shuffle(constants)
    del graph.initializer[:]
    for constant in constants:
        constant.name = names[constant.name]
        graph.initializer.append(constant)
    return made


def with_functions(model):
    """Activations are calls of local functions, which have a node more."""
    made = onnx.ModelProto.FromString(model.SerializeToString())
    operators = sorted({n.op_type for n in made.graph.node} & {"Relu", "Tanh", "Sigmoid"})
    for op in operators:
        nodes = [helper.make_node("Identity", ["a"], ["same"]), helper.make_node(op, ["same"], ["b"])]
        made.functions.append(helper.make_function("local", f"My{op}", ["a"], ["b"], nodes, list(made.opset_import)))
    for node in made.graph.node:
        if node.op_type in operators:
            node.op_type, node.domain = f"My{node.op_type}", "local"
    made.opset_import.append(helper.make_opsetid("local", 1))
    return made


def form_of(model):
    """The outputs as terms: equal for models that differ by names and order alone."""
    graph = model.graph
    terms = {x.name: hash(("input", x.name)) for x in graph.input}
    terms[""] = 0
    for tensor in graph.initializer:
        array = numpy_helper.to_array(tensor)
        terms[tensor.name] = hash((str(array.dtype), array.shape, array.tobytes()))
    for node in graph.node:
        attributes = tuple(sorted(a.SerializeToString() for a in node.attribute))
        term = hash((node.op_type, attributes, tuple(terms[i] for i in node.input)))
        for i, name in enumerate(node.output):
            terms[name] = hash((term, i))
    return [terms[x.name] for x in graph.output], len(graph.node)


def run(path, feeds):
    """Outputs, and whether onnxruntime's optimizers load the model: it gives a new constant the name of one that is
    there in a model that they have optimized before (1.32)."""
    options = onnxruntime.SessionOptions()
    for level in ("ORT_ENABLE_ALL", "ORT_DISABLE_ALL"):
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
        try:
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
            if level == "ORT_DISABLE_ALL" or "does not match" not in str(error):
                raise
            continue
        return session.run(None, feeds), level == "ORT_ENABLE_ALL"


class Score:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.counts = collections.defaultdict(collections.Counter)
        self.bad = []
        self.unoptimized = 0  # models that onnxruntime's optimizers fail at

    def compare(self, left, right, feeds, external=False):
        paths = {k: self.folder / f"{k}.onnx" for k in ("left", "right", "fixed")}
        onnx.save(left, paths["left"])
        (self.folder / "right.data").unlink(missing_ok=True)
        onnx.save(right, paths["right"], save_as_external_data=external, location="right.data", size_threshold=96)
        paths["fixed"].unlink(missing_ok=True)
        np.savez(self.folder / "given.npz", **feeds)
        command = [self.options.onnxcmp, str(paths["left"]), str(paths["right"]), "--inputs",
                   str(self.folder / "given.npz"), "--format", "json", "--quiet", "--fix", str(paths["fixed"])]
        if self.options.script:
            command += ["--fix-script", str(self.folder / "fix.py")]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        try:
            return json.loads(ran.stdout), paths
        except ValueError:
            return {"verdict": "failed", "error": ran.stderr[-300:]}, paths

    def fault(self, kind, name, left, right, good, feeds):
        count = self.counts[kind]
        report, paths = self.compare(left, right, feeds, "external" in name)
        label = f"{name} {kind}"
        if report["verdict"] not in ("different", "failed"):
            count[report["verdict"]] += 1
            return
        if report["verdict"] == "failed" and "fix" not in report:
            count["not read"] += 1
            return
        count["wrong"] += 1
        fix, causes = report.get("fix", {}), report.get("causes", ())
        lines = [line for edit in fix.get("edits", ()) for line in edit["lines"]]
        count["certified"] += bool(causes and causes[0].get("verified"))
        count["mended"] += bool(fix.get("agrees"))
        count["verified"] += bool(fix.get("agrees") and fix.get("verified"))
        if not (fix.get("agrees") and fix.get("verified")):
            print("not mended:", label, lines, fix.get("checks"), fix.get("notes"), report.get("error"),
                  [cause["text"] for cause in causes])
        if not (causes and causes[0].get("verified")):
            print("not certified:", label, [cause.get("certificate") for cause in causes])
        if not paths["fixed"].exists():
            return
        exact = form_of(onnx.load(paths["fixed"])) == form_of(good)
        count["exact"] += exact
        if self.options.verbose or (fix.get("agrees") and not exact):
            print("exact" if exact else "other", label, lines)
        self.check(label, paths, feeds, fix.get("agrees"))

    def check(self, label, paths, feeds, agrees):
        try:
            onnx.checker.check_model(str(paths["fixed"]), full_check=True)
            fixed, optimized_again = run(paths["fixed"], feeds)
            self.unoptimized += not optimized_again
            for a, b in zip(run(paths["left"], feeds)[0], fixed, strict=True):
                if agrees:
                    np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)
            if self.options.script:
                subprocess.run([sys.executable, str(self.folder / "fix.py"), str(paths["right"]),
                                str(self.folder / "scripted.onnx")], check=True, capture_output=True)
                if form_of(onnx.load(self.folder / "scripted.onnx")) != form_of(onnx.load(paths["fixed"])):
                    raise ValueError("the script makes another model")
        except Exception as error:  # pylint: disable=broad-exception-caught
            self.bad.append(f"{label}: {str(error)[:300]}")
            print("BAD", self.bad[-1])

    def honest(self, label, left, right, feeds):
        self.judge_honest(label, self.compare(left, right, feeds)[0])

    def honest_files(self, label, left, right, more):
        command = [self.options.onnxcmp, str(left), str(right), "--format", "json", "--quiet", "--fix",
                   str(self.folder / "fixed.onnx"), *more]
        self.judge_honest(label, json.loads(subprocess.run(command, capture_output=True, check=False).stdout))

    def judge_honest(self, label, report):
        self.counts["honest"][report["verdict"]] += 1
        if report.get("fix", {}).get("edits"):
            self.bad.append(f"{label}: an honest pair has edits")
            print("BAD", self.bad[-1], report["fix"]["edits"])


def optimized(model, folder):
    path = folder / "optimized.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return onnx.load(path)


def feeds_of(model, seed):
    rng = np.random.default_rng(seed)
    return {x.name: rng.normal(size=[d.dim_value or 3 for d in x.type.tensor_type.shape.dim]).astype(np.float32)
            for x in model.graph.input}


def faulty(good, kind, seed):
    """A copy with the fault; None where it has no place for it."""
    right = onnx.ModelProto.FromString(good.SerializeToString())
    return right if FAULTS[kind](Faults(right, random.Random(seed))) is not None else None


def score_network(options, name, seed):
    """All faults of one network, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        score = Score(options, pathlib.Path(folder))
        left = NETWORKS[name](seed)
        feeds = feeds_of(left, seed)
        forms = {"named": left, "renamed": disguised(left, seed), "optimized": optimized(left, score.folder)}
        if seed == 0:
            forms |= {"functions": with_functions(left), "external": left}
        for form, good in forms.items():
            for kind in FAULTS:
                label = f"{name} {seed} {form}"
                right = faulty(good, kind, f"{kind} {label}") if options.only in f"{label} {kind}" else None
                if right is not None:
                    score.fault(kind, label, left, right, good, feeds)
        if options.only in f"{name} {seed} honest":
            for form in [form for form in forms if form not in ("named", "external")]:
                score.honest(f"{name} {form}", left, forms[form], feeds)
        return score


def score_testdata(options):
    """Honest pairs that others have made."""
    models = TESTDATA / "models/llm"
    pairs = [(models / "plain.onnx", models / f"{other}.onnx", ["--inputs", str(models / "inputs.npz")])
             for other in ("optimized", "float16", "dynamic", "qdq")]
    pairs += [(path.with_name(path.name.replace(".fused.", ".standard.")), path, [])
              for path in sorted((TESTDATA / "fusions").glob("*.fused.onnxtxt"))]
    with tempfile.TemporaryDirectory() as folder:
        score = Score(options, pathlib.Path(folder))
        for left, right, more in pairs:
            if left.exists() and options.only in f"testdata {right.name} honest":
                score.honest_files(f"testdata {right.name}", left, right, more)
        return score


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onnxcmp", default="build/onnxcmp")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--script", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    counts, bad, unoptimized = collections.defaultdict(collections.Counter), [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        scores = [pool.submit(score_testdata, options)]
        scores += [pool.submit(score_network, options, name, seed) for seed in range(options.seeds) for name in NETWORKS]
        for score in [done.result() for done in scores]:
            bad += score.bad
            unoptimized += score.unoptimized
            for kind, count in score.counts.items():
                counts[kind].update(count)
    total = collections.Counter()
    for kind, count in counts.items():
        print(f"{kind:16}", dict(count))
        if kind != "honest":
            total.update(count)
    print(len(FAULTS), "kinds of faults", dict(total))
    print(unoptimized, "models that onnxruntime loads without its optimizers alone")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

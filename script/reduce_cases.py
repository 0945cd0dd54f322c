#!/usr/bin/env python3
"""Measures `onnxcmp reduce` on generated cases (docs/reduce.md).

Each case is a model of 50 to 2000 nodes and a command that fails when a certain operator with
certain attributes, types or values occurs in it: by a signal, an exit status, a hang or a line of
output. The command also holds every model that it is given against ONNX's checker and its strict
shape inference.

  script/reduce_cases.py run FOLDER --onnxcmp build/onnxcmp [--polygraphy PATH] [--cases 60]
  script/reduce_cases.py table FOLDER

Needs onnx, numpy and onnxruntime.
"""

import argparse
import json
import math
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HANG_SECONDS = 20
WAYS = ["status", "signal", "hang", "line"]
KINDS = ["attribute", "type", "value", "pair", "branch", "function"]


class ModelMaker:
    """A random graph on small tensors, whose numbers stay between -10 and 10."""

    def __init__(self, seed, nodes):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.wanted = nodes
        self.nodes, self.constants, self.functions = [], [], []
        self.values = [("x", (4, 8)), ("z", (2, 3, 8))]
        self.count = 0

    def name(self, stem):
        self.count += 1
        return f"{stem}_{self.count}"

    def constant(self, array, stem="w"):
        name = self.name(stem)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op, inputs, shape=None, outputs=1, domain="", **attributes):
        names = [self.name(op.lower()) for _ in range(outputs)]
        self.nodes.append(
            helper.make_node(op, inputs, names, name=self.name("node"), domain=domain, **attributes))
        if shape is not None:
            self.values.append((names[0], shape))
        return names[0]

    def pick(self, rank=None):
        values = [v for v in self.values[-40:] if rank is None or len(v[1]) == rank]
        return self.random.choice(values or [v for v in self.values if len(v[1]) == (rank or 2)])

    def grow(self):
        x, shape = self.pick()
        choice = self.random.randrange(15)
        if choice == 0:
            op = self.random.choice(["Relu", "Tanh", "Sigmoid", "Abs", "Neg", "Softsign", "Erf", "Cos"])
            self.node(op, [x], shape)
        elif choice == 1:
            same = [v for v in self.values[-60:] if v[1] == shape]
            y = self.random.choice(same)[0] if same else x
            op = self.random.choice(["Add", "Sub", "Max", "Min"])
            self.node("Tanh", [self.node(op, [x, y], shape)], shape)
        elif choice == 2:
            weight = self.numbers.normal(size=(shape[-1], shape[-1])).astype(np.float32) / 3
            self.node("MatMul", [x, self.constant(weight)], shape)
        elif choice == 3:
            scale = self.numbers.uniform(0.5, 1.5, size=shape[-1]).astype(np.float32)
            bias = self.numbers.normal(size=shape[-1]).astype(np.float32) / 5
            epsilon = self.random.choice([1e-5, 1e-6, 1e-3])
            self.node("LayerNormalization", [x, self.constant(scale), self.constant(bias)], shape,
                      axis=-1, epsilon=epsilon)
        elif choice == 4:
            self.node("Softmax", [x], shape, axis=self.random.choice([-1, 0, len(shape) - 1]))
        elif choice == 5:
            perm = list(range(len(shape)))
            self.random.shuffle(perm)
            self.node("Transpose", [x], tuple(shape[p] for p in perm), perm=perm)
        elif choice == 6:
            target = self.random.choice([TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.INT32])
            cast = self.node("Cast", [x], to=target)
            if target != TensorProto.INT32 and self.random.random() < 0.7:
                op = self.random.choice(["Relu", "Neg", "Abs", "Tanh"])
                cast = self.node(op, [cast])
            self.node("Cast", [cast], shape, to=TensorProto.FLOAT)
        elif choice == 7:
            last = shape[-1]
            half = self.node("Slice", [x, self.constant(np.array([0], np.int64)),
                                       self.constant(np.array([last // 2 or 1], np.int64)),
                                       self.constant(np.array([-1], np.int64))])
            self.node("Concat", [half, x, half][: 2 if last % 2 else 3],
                      tuple(shape[:-1]) + (last + (last // 2 or 1) * (1 if last % 2 else 2),),
                      axis=-1) if last < 12 else self.node("Abs", [half], tuple(shape[:-1]) + (last // 2,))
        elif choice == 8:
            total = int(np.prod(shape))
            new = (total,) if self.random.random() < 0.3 else tuple(reversed(shape))
            self.node("Reshape", [x, self.constant(np.array(new, np.int64))], new)
        elif choice == 9:
            axis = self.random.randrange(len(shape))
            op = self.random.choice(["ReduceMean", "ReduceMax", "ReduceSum"])
            reduced = self.node(op, [x, self.constant(np.array([axis], np.int64))], keepdims=1)
            self.node("Tanh", [self.node("Sub", [x, reduced], shape)], shape)
        elif choice == 10:
            low, high = sorted(self.numbers.uniform(-2, 2, 2))
            self.node("Clip", [x, self.constant(np.float32(low)), self.constant(np.float32(high))], shape)
        elif choice == 11:
            self.node("LeakyRelu", [x], shape, alpha=self.random.choice([0.01, 0.1, 0.2]))
        elif choice == 12:
            # Sizes that are computed when the model runs.
            sizes = self.node("Shape", [x])
            self.node("Expand", [x, sizes], shape)
        elif choice == 13:
            exp = self.node("Exp", [self.node("Clip", [x, self.constant(np.float32(-3)),
                                                       self.constant(np.float32(1.5))])])
            self.node("Div", [exp, self.node("Add", [exp, self.constant(np.float32(1))])], shape)
        else:
            x2, shape2 = self.pick(2)
            op = self.random.choice(["Gemm", "Gelu", "Elu"])
            if op == "Gemm":
                b = self.numbers.normal(size=(shape2[1], 8)).astype(np.float32) / 4
                self.node("Tanh", [self.node("Gemm", [x2, self.constant(b)], alpha=self.random.choice(
                    [1.0, 0.5]))], (shape2[0], 8))
            elif op == "Gelu":
                self.node("Gelu", [x2], shape2, approximate=self.random.choice(["none", "tanh"]))
            else:
                self.node("Elu", [x2], shape2, alpha=self.random.choice([1.0, 0.5]))

    def branch(self):
        x, shape = self.pick()
        mean = self.node("ReduceMean", [x], keepdims=0)
        condition = self.node("Less", [mean, self.constant(np.float32(100))])
        graphs = []
        for op in ("Softplus", "Neg"):
            first, last = self.name("inner"), self.name("inner")
            graphs.append(helper.make_graph(
                [helper.make_node("Tanh", [x], [first]), helper.make_node(op, [first], [last])],
                "branch", [], [helper.make_tensor_value_info(last, TensorProto.FLOAT, shape)]))
        self.node("If", [condition], shape, then_branch=graphs[0], else_branch=graphs[1])

    def call(self):
        x, shape = self.pick()
        if not self.functions:
            self.functions.append(helper.make_function(
                "local", "Block", ["a"], ["d"],
                [helper.make_node("Tanh", ["a"], ["b"]), helper.make_node("Mish", ["b"], ["c"]),
                 helper.make_node("Neg", ["c"], ["d"])], [helper.make_opsetid("", 21)]))
        self.node("Block", [x], shape, domain="local")

    def make(self, special):
        while len(self.nodes) < self.wanted:
            self.grow()
            if special and len(self.nodes) > self.wanted * 0.55:
                special()
                special = None
        used = {name for node in self.nodes for name in node.input}
        ends = [(n, s) for n, s in self.values if n not in used and n not in ("x", "z")]
        graph = helper.make_graph(
            self.nodes, "generated",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 8]),
             helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 3, 8])],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n, _ in ends],
            self.constants)
        imports = [helper.make_opsetid("", 21)]
        if self.functions:
            imports.append(helper.make_opsetid("local", 1))
        model = helper.make_model(graph, functions=self.functions, opset_imports=imports, ir_version=10)
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        for output, typed in zip(model.graph.output, inferred.graph.output):
            if not typed.type.tensor_type.HasField("shape"):
                shape = dict(ends)[output.name]
                typed = helper.make_tensor_value_info(output.name, TensorProto.FLOAT, [None] * len(shape))
            output.CopyFrom(typed)
        inputs = {"x": self.numbers.normal(size=(4, 8)).astype(np.float32),
                  "z": self.numbers.normal(size=(2, 3, 8)).astype(np.float32)}
        return model, inputs


def attributes_of(node):
    return {a.name: helper.get_attribute_value(a) for a in node.attribute
            if a.type not in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)}


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return round(value, 7)
    return value


def types_of(model):
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    graph = inferred.graph
    types = {i.name: i.data_type for i in graph.initializer}
    for info in [*graph.input, *graph.value_info, *graph.output]:
        types[info.name] = info.type.tensor_type.elem_type
    return types


def values_of(model, inputs):
    """All results, by onnxruntime."""
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    given = {o.name for o in copy.graph.output}
    for node in copy.graph.node:
        for name in node.output:
            if name and name not in given:
                copy.graph.output.append(onnx.ValueInfoProto(name=name))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(copy.SerializeToString(), options, ["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    known = dict(zip(names, session.run(names, inputs)))
    known.update(inputs)
    for constant in model.graph.initializer:
        known[constant.name] = numpy_helper.to_array(constant)
    return known


def all_nodes(model):
    """Nodes of the main graph, of branches and functions."""
    def walk(nodes):
        for node in nodes:
            yield node
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    yield from walk(attribute.g.node)
    yield from walk(model.graph.node)
    for function in model.functions:
        yield from walk(function.node)


def occurs(case, model, inputs):
    """True if the case's command would fail on the model."""
    op = case["op"]
    nodes = [n for n in all_nodes(model) if n.op_type == op]
    if not nodes:
        return False
    kind = case["kind"]
    if kind in ("branch", "function"):
        return True
    if kind == "attribute":
        return any(plain(attributes_of(n).get(case["name"])) == case["value"] for n in nodes)
    if kind == "pair":
        makers = {o: n.op_type for n in model.graph.node for o in n.output}
        return any(makers.get(n.input[0]) == case["first"] for n in nodes)
    if kind == "type":
        types = types_of(model)
        return any(types.get(n.input[0]) == case["type"] for n in nodes)
    values = values_of(model, inputs)
    for node in nodes:
        x = values[node.input[0]].astype(np.float64)
        if x.size and (x.min() < case["below"] if "below" in case else x.max() > case["above"]):
            return True
    return False


def make_case(number):
    """The model, its inputs and what the command looks for."""
    kind = KINDS[number % len(KINDS)] if number % 12 < 6 else KINDS[number % 4]
    way = WAYS[(number // 2) % len(WAYS)] if number % 5 else "status"
    nodes = round(50 * 40 ** (((number * 7) % 60) / 59))
    for attempt in range(20):
        seed = number * 100 + attempt
        maker = ModelMaker(seed, nodes)
        special = {"branch": maker.branch, "function": maker.call}.get(kind)
        model, inputs = maker.make(special)
        case = choose(kind, model, inputs, random.Random(seed))
        if case is not None:
            case.update(way=way, number=number, nodes=len(model.graph.node))
            return model, inputs, case
    raise RuntimeError(f"case {number}: no node fits")


def choose(kind, model, inputs, rng):
    if kind == "branch":
        return {"kind": kind, "op": "Softplus"}
    if kind == "function":
        return {"kind": kind, "op": "Mish"}
    nodes = list(model.graph.node)
    rng.shuffle(nodes)
    if kind == "value":
        values = values_of(model, inputs)
    if kind == "type":
        types = types_of(model)
    makers = {o: n for n in nodes for o in n.output}
    for node in nodes:
        if kind == "attribute" and node.attribute:
            name, value = rng.choice(sorted(attributes_of(node).items(), key=lambda a: a[0]))
            return {"kind": kind, "op": node.op_type, "name": name, "value": plain(value)}
        if kind == "type" and types.get(node.input[0]) != TensorProto.FLOAT and node.op_type != "Cast":
            return {"kind": kind, "op": node.op_type, "type": types[node.input[0]]}
        if kind == "pair" and node.input[0] in makers:
            return {"kind": kind, "op": node.op_type, "first": makers[node.input[0]].op_type}
        if kind == "value" and values[node.input[0]].dtype == np.float32:
            same = [values[n.input[0]] for n in nodes
                    if n.op_type == node.op_type and values[n.input[0]].dtype == np.float32]
            low = min(float(v.min()) for v in same)
            high = max(float(v.max()) for v in same)
            if low < -0.1:
                return {"kind": kind, "op": node.op_type, "below": low + 0.02 * abs(low)}
            if high > 0.1:
                return {"kind": kind, "op": node.op_type, "above": high - 0.02 * abs(high)}
    return None


def check(arguments):
    """The command of a case."""
    case = json.loads(pathlib.Path(arguments.case).read_text())
    model = onnx.load(arguments.model)
    valid = True
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:  # noqa: BLE001: whatever the checker finds
        valid = False
        print("not valid:", error)
    if arguments.inputs:
        inputs = dict(np.load(arguments.inputs))
    else:
        numbers = np.random.default_rng(0)
        inputs = {}
        for info in model.graph.input:
            dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
            shape = [d.dim_value or 2 for d in info.type.tensor_type.shape.dim]
            inputs[info.name] = numbers.uniform(size=shape).astype(dtype)
    try:
        fails = occurs(case, model, inputs)
    except Exception as error:  # noqa: BLE001: a model that cannot run does not show the failure
        print("does not run:", str(error)[:200])
        fails = False
    with open(arguments.log, "a") as log:
        log.write(f"{len(model.graph.node)} {int(fails)} {int(valid)}\n")
    if not fails:
        return 0
    if case["way"] == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    if case["way"] == "hang":
        time.sleep(1000)
    if case["way"] == "line":
        print(f"output {model.graph.output[0].name}: WRONG numbers")
        return 1
    return 7


def read_log(path):
    runs = [list(map(int, line.split())) for line in path.read_text().splitlines()]
    return len(runs), sum(1 for r in runs if not r[2])


def run_ours(folder, case, onnxcmp):
    log = folder / "ours.log"
    log.unlink(missing_ok=True)
    command = (f"{sys.executable} {os.path.abspath(__file__)} check --case {folder}/case.json "
               f"--log {log} {{model}} {{inputs}}")
    line = [onnxcmp, "reduce", str(folder / "model.onnx"), "--inputs", str(folder / "inputs.npz"),
            "--check", command, "-o", str(folder / "small"), "--quiet"]
    if case["way"] == "hang":
        line += ["--timeout", f"{HANG_SECONDS}s"]
    if case["way"] == "line":
        line += ["--match", "WRONG numbers"]
    subprocess.run(["rm", "-rf", str(folder / "small")], check=True)
    start = time.time()
    done = subprocess.run(line, capture_output=True, text=True)
    result = {"seconds": time.time() - start, "status": done.returncode}
    if done.returncode:
        result["error"] = done.stderr.strip()[-300:]
        return result
    small = onnx.load(folder / "small" / "model.onnx")
    result["left"] = len(small.graph.node)
    result["runs"], result["invalid"] = read_log(log)
    inputs = {}
    for i, info in enumerate(small.graph.input):
        tensor = onnx.TensorProto()
        tensor.ParseFromString(
            (folder / "small" / "test_data_set_0" / f"input_{i}.pb").read_bytes())
        inputs[info.name] = numpy_helper.to_array(tensor)
    result["fails"] = occurs(case, small, inputs)
    return result


def run_polygraphy(folder, case, polygraphy):
    log = folder / "polygraphy.log"
    log.unlink(missing_ok=True)
    work = folder / "polygraphy"
    work.mkdir(exist_ok=True)
    limit = f"timeout {HANG_SECONDS} " if case["way"] == "hang" else ""
    (work / "check.sh").write_text(
        f"exec {limit}{sys.executable} {os.path.abspath(__file__)} check --case {folder}/case.json "
        f"--log {log} polygraphy_debug.onnx\n")
    start = time.time()
    try:
        done = subprocess.run(
            [polygraphy, "debug", "reduce", str(folder / "model.onnx"), "-o", "reduced.onnx",
             "--model-input-shapes", "x:[4,8]", "z:[2,3,8]", "--check", "sh", "check.sh"],
            cwd=work, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return {"seconds": time.time() - start, "error": "no end within 10 minutes"}
    result = {"seconds": time.time() - start, "status": done.returncode}
    if log.exists():
        result["runs"], result["invalid"] = read_log(log)
    if not (work / "reduced.onnx").exists():
        result["error"] = (done.stdout + done.stderr).strip()[-300:]
        return result
    result["left"] = len(onnx.load(work / "reduced.onnx").graph.node)
    return result


def run(arguments):
    for number in range(arguments.first, arguments.cases):
        folder = pathlib.Path(arguments.folder).resolve() / f"case_{number:02}"
        folder.mkdir(parents=True, exist_ok=True)
        model, inputs, case = make_case(number)
        onnx.save(model, folder / "model.onnx")
        np.savez(folder / "inputs.npz", **inputs)
        (folder / "case.json").write_text(json.dumps(case))
        path = folder / "result.json"
        result = json.loads(path.read_text()) if path.exists() else {}
        result["case"] = case
        if arguments.onnxcmp:
            result["ours"] = run_ours(folder, case, os.path.abspath(arguments.onnxcmp))
        if arguments.polygraphy:
            result["polygraphy"] = run_polygraphy(folder, case, arguments.polygraphy)
        path.write_text(json.dumps(result, indent=1))
        print(number, json.dumps(result), flush=True)


def table(arguments):
    results = [json.loads(path.read_text())
               for path in sorted(pathlib.Path(arguments.folder).glob("case_*/result.json"))]
    for tool in ("ours", "polygraphy"):
        done = [r for r in results if "runs" in r.get(tool, {}) and r[tool].get("fails", True)]
        tried = [r for r in results if tool in r]
        if not tried:
            continue
        left = sorted(r[tool]["left"] for r in done)
        within = sum(r[tool]["runs"] <= 30 + 10 * math.log2(r["case"]["nodes"]) for r in done)
        print(f"{tool}: {len(tried)} cases, {len(done)} reduced, "
              f"nodes left: median {statistics.median(left)}, most {left[-1]}, "
              f"at most 3: {sum(n <= 3 for n in left)}; "
              f"runs: median {statistics.median(r[tool]['runs'] for r in done)}, within the goal {within}; "
              f"invalid models: {sum(r[tool]['invalid'] for r in done)}; "
              f"seconds: median {statistics.median(r[tool]['seconds'] for r in done):.1f}")
        for kind in KINDS:
            of = [r for r in tried if r["case"]["kind"] == kind]
            if not of:
                continue
            reduced = [r[tool] for r in of if r in done]
            small = sum(r["left"] <= 3 for r in reduced)
            nodes = statistics.median(r["case"]["nodes"] for r in of)
            runs = statistics.median(r["runs"] for r in reduced) if reduced else "-"
            most = max((r["left"] for r in reduced), default="-")
            print(f"  {kind}: {len(of)} cases of {nodes} nodes, {small} with at most 3 left, "
                  f"most {most}, {runs} runs")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("folder")
    runs.add_argument("--onnxcmp")
    runs.add_argument("--polygraphy")
    runs.add_argument("--cases", type=int, default=60)
    runs.add_argument("--first", type=int, default=0)
    runs.set_defaults(run=run)
    tables = commands.add_parser("table")
    tables.add_argument("folder")
    tables.set_defaults(run=table)
    checks = commands.add_parser("check")
    checks.add_argument("--case", required=True)
    checks.add_argument("--log", required=True)
    checks.add_argument("model")
    checks.add_argument("inputs", nargs="?")
    checks.set_defaults(run=check)
    arguments = parser.parse_args()
    return arguments.run(arguments) or 0


if __name__ == "__main__":
    sys.exit(main())

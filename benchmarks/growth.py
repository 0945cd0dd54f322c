"""How time and memory grow with the number of nodes and with the size of results.

    pip install numpy onnx
    python benchmarks/growth.py PROGRAM FOLDER [--nodes 1000 ... ] [--megabytes 1 ...]
                                [--instructions]

For each shape of model and size it prints what `onnxcmp run` and comparisons take (a table in
Markdown) and writes the figures to FOLDER/growth.json, from which draw_growth.py draws.
--instructions counts instructions instead of seconds, which takes a hundred times as long and does
not depend on what else the machine does, on caches or on pages: it needs Valgrind. From 10^5 nodes
on that is for the patient.
"""
import argparse
import json
import math
import os
import pathlib
import random
import re
import subprocess

import numpy as np
import resources
from onnx import ModelProto, TensorProto, numpy_helper

NODES = [1000, 10_000, 100_000, 1_000_000]
MEGABYTES = [1, 16, 256, 1024, 4096]


class Model:
    """Builds a message node by node: onnx.helper takes minutes for a million."""

    def __init__(self, shape, prefix):
        self.proto = ModelProto(ir_version=10)
        self.proto.opset_import.add(version=21)
        self.graph = self.proto.graph
        self.graph.name = "g"
        self.prefix = prefix
        self.add_type(self.graph.input.add(name="x"), shape)

    @staticmethod
    def add_type(info, shape):
        tensor = info.type.tensor_type
        tensor.elem_type = TensorProto.FLOAT
        for dim in shape:
            tensor.shape.dim.add(dim_value=dim)

    def constant(self, name, value):
        value = np.asarray(value, np.float32)
        self.graph.initializer.append(numpy_helper.from_array(value, name))
        return name

    def op(self, op_type, *inputs):
        name = f"{self.prefix}{len(self.graph.node)}"
        self.graph.node.add(op_type=op_type, name=name, input=inputs, output=[name])
        return name

    def save(self, path, output, shape):
        self.graph.node[-1].output[0] = "y" if self.graph.node[-1].output[0] == output else output
        self.add_type(self.graph.output.add(name="y"), shape)
        path.write_bytes(self.proto.SerializeToString())


def numbers(model, count, change):
    """Constants between 0.3 and 1.4, each another; `change` changes the first."""
    row = np.linspace(0.3, 0.9, 16, dtype=np.float32)
    return [model.constant(f"c{i}", (row + i / 2 / count) * (1.001 if change and i == 0 else 1))
            for i in range(count)]


def chain(path, nodes, prefix, change):
    """A long way: each node reads the one before. What goes in shows in what comes out."""
    model = Model([16], prefix)
    steps = numbers(model, 50, change)
    factors = [model.constant(name, np.full(16, value, np.float32))
               for name, value in (("up", 1.25), ("down", 0.8))]
    rng = random.Random(0)  # in turn they would make the same values again and again
    x = "x"
    for i in range(nodes):
        op = ("Add", "Mul", "Sub", "Mul", "Neg")[i % 5]
        operands = [] if op == "Neg" else [factors[i % 5 // 3]] if op == "Mul" else [rng.choice(steps)]
        x = model.op(op, x, *operands)
    model.save(path, x, [16])


def wide(path, nodes, prefix, change):
    """Many branches of the input, side by side, and sums of them."""
    model = Model([16], prefix)
    count = 100
    steps = numbers(model, count, change)
    level = []
    for i in range(max(1, nodes // 4)):
        y = model.op("Add", "x", steps[i % count])
        y = model.op("Mul", y, steps[i // count % count])
        y = model.op("Sub", y, steps[i // count ** 2 % count])
        level.append(y)
    while len(level) > 1:
        level = [model.op("Sum", *level[i:i + 16]) for i in range(0, len(level), 16)]
    model.save(path, level[0], [16])


def large(path, elements, prefix, change):
    """Few results, of any size."""
    model = Model([elements], prefix)
    model.constant("c", 1.001 if change else 1)
    x = model.op("Mul", "x", "c")
    x = model.op("Neg", x)
    model.save(path, model.op("Relu", x), [elements])


def count_instructions(command):
    """Of all threads; without AVX-512, which Valgrind does not know."""
    counted = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        env={**os.environ, "ONNXCMP_AVX512": "0"}, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", counted.stderr)
    return {"instructions": int(found[1]) if found else 0, "status": counted.returncode}


def measure(program, folder, make, size, instructions):
    pair = {}
    for side, prefix, change in (("left", "a", False), ("right", "b", False),
                                 ("changed", "b", True)):
        pair[side] = folder / f"{side}.onnx"
        make(pair[side], size, prefix, change)
    commands = {
        "run": ["run", pair["left"]],
        "equal pair": [pair["left"], pair["right"]],
        "pair that differs": [pair["left"], pair["changed"], "--rtol", "0", "--atol", "0"],
    }
    figures = {}
    for name, arguments in commands.items():
        command = [program, *map(str, arguments), "--quiet"]
        if instructions:
            figures[name] = count_instructions(command)
            continue
        taken = resources.run(command, limit=600)
        figures[name] = {"seconds": taken.seconds, "cpu_seconds": taken.cpu_seconds,
                         "anonymous": taken.anonymous, "status": taken.status}
    for path in pair.values():
        path.unlink()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, nargs="*", default=NODES)
    parser.add_argument("--megabytes", type=int, nargs="*", default=MEGABYTES)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    figures = []
    print("| model | size | what | instructions | of n log n | exit |\n"
          "| --- | --- | --- | --- | --- | --- |" if options.instructions else
          "| model | size | what | processor time | memory of its own | exit |\n"
          "| --- | --- | --- | --- | --- | --- |")
    for name, make, sizes, factor in (("chain", chain, options.nodes, 1),
                                      ("wide", wide, options.nodes, 1),
                                      ("large", large, options.megabytes, 1 << 18)):
        for size in sizes:
            for what, taken in measure(options.program, options.folder, make,
                                       size * factor, options.instructions).items():
                figures.append({"model": name, "size": size, "what": what, **taken})
                if options.instructions:
                    count = taken["instructions"]
                    cells = f"{count / 1e6:.0f} M | {count / size / math.log2(size + 1):.0f}"
                else:
                    cells = (f"{taken['cpu_seconds']:.2f} s | "
                             f"{taken['anonymous'] / 2**20:.0f} MiB")
                print(f"| {name} | {size} | {what} | {cells} | {taken['status']} |", flush=True)
    (options.folder / "growth.json").write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()

"""A runtime of a few lines that needs nothing but Python: the tests' own. It runs Neg, Add, Sub, Mul and
Relu on tensors of float32, and misbehaves as it is told.

Options: do=die|exit|hang|refuse|garbage|chatter|eat|fork|leave_out|fuse|pair|scale|reshape|start|optimize|
round, at=hello|load|run (load), operator=TYPE: only for models with such a node; result=NAME for leave_out,
reshape and scale, which makes it 1 % larger, as results of operator=TYPE; odd=TYPE: such a node alone it refuses for a reason of its own;
pair: a Relu that reads a Mul is wrong where nobody looks at what is between; log=FILE: a line for each model
that is loaded; leaves=yes: before it
dies or hangs it starts a process in a session of its own, with all of its files. start: the first run
of all gives all results 1 % larger. optimize: whole models give their last result 0.06 % too large, and
as much too small if more is wanted than the outputs; the optimized model, which is the same, gives it
right without more optimization. round: results keep 8 bits, as those of bfloat16, which precision=NAME
tells or does not."""

import math
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

from onnxcmp_runtimes import base


class Tensor:
    dtype = "float32"

    def __init__(self, shape, numbers):
        self.shape = shape
        self.numbers = numbers


class Files:
    """.npy without NumPy."""

    def read(self, path, type_name):
        with open(path, "rb") as file:
            data = file.read()
        size = struct.unpack("<H", data[8:10])[0]
        header = eval(data[10 : 10 + size])  # our own
        if header["descr"] != "<f4":
            raise base.Refusal(f"it knows float alone, not {type_name}")
        count = math.prod(header["shape"])
        return Tensor(header["shape"], list(struct.unpack(f"<{count}f", data[10 + size :])))

    def write(self, path, tensor):
        header = repr({"descr": "<f4", "fortran_order": False, "shape": tuple(tensor.shape)})
        header += " " * ((-len(header) - 11) % 64) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            file.write(struct.pack(f"<{len(tensor.numbers)}f", *tensor.numbers))
        return "float32"


def _float(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def _rounded(x):
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * 256) / 256, exponent)


OPERATORS = {
    "Neg": lambda a: -a,
    "Relu": lambda a: max(a, 0.0),
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
}


class Model:
    def __init__(self, data):
        self.nodes = []
        self.outputs = base.output_names(data)
        for number, graph in base.fields(memoryview(data)):
            for field, node in base.fields(graph) if number == 7 else ():
                if field == 1:
                    parts = [(k, bytes(v).decode()) for k, v in base.fields(node) if k in (1, 2, 4)]
                    inputs = [v for k, v in parts if k == 1]
                    outputs = [v for k, v in parts if k == 2]
                    self.nodes.append(([v for k, v in parts if k == 4][0], inputs, outputs))


def leave_orphan():
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    os.waitpid(child, 0)


class Adapter(base.Adapter):
    name = "fake"
    files = Files()
    options = {
        "do": "",
        "at": "load",
        "operator": "",
        "result": "",
        "log": "",
        "optimization": "all",
        "leaves": "",
        "precision": "",
        "odd": "",
    }

    def __init__(self, options):
        super().__init__(options)
        self.can_optimize = self.chosen["do"] == "optimize"
        self.runs = 0
        self.misbehave("hello", [])

    def version(self):
        return "1.0"

    def place(self):
        return "here"

    def precision_of_floats(self):
        return self.chosen["precision"]

    def misbehave(self, at, nodes):
        if self.chosen["at"] != at:
            return
        if self.chosen["operator"] and self.chosen["operator"] not in [n[0] for n in nodes]:
            return
        do = self.chosen["do"]
        if do in ("die", "exit", "hang"):
            if self.chosen["leaves"]:
                leave_orphan()
            print("about to", do, file=sys.stderr, flush=True)
        if do == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif do == "exit":
            os._exit(7)
        elif do == "hang":
            time.sleep(1e6)
        elif do == "refuse":
            raise base.Refusal("it does not want to")
        elif do == "garbage":
            self.answer(b"this is no JSON\n")
        elif do == "chatter":
            print("a runtime that prints")
            sys.stderr.write("warning\n" * 100000)
        elif do == "eat":
            self.eaten = bytearray(1 << 32)
        elif do == "fork":
            self.child = subprocess.Popen(["sleep", "1000"])

    def answer(self, line):
        """Writes to where answers are written: a pipe besides the standard descriptors."""
        for number in range(3, 64):
            try:
                if os.readlink(f"/proc/self/fd/{number}").startswith("pipe:"):
                    os.write(number, line)
                    return
            except OSError:
                continue

    def load(self, path, extra=(), optimized=None):
        model = Model(base.marked_bytes(path, extra))
        self.misbehave("load", model.nodes)
        if [node[0] for node in model.nodes] == [self.chosen["odd"]]:
            raise base.Refusal("one is none")
        unknown = [node[0] for node in model.nodes if node[0] not in OPERATORS]
        if unknown:
            raise base.Refusal(f"no kernel for {unknown[0]}")
        if self.chosen["log"]:
            with open(self.chosen["log"], "a") as log:
                log.write(" ".join(node[0] for node in model.nodes) + "\n")
        # As runtimes do that fuse what nobody looks at.
        model.fuses = self.chosen["do"] == "fuse" and not extra
        model.pairs = self.chosen["do"] == "pair" and not extra
        model.last = 1.0
        if self.can_optimize and self.chosen["optimization"] != "none" and len(model.nodes) > 1:
            model.last = 0.9994 if extra else 1.0006
        if optimized:
            shutil.copyfile(path, optimized)
        return model

    def run(self, session, feeds):
        self.misbehave("run", session.nodes)
        self.runs += 1
        values = dict(feeds)
        made_by = {}
        for operator, inputs, outputs in session.nodes:
            given = [values[name] for name in inputs]
            numbers = [_float(OPERATORS[operator](*e)) for e in zip(*(t.numbers for t in given))]
            if session.fuses:
                numbers = [_float(1.25 * n) for n in numbers]
            if self.chosen["do"] == "scale" and (self.chosen["result"] in outputs or self.chosen["operator"] == operator):
                numbers = [_float(1.01 * n) for n in numbers]
            if session.pairs and operator == "Relu" and "Mul" in made_by.get(inputs[0], ""):
                numbers = [_float(1.25 * n) for n in numbers]
            made_by[outputs[0]] = operator
            if self.chosen["do"] == "start" and self.runs == 1:
                numbers = [_float(1.01 * n) for n in numbers]
            if self.chosen["do"] == "round":
                numbers = [_rounded(n) for n in numbers]
            if outputs == session.nodes[-1][2]:
                numbers = [_float(session.last * n) for n in numbers]
            shape = given[0].shape
            if self.chosen["do"] == "reshape" and self.chosen["result"] in outputs:
                shape = (1, *shape)
            values[outputs[0]] = Tensor(shape, numbers)
        left_out = self.chosen["result"] if self.chosen["do"] == "leave_out" else None
        return {name: values[name] for name in session.outputs if name != left_out}

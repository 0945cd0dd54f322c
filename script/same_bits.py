"""Holds two programs against each other: same_bits.py LEFT RIGHT [ONNX'S TEST DATA].

Runs the models of testdata/models and ONNX's node tests with both and compares every result, bit for
bit; only the sign and payload of a NaN do not count. The last line is 'N models, N differ'."""

import concurrent.futures
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Bytes of an element, bits of its mantissa, by NumPy's name of the type.
FLOATS = {"<f2": ("H", 10), "<f4": ("I", 23), "<f8": ("Q", 52), "<c8": ("I", 23), "<c16": ("Q", 52)}


def models(data):
    found = sorted((ROOT / "testdata" / "models").rglob("*.onnx"))
    if data:
        found += sorted(pathlib.Path(data, "node").glob("*/model.onnx"))
    return found


def inputs(model):
    given = model.parent / "test_data_set_0"
    return ["--inputs", str(given)] if given.is_dir() else []


def run(program, model, results):
    command = [program, "run", "-q", str(model), *inputs(model), "--threads", "1", "--save-all", results]
    ran = subprocess.run(command, capture_output=True, text=True)
    return ran.returncode, ran.stderr


def without_nans(member):
    """The bytes of an .npy, each NaN as the same one."""
    length = struct.unpack("<H", member[8:10])[0]
    header, values = member[: 10 + length], member[10 + length :]
    kind = next((kind for kind in FLOATS if f"'{kind}'".encode() in header), None)
    if kind is None:
        return member
    letter, mantissa = FLOATS[kind]
    width = struct.calcsize("<" + letter)
    infinity = ((1 << (8 * width - 1 - mantissa)) - 1) << mantissa
    whole = struct.unpack(f"<{len(values) // width}{letter}", values)
    least = (1 << (8 * width - 1)) - 1
    return header, [-1 if bits & least > infinity else bits for bits in whole]


def differing(left, right):
    """The names of results whose bits differ."""
    with zipfile.ZipFile(left) as a, zipfile.ZipFile(right) as b:
        if a.namelist() != b.namelist():
            return ["(other results)"]
        changed = [name for name in a.namelist() if a.read(name) != b.read(name)]
        return [name for name in changed if without_nans(a.read(name)) != without_nans(b.read(name))]


def compare(programs, model):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("left.npz", "right.npz")]
        (left, _), (right, message) = [run(program, model, file) for program, file in zip(programs, files)]
        if left != right:
            return f"exit status {left} and {right}: {message.strip()}"
        return ", ".join(differing(*files)) if left == 0 else ""


def main():
    programs, data = sys.argv[1:3], (sys.argv[3:] or [None])[0]
    listed = models(data)
    different = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for model, answer in zip(listed, pool.map(lambda model: compare(programs, model), listed)):
            if answer:
                different += 1
                print(f"{model.parent.name}/{model.name}: {answer}")
    print(f"{len(listed)} models, {different} differ")
    return 1 if different else 0


sys.exit(main())

"""script/same_bits.py PROGRAM OTHER FOLDER...: runs every model of these folders with both programs
(a command each, such as 'qemu-aarch64-static -L ROOT build/aarch64/onnxcmp') on the inputs of
test_data_set_0 beside it, or made-up ones, and compares every result, bit for bit; only the sign and
payload of a NaN do not count. A model that one of them refuses and the other does not differs, too.
Prints the models that differ; the last line is 'N models, N differ'. Exit status 1 if any does."""

import concurrent.futures
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile
import zipfile

# Bytes of an element, bits of its mantissa, by NumPy's name of the type.
FLOATS = {"<f2": ("H", 10), "<f4": ("I", 23), "<f8": ("Q", 52), "<c8": ("I", 23), "<c16": ("Q", 52)}


def run(program, model, results):
    command = [*shlex.split(program), "run", "-q", str(model), "--threads", "1", "--save-all", results]
    given = model.parent / "test_data_set_0"
    if given.is_dir() and any(given.glob("input_*.pb")):
        command += ["--inputs", str(given)]
    ran = subprocess.run(command, capture_output=True, text=True)
    return ran.returncode, ran.stderr.strip()


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
        (left, error), (right, message) = [run(program, model, file) for program, file in zip(programs, files)]
        if left != right:
            return f"exit status {left} and {right}: {error or message}"
        return ", ".join(differing(*files)) if left == 0 else ""


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    programs = sys.argv[1:3]
    models = sorted(model for folder in sys.argv[3:] for kind in ("*.onnx", "*.onnxtxt")
                    for model in pathlib.Path(folder).rglob(kind))
    different = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for model, answer in zip(models, pool.map(lambda model: compare(programs, model), models)):
            if answer:
                different += 1
                print(f"{model}: {answer}", flush=True)
    print(f"{len(models)} models, {different} differ")
    return 1 if different else 0


sys.exit(main())

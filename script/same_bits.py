"""script/same_bits.py PROGRAM OTHER FOLDER...: runs every model of these folders with both programs
(a command each, such as 'qemu-aarch64-static -L ROOT build/aarch64/onnxcmp') on the inputs of
test_data_set_0 beside it, or made-up ones, and compares all results bit by bit; needs NumPy. NaN are equal whatever their sign and payload
are. Prints the models that differ with their first results that do, then their number. A model that
one of them refuses and the other does not differs, too. Exit status 1 if any does."""

import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import numpy


def results(program, model, folder):
    """The results of a run by name, or what the program says instead."""
    kept = folder / "all.npz"
    kept.unlink(missing_ok=True)
    command = [*shlex.split(program), "run", str(model), "--save-all", str(kept), "--threads", "1", "-q"]
    inputs = model.parent / "test_data_set_0"
    if inputs.is_dir() and any(inputs.glob("input_*.pb")):
        command += ["--inputs", str(inputs)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    if done.returncode < 0:
        return None, f"signal {-done.returncode}"
    if not kept.exists():
        return None, done.stderr.strip()
    with numpy.load(kept, allow_pickle=True) as arrays:
        return {name: arrays[name] for name in arrays.files if name != "onnxcmp.json"}, ""


def same(left, right):
    """Whether two arrays have the same bits; NaN is NaN."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.tobytes() == right.tobytes():
        return True
    if left.dtype.kind not in "fc":
        return False
    # Parts of complex numbers by themselves: one may be NaN without the other.
    parts = {"c": lambda x: x.view(x.real.dtype)}.get(left.dtype.kind, lambda x: x)
    left, right = parts(numpy.ascontiguousarray(left)), parts(numpy.ascontiguousarray(right))
    bits = numpy.dtype(f"u{left.dtype.itemsize}")
    equal = left.view(bits) == right.view(bits)
    return bool(numpy.all(equal | (numpy.isnan(left) & numpy.isnan(right))))


def compare(programs, model):
    """The results that differ, or None if neither program runs the model."""
    with tempfile.TemporaryDirectory() as folder:
        sides = [results(program, model, pathlib.Path(folder)) for program in programs]
    (left, left_error), (right, right_error) = sides
    if left is None or right is None:
        return None if left_error == right_error else [f"{left_error or 'runs'} | {right_error or 'runs'}"]
    names = [*left, *(name for name in right if name not in left)]
    return [name for name in names
            if name not in left or name not in right or not same(left[name], right[name])]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    programs = sys.argv[1:3]
    models = sorted(model for folder in sys.argv[3:] for kind in ("*.onnx", "*.onnxtxt")
                    for model in pathlib.Path(folder).rglob(kind))
    ran = different = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        for model, names in zip(models, pool.map(lambda model: compare(programs, model), models)):
            ran += names is not None
            if names:
                different += 1
                print(f"{model}: {', '.join(names[:3])}" + (", ..." if len(names) > 3 else ""), flush=True)
    print(f"{ran} models ran, {len(models) - ran} did not; {different} differ")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()

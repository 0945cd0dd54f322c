"""Runs the operators of operator_cases.py with onnxcmp and with onnxruntime, side by side: on one
thread (processor time) and on two (wall time), in one run.

    pip install numpy onnx onnxruntime
    python benchmarks/onnxruntime_operators.py build/benchmarks/time_model [WORDS OF A NAME]
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import operator_cases
import side_by_side
from onnx import helper, numpy_helper

SECONDS = 0.4  # as time_model has it


def model_of(case):
    """The node with an initializer for each input, which onnxruntime must not take for constant."""
    arrays = [None if x is None else np.asarray(x) for x in case.inputs()]
    names = ["" if x is None else f"x{i}" for i, x in enumerate(arrays)]
    outputs = [f"y{i}" for i in range(case.outputs)]
    node = helper.make_node(case.op, names, outputs, **case.attributes)
    given = [(n, x) for n, x in zip(names, arrays) if x is not None]
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
         for n, x in given],
        [helper.make_empty_tensor_value_info(n) for n in outputs],
        [numpy_helper.from_array(x, n) for n, x in given])
    return helper.make_model(graph, ir_version=10,
                             opset_imports=[helper.make_opsetid("", case.opset)])


def our_times(program, path, threads):
    run = subprocess.run([program, str(threads), path], check=True, stdout=subprocess.PIPE, text=True)
    return [float(x) for x in run.stdout.split()]


def main(program, words):
    print("| case | onnxcmp, us | onnxruntime, us | ratio | two threads: onnxcmp | onnxruntime | "
          "ratio |\n| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "model.onnx")
        for case in operator_cases.CASES:
            if not all(word in f"{case.family} {case.name}" for word in words):
                continue
            model = model_of(case)
            pathlib.Path(path).write_bytes(model.SerializeToString())
            row = []
            for threads in (1, 2):
                which = threads - 1  # processor time of one thread, wall time of two
                ours = our_times(program, path, threads)[which]
                try:
                    theirs = side_by_side.best_times(model, {}, threads, SECONDS)[which]
                    row += [f"{ours:.0f}", f"{theirs:.0f}", f"{ours / theirs:.2f}"]
                except Exception as error:
                    print(f"{case.name}: {error}", file=sys.stderr)
                    row += [f"{ours:.0f}", "-", "-"]
            print(f"| {case.name} | {' | '.join(row)} |", flush=True)


main(sys.argv[1], sys.argv[2:])

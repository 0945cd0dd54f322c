"""Cases of the benchmarks with onnxcmp and with onnxruntime, one after the other on one thread."""
import json
import re
import subprocess
import time

import onnxruntime


def best_time(model, feeds):
    """The least processor time of a run of the model, in microseconds."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    best = float("inf")
    until = time.perf_counter() + 1
    while time.perf_counter() < until:
        start = time.process_time()
        session.run(None, feeds)
        best = min(best, time.process_time() - start)
    return best * 1e6


def compare(program, measures):
    """`measures`: from a benchmark's name to what measures onnxruntime, given the sizes in the name."""
    listed = subprocess.run([program, "--benchmark_list_tests",
                             f"--benchmark_filter=({'|'.join(measures)})/"],
                            check=True, capture_output=True, text=True).stdout.split()
    print(f"{'us of processor time':72} {'onnxcmp':>10} {'onnxruntime':>12} {'ratio':>6}")
    for name in listed:
        run = subprocess.run([program, f"--benchmark_filter=^{name}$", "--benchmark_format=json",
                              "--benchmark_repetitions=20", "--benchmark_min_time=0.05"],
                             check=True, capture_output=True, text=True)
        ours = min(b["cpu_time"] for b in json.loads(run.stdout)["benchmarks"]
                   if b["run_type"] == "iteration")
        sizes = [int(value) for value in re.findall(r":(\d+)", name)]
        theirs = measures[name.split("/")[0]](*sizes)
        print(f"{name:72} {ours:10.1f} {theirs:12.1f} {ours / theirs:6.2f}", flush=True)

"""Cases of the benchmarks with onnxcmp and with onnxruntime, one after the other on one thread."""
import json
import re
import subprocess
import time

import onnxruntime


def best_times(model, feeds, threads=1, seconds=1):
    """The least processor time and the least wall time of a run of the model, in microseconds."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    processor = wall = float("inf")
    until = time.perf_counter() + seconds
    runs = 0
    while runs < 5 or time.perf_counter() < until:
        start = time.process_time(), time.perf_counter()
        session.run(None, feeds)
        wall = min(wall, time.perf_counter() - start[1])
        processor = min(processor, time.process_time() - start[0])
        runs += 1
    return processor * 1e6, wall * 1e6


def best_time(model, feeds):
    """The least processor time of a run of the model, in microseconds."""
    return best_times(model, feeds)[0]


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

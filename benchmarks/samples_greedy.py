"""samples_greedy.py ONNXCMP FOLDER TARGET_DB: the set that --sensitivity finds beside others.

For each model of samples_models.py: the layers that `onnxcmp --samples --sensitivity` keeps in float,
the same set quantized and run by onnxruntime, a greedy search that quantizes and runs a whole model
for each set that it tries, and the layers by onnxruntime's qdq_loss_debug, the worst first. All are
measured on the same samples with onnxruntime.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization import qdq_loss_debug as loss

SAMPLES = 50


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def session(path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


class Trials:
    """Quantizes the float model with some nodes left out, and measures it."""

    def __init__(self, folder, name):
        self.plain = str(folder / f"{name}.onnx")
        archive = np.load(folder / f"{name}_samples.npz")
        self.feeds = [{key: archive[key][i:i + 1] for key in archive.files} for i in range(SAMPLES)]
        self.wanted = [session(self.plain).run(None, feed)[0] for feed in self.feeds]
        self.out = str(pathlib.Path(tempfile.mkdtemp()) / "q.onnx")
        self.count = 0

    def sqnr(self, exclude):
        self.count += 1
        quantize_static(self.plain, self.out, Reader(self.feeds), per_channel=True,
                        nodes_to_exclude=list(exclude), weight_type=QuantType.QInt8,
                        activation_type=QuantType.QUInt8)
        tried = session(self.out)
        noise = signal = 0.0
        for feed, wanted in zip(self.feeds, self.wanted):
            got = tried.run(None, feed)[0]
            signal += float((wanted.astype(np.float64) ** 2).sum())
            noise += float(((wanted.astype(np.float64) - got) ** 2).sum())
        return 10 * np.log10(signal / noise) if noise else np.inf


def greedy(trials, nodes, target):
    kept = []
    while trials.sqnr(kept) < target and len(kept) < len(nodes):
        figures = {node: trials.sqnr([*kept, node]) for node in nodes if node not in kept}
        kept.append(max(figures, key=figures.get))
    return kept


def by_loss(trials, nodes, target):
    """Nodes by the error of their results in qdq_loss_debug, the worst first, until it is enough."""
    plain, quantized = trials.out + ".a.onnx", trials.out + ".b.onnx"
    trials.sqnr([])
    loss.modify_model_output_intermediate_tensors(trials.plain, plain)
    loss.modify_model_output_intermediate_tensors(trials.out, quantized)
    matched = loss.create_activation_matching(
        loss.collect_activations(quantized, Reader(trials.feeds)),
        loss.collect_activations(plain, Reader(trials.feeds)))
    errors = loss.compute_activation_error(matched)
    maker = {name: node.name for node in onnx.load(trials.plain).graph.node for name in node.output}
    ordered = [maker[name] for name, error in
               sorted(errors.items(), key=lambda item: item[1]["xmodel_err"])
               if maker.get(name) in nodes]
    kept = []
    for node in ordered:
        if trials.sqnr(kept) >= target:
            break
        kept.append(node)
    return kept


def main():
    program, folder, target = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3])
    for name in ("digits_cnn", "digits_mobile"):
        trials = Trials(folder, name)
        trials.sqnr([])
        quantized = folder / "greedy.onnx"
        quantized.write_bytes(pathlib.Path(trials.out).read_bytes())
        begin = time.time()
        run = subprocess.run(
            [program, folder / f"{name}.onnx", quantized, "--samples",
             folder / f"{name}_samples.npz", "--limit", str(SAMPLES), "--sensitivity", "--target",
             f"sqnr >= {target}", "--format", "json", "--quiet", "--threads", "1"],
            capture_output=True, text=True, check=False)
        ours = time.time() - begin
        found = json.loads(run.stdout)["sensitivity"]
        nodes = [layer["name"] for layer in found["layers"]]
        print(f"{name}: ours {len(found['keep'])} of {len(nodes)} in {ours:.1f} s, "
              f"{found['kept_figure']:.1f} dB foretold, {trials.sqnr(found['keep']):.1f} dB in "
              "onnxruntime")
        for title, search in (("greedy", greedy), ("qdq_loss_debug", by_loss)):
            before, begin = trials.count, time.time()
            kept = search(trials, nodes, target)
            print(f"  {title}: {len(kept)} in {time.time() - begin:.1f} s and "
                  f"{trials.count - before} models, {trials.sqnr(kept):.1f} dB")


if __name__ == "__main__":
    main()

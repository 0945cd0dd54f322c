#!/usr/bin/env python3
"""Makes recordings of networks, right ones and wrong ones, and counts how often onnxcmp tells them.

    recordings_corpus.py FOLDER PATH/TO/onnxcmp [--seeds N] [--only TEXT] [--keep] [-v]

Needs torch, onnx, onnxruntime, numpy, safetensors and ml_dtypes. Networks of a dozen architectures get random
weights and are exported by both exporters of torch; they stay in FOLDER and are not exported again. Recorded are
 - hooks: what each module gives by a forward hook, in float32 and bfloat16, by module path;
 - nhwc: what onnxruntime gives of networks of images, channels last, with names like TensorFlow Lite's;
 - ort: all results of onnxruntime, without and with all of its optimizations;
and of each some whole, some partial, renamed, shuffled or in a file that has no order, on either side. Each is
compared as it is, which has to agree, and with one fault of ten kinds at one module or node, which has to differ and
to have the faulty result, or the first one after it that the model has, among the first three causes.
"""

import argparse
import json
import os
import random
import sys
import warnings

import numpy as np
import onnx
import torch

from recordings.comparisons import Score, Setup, one_case
from recordings.networks import NETWORKS, OF_IMAGES, export, network
from recordings.recorders import FAULTS, all_results, hooked, optimized, tflite_names, with_fault

warnings.filterwarnings("ignore")

VARIANTS = [("whole", "npz"), ("whole", "safetensors"), ("partial", "npz"), ("renamed", "npz"), ("shuffled", "npz"),
            ("partial", "safetensors")]


def hooks(score, name, seed, only):
    module, inputs = network(name, seed)
    feeds = {n: x.numpy() for n, x in inputs.items()}
    npz = score.setup.path("inputs.npz")
    rng = random.Random(seed * 7919 + len(name))
    for exporter in ("dynamo", "script"):
        path = score.setup.path(f"{name}_{seed}_{exporter}.onnx")
        if not export(module, inputs, exporter == "dynamo", path):
            continue
        np.savez(npz, **feeds)
        known = [v for _, _, v in all_results(onnx.load(path), feeds) if v.dtype == np.float32]
        for dtype in ("f32", "bf16"):
            kind = f"hooks {dtype}"
            if only and only not in f"{kind} {name} {exporter}":
                continue
            as_torch = torch.float32 if dtype == "f32" else torch.bfloat16
            limit = 1e-3 if dtype == "f32" else 0.03
            honest = hooked(module, inputs, as_torch)
            paths = [p for p, a in honest if a.size > 16]
            for i, (how, form) in enumerate(VARIANTS):
                fault = rng.choice(list(FAULTS)), rng.choice(paths)
                wrong = hooked(module, inputs, as_torch, (fault[1] if fault[1] != "output" else "", fault[0],
                                                          name in OF_IMAGES))
                one_case(score, kind, path, npz, (honest, wrong, how, form),
                         f"{name} {seed} {exporter} {fault[0]} at {fault[1]}", rng, known, limit, dtype)


def of_onnxruntime(score, name, seed, only):
    module, inputs = network(name, seed)
    feeds = {n: x.numpy() for n, x in inputs.items()}
    npz = score.setup.path("inputs.npz")
    rng = random.Random(seed * 104729 + len(name))
    for exporter in ("dynamo", "script"):
        path = score.setup.path(f"{name}_{seed}_{exporter}.onnx")
        if not export(module, inputs, exporter == "dynamo", path):
            continue
        np.savez(npz, **feeds)
        model = onnx.load(path)
        plain = all_results(model, feeds)
        values = {n: v for n, _, v in plain}
        known = [v for v in values.values() if v.dtype == np.float32]
        is_float = lambda v: v.dtype == np.float32 and v.size > 16
        kinds = [("ort none", False, False), ("ort all", True, False)] + ([("nhwc", False, True)] if name in OF_IMAGES
                                                                           else [])
        for kind, is_optimized, nhwc in kinds:
            if only and only not in f"{kind} {name} {exporter}":
                continue
            # A fault is one of what runs: names of two graphs that were optimized apart mean different results.
            runs = optimized(model, score.setup.path("optimized.onnx")) if is_optimized else model
            plain = all_results(runs, feeds)
            values = {n: v for n, _, v in plain}
            nodes = [i for i, n in enumerate(runs.graph.node) if n.output and n.output[0] in values
                     and is_float(values[n.output[0]]) and n.op_type not in ("Constant", "Identity")]
            for how, form in VARIANTS:
                fault, node = rng.choice(list(FAULTS)), rng.choice(nodes)
                broken = with_fault(runs, node, fault, name in OF_IMAGES, values[runs.graph.node[node].output[0]])
                try:
                    both = [plain, all_results(broken, feeds)]
                except Exception as error:
                    print("onnxruntime:", str(error)[:100], file=sys.stderr)
                    continue
                wrong = {n: v for n, _, v in both[1]}
                results = [(n, t, v) for n, t, v in both[0] if v.dtype == np.float32 and n in wrong]
                if nhwc:
                    names = tflite_names(results)
                    last = lambda v: np.ascontiguousarray(np.moveaxis(v, 1, -1)) if v.ndim == 4 else v
                    chosen = [r for r in results if r[1] not in ("Constant", "Identity", "Reshape", "Flatten")]
                    honest = [(names[n], last(v)) for n, _, v in chosen]
                    changed = [(names[n], last(wrong[n])) for n, _, v in chosen]
                    here = [last(v) for v in known]
                else:
                    honest = [(n, v) for n, _, v in results]
                    changed = [(n, wrong[n]) for n, _, v in results]
                    here = known
                one_case(score, kind, path, npz, (honest, changed, how, form),
                         f"{name} {seed} {exporter} {fault} at {runs.graph.node[node].output[0]}", rng, here, 1e-3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("tool")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of 'hooks bf16 resnet dynamo'")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--keep", action="store_true", help="keep what failed, in FOLDER/failed")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    setup = Setup(arguments.folder, os.path.abspath(arguments.tool), arguments.keep, arguments.verbose)
    os.makedirs(setup.folder, exist_ok=True)
    score = Score(setup)
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
        for name in arguments.networks.split(","):
            hooks(score, name, seed, arguments.only)
            of_onnxruntime(score, name, seed, arguments.only)
    score.print()
    with open(setup.path("failures.json"), "w") as file:
        json.dump(score.failures, file, indent=1)


if __name__ == "__main__":
    main()

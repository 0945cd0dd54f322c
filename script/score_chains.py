#!/usr/bin/env python3
"""How well onnxcmp chain and bisect find the pass that broke a model: chains of passes of real tools, with one fault.

    script/score_chains.py ONNXCMP FOLDER MODEL... [--chains N] [--steps N] [--seed N] [--bisect] [--keep]

Of each chain there are two: the passes as they are, in which no step may be blamed, and the same with one fault (other
constants, operators, attributes, edges, a node that is missing) put in by one of them, which must be blamed and no
other. Passes are onnxruntime's optimizers one by one, onnxscript's rewriter and optimizer, onnxsim, onnxoptimizer's
passes, conversion to float16, quantization, other names, another order. A pass that refuses the model is drawn again;
so is one that changes outputs in onnxruntime by more than its types explain (a real fault, which is listed), and a
fault that does not change them. Half of the passes of a chain change the model, if there are so many.

With --bisect the models of each chain are searched by onnxcmp bisect as well. --cost also measures the processor
time of a clean chain by that of a comparison of its ends. Needs numpy, onnx, onnxruntime, onnxscript, onnxsim, onnxoptimizer,
onnxconverter-common.
"""

import argparse
import collections
import contextlib
import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import warnings

import numpy as np
import onnx

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chains.faults import FAULTS  # noqa: E402
from chains.passes import passes, session  # noqa: E402

warnings.filterwarnings("ignore")


def outputs_of(model, sets):
    """The outputs on all sets of inputs."""
    run = session(model)
    known = {i.name for i in run.get_inputs()}
    return [np.asarray(v) for feeds in sets for v in run.run(None, {n: v for n, v in feeds.items() if n in known})]


def distance(a, b):
    """The largest difference of two lists of outputs by the range of the first."""
    worst = 0.0
    for x, y in zip(a, b):
        if x.shape != y.shape:
            return float("inf")
        if x.dtype.kind not in "fiub":
            worst = max(worst, float(not np.array_equal(x, y)))
            continue
        x, y = x.astype(np.float64), y.astype(np.float64)
        if not np.array_equal(np.isfinite(x), np.isfinite(y)):
            return float("inf")
        finite = np.isfinite(x)
        if finite.any():
            size = max(float(np.ptp(x[finite])), float(np.abs(x[finite]).max()) * 1e-3, 1e-9)
            worst = max(worst, float(np.abs(x - y)[finite].max()) / size)
    return worst


class Chain:
    def __init__(self, start, feeds, rng, steps):
        self.rng, self.feeds = rng, feeds
        self.models, self.names = [start], ["start"]
        self.coarse = False  # numbers have passed through a coarser type
        self.wrong = []      # passes that change outputs although nothing was put in
        self.steps = steps
        self.pool = passes(feeds[0])

    def limit(self, name):
        """How far an honest pass may move outputs, by their range."""
        if name.startswith("quantize"):
            return 0.25
        return 0.02 if self.coarse else 1e-3

    def extend(self):
        before = outputs_of(self.models[-1], self.feeds)
        for _ in range(60):
            name, run, coarse = self.rng.choice(self.pool + [p for p in self.pool if p[2]] * 3)
            late = len(self.models) > self.steps * 0.6
            if coarse and (self.coarse or not late):
                continue
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    made = run(onnx.ModelProto.FromString(self.models[-1].SerializeToString()), self.rng)
                changed = made.SerializeToString() != self.models[-1].SerializeToString()
                after = outputs_of(made, self.feeds)
            except Exception:
                continue
            if not changed and self.rng.random() < 0.9:
                continue
            was, self.coarse = self.coarse, self.coarse or coarse
            if distance(before, after) > self.limit(name):
                self.wrong.append((name, distance(before, after)))
                self.coarse = was
                continue
            self.models.append(made)
            self.names.append(name)
            return
        self.models.append(self.models[-1])
        self.names.append("nothing")

    def with_fault(self, step):
        """The chain whose step has a fault; None if none shows."""
        for _ in range(80):
            kind = self.rng.choice(sorted(FAULTS))
            broken = onnx.ModelProto.FromString(self.models[step].SerializeToString())
            try:
                what = FAULTS[kind](broken, self.rng)
                honest = outputs_of(self.models[step], self.feeds)
                far = distance(honest, outputs_of(broken, self.feeds))
            except Exception:
                continue
            if far < (0.5 if any(n in ("float16", "quantize_dynamic", "quantize_static")
                                 for n in self.names[: step + 1]) else 0.05):
                continue
            return broken, f"{kind}: {what}", far
        return None


def repeated(chain, step, broken):
    """The passes after the step on the broken model; one that refuses it changes nothing."""
    models = chain.models[:step] + [broken]
    by_name = {name: run for name, run, _ in chain.pool}
    for name in chain.names[step + 1:]:
        made = models[-1]
        if name in by_name:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    made = by_name[name](onnx.ModelProto.FromString(models[-1].SerializeToString()),
                                         random.Random(chain.rng.random()))
                if distance(outputs_of(models[-1], chain.feeds), outputs_of(made, chain.feeds)) > 0.02:
                    made = models[-1]  # far from what the pass is for, e.g. numbers that are out of its range
            except Exception:
                made = models[-1]
        models.append(made)
    return models


def save(models, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    paths = []
    for i, model in enumerate(models):
        paths.append(os.path.join(folder, f"pass_{i}.onnx"))
        onnx.save(model, paths[-1])
    return paths


def report_of(program, arguments):
    ran = subprocess.run([program, *arguments, "--format", "json", "-q"], capture_output=True, text=True, timeout=900)
    try:
        return json.loads(ran.stdout)
    except ValueError:
        return {"error": ran.stderr.strip() or ran.stdout[-300:]}


def feeds_of(program, path, folder):
    """Four sets of inputs as onnxcmp makes them up."""
    sets = []
    for seed in range(4):
        npz = os.path.join(folder, f"inputs_{seed}.npz")
        ran = subprocess.run([program, path, path, "-q", "--sets", "1", "--seed", str(seed), "--save-inputs", npz],
                             capture_output=True, text=True)
        if not os.path.exists(npz):
            raise ValueError(f"{path}: no inputs: {ran.stderr}")
        sets.append(dict(np.load(npz).items()))
    return sets


def cost(program, paths):
    """Processor time of a chain by that of a comparison of its ends, and the latter's seconds."""

    def seconds(arguments):
        times = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([program, *arguments, "-q"], capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(times)

    ends = seconds([paths[0], paths[-1]])
    return seconds(["chain", *paths]) / ends, ends


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--chains", type=int, default=100)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bisect", action="store_true")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep all chains, not only those that went wrong")
    arguments = parser.parse_args()
    count = collections.Counter()
    ratios, wrong, used = [], collections.Counter(), collections.Counter()
    judged = collections.Counter()
    for number in range(arguments.chains):
        rng = random.Random(arguments.seed * 100003 + number)
        source = arguments.models[number % len(arguments.models)]
        base = os.path.join(arguments.folder, f"chain_{arguments.seed}_{number}")
        os.makedirs(base, exist_ok=True)
        try:
            chain = Chain(onnx.load(source), feeds_of(arguments.program, source, base), rng, arguments.steps)
            while len(chain.models) <= arguments.steps:
                chain.extend()
        except Exception as error:
            print(f"{number} {source}: not made: {str(error)[:200]}", flush=True)
            count["not made"] += 1
            continue
        wrong.update(name for name, _ in chain.wrong)
        used.update(chain.names[1:])
        paths = save(chain.models, os.path.join(base, "clean"))
        if arguments.cost:
            ratios.append(cost(arguments.program, paths))
            print(f"{number} {source}: {ratios[-1][0]:.2f} times {ratios[-1][1]:.2f} s", flush=True)
        clean = report_of(arguments.program, ["chain", *paths])
        good = clean.get("broken_by", -1) is None
        count["clean chains"] += 1
        count["clean chains with a step that is blamed"] += not good
        if not good:
            at = clean.get("broken_by")
            step = clean["steps"][at] if at is not None and "steps" in clean else clean
            print(f"{number} {source}: CLEAN BLAMED {at} {chain.names[at + 1] if at is not None else ''}: "
                  f"{step.get('text', step)} {step.get('causes', '')}", flush=True)
        elif clean.get("exit_status") != 0:
            count["clean chains whose ends differ"] += 1
            print(f"{number} {source}: ends: {clean['ends']['text']} {chain.names}", flush=True)
        step = rng.randrange(1, arguments.steps + 1)
        fault = chain.with_fault(step)
        if fault is None:
            print(f"{number} {source}: no fault shows at step {step}", flush=True)
            count["no fault"] += 1
            continue
        broken, what, far = fault
        paths = save(repeated(chain, step, broken), os.path.join(base, "fault"))
        found = report_of(arguments.program, ["chain", *paths])
        right = found.get("broken_by", -1) == step - 1
        others = [i for i, s in enumerate(found.get("steps", [])) if s["exit_status"] and i != step - 1]
        count["chains with a fault"] += 1
        count["right step"] += right
        count["right step and no other"] += right and not others
        if not right or others:
            print(f"{number} {source}: step {step} ({chain.names[step]}), {what}, {far:.2g} of the range: blamed "
                  f"{found.get('broken_by')} others {others} {found.get('error', '')} "
                  f"{[(s['verdict'], s['text']) for s in found.get('steps', [])][step - 1:step]} {chain.names}",
                  flush=True)
        searched = None
        if arguments.bisect:
            searched = report_of(arguments.program, ["bisect", *paths])
            count["bisect: right step"] += searched.get("first_bad", -1) == step
            judged[searched.get("judged", -1)] += 1
            if searched.get("first_bad", -1) != step:
                print(f"{number} {source}: step {step}, {what}: bisect says {searched.get('first_bad')} "
                      f"{searched.get('error', '')} {searched.get('notes')}", flush=True)
        if good and right and not others and not arguments.keep:
            shutil.rmtree(base)
        if count["chains with a fault"] % 10 == 0:
            print(f"-- {number + 1}: {dict(count)}", flush=True)
    print(json.dumps(dict(count), indent=1))
    print("passes:", dict(used.most_common()))
    print("passes that change outputs by themselves, and were left out:", dict(wrong.most_common()))
    if arguments.bisect:
        print("comparisons of bisect:", dict(sorted(judged.items())))
    if ratios:
        ratios.sort()
        print(f"cost by a comparison of the ends: median {ratios[len(ratios) // 2][0]:.2f}, most {ratios[-1][0]:.2f}")


if __name__ == "__main__":
    main()

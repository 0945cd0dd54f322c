"""Comparisons of recordings with their model, counted."""

import collections
import dataclasses
import os
import random
import re
import subprocess

import ml_dtypes
import numpy as np
import safetensors.numpy


@dataclasses.dataclass
class Setup:
    """Where files are written, and the program that is tried."""

    folder: str
    tool: str
    keeps_failures: bool = False
    verbose: bool = False

    def path(self, name):
        return os.path.join(self.folder, name)


def save(path, arrays, form, dtype):
    stored = {n: a.astype(ml_dtypes.bfloat16) if dtype == "bf16" and form == "safetensors" else a for n, a in arrays}
    if form == "safetensors":
        safetensors.numpy.save_file({n: np.ascontiguousarray(a) for n, a in stored.items()}, path)
    else:
        np.savez(path, **stored)


def causes_of(text):
    found, inside = [], False
    for line in text.splitlines():
        if not line.startswith(" "):
            inside = line.startswith("cause")
        if line.startswith("cause"):
            found.append(line)
        elif inside:
            found[-1] += " " + line.strip()
    return found


def run(tool, model, recording, inputs, left):
    sides = [recording, model] if left else [model, recording]
    command = [tool, *sides, "--inputs", inputs, "-q", "--width", "400"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout + done.stderr


def near(a, b, limit):
    if a.shape != b.shape:
        return False
    size = np.sqrt(np.mean(np.square(a.astype(np.float64)))) + 1e-30
    return np.sqrt(np.mean(np.square(a.astype(np.float64) - b))) <= limit * size


class Score:
    def __init__(self, setup):
        self.setup = setup
        self.counts = collections.defaultdict(collections.Counter)
        self.failures = []

    def add(self, kind, what, good, note):
        self.counts[kind][what] += 1
        self.counts[kind][what + " right"] += good
        if not good:
            self.failures.append(f"{kind} {what}: {note}")
            if self.setup.verbose:
                print("FAILED", self.failures[-1], flush=True)

    def print(self):
        total = collections.Counter()
        for kind in sorted(self.counts):
            total.update(self.counts[kind])
            self.line(kind, self.counts[kind])
        self.line("all", total)

    @staticmethod
    def line(kind, counts):
        print(f"{kind:14}", "  ".join(f"{w} {counts[w + ' right']} of {counts[w]}"
                                      for w in ("honest", "fault", "located") if counts[w]))


def rename(arrays, how, rng):
    """Arrays as a variant has them, and the new names by old name."""
    arrays = list(arrays)
    names = {n: n for n, _ in arrays}
    if how == "partial":
        arrays = [pair for i, pair in enumerate(arrays) if i == len(arrays) - 1 or rng.random() < 0.5]
    elif how == "renamed":
        names = {n: f"t{i}" for i, (n, _) in enumerate(arrays)}
        arrays = [(names[n], a) for n, a in arrays]
    elif how == "shuffled":
        rng.shuffle(arrays)
    return arrays, names


def expected(honest, wrong, known, limit, copies):
    """Names of which one has to be among the first causes: the first that differs and all with its value; where the
    model does not have it, or has it once more and right, also the first after it that it has."""
    names = set()
    for (name, a), (_, b) in zip(honest, wrong):
        same = a.shape == b.shape and near(a, b, limit) and not np.isnan(b).any()
        if same:
            continue
        is_known = any(near(a.reshape(-1), k.reshape(-1), 10 * limit) for k in known if k.size == a.size)
        names.add(name)
        if not is_known:
            continue
        right = False
        for (other, c), (_, d) in zip(honest, wrong):
            if c.size == a.size and np.array_equal(a.reshape(-1), c.reshape(-1)):
                names.add(other)
                right = right or np.array_equal(c, d)
        # A runtime lays out anew what several read; of such a copy that is wrong alone the next one tells in the model.
        if not (copies and right):
            break
    return names


def one_case(score, kind, model, inputs, variant, note, rng, known, limit, dtype="f32"):
    """`variant`: honest and wrong arrays, how they are called, form."""
    honest, wrong, how, form = variant
    seed = rng.random()
    left = rng.random() < 0.5
    recording = score.setup.path(f"recording.{form}")
    arrays, names = rename(honest, how, random.Random(seed))
    save(recording, arrays, form, dtype)
    code, text = run(score.setup.tool, model, recording, inputs, left)
    score.add(kind, "honest", code == 0, f"{note} {how} {form} {'left' if left else 'right'} exit {code}")
    keep(score, model, recording, inputs, code == 0, "honest", left)
    if wrong is None:
        return
    arrays, names = rename(wrong, how, random.Random(seed))
    present = {n for n, _ in arrays}
    pairs = [(a, b) for a, b in zip(honest, wrong) if names[a[0]] in present]
    wanted = {names[n] for n in expected([p[0] for p in pairs], [p[1] for p in pairs], known, limit,
                                        kind == "ort all")}
    if not wanted:
        return
    save(recording, arrays, form, dtype)
    code, text = run(score.setup.tool, model, recording, inputs, left)
    score.add(kind, "fault", code == 1, f"{note} {how} {form} {'left' if left else 'right'} exit {code}")
    keep(score, model, recording, inputs, code == 1, "fault", left)
    found = causes_of(text)[:3]
    parts = [re.split(r"[\s|:]+", c) for c in found]
    good = any(w in p or w in c for w in wanted for p, c in zip(parts, found) if w in p)
    score.add(kind, "located", good, f"{note} {how} {form} {'left' if left else 'right'} wanted "
              f"{sorted(wanted)[:3]} found {[c[:90] for c in found] or 'none'}")
    keep(score, model, recording, inputs, good, "located", left)


def keep(score, model, recording, inputs, good, what, left):
    if good or not score.setup.keeps_failures:
        return
    folder = os.path.join(score.setup.folder, "failed", f"{len(score.failures)}_{what}")
    os.makedirs(folder, exist_ok=True)
    sides = ["model.onnx", "r." + recording.rsplit(".", 1)[1]]
    for source, name in ((model, sides[0]), (recording, sides[1]), (inputs, "inputs.npz")):
        with open(source, "rb") as a, open(os.path.join(folder, name), "wb") as b:
            b.write(a.read())
    with open(os.path.join(folder, "case.txt"), "w") as file:
        file.write(" ".join(reversed(sides) if left else sides) + " --inputs inputs.npz\n" + score.failures[-1] + "\n")


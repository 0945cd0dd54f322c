#!/usr/bin/env python3
"""Records each of several variants of a model, compares it with each other one, and counts what onnxcmp says.

    recordings_variants.py PATH/TO/onnxcmp INPUTS.npz MODEL... [--faults N] [--seed N] [--only TEXT] [-v]

Needs onnx, onnxruntime and numpy. Variants are what optimizers, exporters and converters made of one model: all agree
on the inputs. Recorded is every result that onnxruntime gives without its optimizations: with its names, partly,
renamed, renamed without inputs, shuffled. Each recording has to agree, without a cause and without a pair that
differs. With a fault at one node, which goes on through the rest of the run, it has to differ, and one of the first
three causes has to be the faulty result, or the first one after it that the other variant has.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import tempfile
import zlib

import numpy as np
import onnx
from onnx import helper, numpy_helper

from recordings.comparisons import Score, Setup, expected, rename
from recordings.recorders import all_results

FORMS = ("named", "partial", "renamed", "without inputs", "shuffled")


# ---- Faults: what a node gives instead, None if it cannot ----


def of_its_shape(x, values):
    return [v for v in values if v.shape == x.shape and v.dtype == x.dtype and not np.array_equal(v, x)]


def one_row(x):
    rows = x.copy().reshape(-1, x.shape[-1])
    rows[len(rows) // 2] = rows[0] * np.float32(0.5) + np.float32(0.1)
    return rows.reshape(x.shape) if len(rows) > 1 else None


def turned_heads(x):
    if x.ndim < 3 or x.shape[-1] % 2:
        return None
    return np.swapaxes(x.reshape(*x.shape[:-1], 2, -1), -1, -2).reshape(x.shape)


FAULTS = {
    "skipped": lambda x, read, others, stale, rng: next(iter(of_its_shape(x, read)), None),
    "exchanged": lambda x, read, others, stale, rng: rng.choice(of_its_shape(x, others) or [None]),
    "stale": lambda x, read, others, stale, rng: next(iter(of_its_shape(x, stale)), None),
    "doubled": lambda x, read, others, stale, rng: x * 2,
    "one row": lambda x, read, others, stale, rng: one_row(x) if x.ndim > 1 else None,
    "turned heads": lambda x, read, others, stale, rng: turned_heads(x),
    "moved on": lambda x, read, others, stale, rng: np.roll(x, 1, 1) if x.ndim > 1 else None,
}


def replaced(model, node, value):
    """The model with a node's first output replaced by a constant."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    name = made.graph.node[node].output[0]
    made.graph.node[node].output[0] = name + "_before"
    made.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(value), name + "_fault"))
    made.graph.node.insert(node + 1, helper.make_node("Identity", [name + "_fault"], [name]))
    return made


def other_inputs(feeds):
    """The same numbers in another order."""
    rng = np.random.default_rng(3)
    return {n: rng.permutation(v.reshape(-1)).reshape(v.shape) for n, v in feeds.items()}


def faulty(variant, rng):
    """The results of a run with one fault, and a note; (None, "") if there is none."""
    model, feeds, results = variant["model"], variant["feeds"], variant["results"]
    values = {n: v for n, _, v in results}
    nodes = [i for i, n in enumerate(model.graph.node)
             if n.output and n.op_type not in ("Constant", "Identity") and n.output[0] in values
             and values[n.output[0]].dtype == np.float32 and values[n.output[0]].size > 16]
    for _ in range(30):
        if not nodes:
            break
        index, kind = rng.choice(nodes), rng.choice(list(FAULTS))
        node = model.graph.node[index]
        right = values[node.output[0]]
        read = [values[n] for n in node.input if n in values]
        stale = [v for n, v in variant["stale"].items() if n == node.output[0]]
        wrong = FAULTS[kind](right, read, list(values.values()), stale, rng)
        if wrong is None or np.sqrt(np.mean((wrong - right) ** 2)) < 0.02 * np.sqrt(np.mean(right ** 2)):
            continue
        # A run that went wrong has not shown what would have been right.
        given = [r for r in all_results(replaced(model, index, wrong), feeds) if r[0] != node.output[0] + "_before"]
        return given, f"{kind} at {node.output[0]} ({node.op_type})"
    return None, ""


def compared(tool, arguments):
    done = subprocess.run([tool, *arguments, "-q", "--format", "json"], capture_output=True, text=True,
                          errors="replace")
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, {"causes": [], "rows": []}


def pair_of(score, a, b, form, faults, seed):
    tool = score.setup.tool
    note = f"{a['name']} | {b['name']} {form}"
    rng = random.Random(zlib.crc32(note.encode()) + seed)
    left = rng.random() < 0.5
    how = {"named": "whole", "without inputs": "renamed"}.get(form, form)
    recording, inputs = score.setup.path("recording.npz"), score.setup.path("inputs.npz")
    np.savez(inputs, **b["feeds"])

    def run(results):
        arrays, names = rename([(n, v) for n, _, v in results], how, random.Random(5))
        given = {} if form == "without inputs" else b["feeds"]
        np.savez(recording, **given, **dict(arrays))
        sides = [recording, b["path"]] if left else [b["path"], recording]
        return (*compared(tool, sides + (["--inputs", inputs] if not given else [])), names, {n for n, _ in arrays})

    code, said, _, _ = run(a["results"])
    wrong_rows = [r for r in said["rows"] if r["relation"] == "different" and r["left"] and r["right"]]
    score.add(form, "honest", code == 0 and not said["causes"] and not wrong_rows,
              f"{note} exit {code}, {len(said['causes'])} causes, {len(wrong_rows)} pairs that differ")
    known = [v for _, _, v in b["results"] if v.dtype.kind == "f"]
    for _ in range(faults):
        wrong, what = faulty(a, rng)
        if wrong is None:
            continue
        code, said, names, present = run(wrong)
        changed = {n: v for n, _, v in wrong}
        pairs = [((n, v), (n, changed[n])) for n, _, v in a["results"]
                 if n in changed and names[n] in present and v.dtype.kind == "f" and np.isfinite(v).all()]
        wanted = {names[n] for n in expected([p[0] for p in pairs], [p[1] for p in pairs], known, 1e-3, False)}
        if not wanted:
            continue
        score.add(form, "fault", code == 1, f"{note} {what} exit {code}")
        side = "left_name" if left else "right_name"
        found = [cause.get(side, "") for cause in said["causes"][:3]]
        score.add(form, "located", bool(wanted & set(found)),
                  f"{note} {what} wanted {sorted(wanted)[:3]} found {found}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("inputs")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--faults", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of 'plain | optimized renamed'")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    given = dict(np.load(arguments.inputs))
    variants = []
    for path in arguments.models:
        model = onnx.load(path)
        held = {i.name for i in model.graph.initializer}
        names = [i.name for i in model.graph.input if i.name not in held]
        feeds = {n: given[n] if n in given else v for n, v in zip(names, given.values())}
        variants.append({"name": os.path.basename(path), "path": path, "model": model, "feeds": feeds,
                         "results": all_results(model, feeds),
                         "stale": {n: v for n, _, v in all_results(model, other_inputs(feeds))}})
    with tempfile.TemporaryDirectory() as folder:
        score = Score(Setup(folder, os.path.abspath(arguments.tool), verbose=arguments.verbose))
        for a, b in itertools.product(variants, variants):
            for form in FORMS:
                if arguments.only in f"{a['name']} | {b['name']} {form}":
                    pair_of(score, a, b, form, arguments.faults, arguments.seed)
        score.print()


if __name__ == "__main__":
    main()

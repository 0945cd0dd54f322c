#!/usr/bin/env python3
"""How well faults of runtimes are found: runs models in a runtime that has one fault at a time.

    script/score_runtimes.py ONNXCMP MODEL... --faults N     a node's result is wrong: is it named first?
    script/score_runtimes.py ONNXCMP MODEL... --failures N   a kind of node aborts, hangs or is refused
    script/score_runtimes.py ONNXCMP MODEL... --kills N      kills either process: hangs, leftovers?
    script/score_runtimes.py ONNXCMP MODEL... --costs        seconds against those of both runs alone

Faults are those of tests/support/runtimes/faulty.py: 1 %, noise, an axis the other way round, one element,
NaN. One that leaves all bits as they are, as an axis of equal numbers does, is no fault and is drawn again.
Needs onnx and onnxruntime, where ONNXCMP_PYTHON or python3 finds them.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAULTY = ROOT / "tests/support/runtimes/faulty.py"
FAKE = ROOT / "tests/support/runtimes/fake.py"
HOWS = ("percent", "noise", "axis", "element", "nan")
# Operators without numbers of their own, or with graphs of which a runtime shows nothing.
UNTOUCHED = ("Constant", "Shape", "Identity", "If", "Loop", "Scan", "SequenceMap")


def environment(**more):
    return {**os.environ, "ONNXCMP_PYTHON": os.environ.get("ONNXCMP_PYTHON", sys.executable), **more}


def compared(program, model, spec, *options):
    return subprocess.run(
        [program, model, "--against", spec, "-q", *options],
        capture_output=True, text=True, env=environment(), timeout=900,
    )


def results_of(program, model, folder):
    """Every result of the model on the inputs that a comparison makes up first."""
    path = os.path.join(folder, "all.npz")
    inputs = os.path.join(folder, "inputs.npz")
    run = compared(program, model, "onnxruntime:optimization=none", "--save-inputs", inputs, "--sets", "1")
    given = ["--inputs", inputs] if os.path.exists(inputs) else []
    ran = subprocess.run(
        [program, "run", model, "-q", "--save-all", path, *given], capture_output=True, text=True
    )
    if ran.returncode or not os.path.exists(path):
        return None, run.stderr + ran.stderr
    values = np.load(path)
    return {name: values[name] for name in values.files}, inputs


def changes_something(value, how):
    """True if a fault of a kind leaves a trace in a value."""
    if value.dtype == object or value.dtype.kind not in "fiu" or not value.size:
        return False
    if how == "nan":
        return value.dtype.kind == "f"
    if how == "axis":
        axes = [i for i, n in enumerate(value.shape) if n > 1]
        return bool(axes) and not np.array_equal(value, np.flip(value, axes[0]))
    if how == "element":
        return True
    if value.dtype.kind != "f":
        return False
    return bool(np.any(value != 0))


def first_named(report):
    """The right's result that the first cause is about, or, if outputs agree, the first note."""
    causes = report.get("causes", [])
    if causes:
        right = causes[0].get("right", {})
        return right.get("name") if isinstance(right, dict) else report["right"]["results"][right]["name"]
    for note in report.get("notes", []):
        found = re.search(r"^without an effect on the outputs, '[^']*' \| '([^']*)' differ", note)
        if found:
            return found.group(1)
    return None


def faults(program, models, count, seed):
    draw = random.Random(seed)
    right = total = 0
    with tempfile.TemporaryDirectory() as folder:
        known = {}
        while total < count:
            model = models[total % len(models)]
            if model not in known:
                known[model] = results_of(program, model, folder)
                if known[model][0] is not None:
                    kept = os.path.join(folder, f"inputs_{len(known)}.npz")
                    if os.path.exists(known[model][1]):
                        os.replace(known[model][1], kept)
                    known[model] = (known[model][0], kept)
            values, inputs = known[model]
            if values is None:
                print("SKIPPED", model, inputs)
                models = [m for m in models if m != model]
                continue
            how = HOWS[total % len(HOWS)]
            graph = onnx.load(model, load_external_data=False).graph
            names = [
                o for n in graph.node if n.op_type not in UNTOUCHED for o in n.output
                if o in values and changes_something(values[o], how)
            ]
            if not names:
                models = [m for m in models if m != model]
                continue
            name = draw.choice(names)
            given = ["--inputs", inputs] if os.path.exists(inputs) else []
            ran = compared(program, model, f"{FAULTY}:inner=onnxruntime,result={name},how={how}",
                           "--format", "json", *given)
            total += 1
            try:
                report = json.loads(ran.stdout)
            except ValueError:
                print("ERROR", model, name, how, ran.returncode, ran.stderr[:300], flush=True)
                continue
            named = first_named(report)
            right += named == name
            if named != name:
                print("MISSED", os.path.basename(model), name, how, report.get("verdict"), "named:", named,
                      [c.get("text") for c in report.get("causes", [])[:2]], report.get("notes", [])[:2],
                      ran.stderr[:200], flush=True)
    print(f"{right} of {total} named first")


def failures(program, models, count, seed):
    draw = random.Random(seed)
    right = 0
    for i in range(count):
        model = models[(i * 7) % len(models)]
        graph = onnx.load(model, load_external_data=False).graph
        kind = draw.choice(sorted({n.op_type for n in graph.node if n.op_type != "Constant"}))
        does = ("abort", "hang", "refuse")[i % 3]
        ran = compared(program, model, f"{FAULTY}:inner=onnxruntime,operator={kind},does={does}",
                       "--runtime-timeout", "10s", "--width", "2000")
        found = re.search(r"the node that does it, alone too:\s+(?:[\w.]+\.)?(\w+)", ran.stdout + ran.stderr)
        right += bool(found) and found.group(1) == kind
        if not found or found.group(1) != kind:
            print("MISSED", model, kind, does, ran.returncode, (ran.stdout + ran.stderr)[-400:], flush=True)
    print(f"{right} of {count} nodes found")


def left_of(folder):
    """Files in a folder for temporary files, and processes that were started with it."""
    left = os.listdir(folder)
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"TMPDIR={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                left.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return left


def children(pid):
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = status.read_text().rsplit(")", 1)[1].split()
            if int(parts[1]) == pid and b"runtimes" in (status.parent / "cmdline").read_bytes():
                found.append(int(status.parent.name))
        except (OSError, IndexError):
            continue
    return found


def kills(program, models, count, seed):
    draw = random.Random(seed)
    told = collections.Counter()
    bad = 0
    for i in range(count):
        spec = (str(FAKE), f"{FAKE}:do=hang,at=run", "onnxruntime")[i % 3]
        model = models[i % len(models)]
        folder = tempfile.mkdtemp()
        process = subprocess.Popen(
            [program, model, "--against", spec, "-q"], env=environment(TMPDIR=folder),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            # A shell's job in the background ignores it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        time.sleep(draw.uniform(0, 1.5))
        whose = "ours" if i % 2 else "the runtime"
        if whose == "ours":
            process.send_signal(draw.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)))
        else:
            # It may not have begun, or be at its end.
            for pid in children(process.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                    told["killed"] += 1
                except ProcessLookupError:
                    pass
        try:
            # A hanging runtime that was not there yet to be killed goes on until its time is over.
            text, _ = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            text, _ = process.communicate()
            if "do=hang" not in spec or whose == "ours":
                bad += 1
                print("HANGS", i, whose, spec, flush=True)
        told["told"] += "signal 9" in text
        start = time.monotonic()
        told[f"exit {process.returncode}"] += 1
        while (left := left_of(folder)) and time.monotonic() - start < 10:
            time.sleep(0.1)
        if left:
            bad += 1
            print("LEFT", i, whose, spec, left, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{bad} of {count} hung or left something; {dict(told)}")


ALONE = """
import time
import onnxruntime as ort
import numpy as np
import sys
start = time.perf_counter()
session = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
session.run(None, {i.name: v for i in session.get_inputs() for v in [np.load(sys.argv[2])[i.name]]})
"""


def costs(program, models, repeats=3):
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            inputs = os.path.join(folder, "inputs.npz")
            compared(program, model, "onnxruntime", "--save-inputs", inputs, "--sets", "1")

            def least(command):
                seconds = []
                for _ in range(repeats):
                    start = time.perf_counter()
                    ran = subprocess.run(command, capture_output=True, env=environment())
                    seconds.append(time.perf_counter() - start)
                    if ran.returncode not in (0, 1):
                        return float("nan")
                return min(seconds)

            python = environment()["ONNXCMP_PYTHON"]
            started = least([python, "-c", "import onnxruntime"])
            theirs = least([python, "-c", ALONE, model, inputs])
            ours = least([program, "run", model, "-q", "--inputs", inputs])
            both = least([program, model, "--against", "onnxruntime", "-q", "--inputs", inputs])
            bound = 1.5 * (theirs - started + ours) + started
            print(f"{os.path.basename(model):32} {both:6.2f} s; start of Python {started:.2f}, runs "
                  f"{theirs - started:.2f} + {ours:.2f}; bound {bound:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    for what in ("faults", "failures", "kills"):
        parser.add_argument(f"--{what}", type=int, metavar="N")
    parser.add_argument("--costs", action="store_true")
    given = parser.parse_args()
    for what, measure in (("faults", faults), ("failures", failures), ("kills", kills)):
        if getattr(given, what):
            measure(given.program, list(given.models), getattr(given, what), given.seed)
    if given.costs:
        costs(given.program, given.models)


if __name__ == "__main__":
    main()

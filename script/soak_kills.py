"""Kills onnxcmp at random moments, and holds what it leaves: soak_kills.py [ONNXCMP [KILLS [SEED]]].

Each of `batch`, `run --save-all`, `bisect` and a comparison with reports is ended by SIGKILL, all its
processes at once or the first alone. Whatever it has written under a final name has to be whole; the
same command, run again, has to come to the end that it has without a kill, and a batch may not
compare again what it had kept. Prints a line for each command; exit status 1 if anything is lost or
half-written.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

HEAD = '<ir_version: 10, opset_import: ["": 21]>'


class Lost(Exception):
    """What a kill has harmed."""


def model(shift, layers=1):
    steps = "".join(f" h{i} = Mul(h{i - 1}, b)" for i in range(1, layers))
    return (f"{HEAD} g (float[64, 256] x) => (float[64, 256] y) <float b = {{{shift}}}> "
            f"{{ h0 = Add(x, b){steps} y = Tanh(h{layers - 1}) }}")


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def kill_within(command, seconds, whole_group):
    """Runs it and kills it after a time, if it has not ended by then."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        if whole_group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        return True
    return False


def check_files(folder):
    """Every file under its final name can be read to its end."""
    for path in pathlib.Path(folder).rglob("*"):
        if "running" in path.parts or not path.is_file():
            continue
        try:
            if path.suffix == ".json":
                json.loads(path.read_text())
            elif path.name in ("results.jsonl", "hashes.jsonl"):
                for line in path.read_text().splitlines():
                    json.loads(line)
            elif path.suffix == ".html" and not path.read_text().rstrip().endswith("</html>"):
                raise ValueError("no end")
            elif path.suffix == ".npz" and zipfile.ZipFile(path).testzip() is not None:
                raise ValueError("damaged")
        except (ValueError, zipfile.BadZipFile) as error:
            raise Lost(f"{path} is half-written: {error}") from error


class Batch:
    """Pairs of which every third differs."""

    def __init__(self, onnxcmp, folder):
        self.out = folder / "out"
        for side in ("a", "b"):
            (folder / side).mkdir()
            for i in range(24):
                shift = 1 + i + (0.5 if side == "b" and i % 3 == 0 else 0)
                (folder / side / f"m{i}.onnxtxt").write_text(model(shift))
        self.command = [onnxcmp, "batch", str(folder / "a"), str(folder / "b"), "--out", str(self.out)]

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)

    def kept(self):
        return len(list(self.out.glob("pairs/*/*/result.json")))

    def check(self):
        check_files(self.out)

    def end(self):
        kept = self.kept()
        ran = run(self.command)
        if f"{24 - kept} compared, {kept} known" not in ran.stdout:
            raise Lost(f"{kept} results were kept, and then: {ran.stdout[-200:]}{ran.stderr}")
        lines = map(json.loads, (self.out / "results.jsonl").read_text().splitlines())
        return ran.returncode, sorted((line["name"], line["verdict"]) for line in lines)


class Record:
    """A recording that replaces an older one."""

    def __init__(self, onnxcmp, folder):
        (folder / "m.onnxtxt").write_text(model(1, 60))
        self.folder = folder
        self.out = folder / "all.npz"
        self.command = [onnxcmp, "run", str(folder / "m.onnxtxt"), "--save-all", str(self.out)]
        run(self.command)
        self.whole = self.out.read_bytes()

    def clear(self):
        self.out.write_bytes(self.whole)

    def check(self):
        if self.out.read_bytes() != self.whole:
            raise Lost(f"{self.out} has other bytes")

    def end(self):
        ran = run(self.command)
        return ran.returncode, self.out.read_bytes() == self.whole


class Reports:
    """A comparison that writes a page and JSON over older ones, and a folder of causes."""

    def __init__(self, onnxcmp, folder):
        for name, shift in (("a", 1), ("b", 1.5)):
            (folder / f"{name}.onnxtxt").write_text(model(shift, 20))
        self.out = folder / "out"
        self.command = [onnxcmp, str(folder / "a.onnxtxt"), str(folder / "b.onnxtxt"),
                        "--html", str(self.out / "r.html"), "--json", str(self.out / "r.json"),
                        "--save-inputs", str(self.out / "in.npz"), "--repro", str(self.out / "repro")]

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()

    def check(self):
        check_files(self.out)

    def end(self):
        ran = run(self.command)
        if ran.stderr:
            raise Lost(ran.stderr)
        return ran.returncode, sorted(path.name for path in self.out.iterdir()
                                      if not path.name.startswith(".") and
                                      path.suffix != ".unfinished")


class Bisect:
    """Models of which the last four are bad."""

    def __init__(self, onnxcmp, folder):
        models = []
        for i in range(12):
            models.append(folder / f"m{i:02}.onnxtxt")
            models[-1].write_text(model(1 if i < 8 else 1.5, 8))
        self.out = folder / "out"
        self.command = [onnxcmp, "bisect", *map(str, models), "--dir", str(self.out)]

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)

    def check(self):
        check_files(self.out)

    def end(self):
        ran = run(self.command)
        return ran.returncode, "m08" in ran.stdout


def soak(kind, onnxcmp, kills, random_numbers):
    """Kills one kind of command so often; Lost if that harmed anything."""
    with tempfile.TemporaryDirectory() as name:
        command = kind(onnxcmp, pathlib.Path(name))
        command.clear()
        start = time.monotonic()
        expected = command.end()
        lasts = time.monotonic() - start
        killed = 0
        while killed < kills:
            command.clear()
            moment = random_numbers.uniform(0, lasts)
            if not kill_within(command.command, moment, random_numbers.random() < 0.5):
                lasts *= 0.9  # it was quicker this time
                continue
            killed += 1
            command.check()
            came = command.end()
            if came != expected:
                raise Lost(f"killed after {moment:.3f} s, then {came}, not {expected}")
            command.check()
        return killed


def main():
    onnxcmp = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/onnxcmp")
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    kinds = (Batch, Record, Reports, Bisect)
    failed = False
    for kind in kinds:
        name = kind.__name__.lower()
        try:
            print(f"{name}: {soak(kind, onnxcmp, kills // len(kinds), random.Random(seed))} kills",
                  flush=True)
        except Lost as lost:
            print(f"{name}: {lost}", flush=True)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()

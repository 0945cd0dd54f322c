"""Any program. It is started for each run as

    PROGRAM MODEL INPUTS OUTPUTS

with the model's file, a folder of NAME.npy for what is fed, and a folder to leave NAME.npy of its
outputs in; names with what no file can be called are in INPUTS/names.json, by file.

Options: program=PATH (with its own arguments, split at spaces), version=TEXT, place=TEXT."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile

from . import base


class _Session:
    def __init__(self, path):
        self.path = path


def _file_name(name, taken):
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:100].lstrip(".") or "_"
    made = plain
    number = 1
    while made in taken:
        number += 1
        made = f"{plain}_{number}"
    taken.add(made)
    return made


class Adapter(base.Adapter):
    name = "command"
    module = "numpy"
    packages = ("numpy",)
    is_package = False
    options = {"program": "", "version": "", "place": ""}
    folder = None

    def __init__(self, options):
        super().__init__(options)
        self.command = shlex.split(self.chosen["program"])

    def _check(self):
        if not self.command:
            raise base.Refusal("command needs a program: command:program=PATH")
        if shutil.which(self.command[0]) is None:
            raise base.Refusal(f"there is no program {self.command[0]}")

    def version(self):
        return self.chosen["version"]

    def place(self):
        return self.chosen["place"] or (os.path.basename(self.command[0]) if self.command else "")

    def load(self, path, extra=(), optimized=None):
        self._check()
        return _Session(base.marked_file(path, extra, self.folder))

    def run(self, session, feeds):
        import numpy

        files = base.NumpyFiles()
        with tempfile.TemporaryDirectory(dir=self.folder) as around:
            inputs, outputs = os.path.join(around, "inputs"), os.path.join(around, "outputs")
            os.mkdir(inputs)
            os.mkdir(outputs)
            taken, names = set(), {}
            for name, value in feeds.items():
                if value is None or isinstance(value, list):
                    raise base.Refusal("a command takes tensors alone")
                file = _file_name(name, taken)
                files.write(os.path.join(inputs, file + ".npy"), value)
                names[file] = name
            with open(os.path.join(inputs, "names.json"), "w") as file:
                json.dump(names, file)
            done = subprocess.run([*self.command, session.path, inputs, outputs], check=False)
            if done.returncode:
                how = f"ended by signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
                raise base.Refusal(f"{self.command[0]}: {how}")
            given_names = {}
            if os.path.exists(os.path.join(outputs, "names.json")):
                with open(os.path.join(outputs, "names.json")) as file:
                    given_names = json.load(file)
            given = {}
            for entry in sorted(os.listdir(outputs)):
                if entry.endswith(".npy"):
                    stem = entry[: -len(".npy")]
                    array = numpy.load(os.path.join(outputs, entry), allow_pickle=False)
                    given[given_names.get(stem, stem)] = array
            if not given:
                raise base.Refusal(f"{self.command[0]} has left no .npy")
            return given

#!/usr/bin/env python3
"""check_batches.py [--build FOLDER] [ROOM...]: compiles each file of a batch alone and compares what
its functions call with what they call in the batch. A function of an unnamed namespace hides one
that a header declares from the files after it, and overloads those of the others: where arguments
convert, the batch compiles and calls another function. One line for each function whose calls
differ; exit status 1 if there is one. Some twenty minutes for all rooms on two
cores."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SYMBOL = re.compile(r"_Z\w+")
OURS = "7onnxcmp"  # a mangled name of the namespace


def compiler(entry, folder):
    """The command of a batch for assembly without inlining, to which a file is appended. Precompiled
    headers bring their flags along, so each is made once more in the folder."""
    words = entry["command"].split()
    words = words[next(i for i, word in enumerate(words) if word.endswith("++")):]
    command = []
    header = None
    for before, word in zip(["", *words], words):
        if before == "-include":
            header = pathlib.Path(word)
        elif before not in ("-o", "-c") and word not in (
                "-o", "-c", "-include", "-Winvalid-pch", "-Werror"):
            command.append(word)
    command += ["-w", "-O0", "-fno-asynchronous-unwind-tables"]
    if header is not None:
        copy = folder / f"{header.parent.name}.h"
        if not copy.exists():
            copy.write_text(header.read_text())
            subprocess.run([*command, "-x", "c++-header", "-o", f"{copy}.gch", str(copy)], check=True)
        command += ["-include", str(copy)]
    return [*command, "-S", "-o", "-"]


def calls(command, file):
    """{function: the functions of ours that it names}"""
    done = subprocess.run([*command, file], capture_output=True, text=True, errors="replace",
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{file}: {done.stderr[:500]}")
    functions = {}
    named = None
    for line in done.stdout.splitlines():
        if label := re.match(r"(_Z\w+):", line):
            named = functions.setdefault(label[1], set())
        elif named is not None and line.startswith("\t") and not line.startswith("\t."):
            named.update(symbol for symbol in SYMBOL.findall(line) if OURS in symbol)
    return functions


def batches(build, rooms, folder):
    """(file of the batch, its files, command)"""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.parent.name != "Unity" or file.relative_to(build).parts[0] not in rooms:
            continue
        files = re.findall(r'#include "([^"]+\.cc)"', file.read_text())
        if len(files) > 1:
            yield str(file), files, compiler(entry, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("rooms", nargs="*")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    rooms = arguments.rooms or [
        "cli", "compare", "evaluator", "feed", "generate", "ops", "prove", "record", "reports",
        "samples", "show", "tools"]
    differing = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for batch, files, command in batches(build, rooms, pathlib.Path(folder)):
            together, *alone = pool.map(lambda file, c=command: calls(c, file), [batch, *files])
            for file, functions in zip(files, alone):
                for function, called in functions.items():
                    if OURS not in function or called == together.get(function, called):
                        continue
                    differing += 1
                    text = " ".join([file, function, "alone:", *sorted(called - together[function]),
                                     "in the batch:", *sorted(together[function] - called)])
                    print(subprocess.run(["c++filt"], input=text, capture_output=True, text=True,
                                         check=False).stdout.strip(), flush=True)
    print(f"{differing} functions call others in a batch")
    return differing > 0


if __name__ == "__main__":
    sys.exit(main())

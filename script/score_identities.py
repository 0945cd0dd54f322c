#!/usr/bin/env python3
"""Counts the textbook identities that `onnxcmp --prove` proves, and the false ones of their twins.

    script/score_identities.py [--onnxcmp build/onnxcmp] [FILE ...]

Reads pairs of graphs from script/identities.txt, each with a twin that is not the same. Prints those
that are not proved, and the sums. The exit status is 1 if a twin is proved.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def read(path):
    signature = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("signature "):
            signature = line.removeprefix("signature ")
        elif line and not line.startswith("#"):
            name, *bodies = (part.strip() for part in line.split(";"))
            yield name, signature, bodies


def prove(program, folder, signature, left, right):
    """Whether the pair is proved; None if it does not run."""
    paths = [pathlib.Path(folder) / name for name in ("left.onnxtxt", "right.onnxtxt")]
    for path, body in zip(paths, (left, right)):
        path.write_text(f'<ir_version: 9, opset_import: ["" : 18]>\ng {signature} {{ {body} }}\n', encoding="utf-8")
    run = subprocess.run([program, *map(str, paths), "--prove", "--format", "json", "--sets", "1",
                          "--no-causes"],
                         capture_output=True, text=True, check=False, timeout=300)
    try:
        return json.loads(run.stdout)["proof"]["proved"]
    except (ValueError, KeyError):
        print((run.stderr or run.stdout).strip()[-300:])
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onnxcmp", default="build/onnxcmp")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    files = options.files or [pathlib.Path(__file__).with_name("identities.txt")]
    count = {"proved": 0, "all": 0, "false": 0, "twins": 0}
    with tempfile.TemporaryDirectory() as folder:
        for name, signature, (left, right, *twins) in (pair for path in files for pair in read(path)):
            count["all"] += 1
            if prove(options.onnxcmp, folder, signature, left, right):
                count["proved"] += 1
            else:
                print("not proved", name)
            for twin in twins:
                count["twins"] += 1
                if prove(options.onnxcmp, folder, signature, left, twin):
                    count["false"] += 1
                    print("FALSE PROOF", name)
    print(f'{count["proved"]} of {count["all"]} identities proved, '
          f'{count["false"]} of {count["twins"]} that are none')
    return 1 if count["false"] else 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks every file of a build's compile_commands.json without making anything of it.

script/check_platforms.py BUILD [TEXT...]: with TEXTs only files that have one in their paths. The
headers of libraries are those in BUILD/headers and none in /usr/include itself. A batch that fails is
taken apart, so that each of its files is judged. Last line: 'N of M files'; status 1 if some fail.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def words_of(entry, build):
    """The command without what it makes, with the headers of the build."""
    words, given = [], iter(shlex.split(entry["command"]))
    for word in given:
        if word in ("-o", "-c"):
            next(given)
        elif word == "-isystem":
            folder = next(given)
            if folder not in ("/usr/include", "/usr/include/x86_64-linux-gnu"):
                words += [word, folder]
        else:
            words.append(word)
    return words + ["-isystem", os.path.join(build, "headers"), "-fsyntax-only"]


def files_of(path):
    """The files of a batch, or the file itself."""
    if "/Unity/" not in path:
        return [path]
    with open(path, encoding="utf-8") as batch:
        return re.findall(r'^#include "(/.*)"', batch.read(), re.MULTILINE)


def compile_one(words, path, folder):
    run = subprocess.run([*words, path], cwd=folder, capture_output=True, text=True, check=False)
    return run.returncode == 0, run.stderr


def check(entry, build, texts):
    """(files, messages of those that fail) of one command."""
    words = words_of(entry, build)
    batch = files_of(entry["file"])
    files = [f for f in batch if not texts or any(t in f for t in texts)]
    if not files:
        return [], {}
    if len(files) == len(batch):
        good, _ = compile_one(words, entry["file"], entry["directory"])
        if good:
            return files, {}
    failed = {}
    for path in files:
        good, message = compile_one(words, path, entry["directory"])
        if not good:
            failed[path] = message
    return files, failed


def main():
    build, texts = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [e for e in json.load(file) if e["file"].endswith((".cc", ".cxx"))]
    seen, failed = set(), set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = [pool.submit(check, entry, build, texts) for entry in entries]
        for done in concurrent.futures.as_completed(checks):
            files, messages = done.result()
            seen.update(files)
            for path, message in messages.items():
                if path not in failed:
                    name = os.path.relpath(path, ROOT)
                    errors = [line for line in message.splitlines() if "error:" in line]
                    print(name, *errors[:8], sep="\n  ", flush=True)
                failed.add(path)
    print(f"{len(seen) - len(failed)} of {len(seen)} files")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

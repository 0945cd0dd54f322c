"""What a program takes: time, processor time, memory.

    python benchmarks/resources.py PROGRAM [ARGUMENT ...]
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Resources:
    seconds: float = 0
    cpu_seconds: float = 0  # user and system
    anonymous: int = 0  # bytes at the peak: memory of its own
    file: int = 0  # bytes at the peak: pages of mapped files, which the system may take back
    status: int = 0
    output: str = ""


def resident(pid):
    """Bytes of its own and of mapped files; nothing of a process that is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024
             for line in text.splitlines() if line.startswith(("RssAnon", "RssFile"))}
    return (sizes["RssAnon"], sizes["RssFile"]) if len(sizes) == 2 else None


def run(command, limit=None):
    """`limit`: seconds after which it is ended."""
    result = Resources()
    start = time.monotonic()
    before = os.times()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            if (sizes := resident(process.pid)) is not None:
                result.anonymous = max(result.anonymous, sizes[0])
                result.file = max(result.file, sizes[1])
            if limit is not None and time.monotonic() - start > limit:
                process.kill()
            time.sleep(0.01)
        output.seek(0)
        result.output = output.read()
    after = os.times()
    result.seconds = time.monotonic() - start
    result.cpu_seconds = (after.children_user - before.children_user +
                          after.children_system - before.children_system)
    result.status = process.returncode
    return result


if __name__ == "__main__":
    taken = run(sys.argv[1:])
    print(taken.output, end="")
    print(f"{taken.seconds:.2f} s, {taken.cpu_seconds:.2f} s of processor time, "
          f"{taken.anonymous / 2**20:.0f} MiB of its own, {taken.file / 2**20:.0f} MiB of files",
          file=sys.stderr)
    sys.exit(taken.status)

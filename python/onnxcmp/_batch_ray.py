"""onnxcmp batch ... --ray [ADDRESS]: the pairs of a batch as tasks on a cluster of Ray.

The program itself lists the pairs, compares those of a task and writes the reports; here they are
handed out, results come back as files, and what is known already is not asked for again.
"""

from __future__ import annotations

import glob
import hashlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import Any

from . import _start
from ._batch_files import fetch, file_identity, file_size, is_url
from ._ray_cluster import ClusterError, connected
from ._remote_folder import RemoteFolder

# Small pairs go together, so that starting a task costs little of its time.
_MOST_IN_TASK = 16
_LARGE = 64 << 20  # bytes of models, from which on a pair is a task of its own
_LEAST_MEMORY = 128 << 20
# A pair whose process somebody has killed, or whose files have changed, is compared again, so often.
_AGAIN = ("killed", "changed")
_MOST_KILLED = 3
_LOST_NODES = 20

# Options of `onnxcmp batch` that the tasks need.
_PASSED_ON = {"--pair-memory": True, "--pair-time": True, "--pages": True}
# Options that end here; True: with a value.
_OWN = {"--out": True, "--baseline": True, "--retry": False, "--prune": False, "--jobs": True,
        "--memory": True, "-q": False, "--quiet": False}


class BatchError(Exception):
    """A batch that cannot be run, with a message for its user."""


def asks_for_ray(arguments: list[str]) -> bool:
    """True for the arguments of `onnxcmp batch --ray`."""
    own = arguments[:arguments.index("--")] if "--" in arguments else arguments
    return own[:1] == ["batch"] and any(a == "--ray" or a.startswith("--ray=") for a in own)


class _Options:
    """The command line, by whom its options are for."""

    def __init__(self, arguments: list[str]) -> None:
        end = arguments.index("--") if "--" in arguments else len(arguments)
        self.address: str | None = None
        self.out = ""
        self.baseline = ""
        self.retry = self.quiet = False
        self.listing: list[str] = []  # what names the pairs
        self.passed_on: list[str] = []
        words = arguments[:end]
        while words:
            word = words.pop(0)
            name, equals, value = word.partition("=")
            if name == "--ray":
                # The address is optional.
                if not value and words and self._is_address(words[0]):
                    value = words.pop(0)
                self.address = value or None
            elif name in _PASSED_ON or name in _OWN:
                if {**_PASSED_ON, **_OWN}[name] and not equals:
                    value = words.pop(0) if words else ""
                self._take(name, value)
            elif word != "batch":
                self.listing.append(word)
        self.listing += arguments[end:]
        if not self.out:
            raise BatchError("a folder for the results is needed: onnxcmp batch SOURCE... --out DIR")

    @staticmethod
    def _is_address(word: str) -> bool:
        return word in ("auto", "local") or word.startswith("ray://") or (
            ":" in word and "/" not in word)

    def _take(self, name: str, value: str) -> None:
        if name == "--out":
            self.out = value
        elif name == "--baseline":
            self.baseline = value
        elif name == "--retry":
            self.retry = True
        elif name in ("-q", "--quiet"):
            self.quiet = True
        elif name in _PASSED_ON:
            self.passed_on += [name, value]


# The same as a part of this process: a worker that is killed takes its comparisons with it. It asks
# for that itself (PR_SET_PDEATHSIG), since a process with threads must not run Python between fork
# and exec.
_ENDS_WITH_PARENT = """import ctypes, os, runpy, signal
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv.pop(1)): sys.exit(2)
runpy.run_module("onnxcmp", run_name="__main__", alter_sys=True)
"""


def _part_program() -> list[str]:
    return [*_start.code(_ENDS_WITH_PARENT), str(os.getpid())]


class _ReadFiles:
    """Files that a batch in a folder here has read, but for those written to immediately before."""

    def __init__(self, out: str) -> None:
        self._identities: dict[str, str] = {}
        self._external: dict[str, list[str]] = {}
        try:
            with open(os.path.join(out, "hashes.jsonl"), encoding="utf-8") as file:
                for text in file:
                    path, size, modified, _, changed, _, external = json.loads(text)
                    self._identities[path] = f"{path} {size} {modified} {changed}"
                    self._external[path] = external
        except OSError:
            pass  # the disk is full: nothing is known of them

    def identity(self, path: str) -> str:
        return self._identities.get(path, "unknown" if os.path.exists(path) else "none")

    def external_data(self, pair: dict[str, Any]) -> dict[str, str]:
        """The identities of the files of external data of a pair's models."""
        reads = {}
        for path in (pair["left"], pair.get("right", "")):
            if not os.path.isfile(path):
                continue
            if path not in self._external:
                reads[path] = "unknown"
                continue
            folder = os.path.dirname(path)
            for data in (os.path.join(folder, name) for name in self._external[path]):
                reads[data] = self.identity(data)
        return reads


def _compare(pairs: list[dict[str, Any]], passed_on: list[str], version: str) -> list[Any]:
    """Compares pairs here.

    Of each its line of results.jsonl, its files as a tar archive, and the identities of files that
    it has read besides those it names.
    """
    here = _version()
    if here != version:
        raise BatchError(f"a node has {here}, and this one {version}: install the same everywhere")
    with tempfile.TemporaryDirectory(prefix="onnxcmp-batch-") as scratch:
        manifest = os.path.join(scratch, "pairs.jsonl")
        reads: list[dict[str, str]] = [{} for _ in pairs]
        fetched: list[dict[str, str]] = [{} for _ in pairs]  # URLs by what they are here
        with open(manifest, "w", encoding="utf-8") as file:
            for number, pair in enumerate(pairs):
                folder = os.path.join(scratch, "files", str(number))
                local = dict(pair)
                for side in ("left", "right", "inputs"):
                    if pair.get(side):
                        local[side] = fetch(pair[side], os.path.join(folder, side), reads[number])
                        fetched[number][local[side]] = pair[side]
                file.write(json.dumps(local) + "\n")
        out = os.path.join(scratch, "out")
        done = subprocess.run(
            [*_part_program(), "batch", manifest, "--out", out, "--jobs", "1", "--quiet",
             *passed_on],
            capture_output=True, text=True, check=False)
        try:
            with open(os.path.join(out, "results.jsonl"), encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
        except OSError:
            raise BatchError(f"a batch on a node has failed: {done.stderr.strip()}") from None
        results = []
        files = _ReadFiles(out)
        for pair, line, read, names in zip(pairs, lines, reads, fetched, strict=True):
            for local, url in names.items():
                line["summary"] = line["summary"].replace(local, url)
            line.update(left=pair["left"], right=pair.get("right", ""))
            archive = io.BytesIO()
            with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=1) as tar:
                tar.add(os.path.join(out, line["folder"]), arcname=".")
            results.append((line, archive.getvalue(), {**read, **files.external_data(pair)}))
        return results


def _version() -> str:
    return subprocess.run([*_start.program(), "--version"], capture_output=True, text=True,
                          check=True).stdout.splitlines()[0]


def _extract(tar: tarfile.TarFile, folder: str) -> None:
    """Files below a folder. Python before 3.11.4 has no filters."""
    if hasattr(tarfile, "data_filter"):
        tar.extractall(folder, filter="data")
        return
    for member in tar.getmembers():
        plain = member.isfile() or member.isdir()
        if not plain or os.path.isabs(member.name) or ".." in member.name.split("/"):
            raise ValueError(f"{member.name} in a result is no file below its folder")
    tar.extractall(folder)


class _Folder:
    """The folder of a batch: results that are known, and new ones."""

    def __init__(self, out: str, pages: list[str], version: str,
                 remote: RemoteFolder | None = None) -> None:
        self._remote = remote
        self.path = os.path.abspath(out) if remote is None else remote.path
        self._known: dict[str, tuple[dict[str, Any], dict[str, str]]] = {}
        self._beside: dict[str, list[str]] = {}  # test data in folders of models
        self._salt = json.dumps([version, pages])
        os.makedirs(os.path.join(self.path, "running"), exist_ok=True)
        self._log = os.path.join(self.path, "ray.jsonl")
        if not os.path.exists(self._log):
            return
        with open(self._log, encoding="utf-8", errors="replace") as file:
            for text in file:
                try:
                    entry = json.loads(text)
                    self._known[entry["identity"]] = entry["result"], entry["reads"]
                except (ValueError, KeyError, TypeError):
                    continue  # cut short as the driver was killed

    def identity(self, pair: dict[str, Any]) -> str:
        parts = [self._salt, json.dumps(pair, sort_keys=True)]
        parts += [file_identity(pair.get(part, "")) for part in ("left", "right", "inputs")]
        for word in pair.get("options", ()):
            value = word.partition("=")[2] if word.startswith("-") else word
            parts += [file_identity(value)] if value.startswith("/") else []
        if not pair.get("inputs"):
            parts += map(file_identity, self._test_data(os.path.dirname(pair["left"])))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _test_data(self, folder: str) -> list[str]:
        if folder not in self._beside:
            pattern = os.path.join(glob.escape(folder), "test_data_set_*")
            self._beside[folder] = sorted(glob.glob(pattern))
        return self._beside[folder]

    def find(self, identity: str, retry: bool) -> dict[str, Any] | None:
        if identity not in self._known:
            return None
        result, reads = self._known[identity]
        if result["verdict"] in _AGAIN:
            return None
        if any(file_identity(path) != known for path, known in reads.items()):
            return None
        if retry and result["verdict"] not in ("same", "close", "different"):
            return None
        whole = os.path.exists(os.path.join(self.path, result["folder"], "result.json"))
        return result if whole else None

    def keep(self, identity: str, result: dict[str, Any], archive: bytes,
             reads: dict[str, str]) -> None:
        """First the pair's files, whole or not at all, then the line that says so."""
        folder = os.path.join(self.path, result["folder"])
        unfinished = os.path.join(self.path, "running", result["key"] + ".ray")
        shutil.rmtree(unfinished, ignore_errors=True)
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            _extract(tar, unfinished)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        os.rename(unfinished, folder)
        self._known[identity] = result, reads
        line = json.dumps({"identity": identity, "result": result, "reads": reads}) + "\n"
        descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            # A line that was cut short before ends here.
            os.write(descriptor, ("\n" + line).encode())
        finally:
            os.close(descriptor)

    def report(self, results: Iterable[dict[str, Any]], baseline: str) -> int:
        """Reports on all results, which the program writes. Its exit status."""
        with tempfile.TemporaryDirectory(prefix="onnxcmp-batch-") as shard:
            os.symlink(os.path.join(self.path, "pairs"), os.path.join(shard, "pairs"))
            with open(os.path.join(shard, "results.jsonl"), "w", encoding="utf-8") as file:
                file.writelines(json.dumps(result) + "\n" for result in results)
            with open(os.path.join(shard, "summary.json"), "w", encoding="utf-8") as file:
                json.dump({"shard": [1, 1]}, file)
            command = [*_start.program(), "batch", "--merge", shard, "--out", self.path]
            command += ["--baseline", baseline] if baseline else []
            if self._remote is None:
                return subprocess.run(command, check=False).returncode
            done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE)
            print(done.stdout.replace(self.path, self._remote.url), end="")
            return done.returncode

    def save(self, now: bool = True) -> None:
        """Copies what is new to where the folder is, if that is behind a URL."""
        if self._remote is not None:
            self._remote.save(now)


def _tasks(pairs: list[tuple[str, dict[str, Any]]], slots: int) -> Iterator[tuple[Any, int]]:
    """Pairs by tasks, the largest first, with the bytes of the largest of each."""
    sizes = {identity: file_size(pair["left"]) + file_size(pair.get("right", ""))
             for identity, pair in pairs}
    pairs = sorted(pairs, key=lambda item: -sizes[item[0]])
    most = max(1, min(_MOST_IN_TASK, len(pairs) // (slots * 8)))
    task: list[tuple[str, dict[str, Any]]] = []
    for item in pairs:
        task.append(item)
        if len(task) >= most or sizes[item[0]] >= _LARGE:
            yield task, sizes[task[0][0]]
            task = []
    if task:
        yield task, sizes[task[0][0]]


class _Driver:
    """Hands tasks to Ray, a bounded number at a time, and takes what comes back."""

    def __init__(self, options: _Options, folder: _Folder, version: str) -> None:
        self._options = options
        self._folder = folder
        self._version = version
        self._killed: dict[str, int] = {}
        self.results: dict[str, dict[str, Any]] = {}  # by identity

    def run(self, pairs: list[tuple[str, dict[str, Any]]]) -> None:
        import ray

        slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
        compare = ray.remote(_compare)
        waiting = list(_tasks(pairs, slots))
        waiting.reverse()
        under_way: dict[Any, Any] = {}
        start, total = time.monotonic(), len(pairs)
        while waiting or under_way:
            # No more results at a time than the object store and this process can hold.
            while waiting and len(under_way) < 4 * slots:
                task, size = waiting.pop()
                reference = compare.options(
                    num_cpus=1, memory=_LEAST_MEMORY + 2 * size, max_retries=_LOST_NODES,
                ).remote([pair for _, pair in task], self._options.passed_on, self._version)
                under_way[reference] = task
            ready, _ = ray.wait(list(under_way), num_returns=1)
            task = under_way.pop(ready[0])
            for (identity, pair), (line, *files) in zip(task, ray.get(ready[0]), strict=True):
                if self._again(identity, line):
                    waiting.append(([(identity, pair)], 0))
                    continue
                self._folder.keep(identity, line, *files)
                self.results[identity] = line
                self._show(line, start, total)
            self._folder.save(now=False)

    def _again(self, identity: str, line: dict[str, Any]) -> bool:
        if line["verdict"] not in _AGAIN:
            return False
        self._killed[identity] = self._killed.get(identity, 0) + 1
        return self._killed[identity] < _MOST_KILLED

    def _show(self, line: dict[str, Any], start: float, total: int) -> None:
        if self._options.quiet:
            return
        if not line["as_expected"]:
            print(f"{line['verdict']:13}  {line['name']}  {line['summary'][:160]}", flush=True)
        if sys.stderr.isatty():
            done, seconds = len(self.results), time.monotonic() - start
            left = seconds / done * (total - done)
            end = "\n" if done == total else ""
            print(f"\r\x1b[K{done} of {total} pairs, {seconds:.0f} s, about {left:.0f} s left",
                  end=end, file=sys.stderr, flush=True)


def _list_pairs(options: _Options) -> list[dict[str, Any]]:
    listing = options.listing
    with tempfile.TemporaryDirectory(prefix="onnxcmp-batch-") as scratch:
        local = [fetch(word, scratch, {}) if is_url(word) and i == 0 else word
                 for i, word in enumerate(listing)]
        listed = subprocess.run([*_start.program(), "batch", "--list", *local], capture_output=True,
                                text=True, check=False)
    if listed.returncode != 0:
        raise BatchError(listed.stderr.strip().removeprefix("onnxcmp: "))
    return [json.loads(line) for line in listed.stdout.splitlines()]


def run(arguments: list[str]) -> int:
    """Runs a batch with these arguments of the command line. The exit status."""
    options = _Options(arguments)
    if importlib.util.find_spec("ray") is None:
        raise BatchError("--ray needs Ray: pip install 'onnxcmp[ray]'")
    pairs = _list_pairs(options)
    version = _version()
    with tempfile.TemporaryDirectory(prefix="onnxcmp-batch-") as scratch:
        remote = None
        if is_url(options.out):
            remote = RemoteFolder(options.out, os.path.join(scratch, "out"))
        folder = _Folder(options.out, options.passed_on, version, remote)
        named = [(folder.identity(pair), pair) for pair in pairs]
        known = {identity: folder.find(identity, options.retry) for identity, _ in named}
        new = [(identity, pair) for identity, pair in named if known[identity] is None]
        if not options.quiet and len(new) < len(named):
            print(f"{len(named) - len(new)} of {len(named)} pairs are known", file=sys.stderr)
        driver = _Driver(options, folder, version)
        try:
            if new:
                with connected(options.address):
                    driver.run(new)
            results = [driver.results.get(identity) or known[identity] for identity, _ in named]
            return folder.report([r for r in results if r is not None], options.baseline)
        finally:
            folder.save()


def main(arguments: list[str]) -> int:
    """The same as a program: messages and exit status."""
    try:
        return run(arguments)
    except (BatchError, ClusterError) as error:
        # From a node it comes with the whole story.
        print(f"onnxcmp: {getattr(error, 'cause', None) or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("onnxcmp: stopped; the same command goes on", file=sys.stderr)
        return 130

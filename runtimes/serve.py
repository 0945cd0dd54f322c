"""An adapter as a process: requests and answers, a line of JSON each. docs/runtimes.md has them."""

import json
import os
import queue
import resource
import signal
import sys
import threading
import time
import traceback

from . import base


class Missing(Exception):
    """Packages without which an adapter does not run: another Python may have them."""

    def __init__(self, packages):
        super().__init__(", ".join(packages))
        self.packages = list(packages)


class Server:
    def __init__(self, make, answers):
        self.make = make  # makes the adapter of its options
        self.answers = answers
        self.adapter = None
        self.sessions = {}
        self.values = None
        self.last = 0

    def hello(self, request):
        memory = request.get("memory", 0)
        if memory:
            # What it writes to, not what it maps: address space is no memory.
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        # Files that runtimes leave in the folder for temporary ones go with this one.
        os.environ["TMPDIR"] = request["folder"]
        self.adapter = self.make(request.get("options", {}))
        files = getattr(self.adapter, "files", None) or base.NumpyFiles()
        self.values = base.ValueFiles(request["folder"], files)
        self.adapter.folder = request["folder"]
        return {
            "name": self.adapter.name,
            "version": self.adapter.version(),
            "place": self.adapter.place(),
            "precision": self.adapter.precision_of_floats(),
            "optimized": self.adapter.can_optimize,
            "results": self.adapter.knows_results,
            "models": self.adapter.runs_models,
            "optimizers": list(self.adapter.optimizers),
        }

    def load(self, request):
        extra = {"optimized": request["optimized"]} if request.get("optimized") else {}
        session = self.adapter.load(request["model"], request.get("extra", []), **extra)
        self.last += 1
        self.sessions[self.last] = session
        return {"session": self.last}

    def run(self, request):
        feeds = {entry["name"]: self.values.read(entry) for entry in request["feeds"]}
        session = self.sessions[request["session"]]
        start = time.perf_counter()
        given = self.adapter.run(session, feeds)
        seconds = time.perf_counter() - start
        prefix = request["prefix"]
        self.values.count = 0
        outputs = []
        for name in list(given):
            entry = self.values.write(given.pop(name), prefix)
            outputs.append({"name": name, **entry})
        return {"outputs": outputs, "seconds": seconds}

    def unload(self, request):
        session = self.sessions.pop(request["session"], None)
        if session is not None:
            self.adapter.unload(session)
        return {}

    def answer(self, request):
        calls = {"hello": self.hello, "load": self.load, "run": self.run, "unload": self.unload}
        call = calls.get(request.get("call"))
        if call is None:
            return {"error": f"there is no call {request.get('call')!r}"}
        try:
            return call(request)
        except Missing as missing:
            return {"missing": missing.packages}
        except base.Refusal as refusal:
            return {"error": str(refusal)}
        except MemoryError:
            return {"error": "out of memory", "kind": "memory"}
        except Exception as error:  # whatever a runtime raises is a refusal
            traceback.print_exc()
            text = str(error).strip() or type(error).__name__
            return {"error": text, "kind": type(error).__name__}


def _read_requests(requests, descriptor):
    """Until the other end is gone, with which all goes that was started here."""
    with os.fdopen(descriptor, "rb", buffering=1 << 16) as lines:
        for line in lines:
            requests.put(line)
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def serve(make):
    """Answers requests until there are no more."""
    # What a runtime prints must not come between the answers, nor take what is read.
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    incoming = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    requests = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(requests, incoming), daemon=True).start()
    server = Server(make, answers)
    while True:
        request = json.loads(requests.get())
        answer = server.answer(request)
        answer["id"] = request.get("id")
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

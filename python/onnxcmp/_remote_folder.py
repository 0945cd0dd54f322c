"""A folder behind a URL of fsspec, worked on as a folder here."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

_PAUSE = 30.0  # seconds between two copies while work goes on, and
_SHARE = 20  # so many times as long as a copy takes


class RemoteFolder:
    """`url`'s files are here, below `path`; save() takes back there what has changed."""

    def __init__(self, url: str, path: str) -> None:
        import fsspec

        self.url, self.path = url.rstrip("/"), path
        self._files, self._name = fsspec.core.url_to_fs(self.url)
        os.makedirs(path, exist_ok=True)
        for name in self._files.find(self._name):
            target = os.path.normpath(os.path.join(path, os.path.relpath(name, self._name)))
            if not target.startswith(path + os.sep):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            self._files.get_file(name, target)
        self._saved = dict(self._present())
        self._next = time.monotonic() + _PAUSE

    def _present(self) -> Iterator[tuple[str, tuple[int, int]]]:
        for folder, _, names in os.walk(self.path):
            for name in names:
                path = os.path.join(folder, name)
                below = os.path.relpath(path, self.path)
                if below == "lock" or below.startswith("running" + os.sep):
                    continue  # of the process that is at work
                status = os.lstat(path)
                yield below, (status.st_size, status.st_mtime_ns)

    def save(self, now: bool = True) -> None:
        """Copies what is new or changed. now=False: if the last time is long enough ago."""
        begin = time.monotonic()
        if not now and begin < self._next:
            return
        present = dict(self._present())
        # The file that announces the others is written last.
        changed = sorted((name for name, state in present.items()
                          if self._saved.get(name) != state), key=lambda name: "/" not in name)
        for name in changed:
            target = f"{self._name}/{name}"
            self._files.makedirs(target.rpartition("/")[0], exist_ok=True)
            self._files.put_file(os.path.join(self.path, name), target)
            self._saved[name] = present[name]
        took = time.monotonic() - begin
        self._next = time.monotonic() + max(_PAUSE, _SHARE * took)

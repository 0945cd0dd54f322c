"""The cluster of Ray that `onnxcmp batch --ray [ADDRESS]` hands its pairs to.

`ray.init` asks an address that nobody answers for eleven minutes, and the file that names the last
cluster of a machine outlives that cluster. So an address is tried first.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_CONNECTING = 5.0  # seconds until a head that does not answer counts as gone
_CLIENT_PORT = 10001  # of ray:// where an address names none


class ClusterError(Exception):
    """A cluster that does not answer."""


def _answers(address: str) -> bool:
    """True where somebody accepts a connection at host:port or ray://host[:port]."""
    host, _, port = address.removeprefix("ray://").split("/")[0].rpartition(":")
    if not host or not port.isdigit():
        host, port = (host + ":" + port).strip(":"), str(_CLIENT_PORT)
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECTING).close()
    except OSError:
        return False
    return True


def _last_cluster() -> str:
    """The address that Ray has kept of the last cluster of this machine; "" if it has none."""
    temporary = os.environ.get("RAY_TMPDIR", os.environ.get("TMPDIR", "/tmp"))
    try:
        with open(os.path.join(temporary, "ray", "ray_current_cluster"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def find_cluster(asked: str | None) -> str:
    """The address for `ray.init`: asked for, of RAY_ADDRESS, of the last cluster, or local.

    An address that was given and does not answer is a ClusterError; a last cluster that does not
    answer is gone, and Ray is started on this machine.
    """
    given = asked or ""
    if given in ("", "auto"):
        given = os.environ.get("RAY_ADDRESS") or given
    if given == "local":
        return given
    if given not in ("", "auto"):
        if not _answers(given):
            raise ClusterError(f"no cluster of Ray answers at {given}")
        return given
    last = _last_cluster()
    if last and _answers(last):
        return last
    if given == "auto":
        raise ClusterError(f"the last cluster of Ray, at {last}, does not answer" if last
                           else "no cluster of Ray runs on this machine")
    if last:
        print(f"the last cluster of Ray, at {last}, does not answer: Ray is started on this machine",
              file=sys.stderr)
    return "local"


@contextmanager
def connected(asked: str | None) -> Iterator[None]:
    """Ray connected to a cluster; it is left again, if it was not connected before."""
    import ray

    if ray.is_initialized():
        yield
        return
    ray.init(address=find_cluster(asked), log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()

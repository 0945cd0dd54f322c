"""A process above a runtime's, which ends as that does once all that it started has ended, too."""

import os
import resource
import signal
import time

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


def _children():
    """Of this process, with those whose own parents have ended: also from other sessions."""
    me = os.getpid()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                # What stands in brackets is the program's name, and may hold anything.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == me and state != b"Z":
            yield int(name)


def _end_children():
    """The children of those that end become children of this process."""
    while True:
        for child in _children():
            try:
                os.kill(child, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def _wait(child):
    """The child's status, or the default one for SIGTERM if that comes first."""
    while True:
        if signal.sigwait({signal.SIGCHLD, signal.SIGTERM}) == signal.SIGTERM:
            return signal.SIGTERM
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == child:
                return status
            if ended == 0:
                break


def go_below():
    """Returns in a child of this process, which stays here. Orphans are handed to it, whatever
    session they are in; SIGTERM makes it end them all."""
    try:
        import ctypes
    except ImportError:  # a Python that was built without it
        return
    if ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        return
    watched = {signal.SIGCHLD, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)  # what it tells its group is not for the process above
        signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)
        return
    # The other ends of these are the runtime's: they close with it.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    status = _wait(child)
    _end_children()
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))

"""The command line program."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs `onnxcmp` with the arguments of this process, and ends it."""
    import signal

    if sys.argv[1:2] == ["batch"]:
        from . import _batch_ray, _start

        if _batch_ray.asks_for_ray(sys.argv[1:]):
            sys.exit(_batch_ray.main(sys.argv[1:]))
        # Each pair is a process of this program.
        os.environ["ONNXCMP_BATCH_PYTHON"] = "\n".join(_start.program())
    # The program ends by signals as any other does, and tidies up itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from . import _core
    except ImportError as error:
        print(f"onnxcmp: {error}", file=sys.stderr)
        sys.exit(2)
    # Runtimes are looked for in the Python that runs this before all others.
    if sys.executable:
        folders = [os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)]
        os.environ["PATH"] = os.pathsep.join(folders)
    arguments = [os.fsencode(argument) for argument in sys.argv]
    status = _core.run_program(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    # The process ends at once, with everything that it holds.
    os._exit(status)


if __name__ == "__main__":
    main()

"""Sends its arguments to the process that listens on a socket, and ends with the answer: how a
command of the program calls a function of Python. Its own process imports nothing else."""

import json
import socket
import sys


def main() -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(sys.argv[1])
        connection.sendall(json.dumps(sys.argv[2:]).encode() + b"\n")
        answer = json.loads(connection.makefile("rb").readline())
    sys.stdout.write(answer["output"])
    return int(answer["status"])


if __name__ == "__main__":
    sys.exit(main())

"""python -m onnxcmp LEFT RIGHT: the command line program."""

from ._program import main

main()

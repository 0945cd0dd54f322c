"""Writes the data of ONNX's node tests, which ONNX's sources have not held since 1.23.

    generate_onnx_tests.py DATA    DATA: a copy of onnx/backend/test/data, or an empty folder

Needs Python's onnx, of the version whose tests are wanted. The same version of it and of what
script/onnx_requirements.txt names makes the same bytes.
"""

import argparse
import unittest.mock
import warnings

from onnx.backend.test import cmd_tools
from onnx.backend.test.case import model, node


def cases():
    """The tests of operators, and those of whole models but for downloaded ones."""
    return node.collect_testcases(None) + [c for c in model.collect_testcases() if c.kind != "real"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", help="the folder to write to: DATA/node/test_abs/model.onnx")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # NumPy's, about overflows that the tests want
    # ONNX's own writer leaves node tests out: its backend runner makes them when it needs them.
    every_case = cases()
    with unittest.mock.patch.object(cmd_tools.model_test, "collect_testcases", lambda: every_case):
        cmd_tools.generate_data(argparse.Namespace(output=arguments.data))


if __name__ == "__main__":
    main()

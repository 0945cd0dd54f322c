#!/usr/bin/env python3
"""Writes expected_tests.txt: the folders of ONNX's backend test data that have to pass.

    pip install onnx
    list_tests.py DATA    DATA: onnx/backend/test/data of ONNX's source

A folder is listed if its model, the bodies of its local functions and all subgraphs use only
operators of operators.txt (`Add`, or `domain::Name` outside of ai.onnx). Whoever adds an operator
adds it there and runs this again.
"""

import pathlib
import sys

import onnx

HERE = pathlib.Path(__file__).parent
KINDS = ("node", "pytorch-converted", "pytorch-operator", "simple")


def operator(node):
    return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}::{node.op_type}"


def operators(nodes, functions, seen):
    """The operators of nodes, of their subgraphs and of the functions that they call."""
    for node in nodes:
        key = (node.domain, node.op_type, node.overload)
        if key not in functions:
            yield operator(node)
        elif key not in seen:
            seen.add(key)
            yield from operators(functions[key].node, functions, seen)
        for attribute in node.attribute:
            for graph in [attribute.g, *attribute.graphs]:
                yield from operators(graph.node, functions, seen)


def main():
    data = pathlib.Path(sys.argv[1])
    covered = set((HERE / "operators.txt").read_text().split())
    listed = []
    for kind in KINDS:
        for path in (data / kind).glob("*/model.onnx"):
            model = onnx.load(path, load_external_data=False)
            functions = {(f.domain, f.name, f.overload): f for f in model.functions}
            if covered.issuperset(operators(model.graph.node, functions, set())):
                listed.append(f"{kind}/{path.parent.name}\n")
    (HERE / "expected_tests.txt").write_text("".join(sorted(listed)))
    print(f"{len(listed)} tests")


if __name__ == "__main__":
    main()

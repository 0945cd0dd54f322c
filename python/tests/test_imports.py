"""Modules of the package import each other in one direction."""

import ast
import graphlib
import pathlib

import onnxcmp

FOLDER = pathlib.Path(onnxcmp.__file__).parent


def imports_of(path):
    """The modules of the package that a file imports, in functions and for type checkers too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module] if node.module else [name.name for name in node.names]


def test_no_circle():
    # __init__ lists what the package has; nothing imports it.
    graph = {path.stem: set(imports_of(path)) for path in FOLDER.glob("*.py")
             if path.stem != "__init__"}
    assert "_objects" in graph["_compare"] and "_evaluator" in graph["_record"]
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle

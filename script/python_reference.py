#!/usr/bin/env python3
"""Writes the reference of the Python package as HTML, of its docstrings and annotations.

    script/python_reference.py FOLDER      (script/python_reference installs what this needs)

Members of findings are members of the JSON: their descriptions are those of
docs/comparison.schema.json.
"""

import json
import pathlib
import sys
import typing

import onnxcmp
from onnxcmp import _batch, _chain, _members, _objects, _proof

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The place of each class in the schema, from $defs on.
PLACES = {
    "ConvertedConstant": "proof.rests_on.conversions.constants",
    "Conversions": "proof.rests_on.conversions",
    "FoldedConstant": "proof.rests_on.folded_constants",
    "NotProved": "proof.not_proved",
    "OtherSizes": "proof.other_sizes",
    "ProofEnd": "proof.ends",
    "ProvedOutput": "proof.outputs",
    "RestsOn": "proof.rests_on",
    "Rewrite": "proof.rewrites",
    "RoundedResults": "proof.rests_on.conversions.results",
    "Worst": "diff.worst",
}


def records(*modules):
    """The classes of modules that have members of a JSON."""
    return {name: one for module in modules for name, one in vars(module).items()
            if isinstance(one, type) and issubclass(one, _members.Record)
            and one.__module__ == module.__name__ and not name.startswith("_")}


def findings():
    """Those of the JSON of a comparison."""
    return records(_objects, _proof)


def schema_members(name):
    """The members of a class in the schema: its descriptions by their names."""
    definitions = json.loads((ROOT / "docs/comparison.schema.json").read_text())["$defs"]
    first, *rest = PLACES.get(name, name.lower()).split(".")
    place = definitions[first]
    for part in rest:
        place = place["properties"][part]
        place = place.get("items", place)
    return {member: one.get("description", "") for member, one in place["properties"].items()}


def describe(found, texts):
    """Makes the members of a class properties with these descriptions."""
    types = typing.get_type_hints(found, {**vars(typing), **onnxcmp.__dict__,
                                          **vars(sys.modules[found.__module__])})
    for member, one in list(vars(found).items()):
        if isinstance(one, _members.Member):
            def value(self):
                raise NotImplementedError

            value.__doc__ = texts.get(one.name, "")
            value.__annotations__ = {"return": types[member]}
            value.__module__ = found.__module__
            setattr(found, member, property(value))


def main():
    import pdoc

    onnxcmp.__all__.remove("__version__")
    for name, found in records(_objects, _proof, _chain, _batch).items():
        describe(found, schema_members(name) if name in findings() else {})
        if name not in onnxcmp.__all__:
            setattr(onnxcmp, name, found)
            onnxcmp.__all__.append(name)
    folder = pathlib.Path(sys.argv[1])
    pdoc.render.configure(docformat="markdown", footer_text=f"onnxcmp {onnxcmp.__version__}",
                          search=True, show_source=False)
    pdoc.pdoc("onnxcmp", "!onnxcmp._", output_directory=folder)
    print(folder / "onnxcmp.html")


if __name__ == "__main__":
    main()

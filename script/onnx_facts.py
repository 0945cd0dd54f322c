"""Prints as JSON what the installed Python package onnx knows: versions, element types, schemas and
backend tests. script/update_onnx runs it with the packages of two versions and compares."""

import hashlib
import json
import sys
import warnings

import onnx
from onnx import defs, numpy_helper
from onnx.backend.test.case import model as simple_tests
from onnx.backend.test.case import node as node_tests


def default_of(a):
    return str(onnx.helper.get_attribute_value(a.default_value)) if a.default_value.name else ""


def attribute(a):
    return {
        "type": a.type.name,
        "required": a.required,
        "default": default_of(a),
        "documentation": a.description,
    }


def parameter(p):
    return {
        "name": p.name,
        "types": p.type_str,
        "option": p.option.name,
        "homogeneous": p.is_homogeneous,
        "at least": p.min_arity,
        "documentation": p.description,
    }


def bodies(schema):
    """The function bodies by opset version. One that depends on a node's types has no text of its
    own; the backend tests *_expanded hold what it gives."""
    texts = {}
    for version in schema.function_opset_versions:
        function = onnx.FunctionProto()
        function.ParseFromString(schema.get_function_with_opset_version(version))
        texts[str(version)] = onnx.printer.to_text(function)
    for version in schema.context_dependent_function_opset_versions:
        texts[str(version)] = "depends on the node"
    return texts


def schema_facts(s):
    return {
        "deprecated": s.deprecated,
        "documentation": s.doc,
        "attributes": {name: attribute(a) for name, a in s.attributes.items()},
        "inputs": [parameter(p) for p in s.inputs],
        "outputs": [parameter(p) for p in s.outputs],
        "types": {
            c.type_param_str: {
                "allowed": sorted(c.allowed_type_strs),
                "documentation": c.description,
            }
            for c in s.type_constraints
        },
        "bodies": bodies(s),
    }


def digest(values):
    """A hash of test values: arrays, messages, and lists, maps and optionals of them."""
    hashed = hashlib.sha256()

    def add(value):
        if isinstance(value, (list, tuple)):
            hashed.update(b"[%d" % len(value))
            for element in value:
                add(element)
        elif isinstance(value, dict):
            add([list(value.keys()), list(value.values())])
        elif hasattr(value, "SerializeToString"):
            hashed.update(value.SerializeToString(deterministic=True))
        elif value is None:
            hashed.update(b"none")
        else:
            hashed.update(numpy_helper.from_array(value).SerializeToString(deterministic=True))

    add(values)
    return hashed.hexdigest()


def operators_of_tests(cases):
    """The operator that each test is of: what stands in the place of an expanded one is no help."""
    operators = {}
    for case in cases:
        name = case.name.partition("_expanded")[0]
        operators.setdefault(name, case.model.graph.node[0].op_type)
        operators[case.name] = operators[name]
    return operators


def test_facts(case, operator):
    nodes = onnx.GraphProto()
    nodes.CopyFrom(case.model.graph)
    for field in ("name", "input", "output", "value_info"):
        nodes.ClearField(field)
    return {
        "operator": operator,
        "opsets": {o.domain: o.version for o in case.model.opset_import},
        "nodes": digest([nodes]),
        "types": digest([*case.model.graph.input, *case.model.graph.output]),
        "inputs": digest([inputs for inputs, _ in case.data_sets]),
        "outputs": digest([outputs for _, outputs in case.data_sets]),
    }


def main():
    warnings.simplefilter("ignore")  # NumPy's, about overflows that the tests want
    cases = node_tests.collect_testcases(None)
    cases += [c for c in simple_tests.collect_testcases() if c.model is not None]
    operators = operators_of_tests(cases)
    operator_sets = {}
    for s in defs.get_all_schemas_with_history():
        operator_sets[s.domain] = max(operator_sets.get(s.domain, 0), s.since_version)
    facts = {
        "onnx": onnx.__version__,
        "IR version": onnx.IR_VERSION,
        "opsets": operator_sets,
        "element types": dict(onnx.TensorProto.DataType.items()),
        "attribute types": dict(onnx.AttributeProto.AttributeType.items()),
        "schemas": {
            f"{s.domain or 'ai.onnx'}::{s.name} {s.since_version}": schema_facts(s)
            for s in defs.get_all_schemas_with_history()
        },
        "tests": {f"{c.kind}/{c.name}": test_facts(c, operators[c.name]) for c in cases},
    }
    json.dump(facts, sys.stdout)


if __name__ == "__main__":
    main()

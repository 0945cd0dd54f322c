"""Every public name has a docstring, the reference is made of them, and findings have the members."""

import importlib.util
import inspect
import subprocess
import sys

import numpy as np
import onnx
import pytest
from conftest import ROOT

import onnxcmp

spec = importlib.util.spec_from_file_location("python_reference", ROOT / "script/python_reference.py")
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)


def public():
    """Name and object of all functions and classes of the package and its modules."""
    for name in onnxcmp.__all__:
        one = getattr(onnxcmp, name)
        if not inspect.ismodule(one):
            yield name, one
            continue
        for inner in getattr(one, "__all__", [key for key in vars(one) if key[0] != "_"]):
            value = getattr(one, inner)
            if str(getattr(value, "__module__", "")).startswith("onnxcmp"):
                yield f"{name}.{inner}", value


def callables(name, one):
    """The object, and the methods and properties of a class."""
    if not callable(one):
        return
    yield name, one
    if inspect.isclass(one):
        for member, value in vars(one).items():
            if member[0] != "_" and isinstance(
                    value, (property, classmethod, staticmethod)) or inspect.isfunction(value):
                if member[0] != "_":
                    yield f"{name}.{member}", value


def test_docstrings():
    found = [path for name, one in public() for path, value in callables(name, one)]
    assert len(found) > 150
    assert [path for name, one in public() for path, value in callables(name, one)
            if not (inspect.getdoc(value) or "").strip()] == []


@pytest.mark.parametrize("name", sorted(reference.findings()))
def test_members_of_the_schema(name):
    """Each member is one of the schema and described there; a new one of the schema is noticed."""
    texts = reference.schema_members(name)
    members = {one.name for one in vars(reference.findings()[name]).values()
               if isinstance(one, reference._members.Member)}
    assert members <= set(texts)
    assert [member for member in members if not texts[member]] == []
    properties = {member for member, one in vars(reference.findings()[name]).items()
                  if isinstance(one, property)}
    assert set(texts) - members - properties <= {
        "Cause": set(), "Rewrite": {"counterexample", "at_ends", "repro"}, "Row": {"values"},
    }.get(name, set())


def test_reference(tmp_path):
    pytest.importorskip("pdoc")
    ran = subprocess.run([sys.executable, ROOT / "script/python_reference.py", tmp_path], text=True,
                         capture_output=True)
    assert ran.returncode == 0 and ran.stderr == "", ran.stderr
    page = (tmp_path / "onnxcmp.html").read_text()
    for name in (*onnxcmp.__all__[1:], *reference.findings()):
        assert f'id="{name}"' in page or name in ("backend", "compat", "runtimes", "testing"), name
    assert "Pairs that agree because both are NaN." in page  # of the schema
    assert (tmp_path / "onnxcmp/testing.html").exists()


def test_findings_that_are_no_causes():
    text = """<ir_version: 8, opset_import: ["": 18]>
    g (float[6] x) => (float[a,b] z, float[6] w) <int64[2] s = {2, 3}, float one = {1}>
    { t = Tanh (x) w = Add (t, one) z = Reshape (x, s) }"""
    left, right = (
        onnx.parser.parse_model(one)
        for one in (text, text.replace("{2, 3}", "{2, 4}").replace("{1}", "{2}"))
    )
    c = onnxcmp.compare(left, right, {"x": np.arange(6, dtype=np.float32)})
    assert c.verdict == "failed"
    (finding,) = c.dismissed
    assert (finding.right_name, finding.veto) == ("one", "beside_failure")
    assert "fails" in finding.why and all(not cause.veto for cause in c.causes)

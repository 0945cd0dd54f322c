"""The programs of examples/python."""

import subprocess
import sys

import onnx
import pytest
from conftest import ROOT

import onnxcmp  # noqa: F401

EXAMPLES = ROOT / "examples/python"


def run(*arguments, cwd):
    return subprocess.run([sys.executable, *map(str, arguments)], cwd=cwd, text=True,
                          capture_output=True)


def test_causes(files, tmp_path):
    ran = run(EXAMPLES / "causes.py", *files, cwd=tmp_path)
    assert ran.returncode == 1 and "operator: " in ran.stdout, ran.stderr
    assert (tmp_path / "comparison.html").exists()


def test_optimizer(tmp_path):
    ran = run("-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLES / "optimizer.py", cwd=tmp_path)
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout


def test_runtime(plain, tmp_path):
    onnx.save(plain, tmp_path / "m.onnx")
    ran = run(EXAMPLES / "runtime.py", tmp_path / "m.onnx", cwd=tmp_path)
    assert ran.returncode == 0 and "recording" in ran.stdout, ran.stdout + ran.stderr


def test_torch_export(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    ran = run(EXAMPLES / "torch_export.py", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr

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


LLM = ROOT / "testdata/models/llm"


def test_llm(tmp_path):
    pytest.importorskip("onnxscript")
    ran = run(EXAMPLES / "llm.py", tmp_path, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "attention" in ran.stdout and ran.stdout.count("exit 0") == 2
    for name in ("functions", "plain", "optimized"):
        assert (tmp_path / f"{name}.svg").read_text().lstrip().startswith("<")
    assert (tmp_path / "optimized.html").stat().st_size > 10000


def test_llama_twice(tmp_path):
    for name in ("torch", "transformers", "onnxscript"):
        pytest.importorskip(name)
    ran = run(EXAMPLES / "llama_twice.py", cwd=tmp_path)
    assert ran.returncode == 0 and "exit 0" in ran.stdout, ran.stdout + ran.stderr


def test_quantized(tmp_path):
    pytest.importorskip("onnxruntime")
    ran = run(EXAMPLES / "quantized.py", LLM / "plain.onnx", LLM / "inputs.npz", cwd=tmp_path)
    # The mask's -infinity makes scales of two layers infinite, which is what is told.
    assert ran.returncode == 1 and "infinite" in ran.stdout, ran.stdout + ran.stderr
    assert "of the left's direction" in ran.stdout


def test_onnxruntime_kernels(tmp_path):
    pytest.importorskip("onnxruntime")
    ran = run(EXAMPLES / "onnxruntime_kernels.py", LLM / "plain.onnx", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "optimization none: " in ran.stdout and "optimization all: " in ran.stdout


def test_notebook(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(EXAMPLES / "tour.ipynb", 4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code"
               for output in cell.outputs]
    shown = [output.get("data", {}).get("text/plain", output.get("text", "")) for output in outputs]
    assert "data-verdict" in outputs[0]["data"]["text/html"]
    assert "Softmax" in shown[1] and shown[4] == "13"
    assert "proved" in shown[6] and "agree" in shown[7], shown

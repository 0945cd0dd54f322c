"""ONNX's own tests, through onnx.backend.test."""

import unittest

import numpy as np
import onnx.backend.test
import pytest
from conftest import layers
from onnx import helper

import onnxcmp.backend

# No seed makes another tool draw the same numbers.
RANDOM = r"(bernoulli|randomnormal|randomuniform|multinomial)"

backend_test = onnx.backend.test.BackendTest(onnxcmp.backend, __name__)
backend_test.exclude(RANDOM)
# The error of a transform, and of float16, is relative to the whole; the runner wants each element
# within 1e-3 of itself, or within 1e-7. (The conformance tests compare these, too.)
backend_test.exclude(r"(test_dft_inverse_cpu|test_dft_inverse_opset19_cpu)")
backend_test.exclude(r"test_attention_4d_causal_fp16_expanded_cpu")
# The runner cannot compare scalars in sequences, whoever gives them.
backend_test.exclude(r"test_loop16_seq_none_cpu")
CASES = backend_test.test_suite


def _tests(family):
    return [
        case
        for case in CASES
        if f"{family}ModelTest" in type(case).__name__ and case._testMethodName.endswith("_cpu")
    ]


# How many there are at least. Those of real models are fetched, and are not run.
@pytest.mark.parametrize("family, least", [
    ("Node", 1500), ("Simple", 20), ("PyTorchConverted", 80), ("PyTorchOperator", 35),
])
def test_backend_tests(family, least):
    """All of a family in one test: a thousand lines tell nobody anything."""
    cases, failed = _tests(family), []
    assert len(cases) >= least
    for case in cases:
        try:
            getattr(case, case._testMethodName)()
        except unittest.SkipTest as error:
            assert "exclude pattern" in str(error)
        except Exception as error:  # noqa: BLE001
            failed.append(f"{case._testMethodName}: {type(error).__name__} {error}"[:300])
    assert not failed, "\n".join([f"{len(failed)} of {len(cases)}", *failed[:40]])


def test_run_node():
    x = np.array([-1, 2], np.float32)
    node = helper.make_node("Relu", ["x"], ["y"])
    assert onnxcmp.backend.run_node(node, [x])[0].tolist() == [0, 2]
    assert onnxcmp.backend.run_node(node, {"x": x}).y.tolist() == [0, 2]


def test_prepare_and_run():
    x = np.ones((2, 4), np.float32)
    rep = onnxcmp.backend.prepare(layers())
    for inputs in (x, [x], {"x": x}):
        assert rep.run(inputs).y.shape == (2, 4)
    with pytest.raises(ValueError):
        rep.run([x, x])
    assert not onnxcmp.backend.supports_device("CUDA")
    with pytest.raises(ValueError):
        onnxcmp.backend.prepare(layers(), "CUDA:0")

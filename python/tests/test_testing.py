"""assert_agree and the plugin for pytest."""

import pathlib
import unittest

import numpy as np
import onnx
import pytest

import onnxcmp
from onnxcmp.testing import assert_agree, assert_equal_for_all_inputs


def test_agrees(plain, x):
    assert assert_agree(plain, plain, {"x": x}).verdict == "same"


def test_tells_table_and_cause(plain, wrong, x, tmp_path):
    with pytest.raises(AssertionError) as caught:
        assert_agree(plain, wrong, {"x": x}, artifacts=tmp_path / "a", message="the pass")
    text = str(caught.value)
    assert text.startswith("the pass\n") and "epsilon" in text and "different" in text
    assert (tmp_path / "a/onnxcmp.html").exists()
    assert list((tmp_path / "a/repro").glob("*/left.onnx"))


def test_equal_for_all_inputs(x):
    from conftest import info, model_of
    from onnx import helper

    def scaled(factor, op_type="Mul"):
        node = helper.make_node(op_type, ["x", "w"], ["y"])
        weight = ("w", np.array([factor], np.float32))
        return model_of([node], [info("x")], [info("y")], [weight])

    assert assert_equal_for_all_inputs(scaled(3), scaled(1 / 3, "Div"), {"x": x}).proof
    # Its last place: within any tolerance.
    faulty = scaled(np.nextafter(np.float32(3), np.float32(4)))
    assert_agree(scaled(3), faulty, {"x": x})
    with pytest.raises(AssertionError, match="not proved equal for all inputs") as caught:
        assert_equal_for_all_inputs(scaled(3), faulty, {"x": x}, message="the pass")
    assert "differs in exact arithmetic" in str(caught.value)


def test_nothing_tested_fails(x):
    from conftest import info, model_of
    from onnx import helper

    nothing = model_of([helper.make_node("Identity", ["x"], ["y"])], [info("x")], [])
    with pytest.raises(AssertionError):
        assert_agree(nothing, nothing, {"x": x})


class WithUnittest(unittest.TestCase):
    def test_it(self):
        from conftest import layers

        assert_agree(layers(), layers())
        with self.assertRaises(AssertionError):
            assert_agree(layers(), layers(epsilon=0.1))


def test_plugin(pytester, plain, wrong):
    onnx.save(plain, pytester.path / "left.onnx")
    onnx.save(wrong, pytester.path / "right.onnx")
    pytester.makepyfile(
        """
        import pytest

        def test_same(onnxcmp_agree):
            onnxcmp_agree("left.onnx", "left.onnx")

        def test_other(onnxcmp_agree):
            onnxcmp_agree("left.onnx", "right.onnx")

        @pytest.mark.onnxcmp_opset(999)
        def test_new():
            raise AssertionError("does not run")

        @pytest.mark.onnxcmp_opset(17)
        def test_old():
            pass
        """
    )
    result = pytester.runpytest_subprocess("--onnxcmp-artifacts=kept", "--strict-markers")
    result.assert_outcomes(passed=2, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*epsilon*", "*page: kept/*onnxcmp.html"])
    (page,) = pathlib.Path(pytester.path / "kept").rglob("onnxcmp.html")
    assert "test_other" in page.parent.name and onnxcmp.__version__

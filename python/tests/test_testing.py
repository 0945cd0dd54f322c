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


def test_conversions_have_to_be_asked_for(x):
    from conftest import info, model_of
    from onnx import helper

    plain = model_of(
        [helper.make_node("Mul", ["x", "w"], ["y"])],
        [info("x")],
        [info("y")],
        [("w", np.array([0.71234], np.float32))],
    )

    def half(number):
        nodes = [
            helper.make_node("Cast", ["h"], ["w"], to=onnx.TensorProto.FLOAT),
            helper.make_node("Mul", ["x", "w"], ["y"]),
        ]
        return model_of(nodes, [info("x")], [info("y")], [("h", np.array([number], np.float16))])

    with pytest.raises(AssertionError, match="not proved equal for all inputs"):
        assert_equal_for_all_inputs(plain, half(0.71234), {"x": x})
    c = assert_equal_for_all_inputs(plain, half(0.71234), {"x": x}, conversions=True)
    assert not c.proof and c.proof.proved_with_exact_numbers
    (converted,) = c.proof.rests_on.conversions.constants
    assert (converted.constant, converted.type, converted.elements) == ("w", "float16", 1)
    faulty = half(np.nextafter(np.float16(0.71234), np.float16(1)))
    with pytest.raises(AssertionError, match="not proved equal for all inputs"):
        assert_equal_for_all_inputs(plain, faulty, {"x": x}, conversions=True)


def test_what_a_proof_only_tells_has_to_be_accepted():
    from conftest import info, model_of
    from onnx import helper

    def less(first, second, left, right):
        node = helper.make_node("Sub", [left, right], ["y"])
        return model_of([node], [info(first), info(second)], [info("y")])

    crosswise = less("p", "q", "q", "p")
    with pytest.raises(AssertionError, match="a = q, b = p \\(guessed_inputs\\)"):
        assert_equal_for_all_inputs(less("a", "b", "a", "b"), crosswise)
    c = assert_equal_for_all_inputs(less("a", "b", "a", "b"), crosswise, guessed_inputs=True)
    assert c.proof.rests_on.inputs_guessed == ("a = q", "b = p")


def test_roundings_before_a_function_that_jumps_have_to_be_accepted():
    from conftest import info, model_of
    from onnx import TensorProto, helper

    def floor_of(op_type, number):
        k = helper.make_tensor("k", TensorProto.FLOAT, [], [number])
        nodes = [
            helper.make_node("Constant", [], ["k"], value=k),
            helper.make_node(op_type, ["x", "k"], ["q"]),
            helper.make_node("Floor", ["q"], ["y"]),
        ]
        return model_of(nodes, [info("x")], [info("y")])

    divided, multiplied = floor_of("Div", 41.0), floor_of("Mul", 1 / 41)
    with pytest.raises(AssertionError, match="roundings before Floor y \\(rounded_jumps\\)"):
        assert_equal_for_all_inputs(divided, multiplied)
    c = assert_equal_for_all_inputs(divided, multiplied, rounded_jumps=True)
    assert c.proof.rests_on.rounded_jumps == ("Floor y",)


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

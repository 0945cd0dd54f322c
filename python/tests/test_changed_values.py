"""Values that would be changed on their way without a word: they are kept, or refused."""

import ml_dtypes
import numpy as np
import pytest
from conftest import info, model_of
from onnx import TensorProto, helper

import onnxcmp


def double(shape=("n",)):
    return model_of([helper.make_node("Add", ["x", "x"], ["y"])], [info("x", shape=shape)],
                    [info("y", shape=None)])


def identity(dtype):
    return onnxcmp.Evaluator(model_of([helper.make_node("Identity", ["x"], ["y"])],
                                      [info("x", dtype, None)], [info("y", dtype, None)]))


def test_masked_arrays():
    masked = np.ma.array([1, 2], mask=[True, False], dtype=np.float32)
    with pytest.raises(TypeError, match="masked"):
        onnxcmp.Evaluator(double()).run(None, {"x": masked})
    with pytest.raises(TypeError, match="x: .*masked"):
        onnxcmp.compare({"x": masked}, {"x": masked})
    # Without a masked element it is an array.
    plain = np.ma.array([1, 2], dtype=np.float32)
    assert onnxcmp.Evaluator(double()).run(None, {"x": plain})[0].tolist() == [2, 4]


def test_lists_of_numbers_and_texts():
    texts = identity(TensorProto.STRING)
    assert texts.run(None, {"x": ["a\0", "b"]})[0].tolist() == ["a\0", "b"]
    assert texts.run(None, {"x": "a\0"})[0].item() == "a\0"
    with pytest.raises(TypeError, match="must hold strings"):
        texts.run(None, {"x": ["a", 1]})
    with pytest.raises(TypeError, match="integers"):
        identity(TensorProto.DOUBLE).run(None, {"x": [-1, 2**64 - 1]})
    assert identity(TensorProto.UINT64).run(None, {"x": np.array([2**64 - 1], np.uint64)})[0] == 2**64 - 1


def test_maps_keep_doubles():
    for value, dtype in ((1 / 3, np.float32), (np.float64(1 / 3), np.float64)):
        left, right = {"m": {"a": value, "b": value}}, {"m": {"a": value, "b": value}}
        c = onnxcmp.compare(left, right)
        assert c.verdict == "same"
        given = next(iter(c.left.result("m").value.values()))
        assert given == dtype(value)


@pytest.mark.parametrize("value", [
    np.array([1.5, -2], ml_dtypes.bfloat16),
    np.array([1.5, -2], ml_dtypes.float8_e4m3fn),
    np.array([1, -2], ml_dtypes.int4),
    np.array([1, 2], ml_dtypes.uint4),
    np.array(["a", "ü"], object),
    np.array(["a", "b"]),
    [np.ones(2, np.float32), np.zeros(3, np.float32)],
    [np.array(["a"], object)],
    [],
    [1.5, 2.5],
    {"a": 1.0, "b": 2.0},
    {3: np.ones(2, np.float32), 4: np.zeros(2, np.float32)},
    onnxcmp.SparseTensor(np.ones(2, np.float32), np.array([1, 3]), (2, 2)),
    None,
], ids=lambda v: type(v).__name__ if not hasattr(v, "dtype") else v.dtype.name)
def test_recordings_keep_values(value, tmp_path):
    kept = onnxcmp.Recording([onnxcmp.RecordedResult("v", value, "OUTPUT")])
    kept.save(tmp_path / "kept.npz")
    c = onnxcmp.compare(tmp_path / "kept.npz", kept)
    assert c.verdict in ("same", "untested"), str(c)
    assert all(row.relation == "same" for row in c.rows) and len(c.rows)


def test_recordings_refuse_what_files_cannot_keep(tmp_path):
    for value in (np.array(["a\0"], object), np.zeros(2, "V2"), object()):
        kept = onnxcmp.Recording([onnxcmp.RecordedResult("v", value)])
        with pytest.raises(TypeError, match="v: "):
            kept.save(tmp_path / "kept.npz")


def test_an_observer_may_fill_an_array_again():
    nodes = [helper.make_node("Neg", ["x"], ["a"]), helper.make_node("Neg", ["a"], ["b"]),
             helper.make_node("Sub", ["a", "b"], ["y"])]
    model = onnxcmp.Evaluator(model_of(nodes, [info("x", shape=["n"])], [info("y", shape=None)]))
    same = np.zeros(1 << 19, np.float32)

    def fill(result):
        if result.name not in ("a", "b"):
            return None
        same[:] = 5 if result.name == "a" else 3
        return same

    (y,) = model.run(None, {"x": np.ones(1 << 19, np.float32)}, observer=fill)
    assert (y == 2).all()


def test_an_output_may_be_asked_for_twice():
    (one, other), x = onnxcmp.Evaluator(double()).run(["y", "y"], {"x": np.ones(2, np.float32)}), 0
    assert one.tolist() == other.tolist() == [2, 2]
    one[0] = 7
    assert other[0] == 2


def test_feeds_that_were_changed_are_not_given_as_what_was_fed():
    x = np.ones(1 << 19, np.float32)
    c = onnxcmp.compare(double(), double(), {"x": x})
    assert c.feeds()["x"][0] == 1
    x[0] = 2
    with pytest.raises(onnxcmp.Error, match="x"):
        c.feeds()


def test_ctrl_c_that_comes_while_another_comparison_has_the_sides(plain, x):
    """Values of one comparison by many threads at once."""
    import threading

    c = onnxcmp.compare(plain, plain, {"x": x})
    got = []
    threads = [threading.Thread(target=lambda: got.append(c.left.result("b").value.sum()))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 8 and len(set(got)) == 1


def test_closed_npz(tmp_path, plain, x):
    np.savez(tmp_path / "x.npz", x=x)
    file = np.load(tmp_path / "x.npz")
    assert onnxcmp.compare(plain, plain, file).verdict == "same"
    file.close()
    with pytest.raises((ValueError, OSError, AttributeError, onnxcmp.Error, TypeError)):
        onnxcmp.compare(plain, plain, file)

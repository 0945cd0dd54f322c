"""Recordings and inputs in files, as the command line reads them."""

import numpy as np
import onnx
import pytest
from conftest import layers
from onnx import numpy_helper

import onnxcmp
from onnxcmp import _runtime
from onnxcmp.runtimes import Adapter


def test_a_recording_keeps_the_node_of_a_result(x, tmp_path):
    model = layers()
    model.graph.node[0].name = "first"
    onnxcmp.record(model, {"x": x}).save(tmp_path / "kept.npz")
    loaded = onnxcmp.Recording.load(tmp_path / "kept.npz")
    assert loaded.described and loaded.source == str(tmp_path / "kept.npz")
    assert [one.node for one in loaded.results if one.kind == "RESULT"][0] == "first"


def test_each_set_of_a_folder_by_its_number(x, tmp_path):
    for i in range(3):
        folder = tmp_path / f"test_data_set_{i}"
        folder.mkdir()
        value = numpy_helper.from_array(x + i, "x")
        (folder / "input_0.pb").write_bytes(value.SerializeToString())
    for number, want in ((0, x), (2, x + 2), (-1, x + 2)):
        loaded = onnxcmp.Recording.load(tmp_path, number)
        np.testing.assert_array_equal(loaded.inputs["x"], want)
    with pytest.raises(IndexError):
        onnxcmp.Recording.load(tmp_path, 3)


def test_a_model_of_constants_is_a_recording(x, tmp_path):
    graph = onnx.helper.make_graph([], "kept", [], [onnx.helper.make_tensor_value_info("x", 1, x.shape)],
                                   [numpy_helper.from_array(x, "x")])
    onnx.save(onnx.helper.make_model(graph, ir_version=10), tmp_path / "kept.onnx")
    np.testing.assert_array_equal(onnxcmp.Recording.load(tmp_path / "kept.onnx")["x"], x)


def test_a_recording_that_ends_early_is_an_error(x, tmp_path):
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "x.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-4])
    with pytest.raises(onnxcmp.Error, match="x.npy"):
        onnxcmp.Recording.load(tmp_path / "x.npy")


def test_files_of_feeds(plain, x, tmp_path):
    np.savez(tmp_path / "other.npz", of_another_name=x)
    np.savez(tmp_path / "many.npz", x=np.stack([x, x + 1]))
    given = {"inputs": tmp_path / "other.npz", "left-inputs": None, "right-inputs": None}
    side = Adapter(plain, type("Mine", (), dict.fromkeys(("load", "run", "unload"), print))())
    ((name, one),) = _runtime.feeds_by_set(plain, side, given, [])
    assert name == "" and list(one["inputs"]) == ["x"]
    np.testing.assert_array_equal(one["inputs"]["x"], x)
    given["inputs"] = tmp_path / "many.npz"
    sets = _runtime.feeds_by_set(plain, side, given, ["--each"])
    assert [name for name, _ in sets] == ["[0]", "[1]"]
    np.testing.assert_array_equal(sets[1][1]["inputs"]["x"], x + 1)

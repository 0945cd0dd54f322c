"""compare() and what it gives."""

import csv
import io
import json
import pickle
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import onnx
import pytest
from conftest import info, layers, model_of
from onnx import TensorProto, helper

import onnxcmp
from onnxcmp._words import in_error, in_python


def command_line(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "onnxcmp", *map(str, arguments)], capture_output=True, text=True
    )


def test_same(plain):
    c = onnxcmp.compare(plain, plain)
    assert c.verdict == "same" and c and c.exit_status == 0
    assert not c.causes and {row.relation for row in c.rows} == {"same"}


def test_different_names_its_cause(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, {"x": x})
    assert c.verdict == "different" and not c
    (cause,) = c.causes
    assert cause.kind == "operator" and "epsilon" in cause.text
    assert (cause.left_name, cause.right_op_type) == ("b", "LayerNormalization")
    assert cause.diff.max_absolute > 0 and cause.is_wrong
    (output,) = c.outputs
    np.testing.assert_array_equal(
        output.left_value, onnxcmp.Evaluator(plain).run(None, {"x": x})[0]
    )
    assert np.abs(output.left_value - output.right_value).max() == pytest.approx(
        output.diff.max_absolute
    )


def test_is_what_the_command_line_says(files, tmp_path):
    c = onnxcmp.compare(*files)
    ran = command_line(*files, "--json", tmp_path / "c.json", "--width", 100, "--color", "never")
    assert ran.returncode == 1 == c.exit_status
    assert c.to_dict() == json.loads((tmp_path / "c.json").read_text())
    assert c.table(width=100) == in_python(ran.stdout)


def test_rows_and_results(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, {"x": x})
    by_name = {row.name: row for row in c.rows}
    assert by_name["a"].relation == "same" and by_name["a"].diff is None
    assert by_name["b"].relation == "different" and by_name["b"].diff.beyond == 12
    assert by_name["b"].left_result.op_type == "LayerNormalization"
    assert by_name["b"].left_result.shape == (3, 4)
    assert by_name["b"].left_value.dtype == np.float32
    w0 = c.left.result("w0")
    assert w0.kind == "INITIALIZER" and w0.statistics.zeros == 0 and len(w0.letters) == 4
    np.testing.assert_array_equal(
        w0.value, onnx.numpy_helper.to_array(plain.graph.initializer[0])
    )
    assert c.left.nodes == 4 and c.left.opsets == {"": 21}
    with pytest.raises(KeyError):
        c.left.result("nobody")
    np.testing.assert_array_equal(c.feeds()["x"], x)
    np.testing.assert_array_equal(c.values("right", ["x"])[0], x)


@pytest.mark.parametrize("make", [
    lambda m, path: str(path),
    lambda m, path: path,
    lambda m, path: m.SerializeToString(),
    lambda m, path: bytearray(m.SerializeToString()),
    lambda m, path: onnxcmp.Evaluator(m),
], ids=["str", "path", "bytes", "bytearray", "evaluator"])
def test_sides(make, plain, tmp_path):
    path = tmp_path / "ünicode.onnx"
    onnx.save(plain, path)
    assert onnxcmp.compare(plain, make(plain, path)).verdict == "same"


def test_onnx_ir_side(plain):
    ir = pytest.importorskip("onnx_ir")
    assert onnxcmp.compare(ir.from_proto(plain), plain).verdict == "same"


def test_recording_side(plain, wrong, x):
    values = {r.name: r.value for r in onnxcmp.Evaluator(plain).results({"x": x})}
    kept = {"renamed": values["b"], "x": values["x"], "y": values["y"]}
    assert onnxcmp.compare(kept, plain).verdict == "same"
    c = onnxcmp.compare(kept, wrong)
    assert c.verdict == "different" and c.causes
    assert onnxcmp.compare(dict(np.load(io.BytesIO(_npz(kept)))), plain).verdict == "same"


def _npz(values):
    file = io.BytesIO()
    np.savez(file, **values)
    return file.getvalue()


def test_two_recordings(x):
    assert onnxcmp.compare({"a": x}, {"b": x}).verdict == "same"
    assert onnxcmp.compare({"a": x}, {"a": x + 1}).verdict == "different"


def test_several_sets_of_inputs(plain, wrong, x):
    c = onnxcmp.compare(plain, plain, [{"x": x}, {"x": x[:1]}])
    assert [one.set_name for one in c.sets] == ["[0]", "[1]"] and c.verdict == "same"
    # Rows of x without variance: epsilon is all that is left of them.
    flat = np.zeros((2, 4), np.float32)
    c = onnxcmp.compare(plain, wrong, [{"x": flat}, {"x": x}])
    assert c.verdict == "different" and c.set_name == "[1]" and len(c.sets) == 2
    np.testing.assert_array_equal(c.sets[0].feeds()["x"], flat)
    np.testing.assert_array_equal(c.sets[0].values("left", ["x"])[0], flat)
    np.testing.assert_array_equal(c.sets[1].values("left", ["x"])[0], x)


def test_slices_are_sets(plain, x):
    many = np.stack([x, x + 1, x - 1])
    assert len(onnxcmp.compare(plain, plain, {"x": many}, each=True).sets) == 3


def test_feeds_of_one_side(plain, x):
    renamed = layers()
    renamed.graph.input[0].name = renamed.graph.node[0].input[0] = "z"
    c = onnxcmp.compare(plain, renamed, left_feeds={"x": x})
    assert c.verdict == "same"
    np.testing.assert_array_equal(c.feeds("right")["z"], x)
    assert onnxcmp.compare(plain, renamed, {"x": x}, map_input={"x": "z"})


def test_tolerances(plain, x):
    near = layers(bias=1e-3)
    assert onnxcmp.compare(plain, near, {"x": x}).verdict == "different"
    assert onnxcmp.compare(plain, near, {"x": x}, atol=1e-2).verdict == "close"
    assert onnxcmp.compare(plain, near, {"x": x}, tolerance={"y": (0, 1e-2)}).verdict == "close"
    assert not onnxcmp.compare(plain, near, {"x": x}, atol=1e-2, fail_on="bits")


def test_options_are_those_of_the_command_line(plain, x):
    c = onnxcmp.compare(plain, layers(bias=1.0), {"x": x}, causes=False, pair=[("a", "a")])
    assert not c.causes and c.verdict == "different"
    c = onnxcmp.compare(plain, plain, seed=3, sets=2, dim={"n": 5}, threads=1)
    assert c.feeds()["x"].shape == (5, 4)
    assert onnxcmp.compare(plain, plain, options={"any-row-order": True})
    with pytest.raises(onnxcmp.Error, match="no input has such a dimension"):
        onnxcmp.compare(plain, plain, dim={"q": 5})
    with pytest.raises(onnxcmp.Error, match="rtol"):
        onnxcmp.compare(plain, plain, rtol=-1)
    with pytest.raises(onnxcmp.Error, match="fail_on"):
        onnxcmp.compare(plain, plain, fail_on="weather")
    with pytest.raises(TypeError):
        onnxcmp.compare(plain, plain, no_such_option=1)


def test_errors_name_arguments_and_not_options():
    advice = onnxcmp.Error("no input takes b of a--partial.npz; --partial accepts that")
    assert str(advice) == "no input takes b of a--partial.npz; partial accepts that"
    assert onnxcmp.Error("give --inputs, or --map-input A=B").message == "give feeds, or map_input A=B"


def test_notes_and_tables_name_arguments_and_not_options(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, {"x": x}, rtol=1e-9, fail_on="bits")
    assert any("rtol" in output.tolerance for output in c.outputs)
    for text in (c.table(), c.table(rows="all"), *c.words, *c.notes, c.outputs[0].tolerance):
        assert "--" not in text
    # What programs read is the same everywhere.
    assert "--rtol" in str(c.to_dict())
    more = onnxcmp.compare(plain, wrong, {"x": x, "more": x}, partial=True)
    assert "--" not in str(more)


def test_time_is_limited():
    import onnx.helper as h

    body = h.make_graph(
        [h.make_node("Identity", ["c"], ["d"]), h.make_node("Neg", ["a"], ["e"])], "b",
        [h.make_tensor_value_info("i", 7, []), h.make_tensor_value_info("c", 9, []),
         h.make_tensor_value_info("a", 1, [])],
        [h.make_tensor_value_info("d", 9, []), h.make_tensor_value_info("e", 1, [])])
    endless = h.make_model(h.make_graph(
        [h.make_node("Loop", ["n", "go", "x"], ["y"], body=body)], "g",
        [h.make_tensor_value_info("x", 1, [])], [h.make_tensor_value_info("y", 1, [])],
        [h.make_tensor("n", 7, [], [10**9]), h.make_tensor("go", 9, [], [True])]),
        opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    with pytest.raises(onnxcmp.Error, match="longer than max_time allows, 500ms") as raised:
        onnxcmp.compare(endless, endless, max_time=0.5, share=False)
    assert raised.value.code == "DEADLINE_EXCEEDED"


def test_shadow_and_quantization(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, {"x": x}, shadow=True, quantization=True)
    json = c.to_dict()
    assert "shadow" in json and any("quantized" in note for note in c.notes)


def test_proof(plain, wrong, x):
    assert onnxcmp.compare(plain, plain, {"x": x}).proof is None
    c = onnxcmp.compare(plain, plain, {"x": x}, prove=True)
    assert c.proof and c.proof.proved and c.verdict == "same"
    assert "for all inputs of these shapes (proved)" in c.summary
    assert all(row.proved for row in c.rows if row.proved is not None)
    assert any(row.proved for row in c.rows)
    assert c.proof.not_proved == () and c.proof.rests_on.inputs_as_fed == ()
    assert c.proof.to_dict() == c.to_dict()["proof"]
    assert repr(c.proof).startswith("<Proof same for all inputs")
    faulty = onnxcmp.compare(plain, wrong, {"x": x}, prove=True)
    assert not faulty.proof and faulty.verdict == "different"
    assert faulty.proof.not_proved and "(proved)" not in faulty.summary
    assert not all(output.proved for output in faulty.proof.outputs)


def test_reports(plain, wrong, x, tmp_path):
    c = onnxcmp.compare(plain, wrong, {"x": x})
    for ending in ("html", "json", "md", "csv", "xml", "dot", "svg", "txt"):
        c.save(tmp_path / f"report.{ending}")
    assert "<!DOCTYPE html>" in (tmp_path / "report.html").read_text()[:100]
    assert json.loads((tmp_path / "report.json").read_text()) == c.to_dict()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text())))
    assert len(rows) == len(c.rows)
    tests = ElementTree.parse(tmp_path / "report.xml").iter("testcase")
    assert any(test.find("failure") is not None for test in tests)
    picture = ElementTree.parse(tmp_path / "report.svg").getroot()
    assert picture.tag.endswith("svg") and "different" in "".join(picture.itertext())
    with pytest.raises(ValueError, match="ending"):
        c.save(tmp_path / "report.pdf")
    assert c._repr_html_().startswith("<iframe srcdoc=")
    assert "different" in repr(c) and "epsilon" in str(c)


def test_dataframe(plain, wrong, x):
    pandas = pytest.importorskip("pandas")
    c = onnxcmp.compare(plain, wrong, {"x": x})
    frame = c.to_dataframe()
    assert len(frame) == len(c.rows)
    differing = frame[~frame.agree & (frame.left_kind == "RESULT")]
    assert list(differing.left_name) == ["b", "c", "y"]
    # Rows with the same bits have no difference, and come first by it.
    assert frame.sort_values("max_absolute").iloc[0].max_absolute == 0
    assert differing.iloc[0].left_shape == (3, 4) and len(differing.iloc[0].worst_at) == 2
    assert isinstance(differing.iloc[0].left_results, tuple)
    same = onnxcmp.compare(plain, plain, {"x": x}).to_dataframe()
    assert same.agree.all() and (same.dtypes == frame.dtypes).all()
    assert same.agree.dtype == pandas.BooleanDtype()


def test_dataframe_of_modules():
    names = ["/encoder/layer.0/MatMul_output_0", "y"]
    nodes = [helper.make_node("Relu", ["x"], [names[0]]),
             helper.make_node("Neg", [names[0]], [names[1]])]
    model = model_of(nodes, [info("x")], [info("y")])
    frame = onnxcmp.compare(model, model).to_dataframe()
    assert set(frame.module) == {"", "encoder.layer.0"}


def test_numbers_and_indices(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, {"x": x})
    worst = next(row for row in c.rows if row.name == "y").diff.worst[0]
    assert len(worst.index) == 2 and all(isinstance(i, int) for i in worst.index)
    np.testing.assert_allclose(abs(worst.left - worst.right), worst.absolute, rtol=1e-5)


def test_pickle(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, [{"x": x}, {"x": x[:1]}])
    again = pickle.loads(pickle.dumps(c))
    assert again.to_dict() == c.to_dict() and again.verdict == c.verdict and not again
    assert str(again) == str(pickle.loads(pickle.dumps(again))) and "epsilon" in str(again)
    assert len(again.sets) == 2 and again.html() and len(again.to_dataframe()) == len(c.rows)
    for part in (c.rows, c.causes, c.outputs, c.left, c.left.results, c.rows[-1].diff.worst):
        assert pickle.loads(pickle.dumps(part)) == part
    with pytest.raises(onnxcmp.Error, match="unpickled"):
        again.rows[0].left_value


def test_cause_in_a_line(plain, wrong, x):
    """What an assert of pytest's shows."""
    assert "epsilon" in repr(onnxcmp.compare(plain, wrong, {"x": x}))


def test_misspelt_names(plain, x, tmp_path):
    with pytest.raises(onnxcmp.Error, match="no input takes xx of the feeds.*the inputs are x"):
        onnxcmp.compare(plain, plain, {"xx": x})
    # A recording has the names of whoever made it.
    np.savez(tmp_path / "x.npz", xx=x)
    assert onnxcmp.compare(plain, plain, tmp_path / "x.npz")
    assert onnxcmp.compare(plain, plain, onnxcmp.Recording.load(tmp_path / "x.npz"))
    with pytest.raises(TypeError, match="did you mean rtol"):
        onnxcmp.compare(plain, plain, options={"rtoll": 1})
    with pytest.raises(onnxcmp.Error, match="there is no option nosuch"):
        onnxcmp.compare(plain, plain, options={"nosuch": 1})


def test_words_of_errors():
    error = "there is no option --htm; did you mean `--html`?; see onnxcmp --help"
    assert in_error(error) == "there is no option htm; did you mean `html`?"


def test_missing_files(plain, tmp_path):
    for call in (lambda: onnxcmp.compare(tmp_path / "no.onnx", plain),
                 lambda: onnxcmp.Evaluator(tmp_path / "no.onnx"),
                 lambda: onnxcmp.Recording.load(tmp_path / "no.npz")):
        with pytest.raises(FileNotFoundError, match="there is no file") as caught:
            call()
        assert isinstance(caught.value, onnxcmp.Error) and caught.value.code == "NOT_FOUND"
    closed = np.load(_saved(tmp_path / "x.npz"))
    closed.close()
    with pytest.raises(onnxcmp.Error, match="closed"):
        onnxcmp.compare(closed, plain)


def _saved(path):
    np.savez(path, x=np.ones(3))
    return path


def test_sizes_are_whole_numbers(plain):
    for size in (-1, 2.5, True):
        with pytest.raises(ValueError, match="dim: n is"):
            onnxcmp.compare(plain, plain, dim={"n": size})


def test_explain(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, {"x": x})
    text = c.explain("b")
    assert "epsilon" in text and "LayerNormalization" in text
    assert c.explain([row.name for row in c.rows].index("b")) == text
    with pytest.raises(onnxcmp.Error, match="nobody"):
        c.explain("nobody")
    assert "explanation" in onnxcmp.compare(plain, wrong, {"x": x}, explain="b").to_dict()
    assert c.verdict == "different" and "explanation" not in c.to_dict()


def test_save_repro(plain, wrong, x, tmp_path):
    c = onnxcmp.compare(plain, wrong, {"x": x})
    (folder,) = c.save_repro(tmp_path / "repro")
    assert onnxcmp.compare(folder / "left.onnx", folder / "right.onnx").verdict == "different"
    assert (folder / "cause.txt").exists()
    with pytest.raises(onnxcmp.Error):
        c.save_repro(files_in(tmp_path / "taken"))


def files_in(folder):
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    return folder


def test_a_side_that_fails_is_a_verdict(plain, x):
    nodes = [helper.make_node("Gather", ["x", "i"], ["y"], name="look")]
    bad = model_of(nodes, [info("x")], [info("y")], [("i", np.array([99]))])
    c = onnxcmp.compare(plain, bad, {"x": x})
    assert c.verdict == "failed" and c.exit_status == 2 and not c
    assert "look" in c.right.error


def test_nan(x):
    nodes = [helper.make_node("Log", ["x"], ["y"])]
    log = model_of(nodes, [info("x")], [info("y")])
    c = onnxcmp.compare(log, log, {"x": -1 - x})
    assert c.not_finite["left"][0].value == "nan"
    assert "logarithm" in c.not_finite["left"][0].reason


@pytest.mark.parametrize("side, error", [
    (b"no model", onnxcmp.Error),
    (b"", onnxcmp.Error),
    ("no/such/file.onnx", onnxcmp.Error),
    ("", onnxcmp.Error),
    ({}, onnxcmp.Error),
    (None, TypeError),
    (3, TypeError),
    ([1, 2], TypeError),
    (object(), TypeError),
    ({1: np.zeros(2)}, TypeError),
    ({"a": object()}, TypeError),
    ({"a": np.array([object()])}, TypeError),
    ({"a": np.zeros(2, "datetime64[s]")}, TypeError),
    ({"a": np.zeros(2, [("p", "i4"), ("q", "f4")])}, TypeError),
])
def test_what_is_no_side(side, error, plain):
    with pytest.raises(error):
        onnxcmp.compare(side, plain)
    with pytest.raises(error):
        onnxcmp.compare(plain, side)


@pytest.mark.parametrize("feeds, error", [
    ({}, onnxcmp.Error),
    ({"z": np.zeros((1, 4, 9), np.float32)}, onnxcmp.Error),
    ({"x": np.zeros((1, 4), np.int64)}, onnxcmp.Error),
    ({"x": np.zeros((1, 9), np.float32)}, onnxcmp.Error),
    ({"x": np.zeros((1, 4), object)}, TypeError),
    ({"x": {1, 2}}, TypeError),
    ([], TypeError),
    (3, TypeError),
    ("no/such/file.npz", onnxcmp.Error),
])
def test_what_are_no_feeds(feeds, error, plain):
    with pytest.raises(error):
        onnxcmp.compare(plain, plain, feeds)


def test_error_tells_its_side(plain):
    with pytest.raises(onnxcmp.Error) as caught:
        onnxcmp.compare(plain, b"no model")
    assert caught.value.side == "right" and caught.value.code == "INVALID_ARGUMENT"
    assert str(caught.value) == caught.value.message


def test_damaged_models(plain):
    data = plain.SerializeToString()
    rng = np.random.default_rng(1)
    for _ in range(100):
        cut = bytearray(data[: rng.integers(1, len(data))])
        for at in rng.integers(0, len(cut), 5):
            cut[at] = rng.integers(0, 256)
        try:
            onnxcmp.compare(bytes(cut), plain, max_steps=1000, max_tensor=1 << 20, threads=1)
        except onnxcmp.Error:
            pass


def test_external_data_without_a_folder(plain, tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(layers(), path, save_as_external_data=True, size_threshold=0, location="w.bin")
    assert onnxcmp.compare(path, plain).verdict == "same"
    with pytest.raises(onnxcmp.Error):
        onnxcmp.compare(onnx.load(path, load_external_data=False), plain)


def test_ties_and_types():
    half = model_of(
        [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT16)],
        [info("x")], [info("y", TensorProto.FLOAT16)],
    )
    full = model_of(
        [helper.make_node("Identity", ["x"], ["y"])], [info("x")], [info("y")]
    )
    assert onnxcmp.compare(full, half).verdict == "different"
    assert onnxcmp.compare(full, half, output_types="close").verdict == "close"


def test_make_inputs(plain):
    one, other = onnxcmp.make_inputs(plain, seed=1), onnxcmp.make_inputs(plain, seed=2)
    assert list(one) == ["x"] and one["x"].dtype == np.float32
    assert not np.array_equal(one["x"], other["x"])
    assert onnxcmp.compare(plain, plain, one).verdict == "same"


def test_maps_have_no_order():
    left = {"m": {1: 1.0, 2: 2.0}, "s": [{"x": 1.0, "y": 2.0}]}
    turned = {"m": {2: 2.0, 1: 1.0}, "s": [{"y": 2.0, "x": 1.0}]}
    assert onnxcmp.compare(left, turned).verdict == "same"
    assert onnxcmp.compare(left, {**turned, "m": {2: 1.0, 1: 2.0}}).verdict == "different"
    assert onnxcmp.compare(left, {**turned, "s": [{"y": 2.0, "z": 1.0}]}).verdict == "different"


class Printer:
    """As IPython has it."""

    def __init__(self, indentation=0):
        self.indentation, self.shown = indentation, ""

    def text(self, text):
        self.shown += text


def test_what_a_notebook_shows(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, {"x": x})
    for shown in (c, c.table(), c.explain("b")):
        printer = Printer()
        shown._repr_pretty_(printer, False)
        assert printer.shown == str(shown) and printer.shown.count("\n") > 5
    among_others = Printer(indentation=1)
    c._repr_pretty_(among_others, False)
    assert among_others.shown == repr(c) and "\n" not in repr(c)
    assert c._repr_html_().startswith("<iframe srcdoc=") and "border-box" in c._repr_html_()


def test_records_are_a_line_each(plain, wrong, x):
    c = onnxcmp.compare(plain, wrong, {"x": x})
    for one in (*c.rows, *c.causes, *c.outputs):
        assert len(repr(one)) < 200 and "\n" not in repr(one), one
    assert "epsilon" in repr(c.causes[0]) and "LayerNormalization b" in repr(c.causes[0])
    row = next(row for row in c.rows if row.name == "b")
    assert "different" in repr(row) and "12 of 12 beyond" in repr(row)
    assert "different" not in repr(next(row for row in c.rows if row.name == "a"))

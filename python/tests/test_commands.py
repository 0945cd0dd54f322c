"""Commands of the program as functions: chain, bisect, reduce, extract, cut, show, fusions, batch,
generate."""

import numpy as np
import onnx
import pytest
from conftest import ROOT, info, layers, model_of
from onnx import helper

import onnxcmp


@pytest.fixture
def shifted():
    return layers(epsilon=0.1, bias=0.5)


def test_chain(plain, wrong, shifted, x):
    c = onnxcmp.chain(plain, plain, wrong, shifted, feeds={"x": x})
    assert not c and c.verdict == "different" and c.exit_status == 1
    assert [step.verdict for step in c.steps] == ["same", "different", "different"]
    assert c.broken_by == 1 and "epsilon" in c.broken_step.causes[0]
    assert c.steps[0].against_first.verdict == "same" and bool(c.steps[0])
    assert "epsilon" in str(c) and "iframe" in c._repr_html_() and c.to_dict()["broken_by"] == 1
    assert list(c.to_dataframe()["verdict"]) == ["same", "different", "different"]
    assert "/tmp" not in str(c) and "/tmp" not in c.html()


def test_chain_of_names_and_files(plain, wrong, files):
    named = onnxcmp.chain({"before": plain, "after": wrong})
    assert named.models == ("before.onnx", "after.onnx")
    assert onnxcmp.chain([files[0], files[0]])
    with pytest.raises(ValueError, match="no name"):
        onnxcmp.chain({"a/b": plain, "c": plain})


def test_chain_of_recordings(plain, x):
    kept = onnxcmp.record(plain, {"x": x})
    assert onnxcmp.chain(plain, kept)


def test_bisect_values(plain, wrong):
    made = []

    def make(number):
        made.append(number)
        return wrong if number >= 13 else plain

    found = onnxcmp.bisect(range(30), make=make)
    assert not found and found.first_bad_value == 13 and found.candidates[13] == "13"
    assert len(made) < 10 and "epsilon" in found.step.causes[0]
    assert {trial.answer for trial in found.log} == {"good", "bad"}
    assert "first bad" in str(found) and not hasattr(found, "_repr_html_")


def test_bisect_skips_what_cannot_be_made(plain, wrong):
    def make(number):
        if number == 7:
            raise RuntimeError("no such version")
        return None if number == 8 else wrong if number >= 10 else plain

    found = onnxcmp.bisect(range(16), make=make, every=True)
    assert found.first_bad_value == 10
    assert [t.candidate for t in found.log if t.answer == "skip"] == [7, 8]


def test_bisect_whose_first_is_not_made():
    with pytest.raises(onnxcmp.Error, match=r"make\(0\) raised ZeroDivisionError") as caught:
        onnxcmp.bisect(range(3), make=lambda number: 1 / number)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_models_with_external_data(plain, wrong, tmp_path):
    """Objects and files that make() gives keep their weights."""
    paths = []
    for name, model in (("plain", plain), ("wrong", wrong)):
        folder = tmp_path / name
        folder.mkdir()
        copy = onnx.ModelProto.FromString(model.SerializeToString())  # which is changed
        onnx.save(copy, folder / "m.onnx", save_as_external_data=True, size_threshold=0)
        paths.append(folder / "m.onnx")
    found = onnxcmp.bisect(range(4), make=lambda number: paths[number >= 2])
    assert found.first_bad_value == 2
    onnx_ir = pytest.importorskip("onnx_ir")
    models = [onnx_ir.load(path) for path in paths]
    assert onnxcmp.chain(*models).verdict == "different"
    assert onnxcmp.reduce(*models).left.nodes == 1
    assert onnxcmp.chain({"v1.2": models[0], "v1.3": models[0]}).models == (
        "v1.2.onnx", "v1.3.onnx")


def test_bisect_models(plain, wrong, files):
    assert onnxcmp.bisect([plain, plain, wrong, wrong]).first_bad == 2
    assert onnxcmp.bisect({"a": plain, "b": wrong}).candidates == ("a.onnx", "b.onnx")
    assert onnxcmp.bisect([files[0], files[0]])
    assert onnxcmp.bisect([plain, wrong], reference=wrong, every=True).log[0].answer == "bad"


def test_bisect_by_a_function(plain, wrong):
    def check(model):
        return model.graph.node[1].attribute[0].f < 0.01

    assert onnxcmp.bisect([plain, plain, wrong], check=check).first_bad == 2


def test_reduce_by_a_function(plain, tmp_path):
    calls = []

    def check(model):
        calls.append(len(model.graph.node))
        assert all(node.op_type != "LayerNormalization" for node in model.graph.node)
        return True

    part = onnxcmp.reduce(plain, check=check, out=tmp_path / "small")
    assert part.nodes == 1 and part.model.graph.node[0].op_type == "LayerNormalization"
    assert calls[0] == 4 and list(part.inputs) == ["a"]
    assert "check(model)" in part.report and "socket" not in part.report
    assert not (tmp_path / "small" / "check.sh").exists()
    onnx.checker.check_model(part.model, full_check=True)
    with pytest.raises(onnxcmp.Error, match="does not fail"):
        onnxcmp.reduce(plain, check=lambda model: True)


def test_reduce_keeps_the_kind_of_exception(plain):
    """A candidate that fails in another way is none."""

    def check(model):
        operators = [node.op_type for node in model.graph.node]
        if "Add" not in operators:
            raise KeyError("another failure")
        if "LayerNormalization" in operators:
            raise ValueError("this failure")
        return True

    assert {n.op_type for n in onnxcmp.reduce(plain, check=check).model.graph.node} == {
        "Add", "LayerNormalization"}


def test_reduce_hands_over_inputs(plain, x):
    def check(model, inputs):
        return all(np.abs(value).max() < 1 for value in inputs.values())

    part = onnxcmp.reduce(plain, check=check, feeds={"x": x})
    assert max(np.abs(value).max() for value in part.inputs.values()) >= 1


def test_reduce_two_models(plain, wrong):
    pair = onnxcmp.reduce(plain, wrong)
    assert pair.left.nodes == pair.right.nodes == 1 and list(pair.inputs) == ["a"]
    assert not onnxcmp.compare(pair.left.path, pair.right.path, pair.inputs)


def test_extract_and_cut(plain, wrong, x):
    part = onnxcmp.extract(plain, from_="a", to=["b"], feeds={"x": x})
    assert [node.op_type for node in part.model.graph.node] == ["LayerNormalization"]
    assert part.inputs["a"].shape == (3, 4)
    before, after = onnxcmp.cut(plain, wrong, at="b", feeds={"x": x})
    assert not onnxcmp.compare(before.left.path, before.right.path, before.inputs)
    assert onnxcmp.compare(after.left.path, after.right.path, after.inputs)


def test_fix(plain, wrong, x, tmp_path):
    made = onnxcmp.fix(plain, wrong, feeds={"x": x})
    assert made and made.agrees and len(made.edits) == 1 and made.edits[0].after == 0
    assert str(made).startswith("fix ") and "makes the outputs agree" in str(made)
    assert onnxcmp.compare(plain, made.model, {"x": x})
    assert "import onnx" in made.script
    same = onnxcmp.fix(plain, plain, feeds={"x": x}, out=tmp_path / "none.onnx")
    assert same.edits == () and same.path is None and same.model is None and not same
    assert not (tmp_path / "none.onnx").exists()


def test_show(plain, wrong):
    one, two = onnxcmp.show(plain), onnxcmp.show(plain, wrong)
    assert "LayerNormalization" in str(one) and one.svg().startswith("<svg")
    assert one.to_dict() and "digraph" in one.dot() and "iframe" in one._repr_html_()
    assert "epsilon" in str(two)
    assert "LayerNormalization" in str(onnxcmp.fusions(plain))
    assert onnxcmp.fusions(plain).to_dict()["format"] == "onnxcmp blocks"


def test_generate():
    models = ROOT / "testdata/generate"
    cached, restarted = models / "cached.onnxtxt", models / "restarted.onnxtxt"
    found = onnxcmp.generate(cached, models / "plain.onnxtxt", steps=3, prompt=[[1, 2, 3], [4]])
    assert found and len(found.steps) == 3 and len(found.steps[0]["rows"]) == 2
    assert "the logits of 3 steps agree" in str(found)
    wrong = onnxcmp.generate(cached, restarted, steps=3)
    assert not wrong and wrong.failing_step == 1
    alone = onnxcmp.generate(restarted, invariants=True)
    assert not alone and alone.invariants[0]["result"] == "lines"
    with pytest.raises(onnxcmp.Error, match="cannot take token 16"):
        onnxcmp.generate(cached, cached, prompt=[16], steps=1)


def test_samples(plain, wrong, x):
    rows = [{"x": x + i} for i in range(3)]
    same = onnxcmp.samples(plain, plain, rows)
    assert same and same.to_dict()["compared"] == 3 and same.layers == []
    found = onnxcmp.samples(plain, wrong, {"x": np.stack([row["x"] for row in rows])})
    assert not found and found.headline in str(found) and "/tmp" not in str(found)
    assert found.layers[0]["operator"] == "LayerNormalization"
    assert list(found.to_dataframe()["result"])[0] == found.layers[0]["result"]
    assert onnxcmp.samples(plain, wrong, rows, fail_if="sqnr < -300")
    with pytest.raises(ValueError, match="first axis"):
        onnxcmp.samples(plain, plain, {"x": x, "y": x[:0]})
    bad = onnxcmp.samples(plain, plain, [rows[0], {"x": x[..., :1]}])
    assert not bad and bad.failed[0]["name"] == "1"


@pytest.mark.parametrize("ray", [False, "local"])
def test_samples_in_parts(plain, wrong, x, ray):
    if ray:
        pytest.importorskip("ray")
    rows = [{"x": x + i} for i in range(7)]
    whole = onnxcmp.samples(plain, wrong, rows, labels=range(4, 11), task="y=regression")
    parts = onnxcmp.samples(plain, wrong, rows, labels=range(4, 11), task="y=regression", workers=3,
                            ray=ray)
    assert parts.to_dict() == whole.to_dict() and not parts
    with pytest.raises(onnxcmp.Error, match="no such output"):
        onnxcmp.samples(plain, wrong, rows, task="z=ids", workers=2)


def test_samples_of_a_dataset(plain, x, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"x": [x.tolist(), (x + 1).tolist()], "label": [1, 2], "id": [7, 8]})
    with pyarrow.OSFile(str(tmp_path / "data-00000-of-00001.arrow"), "wb") as file:
        with pyarrow.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    assert onnxcmp.samples(plain, plain, tmp_path).outputs[0]["labelled"] == 2


def test_generate_chain():
    models = ROOT / "testdata/generate"
    chain = [models / f"{name}.onnxtxt" for name in ("cached", "plain", "restarted")]
    found = onnxcmp.generate_chain(*chain, steps=3, prompt=[1, 2, 3])
    assert not found and found.broken_by == 1
    assert "pass 1 is the first whose decoders part" in str(found)
    assert onnxcmp.generate_chain(chain[:2], steps=3)


def test_generate_from_text(tmp_path):
    cached = (ROOT / "testdata/generate/cached.onnxtxt").read_text()
    model = tmp_path / "model.onnxtxt"
    model.write_text(cached)
    with pytest.raises(onnxcmp.Error, match="takes a tokenizer.json beside a model"):
        onnxcmp.generate(model, model, prompt="a b", steps=1)
    tokenizers = pytest.importorskip("tokenizers")
    words = tokenizers.models.WordLevel({"[UNK]": 0, "a": 3, "b": 5}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    found = onnxcmp.generate(model, model, prompt="a b a", steps=2)
    assert found.to_dict()["prompts"] == [[3, 5, 3]]
    (tmp_path / "prompt.txt").write_text("b a")
    np.save(tmp_path / "prompt.npy", np.array([[1, 2]]))
    for name, tokens in (("prompt.txt", [5, 3]), ("prompt.npy", [1, 2])):
        found = onnxcmp.generate(model, model, prompt=tmp_path / name, steps=1)
        assert found.to_dict()["prompts"] == [tokens]
    several = onnxcmp.generate(model, model, prompt=["a b", [7, 8, 9]], steps=2)
    assert several.to_dict()["prompts"] == [[3, 5], [7, 8, 9]]
    with pytest.raises(onnxcmp.Error, match="its text is empty"):
        onnxcmp.generate(model, model, prompt="", steps=1)


def test_generate_beside_a_recording(tmp_path):
    """States that were recorded are compared, and fed to the step that fails."""
    model = ROOT / "testdata/generate/cached.onnxtxt"
    evaluator = onnxcmp.Evaluator(model)
    names = [output.name for output in evaluator.get_outputs()]
    past = {f"past_{name}_{i}": np.zeros((1, 2, 0, 4), np.float32)
            for i in range(2) for name in ("key", "value")}
    tokens, before = [3, 1, 2], 0
    for step in range(3):
        total = before + len(tokens)
        feeds = {"input_ids": np.array([tokens]), **past,
                 "attention_mask": np.ones((1, total), np.int64),
                 "position_ids": np.arange(before, total)[None]}
        outputs = dict(zip(names, evaluator.run(None, feeds)))
        np.savez(tmp_path / f"step_{step}.npz", **feeds, **outputs)
        past = {name: outputs[name.replace("past", "present")] for name in past}
        tokens, before = [int(outputs["logits"][0, -1].argmax())], total
    assert onnxcmp.generate(model, tmp_path)
    text = model.read_text().replace("lines = Range(before, total, one)",
                                     "lines = Range(none, length, one)")
    faulty = tmp_path.parent / "faulty.onnxtxt"
    faulty.write_text(text)
    wrong = onnxcmp.generate(tmp_path, faulty)
    assert wrong.failing_step == 1 and wrong.steps[1]["state"] == "present_key_1"
    assert "compared on the recorded inputs" in " ".join(wrong.to_dict()["lines"])


def test_batch(plain, wrong, x, tmp_path):
    pairs = [
        (plain, plain),
        (plain, wrong, {"x": x}),
        {"name": "known", "left": plain, "right": wrong, "expect": ["different"]},
    ]
    done = onnxcmp.batch(pairs=pairs, out=tmp_path / "out", jobs=1)
    assert not done and len(done) == 3
    assert [one.verdict for one in done] == ["same", "different", "different"]
    assert [bool(one) for one in done] == [True, False, True]
    assert "epsilon" in done["known"].causes[0]["finding"] and "iframe" in done._repr_html_()
    assert list(done.to_dataframe()["name"]) == ["pair_0", "pair_1", "known"]
    assert onnxcmp.batch(pairs=pairs[:1])
    assert onnxcmp.batch(pairs=pairs[1:2], options=["--rtol", "10", "--atol", "10"])


def test_several_sets_of_inputs(plain, wrong, x):
    c = onnxcmp.chain(plain, wrong, feeds=[{"x": x}, {"x": x[:1]}])
    assert c.steps[0].sets == 2


def test_errors_are_those_of_the_command_line(plain):
    with pytest.raises(onnxcmp.Error, match="two models at least"):
        onnxcmp.chain(plain)
    with pytest.raises(onnxcmp.Error, match="there is no option nosuch"):
        onnxcmp.chain(plain, plain, nosuch=1)
    with pytest.raises(onnxcmp.Error, match="nope.onnx"):
        onnxcmp.show("nope.onnx")
    with pytest.raises(TypeError, match="an empty list"):
        onnxcmp.chain(plain, plain, feeds=[])
    broken = model_of([helper.make_node("Nope", ["x"], ["y"])], [info("x")], [info("y")])
    with pytest.raises(onnxcmp.Error, match="neither known nor a function"):
        onnxcmp.chain(plain, broken)


def test_a_function_that_ends_the_call(plain):
    """What is no exception of a check goes on, and the command ends."""

    def check(model):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        onnxcmp.reduce(plain, check=check)

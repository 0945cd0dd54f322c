"""run_aligned(): an exported program beside its model."""

import subprocess
import sys

import numpy as np
import onnx
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")

from onnxcmp.compat import (  # noqa: E402
    ExtendedReferenceEvaluator,
    ReplayConfiguration,
    RunAlignedRecord,
    run_aligned,
)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(4, 8), torch.nn.Linear(8, 4)
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, x):
        left, right = torch.split(self.norm(torch.relu(self.one(x))), 4, dim=-1)
        return self.two(torch.cat([right, left.exp()], dim=-1))


@pytest.fixture(scope="module")
def exported():
    torch.manual_seed(0)
    net, args = Net().eval(), (torch.randn(3, 4),)
    program = torch.export.export(net, args)
    return program, torch.onnx.export(net, args, dynamo=True).model_proto, args


def copy_of(model):
    return onnx.load_from_string(model.SerializeToString())


def wrong(model):
    """The same with another epsilon."""
    changed = copy_of(model)
    (norm,) = (n for n in changed.graph.node if n.op_type == "LayerNormalization")
    (epsilon,) = (a for a in norm.attribute if a.name == "epsilon")
    epsilon.f = 1.0
    return changed, norm.output[0]


def renamed(model):
    """Results have names that say nothing."""
    changed = copy_of(model)
    names = {out: f"r{i}_{j}" for i, node in enumerate(changed.graph.node)
             for j, out in enumerate(node.output)}
    for node in changed.graph.node:
        node.input[:] = [names.get(n, n) for n in node.input]
        node.output[:] = [names.get(n, n) for n in node.output]
    for out in changed.graph.output:
        out.name = names[out.name]
    return changed


def test_every_result_of_both(exported):
    program, model, args = exported
    records = list(run_aligned(program, model, None, args, run_onnx_with_torch_inputs=True))
    assert all(isinstance(r, RunAlignedRecord) for r in records)
    keys = [r.key for r in records]
    assert len(set(keys)) == len(keys)
    x = next(r for r in records if r.ep_name == "x")
    assert (x.onnx_name, x.ep_target, x.onnx_op_type, x.ep_shape_type, x.onnx_shape_type) == (
        "x", "input", "input", "CT1s3x4", "A1s3x4")
    weights = {r.onnx_name for r in records if r.onnx_op_type == "initializer" and r.ep_name}
    assert weights >= {"one.weight", "one.bias", "two.weight", "two.bias", "norm.weight"}
    nodes = [r for r in records if (r.onnx_id_node or 0) >= 0 and r.ep_target not in
             ("input", "placeholder") and r.onnx_op_type != "initializer"]
    assert {r.onnx_id_node for r in nodes} == set(range(len(model.graph.node)))
    for r in nodes:
        assert r.err_abs < 1e-5 and r.err_abs2 < 1e-5 and r.err_dev == 0 and r.err_nan == 0
        assert r.ep_time_run > 0 and r.onnx_time_run > 0 and r.comment is None
        assert model.graph.node[r.onnx_id_node].op_type == r.onnx_op_type
        assert model.graph.node[r.onnx_id_node].output[r.onnx_id_output] == r.onnx_name
        assert list(program.graph.nodes)[r.ep_id_node].name == r.ep_name


def test_only_the_wrong_node_is_wrong_on_the_programs_values(exported):
    program, model, args = exported
    changed, name = wrong(model)
    records = list(run_aligned(program, changed, None, args, atol=1e-4, rtol=1e-3,
                               run_onnx_with_torch_inputs=True))
    assert {r.onnx_name for r in records if (r.err_abs2 or 0) > 1e-3} == {name}
    assert len({r.onnx_name for r in records if (r.err_abs or 0) > 1e-3}) > 2
    assert "beyond" in next(r for r in records if r.onnx_name == name).comment


def test_names_need_not_be_equal(exported):
    program, model, args = exported
    want = [(r.ep_name, r.onnx_id_node) for r in run_aligned(program, model, None, args)]
    got = [(r.ep_name, r.onnx_id_node) for r in run_aligned(program, renamed(model), None, args)]
    assert got == want


def test_names_that_are_equal_by_chance(exported):
    program, model, args = exported
    changed = renamed(model)
    # The name of the first layer for what the second one gives.
    torch_name = next(n.name for n in program.graph.nodes if n.op == "call_function")
    gemm = next(n for n in changed.graph.node if n.op_type == "Relu")
    old = gemm.output[0]
    for node in changed.graph.node:
        node.input[:] = [torch_name if n == old else n for n in node.input]
    gemm.output[0] = torch_name
    records = list(run_aligned(program, changed, None, args))
    assert all(r.err_abs < 1e-5 for r in records if r.err_abs is not None)


def test_another_evaluator_runs_each_node(exported):
    program, model, args = exported
    from onnx.reference import ReferenceEvaluator

    ours = list(run_aligned(program, model, ExtendedReferenceEvaluator, args))
    theirs = list(run_aligned(program, model, ReferenceEvaluator, args,
                              run_onnx_with_torch_inputs=True))
    assert [r.key for r in theirs] == [r.key for r in ours]
    assert all(r.err_abs < 1e-5 for r in theirs if r.err_abs is not None)
    assert all(r.err_abs2 < 1e-5 for r in theirs if r.err_abs2 is not None)


def test_reset_names(exported):
    program, model, args = exported
    changed, name = wrong(model)
    reset = next(r.ep_name for r in run_aligned(program, changed, None, args)
                 if r.onnx_name == name)
    records = list(run_aligned(program, changed, None, args, reset_names=[reset]))
    assert [r.onnx_name for r in records if r.onnx_op_type == "reset"] == [name]
    assert {r.onnx_name for r in records if (r.err_abs or 0) > 1e-3} == {name}
    with pytest.raises(ValueError, match="nobody"):
        list(run_aligned(program, changed, None, args, reset_names=["nobody"]))


def test_smallest_model_that_replays(exported, tmp_path):
    program, model, args = exported
    changed, name = wrong(model)
    replay = ReplayConfiguration(str(tmp_path), selected_op_types={"LayerNormalization"},
                                 threshold=None, dump_prefix_model=True)
    list(run_aligned(program, changed, None, args, replay_configuration=replay))
    (folder,) = tmp_path.iterdir()
    small = onnx.load(folder / "model.onnx")
    onnx.checker.check_model(small)
    assert [n.op_type for n in small.graph.node] == ["LayerNormalization"]
    assert [o.name for o in small.graph.output] == [name]
    for file in ("model.inputs.onnx", "model.outputs.onnx"):
        onnx.checker.check_model(onnx.load(folder / file))
    ran = subprocess.run([sys.executable, folder / "replay.py"], capture_output=True, text=True)
    assert ran.returncode == 0 and "torch_inputs {'abs': " in ran.stdout, ran.stderr
    # As a test of the program, which fails, and would not with the epsilon of the module.
    test = [sys.executable, "-m", "onnxcmp", "test", folder]
    assert subprocess.run(test, capture_output=True).returncode == 1
    small.graph.node[0].attribute.extend([onnx.helper.make_attribute("epsilon", 1e-5)])
    del small.graph.node[0].attribute[[a.name for a in small.graph.node[0].attribute].index("epsilon")]
    onnx.save(small, folder / "model.onnx")
    assert subprocess.run(test, capture_output=True).returncode == 0


def test_replay_of_a_model_with_external_data(exported, tmp_path):
    program, model, args = exported
    onnx.save(copy_of(model), tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0)
    replay = ReplayConfiguration(str(tmp_path / "replay"), selected_op_types={"Gemm"}, threshold=None)
    list(run_aligned(program, tmp_path / "m.onnx", None, args, replay_configuration=replay))
    for folder in (tmp_path / "replay").iterdir():
        ran = subprocess.run([sys.executable, folder / "replay.py"], capture_output=True, text=True)
        assert ran.returncode == 0 and "torch_inputs {'abs': " in ran.stdout, ran.stderr


def test_neither_the_program_nor_its_arguments_are_written_to():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(3))

        def forward(self, x):
            self.count.add_(x)
            x.mul_(2)
            return x + self.count

    program = torch.export.export(Counting(), (torch.ones(3),))
    model = torch.onnx.export(Counting().eval(), (torch.ones(3),), dynamo=True).model_proto
    x = torch.ones(3)
    for _ in range(2):
        records = list(run_aligned(program, model, None, (x,)))
        assert records and all(not r.err_abs for r in records)
    assert x.tolist() == [1, 1, 1] and program.state_dict["count"].tolist() == [0, 0, 0]


def test_bad_input(exported):
    program, model, args = exported
    with pytest.raises(Exception, match="more inputs"):
        list(run_aligned(program, model, None, ()))
    with pytest.raises(Exception, match="more inputs"):
        list(run_aligned(program, model, None, (*args, *args)))
    with pytest.raises(TypeError, match="no model"):
        list(run_aligned(program, 3, None, args))
    with pytest.raises(TypeError, match="run_cls"):
        list(run_aligned(program, model, 3, args))
    with pytest.raises(ValueError, match="dump_folder"):
        ReplayConfiguration("")
    broken = copy_of(model)
    broken.graph.node[0].op_type = "Nobody"
    with pytest.raises(Exception, match="Nobody"):
        list(run_aligned(program, broken, None, args))
    (record,) = run_aligned(program, broken, None, args, exc=False)
    assert "Nobody" in record.comment


def test_bfloat16():
    class Half(torch.nn.Module):
        def forward(self, x):
            return (x.to(torch.bfloat16) * 3).to(torch.float32)

    args = (torch.randn(3, 4),)
    model = torch.onnx.export(Half(), args, dynamo=True).model_proto
    records = list(run_aligned(torch.export.export(Half(), args), model, None, args,
                               run_onnx_with_torch_inputs=True))
    assert "CT16s3x4" in {r.ep_shape_type for r in records}
    assert all(np.isfinite(r.err_abs) for r in records if r.err_abs is not None)


def test_results_of_like_names_have_folders_of_their_own(tmp_path):
    from onnxcmp._replay import dump_replay

    model = onnx.parser.parse_model(
        '<ir_version: 9, opset_import: ["": 18]> g (float[2] x) => (float[2] "a/b", float[2] a_b) '
        '{ "a/b" = Neg(x) a_b = Abs(x) }')
    x = np.array([1, -2], np.float32)
    values = {"x": x, "a/b": -x, "a_b": np.abs(x)}
    replay = ReplayConfiguration(str(tmp_path))
    first, second, again = (dump_replay(replay, model, name, values, values)
                            for name in ("a/b", "a_b", "a/b"))
    assert first == again != second
    assert [onnx.load(f / "model.onnx").graph.node[0].op_type for f in (first, second)] == ["Neg", "Abs"]

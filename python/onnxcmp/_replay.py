"""The smallest model that replays a difference between an exported program and its model."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import typing

from ._values import onnx_type_of, to_array

_SCRIPT = '''"""Runs the model on the program's values for its inputs, and on the model's own.

test_data_set_0: the program's inputs, test_data_set_1: the model's; both with what the program gave.
"""

import glob
import os

import onnx

from onnxcmp import Evaluator
from onnxcmp.compat import max_diff

here = os.path.dirname(os.path.abspath(__file__))
evaluator = Evaluator(os.path.join(here, "model.onnx"))


def tensors(kind, folder):
    for path in sorted(glob.glob(os.path.join(here, folder, f"{kind}_*.pb"))):
        with open(path, "rb") as file:
            tensor = onnx.TensorProto.FromString(file.read())
        yield tensor.name, onnx.numpy_helper.to_array(tensor)


for folder, text in (("test_data_set_0", "torch_inputs"), ("test_data_set_1", "onnx_inputs")):
    feeds = dict(tensors("input", folder))
    ((name, expected),) = tensors("output", folder)
    (got,) = evaluator.run([name], feeds)
    print(text, max_diff(expected, got, hist=[0.1, 0.01]))
'''


@dataclasses.dataclass
class ReplayConfiguration:
    """Which results get a small model, and where: those with a name of selected_names, an operator
    of selected_op_types, or an absolute error of at least the threshold (None: by no error).
    dump_prefix_model: also what comes before the small model, and everything up to its output."""

    dump_folder: str
    selected_names: typing.Collection[str] | None = None
    selected_op_types: typing.Collection[str] | None = None
    threshold: float | None = 0.1
    dump_prefix_model: bool = False

    def __post_init__(self) -> None:
        if not self.dump_folder:
            raise ValueError("dump_folder is empty")

    def select(
        self, name: str | None = None, op_type: str | None = None, err_abs: float | None = None
    ) -> bool:
        """True if a result of that name, operator and error is to be written."""
        return bool(
            (name and name in (self.selected_names or ()))
            or (op_type and op_type in (self.selected_op_types or ()))
            # NaN is far, too.
            or (err_abs is not None and self.threshold is not None
                and not err_abs < self.threshold)
        )


def hidden_names(node: typing.Any) -> list[str]:
    """Names that the graphs in a node take from around it."""
    names: list[str] = []
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            own = {one.name for one in [*graph.input, *graph.initializer]}
            for inner in graph.node:
                names.extend(n for n in [*inner.input, *hidden_names(inner)] if n and n not in own)
                own.update(inner.output)
    return list(dict.fromkeys(names))


def _nodes_for(graph: typing.Any, wanted: typing.Iterable[str], cuts: typing.Container[str]
               ) -> tuple[list[typing.Any], set[str]]:
    """The nodes that give the wanted results from those of `cuts`, and all names that they read."""
    makers = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    taken: set[int] = set()
    read: set[str] = set()
    todo = [makers[name] for name in wanted if name in makers]
    while todo:
        number = todo.pop()
        if number in taken:
            continue
        taken.add(number)
        node = graph.node[number]
        for name in [*node.input, *hidden_names(node)]:
            if not name:
                continue
            read.add(name)
            if name not in cuts and name in makers:
                todo.append(makers[name])
    return [graph.node[i] for i in sorted(taken)], read


def _sub_model(model: typing.Any, nodes: list[typing.Any], read: set[str], outputs: list[str],
               values: typing.Mapping[str, typing.Any]) -> typing.Any:
    import onnx

    made = {name for node in nodes for name in node.output}
    constants = [one for one in model.graph.initializer if one.name in read]
    # A node may be there for one of its outputs though another one could be fed.
    inputs = [name for name in values
              if name in read - made and name not in {one.name for one in constants}]

    def info(name: str) -> typing.Any:
        array = to_array(values[name], name)
        return onnx.helper.make_tensor_value_info(name, onnx_type_of(array), array.shape)

    graph = onnx.helper.make_graph(nodes, "replay", [info(n) for n in inputs],
                                   [info(n) for n in outputs], constants)
    return onnx.helper.make_model(graph, opset_imports=model.opset_import,
                                  ir_version=model.ir_version, functions=model.functions)


def _write_set(folder: pathlib.Path, inputs: list[tuple[str, typing.Any]],
               output: tuple[str, typing.Any]) -> None:
    import onnx

    folder.mkdir(parents=True, exist_ok=True)
    for kind, entries in (("input", inputs), ("output", [output])):
        for i, (name, value) in enumerate(entries):
            tensor = onnx.numpy_helper.from_array(to_array(value, name), name)
            (folder / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString())


def _shown_name(folder: pathlib.Path) -> str | None:
    """The result that the model in a folder gives; None: there is no such folder."""
    import onnx

    try:
        data = (folder / "test_data_set_0" / "output_0.pb").read_bytes()
    except FileNotFoundError:
        return None
    return str(onnx.TensorProto.FromString(data).name)


def _folder_of(name: str, parent: pathlib.Path) -> pathlib.Path:
    """A folder for a result, which no other one has: `a/b` and `a_b` are two."""
    plain = name.replace(":", "_").replace("/", "_")
    folder, number = parent / plain, 1
    while _shown_name(folder) not in (None, name):
        number += 1
        folder = parent / f"{plain}_{number}"
    return folder


def dump_replay(
    configuration: ReplayConfiguration, model: typing.Any, name: str,
    onnx_values: typing.Mapping[str, typing.Any], torch_values: typing.Mapping[str, typing.Any],
) -> pathlib.Path:
    """Writes the nodes between a result and those before it that the program has too, as a model
    with tests (ONNX's layout) and a script. Values by the model's names. Gives the folder."""
    import onnx

    folder = _folder_of(name, pathlib.Path(configuration.dump_folder))
    folder.mkdir(parents=True, exist_ok=True)
    initializers = {one.name for one in model.graph.initializer}
    fed = {n for n in torch_values if n in onnx_values and n != name and n not in initializers}
    nodes, read = _nodes_for(model.graph, [name], fed)
    small = _sub_model(model, nodes, read, [name], onnx_values)
    onnx.save(small, os.fspath(folder / "model.onnx"))
    inputs = [one.name for one in small.graph.input]
    output = (name, torch_values[name])
    _write_set(folder / "test_data_set_0",
               [(n, torch_values.get(n, onnx_values[n])) for n in inputs], output)
    _write_set(folder / "test_data_set_1", [(n, onnx_values[n]) for n in inputs], output)
    (folder / "replay.py").write_text(_SCRIPT)
    if configuration.dump_prefix_model:
        for file, wanted in (("model.inputs.onnx", inputs), ("model.outputs.onnx", [name])):
            before, needs = _nodes_for(model.graph, wanted, ())
            if before:
                made = {n for node in before for n in node.output}
                wanted = [n for n in wanted if n in made]
                onnx.save(_sub_model(model, before, needs, wanted, onnx_values),
                          os.fspath(folder / file))
    return folder

"""score_generate.py ONNXCMP MODEL...: counts how many faults of decoders onnxcmp generate finds.

Each model is a decoder (.onnx), with caches that grow or without. Faults of 18 kinds are put into
copies of it, in each place where the kind fits, and each copy is compared with the model over six
steps, on two prompts of unequal length where the model has a mask and a free batch; then it is
tried by itself. A model with caches is also split: one without a past reads the prompt, and the
copy goes on with its states, or a copy without a past reads the prompt for the model. Printed for
each fault: found or not, the step, whether the first cause has a node of the fault (`node`), and
the property that is broken alone with the node there. Needs Python's onnx.
"""

import collections
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import helper, numpy_helper


class Graph:
    """A copy of a model in which nodes are put between others."""

    def __init__(self, model):
        self.model = copy.deepcopy(model)
        self.graph = self.model.graph
        self.names = []  # of the fault: results that are wrong, nodes that make them
        self.count = 0

    def inputs(self):
        known = {tensor.name for tensor in self.graph.initializer}
        return [value for value in self.graph.input if value.name not in known]

    def makers(self):
        return {name: node for node in self.graph.node for name in node.output}

    def constant(self, array):
        self.count += 1
        name = f"fault_constant_{self.count}"
        self.graph.initializer.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def node(self, place, operator, inputs, **attributes):
        self.count += 1
        name = f"fault_{self.count}"
        made = helper.make_node(operator, inputs, [name], name=name, **attributes)
        self.graph.node.insert(place, made)
        self.names.append(name)
        return name

    def place(self, node):
        return next(i for i, other in enumerate(self.graph.node) if other is node)

    def replace(self, node, slot, make):
        """make(place, name) puts nodes before `node` and returns what it reads instead."""
        before = len(self.graph.node)
        place = self.place(node)
        name = make(lambda: place + len(self.graph.node) - before, node.input[slot])
        node.input[slot] = name
        self.names.append(node.output[0])


def states(graph):
    return [v.name for v in graph.inputs() if "past" in v.name]


def joins(graph):
    """Concat nodes of a past and what is new, the slot of the past."""
    names = set(states(graph))
    return [
        (node, slot)
        for node in graph.graph.node
        if node.op_type == "Concat"
        for slot, name in enumerate(node.input)
        if name in names
    ]


def softmaxes(graph):
    return [node for node in graph.graph.node if node.op_type == "Softmax"]


def rolled(graph, axis=2):
    def make(place, name):
        axes = graph.constant(numpy.array([axis]))
        one, zero = graph.constant(numpy.array([1])), graph.constant(numpy.array([0]))
        far = graph.constant(numpy.array([2**31]))
        rest = graph.node(place(), "Slice", [name, one, far, axes])
        first = graph.node(place(), "Slice", [name, zero, one, axes])
        return graph.node(place(), "Concat", [rest, first], axis=axis)

    return make


def mask_excludes_itself(model):
    others = {"LessOrEqual": "Less", "GreaterOrEqual": "Greater", "Less": "LessOrEqual",
              "Greater": "GreaterOrEqual"}
    for i, node in enumerate(model.graph.node):
        if node.op_type in others:
            graph = Graph(model)
            graph.graph.node[i].op_type = others[node.op_type]
            graph.names.append(node.output[0])
            yield graph, 0


def past_after_new(model):
    for i in range(len(joins(Graph(model)))):
        graph = Graph(model)
        node, _ = joins(graph)[i]
        node.input[0], node.input[1] = node.input[1], node.input[0]
        graph.names.append(node.output[0])
        yield graph, 1


def past_one_slot_off(model):
    for i in range(len(joins(Graph(model)))):
        graph = Graph(model)
        node, slot = joins(graph)[i]
        graph.replace(node, slot, rolled(graph))
        yield graph, 1


def past_of_another(model):
    count = len(joins(Graph(model)))
    for i in range(0, count - 1, 2):
        graph = Graph(model)
        (a, at), (b, _) = joins(graph)[i : i + 2]
        a.input[at] = b.input[at]
        graph.names.append(a.output[0])
        yield graph, 1


def state_one_slot_off(model):
    """What is returned, not what this step reads."""
    for output in model.graph.output[1:]:
        graph = Graph(model)
        maker = graph.makers()[output.name]
        if maker.op_type != "Concat":
            continue
        inner = "fault_whole"
        for node in graph.graph.node:
            node.input[:] = [inner if name == output.name else name for name in node.input]
        maker.output[0] = inner
        end = len(graph.graph.node)
        before = end
        make = rolled(graph)
        name = make(lambda: before + len(graph.graph.node) - end, inner)
        graph.graph.node.append(helper.make_node("Identity", [name], [output.name]))
        graph.names.append(output.name)
        yield graph, 0


def every_reader(graph, name, make):
    readers = [n for n in graph.graph.node if name in n.input]
    if not readers:
        return False
    place = graph.place(readers[0])
    before = len(graph.graph.node)
    new = make(lambda: place + len(graph.graph.node) - before, name)
    for node in readers:
        node.input[:] = [new if given == name else given for given in node.input]
    return True


def input_like(graph, word):
    return next((v.name for v in graph.inputs() if word in v.name), None)


def positions_restart(model):
    graph = Graph(model)
    name = input_like(graph, "pos")

    def make(place, name):
        zero = graph.constant(numpy.array([0]))
        one = graph.constant(numpy.array([1]))
        first = graph.node(place(), "Slice", [name, zero, one, one])
        return graph.node(place(), "Sub", [name, first])

    if name and every_reader(graph, name, make):
        yield graph, 1


def positions_count_the_past_twice(model):
    graph = Graph(model)
    name, past = input_like(graph, "pos"), states(graph)

    def make(place, name):
        shape = graph.node(place(), "Shape", [past[0]])
        length = graph.node(place(), "Gather", [shape, graph.constant(numpy.array(2))])
        return graph.node(place(), "Add", [name, length])

    if name and past and every_reader(graph, name, make):
        yield graph, 1


def padding_is_seen(model):
    graph = Graph(model)
    name = input_like(graph, "mask")

    def make(place, name):
        none = graph.node(place(), "Mul", [name, graph.constant(numpy.array(0))])
        return graph.node(place(), "Add", [none, graph.constant(numpy.array(1))])

    if name and every_reader(graph, name, make):
        yield graph, "padded"


def window_too_short(model):
    for i in range(len(softmaxes(Graph(model)))):
        graph = Graph(model)

        def make(place, name, graph=graph):
            shape = graph.node(place(), "Shape", [name])
            last = graph.node(place(), "Gather", [shape, graph.constant(numpy.array(-1))])
            zero, one = graph.constant(numpy.array(0)), graph.constant(numpy.array(1))
            slots = graph.node(place(), "Range", [zero, last, one])
            least = graph.node(place(), "Sub", [last, graph.constant(numpy.array(5))])
            old = graph.node(place(), "Less", [slots, least])
            far = graph.constant(numpy.array(-10000, numpy.float32))
            none = graph.constant(numpy.array(0, numpy.float32))
            added = graph.node(place(), "Where", [old, far, none])
            return graph.node(place(), "Add", [name, added])

        graph.replace(softmaxes(graph)[i], 0, make)
        yield graph, "window"


def scores_are_scaled(model):
    for i in range(len(softmaxes(Graph(model)))):
        graph = Graph(model)
        graph.replace(
            softmaxes(graph)[i], 0,
            lambda place, name: graph.node(
                place(), "Mul", [name, graph.constant(numpy.array(1.5, numpy.float32))]
            ),
        )
        yield graph, 0


def softmax_of_another_axis(model):
    for i in range(len(softmaxes(Graph(model)))):
        graph = Graph(model)
        node = softmaxes(graph)[i]
        del node.attribute[:]
        node.attribute.append(helper.make_attribute("axis", 1))
        graph.names.append(node.output[0])
        yield graph, 0


def heads_in_another_order(model):
    makers = Graph(model).makers()
    for i, node in enumerate(model.graph.node):
        maker = makers.get(node.input[0]) if node.input else None
        if node.op_type == "Reshape" and maker is not None and maker.op_type == "Expand":
            graph = Graph(model)
            graph.replace(
                graph.graph.node[i], 0,
                lambda place, name: graph.node(place(), "Transpose", [name], perm=[0, 2, 1, 3, 4]),
            )
            yield graph, 0


def batch_of_one(model):
    graph = Graph(model)
    node = graph.makers()[graph.graph.output[0].name]

    def make(place, name):
        shape = graph.node(place(), "Shape", [name])
        first = graph.node(
            place(), "Gather", [name, graph.constant(numpy.array([0]))], axis=0
        )
        return graph.node(place(), "Expand", [first, shape])

    known = {tensor.name for tensor in graph.graph.initializer}
    graph.replace(node, next(i for i, name in enumerate(node.input) if name not in known), make)
    yield graph, "batch"


def rotation_without_sign(model):
    for i, node in enumerate(model.graph.node):
        if node.op_type == "Neg":
            graph = Graph(model)
            graph.graph.node[i].op_type = "Identity"
            graph.names.append(node.output[0])
            yield graph, 0


def weight_off(model):
    for i, tensor in enumerate(model.graph.initializer):
        if len(tensor.dims) == 2 and tensor.data_type == 1 and min(tensor.dims) > 8:
            graph = Graph(model)
            array = numpy_helper.to_array(tensor).copy()
            array[:, 3] *= 1.5
            graph.graph.initializer[i].CopyFrom(numpy_helper.from_array(array, tensor.name))
            graph.names.append(tensor.name)
            yield graph, 0
            return


def embeddings_of_the_next(model):
    """Tokens plus one."""
    graph = Graph(model)
    tokens = next(v.name for v in graph.inputs() if "ids" in v.name and "pos" not in v.name)
    readers = [n for n in graph.graph.node if n.op_type == "Gather" and n.input[1] == tokens]
    if not readers:
        return
    node = readers[0]

    def make(place, name):
        more = graph.node(place(), "Add", [name, graph.constant(numpy.array(1))])
        return graph.node(place(), "Mod", [more, graph.constant(numpy.array(60))])

    graph.replace(node, 1, make)
    yield graph, 0


def mask_allows_all(model):
    """Positions are still compared, and nothing comes of it."""
    for i, node in enumerate(model.graph.node):
        if node.op_type in COMPARISONS:
            graph = Graph(model)
            name = node.output[0]
            graph.graph.node[i].output[0] = "fault_order"
            graph.graph.node.insert(
                i + 1, helper.make_node("Or", ["fault_order", "fault_not"], [name], name="fault_or")
            )
            graph.graph.node.insert(i + 1, helper.make_node("Not", ["fault_order"], ["fault_not"]))
            graph.names.append(name)
            yield graph, "later"


def mask_is_lost(model):
    """Nothing in the model orders positions any more."""
    found = [i for i, node in enumerate(model.graph.node) if node.op_type in COMPARISONS]
    if not found:
        return
    graph = Graph(model)
    for i in found:
        node = graph.graph.node[i]
        node.op_type = "Equal"
        node.input[1] = node.input[0]
        graph.names.append(node.output[0])
    yield graph, "later"


COMPARISONS = ("LessOrEqual", "GreaterOrEqual", "Less", "Greater")
KINDS = [
    mask_allows_all, mask_is_lost, mask_excludes_itself, past_after_new, past_one_slot_off,
    past_of_another, state_one_slot_off,
    positions_restart, positions_count_the_past_twice, padding_is_seen, window_too_short,
    scores_are_scaled, softmax_of_another_axis, heads_in_another_order, batch_of_one,
    rotation_without_sign, weight_off, embeddings_of_the_next,
]  # fmt: skip


def run(program, *arguments):
    done = subprocess.run(
        [program, "generate", "--quiet", "--format", "json", *map(str, arguments)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"exit_status": done.returncode, "error": done.stderr.strip()}


def has_node(finding, names):
    text = json.dumps(finding)
    return any(f'"{name}' in text or f"{name}" in text for name in names)


def prompt_of(model):
    """The same without a past, for one row."""
    graph = Graph(model)
    for value in list(graph.graph.input):
        if "past" not in value.name:
            continue
        dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        dims[0] = 1  # the batch; lengths are open, and empty
        graph.graph.input.remove(value)
        empty = numpy_helper.from_array(numpy.zeros(dims, numpy.float32), value.name)
        graph.graph.initializer.append(empty)
    return graph.model


def score_split(program, path, folder, graph, step, totals):
    """The faulty model behind a right prompt, and the other way round."""
    right, faulty = onnx.load(path), folder / "faulty.onnx"
    onnx.save(prompt_of(right), folder / "prompt.onnx")
    onnx.save(prompt_of(graph.model), folder / "faulty_prompt.onnx")
    pairs = []
    if step in (0, 1, "window"):
        # The prompt has four tokens, and the window five.
        pairs.append((folder / "prompt.onnx", faulty, 2 if step == "window" else 1))
    if step == 0 or step == "later":
        pairs.append((folder / "faulty_prompt.onnx", path, 0))
    for prompt, steps, expected in pairs:
        report = run(program, path, f"{prompt}+{steps}", "--steps", 6, "--prompt", "3,9,4,1")
        causes = (report.get("comparison") or {}).get("causes", [])[:1]
        found, node = report["exit_status"] == 1, has_node(causes, graph.names)
        totals["split"] += 1
        totals["split found"] += found
        totals["split at the right step"] += report.get("failing_step") == expected
        totals["split node first"] += node
        print(
            f"  split {prompt.stem}+{steps.stem}:", "found" if found else "NOT FOUND",
            f"step {report.get('failing_step')} of {expected}", "node" if node else "NO NODE",
            flush=True,
        )  # fmt: skip


def score(program, path, folder, totals):
    model = onnx.load(path)
    free = not model.graph.input[0].type.tensor_type.shape.dim[0].dim_value
    batch = free and any("mask" in value.name for value in model.graph.input)
    prompts = ["--prompt", "3,9,4,1", "--prompt", "7,2"] if batch else ["--prompt", "3,9,4,1"]
    of_batch = 0 if batch else None
    first_short = {"padded": of_batch, "batch": of_batch, "window": 2, "later": 0}
    caches = bool(states(Graph(model)))
    for kind in KINDS:
        for number, (graph, kind_of_step) in enumerate(kind(model)):
            step = first_short.get(kind_of_step, kind_of_step)
            # Without a past nothing starts anew.
            if step is None or (step == 1 and not caches):
                continue
            faulty = folder / "faulty.onnx"
            onnx.save(graph.model, faulty)
            report = run(program, path, faulty, "--steps", 6, *prompts)
            found = report["exit_status"] != 0
            causes = (report.get("comparison") or {}).get("causes", [])[:1]
            at_step = report.get("failing_step")
            node = has_node(causes, graph.names)
            alone = run(program, faulty, "--invariants")
            broken = [i for i in alone.get("invariants", []) if i["outcome"] == "broken"]
            seen = has_node(broken, graph.names)
            totals["faults"] += 1
            totals["found"] += found
            totals["at the right step"] += at_step == step
            totals["node first"] += node
            totals["broken alone"] += bool(broken)
            totals["node of the broken"] += bool(broken) and seen
            print(
                f"{path.parent.name}/{path.stem} {kind.__name__}.{number}:",
                "found" if found else "NOT FOUND",
                f"step {at_step}" + ("" if at_step == step else f" NOT {step}"),
                "node" if node else "NO NODE",
                "| alone:",
                f"{broken[0]['name']} at {broken[0].get('result', broken[0].get('why'))}"
                if broken else "-",
                "" if not broken else "node" if seen else f"NOT {graph.names[-1]}",
                flush=True,
            )  # fmt: skip
            if kind_of_step == "later":
                # A decoder that lost its mask must not pass.
                totals["lost masks"] += 1
                totals["lost masks that pass alone"] += alone["exit_status"] == 0
            if caches:
                score_split(program, path, folder, graph, kind_of_step, totals)


def main():
    program, *paths = sys.argv[1:]
    totals = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            score(program, pathlib.Path(path), pathlib.Path(folder), totals)
    print(", ".join(f"{name} {count}" for name, count in totals.items()))


if __name__ == "__main__":
    main()

"""torch: the program that a model was exported of, beside the model. Options: program=FILE.pt2, or
FILE.py:FUNCTION that returns a module and its arguments (a tuple; keywords may follow), device=cpu
(cuda, ...), threads=N.

Results are those of the program's fx nodes, under the names that the exporter gave them: it wrote
into the model of which fx node each of its nodes is made."""

import os
import re

from . import base

_FX_NODE = "pkg.torch.onnx.fx_node"
_TARGET = re.compile(r"target=([^\]]+)\]")
# Types of torch that NumPy lacks, by ONNX's names.
_LACKING = {
    base.onnx_name(name): name
    for name in (
        "bfloat16",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
    )
}


def _text(content):
    return bytes(content).decode()


class _Made:
    """A node of the model: its results, and the fx node it is made of."""

    def __init__(self, message):
        self.inputs, self.outputs, self.fx, self.target = [], [], "", ""
        for field, content in base.fields(message):
            if field == 1:
                self.inputs.append(_text(content))
            elif field == 2:
                self.outputs.append(_text(content))
            elif field == 9:
                entry = {number: _text(part) for number, part in base.fields(content)}
                if entry.get(1) == _FX_NODE:
                    described = entry.get(2, "")
                    self.fx = described.split(" ", 1)[0].lstrip("%")
                    found = _TARGET.search(described)
                    self.target = found.group(1) if found else ""


def _nodes(model):
    """Of a serialized model, in order."""
    return [
        _Made(content)
        for number, graph in base.fields(memoryview(model))
        if number == 7
        for field, content in base.fields(graph)
        if field == 1
    ]


def _target(node):
    found = _TARGET.search(node.format_node() or "")
    return found.group(1) if found else ""


def _source(node):
    """The node whose tuple a getitem takes an element of; else the node."""
    while node.op == "call_function" and getattr(node.target, "__name__", "") == "getitem":
        node = node.args[0]
    return node


def results_by_name(made, graph):
    """For names of the model's results: the fx node that gives the same. A node that the exporter
    made otherwise, or an optimizer named anew, has none."""
    nodes = {node.name: node for node in graph.nodes}
    found = {}
    read = {}  # by result: the fx nodes of its readers
    for one in made:
        for name in one.inputs:
            read.setdefault(name, set()).add(one.fx)
    last = {}  # by fx node: results that leave what it became
    for one in made:
        for name in filter(None, one.outputs):
            node = nodes.get(name)
            source = node is not None and _source(node)
            if source and one.fx == source.name and one.target == _target(source):
                found[name] = node
            elif source and one.fx == name and one.target == _target(node):
                found[name] = node
            elif one.fx and read.get(name, {""}) != {one.fx}:
                last.setdefault(one.fx, []).append((name, one.target))
    # Outputs that were given other names.
    taken = {node.name for node in found.values()}
    for fx, names in last.items():
        node = nodes.get(fx)
        if len(names) == 1 and node is not None and fx not in taken and names[0][1] == _target(node):
            found[names[0][0]] = node
    return found


class _Session:
    def __init__(self, inputs, outputs, results):
        self.inputs = inputs  # of the model, by name: the placeholder
        self.outputs = outputs  # by name: the fx node
        self.results = results  # the same


class Adapter(base.Adapter):
    name = "torch"
    module = "torch"
    packages = ("torch",)
    runs_models = False
    options = {"program": "", "device": "cpu", "threads": "0"}

    def __init__(self, options):
        super().__init__(options)
        if not self.chosen["program"]:
            raise base.Refusal("torch needs program=FILE.pt2 or program=FILE.py:FUNCTION")
        import torch

        self.torch = torch
        threads = base.whole_number(self, "threads")
        if threads:
            torch.set_num_threads(threads)
        try:
            self.device = torch.device(self.chosen["device"])
        except RuntimeError as error:
            raise base.Refusal(str(error).split("\n")[0])
        self.exported = self._program()
        self.decomposed = {}

    def version(self):
        return self.torch.__version__

    def place(self):
        return str(self.device).upper()

    def _program(self):
        chosen = self.chosen["program"]
        if not re.search(r"\.py:\w+$", chosen):
            try:
                return self.torch.export.load(chosen)
            except Exception as error:
                reason = str(error).strip().split("\n")[0] or type(error).__name__
                raise base.Refusal(f"{chosen} is no exported program: {reason}")
        path, function = chosen.rsplit(":", 1)
        import importlib.util
        import sys

        sys.dont_write_bytecode = True  # beside the user's files
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        spec = importlib.util.spec_from_file_location("onnxcmp_program", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["onnxcmp_program"] = module
        try:
            spec.loader.exec_module(module)
        except FileNotFoundError:
            raise base.Refusal(f"there is no {path}")
        if not hasattr(module, function):
            raise base.Refusal(f"{path} has no {function}")
        made = getattr(module, function)()
        if isinstance(made, self.torch.export.ExportedProgram):
            return made
        if not (isinstance(made, tuple) and 2 <= len(made) <= 4):
            raise base.Refusal(f"{function} must return a module and a tuple of its arguments")
        net, args, *rest = made
        kwargs = rest[0] if rest else None
        shapes = rest[1] if len(rest) > 1 else None
        return self.torch.export.export(net, tuple(args), kwargs, dynamic_shapes=shapes)

    def _as_exported(self, made):
        """The program in the form that the exporter translated: without the operators that it took
        apart first."""
        exported = self.exported
        targets = {one.target for one in made if one.fx}
        apart = set()
        for node in exported.graph.nodes if targets else ():
            if node.op == "call_function" and _target(node) not in targets:
                apart.add(node.target)
        table = self.torch.export.default_decompositions()
        chosen = {target: table[target] for target in apart if target in table}
        key = frozenset(map(str, chosen))
        if key not in self.decomposed:
            # Also without any: operators that change their arguments are others then, and what the
            # program keeps is for each run what it was.
            self.decomposed[key] = exported.run_decompositions(chosen)
        return self.decomposed[key]

    def load(self, path, extra=(), optimized=None):
        with open(path, "rb") as file:
            model = file.read()
        made = _nodes(model)
        if not any(one.fx for one in made) and extra:
            # Nothing says which result is which: there are the outputs alone.
            extra = ()
        exported = self._as_exported(made)
        signature = exported.graph_signature
        kinds = self.torch.export.graph_signature
        nodes = {node.name: node for node in exported.graph.nodes}
        tensors = (kinds.TensorArgument, kinds.SymIntArgument)
        given = [
            spec.arg.name
            for spec in signature.input_specs
            if spec.kind == kinds.InputKind.USER_INPUT and isinstance(spec.arg, tensors)
        ]
        wanted = base.input_names(model)
        if set(wanted) <= set(given):
            inputs = {name: name for name in wanted}
        elif len(wanted) == len(given):
            inputs = dict(zip(wanted, given))
        else:
            raise base.Refusal(
                f"the model has {len(wanted)} inputs ({', '.join(wanted)}), the program "
                f"{len(given)} ({', '.join(given)})"
            )
        outputs = [
            spec.arg.name
            for spec in signature.output_specs
            if spec.kind == kinds.OutputKind.USER_OUTPUT and isinstance(spec.arg, tensors)
        ]
        names = base.output_names(model)
        if len(names) != len(outputs):
            raise base.Refusal(f"the model has {len(names)} outputs, the program {len(outputs)}")
        results = results_by_name(made, exported.graph)
        session = _Session(
            inputs,
            {name: nodes[fx] for name, fx in zip(names, outputs)},
            {name: results[name] for name in extra if name in results},
        )
        session.exported = exported
        return session

    def _leaves(self, session, feeds):
        """Values of the placeholders, in order."""
        exported = session.exported
        kinds = self.torch.export.graph_signature
        fed = {session.inputs[name]: value for name, value in feeds.items() if name in session.inputs}
        leaves = []
        for spec in exported.graph_signature.input_specs:
            if spec.kind == kinds.InputKind.USER_INPUT:
                if isinstance(spec.arg, kinds.ConstantArgument):
                    leaves.append(spec.arg.value)
                elif spec.arg.name in fed:
                    leaves.append(self._tensor(fed[spec.arg.name], spec))
                else:
                    leaves.append(None)  # what the exporter dropped, as nothing reads it
            elif spec.target in exported.state_dict:
                leaves.append(exported.state_dict[spec.target].to(self.device))
            elif spec.target in exported.constants:
                value = exported.constants[spec.target]
                is_tensor = isinstance(value, self.torch.Tensor)
                leaves.append(value.to(self.device) if is_tensor else value)
            else:
                raise base.Refusal(f"the program's {spec.arg.name} has no value")
        return leaves

    def run(self, session, feeds):
        torch = self.torch
        wanted = {node.name for node in session.outputs.values()}
        wanted |= {node.name for node in session.results.values()}
        kept = {}

        class Watching(torch.fx.Interpreter):
            def run_node(self, node):
                value = super().run_node(node)
                if node.name in wanted:
                    # Nodes after it may write to it.
                    kept[node.name] = _copy(torch, value)
                return value

        interpreter = Watching(session.exported.graph_module)
        with torch.no_grad():
            interpreter.run(*self._leaves(session, feeds), enable_io_processing=False)
        values = {}
        for name, node in {**session.results, **session.outputs}.items():
            value = self._value(kept[node.name])
            if value is not None:
                values[name] = value
        return values

    def _tensor(self, value, spec):
        torch = self.torch
        import numpy

        if isinstance(value, base.Bits):
            if value.type not in _LACKING:
                raise base.Refusal(f"torch takes no inputs of type {value.type}")
            bits = torch.from_numpy(numpy.array(value.array))
            return bits.view(getattr(torch, _LACKING[value.type])).to(self.device)
        if value is None or isinstance(value, list) or value.dtype == object:
            raise base.Refusal("torch takes no sequences, optionals and strings")
        if type(spec.arg).__name__ == "SymIntArgument":
            return int(numpy.array(value).reshape(-1)[0])
        return torch.from_numpy(numpy.array(value)).to(self.device)

    def _value(self, value):
        import numpy

        if value is None:
            return None
        if isinstance(value, (list, tuple)):
            elements = [self._value(element) for element in value]
            return None if any(element is None for element in elements) else elements
        if isinstance(value, bool):
            return numpy.array(value)
        if isinstance(value, int):
            return numpy.array(value, dtype="int64")
        if isinstance(value, float):
            return numpy.array(value, dtype="float32")
        if not isinstance(value, self.torch.Tensor):
            return None
        value = value.detach().resolve_conj().cpu().contiguous()
        name = str(value.dtype).removeprefix("torch.")
        if name.startswith("complex"):
            # As ONNX has them: the two parts along an axis of their own.
            return self.torch.view_as_real(value).numpy()
        ours = base.onnx_name(name)
        if ours in _LACKING:
            bits = getattr(self.torch, base.BITS_OF[ours])
            return base.Bits(value.view(bits).numpy(), ours)
        return value.numpy()


def _copy(torch, value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, (list, tuple)):
        return [_copy(torch, element) for element in value]
    return value

"""Recordings of networks, right ones and ones with a fault: lists of (name, array) in the order of the run."""

import collections
import copy

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

# ---- Faults: what becomes of a result ----


def swap_channels(x, axis):
    order = list(range(x.shape[axis]))
    order[0], order[-1] = order[-1], order[0]
    return np.take(x, order, axis)


def zero_channel(x, axis):
    y = np.moveaxis(x.copy(), axis, 0)
    y[: max(1, len(y) // 8)] = 0
    return np.moveaxis(y, 0, axis)


def one_nan(x, _):
    y = x.copy()
    y.reshape(-1)[y.size // 3] = np.nan
    return y


FAULTS = {
    "scaled": lambda x, axis: x * 1.1,
    "shifted": lambda x, axis: x + 0.2 * np.sqrt(np.mean(x * x)),
    "zeroed": zero_channel,
    "negated": lambda x, axis: -x,
    "swapped": swap_channels,
    "noisy": lambda x, axis: x * (1 + 0.2 * np.random.default_rng(5).standard_normal(x.shape)),
    "reversed": lambda x, axis: np.flip(x, axis),
    "clipped": lambda x, axis: np.clip(x, -0.5 * np.sqrt(np.mean(x * x)), 0.5 * np.sqrt(np.mean(x * x))),
    "rolled": lambda x, axis: np.roll(x, 1, -1),
    "nan": one_nan,
}


def faulty(kind, x, of_image):
    axis = 1 if of_image and x.ndim == 4 else x.ndim - 1
    return np.ascontiguousarray(FAULTS[kind](x.astype(np.float64), axis)).astype(x.dtype)


# ---- Recordings: lists of (name, array) in the order of the run ----


def hooked(module, inputs, dtype, fault=None):
    """What each module gives, in the order of the run; `fault`: (module path, kind, of_image)."""
    # A copy: in a coarse type and back its weights would be others.
    module = copy.deepcopy(module).to(dtype)
    recorded = {}

    def hook(path, one):
        def record(_, __, result):
            result = result[0] if isinstance(result, tuple) else result
            if fault is not None and path == fault[0]:
                changed = faulty(fault[1], result.detach().float().numpy(), fault[2])
                result.data.copy_(torch.from_numpy(changed).to(dtype))
            # Of a module that runs several times the last call stays, as in everybody's hooks.
            recorded.pop(path or "output", None)
            recorded[path or "output"] = result.detach().float().numpy().copy()
        one.register_forward_hook(record)

    for path, one in module.named_modules():
        if not isinstance(one, (nn.ModuleList, nn.Identity)):
            hook(path, one)
    with torch.no_grad():
        module(*(x.to(dtype) if x.is_floating_point() else x for x in inputs.values()))
    return list(recorded.items())


def with_fault(model, node, kind, of_image, value):
    """A model in which a node's first output is a constant: what the fault makes of it."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    name = made.graph.node[node].output[0]
    made.graph.node[node].output[0] = name + "_before"
    made.graph.initializer.append(numpy_helper.from_array(faulty(kind, value, of_image), name + "_fault"))
    # Not folded: it depends on the input, which is finite.
    first = made.graph.input[0].name
    nodes = [helper.make_node("Cast", [first], [name + "_f"], to=TensorProto.FLOAT),
             helper.make_node("ReduceMean", [name + "_f"],
                              [name + "_m"], keepdims=0),
             helper.make_node("Mul", [name + "_m", name + "_zero"], [name + "_z"]),
             helper.make_node("Add", [name + "_fault", name + "_z"], [name])]
    made.graph.initializer.append(numpy_helper.from_array(np.float32(0), name + "_zero"))
    for i, one in enumerate(nodes):
        made.graph.node.insert(node + 1 + i, one)
    return made


def optimized(model, path):
    """The model that onnxruntime makes of one before it runs it, by way of a file."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = path
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return onnx.load(options.optimized_model_filepath)


def all_results(model, feeds):
    """Every float result that onnxruntime gives, in order."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    wanted = onnx.ModelProto()
    wanted.CopyFrom(model)
    outputs = {o.name for o in wanted.graph.output}
    for node in wanted.graph.node:
        for name in node.output:
            if name and name not in outputs:
                wanted.graph.output.append(onnx.ValueInfoProto(name=name))
    session = onnxruntime.InferenceSession(wanted.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    values = dict(zip(names, session.run(names, feeds)))
    ordered = [(o, n.op_type, values[o]) for n in wanted.graph.node for o in n.output if o in values]
    return [(o, t, v) for o, t, v in ordered if isinstance(v, np.ndarray)]


def tflite_names(results):
    counts = collections.Counter()
    names = {}
    for name, op, _ in results:
        n = counts[op]
        counts[op] += 1
        names[name] = f"net/{op.lower()}{'_%d' % n if n else ''}/{op}"
    return names

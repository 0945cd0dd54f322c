"""Faults as passes make them: one in a model, at a random place."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

TWINS = {
    "Add": "Sub", "Sub": "Add", "Mul": "Add", "Div": "Mul", "Relu": "Abs", "Tanh": "Sigmoid", "Sigmoid": "Tanh",
    "ReduceMean": "ReduceMax", "ReduceSum": "ReduceMean", "MaxPool": "AveragePool", "Sqrt": "Abs", "Exp": "Abs",
    "Erf": "Tanh", "Max": "Min", "Cos": "Sin", "Sin": "Cos", "Softmax": "LogSoftmax", "Greater": "Less",
}


def floats(model):
    return [t for t in model.graph.initializer
            if t.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16) and numpy_helper.to_array(t).size]


def integers(model):
    return [t for t in model.graph.initializer
            if t.data_type in (onnx.TensorProto.INT8, onnx.TensorProto.UINT8) and numpy_helper.to_array(t).size > 16]


def put(tensor, array):
    name, kind = tensor.name, numpy_helper.to_array(tensor).dtype
    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array.astype(kind)), name))


def scaled(model, rng):
    """A constant by a wrong factor, as a fold with a wrong scale gives."""
    tensor = rng.choice(floats(model))
    put(tensor, numpy_helper.to_array(tensor).astype(np.float64) * rng.choice([0.5, 2, -1, 1.25]))
    return f"{tensor.name} scaled"


def shifted(model, rng):
    """A constant's elements each one place further, as a wrong stride gives."""
    tensor = rng.choice([t for t in floats(model) + integers(model) if numpy_helper.to_array(t).size > 3])
    array = numpy_helper.to_array(tensor)
    put(tensor, np.roll(array.reshape(-1), 1).reshape(array.shape))
    return f"{tensor.name} shifted"


def transposed(model, rng):
    """A square weight the other way round."""
    tensor = rng.choice([t for t in floats(model) if len(t.dims) == 2 and t.dims[0] == t.dims[1] > 1])
    put(tensor, numpy_helper.to_array(tensor).T)
    return f"{tensor.name} transposed"


def swapped(model, rng):
    """The inputs of an operator that does not commute."""
    node = rng.choice([n for n in model.graph.node if n.op_type in ("Sub", "Div", "MatMul", "Pow", "Concat", "Where")
                       and len(n.input) > 1])
    first = 1 if node.op_type == "Where" else 0
    node.input[first], node.input[first + 1] = node.input[first + 1], node.input[first]
    return f"inputs of {node.op_type} {node.output[0]}"


def other_operator(model, rng):
    node = rng.choice([n for n in model.graph.node if n.op_type in TWINS and n.domain in ("", "ai.onnx")])
    before = node.op_type
    node.op_type = TWINS[before]
    return f"{before} {node.output[0]} as {node.op_type}"


def attribute(model, rng):
    """An attribute with another value."""
    places = [(n, a) for n in model.graph.node for a in n.attribute
              if a.name in ("alpha", "beta", "axis", "perm", "epsilon", "transA", "transB", "scale", "strides")]
    node, chosen = rng.choice(places)
    if chosen.type == onnx.AttributeProto.FLOAT:
        chosen.f = chosen.f * 2 if chosen.name != "epsilon" else 0.3
    elif chosen.type == onnx.AttributeProto.INT:
        chosen.i = 1 - chosen.i if chosen.name.startswith("trans") else chosen.i - 1
    else:
        chosen.ints[:] = [chosen.ints[-1], *chosen.ints[:-1]]
    return f"{chosen.name} of {node.op_type} {node.output[0]}"


def dropped(model, rng):
    """A node left out, its input in the place of its output."""
    node = rng.choice([n for n in model.graph.node if len(n.output) == 1 and n.input and n.input[0]
                       and n.op_type not in ("Cast", "Identity", "Constant", "DequantizeLinear", "QuantizeLinear")])
    text = f"{node.op_type} {node.output[0]} dropped"
    made = helper.make_node("Identity", [node.input[0]], [node.output[0]])
    node.CopyFrom(made)
    return text


def other_edge(model, rng):
    """An operator that reads another result of the same place."""
    nodes = list(model.graph.node)
    i = rng.randrange(1, len(nodes))
    earlier = [o for n in nodes[:i] for o in n.output if o]
    j = rng.randrange(len(nodes[i].input))
    before = nodes[i].input[j]
    nodes[i].input[j] = rng.choice([name for name in earlier[-12:] if name != before])
    return f"{nodes[i].op_type} {nodes[i].output[0]} reads another"


FAULTS = {f.__name__: f for f in (scaled, shifted, transposed, swapped, other_operator, attribute, dropped, other_edge)}

"""Changes of golden cases, one at a time: attributes, inputs, outputs, types, values, sizes.

make_variants.py chooses among them and runs them.
"""

import copy
import re

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnxruntime.capi import onnxruntime_pybind11_state as ort_state

# Other values of attributes, by name. Those not named: 0 and 1 are exchanged, floats halved and
# negated.
VALUES = {
    "activation": ["Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip", "HardSigmoid", "Elu", "Softplus",
                   "ThresholdedRelu", "HardSwish", "silu", "none", "swish", "sigmoid", "relu"],
    "activation_alpha": [0.25], "activation_beta": [0.4], "activation_gamma": [0.9],
    "activation_params": [[0.1], [0.2, 0.6], [-0.3, 0.4]],
    "activation_type": ["relu", "gelu", "silu", "swiglu", "identity"],
    "activations": [["Sigmoid", "Tanh", "Relu"], ["HardSigmoid", "Tanh", "Tanh"]],
    "auto_pad": ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"],
    "axis": [0, 1, 2, -1, -2], "quantize_axis": [0, 1, 2, -1], "gather_axis": [0, 1, -1],
    "coordinate_transformation_mode": ["half_pixel", "align_corners", "asymmetric",
                                       "pytorch_half_pixel"],
    "dilations": [[2], [2, 1], [2, 2], [1, 2]], "strides": [[2], [1, 2], [2, 1], [2, 2]],
    "pads": [[1, 1], [0, 1, 1, 0], [1, 1, 1, 1]],
    "direction": ["forward", "reverse", "bidirectional"],
    "epsilon": [1e-12, 0.02], "k": [1, 2, 3], "local_window_size": [1, 2, 3],
    "mask_filter_value": [-2.5], "metric": ["euclidean", "sqeuclidean"],
    "mode": ["constant", "edge", "reflect", "wrap", "bilinear", "nearest", "bicubic", "linear"],
    "padding_mode": ["zeros", "border", "reflection"],
    "qk_output": [1, 2], "scale": [0.3], "softcap": [1.5], "seed": [1, -7],
    "update_rule": ["linear", "gated", "delta", "gated_delta"],
    "accuracy_level": [0, 1, 2, 4], "size": [1, 2, 4], "dim": [0, 1, -1, -2],
    "ngram_size": [1, 2, 3], "min_ngram_size": [1, 2], "max_ngram_size": [2, 3, 4],
    "mincharnum": [1, 2, 3], "mark": [0, 1], "separators": [[" "], [""], [",", ";", " "]],
    "tokenexp": ["[a-z]+", "[^ ]+", "."], "num_heads": [1, 4], "qk_norm_epsilon": [1e-3],
}
# Parameters that activations need, tried along with them.
ALONG = {"LeakyRelu": [0.1], "Clip": [-0.3, 0.4], "HardSigmoid": [0.3, 0.6], "Elu": [0.5],
         "ThresholdedRelu": [0.2], "HardSwish": [0.2, 0.5]}
TOLERANCES = {np.float16: (5e-3, 5e-3), np.float64: (1e-6, 1e-6)}


class Variant:
    def __init__(self, model, settings, feeds, name):
        self.model, self.settings, self.feeds, self.name = model, settings, feeds, name

    def changed(self, how):
        return Variant(copy.deepcopy(self.model), dict(self.settings), dict(self.feeds),
                       f"{self.name}__{re.sub('[^A-Za-z0-9]+', '_', how).strip('_')}")

    @property
    def node(self):
        return next((n for n in self.model.graph.node if n.op_type != "Cast"), None)

    def remove_input(self, name):
        if not any(name in n.input for n in self.model.graph.node):
            for inputs in (self.model.graph.input, self.model.graph.initializer):
                for value in [v for v in inputs if v.name == name]:
                    inputs.remove(value)
            for key in [k for k in self.feeds if k.split("/")[0] == name]:
                del self.feeds[key]


def schema_of(node):
    found = [s for s in ort_state.get_all_operator_schema()
             if (s.name, s.domain) == (node.op_type, node.domain)]
    return max(found, key=lambda s: s.since_version)


def optional(parameter):
    return parameter.option == ort_state.schemadef.OpSchema.FormalParameterOption.Optional


def set_input(node, slot, name):
    while len(node.input) <= slot:
        node.input.append("")
    node.input[slot] = name
    while node.input and not node.input[-1]:
        node.input.pop()


def set_attribute(node, name, value):
    for attribute in [a for a in node.attribute if a.name == name]:
        node.attribute.remove(attribute)
    if value is not None:
        node.attribute.append(helper.make_attribute(name, value))


def attribute_changes(variant, schema, donors):
    node = variant.node
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    for name, attribute in sorted(schema.attributes.items()):
        kind = str(attribute.type).rsplit(".", maxsplit=1)[-1]
        if kind == "GRAPH":
            continue
        if name in given and not attribute.required:
            v = variant.changed(f"no_{name}")
            set_attribute(v.node, name, None)
            yield v
        values = list(VALUES.get(name, []))
        for donor in donors:
            values += [helper.get_attribute_value(a) for a in donor.node.attribute if a.name == name]
        if name not in VALUES and kind == "INT":
            values += [0, 1]
        if name not in VALUES and kind == "FLOAT":
            values += [0.5, -0.75]
        seen = [given.get(name)]
        for value in values:
            value = value.decode() if isinstance(value, bytes) else value
            if isinstance(value, list) and value and isinstance(value[0], bytes):
                value = [x.decode() for x in value]
            if value in seen:
                continue
            seen.append(value)
            v = variant.changed(f"{name}_{str(value).replace('-', 'm')}")
            set_attribute(v.node, name, value)
            if name == "activation" and value in ALONG:
                if "activation_params" in schema.attributes:
                    set_attribute(v.node, "activation_params", ALONG[value])
                else:
                    for key, x in zip(("activation_alpha", "activation_beta"), ALONG[value]):
                        set_attribute(v.node, key, x)
            yield v


def input_changes(variant, schema, donors):
    node = variant.node
    for slot, parameter in enumerate(schema.inputs):
        present = slot < len(node.input) and node.input[slot]
        if not optional(parameter):
            continue
        if present:
            v = variant.changed(f"without_{parameter.name}")
            name = v.node.input[slot]
            set_input(v.node, slot, "")
            v.remove_input(name)
            yield v
        seen = [present and signature(variant, node.input[slot])]
        for donor in donors:
            other = donor.node
            if slot >= len(other.input) or not other.input[slot]:
                continue
            key = signature(donor, other.input[slot])
            if key is None or key in seen:
                continue
            seen.append(key)
            v = variant.changed(f"{parameter.name}_of_{donor.name}")
            old = v.node.input[slot] if present else ""
            name = other.input[slot]
            set_input(v.node, slot, name)
            if old:
                for inputs in (v.model.graph.input, v.model.graph.initializer):
                    for value in [x for x in inputs if x.name == old]:
                        inputs.remove(value)
                v.feeds.pop(old, None)
            taken = {x.name for x in (*v.model.graph.input, *v.model.graph.initializer)}
            if name in taken:
                continue
            for inputs, from_ in ((v.model.graph.input, donor.model.graph.input),
                                  (v.model.graph.initializer, donor.model.graph.initializer)):
                inputs.extend(copy.deepcopy(x) for x in from_ if x.name == name)
            if name in donor.feeds:
                v.feeds[name] = donor.feeds[name]
            yield v


def signature(variant, name):
    """What tells an input from another: its type and shape, None for what is no plain input."""
    if name in variant.feeds:
        return (variant.feeds[name].dtype.str, variant.feeds[name].shape)
    for tensor in variant.model.graph.initializer:
        if tensor.name == name:
            return (tensor.data_type, tuple(tensor.dims))
    return None


def output_changes(variant, schema):
    node = variant.node
    if len(variant.model.graph.node) > 1:
        return
    given = [o for o in node.output if o]
    for slot, parameter in enumerate(schema.outputs):
        present = slot < len(node.output) and node.output[slot]
        if present and optional(parameter) and len(given) > 1:
            v = variant.changed(f"no_output_{parameter.name}")
            name = v.node.output[slot]
            v.node.output[slot] = ""
            while not v.node.output[-1]:
                v.node.output.pop()
            v.model.graph.output.remove(next(o for o in v.model.graph.output if o.name == name))
            yield v
        elif not present:
            v = variant.changed(f"output_{parameter.name}")
            while len(v.node.output) <= slot:
                v.node.output.append("")
            v.node.output[slot] = parameter.name
            v.model.graph.output.append(onnx.ValueInfoProto(name=parameter.name))
            yield v


def type_changes(variant):
    for tensor_type, dtype in ((onnx.TensorProto.FLOAT16, np.float16),
                               (onnx.TensorProto.DOUBLE, np.float64)):
        v = variant.changed(np.dtype(dtype).name)
        changed = False
        for value in v.model.graph.input:
            tensor = value.type.tensor_type
            if tensor.elem_type == onnx.TensorProto.FLOAT and value.name in v.feeds:
                tensor.elem_type = tensor_type
                v.feeds[value.name] = v.feeds[value.name].astype(dtype)
                changed = True
        for i, tensor in enumerate(v.model.graph.initializer):
            if tensor.data_type == onnx.TensorProto.FLOAT:
                v.model.graph.initializer[i].CopyFrom(numpy_helper.from_array(
                    numpy_helper.to_array(tensor).astype(dtype), tensor.name))
        if not changed or len(v.model.graph.node) > 1:
            continue
        rtol, atol = TOLERANCES[dtype]
        if dtype == np.float16:
            v.settings["rtol"] = max(rtol, v.settings["rtol"])
            v.settings["atol"] = max(atol, v.settings["atol"])
        yield v


def with_feeds(variant, how, change):
    """`change(name, array)`: the new array, or None for the same. None if all are the same."""
    v = variant.changed(how)
    some = False
    for value in v.model.graph.input:
        array = v.feeds.get(value.name)
        new = None if array is None else change(value.name, array)
        if new is None:
            continue
        some = True
        v.feeds[value.name] = new
        value.CopyFrom(helper.make_tensor_value_info(
            value.name, value.type.tensor_type.elem_type, new.shape))
    return v if some else None


def value_changes(variant):
    first = next(iter(variant.node.input), "")

    def special(name, array):
        if name != first or array.dtype.kind not in "fiu" or array.size < 4:
            return None
        new = array.copy().ravel()
        if array.dtype.kind == "f":
            new[1], new[-1], new[new.size // 2] = np.inf, np.nan, -0.0
        elif array.dtype.itemsize == 1:
            limits = np.iinfo(array.dtype)
            new[0], new[-1] = limits.min, limits.max
        else:
            return None
        return new.reshape(array.shape)

    def zeros(name, array):
        return np.zeros_like(array) if name == first and array.dtype.kind == "f" else None

    def large(name, array):
        return array * array.dtype.type(30) if name == first and array.dtype.kind == "f" else None

    return [with_feeds(variant, "special", special), with_feeds(variant, "zeros", zeros),
            with_feeds(variant, "large", large)]


def size_changes(variant):
    """Fewer rows, or other rows again, along the first or second axis of all inputs that share it."""
    first = variant.feeds.get(next(iter(variant.node.input), ""))
    if first is None:
        return []
    made = []
    for axis in range(min(2, first.ndim)):
        size = first.shape[axis]
        for how, rows in (("none", []), ("one", [0]), ("more", [*range(size), 0])):
            def take(_, array, axis=axis, size=size, rows=rows):
                if array.ndim <= axis or array.shape[axis] != size or len(rows) == size:
                    return None
                return np.take(array, rows, axis) if size else None
            made.append(with_feeds(variant, f"{how}_of_axis_{axis}", take))
    return made


def constant_changes(variant):
    graph = variant.model.graph
    plain = {onnx.TensorProto.FLOAT, onnx.TensorProto.UINT8, onnx.TensorProto.INT8,
             onnx.TensorProto.INT32, onnx.TensorProto.INT64, onnx.TensorProto.FLOAT16}
    for tensor in graph.initializer:
        if tensor.data_type in plain:
            v = variant.changed(f"{tensor.name}_is_input")
            array = numpy_helper.to_array(tensor)
            v.model.graph.initializer.remove(
                next(t for t in v.model.graph.initializer if t.name == tensor.name))
            v.model.graph.input.append(
                helper.make_tensor_value_info(tensor.name, tensor.data_type, array.shape))
            v.feeds[tensor.name] = array
            yield v


def changes(variant, schema, donors):
    return [*attribute_changes(variant, schema, donors), *input_changes(variant, schema, donors),
            *output_changes(variant, schema), *type_changes(variant), *constant_changes(variant),
            *filter(None, value_changes(variant)), *filter(None, size_changes(variant))]

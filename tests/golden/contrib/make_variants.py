#!/usr/bin/env python3
"""Makes variants of the golden cases: other attributes, optional inputs, outputs and types.

    make_variants.py [--most N] [--out FOLDER] [OPERATOR ...]

A variant is a case that is changed in one way, or in two: an attribute gets another value or its
default, an optional input is left out or taken from another case of the operator, an output is asked
for or not, float32 becomes float16 or double, an initializer an input. What onnxruntime takes is
kept, at most N (default 10) an operator, different changes first; elements that depend on what was in
memory before are marked as undefined. Variants run in a process of their own, since some kernels end
the process.
"""

import argparse
import copy
import itertools
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnxruntime.capi import onnxruntime_pybind11_state as ort_state

import cases

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
# Names of variants that are of no use: onnxruntime takes what makes no sense, ignores what it should
# refuse, quantizes what we do not, or is wrong.
EXCLUDED = {
    "Attention": "past_present_share_buffer|combo__output_present",
    "DecoderMaskedMultiHeadAttention": "output_qk_1$",  # and no output qk
    "FastGelu": "bias_of",  # of another size, where the input has one element
    "FusedConv": "Z_of|HardSwish",  # a Z of another shape; ignores HardSwish's parameters
    "GatherND": "none_of_axis_1",  # indices of no dimension
    "GroupQueryAttention": "[kv]_(scale|quant_type)",  # one without the other
    "MatMulBnb4": "N_|block_size_",  # more weights than there are
    "MatMulNBits": "weight_prepacked_1|accuracy_level|f16_b8__(bits|no_bits)",
    "MoEGroupRouter": "large",  # takes sigmoids below about 1e-8 for 0
    "NhwcMaxPool": "auto_pad_SAME|dilations",  # pads as if there were no dilations
    "Pad": "wrap",
    "QLinearAveragePool": "channels_last_1",
    "QLinearSoftmax": "opset_0",
    "QMoE": "weights_prepacked_1|block_size|scales_of|accuracy_level|swiglu_fusion_1",
    "RotaryEmbedding": "rotary_embedding_dim_[14]",  # the caches' columns are not those of the rotation
    "SimplifiedLayerNormalization": "stash_type_0",
    "SparseToDenseMatMul": "i(32|64)__.*alpha",  # rounds alpha to an integer
    "Tokenizer": "tokenexp__.*separators|__tokenexp",  # both
    "nchwc.AveragePool": "dilations",
    "nchwc.Conv": "HardSwish",
    "nchwc.MaxPool": "auto_pad_SAME",
}
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


def all_variants(operator, seed):
    bases = [Variant(operator.model(c), dict(s), operator.select(c, "in"), c)
             for c, s in operator.cases.items() if "__" not in c]
    if not bases or bases[0].node is None:
        return []
    schema = schema_of(bases[0].node)
    once = []
    for base in bases:
        once += changes(base, schema, [b for b in bases if b is not base])
    chance = random.Random(seed)
    twice = []
    for variant in chance.sample(once, min(len(once), 60)):
        more = changes(variant, schema, bases)
        twice += chance.sample(more, min(len(more), 3))
    return once + twice


def work(path):
    """In a process of its own: runs the variants in a file, appending results to another."""
    with open(path, "rb") as f:
        variants, start = pickle.load(f)
    with open(path + ".results", "ab") as results:
        for i in range(start, len(variants)):
            pickle.dump(("start", i, None), results)
            results.flush()
            v = variants[i]
            model = copy.deepcopy(v.model)
            for output in model.graph.output:
                if output.type.tensor_type.HasField("shape"):
                    output.type.tensor_type.ClearField("shape")
                # What type an output has depends on what was changed.
                output.ClearField("type")
            try:
                got = cases.evaluate(model, v.feeds, v.settings.get("in_place", False))
            except Exception as error:  # pylint: disable=broad-except
                pickle.dump(("error", i, str(error)), results)
                continue
            pickle.dump(("done", i, got), results)


def run_all(variants, fill):
    """Results by index; what ends the process or is refused is left out."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "variants")
        start = 0
        while start < len(variants):
            with open(path, "wb") as f:
                pickle.dump((variants, start), f)
            subprocess.run([sys.executable, __file__, "--work", path], check=False,
                           env={**os.environ, "MALLOC_PERTURB_": str(fill)},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(path + ".results", "rb") as f:
                while True:
                    try:
                        kind, i, got = pickle.load(f)
                    except (EOFError, pickle.UnpicklingError):
                        break
                    start = max(start, i + 1)
                    if kind == "done":
                        results[i] = got
    return results


def finished(variant, results):
    """Sets the outputs' types; the outputs and where they are undefined, None if not to be kept."""
    first, others = results[0], results[1:]
    undefined = {}
    for output in variant.model.graph.output:
        array = first[output.name]
        if not isinstance(array, np.ndarray) or array.size > 20000:
            return None
        if array.dtype.kind in "OSU":
            first[output.name] = array = array.astype(str)
            if any((o[output.name].astype(str) != array).any() for o in others):
                return None
        else:
            if any(o[output.name].shape != array.shape for o in others):
                return None
            unsure = np.zeros(array.shape, bool)
            for other in others:
                a, b = array, other[output.name]
                unsure |= ~((a == b) | ((a != a) & (b != b)))
            if unsure.any():
                if unsure.mean() > 0.75:
                    return None
                undefined[output.name] = unsure
        if array.dtype.kind == "f" and array.size and np.isnan(array).mean() > 0.5:
            return None
        elem = onnx.TensorProto.STRING if array.dtype.kind in "OSU" else (
            helper.np_dtype_to_tensor_dtype(array.dtype))
        output.CopyFrom(helper.make_tensor_value_info(output.name, elem, array.shape))
    return first, undefined


def make(operator, most, seed=0):
    """Variants with their outputs and where these are undefined."""
    unwanted = re.compile(EXCLUDED.get(operator.name, "$^"))
    variants = [v for v in all_variants(operator, seed) if not unwanted.search(v.name)]
    # Half of them or more are refused.
    variants = chosen(variants, 6 * most, seed)
    runs = [run_all(variants, fill) for fill in (0x55, 0xAA)]
    kept, seen = {}, set()
    for i, variant in enumerate(variants):
        done = finished(variant, [run[i] for run in runs]) if all(i in r for r in runs) else None
        if done is None:
            continue
        key = (variant.model.SerializeToString(),
               *(v.tobytes() for _, v in sorted(variant.feeds.items())))
        if key not in seen:
            seen.add(key)
            kept[variant.name] = (variant, *done)
    return [kept[v.name] for v in chosen([entry[0] for entry in kept.values()], most, seed)]


def chosen(variants, most, seed):
    """At most `most` of them (0: all): a third with two changes; every change once if it can be."""
    if not most:
        return variants
    chance = random.Random(seed)
    groups = {}
    for variant in chance.sample(variants, len(variants)):
        _, *changes_made = variant.name.split("__")
        groups.setdefault(tuple(changes_made), []).append(variant)
    # The first of each group, then the second, ...
    ordered = [variant for turn in itertools.zip_longest(*groups.values()) for variant in turn
               if variant is not None]
    once = [v for v in ordered if v.name.count("__") == 1]
    twice = [v for v in ordered if v.name.count("__") > 1]
    picked = once[:most - most // 3]
    return picked + twice[:most - len(picked)]


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--work":
        return work(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=10, help="variants an operator; 0: all")
    parser.add_argument("--out", default=cases.FOLDER)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    arguments = parser.parse_args()
    for operator in cases.operators():
        if arguments.operators and operator.name not in arguments.operators:
            continue
        kept = make(operator, arguments.most)
        target = cases.Operator(operator.name, arguments.out)
        for variant, outputs, undefined in kept:
            settings = {**variant.settings,
                        "what": " ".join(variant.name.replace("__", ": ").split("_"))}
            target.add(variant.name, variant.model, settings, variant.feeds, outputs, undefined)
        if kept:
            target.save()
        print(operator.name, len(kept), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

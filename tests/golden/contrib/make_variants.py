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
from onnx import helper

import cases
from case_changes import Variant, changes, schema_of

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

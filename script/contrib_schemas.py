"""Writes ops/contrib/schemas.txt: what onnxruntime registers beside ONNX's own schemas.

    pip install onnx onnxruntime; python script/contrib_schemas.py > ops/contrib/schemas.txt
    python script/contrib_schemas.py --json > FILE

The table's first lines say how it reads; ops/contrib/schema_table.h takes it from there. --json
writes all that script/update_contrib compares: texts and the types of CPU kernels too.
"""

import json
import re
import sys

import numpy
import onnx
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

HEAD = f"""\
# The schemas that onnxruntime {onnxruntime.__version__} registers beside ONNX's, written by
# script/contrib_schemas.py. Do not edit: more_schemas.txt beside it is for what is not in there.
#
#   op DOMAIN NAME VERSION [deprecated]   ("ai.onnx" is ONNX's own domain)
#     in[?*] NAME TYPE           an input; ? optional, * variadic, ** variadic of several types
#     out[?*] NAME TYPE [= I]    an output; = I: of the shape of input I
#     attr[!] NAME KIND [= VALUE]    ! required; KIND as in AttributeProto
#     types T a b c              what the type variable T stands for; "tensor(...)" left out
#
# double is added wherever float is allowed, as a run in double needs it.
"""

DOMAINS = ["ai.onnx", "com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc"]

# Whose first output has the shape of an input: the input's index.
SAME_SHAPE = {
    "Affine": 0, "BiasAdd": 0, "BiasDropout": 0, "BiasGelu": 0, "BiasSoftmax": 0,
    "BitmaskBiasDropout": 0, "BitmaskDropout": 0, "BranchwiseRMSNorm": 0, "ComplexMul": 0,
    "ComplexMulConj": 0, "ConvStateReplay": 2, "DequantizeLinear": 0, "DequantizeWithOrder": 0,
    "FastGelu": 0, "GatedAdd": 0, "GatedDeltaNetStateReplay": 2, "GatedRMSNorm": 0, "Gelu": 0,
    "GemmaRotaryEmbedding": 1, "GroupNorm": 0,
    "ImageScaler": 0, "Inverse": 0, "MemcpyFromHost": 0, "MemcpyToHost": 0,
    "MRotaryEmbedding": 0, "MurmurHash3": 0, "NGramRepeatBlock": 1, "ParametricSoftplus": 0,
    "QLinearLeakyRelu": 0, "QLinearSigmoid": 0, "QLinearSoftmax": 0, "QOrderedGelu": 0,
    "QOrderedLayerNormalization": 0, "QuantizeLinear": 0, "QuantizeWithOrder": 0, "QuickGelu": 0,
    "RotaryEmbedding": 0, "SampleOp": 0, "Scale": 0, "ScaledSiLU": 0, "ScaledTanh": 0,
    "SimplifiedLayerNormalization": 0, "SkipGroupNorm": 0, "SkipLayerNormalization": 0,
    "SkipSimplifiedLayerNormalization": 0, "ThresholdedRelu": 0, "Trilu": 0,
}  # fmt: skip


def domain(schema):
    return schema.domain or "ai.onnx"


def is_onnx_own(schema):
    # A schema of com.ms.internal.nhwc is a copy of ONNX's, file name and all.
    return schema.domain == "" and "/onnx/defs/" in schema.file.replace("\\", "/")


def mark(parameter):
    if parameter.option == runtime.schemadef.OpSchema.FormalParameterOption.Optional:
        return "?"
    if parameter.option == runtime.schemadef.OpSchema.FormalParameterOption.Variadic:
        return "*" if parameter.isHomogeneous else "**"
    return ""


def parameters(kind, listed, same_shape):
    for index, parameter in enumerate(listed):
        name = re.sub(r"\W", "_", parameter.name.strip()) or f"{kind}_{index}"
        shape = f" = {same_shape}" if index == 0 and same_shape is not None else ""
        yield f"  {kind}{mark(parameter)} {name} {short(parameter.typeStr)}{shape}"


def short(type_name):
    match = re.fullmatch(r"tensor\((\w+)\)", type_name)
    return match[1] if match else type_name.replace(" ", "")


def value(attribute):
    proto = onnx.AttributeProto.FromString(attribute._default_value)
    found = onnx.helper.get_attribute_value(proto)
    if isinstance(found, bytes):
        return f'"{found.decode()}"'
    if isinstance(found, float):
        return str(numpy.float32(found))
    if isinstance(found, (list, tuple)):
        items = [f'"{v.decode()}"' if isinstance(v, bytes) else str(numpy.float32(v)) for v in found]
        return "[" + " ".join(items) + "]"
    return str(found)


def types_of(variable):
    types = [short(name) for name in variable.allowed_type_strs]
    if "float" in types and "double" not in types:
        types.append("double")
    return " ".join(types)


def attributes(schema):
    for name, attribute in sorted(schema.attributes.items()):
        kind = str(attribute.type).split(".")[-1].lower()
        default = f" = {value(attribute)}" if attribute._default_value else ""
        yield name, f"attr{'!' if attribute.required else ''} {name} {kind}{default}"


def print_schema(schema):
    deprecated = " deprecated" if schema.deprecated else ""
    print(f"\nop {domain(schema)} {schema.name} {schema.since_version}{deprecated}")
    if schema.deprecated:
        return
    for line in parameters("in", schema.inputs, None):
        print(line)
    for line in parameters("out", schema.outputs, SAME_SHAPE.get(schema.name)):
        print(line)
    for _, line in attributes(schema):
        print(f"  {line}")
    for variable in schema.type_constraints:
        print(f"  types {variable.type_param_str} {types_of(variable)}")


def texts(schema):
    """What the schema says in words, by what it is said of."""
    said = {"the operator": schema.doc or ""}
    for kind, listed in (("input", schema.inputs), ("output", schema.outputs)):
        said |= {f"{kind} {p.name}": p.description for p in listed}
    said |= {f"attribute {n}": a.description for n, a in schema.attributes.items()}
    return {what: "\n".join(line.strip() for line in text.strip().splitlines())
            for what, text in said.items()}


def kernels():
    """The types that CPU kernels take, by operator and first version."""
    found = {}
    for kernel in runtime.get_all_opkernel_def():
        if kernel.provider == "CPUExecutionProvider":
            key = f"{kernel.domain or 'ai.onnx'} {kernel.op_name}"
            taken = (f"{n}: {' '.join(sorted(map(short, t)))}"
                     for n, t in sorted(kernel.type_constraints.items()))
            found.setdefault(key, set()).add("; ".join(taken))
    return {key: sorted(taken) for key, taken in found.items()}


def as_json(schemas, elsewhere):
    return {
        "version": onnxruntime.__version__,
        "kernels": kernels(),
        "elsewhere": sorted({domain(s) for s in elsewhere}),
        "schemas": {
            f"{domain(s)} {s.name} {s.since_version}": {
                "deprecated": s.deprecated,
                "lines": [*(x.strip() for x in parameters("in", s.inputs, None)),
                          *(x.strip() for x in parameters("out", s.outputs, None)),
                          *(line for _, line in attributes(s)),
                          *(f"types {v.type_param_str} {types_of(v)}" for v in s.type_constraints)],
                "texts": texts(s),
            } for s in schemas},
    }


def main():
    schemas = [s for s in runtime.get_all_operator_schema() if not is_onnx_own(s)]
    elsewhere = [s for s in schemas
                 if domain(s) not in DOMAINS and "/onnx/defs/" not in s.file.replace("\\", "/")]
    schemas = [s for s in schemas if domain(s) in DOMAINS]
    schemas.sort(key=lambda s: (DOMAINS.index(domain(s)), s.name, s.since_version))
    if "--json" in sys.argv[1:]:
        json.dump(as_json(schemas, elsewhere), sys.stdout, indent=1)
        return
    print(HEAD, end="")
    for schema in schemas:
        print_schema(schema)


main()

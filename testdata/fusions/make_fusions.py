#!/usr/bin/env python3
"""Writes NAME.fused.onnxtxt and NAME.standard.onnxtxt of every fused operator, see README.md.

    make_fusions.py [--check]

--check writes nothing and fails if a file is not what this script makes.
"""

import os
import random
import sys
import textwrap

FOLDER = os.path.dirname(os.path.abspath(__file__))
FUSED_OPSETS = {"": 23, "com.microsoft": 1}
PAIRS = {}


def numbers(name, count, low, high, digits):
    chance = random.Random(name)
    return [round(chance.uniform(low, high), digits) for _ in range(count)]


def size(shape):
    count = 1
    for dim in shape:
        count *= dim
    return count


def tensor(kind, name, shape, values):
    """An initializer in ONNX's text syntax."""
    dims = f"[{','.join(map(str, shape))}]" if shape else ""
    return f"{kind}{dims} {name} = {{{', '.join(map(str, values))}}}"


def floats(name, *shape, low=-1.0, high=1.0):
    return tensor("float", name, shape, numbers(name, size(shape), low, high, 3))


def integers(kind, name, *shape, low=0, high=9):
    return tensor(kind, name, shape, [int(x) for x in numbers(name, size(shape), low, high + 1, 6)])


def const(name, *values):
    """int64 values: a shape, axes, ..."""
    return tensor("int64", name, (len(values),), values)


def scalar(kind, name, value):
    return tensor(kind, name, (), [value])


def pair(name, operator, stands_for, signature, fused, standard, weights=(), fused_weights=(),
         standard_weights=()):
    """`signature`: inputs => outputs of both; `weights`: initializers of both."""
    PAIRS[name] = (operator, stands_for, signature, fused, standard, list(weights),
                   list(fused_weights), list(standard_weights))


def text(comment, signature, initializers, nodes):
    opsets = ", ".join(f'"{d}": {v}' for d, v in FUSED_OPSETS.items() if not d or d + "." in nodes)
    lines = [f"# {comment}", f"<ir_version: 10, opset_import: [{opsets}]>", f"pair {signature}"]
    if initializers:
        wrapped = [textwrap.fill(x, 100, initial_indent="  ", subsequent_indent="    ")
                   for x in initializers]
        lines.append("<\n" + ",\n".join(wrapped) + "\n>")
    body = [line.strip() for line in nodes.strip().splitlines()]
    return "\n".join([*lines, "{", *("  " + line for line in body), "}"]) + "\n"


def files():
    for name, (operator, stands_for, signature, fused, standard, both, left, right) in PAIRS.items():
        yield (f"{name}.fused.onnxtxt",
               text(f"{operator}: {stands_for}", signature, both + left, fused))
        yield (f"{name}.standard.onnxtxt", text(f"What {operator} stands for: {stands_for}",
                                                signature, both + right, standard))


# Products.

pair("FusedMatMul", "com.microsoft.FusedMatMul", "alpha * MatMul(Transpose(A), Transpose(B))",
     "(float[2,4,3] A, float[2,5,4] B) => (float[2,3,5] Y)",
     "Y = com.microsoft.FusedMatMul <transA = 1, transB = 1, alpha = 0.5> (A, B)",
     """at = Transpose <perm = [0, 2, 1]> (A)
     bt = Transpose <perm = [0, 2, 1]> (B)
     product = MatMul(at, bt)
     Y = Mul(product, alpha)""",
     standard_weights=[scalar("float", "alpha", 0.5)])

pair("FusedMatMul_batch", "com.microsoft.FusedMatMul", "MatMul(Transpose(A), B), the batch of A at dim 1",
     "(float[3,2,4] A, float[2,4,5] B) => (float[2,3,5] Y)",
     "Y = com.microsoft.FusedMatMul <transBatchA = 1> (A, B)",
     """at = Transpose <perm = [1, 0, 2]> (A)
     Y = MatMul(at, B)""")

pair("TransposeMatMul", "com.microsoft.TransposeMatMul", "MatMul(A, Transpose(B))",
     "(float[3,4] A, float[5,4] B) => (float[3,5] Y)",
     "Y = com.microsoft.TransposeMatMul <transB = 1> (A, B)",
     """bt = Transpose <perm = [1, 0]> (B)
     Y = MatMul(A, bt)""")

pair("FusedMatMulActivation", "com.microsoft.FusedMatMulActivation", "LeakyRelu(alpha * MatMul(A, B))",
     "(float[3,4] A, float[4,5] B) => (float[3,5] Y)",
     """Y = com.microsoft.FusedMatMulActivation <alpha = 0.5, activation = "LeakyRelu",
     activation_alpha = 0.1> (A, B)""",
     """product = MatMul(A, B)
     scaled = Mul(product, alpha)
     Y = LeakyRelu <alpha = 0.1> (scaled)""",
     standard_weights=[scalar("float", "alpha", 0.5)])

pair("FusedGemm", "com.microsoft.FusedGemm", "LeakyRelu(Gemm(A, B, C))",
     "(float[3,4] A, float[5,4] B, float[5] C) => (float[3,5] Y)",
     """Y = com.microsoft.FusedGemm <transB = 1, alpha = 0.5, beta = 2.0,
     activation = "LeakyRelu", activation_alpha = 0.1> (A, B, C)""",
     """product = Gemm <transB = 1, alpha = 0.5, beta = 2.0> (A, B, C)
     Y = LeakyRelu <alpha = 0.1> (product)""")

pair("GemmFastGelu", "com.microsoft.GemmFastGelu", "Gelu(MatMul(X, W) + bias), by tanh",
     "(float[3,4] X, float[4,5] W, float[5] bias) => (float[3,5] Y)",
     "Y = com.microsoft.GemmFastGelu(X, W, bias)",
     """product = MatMul(X, W)
     sum = Add(product, bias)
     Y = Gelu <approximate = "tanh"> (sum)""")

for op in ("FusedConv", "NhwcFusedConv"):
    if op == "FusedConv":
        pair(op, f"com.microsoft.{op}", "Relu(Conv(X, W, B) + Z)",
             "(float[1,2,5,5] X, float[3,2,3,3] W, float[3] B, float[1,3,5,5] Z) => (float[1,3,5,5] Y)",
             'Y = com.microsoft.FusedConv <pads = [1, 1, 1, 1], activation = "Relu"> (X, W, B, Z)',
             """conv = Conv <pads = [1, 1, 1, 1]> (X, W, B)
             sum = Add(conv, Z)
             Y = Relu(sum)""")
    else:
        pair(op, f"com.microsoft.{op}", "Relu(Conv(X, W, B) + Z), channels last",
             "(float[1,5,5,2] X, float[3,2,3,3] W, float[3] B, float[1,5,5,3] Z) => (float[1,5,5,3] Y)",
             'Y = com.microsoft.NhwcFusedConv <pads = [1, 1, 1, 1], activation = "Relu"> (X, W, B, Z)',
             """x = Transpose <perm = [0, 3, 1, 2]> (X)
             conv = Conv <pads = [1, 1, 1, 1]> (x, W, B)
             y = Transpose <perm = [0, 2, 3, 1]> (conv)
             sum = Add(y, Z)
             Y = Relu(sum)""")

pair("NhwcConv", "com.microsoft.NhwcConv", "Conv, channels last",
     "(float[1,5,6,2] X, float[3,2,3,3] W, float[3] B) => (float[1,3,4,3] Y)",
     "Y = com.microsoft.NhwcConv(X, W, B)",
     """x = Transpose <perm = [0, 3, 1, 2]> (X)
     y = Conv(x, W, B)
     Y = Transpose <perm = [0, 2, 3, 1]> (y)""")

pair("NhwcMaxPool", "com.microsoft.NhwcMaxPool", "MaxPool of 8-bit integers, channels last",
     "(uint8[1,5,5,3] x) => (uint8[1,2,2,3] y)",
     "y = com.microsoft.NhwcMaxPool <kernel_shape = [3, 3], strides = [2, 2]> (x)",
     """a = Transpose <perm = [0, 3, 1, 2]> (x)
     b = MaxPool <kernel_shape = [3, 3], strides = [2, 2]> (a)
     y = Transpose <perm = [0, 2, 3, 1]> (b)""")

FUSED_OPSETS["com.microsoft.nchwc"] = 1
pair("nchwc_Conv", "com.microsoft.nchwc.Conv", "Relu(Conv(X, W, B)) of blocks of 16 channels",
     "(float[1,16,5,6] X, float[32,16,3,3] W, float[32] B) => (float[1,32,3,4] Y)",
     """w6 = Reshape(W, blocks)
     w = Transpose <perm = [0, 2, 4, 5, 3, 1]> (w6)
     blocked_w = Reshape(w, w_shape)
     x = com.microsoft.nchwc.ReorderInput(X)
     y = com.microsoft.nchwc.Conv <activation = "Relu"> (x, blocked_w, B)
     Y = com.microsoft.nchwc.ReorderOutput <channels = 32> (y)""",
     """y = Conv(X, W, B)
     Y = Relu(y)""",
     fused_weights=[const("blocks", 2, 16, 1, 16, 3, 3), const("w_shape", 32, 16, 3, 3)])

for op in ("MaxPool", "AveragePool"):
    pair(f"nchwc_{op}", f"com.microsoft.nchwc.{op}", f"{op} of blocks of 16 channels",
         "(float[1,32,6,6] X) => (float[1,32,3,3] Y)",
         f"""x = com.microsoft.nchwc.ReorderInput(X)
         y = com.microsoft.nchwc.{op} <kernel_shape = [2, 2], strides = [2, 2]> (x)
         Y = com.microsoft.nchwc.ReorderOutput <channels = 32> (y)""",
         f"Y = {op} <kernel_shape = [2, 2], strides = [2, 2]> (X)")

# Activations.

pair("Gelu", "com.microsoft.Gelu", "0.5 * X * (1 + Erf(X / sqrt(2)))",
     "(float[2,3,8] X) => (float[2,3,8] Y)",
     "Y = com.microsoft.Gelu(X)",
     """a = Div(X, root)
     b = Erf(a)
     c = Add(b, one)
     d = Mul(X, c)
     Y = Mul(d, half)""",
     standard_weights=[scalar("float", "root", 1.4142135), scalar("float", "one", 1),
                       scalar("float", "half", 0.5)])

pair("BiasGelu", "com.microsoft.BiasGelu", "Gelu(A + B)",
     "(float[2,3,8] A, float[8] B) => (float[2,3,8] C)",
     "C = com.microsoft.BiasGelu(A, B)",
     """sum = Add(A, B)
     C = Gelu(sum)""")

pair("FastGelu", "com.microsoft.FastGelu",
     "0.5 * x * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), x = X + bias",
     "(float[2,3,8] X, float[8] bias) => (float[2,3,8] Y)",
     "Y = com.microsoft.FastGelu(X, bias)",
     """x = Add(X, bias)
     cube = Pow(x, three)
     a = Mul(cube, c)
     b = Add(x, a)
     d = Mul(b, root)
     e = Tanh(d)
     f = Add(e, one)
     g = Mul(x, half)
     Y = Mul(g, f)""",
     standard_weights=[scalar("float", "three", 3), scalar("float", "c", 0.044715),
                       scalar("float", "root", 0.7978845608), scalar("float", "one", 1),
                       scalar("float", "half", 0.5)])

pair("QuickGelu", "com.microsoft.QuickGelu", "X * Sigmoid(alpha * X)",
     "(float[2,3,8] X) => (float[2,3,8] Y)",
     "Y = com.microsoft.QuickGelu <alpha = 1.5> (X)",
     """a = Mul(X, alpha)
     b = Sigmoid(a)
     Y = Mul(X, b)""",
     standard_weights=[scalar("float", "alpha", 1.5)])

pair("BiasSplitGelu", "com.microsoft.BiasSplitGelu",
     "left * Gelu(right), the halves of X + bias",
     "(float[2,3,2560] X, float[2560] bias) => (float[2,3,1280] Y)",
     "Y = com.microsoft.BiasSplitGelu(X, bias)",
     """sum = Add(X, bias)
     left, right = Split <axis = 2, num_outputs = 2> (sum)
     gelu = Gelu(right)
     Y = Mul(left, gelu)""")

pair("BiasAdd", "com.microsoft.BiasAdd", "X + bias + skip",
     "(float[2,3,320] X, float[320] bias, float[2,3,320] skip) => (float[2,3,320] Y)",
     "Y = com.microsoft.BiasAdd(X, bias, skip)",
     """sum = Add(X, bias)
     Y = Add(sum, skip)""")

pair("BiasSoftmax", "com.microsoft.BiasSoftmax", "Softmax(data + bias)",
     "(float[2,3,4,8] data, float[2,1,1,8] bias) => (float[2,3,4,8] output)",
     "output = com.microsoft.BiasSoftmax <axis = 3, is_inner_broadcast = 1> (data, bias)",
     """sum = Add(data, bias)
     output = Softmax <axis = 3> (sum)""")

pair("BiasDropout", "com.microsoft.BiasDropout", "Dropout(data + bias) + residual",
     "(float[2,3,8] data, float[8] bias, float[2,3,8] residual) => (float[2,3,8] output)",
     "output = com.microsoft.BiasDropout(data, bias, residual)",
     """sum = Add(data, bias)
     dropped = Dropout(sum)
     output = Add(dropped, residual)""")

# Normalizations.

GAMMA = [floats("gamma", 8, low=0.5, high=1.5), floats("beta", 8)]
pair("SkipLayerNormalization", "com.microsoft.SkipLayerNormalization",
     "LayerNormalization(input + skip + bias), and the sum",
     "(float[2,3,8] input, float[2,3,8] skip, float[8] bias) => (float[2,3,8] output, float[2,3,8] sum)",
     """output, , , sum = com.microsoft.SkipLayerNormalization <epsilon = 0.00001>
     (input, skip, gamma, beta, bias)""",
     """a = Add(input, skip)
     sum = Add(a, bias)
     output = LayerNormalization <epsilon = 0.00001> (sum, gamma, beta)""", GAMMA)

pair("SkipSimplifiedLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization",
     "sum / Sqrt(ReduceMean(sum^2) + epsilon) * gamma, sum = input + skip",
     "(float[2,3,8] input, float[2,3,8] skip) => (float[2,3,8] output, float[2,3,8] sum)",
     """output, , , sum = com.microsoft.SkipSimplifiedLayerNormalization <epsilon = 0.00001>
     (input, skip, gamma)""",
     """sum = Add(input, skip)
     square = Mul(sum, sum)
     mean = ReduceMean(square, last)
     shifted = Add(mean, epsilon)
     root = Sqrt(shifted)
     unit = Div(sum, root)
     output = Mul(unit, gamma)""",
     [GAMMA[0]], standard_weights=[const("last", -1), scalar("float", "epsilon", "0.00001")])

pair("SimplifiedLayerNormalization", "SimplifiedLayerNormalization",
     "RMSNormalization; onnxruntime puts it into ai.onnx",
     "(float[2,3,8] x) => (float[2,3,8] y)",
     "y = SimplifiedLayerNormalization <axis = -1, epsilon = 0.00001> (x, gamma)",
     "y = RMSNormalization <axis = -1, epsilon = 0.00001> (x, gamma)", [GAMMA[0]])

pair("EmbedLayerNormalization", "com.microsoft.EmbedLayerNormalization",
     "LayerNormalization(Gather(words) + Gather(positions) + Gather(segments)); the mask's sum",
     "(int32[2,3] input_ids, int32[2,3] segment_ids) => (float[2,3,8] output, int32[2] mask_index)",
     """output, mask_index = com.microsoft.EmbedLayerNormalization <epsilon = 0.00001> (input_ids,
     segment_ids, words, positions, segments, gamma, beta, mask)""",
     """word = Gather(words, input_ids)
     position = Gather(positions, ids)
     segment = Gather(segments, segment_ids)
     a = Add(word, position)
     b = Add(a, segment)
     output = LayerNormalization <epsilon = 0.00001> (b, gamma, beta)
     mask_index = ReduceSum <keepdims = 0> (mask, last)""",
     [floats("words", 10, 8), floats("positions", 4, 8), floats("segments", 10, 8), *GAMMA,
      tensor("int32", "mask", (2, 3), [1, 1, 0, 1, 1, 1])],
     standard_weights=[tensor("int64", "ids", (1, 3), [0, 1, 2]), const("last", 1)])
for op, skip in (("GroupNorm", False), ("SkipGroupNorm", True)):
    inputs = "float[2,4,4,8] X" + (", float[2,4,4,8] skip, float[8] bias" if skip else "")
    outputs = "float[2,4,4,8] Y" + (", float[2,4,4,8] S" if skip else "")
    attributes = "<groups = 2, epsilon = 0.00001, activation = 1, channels_last = 1>"
    pair(op, f"com.microsoft.{op}",
         f"SiLU(GroupNormalization({'X + skip + bias' if skip else 'X'})), channels last",
         f"({inputs}) => ({outputs})",
         f"Y, S = com.microsoft.SkipGroupNorm {attributes} (X, gamma, beta, skip, bias)" if skip else
         f"Y = com.microsoft.GroupNorm {attributes} (X, gamma, beta)",
         ("""a = Add(X, skip)
          S = Add(a, bias)
          """ if skip else "") +
         f"""x = Transpose <perm = [0, 3, 1, 2]> ({'S' if skip else 'X'})
         n = GroupNormalization <num_groups = 2, epsilon = 0.00001> (x, gamma, beta)
         s = Sigmoid(n)
         y = Mul(n, s)
         Y = Transpose <perm = [0, 2, 3, 1]> (y)""", GAMMA)

# Attention: 2 heads of 4 channels, 3 positions.

HEADS = [const("heads", 0, 0, 2, 4), const("hidden", 0, 0, 8)]
SOFTMAX = """kt = Transpose <perm = [0, 1, 3, 2]> (k)
    qk = MatMul(q, kt)
    scaled = Mul(qk, half)
    masked = Add(scaled, keys)
    p = Softmax <axis = 3> (masked)
    pv = MatMul(p, v)
    rows = Transpose <perm = [0, 2, 1, 3]> (pv)
    output = Reshape(rows, hidden)"""


def heads(name, source):
    return f"""{name}4 = Reshape({source}, heads)
    {name} = Transpose <perm = [0, 2, 1, 3]> ({name}4)
    """


# A masked key gets -10000.
MASK = [tensor("int32", "mask", (2, 3), [1, 1, 0, 1, 1, 1])]
KEYS = [tensor("float", "keys", (2, 1, 1, 3), [0, 0, -10000, 0, 0, 0])]
HALF = [scalar("float", "half", 0.5)]

pair("Attention", "com.microsoft.Attention",
     "Q, K, V = Split(MatMul(input, weights) + bias); MatMul(Softmax(MatMul(Q, K^T) / sqrt(d) + mask), V)",
     "(float[2,3,8] input, float[8,24] weights, float[24] bias) => (float[2,3,8] output)",
     "output = com.microsoft.Attention <num_heads = 2> (input, weights, bias, mask)",
     """product = MatMul(input, weights)
     sum = Add(product, bias)
     query, key, value = Split <axis = 2, num_outputs = 3> (sum)
     """ + heads("q", "query") + heads("k", "key") + heads("v", "value") + SOFTMAX,
     fused_weights=MASK, standard_weights=HEADS + KEYS + HALF)

pair("MultiHeadAttention", "com.microsoft.MultiHeadAttention",
     "MatMul(Softmax(MatMul(Q, K^T) / sqrt(d) + mask), V) of query, key, value + bias",
     "(float[2,3,8] query, float[2,3,8] key, float[2,3,8] value, float[24] bias) => (float[2,3,8] output)",
     """output = com.microsoft.MultiHeadAttention <num_heads = 2> (query, key, value, bias, mask)""",
     """bq, bk, bv = Split <axis = 0, num_outputs = 3> (bias)
     query_b = Add(query, bq)
     key_b = Add(key, bk)
     value_b = Add(value, bv)
     """ + heads("q", "query_b") + heads("k", "key_b") + heads("v", "value_b") + SOFTMAX,
     fused_weights=MASK, standard_weights=HEADS + KEYS + HALF)

pair("MultiHeadAttention_past", "com.microsoft.MultiHeadAttention",
     "causal Attention of ONNX 23 with past and present",
     "(float[2,3,8] query, float[2,3,8] key, float[2,3,8] value, float[2,2,2,4] past_key, "
     "float[2,2,2,4] past_value) => (float[2,3,8] output, float[2,2,5,4] present_key, "
     "float[2,2,5,4] present_value)",
     """output, present_key, present_value = com.microsoft.MultiHeadAttention
     <num_heads = 2, unidirectional = 1> (query, key, value, , , , past_key, past_value)""",
     """output, present_key, present_value = Attention <q_num_heads = 2, kv_num_heads = 2>
     (query, key, value, causal, past_key, past_value)""",
     standard_weights=[tensor("bool", "causal", (3, 5), [1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1])])

pair("GroupQueryAttention", "com.microsoft.GroupQueryAttention",
     "causal Attention of ONNX 23 with more query heads than key heads",
     "(float[2,3,32] query, float[2,3,16] key, float[2,3,16] value) => "
     "(float[2,3,32] output, float[2,2,3,8] present_key, float[2,2,3,8] present_value)",
     """output, present_key, present_value = com.microsoft.GroupQueryAttention
     <num_heads = 4, kv_num_heads = 2> (query, key, value, , , lengths, total)""",
     """key4 = Reshape(key, heads)
     present_key = Transpose <perm = [0, 2, 1, 3]> (key4)
     value4 = Reshape(value, heads)
     present_value = Transpose <perm = [0, 2, 1, 3]> (value4)
     output = Attention <q_num_heads = 4, kv_num_heads = 2, is_causal = 1> (query, key, value)""",
     fused_weights=[tensor("int32", "lengths", (2,), [2, 2]), scalar("int32", "total", 3)],
     standard_weights=[const("heads", 0, 0, 2, 8)])

pair("RotaryEmbedding", "com.microsoft.RotaryEmbedding",
     "x * cos + Concat(-right, left) * sin, the halves of each head of x",
     "(float[2,2,3,8] input, int64[2,3] position_ids) => (float[2,2,3,8] output)",
     "output = com.microsoft.RotaryEmbedding(input, position_ids, cos_cache, sin_cache)",
     """cos_rows = Gather(cos_cache, position_ids)
     sin_rows = Gather(sin_cache, position_ids)
     cos_half = Unsqueeze(cos_rows, head_axis)
     sin_half = Unsqueeze(sin_rows, head_axis)
     cos = Concat <axis = -1> (cos_half, cos_half)
     sin = Concat <axis = -1> (sin_half, sin_half)
     left, right = Split <axis = -1, num_outputs = 2> (input)
     negative = Neg(right)
     turned = Concat <axis = -1> (negative, left)
     a = Mul(input, cos)
     b = Mul(turned, sin)
     output = Add(a, b)""",
     [floats("cos_cache", 10, 4), floats("sin_cache", 10, 4)],
     standard_weights=[const("head_axis", 1)])

# 8-bit operators: what is between DequantizeLinear and QuantizeLinear. Scales are such that no
# result lies halfway between two steps.


def quantized(kind="uint8", **scales):
    made = []
    for name, (scale, zero_point) in scales.items():
        made += [scalar("float", f"{name}_scale", scale), scalar(kind, f"{name}_zero", zero_point)]
    return made


def dequantize(x, name):
    return f"{x}_f = DequantizeLinear({x}, {name}_scale, {name}_zero)\n"


QUANTIZE = "Y = QuantizeLinear(y_f, y_scale, y_zero)"

for op in ("Add", "Mul"):
    pair(f"QLinear{op}", f"com.microsoft.QLinear{op}", f"{op} between DequantizeLinear and QuantizeLinear",
         "(uint8[2,3,8] A, uint8[8] B) => (uint8[2,3,8] Y)",
         f"Y = com.microsoft.QLinear{op}(A, a_scale, a_zero, B, b_scale, b_zero, y_scale, y_zero)",
         dequantize("A", "a") + dequantize("B", "b") + f"y_f = {op}(A_f, B_f)\n" + QUANTIZE,
         quantized(a=(0.043, 5), b=(0.031, 3), y=(0.027, 7)))

for op, attributes in (("Sigmoid", ""), ("LeakyRelu", " <alpha = 0.1>")):
    pair(f"QLinear{op}", f"com.microsoft.QLinear{op}",
         f"{op} between DequantizeLinear and QuantizeLinear",
         "(uint8[2,3,8] X) => (uint8[2,3,8] Y)",
         f"Y = com.microsoft.QLinear{op}{attributes} (X, x_scale, x_zero, y_scale, y_zero)",
         dequantize("X", "x") + f"y_f = {op}{attributes} (X_f)\n" + QUANTIZE,
         quantized(x=(0.43, 5), y=(0.0131, 3)))

pair("QLinearSoftmax", "com.microsoft.QLinearSoftmax",
     "Softmax between DequantizeLinear and QuantizeLinear",
     "(uint8[2,3,8] X) => (uint8[2,3,8] Y)",
     "Y = com.microsoft.QLinearSoftmax <axis = -1, opset = 13> (X, x_scale, x_zero, y_scale, y_zero)",
     dequantize("X", "x") + "y_f = Softmax <axis = -1> (X_f)\n" + QUANTIZE,
     quantized(x=(0.11, 5), y=(0.00390625, 0)))

pair("QLinearAveragePool", "com.microsoft.QLinearAveragePool",
     "AveragePool between DequantizeLinear and QuantizeLinear",
     "(uint8[1,2,6,6] X) => (uint8[1,2,3,3] Y)",
     "Y = com.microsoft.QLinearAveragePool <kernel_shape = [2, 2], strides = [2, 2]> "
     "(X, x_scale, x_zero, y_scale, y_zero)",
     dequantize("X", "x") + "y_f = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (X_f)\n" +
     QUANTIZE, quantized(x=(0.11, 5), y=(0.0437, 3)))

pair("QLinearGlobalAveragePool", "com.microsoft.QLinearGlobalAveragePool",
     "GlobalAveragePool between DequantizeLinear and QuantizeLinear",
     "(uint8[2,3,4,5] X) => (uint8[2,3,1,1] Y)",
     "Y = com.microsoft.QLinearGlobalAveragePool(X, x_scale, x_zero, y_scale, y_zero)",
     dequantize("X", "x") + "y_f = GlobalAveragePool(X_f)\n" + QUANTIZE,
     quantized(x=(0.11, 5), y=(0.0137, 3)))

pair("QLinearReduceMean", "com.microsoft.QLinearReduceMean",
     "ReduceMean between DequantizeLinear and QuantizeLinear",
     "(uint8[2,3,8] X) => (uint8[2,3,1] Y)",
     "Y = com.microsoft.QLinearReduceMean <axes = [2], keepdims = 1> (X, x_scale, x_zero, y_scale, y_zero)",
     dequantize("X", "x") + "y_f = ReduceMean(X_f, axes)\n" + QUANTIZE,
     quantized(x=(0.11, 5), y=(0.0137, 3)), standard_weights=[const("axes", 2)])

pair("QLinearConcat", "com.microsoft.QLinearConcat",
     "Concat between DequantizeLinear and QuantizeLinear",
     "(uint8[2,3] A, uint8[2,5] B) => (uint8[2,8] Y)",
     "Y = com.microsoft.QLinearConcat <axis = 1> (y_scale, y_zero, A, a_scale, a_zero, B, b_scale, b_zero)",
     dequantize("A", "a") + dequantize("B", "b") + "y_f = Concat <axis = 1> (A_f, B_f)\n" + QUANTIZE,
     quantized(a=(0.043, 5), b=(0.031, 3), y=(0.027, 7)))

pair("QLinearWhere", "com.microsoft.QLinearWhere",
     "Where between DequantizeLinear and QuantizeLinear",
     "(bool[2,3] condition, uint8[2,3] A, uint8[3] B) => (uint8[2,3] Y)",
     "Y = com.microsoft.QLinearWhere(condition, A, a_scale, a_zero, B, b_scale, b_zero, y_scale, y_zero)",
     dequantize("A", "a") + dequantize("B", "b") + "y_f = Where(condition, A_f, B_f)\n" + QUANTIZE,
     quantized(a=(0.043, 5), b=(0.031, 3), y=(0.027, 7)))

pair("QLinearConv", "com.microsoft.QLinearConv",
     "Conv between DequantizeLinear and QuantizeLinear, channels last",
     "(uint8[1,5,6,4] X) => (uint8[1,3,4,3] Y)",
     "Y = com.microsoft.QLinearConv <channels_last = 1> "
     "(X, x_scale, x_zero, W, w_scale, w_zero, y_scale, y_zero)",
     """x = Transpose <perm = [0, 3, 1, 2]> (X)
     """ + dequantize("x", "x") + dequantize("W", "w") +
     """c = Conv(x_f, W_f)
     y_f = Transpose <perm = [0, 2, 3, 1]> (c)
     """ + QUANTIZE,
     [integers("uint8", "W", 3, 4, 3, 3, high=255), *quantized(x=(0.043, 5), w=(0.0031, 119), y=(0.0527, 120))])

pair("QGemm", "com.microsoft.QGemm", "Gemm between DequantizeLinear and QuantizeLinear",
     "(uint8[3,8] A, uint8[8,5] B) => (uint8[3,5] Y)",
     "Y = com.microsoft.QGemm(A, a_scale, a_zero, B, b_scale, b_zero, , y_scale, y_zero)",
     dequantize("A", "a") + dequantize("B", "b") + "y_f = MatMul(A_f, B_f)\n" + QUANTIZE,
     quantized(a=(0.043, 5), b=(0.031, 3), y=(0.0027, 97)))

for op, source, target in (("QuantizeLinear", "float", "uint8"), ("DequantizeLinear", "uint8", "float")):
    pair(op, f"com.microsoft.{op}", f"{op} of ai.onnx, along axis 1",
         f"({source}[2,3,4] x) => ({target}[2,3,4] y)",
         f"y = com.microsoft.{op} <axis = 1> (x, scale, zero)", f"y = {op} <axis = 1> (x, scale, zero)",
         [tensor("float", "scale", (3,), [0.11, 0.013, 0.3]), tensor("uint8", "zero", (3,), [9, 128, 0])])

pair("MatMulIntegerToFloat", "com.microsoft.MatMulIntegerToFloat",
     "Cast(MatMulInteger(A, B)) * (a_scale * b_scale) + bias",
     "(uint8[3,4] A, uint8[4,5] B, float[5] bias) => (float[3,5] Y)",
     "Y = com.microsoft.MatMulIntegerToFloat(A, B, a_scale, b_scale, a_zero, b_zero, bias)",
     """product = MatMulInteger(A, B, a_zero, b_zero)
     float_product = Cast <to = 1> (product)
     scale = Mul(a_scale, b_scale)
     scaled = Mul(float_product, scale)
     Y = Add(scaled, bias)""", quantized(a=(0.043, 5), b=(0.031, 3)))

pair("DynamicQuantizeMatMul", "com.microsoft.DynamicQuantizeMatMul",
     "Cast(MatMulInteger(DynamicQuantizeLinear(A), B)) * (a_scale * b_scale) + bias",
     "(float[3,4] A, uint8[4,5] B, float[5] bias) => (float[3,5] Y)",
     "Y = com.microsoft.DynamicQuantizeMatMul(A, B, b_scale, b_zero, bias)",
     """a, a_scale, a_zero = DynamicQuantizeLinear(A)
     product = MatMulInteger(a, B, a_zero, b_zero)
     float_product = Cast <to = 1> (product)
     scale = Mul(a_scale, b_scale)
     scaled = Mul(float_product, scale)
     Y = Add(scaled, bias)""", quantized(b=(0.031, 3)))

pair("MatMulInteger16", "com.microsoft.MatMulInteger16", "MatMul of A and B as int32",
     "(int16[3,4] A, int16[4,5] B) => (int32[3,5] Y)",
     "Y = com.microsoft.MatMulInteger16(A, B)",
     """a = Cast <to = 6> (A)
     b = Cast <to = 6> (B)
     Y = MatMul(a, b)""")


def packed(values, bits, row):
    """Values of few bits in bytes, the first in the low bits, each row in bytes of its own."""
    per_byte = 8 // bits
    result = []
    for begin in range(0, len(values), row):
        line = values[begin:begin + row]
        line += [0] * (-len(line) % per_byte)
        result += [sum(x << (bits * i) for i, x in enumerate(line[j:j + per_byte]))
                   for j in range(0, len(line), per_byte)]
    return result


# 5 columns of 32 in blocks of 16.
CODES = [int(x) for x in numbers("codes", 160, 0, 16, 6)]
ZEROS = [int(x) for x in numbers("zeros", 10, 4, 12, 6)]
pair("MatMulNBits", "com.microsoft.MatMulNBits",
     "MatMul(A, Transpose(DequantizeLinear(B))) of 4-bit blocks",
     "(float[3,32] A) => (float[3,5] Y)",
     """Y = com.microsoft.MatMulNBits <K = 32, N = 5, bits = 4, block_size = 16>
     (A, B, scales, zero_points)""",
     """b = DequantizeLinear <axis = 1, block_size = 16> (B, scales, zero_points)
     bt = Transpose <perm = [1, 0]> (b)
     Y = MatMul(A, bt)""",
     [floats("scales", 5, 2, low=0.01, high=0.1)],
     fused_weights=[tensor("uint8", "B", (5, 2, 8), packed(CODES, 4, 16)),
                    tensor("uint8", "zero_points", (5, 1), packed(ZEROS, 4, 2))],
     standard_weights=[tensor("uint8", "B", (5, 32), CODES),
                       tensor("uint8", "zero_points", (5, 2), ZEROS)])

pair("GatherBlockQuantized", "com.microsoft.GatherBlockQuantized",
     "Gather(DequantizeLinear(data), indices) of 4-bit blocks",
     "(float[5,2] scales) => (float[2,3,32] output)",
     """output = com.microsoft.GatherBlockQuantized
     <bits = 4, block_size = 16, gather_axis = 0, quantize_axis = 1>
     (data, indices, scales, zero_points)""",
     """table = DequantizeLinear <axis = 1, block_size = 16> (data, scales, zero_points)
     output = Gather(table, indices)""",
     [tensor("int64", "indices", (2, 3), [0, 4, 2, 1, 1, 3])],
     fused_weights=[tensor("uint8", "data", (5, 16), packed(CODES, 4, 32)),
                    tensor("uint8", "zero_points", (5, 1), packed(ZEROS, 4, 2))],
     standard_weights=[tensor("uint8", "data", (5, 32), CODES),
                       tensor("uint8", "zero_points", (5, 2), ZEROS)])
# Others.

pair("ExpandDims", "com.microsoft.ExpandDims", "Unsqueeze", "(float[2,3] X) => (float[2,1,3] Y)",
     "Y = com.microsoft.ExpandDims(X, axis)", "Y = Unsqueeze(X, axes)",
     fused_weights=[scalar("int32", "axis", 1)], standard_weights=[const("axes", 1)])

pair("CDist", "com.microsoft.CDist", "Sqrt(ReduceSum((A - B)^2)) of all pairs of rows",
     "(float[3,5] A, float[4,5] B) => (float[3,4] C)",
     'C = com.microsoft.CDist <metric = "euclidean"> (A, B)',
     """a = Unsqueeze(A, one)
     b = Unsqueeze(B, zero)
     d = Sub(a, b)
     s = Mul(d, d)
     t = ReduceSum <keepdims = 0> (s, two)
     C = Sqrt(t)""",
     standard_weights=[const("zero", 0), const("one", 1), const("two", 2)])

pair("ComplexMul", "com.microsoft.ComplexMul", "(a + bi)(c + di) of pairs in the last dim",
     "(float[3,2] A, float[3,2] B) => (float[3,2] C)",
     "C = com.microsoft.ComplexMul(A, B)",
     """a, b = Split <axis = 1, num_outputs = 2> (A)
     c, d = Split <axis = 1, num_outputs = 2> (B)
     ac = Mul(a, c)
     bd = Mul(b, d)
     ad = Mul(a, d)
     bc = Mul(b, c)
     real = Sub(ac, bd)
     imaginary = Add(ad, bc)
     C = Concat <axis = 1> (real, imaginary)""")

pair("Rfft", "com.microsoft.Rfft", "DFT of real numbers, onesided",
     "(float[2,8] X) => (float[2,5,2] Y)",
     "Y = com.microsoft.Rfft <signal_ndim = 1, normalized = 0, onesided = 1> (X)",
     """x = Unsqueeze(X, last)
     Y = DFT <onesided = 1> (x, , axis)""",
     standard_weights=[const("last", -1), scalar("int64", "axis", 1)])

pair("ScaledSiLU", "com.microsoft.ScaledSiLU", "x * Sigmoid(x), x = alpha * X",
     "(float[2,3,8] X) => (float[2,3,8] Y)",
     "Y = com.microsoft.ScaledSiLU <alpha = 0.7> (X)",
     """x = Mul(X, alpha)
     s = Sigmoid(x)
     Y = Mul(x, s)""", standard_weights=[scalar("float", "alpha", 0.7)])

pair("MoE", "com.microsoft.MoE",
     "the chosen expert's second product of the Relu of the first, weighted by the Softmax",
     "(float[3,4] input, float[3,2] router_probs) => (float[3,4] output)",
     'output = com.microsoft.MoE <k = 2, activation_type = "relu"> (input, router_probs, fc1, , fc2)',
     """weights = Softmax <axis = 1> (router_probs)
     expert_weights = Transpose <perm = [1, 0]> (weights)
     factors = Unsqueeze(expert_weights, last)
     fc1t = Transpose <perm = [0, 2, 1]> (fc1)
     fc2t = Transpose <perm = [0, 2, 1]> (fc2)
     h = MatMul(input, fc1t)
     r = Relu(h)
     y = MatMul(r, fc2t)
     w = Mul(y, factors)
     output = ReduceSum <keepdims = 0> (w, first)""",
     [floats("fc1", 2, 6, 4), floats("fc2", 2, 4, 6)],
     standard_weights=[const("last", -1), const("first", 0)])

pair("CausalConvWithState", "com.microsoft.CausalConvWithState",
     "SiLU(depthwise Conv of past and input), and the new past",
     "(float[2,4,6] input, float[4,1,3] weight, float[4] bias, float[2,4,2] past) => "
     "(float[2,4,6] output, float[2,4,2] present)",
     'output, present = com.microsoft.CausalConvWithState <activation = "silu"> (input, weight, bias, past)',
     """all = Concat <axis = 2> (past, input)
     conv = Conv <group = 4> (all, weight, bias)
     s = Sigmoid(conv)
     output = Mul(conv, s)
     present = Slice(all, starts, ends, axes)""",
     standard_weights=[const("starts", -2), const("ends", 100), const("axes", 2)])


pair("ConvTransposeWithDynamicPads", "com.microsoft.ConvTransposeWithDynamicPads",
     "ConvTranspose, the padding as an input",
     "(float[1,2,4,4] X, float[2,3,3,3] W) => (float[1,3,6,7] Y)",
     "Y = com.microsoft.ConvTransposeWithDynamicPads <strides = [2, 2]> (X, W, pads)",
     "Y = ConvTranspose <strides = [2, 2], pads = [1, 1, 2, 1]> (X, W)",
     fused_weights=[const("pads", 1, 1, 2, 1)])

pair("Irfft", "com.microsoft.Irfft", "inverse DFT, onesided, of real results",
     "(float[2,5,2] X) => (float[2,8] Y)",
     "Y = com.microsoft.Irfft <signal_ndim = 1, normalized = 0, onesided = 1> (X)",
     """right = Slice(X, third, first, axes, back)
     real, imaginary = Split <axis = 2, num_outputs = 2> (right)
     conjugate = Neg(imaginary)
     mirrored = Concat <axis = 2> (real, conjugate)
     x = Concat <axis = 1> (X, mirrored)
     y = DFT <inverse = 1> (x, , axis)
     part, other = Split <axis = 2, num_outputs = 2> (y)
     Y = Squeeze(part, axes2)""",
     standard_weights=[const("third", 3), const("first", 0), const("axes", 1), const("back", -1),
                       const("axes2", 2), scalar("int64", "axis", 1)])

# Elementwise chains that other optimizers fuse.

CHAINS = "onnx_extended.ortops.optim.cuda"
FUSED_OPSETS[CHAINS] = 1
for op, stands_for, nodes in (
        ("AddAdd", "x + y + z", "a = Add(x, y)\nr = Add(a, z)"),
        ("MulMul", "x * y * z", "a = Mul(x, y)\nr = Mul(a, z)"),
        ("AddMul", "(x + y) * z", "a = Add(x, y)\nr = Mul(a, z)"),
        ("MulAdd", "x * y + z", "a = Mul(x, y)\nr = Add(a, z)"),
        ("SubMul", "(x - y) * z", "a = Sub(x, y)\nr = Mul(a, z)"),
        ("MulSub", "x * y - z", "a = Mul(x, y)\nr = Sub(a, z)")):
    pair(op, f"{CHAINS}.{op}", stands_for,
         "(float[2,3] x, float[2,3] y, float[2,3] z) => (float[2,3] r)",
         f"r = {CHAINS}.{op}(x, y, z)", nodes)

for op, node in (("AddSharedInput", "Add"), ("MulSharedInput", "Mul")):
    pair(op, f"{CHAINS}.{op}", f"{node}(x, y) and {node}(x, z)",
         "(float[2,3] x, float[2,3] y, float[2,3] z) => (float[2,3] a, float[2,3] b)",
         f"a, b = {CHAINS}.{op}(x, y, z)", f"a = {node}(x, y)\nb = {node}(x, z)")

pair("MulSigmoid", f"{CHAINS}.MulSigmoid", "x * Sigmoid(x)", "(float[2,3] x) => (float[2,3] y)",
     f"y = {CHAINS}.MulSigmoid(x)", "s = Sigmoid(x)\ny = Mul(x, s)")

pair("NegXplus1", f"{CHAINS}.NegXplus1", "1 - x", "(float[2,3] x) => (float[2,3] y)",
     f"y = {CHAINS}.NegXplus1(x)", "y = Sub(one, x)", standard_weights=[scalar("float", "one", 1)])

pair("Rotary", f"{CHAINS}.Rotary", "Concat(-right, left), the halves of x",
     "(float[2,3,8] x) => (float[2,3,8] y)",
     f'y = {CHAINS}.Rotary <side = "right"> (x, splits)',
     """left, right = Split <axis = -1, num_outputs = 2> (x)
     negative = Neg(right)
     y = Concat <axis = -1> (negative, left)""", fused_weights=[const("splits", 4, 4)])

pair("ScatterNDOfShape", f"{CHAINS}.ScatterNDOfShape", "ScatterND of zeros, added",
     "(float[3,4] updates) => (float[5,4] y)",
     f'y = {CHAINS}.ScatterNDOfShape <reduction = "add"> (shape, indices, updates)',
     """zeros = ConstantOfShape(shape)
     y = ScatterND <reduction = "add"> (zeros, indices, updates)""",
     [const("shape", 5, 4), tensor("int64", "indices", (3, 1), [4, 1, 4])])

pair("Transpose2DCastFP16", f"{CHAINS}.Transpose2DCastFP16", "Cast(Transpose(x))",
     "(float[3,4] x) => (float16[4,3] y)", f"y = {CHAINS}.Transpose2DCastFP16(x)",
     "t = Transpose <perm = [1, 0]> (x)\ny = Cast <to = 10> (t)")


def main():
    stale = []
    expected = dict(files())
    for name, content in expected.items():
        path = os.path.join(FOLDER, name)
        if "--check" in sys.argv[1:]:
            if not os.path.exists(path) or open(path, encoding="utf-8").read() != content:
                stale.append(name)
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(content)
    stale += [n for n in os.listdir(FOLDER) if n.endswith(".onnxtxt") and n not in expected]
    if stale:
        print("not as made:", ", ".join(sorted(stale)))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())

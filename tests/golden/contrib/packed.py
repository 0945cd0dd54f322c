#!/usr/bin/env python3
"""Makes the cases of what onnxruntime's CPU kernels learned with 1.32.

Packed weights, the group router, the packed recurrences, weights of 3 and 4 bits in experts,
bfloat16. Needs numpy, ml_dtypes, onnx and onnxruntime, of which the expected values are.

    packed.py [OPERATOR ...]
"""

import sys

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper

import cases

FLOAT, HALF, BFLOAT = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16
CLOSE = {"rtol": 1e-4, "atol": 1e-5}
NARROW = {"rtol": 1e-2, "atol": 1e-2}
EXACT = {"rtol": 0, "atol": 0}
random = np.random.default_rng(132)


def floats(*shape, scale=1.0):
    return (scale * random.standard_normal(shape)).astype(np.float32)


class Case:
    """A node of com.microsoft. Inputs are (name, array), `wide` ones of them float for NumPy and
    cast to the node's type, `constant` ones initializers."""

    def __init__(self, op, **attributes):
        self.op, self.attributes = op, attributes
        self.nodes, self.inputs, self.initializers, self.slots, self.feeds = [], [], [], [], {}

    def add(self, name, array, cast=None, constant=None):
        if constant is not None:
            self.initializers.append(
                helper.make_tensor(name, constant, array.shape, array.tobytes(), raw=True))
        elif array is not None:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            self.inputs.append(helper.make_tensor_value_info(name, kind, array.shape))
            self.feeds[name] = array
        if cast and array is not None:
            self.nodes.append(helper.make_node("Cast", [name], [name + "_cast"], to=cast))
        self.slots.append("" if array is None else name + "_cast" if cast else name)
        return self

    def save(self, operator, name, what, settings, outputs, casts=()):
        results = [o + "_own" if o in casts else o for o in outputs]
        self.nodes.append(helper.make_node(self.op, self.slots, results, domain="com.microsoft",
                                           **self.attributes))
        for output in casts:
            self.nodes.append(helper.make_node("Cast", [output + "_own"], [output], to=FLOAT))
        infos = [helper.make_tensor_value_info(o, FLOAT, None) for o in outputs if o]
        for info in infos:
            info.ClearField("type")
        graph = helper.make_graph(self.nodes, name, self.inputs, infos, self.initializers)
        model = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])
        model.ir_version = 11
        got = cases.evaluate(model, self.feeds)
        for info in model.graph.output:
            kind = helper.np_dtype_to_tensor_dtype(got[info.name].dtype)
            info.CopyFrom(helper.make_tensor_value_info(info.name, kind, got[info.name].shape))
        operator.add(name, model, {"what": what, **settings}, self.feeds, got)


# Name, number, elements and bytes of a block, where its float16 numbers are.
FORMATS = [("q4_0", 2, 32, 18, [0]), ("q5_0", 6, 32, 22, [0]), ("q8_0", 8, 32, 34, [0]),
           ("q5_k", 13, 256, 176, [0, 2]), ("q6_k", 14, 256, 210, [208]),
           ("iq2_xxs", 16, 256, 66, [0]), ("iq2_xs", 17, 256, 74, [0]),
           ("iq3_xxs", 18, 256, 98, [0]), ("iq4_nl", 20, 32, 18, [0]), ("iq2_s", 22, 256, 82, [0]),
           ("iq4_xs", 23, 256, 136, [0]), ("q2_0", 42, 64, 18, [0])]


def packed_rows(rows, columns, elements, size, halves):
    blocks = random.integers(0, 256, (rows, columns // elements, size), np.uint8)
    for at in halves:
        scale = (0.5 + random.random(blocks.shape[:2])).astype(np.float16)
        blocks[:, :, at:at + 2] = scale[..., None].view(np.uint8)
    return blocks.reshape(rows, -1)


def gather_packed(operator):
    indices = np.array([[2, 0, 1], [-1, 7, 2]])
    for name, number, elements, size, halves in FORMATS:
        data = packed_rows(3, 2 * elements, elements, size, halves)
        Case("GatherPacked", K=2 * elements, packed_type=number, output_dtype=FLOAT).add(
            "data", data).add("indices", indices).save(
                operator, name, f"{name}, indices out of range", EXACT, ["output"])
    # Every point of the lattices.
    for name, number, elements, size, halves in FORMATS:
        if name.startswith("iq2") or name.startswith("iq3"):
            data = packed_rows(40, elements, elements, size, halves)
            Case("GatherPacked", K=elements, packed_type=number, output_dtype=FLOAT).add(
                "data", data).add("indices", np.arange(40, dtype=np.int32)).save(
                    operator, name + "_many", f"{name}, many points", EXACT, ["output"])
    table = floats(3, 5)
    for name, number, dtype in (("f32", 0, np.float32), ("f16", 1, np.float16),
                                ("bf16", 30, ml_dtypes.bfloat16)):
        data = np.ascontiguousarray(table.astype(dtype)).view(np.uint8)
        Case("GatherPacked", K=5, packed_type=number, output_dtype=FLOAT).add("data", data).add(
            "indices", np.array([1, 2], np.int32)).save(operator, name, name, EXACT, ["output"])
    data = packed_rows(3, 64, 32, 18, [0])
    Case("GatherPacked", K=64, packed_type=2, output_dtype=HALF).add("data", data).add(
        "indices", indices).save(operator, "to_f16", "to float16", EXACT, ["output"])
    Case("GatherPacked", K=64, packed_type=2).add("data", data).add("indices", np.array(1)).save(
        operator, "to_bf16", "to bfloat16 by default, one index", EXACT, ["output"], ["output"])
    Case("GatherPacked", K=64, packed_type=2, output_dtype=FLOAT).add("data", data).add(
        "indices", np.zeros((0, 2), np.int64)).save(operator, "none", "no index", EXACT, ["output"])


def moe_group_router(operator):
    def case(name, what, logits, bias, outputs=("router_probs",), projection=None, settings=None,
             cast=None, **attributes):
        c = Case("MoEGroupRouter", **attributes).add("logits", logits, cast).add(
            "expert_bias", bias)
        if projection is not None:
            c.add("projection_weight", projection, cast)
        c.save(operator, name, what, settings or CLOSE, list(outputs),
               ["router_probs"] if cast and "router_probs" in outputs else [])

    logits, bias = floats(5, 8), floats(8, scale=0.3)
    case("groups", "2 of 4 groups of 2", logits, bias, n_group=4, topk_group=2, top_k=3)
    case("one_group", "all in one group, three dimensions", floats(2, 3, 8), bias, top_k=2,
         router_sentinel=-50.0)
    case("group_topk", "one score a group", logits, bias, n_group=2, topk_group=1, top_k=2,
         group_topk=1)
    case("group_topk_large", "more scores a group than experts", logits, bias, n_group=4,
         topk_group=3, top_k=4, group_topk=5)
    case("ties", "equal numbers", np.round(logits), np.zeros(8, np.float32), n_group=4,
         topk_group=2, top_k=3)
    case("all_ties", "all the same", np.zeros((2, 8), np.float32), np.zeros(8, np.float32),
         n_group=4, topk_group=2, top_k=3)
    case("extreme", "infinities and great numbers",
         np.array([[90, -90, -200, 200, np.inf, -np.inf, 0, 1]], np.float32), bias, n_group=2,
         topk_group=2, top_k=8)
    case("nan", "NaN among the logits",
         np.array([[0, 1, np.nan, 2, 3, -1, 0.5, 0.2]], np.float32), bias, n_group=4, topk_group=2,
         top_k=3)
    case("nan_bias", "NaN in the bias", logits,
         np.where(np.arange(8) == 3, np.nan, bias).astype(np.float32), n_group=4, topk_group=2,
         top_k=3)
    case("f16", "float16", logits.astype(np.float16), bias, settings=NARROW, n_group=4,
         topk_group=2, top_k=3)
    case("bf16", "bfloat16", logits, bias, settings=NARROW, cast=BFLOAT, n_group=4, topk_group=2,
         top_k=3)
    case("none", "no tokens", floats(0, 8), bias, n_group=4, topk_group=2, top_k=3)
    both = ["", "selection_scores", "router_weights"]
    case("scores", "full scores", logits, bias, both, top_k=3)
    case("scores_bf16", "full scores of bfloat16", logits, bias, both, cast=BFLOAT, top_k=3)
    case("projected", "full scores of projected activations", floats(4, 256, scale=0.1), bias, both,
         floats(8, 256), top_k=3)
    case("projected_f16", "the same of float16", floats(4, 256, scale=0.1).astype(np.float16), bias,
         both, floats(8, 256).astype(np.float16), top_k=3)


def gated_delta_net(operator):
    tokens, heads, values, keys, size = 7, 2, 4, 8, 8
    offsets = np.array([0, 3, 7], np.int32)

    def case(name, what, attributes, rule="gated_delta", by_key=False, gate=False, bias=None,
             capacity=0, packed=False, narrow=None, state=True, outputs=3, cu=True, gate_type=None,
             active=None):
        settings = NARROW if narrow else CLOSE
        n = tokens if cu else 8
        q, k = floats(n, heads, keys), floats(n, heads, keys, scale=0.4)
        v = floats(n, values, size)
        c = Case("GatedDeltaNet", update_rule=rule, state_update_capacity=capacity, **attributes)
        if packed:
            flat = np.concatenate([x.reshape(n, -1) for x in (q, k, v)], 1)
            c.add("query", flat, narrow).add("key", None).add("value", None)
        else:
            c.add("query", q, narrow).add("key", k, narrow).add("value", v, narrow)
        c.add("cu_seqlens", offsets if cu else None)
        gated, delta = "gated" in rule, "delta" in rule
        shape = (n, values, keys) if by_key else (n, values)
        c.add("decay", floats(*shape) if gate else -np.abs(floats(*shape)) if gated else None,
              gate_type)
        c.add("beta", random.random((n, values)).astype(np.float32) if delta else None, gate_type)
        c.add("initial_state", floats(2, values, size, keys) if state else None)
        c.add("a_log", floats(values, scale=0.3) if gate else None)
        c.add("dt_bias", floats(*(bias or (values,)), scale=0.3) if gate else None)
        if capacity:
            c.add("capture_count", np.array([2, 9], np.int32))
        if active is not None:
            c.add("state_update_active", np.array([active], np.int32))
        names = ["output", "final_state", "state_update"][:outputs if capacity else min(outputs, 2)]
        c.save(operator, name, what, settings, names, ["output"] if narrow else [])

    for rule in ("linear", "gated", "delta", "gated_delta"):
        case(rule, f"update rule {rule}", {}, rule)
    case("uniform", "sequences of one length", {}, cu=False)
    case("by_key", "a decay for each element of the key", {"scale": 0.3}, by_key=True)
    case("no_state", "no initial state", {"qk_l2_norm": 1}, state=False)
    case("packed", "packed QKV, normalized", {"qk_l2_norm": 1}, packed=True)
    case("softplus", "gate softplus", {"gate_activation": "softplus", "beta_activation": "sigmoid"},
         gate=True)
    case("qwen", "gate qwen, by key", {"gate_activation": "qwen"}, by_key=True, gate=True)
    case("sigmoid", "gate sigmoid", {"gate_activation": "sigmoid"}, gate=True)
    case("kda", "gate kda by key, a bias for each element",
         {"gate_activation": "kda", "gate_lower_bound": -2.0}, by_key=True, gate=True,
         bias=(values, keys))
    case("kda_flat", "the same, the bias in one row", {"gate_activation": "kda"}, by_key=True,
         gate=True, bias=(values * keys,))
    case("softplus_by_key", "gate softplus by key, a bias for each element",
         {"gate_activation": "softplus"}, by_key=True, gate=True, bias=(values, keys))
    case("f16", "float16, gates of float", {}, narrow=HALF)
    case("f16_gates", "float16, gates too", {}, narrow=HALF, gate_type=HALF)
    case("bf16", "bfloat16, gates too", {"gate_activation": "sigmoid"}, gate=True, narrow=BFLOAT,
         gate_type=BFLOAT)
    case("captured", "captured transitions", {}, capacity=3)
    case("captured_by_key", "captured transitions, a decay for each element", {}, capacity=3,
         by_key=True)
    case("captured_inactive", "capturing switched off", {}, capacity=3, active=0)
    # What is after the captured transitions is undefined.
    for name in ("captured", "captured_by_key"):
        width = values * (keys if name.endswith("key") else 1)
        unsure = [np.zeros((2, 3, w), bool) for w in (width, heads * keys, values * size)]
        for part in unsure:
            part[0, 2:] = True
        operator.arrays[f"{name}/undefined/state_update"] = np.concatenate(
            [part.reshape(2, -1) for part in unsure], 1)


def varlen_causal_conv(operator):
    def case(name, what, narrow=None, bias=True, taps=4, counts=None, **attributes):
        kept = (taps - 1) * attributes.get("dilation", 1)
        c = Case("VarlenCausalConvWithState", **attributes).add("input", floats(7, 6), narrow).add(
            "weight", floats(6, 1, taps), narrow).add("offsets", np.array([0, 2, 7], np.int32)).add(
                "bias", floats(6) if bias else None, narrow).add(
                    "initial_state", floats(2, 6, kept), narrow)
        outputs = ["output", "final_state"]
        if counts:
            c.add("capture_count", np.array(counts, np.int32))
            outputs.append("state_update")
        c.save(operator, name, what, NARROW if narrow else CLOSE, outputs, outputs if narrow else [])

    case("silu", "silu, bias", activation="silu")
    case("plain", "no activation, no bias", bias=False)
    case("dilated", "dilation 2, swish", activation="swish", dilation=2)
    case("one_tap", "one tap", taps=1)
    case("captured", "captured inputs", counts=[3, 2], state_update_capacity=3)
    case("f16", "float16", narrow=HALF, activation="silu")
    case("bf16", "bfloat16", narrow=BFLOAT)


def q_moe(operator):
    tokens, hidden, inner, experts = 5, 64, 32, 3

    def router(c, cast=None):
        return c.add("input", floats(tokens, hidden, scale=0.3), cast).add(
            "router_probs", floats(tokens, experts), cast)

    def fp4(name, what, kind, normalize, narrow=None, scaled=True):
        block, scale_type, dtype = ((16, TensorProto.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn)
                                    if kind == "nvfp4" else
                                    (32, TensorProto.FLOAT8E8M0, ml_dtypes.float8_e8m0fnu))
        c = router(Case("QMoE", k=2, quant_type=kind, block_size=block, activation_type="swiglu",
                        swiglu_fusion=1, weights_prepacked=1, normalize_routing_weights=normalize),
                   narrow)
        for layer, (rows, columns) in enumerate(((2 * inner, hidden), (hidden, inner)), 1):
            c.add(f"w{layer}", random.integers(0, 256, (experts, rows, columns // 2), np.uint8),
                  constant=TensorProto.UINT8)
            scales = random.choice([0.125, 0.25, 0.5], (experts, rows, columns // block))
            c.add(f"s{layer}", scales.astype(dtype), constant=scale_type)
            c.add("", None)
        for _ in range(7):
            c.add("", None)
        if scaled:
            for layer in (1, 2):
                c.add(f"g{layer}", (0.1 + 0.2 * random.random(experts)).astype(np.float32),
                      constant=FLOAT)
        c.save(operator, name, what, {"rtol": 2e-2, "atol": 2e-2} if narrow else
               {"rtol": 5e-3, "atol": 5e-3}, ["output"], ["output"] if narrow else [])

    fp4("nvfp4", "nvfp4", "nvfp4", 1)
    fp4("nvfp4_softmax", "nvfp4, weights as the softmax has them", "nvfp4", 0)
    fp4("mxfp4", "fp4 without global scales", "fp4", 1, scaled=False)
    fp4("nvfp4_bf16", "nvfp4 of bfloat16", "nvfp4", 1, BFLOAT)

    def three_bits(name, what, normalize):
        c = router(Case("QMoE", k=2, expert_weight_bits=3,
                        block_size=32, activation_type="swiglu", swiglu_fusion=1,
                        weights_prepacked=0, normalize_routing_weights=normalize), BFLOAT)
        sizes = ((2 * inner, hidden), (hidden, inner))
        for layer, (rows, columns) in enumerate(sizes, 1):
            c.add(f"w{layer}",
                  random.integers(0, 256, (experts, rows, columns * 3 // 8), np.uint8),
                  constant=TensorProto.UINT8)
            scales = np.abs(floats(experts, rows, columns // 32, scale=0.1)) + 0.02
            c.add(f"s{layer}", scales.astype(ml_dtypes.bfloat16), constant=BFLOAT)
            c.add("", None)
        c.save(operator, name, what, {"rtol": 3e-2, "atol": 3e-2}, ["output"], ["output"])

    three_bits("b3", "3 bits", 1)
    three_bits("b3_softmax", "3 bits, weights as the softmax has them", 0)


def group_query_attention(operator):
    def case(name, what, seqlens, valid, capacity, total, batch=2, queries=4, size=16,
             rotary=False, **attributes):
        heads, kv = 4, 2
        c = Case("GroupQueryAttention", num_heads=heads, kv_num_heads=kv, do_rotary=int(rotary),
                 **attributes)
        c.add("query", floats(batch, queries, heads * size)).add(
            "key", floats(batch, queries, kv * size)).add("value", floats(batch, queries, kv * size))
        c.add("past_key", floats(batch, kv, capacity, size)).add(
            "past_value", floats(batch, kv, capacity, size))
        c.add("seqlens_k", np.array(seqlens, np.int32)).add(
            "total_sequence_length", np.array([total], np.int32))
        angles = floats(32, size // 2)
        c.add("cos_cache", np.cos(angles) if rotary else None).add(
            "sin_cache", np.sin(angles) if rotary else None)
        for _ in range(7):
            c.add("", None)
        c.add("query_seqlens", np.array(valid, np.int32))
        c.save(operator, name, what, CLOSE, ["output", "present_key", "present_value"])
        unsure = np.zeros((batch, queries, heads * size), bool)
        present = operator.arrays[f"{name}/out/present_key"]
        caches = np.zeros(present.shape, bool)
        for b in range(batch):
            unsure[b, valid[b]:] = True
            behind = seqlens[b] + 1
            if attributes.get("sliding_window_cache"):
                window = attributes["local_window_size"]
                step = capacity - window + 1
                behind -= step * max(0, -(-(behind - capacity) // step))
            caches[b, :, behind:] = True
        operator.arrays[f"{name}/undefined/output"] = unsure
        operator.arrays[f"{name}/undefined/present_key"] = caches
        operator.arrays[f"{name}/undefined/present_value"] = caches

    case("padded_chunks", "right-padded chunks of a batch", [6, 4], [4, 2], 12, 12)
    case("padded_prompt", "padded chunks without a past", [2, 3], [3, 4], 12, 12, rotary=True)
    case("padded_later", "the same, one entry idle, rotated", [5, 7], [0, 3], 12, 10, rotary=True)
    case("padded_window", "padded chunks in a window", [7, 4], [3, 2], 12, 12,
         local_window_size=3)
    case("padded_windowed_cache", "padded chunks with a windowed cache", [8, 3], [3, 2], 6, 9,
         local_window_size=4, sliding_window_cache=1)
    case("padded_single", "one token or none", [4, 6], [1, 0], 8, 8, queries=1)


def mat_mul_n_bits(operator):
    for name, what, shape, bias in (("omitted", "no packed weights", (0, 2, 16), False),
                                    ("omitted_bias", "no packed weights, a bias", (3, 0, 0), True)):
        c = Case("MatMulNBits", K=40, N=3, bits=4, block_size=32).add("A", floats(2, 40)).add(
            "B", np.zeros(shape, np.uint8)).add("scales", np.zeros((0,), np.float32))
        if bias:
            c.add("", None).add("", None).add("bias", floats(3))
        c.save(operator, name, what, EXACT, ["Y"])


def of_bfloat16(operator):
    if operator.name == "GatedRMSNorm":
        Case("GatedRMSNorm", epsilon=1e-5).add("X", floats(3, 8), BFLOAT).add(
            "scale", floats(8), BFLOAT).add("gate", floats(3, 8), BFLOAT).save(
                operator, "bf16", "bfloat16", NARROW, ["Y"], ["Y"])
    else:
        Case("LinearAttentionGate").add("a", floats(2, 3, 4), BFLOAT).add(
            "dt_bias", floats(4)).add("decay_scale", floats(4)).add(
                "b", floats(2, 3, 4), BFLOAT).save(
                    operator, "bf16", "bfloat16", NARROW, ["decay", "beta"], ["decay", "beta"])


def hard_swish(operator):
    """Convolutions as the optimizer writes them: HardSwish without parameters."""
    case = next(c for c, s in operator.cases.items() if "__" not in c)
    model, feeds = operator.model(case), operator.select(case, "in")
    node = next(n for n in model.graph.node if n.op_type in ("Conv", "FusedConv"))
    for attribute in [a for a in node.attribute if a.name.startswith("activation")]:
        node.attribute.remove(attribute)
    node.attribute.append(helper.make_attribute("activation", "HardSwish"))
    operator.add("hard_swish", model, {"what": "HardSwish, no parameters", **CLOSE}, feeds,
                 cases.evaluate(model, feeds))


def moe(operator):
    Case("MoE", k=2, activation_type="silu").add("input", floats(3, 8).astype(np.float16)).add(
        "router_probs", floats(3, 3).astype(np.float16)).add(
            "fc1", floats(3, 4, 8).astype(np.float16)).add("", None).add(
                "fc2", floats(3, 8, 4).astype(np.float16)).save(
                    operator, "f16", "float16", NARROW, ["output"])


MAKERS = {"GatherPacked": gather_packed, "MoEGroupRouter": moe_group_router,
          "GatedDeltaNet": gated_delta_net, "VarlenCausalConvWithState": varlen_causal_conv,
          "QMoE": q_moe, "MoE": moe, "GroupQueryAttention": group_query_attention,
          "MatMulNBits": mat_mul_n_bits, "GatedRMSNorm": of_bfloat16,
          "LinearAttentionGate": of_bfloat16, "FusedConv": hard_swish, "nchwc.Conv": hard_swish}


def main():
    for name in sys.argv[1:] or MAKERS:
        operator = cases.Operator(name)
        MAKERS[name](operator)
        operator.save()
        print(name, len(operator.cases))


if __name__ == "__main__":
    main()

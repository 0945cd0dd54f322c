#!/usr/bin/env python3
"""Makes the cases of GreedySearch, Sampling and BeamSearch: tiny decoders with random weights.

One layer of attention, a vocabulary of 11 tokens; token 8 ends a sequence, token 9 is padding.
Needs numpy, onnx and onnxruntime, of which the expected values are.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import cases

HIDDEN, HEADS, VOCABULARY, POSITIONS = 4, 2, 11, 32
SIZE = HIDDEN // HEADS
END, PADDING, START = 8, 9, 2
INT, FLOAT = TensorProto.INT32, TensorProto.FLOAT
IDS = np.array([[1, 2, 3], [9, 4, 5], [9, 9, 7]], np.int32)

info = helper.make_tensor_value_info


class Body:
    """Nodes and constants of a graph."""

    def __init__(self, weights):
        self.nodes, self.constants = [], dict(weights)
        self.constants.update({
            "split": np.array([0, 0, HEADS, SIZE]), "join": np.array([0, 0, HIDDEN]),
            "first": np.array([0]), "heads_and_queries": np.array([1, 2]),
            "one": np.float32(1), "low": np.float32(-1e4)})

    def add(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def heads(self, x, output):
        return self.add("Transpose", [self.add("Reshape", [x, "split"], output + "_split")], output,
                        perm=[0, 2, 1, 3])

    def mask_bias(self, mask):
        self.add("Cast", [mask], "mask_float", to=FLOAT)
        self.add("Sub", ["one", "mask_float"], "masked")
        self.add("Mul", ["masked", "low"], "bias_rows")
        return self.add("Unsqueeze", ["bias_rows", "heads_and_queries"], "bias")

    def attend(self, name, q, k, v, bias=None):
        self.add("Transpose", [k], name + "_kt", perm=[0, 1, 3, 2])
        scores = self.add("MatMul", [q, name + "_kt"], name + "_scores")
        if bias:
            scores = self.add("Add", [scores, bias], name + "_biased")
        self.add("Softmax", [scores], name + "_weights", axis=-1)
        self.add("MatMul", [name + "_weights", v], name + "_heads")
        self.add("Transpose", [name + "_heads"], name + "_rows", perm=[0, 2, 1, 3])
        return self.add("Reshape", [name + "_rows", "join"], name)

    def graph(self, name, inputs, outputs):
        constants = [numpy_helper.from_array(np.asarray(a), n) for n, a in self.constants.items()]
        return helper.make_graph(self.nodes, name, inputs, outputs, constants)


def gpt(seed):
    random = np.random.default_rng(seed)
    shapes = {"E": (VOCABULARY, HIDDEN), "P": (POSITIONS, HIDDEN), "W": (HIDDEN, VOCABULARY),
              "K": (HIDDEN, HIDDEN)}
    scales = {"P": 0.5, "W": 1.5}
    b = Body({n: (scales.get(n, 1) * random.standard_normal(s)).astype(np.float32)
              for n, s in shapes.items()})
    b.constants.update({"key": np.array(0), "value": np.array(1)})
    b.add("Gather", ["E", "input_ids"], "tokens")
    b.add("Gather", ["P", "position_ids"], "places")
    x = b.add("Add", ["tokens", "places"], "x")
    b.add("MatMul", [x, "K"], "k_rows")
    b.heads(x, "q")
    b.heads("k_rows", "k")
    b.add("Unsqueeze", ["k", "first"], "k_part")
    b.add("Unsqueeze", ["q", "first"], "v_part")
    b.add("Concat", ["k_part", "v_part"], "new", axis=0)
    b.add("Concat", ["past_0", "new"], "present_0", axis=3)
    b.add("Gather", ["present_0", "key"], "keys", axis=0)
    b.add("Gather", ["present_0", "value"], "values", axis=0)
    attended = b.attend("attended", "q", "keys", "values", b.mask_bias("attention_mask"))
    b.add("Add", [attended, x], "sum")
    b.add("MatMul", ["sum", "W"], "logits")
    return b.graph("decoder", [
        info("input_ids", INT, ["b", "s"]), info("position_ids", INT, ["b", "s"]),
        info("attention_mask", INT, ["b", "t"]), info("past_0", FLOAT, [2, "b", HEADS, "p", SIZE])],
        [info("logits", FLOAT, ["b", "s", VOCABULARY]),
         info("present_0", FLOAT, [2, "b", HEADS, "t", SIZE])])


def state(prefix, kind, length):
    return [info(f"{prefix}_{part}_{kind}_0", FLOAT, ["b", HEADS, length, SIZE])
            for part in ("key", "value")]


def t5(seed, hidden_states=True, whole=False, features=False, encoder_decodes=True):
    """Encoder and decoder.

    `whole`: the decoder gets whole sequences and takes their last token. `features`: the encoder
    gets features instead of tokens, and no mask, as Whisper's does. `encoder_decodes`: its graph has
    the decoder's first step too.
    """
    random = np.random.default_rng(seed)
    shapes = {"E": (VOCABULARY, HIDDEN), "K": (HIDDEN, HIDDEN), "C": (HIDDEN, HIDDEN),
              "Q": (HIDDEN, HIDDEN), "W": (HIDDEN, VOCABULARY)}
    weights = {n: ((1.5 if n == "W" else 1) * random.standard_normal(s)).astype(np.float32)
               for n, s in shapes.items()}

    def decode(b, token, self_key, self_value, cross_key, cross_value):
        b.add("MatMul", [token, "Q"], "q_rows")
        b.heads("q_rows", "q")
        own = b.attend("own", "q", self_key, self_value)
        cross = b.attend("cross", "q", cross_key, cross_value,
                         None if features else b.mask_bias("encoder_attention_mask"))
        b.add("Add", [own, cross], "both")
        b.add("Add", ["both", token], "sum")
        b.add("MatMul", ["sum", "W"], "logits")

    b = Body(weights)
    if features:
        b.add("Transpose", ["encoder_input_ids"], "encoder_hidden_states", perm=[0, 2, 1])
    else:
        b.add("Gather", ["E", "encoder_input_ids"], "encoder_hidden_states")
    b.add("MatMul", ["encoder_hidden_states", "C"], "cross_keys")
    b.heads("cross_keys", "present_key_cross_0")
    b.heads("encoder_hidden_states", "present_value_cross_0")
    if encoder_decodes:
        b.add("Gather", ["E", "decoder_input_ids"], "x")
        b.add("MatMul", ["x", "K"], "k_rows")
        b.heads("k_rows", "present_key_self_0")
        b.heads("x", "present_value_self_0")
        decode(b, "x", "present_key_self_0", "present_value_self_0", "present_key_cross_0",
               "present_value_cross_0")
    given = "d" if features else 1
    mask = [] if features else [info("encoder_attention_mask", INT, ["b", "e"])]
    encoder = b.graph("encoder", [
        info("encoder_input_ids", FLOAT, ["b", HIDDEN, "e"]) if features else
        info("encoder_input_ids", INT, ["b", "e"]), *mask]
        + ([info("decoder_input_ids", INT, ["b", given])] if encoder_decodes else []),
        ([info("logits", FLOAT, ["b", given, VOCABULARY]),
          info("encoder_hidden_states", FLOAT, ["b", "e", HIDDEN])]
         + state("present", "self", given) if encoder_decodes else [])
        + state("present", "cross", "e"))

    b = Body(weights)
    ids = "input_ids"
    if whole:
        b.constants.update({"last": np.array([-1]), "end": np.array([1 << 30]),
                            "axis": np.array([1])})
        ids = b.add("Slice", ["input_ids", "last", "end", "axis"], "last_ids")
    b.add("Gather", ["E", ids], "x")
    b.add("MatMul", ["x", "K"], "k_rows")
    b.heads("k_rows", "k")
    b.heads("x", "v")
    b.add("Concat", ["past_key_self_0", "k"], "present_key_self_0", axis=2)
    b.add("Concat", ["past_value_self_0", "v"], "present_value_self_0", axis=2)
    decode(b, "x", "present_key_self_0", "present_value_self_0", "past_key_cross_0",
           "past_value_cross_0")
    decoder = b.graph("decoder", [
        info("input_ids", INT, ["b", "s" if whole else 1]), *mask]
        + ([info("encoder_hidden_states", FLOAT, ["b", "e", HIDDEN])] if hidden_states else [])
        + state("past", "self", "p") + state("past", "cross", "e"),
        [info("logits", FLOAT, ["b", 1, VOCABULARY])] + state("present", "self", "t"))
    return {"encoder": encoder, "decoder": decoder, "model_type": 2 if features else 1,
            "decoder_start_token_id": START}


def one_node(op, feeds, inputs, outputs, attributes):
    """Inputs by position, None for one that is left out."""
    node = helper.make_node(op, ["" if n is None else n for n in inputs], [n for n, _ in outputs],
                            domain="com.microsoft", eos_token_id=END, pad_token_id=PADDING,
                            **attributes)
    graph = helper.make_graph(
        [node], op, [info(n, INT if a.dtype == np.int32 else FLOAT, a.shape)
                     for n, a in feeds.items()],
        [info(n, t, None) for n, t in outputs])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def number(value):
    return np.array([value], np.float32 if isinstance(value, float) else np.int32)


class Cases:
    def __init__(self, op, inputs):
        self.operator, self.inputs = cases.Operator(op), inputs

    def add(self, case, what, outputs, attributes, **given):
        feeds = {n: number(v) if np.ndim(v) == 0 else v for n, v in given.items()}
        inputs = [n if n in feeds else None for n in self.inputs]
        while inputs[-1] is None:
            inputs.pop()
        model = one_node(self.operator.name, feeds, inputs, outputs, attributes)
        expected = cases.evaluate(model, feeds)
        undefined = {}
        if "Beam" not in self.operator.name:
            # What comes after the step in which the last sequence ended is not written.
            made = expected["sequences"]
            last = (made != PADDING) & (made != 0)
            length = max(int(np.flatnonzero(row)[-1]) for row in last) + 2
            if length < made.shape[1]:
                undefined["sequences"] = np.arange(made.shape[1])[None] >= np.full(
                    (made.shape[0], 1), length)
        settings = {"what": what, "rtol": 1e-4, "atol": 1e-4}
        self.operator.add(case, model, settings, feeds, expected, undefined)


def main():
    sequences = [("sequences", INT)]
    names = ["input_ids", "max_length", "min_length", "repetition_penalty", "vocab_mask",
             "prefix_vocab_mask", "attention_mask", "presence_mask", "seed"]
    greedy = Cases("GreedySearch", names[:7])
    decoder = {"decoder": gpt(1)}
    greedy.add("plain", "padding on the left", sequences, decoder, input_ids=IDS, max_length=10)
    greedy.add("ends", "all sequences end before max_length", sequences, {"decoder": gpt(2)},
               input_ids=IDS, max_length=10)
    greedy.add("rules", "min_length, repetition_penalty, no_repeat_ngram_size", sequences,
               {**decoder, "no_repeat_ngram_size": 2}, input_ids=IDS, max_length=12, min_length=8,
               repetition_penalty=1.7)
    greedy.add("masks", "masks of the vocabulary, of the first token, of the attention", sequences,
               decoder, input_ids=IDS, max_length=9,
               vocab_mask=np.array([1] * 4 + [0] * 4 + [1] * 3, np.int32),
               prefix_vocab_mask=(np.arange(33, dtype=np.int32) % 2).reshape(3, 11),
               attention_mask=np.array([[1, 1, 1], [0, 1, 1], [0, 1, 1]], np.int32))
    greedy.add("init_decoder", "another decoder for the first step", sequences,
               {"decoder": gpt(0), "init_decoder": gpt(1)}, input_ids=IDS, max_length=9)
    greedy.operator.save()

    sampling = Cases("Sampling", names)
    for custom in (0, 1):
        sampling.add(f"top_p_custom{custom}", "the seed, top_p, temperature", sequences,
                     {**decoder, "top_p": 0.8, "temperature": 1.3, "custom": custom,
                      "min_tokens_to_keep": 1}, input_ids=IDS, max_length=12, seed=7)
    sampling.add("no_seed", "the seed is 0", sequences, {**decoder, "top_p": 0.5,
                                                         "min_tokens_to_keep": 1},
                 input_ids=IDS, max_length=8)
    sampling.operator.save()

    names = ["input_ids", "max_length", "min_length", "num_beams", "num_return_sequences",
             "length_penalty", "repetition_penalty", "vocab_mask", "prefix_vocab_mask",
             "attention_mask", "decoder_input_ids"]
    beam = Cases("BeamSearch", names)
    scored = [*sequences, ("sequences_scores", FLOAT)]
    every = [*scored, ("scores", FLOAT)]
    for beams, returned, early, penalty in [(1, 1, 0, 1.0), (3, 2, 0, 1.0), (4, 4, 1, 0.6),
                                            (2, 1, 0, 2.0)]:
        given = {"input_ids": IDS, "max_length": 9, "min_length": 1, "num_beams": beams,
                 "num_return_sequences": returned, "length_penalty": penalty}
        beam.add(f"gpt_{beams}_beams", "a decoder alone", every,
                 {"decoder": gpt(0), "early_stopping": early}, **given)
        beam.add(f"t5_{beams}_beams", "encoder and decoder", every,
                 {**t5(0), "early_stopping": early}, **given)
    given["repetition_penalty"] = 1.3
    given["min_length"] = 6
    beam.add("gpt_rules", "min_length, repetition_penalty, no_repeat_ngram_size", scored,
             {**decoder, "no_repeat_ngram_size": 2}, **given)
    beam.add("t5_no_hidden_states", "the decoder takes no hidden states", scored,
             t5(1, hidden_states=False), **given)
    beam.add("t5_whole_sequences", "the decoder takes whole sequences", scored, t5(2, whole=True),
             **given)
    beam.add("t5_separate_encoder", "the decoder makes the first step too", scored,
             t5(0, hidden_states=False, encoder_decodes=False), **given)
    random = np.random.default_rng(5)
    given["input_ids"] = random.standard_normal((2, HIDDEN, 5)).astype(np.float32)
    ids = np.array([[2, 4], [2, 6]], np.int32)
    beam.add("whisper", "features, one token to begin with", scored, t5(3, features=True), **given)
    beam.add("whisper_decoder_ids", "several tokens to begin with", scored, t5(3, features=True),
             **given, decoder_input_ids=ids)
    beam.operator.save()

    whisper = Cases("WhisperBeamSearch", names)
    whisper.add("plain", "as BeamSearch with a model_type of 2", scored, t5(4, features=True),
                **given, decoder_input_ids=ids)
    whisper.operator.save()


if __name__ == "__main__":
    main()

"""make_generate.py: writes the decoders of this folder, small ones with random weights.

cached.onnxtxt      caches that grow; mask and positions are inputs
plain.onnxtxt       the same weights without caches: each run reads all tokens
buffered.onnxtxt    the same weights, caches of 24 slots that a cache position writes to
restarted.onnxtxt   cached.onnxtxt with a fault: the causal mask begins at the first of the new tokens
recurrent.onnxtxt   no attention: a window of the last tokens and a decaying state
"""

import pathlib
import random

WORDS, WIDTH, HEADS, DEPTH, LAYERS, SLOTS = 16, 8, 2, 4, 2, 24


def numbers(source, *shape):
    count = 1
    for size in shape:
        count *= size
    return ", ".join(f"{source.gauss(0, 1):.2f}" for _ in range(count))


def weight(source, name, *shape):
    return f"float[{','.join(map(str, shape))}] {name} = {{{numbers(source, *shape)}}}"


def weights(source):
    made = [weight(source, "table", WORDS, WIDTH), weight(source, "head", WIDTH, WORDS)]
    for layer in range(LAYERS):
        for name in ("wq", "wk", "wv", "wo"):
            made.append(weight(source, f"{name}_{layer}", WIDTH, WIDTH))
    return made + [
        "float[1,2] rates = {1, 0.1}",
        "int64[4] in_heads = {0, 0, 2, 4}",
        "int64[3] joined = {0, 0, 8}",
        "float half = {0.5}",
        "float zero = {0}",
        "float far = {-10000}",
        "int64 none = {0}",
        "int64 one = {1}",
        "int64[1] axis_0 = {0}",
        "int64[1] axis_1 = {1}",
        "int64[1] axis_2 = {2}",
        "int64[2] axes_12 = {1, 2}",
    ]


def heads(name, source, matrix):
    return f"""
  {name}_flat = MatMul({source}, {matrix})
  {name}_split = Reshape({name}_flat, in_heads)
  {name} = Transpose<perm = [0, 2, 1, 3]>({name}_split)"""


def rotated(name, source):
    return f"""
  {name}_first, {name}_second = Split<axis = 3, num_outputs = 2>({source})
  {name}_negative = Neg({name}_second)
  {name}_turned = Concat<axis = 3>({name}_negative, {name}_first)
  {name}_by_cos = Mul({source}, cosine)
  {name}_by_sin = Mul({name}_turned, sine)
  {name} = Add({name}_by_cos, {name}_by_sin)"""


ANGLES = """
  numbers = Cast<to = 1>(position_ids)
  column = Unsqueeze(numbers, axis_2)
  angles = MatMul(column, rates)
  both_angles = Concat<axis = 2>(angles, angles)
  flat_cosine = Cos(both_angles)
  flat_sine = Sin(both_angles)
  cosine = Unsqueeze(flat_cosine, axis_1)
  sine = Unsqueeze(flat_sine, axis_1)"""

MASK = """
  token_shape = Shape(input_ids)
  mask_shape = Shape(attention_mask)
  length = Gather(token_shape, one)
  total = Gather(mask_shape, one)
  before = Sub(total, length)
  columns = Range(none, total, one)
  lines = Range(before, total, one)
  as_column = Unsqueeze(lines, axis_1)
  as_line = Unsqueeze(columns, axis_0)
  seen = LessOrEqual(as_line, as_column)
  counts = Cast<to = 9>(attention_mask)
  counts_4d = Unsqueeze(counts, axes_12)
  allowed = And(seen, counts_4d)
  bias = Where(allowed, zero, far)"""

BUFFER_MASK = """
  slots = Range(none, slot_count, one)
  as_column = Unsqueeze(cache_position, axis_1)
  as_line = Unsqueeze(slots, axis_0)
  allowed = LessOrEqual(as_line, as_column)
  bias = Where(allowed, zero, far)
  position_ids = Unsqueeze(cache_position, axis_0)"""


def layer(i, source, keys):
    return (
        heads(f"q_{i}", source, f"wq_{i}")
        + heads(f"k_{i}", source, f"wk_{i}")
        + heads(f"v_{i}", source, f"wv_{i}")
        + rotated(f"query_{i}", f"q_{i}")
        + rotated(f"key_{i}", f"k_{i}")
        + keys(i)
        + f"""
  across_{i} = Transpose<perm = [0, 1, 3, 2]>(present_key_{i})
  products_{i} = MatMul(query_{i}, across_{i})
  scores_{i} = Mul(products_{i}, half)
  masked_{i} = Add(scores_{i}, bias)
  shares_{i} = Softmax<axis = -1>(masked_{i})
  mixed_{i} = MatMul(shares_{i}, present_value_{i})
  back_{i} = Transpose<perm = [0, 2, 1, 3]>(mixed_{i})
  whole_{i} = Reshape(back_{i}, joined)
  given_{i} = MatMul(whole_{i}, wo_{i})
  added_{i} = Add({source}, given_{i})
  x_{i} = LayerNormalization<axis = -1>(added_{i}, scale)"""
    )


def growing(i):
    return f"""
  present_key_{i} = Concat<axis = 2>(past_key_{i}, key_{i})
  present_value_{i} = Concat<axis = 2>(past_value_{i}, v_{i})"""


def without(i):
    return f"""
  present_key_{i} = Identity(key_{i})
  present_value_{i} = Identity(v_{i})"""


def written(name, past, new):
    return f"""
  {name}_slots = Transpose<perm = [2, 0, 1, 3]>({past})
  {name}_new = Transpose<perm = [2, 0, 1, 3]>({new})
  {name}_written = ScatterND({name}_slots, places, {name}_new)
  {name} = Transpose<perm = [1, 2, 0, 3]>({name}_written)"""


def buffered(i):
    return written(f"present_key_{i}", f"past_key_{i}", f"key_{i}") + written(
        f"present_value_{i}", f"past_value_{i}", f"v_{i}"
    )


def states(kind, length, batch="batch"):
    return ", ".join(
        f"float[{batch},{HEADS},{length},{DEPTH}] {kind}_{part}_{i}"
        for i in range(LAYERS)
        for part in ("key", "value")
    )


def model(inputs, outputs, made, body):
    scale = f"float[{WIDTH}] scale = {{{', '.join(['1'] * WIDTH)}}}"
    return (
        f'<ir_version: 10, opset_import: ["": 21]>\ndecoder ({inputs}) => ({outputs})\n<'
        + ",\n ".join([*made, scale])
        + ">\n{"
        + body
        + "\n}\n"
    )


def decoder(inputs, outputs, more, start, keys):
    body = "\n  x = Gather<axis = 0>(table, input_ids)" + start
    source = "x"
    for i in range(LAYERS):
        body += layer(i, source, keys)
        source = f"x_{i}"
    body += f"\n  logits = MatMul({source}, head)"
    return model(inputs, outputs, weights(random.Random(1)) + more, body)


def recurrent():
    source = random.Random(2)
    made = [
        weight(source, "table", WORDS, WIDTH),
        weight(source, "head", WIDTH, WORDS),
        weight(source, "taps", WIDTH, 1, 3),
        "float decay = {0.7}",
        "int64[1] last_2 = {-2}",
        "int64[1] ends = {1000}",
        "int64[1] axis_2 = {2}",
    ]
    scan = (
        "Scan<num_scan_inputs = 1, scan_input_axes = [2], scan_output_axes = [2], "
        "body = step (float[batch,8] h, float[batch,8] u) => (float[batch,8] h_next, "
        "float[batch,8] out) { kept = Mul(h, decay) h_next = Add(kept, u) "
        "out = Identity(h_next) }>"
    )
    return model(
        "int64[batch,new] input_ids, float[batch,8,2] conv_state, float[batch,8] ssm_state",
        "float[batch,new,16] logits, float[batch,8,2] new_conv_state, float[batch,8] new_ssm_state",
        made,
        f"""
  x = Gather<axis = 0>(table, input_ids)
  across = Transpose<perm = [0, 2, 1]>(x)
  window = Concat<axis = 2>(conv_state, across)
  new_conv_state = Slice(window, last_2, ends, axis_2)
  mixed = Conv<group = 8>(window, taps)
  new_ssm_state, states = {scan}(ssm_state, mixed)
  back = Transpose<perm = [0, 2, 1]>(states)
  normal = LayerNormalization<axis = -1>(back, scale)
  logits = MatMul(normal, head)""",
    )


def main():
    folder = pathlib.Path(__file__).parent
    logits = f"float[batch,new,{WORDS}] logits"
    tokens = "int64[batch,new] input_ids"
    controls = "int64[batch,total] attention_mask, int64[batch,new] position_ids"
    models = {
        "cached": decoder(
            f"{tokens}, {controls}, {states('past', 'past')}",
            f"{logits}, {states('present', 'total')}",
            [],
            ANGLES + MASK,
            growing,
        ),
        "plain": decoder(f"{tokens}, {controls}", logits, [], ANGLES + MASK, without),
        "buffered": decoder(
            f"int64[1,new] input_ids, int64[new] cache_position, {states('past', SLOTS, 1)}",
            f"float[1,new,{WORDS}] logits, {states('present', SLOTS, 1)}",
            [f"int64 slot_count = {{{SLOTS}}}"],
            BUFFER_MASK + ANGLES + "\n  places = Unsqueeze(cache_position, axis_1)",
            buffered,
        ),
        "recurrent": recurrent(),
    }
    right, wrong = "Range(before, total, one)", "Range(none, length, one)"
    models["restarted"] = models["cached"].replace(f"lines = {right}", f"lines = {wrong}")
    for name, text in models.items():
        (folder / f"{name}.onnxtxt").write_text(text)


if __name__ == "__main__":
    main()

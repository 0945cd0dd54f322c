#!/usr/bin/env python3
"""Makes recordings of networks, right ones and wrong ones, and counts how often onnxcmp tells them.

    recordings_corpus.py FOLDER PATH/TO/onnxcmp [--seeds N] [--only TEXT] [--keep] [-v]

Needs torch, onnx, onnxruntime, numpy, safetensors and ml_dtypes. Networks of a dozen architectures get random
weights and are exported by both exporters of torch; they stay in FOLDER and are not exported again. Recorded are
 - hooks: what each module gives by a forward hook, in float32 and bfloat16, by module path;
 - nhwc: what onnxruntime gives of networks of images, channels last, with names like TensorFlow Lite's;
 - ort: all results of onnxruntime, without and with all of its optimizations;
and of each some whole, some partial, renamed, shuffled or in a file that has no order, on either side. Each is
compared as it is, which has to agree, and with one fault of ten kinds at one module or node, which has to differ and
to have the faulty result, or the first one after it that the model has, among the first three causes.
"""

import argparse
import collections
import contextlib
import copy
import io
import json
import os
import random
import re
import subprocess
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import safetensors.numpy
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

warnings.filterwarnings("ignore")
F = nn.functional


# ---- Networks: a function each that gives a module and its inputs by name ----


class Mlp(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(24, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
            for _ in range(depth))
        self.out = nn.Linear(width, 10)

    def forward(self, x):
        x = self.inp(x)
        for block in self.blocks:
            x = x + block(x)
        return self.out(x)


class ConvBn(nn.Sequential):
    def __init__(self, a, b, stride=1, act=nn.ReLU, groups=1, size=3):
        layers = [nn.Conv2d(a, b, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(b)]
        super().__init__(*layers, *([act()] if act else []))


class Cnn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.stem = ConvBn(3, c)
        self.pool = nn.MaxPool2d(2)
        self.body = nn.Sequential(ConvBn(c, 2 * c, 2), ConvBn(2 * c, 2 * c), ConvBn(2 * c, 3 * c, 2))
        self.gap = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(3 * c, 7)

    def forward(self, image):
        return self.fc(self.gap(self.body(self.pool(self.stem(image)))).flatten(1))


class Residual(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.conv1, self.conv2 = ConvBn(a, b, stride), ConvBn(b, b, act=None)
        self.down = ConvBn(a, b, stride, act=None, size=1) if stride > 1 or a != b else nn.Identity()
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.conv2(self.conv1(x)) + self.down(x))


class ResNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.stem = ConvBn(3, c)
        self.layer1 = nn.Sequential(Residual(c, c, 1), Residual(c, c, 1))
        self.layer2 = nn.Sequential(Residual(c, 2 * c, 2), Residual(2 * c, 2 * c, 1))
        self.fc = nn.Linear(2 * c, 10)

    def forward(self, image):
        return self.fc(self.layer2(self.layer1(self.stem(image))).mean((2, 3)))


class SqueezeExcite(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.down, self.act, self.up, self.gate = nn.Conv2d(c, 4, 1), nn.ReLU(), nn.Conv2d(4, c, 1), nn.Hardsigmoid()

    def forward(self, x):
        return x * self.gate(self.up(self.act(self.down(x.mean((2, 3), keepdim=True)))))


class MobileNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        blocks = []
        for stride in (1, 2, 1):
            blocks.append(nn.Sequential(ConvBn(c, 3 * c, size=1, act=nn.ReLU6),
                                        ConvBn(3 * c, 3 * c, stride, nn.Hardswish, groups=3 * c),
                                        SqueezeExcite(3 * c), ConvBn(3 * c, c, size=1, act=None)))
        self.stem, self.blocks, self.head = ConvBn(3, c, 2, nn.Hardswish), nn.Sequential(*blocks), nn.Linear(c, 9)

    def forward(self, image):
        return self.head(self.blocks(self.stem(image)).mean((2, 3)))


class UNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.enc1, self.enc2 = ConvBn(3, c, act=nn.SiLU), ConvBn(c, 2 * c, 2, nn.SiLU)
        self.mid = ConvBn(2 * c, 2 * c, 2, nn.SiLU)
        self.up = nn.Upsample(scale_factor=2)
        self.dec2, self.dec1 = ConvBn(4 * c, c, act=nn.SiLU), ConvBn(2 * c, c, act=nn.SiLU)
        self.head = nn.Conv2d(c, 4, 1)

    def forward(self, image):
        a = self.enc1(image)
        b = self.enc2(a)
        x = self.dec2(torch.cat([self.up(self.mid(b)), b], 1))
        return self.head(self.dec1(torch.cat([self.up(x), a], 1)))


class Attention(nn.Module):
    def __init__(self, d, heads, causal=False, rope=False):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.heads, self.causal, self.rope = heads, causal, rope

    def turn(self, x):
        if not self.rope:
            return x
        half = x.shape[-1] // 2
        at = torch.arange(x.shape[-2], dtype=torch.float32)[:, None] * 100.0 ** (-torch.arange(half) / half)
        cos, sin = at.cos().to(x.dtype), at.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def forward(self, x):
        split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        q, k, v = self.turn(split(self.q(x))), self.turn(split(self.k(x))), split(self.v(x))
        scores = q @ k.transpose(-1, -2) / (q.shape[-1] ** 0.5)
        if self.causal:
            scores = scores.masked_fill(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1), -1e9)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class BertLayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.attention, self.norm1 = Attention(d, 4), nn.LayerNorm(d)
        self.dense1, self.act, self.dense2 = nn.Linear(d, 3 * d), nn.GELU(), nn.Linear(3 * d, d)
        self.drop, self.norm2 = nn.Dropout(), nn.LayerNorm(d)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.drop(self.dense2(self.act(self.dense1(x)))))


class Bert(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.embed, self.position, self.norm = nn.Embedding(90, d), nn.Embedding(32, d), nn.LayerNorm(d)
        self.layer = nn.ModuleList(BertLayer(d) for _ in range(depth))

    def forward(self, input_ids):
        x = self.norm(self.embed(input_ids) + self.position(torch.arange(input_ids.shape[1])))
        for layer in self.layer:
            x = layer(x)
        return x


class RmsNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


class GatedMlp(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = nn.Linear(d, 2 * d), nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    def __init__(self, d, norm, mlp, rope):
        super().__init__()
        self.input_layernorm, self.self_attn = norm(d), Attention(d, 4, causal=True, rope=rope)
        self.post_attention_layernorm, self.mlp = norm(d), mlp(d)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, d, depth, norm, mlp, rope):
        super().__init__()
        self.embed_tokens = nn.Embedding(80, d)
        self.layers = nn.ModuleList(DecoderLayer(d, norm, mlp, rope) for _ in range(depth))
        self.norm, self.lm_head = norm(d), nn.Linear(d, 80, bias=False)

    def forward(self, input_ids):
        x = self.embed_tokens(input_ids)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x))


class Vit(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 8, 8)
        self.cls = nn.Parameter(torch.randn(1, 1, d))
        self.blocks = nn.ModuleList(BertLayer(d) for _ in range(depth))
        self.head = nn.Linear(d, 6)

    def forward(self, image):
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1)
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, 0])


class Tagger(nn.Module):
    def __init__(self, d, kind):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(70, d), kind(d, d, batch_first=True, bidirectional=True)
        self.norm, self.out = nn.LayerNorm(2 * d), nn.Linear(2 * d, 12)

    def forward(self, input_ids):
        return self.out(self.norm(self.rnn(self.embed(input_ids))[0]))


class ConvNextBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.dw, self.norm = nn.Conv2d(c, c, 7, padding=3, groups=c), nn.LayerNorm(c)
        self.pw1, self.act, self.pw2 = nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c)

    def forward(self, x):
        y = self.norm(self.dw(x).permute(0, 2, 3, 1))
        return x + self.pw2(self.act(self.pw1(y))).permute(0, 3, 1, 2)


class ConvNext(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.stem, self.stages = nn.Conv2d(3, c, 4, 4), nn.Sequential(*(ConvNextBlock(c) for _ in range(3)))
        self.head = nn.Linear(c, 8)

    def forward(self, image):
        return self.head(self.stages(self.stem(image)).mean((2, 3)))


class MixerBlock(nn.Module):
    def __init__(self, tokens, d):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.tokens = nn.Sequential(nn.Linear(tokens, 24), nn.GELU(), nn.Linear(24, tokens))
        self.channels = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.patch, self.blocks = nn.Conv2d(3, d, 8, 8), nn.Sequential(MixerBlock(16, d), MixerBlock(16, d))
        self.head = nn.Linear(d, 5)

    def forward(self, image):
        return self.head(self.blocks(self.patch(image).flatten(2).transpose(1, 2)).mean(1))


class Tcn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv1d(c, c, 3, padding=d, dilation=d) for d in (1, 2, 4))
        self.norms = nn.ModuleList(nn.BatchNorm1d(c) for _ in range(3))
        self.act, self.inp, self.out = nn.LeakyReLU(0.1), nn.Conv1d(5, c, 1), nn.Conv1d(c, 3, 1)

    def forward(self, signal):
        x = self.inp(signal)
        for conv, norm in zip(self.convs, self.norms):
            x = x + self.act(norm(conv(x)))
        return self.out(x)


def image(rng):
    return {"image": torch.randn(rng.choice([1, 2]), 3, 32, 32)}


def tokens(rng, most=70):
    return {"input_ids": torch.randint(0, most, (rng.choice([1, 2]), rng.choice([9, 12, 16])))}


NETWORKS = {
    "mlp": lambda r: (Mlp(r.choice([32, 40]), 3), {"x": torch.randn(r.choice([2, 5]), 24)}),
    "cnn": lambda r: (Cnn(r.choice([8, 12])), image(r)),
    "resnet": lambda r: (ResNet(r.choice([8, 12])), image(r)),
    "mobilenet": lambda r: (MobileNet(r.choice([8, 12])), image(r)),
    "unet": lambda r: (UNet(r.choice([6, 8])), image(r)),
    "bert": lambda r: (Bert(32, r.choice([2, 3])), tokens(r)),
    "gpt": lambda r: (Decoder(32, 2, nn.LayerNorm, GatedMlp, False), tokens(r)),
    "llama": lambda r: (Decoder(32, r.choice([2, 3]), RmsNorm, GatedMlp, True), tokens(r)),
    "vit": lambda r: (Vit(32, 2), image(r)),
    "lstm": lambda r: (Tagger(24, nn.LSTM), tokens(r)),
    "gru": lambda r: (Tagger(24, nn.GRU), tokens(r)),
    "convnext": lambda r: (ConvNext(16), image(r)),
    "mixer": lambda r: (Mixer(24), image(r)),
    "tcn": lambda r: (Tcn(r.choice([12, 16])), {"signal": torch.randn(2, 5, 40)}),
}
OF_IMAGES = {"cnn", "resnet", "mobilenet", "unet"}


def network(name, seed):
    torch.manual_seed(seed)
    module, inputs = NETWORKS[name](random.Random(seed))
    for m in module.modules():
        if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d)):
            for tensor, low, high in ((m.weight, 0.6, 1.5), (m.bias, -0.4, 0.4), (m.running_mean, -0.5, 0.5),
                                      (m.running_var, 0.3, 1.6)):
                nn.init.uniform_(tensor, low, high)
        elif isinstance(m, (nn.LayerNorm, RmsNorm)):
            nn.init.uniform_(m.weight, 0.6, 1.5)
    return module.eval(), inputs


def export(module, inputs, dynamo, path):
    if os.path.exists(path):
        return True
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            if dynamo:
                torch.onnx.export(module, tuple(inputs.values()), path, input_names=list(inputs), dynamo=True,
                                  external_data=False, output_names=["output"])
            else:
                torch.onnx.export(module, tuple(inputs.values()), path, input_names=list(inputs), dynamo=False,
                                  opset_version=17, output_names=["output"])
        return True
    except Exception as error:  # an exporter's own limits are no business of ours
        print(f"{path}: not exported: {str(error)[:100]}", file=sys.stderr)
        return False


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


def optimized(model):
    """What onnxruntime makes of a model before it runs it."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = os.path.join(OUT, "optimized.onnx")
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


# ---- Comparisons ----


def save(path, arrays, form, dtype):
    stored = {n: a.astype(ml_dtypes.bfloat16) if dtype == "bf16" and form == "safetensors" else a for n, a in arrays}
    if form == "safetensors":
        safetensors.numpy.save_file({n: np.ascontiguousarray(a) for n, a in stored.items()}, path)
    else:
        np.savez(path, **stored)


def causes_of(text):
    found, inside = [], False
    for line in text.splitlines():
        if not line.startswith(" "):
            inside = line.startswith("cause")
        if line.startswith("cause"):
            found.append(line)
        elif inside:
            found[-1] += " " + line.strip()
    return found


def run(model, recording, inputs, left, partial=False):
    sides = [recording, model] if left else [model, recording]
    command = [TOOL, *sides, "--inputs", inputs, "-q", "--width", "400"] + (["--partial"] if partial else [])
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout + done.stderr


def near(a, b, limit):
    if a.shape != b.shape:
        return False
    size = np.sqrt(np.mean(np.square(a.astype(np.float64)))) + 1e-30
    return np.sqrt(np.mean(np.square(a.astype(np.float64) - b))) <= limit * size


class Score:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.failures = []

    def add(self, kind, what, good, note):
        self.counts[kind][what] += 1
        self.counts[kind][what + " right"] += good
        if not good:
            self.failures.append(f"{kind} {what}: {note}")
            if VERBOSE:
                print("FAILED", self.failures[-1], flush=True)

    def print(self):
        total = collections.Counter()
        for kind in sorted(self.counts):
            total.update(self.counts[kind])
            self.line(kind, self.counts[kind])
        self.line("all", total)

    @staticmethod
    def line(kind, counts):
        print(f"{kind:14}", "  ".join(f"{w} {counts[w + ' right']} of {counts[w]}"
                                      for w in ("honest", "fault", "located") if counts[w]))


def rename(arrays, how, rng):
    """Arrays as a variant has them, and the new names by old name."""
    arrays = list(arrays)
    names = {n: n for n, _ in arrays}
    if how == "partial":
        arrays = [pair for i, pair in enumerate(arrays) if i == len(arrays) - 1 or rng.random() < 0.5]
    elif how == "renamed":
        names = {n: f"t{i}" for i, (n, _) in enumerate(arrays)}
        arrays = [(names[n], a) for n, a in arrays]
    elif how == "shuffled":
        rng.shuffle(arrays)
    return arrays, names


def expected(honest, wrong, known, limit, copies):
    """Names of which one has to be among the first causes: the first that differs and all with its value; where the
    model does not have it, or has it once more and right, also the first after it that it has."""
    names = set()
    for (name, a), (_, b) in zip(honest, wrong):
        same = a.shape == b.shape and near(a, b, limit) and not np.isnan(b).any()
        if same:
            continue
        is_known = any(near(a.reshape(-1), k.reshape(-1), 10 * limit) for k in known if k.size == a.size)
        names.add(name)
        if not is_known:
            continue
        right = False
        for (other, c), (_, d) in zip(honest, wrong):
            if c.size == a.size and np.array_equal(a.reshape(-1), c.reshape(-1)):
                names.add(other)
                right = right or np.array_equal(c, d)
        # A runtime lays out anew what several read; of such a copy that is wrong alone the next one tells in the model.
        if not (copies and right):
            break
    return names


def one_case(score, kind, model, inputs, variant, note, rng, known, limit, dtype="f32"):
    """`variant`: honest and wrong arrays, how they are called, form."""
    honest, wrong, how, form = variant
    seed = rng.random()
    left = rng.random() < 0.5
    recording = os.path.join(OUT, f"recording.{form}")
    arrays, names = rename(honest, how, random.Random(seed))
    save(recording, arrays, form, dtype)
    code, text = run(model, recording, inputs, left)
    score.add(kind, "honest", code == 0, f"{note} {how} {form} {'left' if left else 'right'} exit {code}")
    keep(score, model, recording, inputs, code == 0, "honest", left)
    if wrong is None:
        return
    arrays, names = rename(wrong, how, random.Random(seed))
    present = {n for n, _ in arrays}
    pairs = [(a, b) for a, b in zip(honest, wrong) if names[a[0]] in present]
    wanted = {names[n] for n in expected([p[0] for p in pairs], [p[1] for p in pairs], known, limit,
                                        kind == "ort all")}
    if not wanted:
        return
    save(recording, arrays, form, dtype)
    code, text = run(model, recording, inputs, left)
    score.add(kind, "fault", code == 1, f"{note} {how} {form} {'left' if left else 'right'} exit {code}")
    keep(score, model, recording, inputs, code == 1, "fault", left)
    found = causes_of(text)[:3]
    parts = [re.split(r"[\s|:]+", c) for c in found]
    good = any(w in p or w in c for w in wanted for p, c in zip(parts, found) if w in p)
    score.add(kind, "located", good, f"{note} {how} {form} {'left' if left else 'right'} wanted "
              f"{sorted(wanted)[:3]} found {[c[:90] for c in found] or 'none'}")
    keep(score, model, recording, inputs, good, "located", left)


def keep(score, model, recording, inputs, good, what, left):
    if good or not KEEP:
        return
    folder = os.path.join(OUT, "failed", f"{len(score.failures)}_{what}")
    os.makedirs(folder, exist_ok=True)
    sides = ["model.onnx", "r." + recording.rsplit(".", 1)[1]]
    for source, name in ((model, sides[0]), (recording, sides[1]), (inputs, "inputs.npz")):
        with open(source, "rb") as a, open(os.path.join(folder, name), "wb") as b:
            b.write(a.read())
    with open(os.path.join(folder, "case.txt"), "w") as file:
        file.write(" ".join(reversed(sides) if left else sides) + " --inputs inputs.npz\n" + score.failures[-1] + "\n")


VARIANTS = [("whole", "npz"), ("whole", "safetensors"), ("partial", "npz"), ("renamed", "npz"), ("shuffled", "npz"),
            ("partial", "safetensors")]


def hooks(score, name, seed, only):
    module, inputs = network(name, seed)
    feeds = {n: x.numpy() for n, x in inputs.items()}
    npz = os.path.join(OUT, "inputs.npz")
    rng = random.Random(seed * 7919 + len(name))
    for exporter in ("dynamo", "script"):
        path = os.path.join(OUT, f"{name}_{seed}_{exporter}.onnx")
        if not export(module, inputs, exporter == "dynamo", path):
            continue
        np.savez(npz, **feeds)
        known = [v for _, _, v in all_results(onnx.load(path), feeds) if v.dtype == np.float32]
        for dtype in ("f32", "bf16"):
            kind = f"hooks {dtype}"
            if only and only not in f"{kind} {name} {exporter}":
                continue
            as_torch = torch.float32 if dtype == "f32" else torch.bfloat16
            limit = 1e-3 if dtype == "f32" else 0.03
            honest = hooked(module, inputs, as_torch)
            paths = [p for p, a in honest if a.size > 16]
            for i, (how, form) in enumerate(VARIANTS):
                fault = rng.choice(list(FAULTS)), rng.choice(paths)
                wrong = hooked(module, inputs, as_torch, (fault[1] if fault[1] != "output" else "", fault[0],
                                                          name in OF_IMAGES))
                one_case(score, kind, path, npz, (honest, wrong, how, form),
                         f"{name} {seed} {exporter} {fault[0]} at {fault[1]}", rng, known, limit, dtype)


def of_onnxruntime(score, name, seed, only):
    module, inputs = network(name, seed)
    feeds = {n: x.numpy() for n, x in inputs.items()}
    npz = os.path.join(OUT, "inputs.npz")
    rng = random.Random(seed * 104729 + len(name))
    for exporter in ("dynamo", "script"):
        path = os.path.join(OUT, f"{name}_{seed}_{exporter}.onnx")
        if not export(module, inputs, exporter == "dynamo", path):
            continue
        np.savez(npz, **feeds)
        model = onnx.load(path)
        plain = all_results(model, feeds)
        values = {n: v for n, _, v in plain}
        known = [v for v in values.values() if v.dtype == np.float32]
        is_float = lambda v: v.dtype == np.float32 and v.size > 16
        kinds = [("ort none", False, False), ("ort all", True, False)] + ([("nhwc", False, True)] if name in OF_IMAGES
                                                                           else [])
        for kind, is_optimized, nhwc in kinds:
            if only and only not in f"{kind} {name} {exporter}":
                continue
            # A fault is one of what runs: names of two graphs that were optimized apart mean different results.
            runs = optimized(model) if is_optimized else model
            plain = all_results(runs, feeds)
            values = {n: v for n, _, v in plain}
            nodes = [i for i, n in enumerate(runs.graph.node) if n.output and n.output[0] in values
                     and is_float(values[n.output[0]]) and n.op_type not in ("Constant", "Identity")]
            for how, form in VARIANTS:
                fault, node = rng.choice(list(FAULTS)), rng.choice(nodes)
                broken = with_fault(runs, node, fault, name in OF_IMAGES, values[runs.graph.node[node].output[0]])
                try:
                    both = [plain, all_results(broken, feeds)]
                except Exception as error:
                    print("onnxruntime:", str(error)[:100], file=sys.stderr)
                    continue
                wrong = {n: v for n, _, v in both[1]}
                results = [(n, t, v) for n, t, v in both[0] if v.dtype == np.float32 and n in wrong]
                if nhwc:
                    names = tflite_names(results)
                    last = lambda v: np.ascontiguousarray(np.moveaxis(v, 1, -1)) if v.ndim == 4 else v
                    chosen = [r for r in results if r[1] not in ("Constant", "Identity", "Reshape", "Flatten")]
                    honest = [(names[n], last(v)) for n, _, v in chosen]
                    changed = [(names[n], last(wrong[n])) for n, _, v in chosen]
                    here = [last(v) for v in known]
                else:
                    honest = [(n, v) for n, _, v in results]
                    changed = [(n, wrong[n]) for n, _, v in results]
                    here = known
                one_case(score, kind, path, npz, (honest, changed, how, form),
                         f"{name} {seed} {exporter} {fault} at {runs.graph.node[node].output[0]}", rng, here, 1e-3)


def main():
    global OUT, TOOL, VERBOSE, KEEP
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("tool")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of 'hooks bf16 resnet dynamo'")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--keep", action="store_true", help="keep what failed, in FOLDER/failed")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    OUT, TOOL, VERBOSE, KEEP = arguments.folder, os.path.abspath(arguments.tool), arguments.verbose, arguments.keep
    os.makedirs(OUT, exist_ok=True)
    score = Score()
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
        for name in arguments.networks.split(","):
            hooks(score, name, seed, arguments.only)
            of_onnxruntime(score, name, seed, arguments.only)
    score.print()
    with open(os.path.join(OUT, "failures.json"), "w") as file:
        json.dump(score.failures, file, indent=1)


if __name__ == "__main__":
    main()

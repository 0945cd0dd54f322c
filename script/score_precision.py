#!/usr/bin/env python3
"""How onnxcmp judges conversions to 16 and 8 bits: honest ones by several tools, and ones with a fault.

    script/score_precision.py ONNXCMP DIR [MODEL.onnx=INPUTS.npz ...] [--only NAME,...] [--forms FORM,...]
        [--faults N] [--seed N] [--made-up] [--scale X] [--jobs N] [-v]

Builds networks (about a million weights each, --scale multiplies their widths) beside the models that are
given, converts each to every form, and compares both on the inputs. Honest pairs have to be accepted
without a cause; --made-up compares them a second time on made-up inputs. Faults are put into the converted
side and count if they move an output by more than twice what the honest conversion does: these have to
differ, with the changed node or constant as the first cause. DIR keeps the models, their inputs, and the
faults that are missed or not named; DIR/honest.txt and DIR/faults.txt list what is judged wrongly, with
commands. Seconds and memory are those of onnxcmp against those of onnxruntime without optimizations, which
runs both models in a process of its own (its seconds without imports).

Forms: f16, f16b (two converters), bf16, dyn, dynpc (dynamic), qdq, qdqpc, qop, entropy, percentile (static),
nb4, nb8 (weights in blocks). A form that its tool cannot make or that cannot run is skipped. onnxruntime
does not run most operators in bfloat16, so onnxcmp runs that one. Static forms leave masks and the Softmax
after them in float: with -1e9 in its range a scale rounds all scores to 0, which onnxcmp rightly refuses.
qdqpc and qop are made from the graph that quant_pre_process gives. qdqpc, qop and percentile have unsigned activations.
Needs onnx, numpy, onnxruntime and onnxconverter_common.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import io
import json
import logging
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import traceback
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from score_inputs import attribute, axis, like, swapped, weights

F32, BF16, I64 = TensorProto.FLOAT, TensorProto.BFLOAT16, TensorProto.INT64
FORMS = ["f16", "f16b", "bf16", "dyn", "dynpc", "qdq", "qdqpc", "qop", "entropy", "percentile", "nb4", "nb8"]
SETS = 3  # Random sets of inputs for calibration beside the one that is compared.
TIMEOUT = 1800


# Networks.


class Net:
    """A graph that is built node by node, with the names that an exporter gives."""

    def __init__(self, name, seed, scale):
        self.name, self.scale = name, scale
        self.pick = np.random.default_rng(zlib.crc32(f"{name} {seed}".encode()))
        self.nodes, self.tensors, self.inputs, self.outputs, self.makers = [], [], [], [], {}
        self.names, self.constants, self.in_float, self.scope = collections.Counter(), {}, [], ""

    def width(self, n):
        return max(8, round(n * self.scale / 8) * 8)

    def input(self, name, shape, maker=None, kind=F32):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        self.makers[name] = maker or (lambda pick: pick.standard_normal(shape).astype(np.float32))
        return name

    def output(self, value, name, rank):
        self.op("Identity", value, out=name)
        self.outputs.append(helper.make_tensor_value_info(name, F32, [None] * rank))

    def weight(self, name, array):
        name = f"{self.scope}/{name}".strip("/").replace("/", ".")
        self.names["weight", name] += 1
        if self.names["weight", name] > 1:
            name += f"_{self.names['weight', name]}"
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def normal(self, name, *shape, std=None):
        """Weights that keep the variance, some columns larger than others as in trained networks."""
        fan = shape[0] if len(shape) == 2 else int(np.prod(shape[1:]))
        values = self.pick.standard_normal(shape) * (std or fan ** -0.5)
        lanes = np.exp(self.pick.standard_normal(shape[-1:] if len(shape) == 2 else shape[:1]) * 0.25)
        values *= lanes if len(shape) == 2 else lanes.reshape(-1, *[1] * (len(shape) - 1))
        return self.weight(name, values.astype(np.float32))

    def vector(self, name, n, mean=0.0, std=0.1):
        return self.weight(name, (mean + std * self.pick.standard_normal(n)).astype(np.float32))

    def const(self, values, kind=np.float32):
        array = np.asarray(values, kind)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.constants:
            self.constants[key] = f"const_{len(self.constants)}"
            self.tensors.append(numpy_helper.from_array(array, self.constants[key]))
        return self.constants[key]

    def ints(self, *values):
        return self.const(values, np.int64)

    def op(self, kind, *inputs, n=1, out=None, keep=False, **attributes):
        name = f"{self.scope}/{kind}"
        self.names[name] += 1
        if self.names[name] > 1:
            name += f"_{self.names[name] - 1}"
        outputs = [out] if out else [f"{name}_output_{i}" for i in range(n)]
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=name, **attributes))
        if keep:
            self.in_float.append(name)
        return outputs[0] if n == 1 else outputs

    @contextlib.contextmanager
    def part(self, name):
        was, self.scope = self.scope, f"{self.scope}/{name}"
        yield
        self.scope = was

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model)

    def linear(self, x, rows, columns, name, bias=True, std=None):
        with self.part(name):
            x = self.op("MatMul", x, self.normal("weight", rows, columns, std=std))
            return self.op("Add", self.vector("bias", columns), x) if bias else x

    def norm(self, x, width, name):
        with self.part(name):
            return self.op("LayerNormalization", x, self.vector("weight", width, 1, 0.2),
                           self.vector("bias", width), axis=-1, epsilon=1e-5)

    def rms(self, x, width, name):
        with self.part(name):
            mean = self.op("ReduceMean", self.op("Pow", x, self.const(2)), self.ints(-1), keepdims=1)
            root = self.op("Sqrt", self.op("Add", mean, self.const(1e-5)))
            return self.op("Mul", self.vector("weight", width, 1, 0.2), self.op("Div", x, root))

    def gelu(self, x):
        half = self.op("Add", self.op("Erf", self.op("Div", x, self.const(2 ** 0.5))), self.const(1))
        return self.op("Mul", self.op("Mul", x, half), self.const(0.5))

    def tanh_gelu(self, x):
        cube = self.op("Mul", self.op("Pow", x, self.const(3)), self.const(0.044715))
        inner = self.op("Mul", self.op("Add", x, cube), self.const((2 / np.pi) ** 0.5))
        return self.op("Mul", self.op("Mul", self.const(0.5), x),
                       self.op("Add", self.op("Tanh", inner), self.const(1)))

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def heads(self, x, heads, size):
        x = self.op("Reshape", x, self.ints(0, 0, heads, size))
        return self.op("Transpose", x, perm=[0, 2, 1, 3])

    def attention(self, x, width, heads, mask=None, turn=None, bias=True):
        with self.part("attn"):
            size = width // heads
            q, k, v = (self.heads(self.linear(x, width, width, f"{part}_proj", bias), heads, size)
                       for part in "qkv")
            if turn:
                q, k = turn(q), turn(k)
            k = self.op("Transpose", k, perm=[0, 1, 3, 2])
            scores = self.op("Mul", self.op("MatMul", q, k), self.const(size ** -0.5))
            if mask:
                scores = self.op("Add", scores, mask, keep=True)
            mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1, keep=bool(mask)), v)
            mixed = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), self.ints(0, 0, width))
            return self.linear(mixed, width, width, "out_proj", bias)

    def feed(self, x, width, act):
        with self.part("mlp"):
            return self.linear(act(self.linear(x, width, 4 * width, "fc1")), 4 * width, width, "fc2")

    def mask(self, name):
        """Padding of an attention_mask as a number that is added."""
        m = self.op("Cast", self.op("Unsqueeze", name, self.ints(1, 2)), to=F32)
        return self.op("Mul", self.op("Sub", self.const(1), m), self.const(-1e9), keep=True)

    def tokens(self, batch, length, words):
        ids = self.input("input_ids", [batch, length],
                         lambda pick: pick.integers(0, words, (batch, length)), I64)

        def padding(pick):
            ends = pick.integers(length // 2, length, (batch, 1))
            return (np.arange(length)[None] < ends).astype(np.int64)

        return ids, self.input("attention_mask", [batch, length], padding, I64)

    def embed(self, ids, words, length, width):
        with self.part("embed"):
            x = self.op("Gather", self.normal("word", words, width, std=0.5), ids, axis=0)
            x = self.op("Add", x, self.normal("position", length, width, std=0.5))
            return self.norm(x, width, "norm")

    def blocks(self, x, layers, width, heads, mask, act, first=False):
        for i in range(layers):
            with self.part(f"layers.{i}"):
                if first:
                    x = self.op("Add", x, self.attention(self.norm(x, width, "norm1"), width, heads, mask))
                    x = self.op("Add", x, self.feed(self.norm(x, width, "norm2"), width, act))
                else:
                    x = self.norm(self.op("Add", x, self.attention(x, width, heads, mask)), width, "norm1")
                    x = self.norm(self.op("Add", x, self.feed(x, width, act)), width, "norm2")
        return x

    def conv(self, x, before, after, name, size=3, bias=False, std=None, **attributes):
        with self.part(name):
            group = attributes.get("group", 1)
            attributes.setdefault("pads", [size // 2] * 4)
            fan = before // group * size * size
            w = self.normal("weight", after, before // group, size, size, std=std or (2 / fan) ** 0.5)
            return self.op("Conv", x, w, *([self.vector("bias", after)] if bias else []),
                           kernel_shape=[size, size], **attributes)

    def batch_norm(self, x, channels, name):
        with self.part(name):
            variance = self.weight("running_var", self.pick.uniform(0.5, 1.5, channels).astype(np.float32))
            return self.op("BatchNormalization", x, self.vector("weight", channels, 1, 0.2),
                           self.vector("bias", channels), self.vector("running_mean", channels), variance,
                           epsilon=1e-5)


def mlp(net):
    width = net.width(512)
    x, before = net.input("x", [16, 256]), 256
    for i in range(4):
        x = net.op("Relu", net.linear(x, before, width, f"fc{i}", std=(2 / before) ** 0.5))
        before = width
    net.output(net.linear(x, width, 64, "head"), "logits", 2)


def encoder(net):
    width = net.width(160)
    ids, mask = net.tokens(2, 32, 1000)
    x = net.embed(ids, 1000, 32, width)
    net.output(net.blocks(x, 3, width, 4, net.mask(mask), net.gelu), "hidden", 3)


def decoder(net):
    width, heads, length, words = net.width(160), 4, 24, 512
    size = width // heads
    ids = net.input("input_ids", [1, length], lambda pick: pick.integers(0, words, (1, length)), I64)
    x = net.op("Gather", net.normal("embed", words, width, std=1.0), ids, axis=0)
    angles = np.outer(np.arange(length), 10000.0 ** (-np.arange(size // 2) / (size // 2)))
    angles = np.concatenate([angles, angles], 1)
    cos, sin = (net.weight(f"rotary/{f.__name__}", f(angles).astype(np.float32)) for f in (np.cos, np.sin))
    causal = net.weight("causal", np.triu(np.full((1, 1, length, length), -1e9, np.float32), 1))

    def turn(x):
        low = net.op("Slice", x, net.ints(0), net.ints(size // 2), net.ints(-1))
        high = net.op("Slice", x, net.ints(size // 2), net.ints(size), net.ints(-1))
        turned = net.op("Concat", net.op("Neg", high), low, axis=-1)
        return net.op("Add", net.op("Mul", x, cos), net.op("Mul", turned, sin))

    for i in range(3):
        with net.part(f"layers.{i}"):
            a = net.attention(net.rms(x, width, "input_norm"), width, heads, causal, turn, bias=False)
            x = net.op("Add", x, a)
            y = net.rms(x, width, "post_norm")
            with net.part("mlp"):
                gate = net.silu(net.linear(y, width, 3 * width, "gate_proj", False))
                up = net.linear(y, width, 3 * width, "up_proj", False)
                y = net.linear(net.op("Mul", gate, up), 3 * width, width, "down_proj", False)
            x = net.op("Add", x, y)
    net.output(net.linear(net.rms(x, width, "norm"), width, words, "lm_head", False), "logits", 3)


def resnet(net):
    before = net.width(32)
    x = net.conv(net.input("x", [2, 3, 32, 32]), 3, before, "conv1")
    x = net.op("Relu", net.batch_norm(x, before, "bn1"))
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for i, after in enumerate((net.width(32), net.width(64), net.width(136))):
        for j in range(2):
            with net.part(f"layer{i}.{j}"):
                step = 2 if j == 0 and i else 1
                y = net.conv(x, before, after, "conv1", strides=[step, step])
                y = net.op("Relu", net.batch_norm(y, after, "bn1"))
                y = net.batch_norm(net.conv(y, after, after, "conv2"), after, "bn2")
                if before != after:
                    x = net.conv(x, before, after, "down", 1, strides=[step, step])
                    x = net.batch_norm(x, after, "down_bn")
                x, before = net.op("Relu", net.op("Add", y, x)), after
    x = net.op("Flatten", net.op("GlobalAveragePool", x), axis=1)
    w = net.normal("fc.weight", 100, before, std=before ** -0.5)
    net.output(net.op("Gemm", x, w, net.vector("fc.bias", 100), transB=1), "logits", 2)


def separable(net):
    before = net.width(24)
    six = (net.const(0), net.const(6))
    x = net.conv(net.input("x", [2, 3, 32, 32]), 3, before, "stem", strides=[2, 2])
    x = net.op("Clip", net.batch_norm(x, before, "stem_bn"), *six)
    widths = (24, 40, 40, 72, 72, 112, 112, 112)
    for i, after in enumerate(map(net.width, widths)):
        with net.part(f"block{i}"):
            wide, step = 6 * before, 2 if i in (1, 3) else 1
            y = net.batch_norm(net.conv(x, before, wide, "expand", 1), wide, "bn1")
            y = net.conv(net.op("Clip", y, *six), wide, wide, "depth", group=wide, strides=[step, step])
            y = net.op("Clip", net.batch_norm(y, wide, "bn2"), *six)
            y = net.batch_norm(net.conv(y, wide, after, "project", 1), after, "bn3")
            x = net.op("Add", x, y) if before == after and step == 1 else y
            before = after
    x = net.op("Flatten", net.op("GlobalAveragePool", net.op("Clip", x, *six)), axis=1)
    net.output(net.linear(x, before, 200, "head"), "logits", 2)


def unet(net):
    widths = [net.width(n) for n in (16, 32, 64, 128)]

    def pair(x, before, after, name):
        with net.part(name):
            for i in range(2):
                x = net.op("Relu", net.conv(x, before, after, f"conv{i}", bias=True))
                before = after
            return x

    x, kept, before = net.input("x", [1, 3, 32, 32]), [], 3
    for i, after in enumerate(widths):
        x = pair(x, before, after, f"down{i}")
        before = after
        if i < 3:
            kept.append(x)
            x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    for i in (2, 1, 0):
        after = widths[i]
        with net.part(f"up{i}"):
            if i == 1:
                x = net.op("Resize", x, "", net.const([1, 1, 2, 2]), mode="linear",
                           coordinate_transformation_mode="half_pixel")
                x = net.conv(x, before, after, "conv", 1, bias=True)
            else:
                w = net.normal("weight", before, after, 2, 2, std=before ** -0.5)
                x = net.op("ConvTranspose", x, w, net.vector("bias", after), kernel_shape=[2, 2],
                           strides=[2, 2])
            x = net.op("Concat", x, kept[i], axis=1)
        x, before = pair(x, 2 * after, after, f"join{i}"), after
    net.output(net.op("Sigmoid", net.conv(x, before, 2, "head", 1, bias=True)), "mask", 4)


def recurrent(net, kind, gates, **attributes):
    width = net.width(208)
    x, before = net.input("x", [24, 2, 64]), 64
    for i, ways in enumerate((2, 1)):
        with net.part(f"rnn{i}"):
            size = width // ways
            w = net.weight("W", (net.pick.standard_normal((ways, gates * size, before)) * before ** -0.5)
                           .astype(np.float32))
            r = net.weight("R", (net.pick.standard_normal((ways, gates * size, size)) * size ** -0.5)
                           .astype(np.float32))
            b = net.weight("B", (net.pick.standard_normal((ways, 2 * gates * size)) * 0.1).astype(np.float32))
            x = net.op(kind, x, w, r, b, hidden_size=size, n=2 if kind == "GRU" else 3,
                       direction="bidirectional" if ways == 2 else "forward", **attributes)[0]
            x = net.op("Reshape", net.op("Transpose", x, perm=[0, 2, 1, 3]), net.ints(0, 0, width))
            before = width
    net.output(net.linear(net.op("Tanh", net.linear(x, width, width, "proj")), width, 64, "head"), "y", 3)


def lstm(net):
    recurrent(net, "LSTM", 4)


def gru(net):
    recurrent(net, "GRU", 3, linear_before_reset=1)


def vit(net):
    width = net.width(160)
    x = net.conv(net.input("x", [2, 3, 32, 32]), 3, width, "patch", 8, bias=True, pads=[0] * 4,
                 strides=[8, 8], std=192 ** -0.5)
    x = net.op("Transpose", net.op("Reshape", x, net.ints(0, 0, -1)), perm=[0, 2, 1])
    first = net.op("Expand", net.normal("class", 1, 1, width, std=0.5), net.ints(2, 1, 1))
    x = net.op("Add", net.op("Concat", first, x, axis=1), net.normal("position", 1, 17, width, std=0.3))
    x = net.norm(net.blocks(x, 3, width, 4, None, net.tanh_gelu, first=True), width, "norm")
    x = net.op("Gather", x, net.const(0, np.int64), axis=1)
    net.output(net.linear(x, width, 100, "head"), "logits", 2)


def detector(net):
    before, features = 3, []
    x = net.input("image", [1, 3, 64, 64], lambda pick: pick.random((1, 3, 64, 64), np.float32))
    for i, after in enumerate(map(net.width, (24, 48, 96, 160))):
        with net.part(f"stage{i}"):
            x = net.silu(net.conv(x, before, after, "conv1", bias=True, strides=[2, 2]))
            before = after
            y = net.silu(net.conv(x, before, after, "conv2", bias=True))
            x = net.op("Add", x, net.conv(y, before, after, "conv3", 1, bias=True))
            features.append((x, before, 64 >> (i + 1)))
    boxes, scores = [], []
    for i, (x, channels, cells) in enumerate(features[2:]):
        with net.part(f"head{i}"):
            step = 640 / cells
            raw = net.conv(x, channels, 4, "box", bias=True, std=channels ** -0.5, size=1)
            raw = net.op("Transpose", net.op("Reshape", raw, net.ints(0, 0, -1)), perm=[0, 2, 1])
            at, size = net.op("Split", net.op("Sigmoid", raw), n=2, axis=2, num_outputs=2)
            grid = np.stack(np.meshgrid(np.arange(cells), np.arange(cells)), -1).reshape(1, -1, 2)
            at = net.op("Mul", net.op("Add", at, net.weight("grid", grid.astype(np.float32))),
                        net.const(step))
            half = net.op("Mul", size, net.const(step))
            box = net.op("Concat", net.op("Sub", at, half), net.op("Add", at, half), axis=2)
            boxes.append(net.op("Clip", box, net.const(0), net.const(640)))
            y = net.silu(net.conv(x, channels, channels, "class1", bias=True))
            y = net.conv(y, channels, 20, "class2", 1, bias=True)
            y = net.op("Transpose", net.op("Reshape", y, net.ints(0, 0, -1)), perm=[0, 2, 1])
            scores.append(net.op("Sigmoid", net.op("Sub", y, net.const(2))))
    net.output(net.op("Concat", *boxes, axis=1), "boxes", 3)
    net.output(net.op("Concat", *scores, axis=1), "scores", 3)


def classifier(net):
    before = 3
    x = net.input("x", [4, 3, 32, 32])
    for i, after in enumerate(map(net.width, (32, 64, 128, 256))):
        x = net.op("LeakyRelu", net.conv(x, before, after, f"conv{i}", bias=True), alpha=0.1)
        x = net.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
        before = after
    x = net.op("ReduceMean", x, net.ints(2, 3), keepdims=0)
    x = net.op("Relu", net.linear(x, before, 2 * before, "fc1", std=(2 / before) ** 0.5))
    x = net.linear(x, 2 * before, 1000, "fc2", std=6 * (2 * before) ** -0.5)
    net.output(net.op("Softmax", x, axis=-1), "probabilities", 2)


def temporal(net):
    width = net.width(160)
    x, before = net.input("x", [2, 32, 64]), 32
    for i in range(4):
        with net.part(f"block{i}"):
            y, step = x, 2 ** i
            for j in range(2):
                with net.part(f"conv{j}"):
                    n = before if j == 0 else width
                    y = net.op("Pad", y, net.ints(0, 0, 2 * step, 0, 0, 0), net.const(0))
                    w = net.normal("weight", width, n, 3, std=(2 / 3 / n) ** 0.5)
                    y = net.op("Conv", y, w, net.vector("bias", width), dilations=[step], kernel_shape=[3])
                    y = net.op("Relu", y)
            if before != width:
                w = net.normal("down", width, before, 1, std=before ** -0.5)
                x = net.op("Conv", x, w, net.vector("down_bias", width), kernel_shape=[1])
            x, before = net.op("Relu", net.op("Add", x, y)), width
    w = net.normal("head", 16, width, 1, std=width ** -0.5)
    net.output(net.op("Conv", x, w, net.vector("head_bias", 16), kernel_shape=[1]), "y", 3)


def experts(net):
    width, count = net.width(128), 4
    ids, mask = net.tokens(2, 16, 500)
    x = net.embed(ids, 500, 16, width)
    mask = net.mask(mask)
    for i in range(2):
        with net.part(f"layers.{i}"):
            x = net.norm(net.op("Add", x, net.attention(x, width, 4, mask)), width, "norm1")
            with net.part("router"):
                odds = net.linear(x, width, count, "gate", False, 3 * width ** -0.5)
                odds = net.op("Softmax", odds, axis=-1)
                best, chosen = net.op("TopK", odds, net.ints(2), n=2, axis=-1)
                best = net.op("Div", best, net.op("ReduceSum", best, net.ints(-1), keepdims=1))
                none = net.op("Mul", odds, net.const(0))
                share = net.op("ScatterElements", none, chosen, best, axis=-1)
                shares = net.op("Split", share, n=count, axis=-1, num_outputs=count)
            total = None
            for j in range(count):
                with net.part(f"expert{j}"):
                    y = net.silu(net.linear(x, width, 2 * width, "fc1"))
                    y = net.op("Mul", net.linear(y, 2 * width, width, "fc2"), shares[j])
                total = net.op("Add", total, y) if total else y
            x = net.norm(net.op("Add", x, total), width, "norm2")
    net.output(x, "hidden", 3)


def embedding(net):
    width = net.width(160)
    ids, mask = net.tokens(3, 24, 1000)
    x = net.blocks(net.embed(ids, 1000, 24, width), 3, width, 5, net.mask(mask), net.gelu)
    with net.part("pool"):
        m = net.op("Cast", net.op("Unsqueeze", mask, net.ints(-1)), to=F32)
        total = net.op("ReduceSum", net.op("Mul", x, m), net.ints(1), keepdims=0)
        count = net.op("Clip", net.op("ReduceSum", m, net.ints(1), keepdims=0), net.const(1e-9))
        x = net.op("Div", total, count)
        length = net.op("Clip", net.op("ReduceL2", x, net.ints(-1), keepdims=1), net.const(1e-12))
    net.output(net.op("Div", x, length), "embedding", 2)


NETWORKS = [mlp, encoder, decoder, resnet, separable, unet, lstm, gru, vit, detector, classifier, temporal,
            experts, embedding]

Network = collections.namedtuple("Network", "name path inputs sets in_float")


def built(make, folder, given):
    net = Net(make.__name__, given.seed, given.scale)
    make(net)
    path, inputs = folder / f"{net.name}.onnx", folder / f"{net.name}.npz"
    model = net.model()
    if model.ByteSize() < 1 << 30:
        onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)
    sets = [{k: f(net.pick) for k, f in net.makers.items()} for _ in range(SETS + 1)]
    np.savez(inputs, **sets[0])
    return Network(net.name, path, inputs, sets, net.in_float)


def taken(spec, seed):
    """A model of the command line; its other sets are permutations of its inputs."""
    path, _, inputs = spec.partition("=")
    first = dict(np.load(inputs))
    pick = np.random.default_rng(seed)
    sets = [first]
    for _ in range(SETS):
        sets.append({k: pick.permutation(v.reshape(-1)).reshape(v.shape) if v.dtype.kind == "f" or v.ndim == 0
                     else pick.permuted(v, axis=-1) for k, v in first.items()})
    graph = onnx.load(path, load_external_data=False).graph
    masked = [n for n in graph.node if n.op_type == "Add" and any("mask" in i.lower() for i in n.input)]
    after = [n for n in graph.node if n.op_type == "Softmax" and any(n.input[0] in m.output for m in masked)]
    masks = [n.name for n in [*masked, *after] if n.name]
    return Network(pathlib.Path(path).stem, pathlib.Path(path), pathlib.Path(inputs), sets, masks)


# Forms.


class Skipped(Exception):
    """The tool cannot make this form of this network."""


class Reader:
    """Calibration data as onnxruntime.quantization reads them."""

    def __init__(self, sets):
        self.sets, self.left = sets, iter(sets)

    def get_next(self):
        return next(self.left, None)

    def rewind(self):
        self.left = iter(self.sets)


def to_bfloat16(model):
    """Everything that is float becomes bfloat16, with casts at inputs and outputs."""
    graph = model.graph
    for node in graph.node:
        if any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for a in node.attribute):
            raise Skipped("subgraphs")
        schema = onnx.defs.get_schema(node.op_type, model.opset_import[0].version, node.domain)
        kinds = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
        for slot in schema.inputs[:1]:
            allowed = kinds.get(slot.type_str, [slot.type_str])
            if "tensor(float)" in allowed and "tensor(bfloat16)" not in allowed:
                raise Skipped(f"{node.op_type} has no bfloat16")

    def narrowed(tensor):
        if tensor.data_type != F32:
            return
        bits = numpy_helper.to_array(tensor).astype(np.float32).view(np.uint32).astype(np.uint64)
        bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        new = TensorProto(name=tensor.name, data_type=BF16, dims=tensor.dims, raw_data=bits.tobytes())
        tensor.CopyFrom(new)

    by_name = {}
    for tensor in graph.initializer:
        narrowed(tensor)
        by_name[tensor.name] = tensor
    casts = [helper.make_node("Cast", [i.name], [i.name + "_bf16"], name=i.name + "_to_bf16", to=BF16)
             for i in graph.input if i.type.tensor_type.elem_type == F32]
    back = [helper.make_node("Cast", [o.name + "_bf16"], [o.name], name=o.name + "_to_float", to=F32)
            for o in graph.output if o.type.tensor_type.elem_type == F32]
    renamed = {c.input[0]: c.output[0] for c in casts} | {c.output[0]: c.input[0] for c in back}
    for node in graph.node:
        node.input[:] = [renamed.get(n, n) for n in node.input]
        node.output[:] = [renamed.get(n, n) for n in node.output]
        for a in node.attribute:
            if node.op_type == "Cast" and a.name == "to" and a.i == F32:
                a.i = BF16
            if a.type == onnx.AttributeProto.TENSOR:
                narrowed(a.t)
    nodes = [*casts, *graph.node, *back]
    del graph.node[:]
    graph.node.extend(nodes)
    for value in graph.value_info:
        if value.type.tensor_type.elem_type == F32:
            value.type.tensor_type.elem_type = BF16
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def casts_repaired(model):
    """Casts to float that onnxconverter_common leaves although it gives their readers float16."""
    half = {v.name for v in model.graph.value_info if v.type.tensor_type.elem_type == TensorProto.FLOAT16}
    for node in model.graph.node:
        if node.op_type == "Cast" and node.output[0] in half and attribute(node, "to").i == F32:
            attribute(node, "to").i = TensorProto.FLOAT16
    return model


def save(model, path):
    big = model.ByteSize() > 1 << 30
    path.with_suffix(".data").unlink(missing_ok=True)
    onnx.save(model, path, save_as_external_data=big, location=path.with_suffix(".data").name)


def prepared(network, folder):
    """The graph as quant_pre_process leaves it, with BatchNormalization folded."""
    from onnxruntime.quantization.shape_inference import quant_pre_process
    path = pathlib.Path(folder) / "prepared.onnx"
    quant_pre_process(str(network.path), str(path), skip_symbolic_shape=True)
    return path


def static(network, form, path, folder):
    from onnxruntime.quantization import CalibrationMethod, QuantFormat, QuantType, quantize_static
    kind = QuantType.QUInt8 if form in ("qdqpc", "qop", "percentile") else QuantType.QInt8
    method = {"entropy": CalibrationMethod.Entropy, "percentile": CalibrationMethod.Percentile}
    source = prepared(network, folder) if form in ("qdqpc", "qop") else network.path
    quantize_static(str(source), str(path), Reader(network.sets),
                    quant_format=QuantFormat.QOperator if form == "qop" else QuantFormat.QDQ,
                    per_channel=form == "qdqpc", activation_type=kind, weight_type=QuantType.QInt8,
                    calibrate_method=method.get(form, CalibrationMethod.MinMax),
                    nodes_to_exclude=network.in_float)


def dynamic(network, form, path):
    from onnxruntime.quantization import QuantType, quantize_dynamic
    for kind in (QuantType.QInt8, QuantType.QUInt8):
        quantize_dynamic(str(network.path), str(path), per_channel=form == "dynpc", weight_type=kind)
        try:
            session(path)
            return
        except Exception as e:
            if kind == QuantType.QUInt8:
                raise Skipped(f"does not run: {str(e)[:150]}") from e


def blocks(network, form, path):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    made = MatMulNBitsQuantizer(onnx.load(network.path), bits=int(form[2:]), block_size=32)
    made.process()
    save(made.model.model, path)


def converted(network, form, path):
    with tempfile.TemporaryDirectory() as folder:
        if form == "f16":
            from onnxconverter_common import float16
            model = float16.convert_float_to_float16(onnx.load(network.path), keep_io_types=True)
            save(casts_repaired(model), path)
        elif form == "f16b":
            from onnxruntime.transformers.float16 import convert_float_to_float16
            save(convert_float_to_float16(onnx.load(network.path), keep_io_types=True), path)
        elif form == "bf16":
            save(to_bfloat16(onnx.load(network.path)), path)
        elif form in ("nb4", "nb8"):
            blocks(network, form, path)
        elif form in ("dyn", "dynpc"):
            dynamic(network, form, path)
        else:
            static(network, form, path, folder)
    if form not in ("f16", "f16b", "bf16"):
        nodes = onnx.load(path, load_external_data=False).graph.node
        if not any(re.search("Quant|QLinear|NBits|Integer", n.op_type) for n in nodes):
            raise Skipped("nothing to quantize")


# Runs.


def session(path):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 2
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def outputs_of(path, network, form, tool):
    if form != "bf16":
        made = session(path)
        return dict(zip([o.name for o in made.get_outputs()], made.run(None, network.sets[0])))
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder) / "out.npz"
        run = subprocess.run([tool, "run", path, "--inputs", network.inputs, "-q", "--save", saved],
                             capture_output=True, text=True, timeout=TIMEOUT)
        if run.returncode != 0:
            raise Skipped(f"onnxcmp run: {run.stderr.strip()[:150]}")
        return {name: values for name, values in np.load(saved).items() if isinstance(values, np.ndarray)}


def distance(right, left):
    """The root mean square of the difference against that of the left, for the worst output."""
    worst = 0.0
    for name, values in left.items():
        other = np.asarray(right[name])
        if values.dtype.kind != "f" and other.dtype.kind != "f":
            continue
        values, other = values.astype(np.float64), other.astype(np.float64)
        if values.shape != other.shape or not np.isfinite(other).all():
            return float("inf")
        with np.errstate(over="ignore"):
            size = np.sqrt(np.mean(values ** 2)) if values.size else 0
            apart = np.sqrt(np.mean((other - values) ** 2)) if values.size else 0
        worst = max(worst, apart / size if size else float(apart > 0))
    return worst


def decibels(x):
    return float("inf") if x == 0 else -20 * np.log10(x) if np.isfinite(x) else float("-inf")


# A small process in between: the memory of a forked child begins with that of its parent.
LAUNCHER = """
import os, sys, time
began = time.monotonic()
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as report:
    print(time.monotonic() - began, usage.ru_maxrss, os.waitstatus_to_exitcode(status), file=report)
"""
BOTH = """
import sys, time
import numpy as np
import onnxruntime as ort
began = time.monotonic()
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
options.log_severity_level = 4
options.intra_op_num_threads = 2
given = dict(np.load(sys.argv[1]))
kept = [ort.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, given)
        for path in sys.argv[2:]]
print(time.monotonic() - began)
"""


def measured(*command):
    """What a command says, its seconds, kilobytes and exit status."""
    with tempfile.NamedTemporaryFile("r") as report:
        run = subprocess.run([sys.executable, "-S", "-E", "-c", LAUNCHER, report.name, *map(str, command)],
                             capture_output=True, text=True, timeout=TIMEOUT)
        seconds, size, status = report.read().split()
    return run, float(seconds), int(size), int(status)


def command(given, network, path, made_up=False):
    inputs = [] if made_up else ["--inputs", network.inputs.resolve()]
    return [given.onnxcmp, network.path.resolve(), path.resolve(), *inputs]


def judged(given, network, path, made_up=False):
    """The exit status, the report, seconds and kilobytes of a comparison."""
    run, seconds, size, status = measured(*command(given, network, path, made_up), "-q", "--format", "json")
    try:
        report = json.loads(run.stdout)
    except ValueError:
        report = {"verdict": "none", "summary": run.stderr.strip()[:300], "causes": []}
    return status, report, seconds, size


def said(report):
    words = report.get("words") or [report.get("summary", "")]
    return f"{report['verdict']}: {' '.join(words[:2])}"[:300]


# Faults of converted models. Each gives the names of what it has changed, or None.


PASSING = {"Cast", "Identity", "QuantizeLinear", "DequantizeLinear", "Transpose", "Reshape",
           "DynamicQuantizeLinear"}
SCALES = {"QuantizeLinear": (1,), "DequantizeLinear": (1,), "QLinearConv": (1, 4, 6),
          "QLinearMatMul": (1, 4, 6), "MatMulNBits": (2,), "QLinearAdd": (1, 4, 6), "QLinearMul": (1, 4, 6),
          "QGemm": (1, 4, 7), "QLinearSigmoid": (1, 3), "QLinearLeakyRelu": (1, 3),
          "QLinearGlobalAveragePool": (1, 3), "QLinearAveragePool": (1, 3), "QLinearSoftmax": (1, 3),
          "DynamicQuantizeMatMul": (2,), "DynamicQuantizeLSTM": (8, 10), "MatMulIntegerToFloat": (2, 3)}
LAST = {"MatMul", "QLinearMatMul", "MatMulInteger", "Gather", "QGemm"}


def readers(model, name, passing=PASSING):
    """The nodes and slots that first compute with a value, through casts and the like."""
    found, names = [], [name]
    for node in model.graph.node:
        for slot, read in enumerate(node.input):
            if read in names:
                if node.op_type in passing and (slot == 0 or node.op_type.endswith("uantizeLinear")):
                    names += node.output
                else:
                    found.append((node, slot))
    return found


def tensors(model, pick, wanted):
    """Initializers in a random order that are wanted, with the first node that reads them."""
    found = []
    for t in model.graph.initializer:
        read = readers(model, t.name)
        if read and wanted(t, *read[0]):
            found.append((t, *read[0]))
    return pick.sample(found, len(found))


def put(tensor, array):
    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))
    return [tensor.name]


def is_weight(t, node, slot):
    if node.op_type == "MatMulNBits":
        return slot == 2
    narrow = (TensorProto.FLOAT, TensorProto.FLOAT16, BF16, TensorProto.INT8, TensorProto.UINT8)
    return t.data_type in narrow and len(t.dims) > 1 and np.prod(t.dims) >= 64 and (
        slot > 0 or node.op_type == "Gather")


def rows_of(array, node):
    """An array as rows of output channels, a view."""
    if node.op_type == "MatMulNBits":
        return array.reshape(attribute(node, "N").i, -1)
    if node.op_type in LAST or array.ndim == 2 and node.op_type == "Gemm" and not attribute(node, "transB"):
        return np.moveaxis(array, -1, 0)
    return array


def zero_of(model, t):
    """The number of an integer weight that stands for 0."""
    for node in model.graph.node:
        for slot, name in enumerate(node.input):
            if name != t.name:
                continue
            at = {"DequantizeLinear": 2, "QLinearConv": 5, "QLinearMatMul": 5, "MatMulInteger": 3,
                  "ConvInteger": 3, "QGemm": 5}.get(node.op_type)
            zero = weights(model).get(node.input[at]) if at and len(node.input) > at else None
            if zero is not None:
                return int(numpy_helper.to_array(zero).reshape(-1)[0])
    return 0


def change_weight(model, pick, change):
    for t, node, _ in tensors(model, pick, is_weight):
        array = numpy_helper.to_array(t).copy()
        zero = zero_of(model, t) if array.dtype.kind in "iu" else 0
        wide = array.astype(np.float64) - zero
        change(wide, node)
        wide += zero
        if array.dtype.kind in "iu":
            wide = wide.clip(np.iinfo(array.dtype).min, np.iinfo(array.dtype).max)
        new = wide.astype(array.dtype)
        if not np.array_equal(new, array):
            return put(t, new)
    return None


def row_doubled(model, pick):
    def change(wide, node):
        rows = rows_of(wide, node)
        rows[pick.randrange(len(rows))] *= 2
    return change_weight(model, pick, change)


def channel_zero(model, pick):
    def change(wide, node):
        rows = rows_of(wide, node)
        rows[pick.randrange(len(rows))] = 0
    return change_weight(model, pick, change)


def columns_exchanged(model, pick):
    def change(wide, _):
        rows, half = wide.reshape(wide.shape[0], -1) if wide.ndim > 2 else wide, wide.shape[-1] // 2
        if wide.ndim > 2:
            half = rows.shape[-1] // 2
        if wide.ndim > 1 and half:
            rows[:, :2 * half] = np.roll(rows[:, :2 * half], half, 1)
    return change_weight(model, pick, change)


def bias_zero(model, pick):
    def wanted(t, node, slot):
        at = {"Conv": 2, "Gemm": 2, "QLinearConv": 8, "QGemm": 6, "LayerNormalization": 2, "ConvTranspose": 2,
              "BatchNormalization": 2, "LSTM": 3, "GRU": 3, "DynamicQuantizeLSTM": 3}.get(node.op_type)
        fits = slot == at or node.op_type in ("Add", "QLinearAdd") and t.name.endswith(
            ("bias", "bias_quantized", "Bias"))
        return fits and np.prod(t.dims) >= 4

    for t, _, _ in tensors(model, pick, wanted):
        array = numpy_helper.to_array(t)
        zero = zero_of(model, t) if array.dtype.itemsize == 1 else 0
        if (array != zero).any():
            return put(t, np.full_like(array, zero))
    return None


def in_slots(model, kinds, shift):
    """Initializers that are scales, or with a shift of 1 zero points, as their nodes say."""
    names = set()
    for node in model.graph.node:
        for slot in kinds.get(node.op_type, ()):
            if len(node.input) > slot + shift:
                names.add(node.input[slot + shift])
    found = [t for t in model.graph.initializer if t.name in names
             or shift == 0 and t.name.endswith("_scale") or shift == 1 and t.name.endswith("_zero_point")]
    return sorted(found, key=lambda t: t.name)


def scale_wrong(model, pick):
    found = in_slots(model, SCALES, 0)
    if not found:
        return None
    t = pick.choice(found)
    array = numpy_helper.to_array(t)
    return put(t, (array * 1.15).astype(array.dtype))


def zero_point_moved(model, pick):
    found = [t for t in in_slots(model, SCALES, 1) if t.data_type in (TensorProto.INT8, TensorProto.UINT8)]
    found = [t for t in found if not any(n.op_type == "MatMulNBits" and t.name in n.input
                                         for n in model.graph.node)]
    if not found:
        return None
    t = pick.choice(found)
    array = numpy_helper.to_array(t)
    up = array.astype(np.int64) + 10
    return put(t, np.where(up > np.iinfo(array.dtype).max, up - 20, up).astype(array.dtype))


def of_nodes(model, pick, change):
    for node in pick.sample(list(model.graph.node), len(model.graph.node)):
        names = [node.name, *node.output]
        if change(node):
            return names
    return None


def hardmax(model, pick):
    def change(node):
        if node.op_type != "Softmax":
            return False
        node.op_type = "Hardmax"
        return True
    return of_nodes(model, pick, change)


def operator_replaced(model, pick):
    return of_nodes(model, pick, lambda node: like(model, node, pick))


def inputs_swapped(model, pick):
    return of_nodes(model, pick, lambda node: swapped(model, node, pick))


def attribute_changed(model, pick):
    def change(node):
        epsilon = attribute(node, "epsilon")
        if epsilon is not None:
            epsilon.f *= 1000
            return True
        return node.op_type not in ("DequantizeLinear", "QuantizeLinear") and axis(model, node, pick)
    return of_nodes(model, pick, change)


def relu_removed(model, pick):
    def change(node):
        if node.op_type not in ("Relu", "Clip", "LeakyRelu"):
            return False
        node.op_type = "Identity"
        del node.input[1:]
        del node.attribute[:]
        return True
    return of_nodes(model, pick, change)


def inputs_exchanged(model, pick):
    """Two nodes read each other's input."""
    try:
        typed = onnx.shape_inference.infer_shapes(model).graph
    except Exception:
        return None
    kinds = {v.name: v.type.tensor_type.SerializeToString() for v in [*typed.value_info, *typed.input]}
    made = {name: i for i, n in enumerate(model.graph.node) for name in n.output}
    groups = collections.defaultdict(list)
    for i, node in enumerate(model.graph.node):
        for slot, name in enumerate(node.input):
            if kinds.get(name) and name not in weights(model):
                groups[kinds[name]].append((i, slot, name))
    groups = [g for g in groups.values() if len({name for _, _, name in g}) > 1]
    for _ in range(20 if groups else 0):
        (i, a, one), (j, b, other) = pick.sample(pick.choice(groups), 2)
        if i != j and one != other and made.get(other, -1) < i and made.get(one, -1) < j:
            nodes = [model.graph.node[i], model.graph.node[j]]
            nodes[0].input[a], nodes[1].input[b] = other, one
            return [name for n in nodes for name in (n.name, *n.output)]
    return None


FAULTS = [row_doubled, columns_exchanged, bias_zero, channel_zero, scale_wrong, zero_point_moved, hardmax,
          operator_replaced, inputs_swapped, attribute_changed, relu_removed, inputs_exchanged]
SUFFIX = re.compile("(_quantized|_scale|_zero_point|_quant|_DequantizeLinear_Output|_DequantizeLinear"
                    "|_QuantizeLinear_Output|_QuantizeLinear_Input|_QuantizeLinear|_q4|_bf16|_Q4G32|_Q8G32"
                    "|_Q4|_Q8|_bias_add|_quant_scales_mul|_quant_output_scale_mul|_scales_mul"
                    "|_output_scale_mul"
                    "|_output_quantized|_MatMul|_cast)$")


def plain(name):
    while name and SUFFIX.search(name):
        name = SUFFIX.sub("", name)
    return name


def acceptable(model, changed):
    """Names of what was changed, of the nodes that first read it and of their results."""
    names = set(changed)
    for name in changed:
        for node in model.graph.node:
            if name in node.input:
                names |= {node.name, *node.output}
        for node, _ in readers(model, name):
            names |= {node.name, *node.output}
    for node in model.graph.node:
        if node.op_type in PASSING and names & set(node.input[:1]):
            names |= {node.name, *node.output}
    return {plain(n) for n in names if n} - {""}


def names_of(cause):
    body = cause.get("in_body", {})
    names = [cause.get(f"{side}_{what}", "") for side in ("left", "right") for what in ("name", "node")]
    return {plain(n) for n in [*names, body.get("left_name", ""), body.get("right_name", "")] if n}


# Scores.


Honest = collections.namedtuple(
    "Honest", "network form skipped status said causes sqnr seconds size ort_seconds ort_size made_up",
    defaults=[None, "", [], 0.0, 0.0, 0, None, None, None])


def cause_line(cause):
    left, right = cause.get("left_name", "-"), cause.get("right_name", "-")
    return f"{cause['kind']}: {left} | {right}: {cause['text']}"[:200]


def honest(given, network, form):
    path = pathlib.Path(given.folder) / f"{network.name}.{form}.onnx"
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            converted(network, form, path)
            left = outputs_of(network.path, network, "", given.onnxcmp)
            right = outputs_of(path, network, form, given.onnxcmp)
    except Exception as e:
        path.unlink(missing_ok=True)
        if given.verbose and not isinstance(e, Skipped):
            traceback.print_exc()
        return Honest(network.name, form, f"{type(e).__name__}: {e}".splitlines()[0][:200])
    status, report, seconds, size = judged(given, network, path)
    ort_seconds = ort_size = made_up = None
    if form != "bf16":
        run, _, ort_size, failed = measured(sys.executable, "-c", BOTH, network.inputs, network.path, path)
        ort_seconds = float(run.stdout) if failed == 0 else None
    if given.made_up:
        other, second = judged(given, network, path, True)[:2]
        made_up = (other, said(second), [cause_line(c) for c in second["causes"]])
    return Honest(network.name, form, None, status, said(report), [cause_line(c) for c in report["causes"]],
                  decibels(distance(right, left)), seconds, size, ort_seconds, ort_size, made_up)


def show_honest(given, network, pair, out):
    """Prints a pair, and writes it down if it is judged wrongly."""
    path = pathlib.Path(given.folder) / f"{pair.network}.{pair.form}.onnx"
    if pair.skipped:
        if given.verbose:
            print(f"{pair.network} {pair.form}: skipped: {pair.skipped}", flush=True)
        return
    ratio = f", {pair.seconds / pair.ort_seconds:.1f} of onnxruntime's" if pair.ort_seconds else ""
    if given.verbose:
        print(f"{pair.network} {pair.form}: exit {pair.status}, {len(pair.causes)} causes, "
              f"{pair.sqnr:.1f} dB, {pair.seconds:.1f} s{ratio}, {pair.size >> 10} MB", flush=True)
    runs = [("given", pair.status, pair.said, pair.causes)]
    if pair.made_up:
        runs.append(("made up", *pair.made_up))
    for inputs, status, words, causes in runs:
        if status == 0 and not causes:
            continue
        verdict = "refused" if status else "accepted with causes"
        lines = [f"{pair.network} {pair.form}, inputs {inputs}: {verdict}, exit {status}, {pair.sqnr:.1f} dB"]
        lines += [f"  {words}", *(f"  cause {c}" for c in causes[:3])]
        lines.append("  " + " ".join(map(str, command(given, network, path, inputs != "given"))))
        out.write("\n".join(lines) + "\n")
        out.flush()
        print("\n".join(lines), flush=True)


class Fault(collections.namedtuple(
        "Fault", "network form kind changed status named moved noise said causes")):
    def good(self):
        return self.status == 1 and self.named


def faulty(given, network, form, number):
    """One fault that moves an output by more than twice the noise of the conversion, or None."""
    folder = pathlib.Path(given.folder)
    source = folder / f"{network.name}.{form}.onnx"
    left = outputs_of(network.path, network, "", given.onnxcmp)
    right = outputs_of(source, network, form, given.onnxcmp)
    noise = distance(right, left)
    pick = random.Random(f"{given.seed} {network.name} {form} {number}")
    for attempt in range(20):
        kind = FAULTS[(number + attempt * 5) % len(FAULTS)] if attempt < 12 else pick.choice(FAULTS)
        model = onnx.load(source)
        changed = kind(model, pick)
        if not changed:
            continue
        path = folder / f"{network.name}.{form}.{kind.__name__}{number}.onnx"
        save(model, path)
        try:
            moved = distance(outputs_of(path, network, form, given.onnxcmp), right)
        except Exception as e:
            moved = 0
            if given.verbose:
                print(f"{path.name} does not run: {e}".splitlines()[0][:150])
        if moved <= 2 * noise or not np.isfinite(moved):
            path.unlink()
            path.with_suffix(".data").unlink(missing_ok=True)
            continue
        status, report, _, _ = judged(given, network, path)
        first = names_of(report["causes"][0]) if report["causes"] else set()
        names = acceptable(model, changed) | acceptable(onnx.load(source, load_external_data=False), changed)
        fault = Fault(network.name, form, f"{kind.__name__}{number}", changed[0], status, bool(first & names),
                      moved, noise, said(report), [cause_line(c) for c in report["causes"]])
        if fault.good():
            path.unlink()
            path.with_suffix(".data").unlink(missing_ok=True)
        return fault
    return None


def show_fault(given, network, fault, out):
    if given.verbose:
        print(f"{fault.network} {fault.form} {fault.kind} {fault.changed}: exit {fault.status}, "
              f"{'' if fault.named else 'not '}named", flush=True)
    if fault.good():
        return
    path = pathlib.Path(given.folder) / f"{fault.network}.{fault.form}.{fault.kind}.onnx"
    what = "not named" if fault.status == 1 else f"missed, exit {fault.status}"
    lines = [f"{fault.network} {fault.form} {fault.kind} of {fault.changed}: {what}"
             f"{', named' if fault.status != 1 and fault.named else ''}, moves {fault.moved:.3g},"
             f" noise {fault.noise:.3g}", f"  {fault.said}", *(f"  cause {c}" for c in fault.causes[:3])]
    lines.append("  " + " ".join(map(str, command(given, network, path))))
    out.write("\n".join(lines) + "\n")
    out.flush()
    print("\n".join(lines), flush=True)


def spread(pairs, count, seed):
    """As many places of faults, evenly over networks and forms."""
    pick, used, places = random.Random(seed), collections.Counter(), []
    for i in range(count):
        best = min(pairs, key=lambda p: (used[p], used[p[0]] + used[p[1]], pick.random()))
        for key in (best, *best):
            used[key] += 1
        places.append((*best, i))
    return places


def done(jobs, function, tasks):
    """Results in order, each as soon as it is known."""
    if jobs == 1:
        yield from (function(*task) for task in tasks)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, *zip(*tasks))


def ratio_line(what, ratios):
    ratios = sorted((r, where) for r, where in ratios)
    if ratios:
        worst, where = ratios[-1]
        middle = statistics.median(r for r, _ in ratios)
        print(f"{what} against onnxruntime: median {middle:.2f}, worst {worst:.2f} ({where})")


def table(given, pairs, faults):
    timed = [(p, f"{p.network} {p.form}") for p in pairs if p.ort_seconds]
    ratio_line("seconds", [(p.seconds / p.ort_seconds, where) for p, where in timed])
    ratio_line("memory", [(p.size / p.ort_size, where) for p, where in timed])
    ran = [p for p in pairs if not p.skipped]
    broken = [p for p in ran if p.sqnr < 10 and p.status]
    if broken:
        print("refused below 10 dB:", ", ".join(f"{p.network} {p.form}" for p in broken))
    print(f"{'form':<11}{'accepted':>10}{'false causes':>14}{'skipped':>9}{'different':>11}{'named':>8}"
          f"{'  made up' if given.made_up else ''}")
    for form in given.forms:
        mine, wrong = [p for p in ran if p.form == form], [f for f in faults if f.form == form]
        good = f"{sum(p.status == 0 for p in mine)}/{len(mine)}"
        different = f"{sum(f.status == 1 for f in wrong)}/{len(wrong)}"
        named = f"{sum(f.named for f in wrong)}/{len(wrong)}"
        made_up = [p for p in mine if p.made_up]
        line = f"{form:<11}{good:>10}{sum(bool(p.causes) for p in mine):>14}"
        line += f"{sum(p.form == form and bool(p.skipped) for p in pairs):>9}{different:>11}{named:>8}"
        if given.made_up:
            line += f"  {sum(p.made_up[0] == 0 for p in made_up)}/{len(made_up)}"
        print(line)
    print(f"honest {sum(p.status == 0 for p in ran)} of {len(ran)} accepted, "
          f"{sum(bool(p.causes) for p in ran)} false causes; faults {sum(f.status == 1 for f in faults)} of "
          f"{len(faults)} different, {sum(f.named for f in faults)} named first")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnxcmp")
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("models", nargs="*", metavar="MODEL.onnx=INPUTS.npz")
    parser.add_argument("--only", help="names of networks")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--made-up", action="store_true")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args()
    given.forms = given.forms.split(",")
    if unknown := set(given.forms) - set(FORMS):
        parser.error(f"no such form: {', '.join(sorted(unknown))}")
    given.onnxcmp = str(pathlib.Path(given.onnxcmp).resolve())
    return given


def main():
    given = arguments()
    logging.disable(logging.WARNING)
    given.folder.mkdir(parents=True, exist_ok=True)
    makers = [m for m in NETWORKS if not given.only or m.__name__ in given.only.split(",")]
    networks = [built(m, given.folder, given) for m in makers] + [taken(m, given.seed) for m in given.models]
    by_name = {n.name: n for n in networks}
    tasks = [(given, network, form) for network in networks for form in given.forms]
    pairs, faults = [], []
    with open(given.folder / "honest.txt", "w", encoding="utf-8") as out:
        for pair in done(given.jobs, honest, tasks):
            pairs.append(pair)
            show_honest(given, by_name[pair.network], pair, out)
    good = [(p.network, p.form) for p in pairs if not p.skipped and np.isfinite(p.sqnr)]
    places = spread(good, given.faults, given.seed) if good else []
    tasks = [(given, by_name[name], form, number) for name, form, number in places]
    with open(given.folder / "faults.txt", "w", encoding="utf-8") as out:
        for fault in done(given.jobs, faulty, tasks):
            if fault:
                faults.append(fault)
                show_fault(given, by_name[fault.network], fault, out)
    table(given, pairs, faults)


if __name__ == "__main__":
    main()

"""Makes two decoders of one shape that compute the same in other nodes, for measuring how onnxcmp
does with models larger than memory. The weights are external data, random, written block by block.

    pip install numpy onnx
    python benchmarks/make_large_models.py FOLDER [--layers 32] [--dtype float16] [--tokens 16] ...

FOLDER/left.onnx has norms of single operators, FOLDER/right.onnx RMSNormalization, other names and
another order of nodes. Each has its own copy of the weights in FOLDER/left.data and right.data, or
both have left.data (--share). The sizes are those of a Llama of 7 billion parameters unless told.
"""
import argparse
import pathlib
import shutil

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

TYPES = {"float16": (np.float16, TensorProto.FLOAT16), "float32": (np.float32, TensorProto.FLOAT)}
ALIGNMENT = 4096  # of a tensor in the file, as exporters align them
BLOCK = 1 << 24  # elements


class RandomNumbers:
    """Of either sign, between half of a scale and the scale. Drawing billions of them would take
    minutes: each block is the first one with other bits flipped."""

    SIGN_AND_FRACTION = np.uint16(0x83FF)  # of a float16

    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.first = np.frombuffer(self.rng.bytes(2 * BLOCK), np.uint16) & self.SIGN_AND_FRACTION

    def block(self, count, scale, dtype):
        flipped = np.uint16(self.rng.integers(1 << 16)) & self.SIGN_AND_FRACTION
        exponent = np.uint16(14 + int(np.floor(np.log2(scale))) << 10)
        return (self.first[:count] ^ (flipped | exponent)).view(np.float16).astype(dtype, copy=False)


class Weights:
    """The file with the weights, and the initializers that lie in it."""

    def __init__(self, path, dtype):
        self.file = open(path, "wb")
        self.location = path.name
        self.numbers = RandomNumbers()
        self.np_dtype, self.onnx_type = TYPES[dtype]
        self.entries = []

    def add(self, name, shape, scale):
        self.file.seek(-(-self.file.tell() // ALIGNMENT) * ALIGNMENT)
        offset = self.file.tell()
        count = int(np.prod(shape))
        for begin in range(0, count, BLOCK):
            part = min(BLOCK, count - begin)
            self.file.write(self.numbers.block(part, scale, self.np_dtype))
        length = self.file.tell() - offset
        self.entries.append((name, shape, offset, length))
        return name

    def tensors(self, location, rename):
        for name, shape, offset, length in self.entries:
            tensor = TensorProto(name=rename(name), data_type=self.onnx_type, dims=shape,
                                 data_location=TensorProto.EXTERNAL)
            for key, value in (("location", location), ("offset", offset), ("length", length)):
                tensor.external_data.add(key=key, value=str(value))
            yield tensor


class Graph:
    """The nodes of one decoder. `fused`: the right model's form."""

    def __init__(self, options, fused):
        self.options, self.fused = options, fused
        self.nodes, self.small = [], []
        self.np_dtype, self.onnx_type = TYPES[options.dtype]

    def rename(self, name):
        return "model/" + name.replace(".", "/") if self.fused else name

    def op(self, op_type, name, *inputs, **attributes):
        output = self.rename(name)
        self.nodes.append(helper.make_node(op_type, list(inputs), [output], name="/" + output,
                                           **attributes))
        return output

    def weight(self, name):
        return self.rename(name)

    def constant(self, name, value):
        name = self.rename(name)
        if all(tensor.name != name for tensor in self.small):
            self.small.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def norm(self, name, x):
        """In float32, as models do it."""
        scale = self.weight(name + ".weight")
        if self.fused:
            return self.op("RMSNormalization", name, x, scale, axis=-1, epsilon=1e-5, stash_type=1)
        wide = self.op("Cast", name + ".wide", x, to=TensorProto.FLOAT)
        square = self.op("Mul", name + ".square", wide, wide)
        mean = self.op("ReduceMean", name + ".mean", square, self.constant("last", np.array([-1])))
        sum_ = self.op("Add", name + ".sum", mean, self.constant("epsilon", np.float32(1e-5)))
        root = self.op("Sqrt", name + ".root", sum_)
        ratio = self.op("Div", name + ".ratio", wide, root)
        narrow = self.op("Cast", name + ".narrow", ratio, to=self.onnx_type)
        return self.op("Mul", name, narrow, scale)

    def turn(self, name, x):
        half = self.options.hidden // self.options.heads // 2
        cuts = [self.constant(f"at_{i}", np.array([i])) for i in (0, half, 2 * half)]
        axis = self.constant("head_axis", np.array([3]))
        first = self.op("Slice", name + ".first", x, cuts[0], cuts[1], axis)
        second = self.op("Slice", name + ".second", x, cuts[1], cuts[2], axis)
        minus = self.op("Neg", name + ".minus", second)
        other = self.op("Concat", name + ".other", minus, first, axis=3)
        return self.op("Add", name, self.op("Mul", name + ".cosine", x, self.rename("cosines")),
                       self.op("Mul", name + ".sine", other, self.rename("sines")))

    def attention(self, name, x):
        o = self.options
        size = o.hidden // o.heads
        split = self.constant("split", np.array([1, o.tokens, o.heads, size]))
        parts = {}
        for part in ("v", "k", "q") if self.fused else ("q", "k", "v"):
            y = self.op("MatMul", f"{name}.{part}", x, self.weight(f"{name}.{part}.weight"))
            y = self.op("Reshape", f"{name}.{part}.split", y, split)
            y = self.op("Transpose", f"{name}.{part}.heads", y, perm=[0, 2, 1, 3])
            parts[part] = y if part == "v" else self.turn(f"{name}.{part}.turned", y)
        keys = self.op("Transpose", name + ".keys", parts["k"], perm=[0, 1, 3, 2])
        scores = self.op("MatMul", name + ".scores", parts["q"], keys)
        scale = self.constant("scale", self.np_dtype(size ** -0.5))
        scores = self.op("Mul", name + ".scaled", scores, scale)
        scores = self.op("Add", name + ".masked", scores, self.rename("mask"))
        y = self.op("MatMul", name + ".mixed", self.op("Softmax", name + ".shares", scores, axis=-1),
                    parts["v"])
        y = self.op("Transpose", name + ".rows", y, perm=[0, 2, 1, 3])
        y = self.op("Reshape", name + ".joined", y,
                    self.constant("join", np.array([1, o.tokens, o.hidden])))
        return self.op("MatMul", name, y, self.weight(name + ".o.weight"))

    def feed_forward(self, name, x):
        if self.fused:
            up = self.op("MatMul", name + ".up", x, self.weight(name + ".up.weight"))
        gate = self.op("MatMul", name + ".gate", x, self.weight(name + ".gate.weight"))
        if not self.fused:
            up = self.op("MatMul", name + ".up", x, self.weight(name + ".up.weight"))
        open_ = self.op("Mul", name + ".open", gate, self.op("Sigmoid", name + ".sigmoid", gate))
        return self.op("MatMul", name, self.op("Mul", name + ".product", open_, up),
                       self.weight(name + ".down.weight"))

    def build(self):
        o = self.options
        size = o.hidden // o.heads
        angles = np.arange(o.tokens)[:, None] * 10000.0 ** (-np.arange(0, size, 2) / size)
        angles = np.concatenate([angles, angles], 1)
        self.constant("cosines", np.cos(angles).astype(self.np_dtype))
        self.constant("sines", np.sin(angles).astype(self.np_dtype))
        lowest = np.finfo(self.np_dtype).min
        self.constant("mask", np.triu(np.full((o.tokens, o.tokens), lowest, self.np_dtype), 1))
        x = self.op("Gather", "embedding", self.weight("embedding.weight"), "input_ids")
        for i in range(o.layers):
            layer = f"layers.{i}"
            y = self.attention(layer + ".attention", self.norm(layer + ".attention_norm", x))
            x = self.op("Add", layer + ".middle", x, y)
            y = self.feed_forward(layer + ".forward", self.norm(layer + ".forward_norm", x))
            x = self.op("Add", layer, x, y)
        self.nodes.append(helper.make_node(
            "MatMul", [self.norm("norm", x), self.weight("head.weight")], ["logits"]))

    def save(self, path, weights, location):
        o = self.options
        ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, o.tokens])
        logits = helper.make_tensor_value_info("logits", self.onnx_type, [1, o.tokens, o.vocabulary])
        graph = helper.make_graph(self.nodes, "decoder", [ids], [logits],
                                  self.small + list(weights.tensors(location, self.rename)))
        save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 23)]),
             path)


def write_weights(path, options):
    o = options
    weights = Weights(path, o.dtype)
    inside = o.hidden ** -0.5
    weights.add("embedding.weight", [o.vocabulary, o.hidden], 1)
    for i in range(o.layers):
        layer = f"layers.{i}"
        weights.add(layer + ".attention_norm.weight", [o.hidden], 1)
        for part in "qkvo":
            weights.add(f"{layer}.attention.{part}.weight", [o.hidden, o.hidden], inside)
        weights.add(layer + ".forward_norm.weight", [o.hidden], 1)
        for part in ("gate", "up"):
            weights.add(f"{layer}.forward.{part}.weight", [o.hidden, o.intermediate], inside)
        weights.add(layer + ".forward.down.weight", [o.intermediate, o.hidden],
                    o.intermediate ** -0.5)
    weights.add("norm.weight", [o.hidden], 1)
    weights.add("head.weight", [o.hidden, o.vocabulary], inside)
    weights.file.close()
    return weights


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=32)
    parser.add_argument("--hidden", type=int, default=4096)
    parser.add_argument("--intermediate", type=int, default=11008)
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--dtype", choices=TYPES, default="float16")
    parser.add_argument("--share", action="store_true", help="one file of weights for both")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    weights = write_weights(options.folder / "left.data", options)
    if not options.share:
        shutil.copyfile(options.folder / "left.data", options.folder / "right.data")
    for side, fused in (("left", False), ("right", True)):
        graph = Graph(options, fused)
        graph.build()
        location = "left.data" if options.share else side + ".data"
        graph.save(options.folder / (side + ".onnx"), weights, location)


if __name__ == "__main__":
    main()

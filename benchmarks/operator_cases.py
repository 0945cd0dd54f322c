"""Single operators at the sizes of real models, by family, for onnxruntime_operators.py."""
import numpy as np

RNG = np.random.default_rng(0)
CASES = []


class Case:
    def __init__(self, family, name, op, inputs, outputs, opset, attributes):
        self.family, self.name, self.op = family, f"{op} {name}", op
        self.inputs, self.outputs, self.opset, self.attributes = inputs, outputs, opset, attributes


def add(family, name, op, inputs, outputs=1, opset=20, **attributes):
    """`inputs` makes the arrays (None: left out), when the case is run."""
    CASES.append(Case(family, name, op, inputs, outputs, opset, attributes))


def f(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def below(limit, *shape):
    return RNG.integers(0, limit, shape).astype(np.int64)


def convolution():
    def conv(name, x, w, op="Conv", **attributes):
        add("convolution", name, op, lambda: [f(*x), f(*w), f(w[0] if op == "Conv" else w[1])],
            **attributes)

    conv("3 -> 64, 224 x 224, 7 x 7 / 2", (1, 3, 224, 224), (64, 3, 7, 7), strides=[2, 2],
         pads=[3] * 4)
    conv("256 -> 64, 56 x 56, 1 x 1", (1, 256, 56, 56), (64, 256, 1, 1))
    conv("256 -> 512, 56 x 56, 1 x 1 / 2", (1, 256, 56, 56), (512, 256, 1, 1), strides=[2, 2])
    conv("64 -> 64, 56 x 56, 3 x 3", (1, 64, 56, 56), (64, 64, 3, 3), pads=[1] * 4)
    conv("512 -> 512, 7 x 7, 3 x 3", (1, 512, 7, 7), (512, 512, 3, 3), pads=[1] * 4)
    conv("64 -> 128, 56 x 56, 3 x 3 / 2", (1, 64, 56, 56), (128, 64, 3, 3), pads=[1] * 4,
         strides=[2, 2])
    conv("depthwise 96, 56 x 56, 3 x 3", (1, 96, 56, 56), (96, 1, 3, 3), pads=[1] * 4, group=96)
    conv("depthwise 96, 112 x 112, 3 x 3 / 2", (1, 96, 112, 112), (96, 1, 3, 3), pads=[1] * 4,
         group=96, strides=[2, 2])
    conv("depthwise 96, 56 x 56, 7 x 7", (1, 96, 56, 56), (96, 1, 7, 7), pads=[3] * 4, group=96)
    conv("128 -> 128 in 32 groups, 56 x 56, 3 x 3", (1, 128, 56, 56), (128, 4, 3, 3),
         pads=[1] * 4, group=32)
    conv("256 -> 256, 28 x 28, 3 x 3, dilated by 2", (1, 256, 28, 28), (256, 256, 3, 3),
         pads=[2] * 4, dilations=[2, 2])
    conv("512 -> 512, 1500, 3", (1, 512, 1500), (512, 512, 3), pads=[1, 1])
    conv("80 -> 512, 3000, 3 / 2", (1, 80, 3000), (512, 80, 3), pads=[1, 1], strides=[2])
    conv("16 -> 32, 32 x 32 x 32, 3 x 3 x 3", (1, 16, 32, 32, 32), (32, 16, 3, 3, 3),
         pads=[1] * 6)
    conv("128 -> 64, 28 x 28, 2 x 2 / 2", (1, 128, 28, 28), (128, 64, 2, 2), "ConvTranspose",
         strides=[2, 2])
    conv("256 -> 128, 16 x 16, 4 x 4 / 2", (1, 256, 16, 16), (256, 128, 4, 4), "ConvTranspose",
         strides=[2, 2], pads=[1] * 4)
    conv("256 -> 128, 200, 16 / 8", (1, 256, 200), (256, 128, 16), "ConvTranspose", strides=[8],
         pads=[4, 4])


def pooling():
    def pool(op, name, *shape, **attributes):
        add("pooling", name, op, lambda: [f(*shape)], **attributes)

    pool("MaxPool", "64, 112 x 112, 3 x 3 / 2", 1, 64, 112, 112, kernel_shape=[3, 3],
         strides=[2, 2], pads=[1] * 4)
    pool("MaxPool", "64, 56 x 56, 2 x 2 / 2", 1, 64, 56, 56, kernel_shape=[2, 2], strides=[2, 2])
    pool("MaxPool", "512, 20 x 20, 5 x 5 / 1", 1, 512, 20, 20, kernel_shape=[5, 5],
         strides=[1, 1], pads=[2] * 4)
    pool("MaxPool", "32, 32 x 32 x 32, 2 x 2 x 2 / 2", 1, 32, 32, 32, 32, kernel_shape=[2] * 3,
         strides=[2] * 3)
    add("pooling", "64, 112 x 112, 3 x 3 / 2, indices", "MaxPool", lambda: [f(1, 64, 112, 112)],
        outputs=2, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    pool("AveragePool", "288, 35 x 35, 3 x 3 / 1, pads 1", 1, 288, 35, 35, kernel_shape=[3, 3],
         strides=[1, 1], pads=[1] * 4)
    pool("AveragePool", "256, 56 x 56, 2 x 2 / 2", 1, 256, 56, 56, kernel_shape=[2, 2],
         strides=[2, 2])
    pool("AveragePool", "64, 4000, 4 / 2", 1, 64, 4000, kernel_shape=[4], strides=[2])
    pool("AveragePool", "32, 32 x 32 x 32, 2 x 2 x 2 / 2", 1, 32, 32, 32, 32,
         kernel_shape=[2] * 3, strides=[2] * 3)
    pool("GlobalAveragePool", "2048, 7 x 7", 1, 2048, 7, 7)
    pool("GlobalAveragePool", "96, 112 x 112", 1, 96, 112, 112)
    pool("GlobalMaxPool", "512, 14 x 14", 1, 512, 14, 14)
    pool("LpPool", "64, 56 x 56, 3 x 3 / 2", 1, 64, 56, 56, kernel_shape=[3, 3], strides=[2, 2],
         pads=[1] * 4)


def reduction():
    axes = [("last axis", (512, 768), [1]), ("first axis", (512, 768), [0]),
            ("all", (512, 768), [0, 1]), ("middle axis", (8, 512, 768), [1]),
            ("last two axes", (1, 256, 56, 56), [2, 3]), ("short last axis", (65536, 16), [1])]
    for op in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp"]:
        for name, shape, along in axes:
            if op in ("ReduceL2", "ReduceLogSumExp") and "axis" not in name:
                continue
            add("reduction", f"{name}, {' x '.join(map(str, shape))}", op,
                lambda shape=shape, along=along: [f(*shape), ints(*along)])
    add("reduction", "last axis, 512 x 32000", "ArgMax", lambda: [f(512, 32000)], axis=-1)
    add("reduction", "channels, 1 x 21 x 256 x 256", "ArgMax", lambda: [f(1, 21, 256, 256)], axis=1)


def normalization():
    add("normalization", "12 x 512 x 512", "Softmax", lambda: [f(12, 512, 512)], axis=-1)
    add("normalization", "1 x 32000", "Softmax", lambda: [f(1, 32000)], axis=-1)
    add("normalization", "channels, 1 x 21 x 256 x 256", "Softmax", lambda: [f(1, 21, 256, 256)],
        axis=1)
    add("normalization", "512 x 32000", "LogSoftmax", lambda: [f(512, 32000)], axis=-1)
    add("normalization", "512 x 768", "LayerNormalization",
        lambda: [f(512, 768), f(768), f(768)], axis=-1)
    add("normalization", "3136 x 96", "LayerNormalization",
        lambda: [f(3136, 96), f(96), f(96)], axis=-1)
    add("normalization", "512 x 4096", "RMSNormalization",
        lambda: [f(512, 4096), f(4096)], opset=23, axis=-1)
    add("normalization", "64, 128 x 128", "InstanceNormalization",
        lambda: [f(1, 64, 128, 128), f(64), f(64)])
    add("normalization", "256, 28 x 28", "InstanceNormalization",
        lambda: [f(4, 256, 28, 28), f(256), f(256)])
    add("normalization", "320 in 32 groups, 64 x 64", "GroupNormalization",
        lambda: [f(1, 320, 64, 64), f(320), f(320)], opset=21, num_groups=32)
    add("normalization", "64, 112 x 112", "BatchNormalization",
        lambda: [f(1, 64, 112, 112), f(64), f(64), f(64), np.abs(f(64))])
    add("normalization", "512 x 768", "LpNormalization", lambda: [f(512, 768)], axis=-1)
    add("normalization", "96, 55 x 55, size 5", "LRN", lambda: [f(1, 96, 55, 55)], size=5)


def resize():
    def to(name, shape, scales, **attributes):
        scales = np.array([1, 1] + scales, np.float32)
        add("resize", name, "Resize", lambda: [f(*shape), None, scales], opset=19, **attributes)

    image, features = (1, 3, 512, 512), (1, 64, 64, 64)
    to("nearest, 64, 64 x 64, up 2", features, [2, 2], mode="nearest",
       coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    to("nearest, 3, 512 x 512, down 2", image, [0.5, 0.5], mode="nearest")
    to("linear, 64, 64 x 64, up 2", features, [2, 2], mode="linear")
    to("linear, 64, 64 x 64, up 2, align_corners", features, [2, 2], mode="linear",
       coordinate_transformation_mode="align_corners")
    to("linear, 3, 512 x 512, down 2.29", image, [0.4375, 0.4375], mode="linear")
    to("linear, 3, 512 x 512, down 2.29, antialias", image, [0.4375, 0.4375], mode="linear",
       antialias=1)
    to("cubic, 3, 512 x 512, up 2", image, [2, 2], mode="cubic")
    to("cubic, 3, 512 x 512, down 2", image, [0.5, 0.5], mode="cubic")
    to("nearest, 8, 32 x 32 x 32, up 2", (1, 8, 32, 32, 32), [2, 2, 2], mode="nearest")
    to("linear, 8, 32 x 32 x 32, up 2", (1, 8, 32, 32, 32), [2, 2, 2], mode="linear")
    to("linear, 64, 4000, up 2", (1, 64, 4000), [2], mode="linear")
    for mode in ("linear", "nearest", "cubic"):
        add("resize", f"{mode}, 32, 64 x 64", "GridSample",
            lambda: [f(1, 32, 64, 64), f(1, 64, 64, 2)], mode=mode)
    add("resize", "linear, border, 3, 256 x 256", "GridSample",
        lambda: [f(1, 3, 256, 256), f(1, 256, 256, 2)], mode="linear", padding_mode="border")
    add("resize", "linear, 8, 32 x 32 x 32", "GridSample",
        lambda: [f(1, 8, 32, 32, 32), f(1, 32, 32, 32, 3)], mode="linear")
    add("resize", "256, 50 x 50, 100 regions of 7 x 7", "RoiAlign",
        lambda: [f(1, 256, 50, 50), (np.abs(f(100, 4)) * 20 + [0, 0, 25, 25]).astype(np.float32),
                 np.zeros(100, np.int64)], output_height=7, output_width=7, sampling_ratio=2)


def gather_scatter():
    add("gather", "2048 rows of 10000 x 768", "Gather", lambda: [f(10000, 768), below(10000, 2048)])
    add("gather", "last axis, 12 x 512 x 64", "Gather", lambda: [f(12, 512, 64), below(64, 64)],
        axis=2)
    add("gather", "100000 of 10000", "Gather", lambda: [f(10000), below(10000, 100000)])
    add("gather", "last axis, 12 x 512 x 512", "GatherElements",
        lambda: [f(12, 512, 512), below(512, 12, 512, 512)], axis=2)
    add("gather", "first axis, 1000 x 1000", "GatherElements",
        lambda: [f(1000, 1000), below(1000, 1000, 1000)], axis=0)
    add("gather", "elements, 20000 of 128 x 256", "GatherND",
        lambda: [f(128, 256), below(128, 20000, 2)])
    add("gather", "rows of 64, 20000 of 128 x 128", "GatherND",
        lambda: [f(128, 128, 64), below(128, 20000, 2)])
    for reduction in ("none", "add", "max"):
        add("gather", f"last axis, 12 x 512 x 512, {reduction}", "ScatterElements",
            lambda: [f(12, 512, 512), np.argsort(f(12, 512, 512), 2).astype(np.int64),
                     f(12, 512, 512)], axis=2, reduction=reduction)
        add("gather", f"20000 rows of 64, {reduction}", "ScatterND",
            lambda: [f(128, 256, 64),
                     np.stack(np.unravel_index(RNG.permutation(128 * 256)[:20000], (128, 256)), 1),
                     f(20000, 64)], reduction=reduction)
    add("gather", "20000 elements", "ScatterND",
        lambda: [f(256, 256),
                 np.stack(np.unravel_index(RNG.permutation(65536)[:20000], (256, 256)), 1),
                 f(20000)])


def movement():
    add("movement", "heads, 4 x 512 x 12 x 64", "Transpose", lambda: [f(4, 512, 12, 64)],
        perm=[0, 2, 1, 3])
    add("movement", "1024 x 1024", "Transpose", lambda: [f(1024, 1024)], perm=[1, 0])
    add("movement", "to channels last, 64 x 112 x 112", "Transpose", lambda: [f(1, 64, 112, 112)],
        perm=[0, 2, 3, 1])
    add("movement", "cache, 12 x 512 x 64", "Concat", lambda: [f(1, 12, 511, 64), f(1, 12, 1, 64)],
        axis=2)
    add("movement", "channels, 2 of 128 x 56 x 56", "Concat",
        lambda: [f(1, 128, 56, 56), f(1, 128, 56, 56)], axis=1)
    add("movement", "half of the last axis, 12 x 512 x 64", "Slice",
        lambda: [f(12, 512, 64), ints(32), ints(64), ints(-1)])
    add("movement", "every second, 3 x 512 x 512", "Slice",
        lambda: [f(3, 512, 512), ints(0, 0), ints(512, 512), ints(1, 2), ints(2, 2)])
    add("movement", "in 3, 512 x 2304", "Split", lambda: [f(512, 2304)], outputs=3, axis=-1,
        num_outputs=3)
    add("movement", "64, 112 x 112 by 1", "Pad",
        lambda: [f(1, 64, 112, 112), ints(0, 0, 1, 1, 0, 0, 1, 1)])
    add("movement", "reflect, 64, 112 x 112 by 1", "Pad",
        lambda: [f(1, 64, 112, 112), ints(0, 0, 1, 1, 0, 0, 1, 1)], mode="reflect")
    add("movement", "4 x 1 x 512 x 64 to 4 x 8", "Expand",
        lambda: [f(4, 1, 512, 64), ints(4, 8, 512, 64)])
    add("movement", "last axis, 65536 x 1 to 16", "Expand", lambda: [f(65536, 1), ints(65536, 16)])
    add("movement", "4 x 512 x 64, 1 x 4 x 1", "Tile", lambda: [f(4, 512, 64), ints(1, 4, 1)])
    add("movement", "64, 64 x 64 by 2", "DepthToSpace", lambda: [f(1, 64, 64, 64)], blocksize=2)
    add("movement", "64, 64 x 64 by 2", "SpaceToDepth", lambda: [f(1, 64, 64, 64)], blocksize=2)


def sorting():
    add("sorting", "5 of 1000, 512 rows", "TopK", lambda: [f(512, 1000), ints(5)], outputs=2)
    add("sorting", "50 of 32000, 8 rows", "TopK", lambda: [f(8, 32000), ints(50)], outputs=2)
    add("sorting", "1000 of 100000", "TopK", lambda: [f(1, 100000), ints(1000)], outputs=2)
    add("sorting", "all of 100000", "TopK", lambda: [f(1, 100000), ints(100000)], outputs=2)
    add("sorting", "64 of 256, first axis of 256 x 1000", "TopK",
        lambda: [f(256, 1000), ints(64)], outputs=2, axis=0)
    add("sorting", "100000 floats of 1000 values", "Unique",
        lambda: [(below(1000, 100000) / 8).astype(np.float32)], outputs=4)
    add("sorting", "100000 of as many", "Unique", lambda: [f(100000)], outputs=1)
    add("sorting", "half of 512 x 512", "NonZero", lambda: [np.maximum(f(512, 512), 0)])
    add("sorting", "last axis, 512 x 1024", "CumSum", lambda: [f(512, 1024), ints(1).reshape(())])
    add("sorting", "first axis, 512 x 1024", "CumSum", lambda: [f(512, 1024), ints(0).reshape(())])
    add("sorting", "8400 boxes", "NonMaxSuppression", boxes_and_scores)


def boxes_and_scores():
    corners = RNG.uniform(0, 600, (1, 8400, 2))
    boxes = np.concatenate([corners, corners + RNG.uniform(5, 60, (1, 8400, 2))], 2)
    return [boxes.astype(np.float32), np.abs(f(1, 4, 8400)), ints(100),
            np.array([0.5], np.float32), np.array([0.5], np.float32)]


def recurrent():
    for op, gates, biases in [("LSTM", 4, 8), ("GRU", 3, 6), ("RNN", 1, 2)]:
        for batch in (1, 32):
            add("recurrent", f"50 steps of {batch} x 256", op,
                lambda g=gates, b=biases, n=batch: [f(50, n, 256), f(1, g * 256, 256) / 16,
                                                    f(1, g * 256, 256) / 16, f(1, b * 256)],
                outputs=2, hidden_size=256)


def attention():
    for name, q, kv in [("12 heads of 64, 512", (1, 12, 512, 64), (1, 12, 512, 64)),
                        ("32 on 8 heads of 64, 256", (1, 32, 256, 64), (1, 8, 256, 64)),
                        ("12 heads of 64, 1 of 512", (1, 12, 1, 64), (1, 12, 512, 64))]:
        add("attention", name, "Attention", lambda q=q, kv=kv: [f(*q), f(*kv), f(*kv)], opset=23)
    add("attention", "12 heads of 64, 512, causal", "Attention",
        lambda: [f(1, 12, 512, 64)] * 3, opset=23, is_causal=1)


def elementwise():
    shape = (512, 3072)
    for op in ("Relu", "Erf", "Tanh", "Exp", "Log", "Sqrt", "Sigmoid", "Sin", "Neg", "Floor",
               "Round", "HardSwish", "Softplus", "LeakyRelu"):
        add("elementwise", "512 x 3072", op,
            lambda op=op: [np.abs(f(*shape)) if op in ("Log", "Sqrt") else f(*shape)])
    add("elementwise", "512 x 3072", "Gelu", lambda: [f(*shape)])
    add("elementwise", "512 x 3072, tanh", "Gelu", lambda: [f(*shape)], approximate="tanh")
    add("elementwise", "512 x 3072", "Clip",
        lambda: [f(*shape), np.float32(-0.5), np.float32(0.5)])
    for op in ("Add", "Mul", "Div", "Max"):
        add("elementwise", "512 x 3072", op, lambda: [f(*shape), f(*shape)])
    add("elementwise", "a row, 512 x 3072", "Add", lambda: [f(*shape), f(3072)])
    add("elementwise", "channels, 64 x 112 x 112", "Add", lambda: [f(1, 64, 112, 112), f(64, 1, 1)])
    add("elementwise", "two ways, 512 x 1 and 3072", "Sub", lambda: [f(512, 1), f(3072)])
    add("elementwise", "squares, 512 x 3072", "Pow", lambda: [f(*shape), np.float32(2)])
    add("elementwise", "1.5th, 512 x 3072", "Pow", lambda: [np.abs(f(*shape)), np.float32(1.5)])
    add("elementwise", "512 x 3072", "PRelu", lambda: [f(*shape), f(3072)])
    add("elementwise", "512 x 3072", "Less", lambda: [f(*shape), f(*shape)])
    add("elementwise", "512 x 3072", "Where", lambda: [f(*shape) > 0, f(*shape), f(*shape)])
    add("elementwise", "mask, 12 x 512 x 512", "Where",
        lambda: [f(1, 512, 512) > 0, f(12, 512, 512), np.float32(0)])
    for name, source, to in [("float to float16", np.float32, 10), ("float16 to float", np.float16, 1),
                             ("float to int64", np.float32, 7), ("int64 to float", np.int64, 1),
                             ("uint8 to float", np.uint8, 1), ("float to uint8", np.float32, 2)]:
        add("elementwise", f"{name}, 512 x 3072", "Cast",
            lambda source=source: [(np.abs(f(*shape)) * 100).astype(source)], to=to)
    add("elementwise", "512 x 3072", "QuantizeLinear",
        lambda: [f(*shape), np.float32(0.01), np.uint8(128)])
    add("elementwise", "512 x 3072", "DequantizeLinear",
        lambda: [RNG.integers(0, 255, shape).astype(np.uint8), np.float32(0.01), np.uint8(128)])


for family in (convolution, pooling, reduction, normalization, resize, gather_scatter, movement,
               sorting, recurrent, attention, elementwise):
    family()

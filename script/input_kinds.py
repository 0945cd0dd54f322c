"""Pairs of models that differ on what a tester of their trade would feed first, and right twins of them.

Each kind takes a random generator, which decides sizes, constants and names, and gives three graphs in
ONNX's text form: the left one, a wrong one, and one that computes the same in another way.
"""
import onnx.parser

HEAD = '<ir_version: 9, opset_import: ["": 18, "ai.onnx.ml": 3]> g '


def model(graph):
    return onnx.parser.parse_model(HEAD + graph)


def numbers(values):
    return "{" + ", ".join(str(v) for v in values) + "}"


def table(pick, rows, width):
    return [round(pick.gauss(0, 1), 3) for _ in range(rows * width)]


def floats(name, shape, values):
    return f"float[{','.join(map(str, shape))}] {name} = {numbers(values)}"


def attention(mask, constants="", names="ids, mask"):
    """Softmax over masked scores of looked up rows; `mask` makes `kept` of `mask`."""
    return lambda pick, w, rows, d: (
        f"(int64[b,s] ids, int64[b,s] mask) => (float[b,s,{d}] y) <{floats('w', (rows, d), w)}, float one = {{1}}, "
        f"float low = {{-1e9}}, int64[1] a1 = {{1}}{constants}> {{ h = Gather(w, ids) {mask} f = Cast<to = 1>(kept) "
        f"u = Unsqueeze(f, a1) i = Sub(one, u) n = Mul(i, low) t = Transpose<perm = [0, 2, 1]>(h) "
        f"q = MatMul(h, t) z = Add(q, n) p = Softmax<axis = -1>(z) y = MatMul(p, h) }}")


def left_padding(pick):
    rows, d = pick.randint(6, 40), pick.randint(2, 8)
    w = table(pick, rows, d)
    count = ("c = ReduceSum<keepdims = 1>(mask, a1) e = Shape<start = 1, end = 2>(mask) l = Squeeze(e) "
             "r = Range(zero, l, step) k = Less(r, c) kept = Cast<to = 7>(k)")
    more = ", int64 zero = {0}, int64 step = {1}"
    same = "k = Cast<to = 9>(mask) kept = Cast<to = 7>(k)"
    return (attention("kept = Identity(mask)")(pick, w, rows, d), attention(count, more)(pick, w, rows, d),
            attention(same)(pick, w, rows, d))


def holes(pick):
    """Everything after the first 1 is kept."""
    rows, d = pick.randint(6, 40), pick.randint(2, 8)
    w = table(pick, rows, d)
    between = ("c = CumSum(mask, ax) v = CumSum<reverse = 1>(mask, ax) m = Min(c, v) k = Greater(m, none) "
               "kept = Cast<to = 7>(k)")
    more = ", int64 ax = {1}, int64 none = {0}"
    same = "k = Greater(mask, none) kept = Cast<to = 7>(k)"
    return (attention("kept = Identity(mask)")(pick, w, rows, d), attention(between, more)(pick, w, rows, d),
            attention(same, more)(pick, w, rows, d))


def cache(pick):
    """A mask over past and new tokens, whose length no name tells."""
    rows, d = pick.randint(4, 30), pick.randint(2, 6)
    w = table(pick, rows, d)
    past, new, both = pick.choice([("p", "t", "n"), ("held", "q", "kv"), ("c", "s", "width"), ("m0", "m1", "m2")])
    rank4 = pick.random() < 0.5
    cached = f"float[b,2,{past},{d}] cache" if rank4 else f"float[b,{past},{d}] cache"
    take = "g0 = Gather<axis = 1>(cache, zero)" if rank4 else "g0 = Identity(cache)"

    def graph(dropped, way):
        use = {"left": "f = Cast<to = 1>(mask)", "wrong": "g1 = Cast<to = 1>(mask) g2 = Mul(g1, none) f = Add(g2, one)",
               "twin": "c1 = Cast<to = 9>(mask) c2 = Not(c1) c3 = Cast<to = 1>(c2) f = Sub(one, c3)"}[way]
        return (f"(int64[b,{new}] ids, int64[b,{both}] mask, {cached}) => (float[b,{new},{d}] y) "
                f"<{floats('w', (rows, d), w)}, int64 zero = {{0}}, float one = {{1}}, float none = {{0}}, "
                f"float low = {{-1e4}}, int64[1] a1 = {{1}}> {{ h = Gather(w, ids) {take} k = Concat<axis = 1>(g0, h) "
                f"{use} u = Unsqueeze(f, a1) i = Sub(one, u) n = Mul(i, low) t = Transpose<perm = [0, 2, 1]>(k) "
                f"q = MatMul(h, t) z = Add(q, n) p = Softmax<axis = -1>(z) y = MatMul(p, k) }}")
    return graph(None, "left"), graph(None, "wrong"), graph(None, "twin")


def lengths(pick):
    t, d, b = pick.randint(9, 40), pick.randint(2, 6), pick.randint(2, 5)
    fixed = pick.random() < 0.5
    shape = f"{b},{t},{d}" if fixed else f"b,t,{d}"
    vector = f"{b}" if fixed else "b"
    counted = f"r = Identity(arange)" if fixed else "e = Shape<start = 1, end = 2>(x) l = Squeeze(e) r = Range(z, l, o)"
    more = f", int64[{t}] arange = {numbers(range(t))}" if fixed else ""

    def graph(compare):
        return (f"(float[{shape}] x, int64[{vector}] n) => (float[{vector},{d}] y) <int64[1] a1 = {{1}}, "
                f"int64[1] a2 = {{2}}, int64 z = {{0}}, int64 o = {{1}}{more}> {{ {counted} u = Unsqueeze(n, a1) "
                f"{compare} m = Unsqueeze(c, a2) f = Cast<to = 1>(m) p = Mul(x, f) y = ReduceSum<keepdims = 0>(p, a1) }}")
    return graph("c = Less(r, u)"), graph("c = LessOrEqual(r, u)"), graph("g = GreaterOrEqual(r, u) c = Not(g)")


def one_row(pick):
    rows, d = pick.randint(1200, 4000), pick.randint(1, 3)
    w = table(pick, rows, d)
    wrong = list(w)
    wrong[pick.randrange(rows) * d] += 1

    def graph(values, tail="y = Gather(w, ids)"):
        return f"(int64[b,s] ids) => (float[b,s,{d}] y) <{floats('w', (rows, d), values)}> {{ {tail} }}"
    return graph(w), graph(wrong), graph(w, "i = Identity(ids) e = Gather(w, i) n = Neg(e) y = Neg(n)")


def far_positions(pick):
    rows, d, first = pick.randint(100, 700), pick.randint(1, 4), 0
    first = pick.randint(rows // 2, rows - 1)
    w = table(pick, rows, d)
    wrong = [v if i < first * d else v + 0.5 for i, v in enumerate(w)]

    def graph(values, tail="y = Add(x, p)"):
        return (f"(float[b,t,{d}] x) => (float[b,t,{d}] y) <{floats('w', (rows, d), values)}, int64[1] z = {{0}}> "
                f"{{ e = Shape<start = 1, end = 2>(x) p = Slice(w, z, e, z) {tail} }}")
    return graph(w), graph(wrong), graph(w, "n = Neg(p) y = Sub(x, n)")


def limits(pick):
    low, high = -pick.randint(2, 5000), pick.randint(2, 5000)
    kind = pick.choice(["int64", "int32"])

    def graph(tail, l=low, h=high):
        return f"({kind}[n] a) => ({kind}[n] y) <{kind} l = {{{l}}}, {kind} h = {{{h}}}> {{ {tail} }}"
    return graph("y = Clip(a, l, h)"), graph("y = Clip(a, l, h)", h=high + 1), graph("m = Max(a, l) y = Min(m, h)")


def overflow(pick):
    k = pick.choice([31, 1009, 100003])

    def graph(tail, kind="int64"):
        return f"(int64[n,2] a) => (int64[n,2] y) <{kind} k = {{{k}}}, {kind} o = {{7}}> {{ {tail} }}"
    narrow = "c = Cast<to = 6>(a) p = Mul(c, k) s = Add(p, o) y = Cast<to = 7>(s)"
    return graph("p = Mul(a, k) y = Add(p, o)"), graph(narrow, "int32"), graph("n = Neg(a) p = Mul(n, k) y = Sub(o, p)")


def time_stamps(pick):
    d = pick.randint(60, 4000)

    def graph(tail):
        return f"(int64[n] t) => (int64[n] y) <int64 d = {{{d}}}> {{ {tail} }}"
    return (graph("y = Div(t, d)"), graph("c = Cast<to = 6>(t) e = Cast<to = 6>(d) q = Div(c, e) y = Cast<to = 7>(q)"),
            graph("n = Identity(t) y = Div(n, d)"))


def negative_ids(pick):
    rows, d = pick.randint(4, 60), pick.randint(1, 4)
    w = table(pick, rows, d)

    def graph(tail):
        return (f"(int64[n] i) => (float[n,{d}] y) <{floats('w', (rows, d), w)}, int64 z = {{0}}, int64 k = {{{rows}}}, "
                f"int64 top = {{{rows - 1}}}> {{ {tail} }}")
    return (graph("y = Gather(w, i)"), graph("c = Clip(i, z, top) y = Gather(w, c)"),
            graph("c = Less(i, z) f = Add(i, k) p = Where(c, f, i) y = Gather(w, p)"))


def duplicates(pick):
    rows, d = pick.randint(20, 90), pick.randint(1, 3)
    how = pick.choice(["add", "mul", "max"])

    def graph(tail):
        return (f"(int64[n,{d}] i, float[n,{d}] u) => (float[{rows},{d}] y) <float o = {{1}}, "
                f"int64[2] s = {{{rows}, {d}}}> {{ t = Expand(o, s) {tail} }}")
    return (graph(f'y = ScatterElements<reduction = "{how}">(t, i, u)'), graph("y = ScatterElements(t, i, u)"),
            graph(f'c = Identity(i) y = ScatterElements<reduction = "{how}">(t, c, u)'))


def missing(pick):
    d, f = pick.randint(2, 6), round(pick.uniform(1, 9), 2)
    value = pick.choice(["nan", "-999", "9999"])

    def graph(tail):
        return f"(float[n,{d}] x) => (float[n,{d}] y) <float s = {{{value if value != 'nan' else 0}}}, float f = {{{f}}}> {{ {tail} }}"
    test = "c = IsNaN(x)" if value == "nan" else "c = Equal(x, s)"
    return graph(f"{test} y = Where(c, f, x)"), graph("y = Identity(x)"), graph(f"{test} d = Not(c) y = Where(d, x, f)")


def imputer(pick):
    d = pick.randint(2, 6)
    value = pick.choice([-999.0, -1.0, 0.0])
    means = [f"{pick.uniform(2, 5):.3f}" for _ in range(d)]

    def graph(values):
        return (f"(float[n,{d}] x) => (float[n,{d}] y) {{ i = ai.onnx.ml.Imputer<imputed_value_floats = "
                f"[{', '.join(values)}], replaced_value_float = {value}>(x) y = Neg(i) }}")
    wrong = list(means)
    wrong[pick.randrange(d)] = "1.5"
    return graph(means), graph(wrong), graph(means)


def branch(pick):
    k, d = pick.randint(4, 60), pick.randint(2, 6)
    other = k * pick.choice([2, 3])

    def graph(limit, test="c = Greater(m, k)"):
        return (f"(float[n,{d}] x) => (float[n,{d}] y) <float k = {{{limit}}}> {{ m = ReduceMax<keepdims = 0>(x) {test} "
                f"y = If(c) <then_branch = t () => (float[n,{d}] p) {{ p = Neg(x) }}, "
                f"else_branch = e () => (float[n,{d}] q) {{ q = Identity(x) }}> }}")
    return graph(k), graph(other), graph(k, "c = Less(k, m)")


def keys(pick):
    count = pick.randint(5, 60)
    names = [f"k{pick.randrange(10 ** 6)}_{i}" for i in range(count)]
    wrong_at = pick.randrange(count)

    def graph(values):
        words = ", ".join(f'"{n}"' for n in names)
        return (f"(string[n,1] x) => (int64[n,1] y) {{ y = ai.onnx.ml.LabelEncoder<keys_strings = [{words}], "
                f"values_int64s = [{', '.join(map(str, values))}], default_int64 = -1>(x) }}")
    values = list(range(count))
    wrong = list(values)
    wrong[wrong_at] += 100
    return graph(values), graph(wrong), graph(values)


def trees(pick):
    """A tree of some depth, of which one leaf is wrong, and branches of missing values."""
    depth, width = pick.randint(3, 5), pick.randint(2, 5)
    inner, leaves = 2 ** depth - 1, 2 ** depth
    split = {}

    def ranges(node, box):
        if node >= inner:
            return
        f = pick.randrange(width)
        low, high = box.get(f, (-8.0, 8.0))
        value = round(low + (high - low) * pick.uniform(0.3, 0.7), 3)
        split[node] = (f, value)
        ranges(2 * node + 1, {**box, f: (low, value)})
        ranges(2 * node + 2, {**box, f: (value, high)})
    ranges(0, {})
    features = [split[i][0] for i in range(inner)] + [0] * leaves
    values = [split[i][1] for i in range(inner)] + [0.0] * leaves
    modes = ", ".join(['"BRANCH_LEQ"'] * inner + ['"LEAF"'] * leaves)
    total = inner + leaves
    weights = [round(pick.gauss(0, 2), 3) for _ in range(leaves)]

    def graph(w, tracks):
        ints = lambda v: "[" + ", ".join(map(str, v)) + "]"
        return (f"(float[n,{width}] x) => (float[n,1] y) {{ y = ai.onnx.ml.TreeEnsembleRegressor<n_targets = 1, "
                f"nodes_treeids = {ints([0] * total)}, nodes_nodeids = {ints(range(total))}, "
                f"nodes_featureids = {ints(features)}, nodes_values = {ints(values)}, nodes_modes = [{modes}], "
                f"nodes_truenodeids = {ints([2 * i + 1 if i < inner else 0 for i in range(total)])}, "
                f"nodes_falsenodeids = {ints([2 * i + 2 if i < inner else 0 for i in range(total)])}, "
                f"nodes_missing_value_tracks_true = {ints(tracks)}, target_treeids = {ints([0] * leaves)}, "
                f"target_nodeids = {ints(range(inner, total))}, target_ids = {ints([0] * leaves)}, "
                f"target_weights = {ints(w)}>(x) }}")
    none, some = [0] * total, [int(i == 0) for i in range(total)]
    if pick.random() < 0.5:
        return graph(weights, some), graph(weights, none), graph(weights, some)
    wrong = list(weights)
    wrong[pick.randrange(leaves)] += 1
    return graph(weights, none), graph(wrong, none), graph(weights, none)


def quantized(pick):
    """An honest model of 8 bits whose scales are those of small numbers: there is no fault but the twin."""
    d, k = pick.randint(4, 12), pick.randint(4, 12)
    w = table(pick, d, k)
    size = pick.choice([0.02, 0.3, 1.0])
    top = 3 * size * sum(abs(v) for v in w) / k
    step, out = 6 * size / 255, 2 * top / 255

    def graph(scaled, relu=True):
        last = "r = Relu(m)" if relu else "r = Neg(m)"
        if not scaled:
            return f"(float[n,{d}] x) => (float[n,{k}] y) <{floats('w', (d, k), w)}> {{ m = MatMul(x, w) {last} y = Identity(r) }}"
        return (f"(float[n,{d}] x) => (float[n,{k}] y) <{floats('w', (d, k), w)}, float s = {{{step}}}, uint8 z = {{128}}, "
                f"float o = {{{out}}}> {{ q = QuantizeLinear(x, s, z) v = DequantizeLinear(q, s, z) m = MatMul(v, w) "
                f"{last} e = QuantizeLinear(r, o, z) y = DequantizeLinear(e, o, z) }}")
    return graph(False), graph(True, relu=False), graph(True)


def sentinels(pick):
    """An integer that means a missing one, a float far from any other, NaN that only a comparison with itself tells."""
    way, value = pick.randrange(3), -pick.choice([1, 99, 100, 9999])
    kind = "int64" if way == 0 else "float"

    def graph(tail, constants=""):
        return f"({kind}[n] x) => ({kind}[n] y) <{kind} s = {{{value}}}, {kind} f = {{7}}{constants}> {{ {tail} }}"
    near = f", float k = {{{value + 0.5}}}"
    test, more = [("c = Equal(x, s)", ""), ("c = Less(x, k)", near), ("e = Equal(x, x) c = Not(e)", "")][way]
    return (graph(f"{test} y = Where(c, f, x)", more), graph("y = Identity(x)"),
            graph(f"{test} d = Not(c) y = Where(d, x, f)", more))


def step_threshold(pick):
    """A branch that a number given beside the data decides, and one that the data's sum or size does."""
    k, d, way = pick.randint(20, 300), pick.randint(2, 5), pick.randrange(3)
    number = "int64" if way != 1 else "float"
    inputs = f"float[n,{d}] x" + (", int64 step" if way == 0 else "")
    value = {0: "v = Identity(step)", 1: "v = ReduceSum<keepdims = 0>(x)",
             2: "e = Shape<start = 0, end = 1>(x) v = Squeeze(e)"}[way]

    def graph(test):
        return (f"({inputs}) => (float[n,{d}] y) <{number} k = {{{k}}}> {{ {value} {test} "
                f"y = If(c) <then_branch = t () => (float[n,{d}] p) {{ p = Neg(x) }}, "
                f"else_branch = e () => (float[n,{d}] q) {{ q = Identity(x) }}> }}")
    return (graph("c = Greater(v, k)"), f"({inputs}) => (float[n,{d}] y) {{ y = Identity(x) }}",
            graph("c = Less(k, v)"))


def hashed_ids(pick):
    rows, d = pick.randint(500, 3000), pick.randint(1, 3)
    w = table(pick, rows, d)
    wrong = list(w)
    wrong[pick.randrange(rows) * d] += 1

    def graph(values, tail="y = Gather(w, i)"):
        return (f"(int64[n] a) => (float[n,{d}] y) <{floats('w', (rows, d), values)}, int64 k = {{{rows}}}> "
                f"{{ i = Mod(a, k) {tail} }}")
    return graph(w), graph(wrong), graph(w, "e = Gather(w, i) n = Neg(e) y = Neg(n)")


def tuples(pick):
    """Rows that GatherND selects."""
    rows, d = pick.randint(300, 2000), pick.randint(1, 3)
    w = table(pick, rows, d)
    wrong = list(w)
    wrong[pick.randrange(rows) * d] += 1

    def graph(values, tail="y = GatherND(w, i)"):
        return f"(int64[n,1] i) => (float[n,{d}] y) <{floats('w', (rows, d), values)}, int64[1] a = {{1}}> {{ {tail} }}"
    return graph(w), graph(wrong), graph(w, "s = Squeeze(i, a) y = Gather(w, s)")


def ties(pick):
    d, kind = pick.randint(3, 8), pick.choice(["float", "int64"])

    def graph(last, tail="y = ArgMax<axis = 1, keepdims = 0, select_last_index = {last}>(x)"):
        return f"({kind}[n,{d}] x) => (int64[n] y) {{ {tail.replace('{last}', str(last))} }}"
    twin = "s = Neg(x) y = ArgMin<axis = 1, keepdims = 0>(s)" if kind == "float" else "y = ArgMax<axis = -1, keepdims = 0>(x)"
    return graph(0), graph(1), graph(0, twin)


def offset_positions(pick):
    """A table of positions that counts from the second row, or of differences of positions."""
    rows, away = pick.randint(80, 500), pick.random() < 0.5
    first = pick.randint(rows - rows // 3, rows - 2)
    w = table(pick, rows, 1)
    wrong = [v if i < first else v + 0.5 for i, v in enumerate(w)]
    half = rows // 2

    def graph(values, add="Add(s, e)"):
        begin = (f"(float[t,1] x) => (float[t,1] y) <{floats('w', (rows, 1), values)}, int64 z = {{0}}, int64 o = {{1}}, "
                 f"int64 two = {{2}}, int64 h = {{{half}}}, int64 m = {{{-half}}}, int64 k = {{{rows - half - 1}}}> "
                 "{ n = Shape<start = 0, end = 1>(x) l = Squeeze(n) r = Range(z, l, o) ")
        if not away:
            return begin + f"i = Add(r, two) e = Gather(w, i) s = Identity(x) y = {add} }}"
        return begin + f"b = Sub(l, o) f = Sub(r, b) j = Neg(f) c = Clip(j, m, k) i = Add(c, h) e = Gather(w, i) s = Neg(x) y = {add} }}"
    return graph(w), graph(wrong), graph(w, "Add(e, s)")


def nanoseconds(pick):
    name = pick.choice(["t", "time", "stamp"])

    def graph(tail):
        return f"(int64[n] {name}) => (int64[n] y) {{ {tail.replace('(t)', '(' + name + ')')} }}"
    return graph("y = Identity(t)"), graph("f = Cast<to = 11>(t) y = Cast<to = 7>(f)"), graph("n = Neg(t) y = Neg(n)")


def padded_ids(pick):
    """A mask that is made of the ids themselves."""
    rows, d = pick.randint(20, 90), pick.randint(2, 4)
    w, pad = table(pick, rows, d), pick.randrange(2, rows)

    def graph(mask):
        return (f"(int64[b,s] ids) => (float[b,{d}] y) <{floats('w', (rows, d), w)}, int64 pad = {{{pad}}}, "
                f"int64[1] a1 = {{1}}, int64[1] a2 = {{2}}> {{ h = Gather(w, ids) {mask} f = Cast<to = 1>(k) "
                f"u = Unsqueeze(f, a2) m = Mul(h, u) y = ReduceSum<keepdims = 0>(m, a1) }}")
    return (graph("e = Equal(ids, pad) k = Not(e)"), graph("k = Equal(ids, ids)"),
            graph("g = Greater(ids, pad) l = Less(ids, pad) k = Or(g, l)"))


def edges(pick):
    """Ids within a fixed table and one that comes in."""
    n, e, d = pick.randint(4, 12), pick.randint(10, 30), pick.randint(2, 4)
    zeros = floats("none", (n, d), [0] * (n * d))

    def graph(reduction, tail="y = Add(x, s)"):
        return (f"(float[{n},{d}] x, int64[2,{e}] edge) => (float[{n},{d}] y) <{zeros}, int64 z = {{0}}, int64 o = {{1}}, "
                f"int64[1] a1 = {{1}}> {{ i = Gather(edge, z) j = Gather(edge, o) m = Gather(x, i) u = Unsqueeze(j, a1) "
                f"v = Shape(m) k = Expand(u, v) s = ScatterElements<reduction = \"{reduction}\">(none, k, m) {tail} }}")
    return graph("add"), graph("none"), graph("add", "t = Neg(s) y = Sub(x, t)")


def single_numbers(pick):
    """A time stamp or seed that is given alone."""
    name, way = pick.choice(["t", "seed", "now"]), pick.randrange(2)

    def graph(tail):
        return f"(int64 {name}) => (int64 y) <int64 k = {{{pick.choice([1009, 4099])}}}> {{ {tail.replace('(t)', '(' + name + ')')} }}"
    state = pick.getstate()
    left = graph("a = Identity(t) y = Mul(a, k)" if way else "y = Identity(t)")
    pick.setstate(state)
    wrong = graph("c = Cast<to = 6>(t) d = Cast<to = 6>(k) m = Mul(c, d) y = Cast<to = 7>(m)" if way
                  else "f = Cast<to = 1>(t) y = Cast<to = 7>(f)")
    pick.setstate(state)
    return left, wrong, graph("n = Neg(t) m = Mul(n, k) y = Neg(m)" if way else "n = Neg(t) y = Neg(n)")


def at_limits(pick):
    """A comparison that takes the limit itself, or not: of a sum, of two inputs."""
    way, kind = pick.randrange(2), pick.choice(["float", "int64"])
    k, b = pick.randint(-9, 9), pick.randint(1, 5)

    def graph(operator, tail="y = Identity(c)"):
        if way:
            return f"({kind}[n] u, {kind}[n] v) => (bool[n] y) {{ c = {operator}(u, v) {tail} }}"
        return (f"({kind}[n] x) => (bool[n] y) <{kind} k = {{{k}}}, {kind} b = {{{b}}}> "
                f"{{ s = Add(x, b) c = {operator}(s, k) {tail} }}")
    return graph("Less"), graph("LessOrEqual"), graph("GreaterOrEqual", "y = Not(c)")


def cut_lengths(pick):
    """Texts are cut at a length, the past at a window."""
    k, window = pick.randint(40, 600), pick.random() < 0.5
    first, last = (f"{{-{k}}}", "{9223372036854775807}") if window else ("{0}", f"{{{k}}}")
    d = pick.randint(1, 3)

    def graph(tail, first=first, last=last):
        return (f"(float[b,t,{d}] x) => (float[b,u,{d}] y) <int64[1] f = {first}, int64[1] l = {last}, "
                f"int64[1] a = {{1}}> {{ {tail} }}")
    wrong = (f"{{-{k - 2}}}", last) if window else (first, f"{{{k - 2}}}")
    return (graph("y = Slice(x, f, l, a)"), graph("y = Slice(x, f, l, a)", *wrong),
            graph("n = Neg(x) m = Slice(n, f, l, a) y = Neg(m)"))


def large_images(pick):
    k = pick.choice([64, 100, 224])

    def graph(test):
        return (f"(float[1,3,h,w] x) => (float[1,3,p,q] y) <int64 k = {{{k}}}> {{ s = Shape<start = 2, end = 3>(x) "
                f"v = Squeeze(s) {test} y = If(c) <then_branch = t () => (float[1,3,p,q] u) {{ u = Neg(x) }}, "
                f"else_branch = e () => (float[1,3,h,w] o) {{ o = Identity(x) }}> }}")
    return (graph("c = Greater(v, k)"), "(float[1,3,h,w] x) => (float[1,3,p,q] y) { y = Identity(x) }",
            graph("c = Less(k, v)"))


def silence(pick):
    """A guard against zeros alone: of a logarithm, of a norm."""
    d, way = pick.randint(4, 30), pick.randrange(2)
    last = "y = Log(m)" if way else "y = Div(x, m)"
    out = 1 if way else d

    def graph(guard):
        return (f"(float[n,{d}] x) => (float[n,{out}] y) <int64[1] a = {{1}}, float e = {{1e-10}}> "
                f"{{ p = Mul(x, x) s = ReduceSum<keepdims = 1>(p, a) {guard} {last} }}")
    return graph("m = Max(s, e)"), graph("m = Identity(s)"), graph("m = Max(e, s)")


def unknown_ids(pick):
    """Labels that do not count, words that are not in the table: something else is put in their place."""
    rows, way = pick.randint(4, 60), pick.randrange(2)
    w = table(pick, rows, 2)
    other = pick.randrange(rows)
    k = -pick.choice([1, 100]) if way else rows - 1

    def graph(tail):
        return (f"(int64[n] i) => (float[n,2] y) <{floats('w', (rows, 2), w)}, int64 k = {{{k}}}, "
                f"int64 o = {{{other}}}, int64 z = {{0}}, int64 top = {{{rows - 1}}}> {{ {tail} y = Gather(w, j) }}")
    tests = ("c = Equal(i, k)", "c = Equal(k, i)") if way else ("c = Greater(i, k)", "c = Less(k, i)")
    wrong = "j = Clip(i, z, top)" if other else "m = Clip(i, z, top) j = Identity(m)"
    if way and other == 0 or not way and other == rows - 1:
        wrong = "c = Equal(i, k) h = Sub(top, o) j0 = Where(c, h, i) j = Clip(j0, z, top)" if way else "j = Mod(i, top)"
    return graph(f"{tests[0]} j = Where(c, o, i)"), graph(wrong), graph(f"{tests[1]} n = Not(c) j = Where(n, i, o)")


def scaled_trees(pick):
    """Features are brought into another unit before a tree of one node."""
    unit, limit = pick.choice([0.001, 0.01, 60.0]), round(pick.uniform(3, 20), 1)

    def graph(value, scale):
        return (f"(float[n,2] x) => (float[n,1] y) <float k = {{{unit}}}> {{ {scale} "
                f"y = ai.onnx.ml.TreeEnsembleRegressor<n_targets = 1, nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], "
                f"nodes_featureids = [0, 0, 0], nodes_values = [{value}, 0.0, 0.0], "
                f"nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", \"LEAF\"], nodes_truenodeids = [1, 0, 0], "
                f"nodes_falsenodeids = [2, 0, 0], target_treeids = [0, 0], target_nodeids = [1, 2], "
                f"target_ids = [0, 0], target_weights = [1.0, 2.0]>(s) }}")
    return graph(limit, "s = Mul(x, k)"), graph(limit + 1.5, "s = Mul(x, k)"), graph(limit, "s = Mul(k, x)")


def narrow_ends(pick):
    kind, wide = pick.choice([("int8", 3), ("int16", 5)])[0], pick.choice([6, 7])
    name = {6: "int32", 7: "int64"}[wide]

    def graph(tail):
        return f"({kind}[n] a) => ({name}[n] y) {{ {tail} }}"
    return (graph(f"c = Cast<to = {wide}>(a) y = Abs(c)"), graph(f"b = Abs(a) y = Cast<to = {wide}>(b)"),
            graph(f"c = Cast<to = {wide}>(a) m = Neg(c) y = Max(c, m)"))


KINDS = [left_padding, holes, cache, lengths, one_row, far_positions, limits, overflow, time_stamps, negative_ids,
         duplicates, missing, imputer, branch, keys, trees, quantized, sentinels, step_threshold, hashed_ids, tuples,
         ties, offset_positions, nanoseconds, padded_ids, edges, single_numbers, at_limits, cut_lengths, large_images, silence,
         unknown_ids, scaled_trees, narrow_ends]

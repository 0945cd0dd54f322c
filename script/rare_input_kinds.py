"""Pairs of models that differ on inputs that hardly ever come by chance, and right twins of them: beyond
thresholds of sums and products, at ends of types, in later rounds, with nothing left, in order of size.

Each kind takes a random generator and gives three graphs, as the kinds in input_kinds.py do.
"""


def table(pick, rows, width):
    return [round(pick.gauss(0, 1), 3) for _ in range(rows * width)]


def numbers(values):
    return "{" + ", ".join(str(v) for v in values) + "}"


def floats(name, shape, values):
    return f"float[{','.join(map(str, shape))}] {name} = {numbers(values)}"


def three(inputs, output, constants, *bodies):
    """The left graph, a wrong one, a right twin."""
    head = f"({inputs}) => ({output}) " + (f"<{constants}> " if constants else "")
    return tuple(f"{head}{{ {body} }}" for body in bodies)


def gate(pick):
    """Rows whose average is beyond a limit are negated."""
    d, k = pick.randint(2, 9), round(pick.uniform(2.5, 9), 1)
    mean = "m = ReduceMean(x, a)"
    return three(f"float[n,{d}] x", f"float[n,{d}] y", f"float k = {{{k}}}, int64[1] a = {{1}}",
                 f"{mean} c = Greater(m, k) n = Neg(x) y = Where(c, n, x)", "y = Identity(x)",
                 f"{mean} c = Less(k, m) n = Neg(x) y = Where(c, n, x)")


def norm_limit(pick):
    """Long rows are made shorter."""
    d, k = pick.randint(2, 9), pick.randint(12, 60)
    return three(f"float[n,{d}] x", f"float[n,{d}] y", f"float k = {{{k}}}, int64[1] a = {{1}}",
                 "m = ReduceL2(x, a) h = Max(m, k) q = Div(x, h) y = Mul(q, k)", "q = Div(x, k) y = Mul(q, k)",
                 "m = ReduceL2(x, a) h = Max(k, m) r = Div(k, h) y = Mul(x, r)")


def product_limit(pick):
    return three("float[n] x, float[n] z", "float[n] y", f"float k = {{{pick.randint(9, 200)}}}",
                 "m = Mul(x, z) y = Min(m, k)", "y = Mul(x, z)", "m = Mul(z, x) y = Min(k, m)")


def time_gap(pick):
    """Times that are too far apart have nothing to do with each other."""
    return three("int64[n] x, int64[n] z", "int64[n] y",
                 f"int64 k = {{{pick.choice([30, 300, 3600])}}}, int64 o = {{0}}",
                 "d = Sub(x, z) a = Abs(d) c = Greater(a, k) y = Where(c, o, a)", "d = Sub(x, z) y = Abs(d)",
                 "d = Sub(z, x) a = Abs(d) c = Less(k, a) y = Where(c, o, a)")


def narrow_cast(pick):
    bits, code, low, high = pick.choice([(8, 3, -128, 127), (16, 5, -32768, 32767)])
    cast = f"q = Cast<to = {code}>"
    return three("int32[n] x", "int32[n] y", f"int32 l = {{{low}}}, int32 h = {{{high}}}",
                 f"c = Clip(x, l, h) {cast}(c) y = Cast<to = 6>(q)", f"{cast}(x) y = Cast<to = 6>(q)",
                 "m = Min(x, h) y = Max(m, l)")


def repeats(pick):
    """What follows its equal is a blank."""
    v = pick.randint(2000, 9000)
    constants = (f"int64[1] o = {{1}}, int64[1] z = {{0}}, int64[1] e = {{-1}}, int64[1] b = {{9999999}}, "
                 f"int64[1] a = {{1}}, int64 blank = {{-7}}, {floats('w', (v, 1), table(pick, v, 1))}")
    body = ("f = Slice(x, z, e, a) s = Slice(x, o, b, a) q = {} k = Where(q, blank, s) u = Gather(w, s) "
            "g = Squeeze(u, e) h = Cast<to = 1>(k) y = Where(q, h, g)")
    return three("int64[n,t] x", "float[n,r] y", constants, body.format("Equal(f, s)"),
                 "s = Slice(x, o, b, a) u = Gather(w, s) y = Squeeze(u, e)", body.format("Equal(s, f)"))


def attention_window(pick):
    d, k = pick.randint(2, 5), pick.randint(70, 200)
    constants = (f"int64 z = {{0}}, int64 o = {{1}}, int64 k = {{{k}}}, int64[1] a0 = {{0}}, int64[1] a1 = {{1}}, "
                 "float low = {-1e9}, float none = {0}")
    scores = "t = Transpose<perm = [0, 2, 1]>(x) q = MatMul(x, t)"
    head = (f"e = Shape<start = 1, end = 2>(x) l = Squeeze(e) r = Range(z, l, o) i = Unsqueeze(r, a1) "
            f"j = Unsqueeze(r, a0) d = Sub(i, j) {scores}")
    tail = "b = Where(c, none, low) s = Add(q, b) p = Softmax<axis = -1>(s) y = MatMul(p, x)"
    return three(f"float[b,s,{d}] x", f"float[b,s,{d}] y", constants, f"{head} c = Less(d, k) {tail}",
                 f"{scores} p = Softmax<axis = -1>(q) y = MatMul(p, x)",
                 f"{head} c0 = GreaterOrEqual(d, k) c = Not(c0) {tail}")


def wrapped_positions(pick):
    rows, d = pick.randint(90, 400), pick.randint(1, 3)
    constants = (f"{floats('w', (rows, d), table(pick, rows, d))}, int64 z = {{0}}, int64 o = {{1}}, "
                 f"int64 k = {{{rows}}}, int64 top = {{{rows - 1}}}")
    head = "e = Shape<start = 1, end = 2>(x) l = Squeeze(e) r = Range(z, l, o)"
    return three(f"float[b,t,{d}] x", f"float[b,t,{d}] y", constants,
                 f"{head} i = Mod(r, k) p = Gather(w, i) y = Add(x, p)",
                 f"{head} i = Clip(r, z, top) p = Gather(w, i) y = Add(x, p)",
                 f"{head} i = Mod(r, k) p = Gather(w, i) n = Neg(p) y = Sub(x, n)")


def negative_zero(pick):
    k = pick.choice([1, 2, 4])
    return three("float[n] x", "float[n] y", f"float k = {{{k}}}, float z = {{0}}", "y = Div(k, x)",
                 "c = Add(x, z) y = Div(k, c)", "i = Identity(x) y = Div(k, i)")


def tied_counts(pick):
    constants = f"int64 v = {{{pick.randint(3, 7)}}}, float[2] on = {{0, 1}}, int64[1] a = {{1}}"
    counts = "h = OneHot<axis = -1>(x, v, on) s = ReduceSum<keepdims = 0>(h, a)"
    return three("int64[n,t] x", "int64[n] y", constants, f"{counts} y = ArgMax<axis = -1, keepdims = 0>(s)",
                 f"{counts} y = ArgMax<axis = -1, keepdims = 0, select_last_index = 1>(s)",
                 f"{counts} n = Neg(s) y = ArgMin<axis = -1, keepdims = 0>(n)")


def narrow_sum(pick):
    keep = pick.randint(0, 1)
    add = f"ReduceSum<keepdims = {keep}>"
    return three("int64[n,t] x", "int64[n,t] y" if keep else "int64[n] y", "int64[1] a = {1}", f"y = {add}(x, a)",
                 f"c = Cast<to = 6>(x) s = {add}(c, a) y = Cast<to = 7>(s)", f"n = Neg(x) s = {add}(n, a) y = Neg(s)")


def nothing_selected(pick):
    k = round(pick.uniform(-4, -2), 1)
    head = ("c = Greater(x, k) z = Compress<axis = 0>(x, c) s = ReduceSum<keepdims = 0>(z) f = Cast<to = 1>(c) "
            "n = ReduceSum<keepdims = 0>(f)")
    return three("float[n] x", "float y", f"float k = {{{k}}}, float o = {{1}}", f"{head} m = Max(n, o) y = Div(s, m)",
                 f"{head} y = Div(s, n)", f"{head} m = Max(o, n) y = Div(s, m)")


def infinities(pick):
    f = round(pick.uniform(1, 5), 2)
    return three("float[n,4] x", "float[n,4] y", f"float f = {{{f}}}", "c = IsInf(x) y = Where(c, f, x)",
                 "y = Identity(x)", "c = IsInf(x) d = Not(c) y = Where(d, x, f)")


def nothing_counts(pick):
    """Averages over masked rows, and over rows that are so long."""
    d, way = pick.randint(2, 5), pick.randrange(2)
    constants = "int64 z = {0}, int64 o = {1}, int64[1] a1 = {1}, int64[1] a2 = {2}, float e = {1}"
    counted = ("l0 = Shape<start = 1, end = 2>(x) l = Squeeze(l0) r = Range(z, l, o) u0 = Unsqueeze(m, a1) "
               "c = Less(r, u0) f = Cast<to = 1>(c)" if way else "f = Cast<to = 1>(m)")
    head = (f"{counted} u = Unsqueeze(f, a2) q = Mul(x, u) s = ReduceSum<keepdims = 0>(q, a1) "
            "n = ReduceSum<keepdims = 1>(f, a1)")
    return three(f"float[b,t,{d}] x, int64[{'b' if way else 'b,t'}] m", f"float[b,{d}] y", constants,
                 f"{head} g = Max(n, e) y = Div(s, g)", f"{head} y = Div(s, n)", f"{head} g = Max(e, n) y = Div(s, g)")


def size_branch(pick):
    branch = ("y = If(c) <then_branch = t () => (float[n,m] p) { p = Neg(x) }, "
              "else_branch = e () => (float[n,m] q) { q = Identity(x) }>")
    return three("float[n,m] x", "float[n,m] y", f"int64 k = {{{pick.randint(900, 4000)}}}",
                 f"s = Size(x) c = Greater(s, k) {branch}", "y = Identity(x)", f"s = Size(x) c = Less(k, s) {branch}")


def late_round(pick):
    n = pick.randint(8, 14)
    w = [round(pick.uniform(0.5, 1.5), 3) for _ in range(n)]
    wrong = list(w)
    wrong[pick.randint(5, n - 1)] += 0.5

    def graph(values, product):
        return (f"(float[4] x, int64 n) => (float[4] y) <float[{n}] w = {numbers(values)}, int64 top = {{{n}}}, "
                f"bool yes = {{1}}> {{ k = Min(n, top) y = Loop(k, yes, x) <body = b (int64 i, bool c, float[4] v) => "
                f"(bool d, float[4] o) {{ d = Identity(c) s = Gather(w, i) o = {product} }}> }}")
    return graph(w, "Mul(v, s)"), graph(wrong, "Mul(v, s)"), graph(w, "Mul(s, v)")


def early_exit(pick):
    k = pick.randint(50, 400)

    def graph(test):
        return (f"(float[4] x, int64 n) => (float[4] y) <float k = {{{k}}}, bool yes = {{1}}, float two = {{2}}> "
                f"{{ y = Loop(n, yes, x) <body = b (int64 i, bool c, float[4] v) => (bool d, float[4] o) "
                f"{{ o = Mul(v, two) m = ReduceMax<keepdims = 0>(o) d = {test} }}> }}")
    return graph("Less(m, k)"), graph("Identity(c)"), graph("Greater(k, m)")


def scattered_pairs(pick):
    r, c = pick.randint(5, 12), pick.randint(5, 12)
    place = "t = Expand(z, s) "
    return three("int64[n,2] i, float[n] u", f"float[{r},{c}] y", f"float z = {{0}}, int64[2] s = {{{r}, {c}}}",
                 place + 'y = ScatterND<reduction = "add">(t, i, u)', place + "y = ScatterND(t, i, u)",
                 place + 'j = Identity(i) y = ScatterND<reduction = "add">(t, j, u)')


def great_limit(pick):
    k = pick.choice([500, 1000, 10000])
    return three("float[n,4] x", "float[n,4] y", f"float h = {{{k}}}, float l = {{-{k}}}", "y = Identity(x)",
                 "y = Clip(x, l, h)", "n = Neg(x) y = Neg(n)")


def float_integers(pick):
    """Integers that floats do not tell apart."""
    return three("int64[n] x", "int64[n] y", f"int64 o = {{{pick.randint(1, 9)}}}", "y = Add(x, o)",
                 "f = Cast<to = 1>(x) h = Cast<to = 1>(o) s = Add(f, h) y = Cast<to = 7>(s)", "n = Neg(o) y = Sub(x, n)")


def weekday(pick):
    """Days before 1970."""
    d = pick.choice([86400, 3600])
    return three("int64[n] x", "int64[n] y", f"int64 d = {{{d}}}, int64 o = {{4}}, int64 w = {{7}}",
                 "q = Div(x, d) s = Add(q, o) y = Mod(s, w)", "q = Div(x, d) s = Add(q, o) y = Mod<fmod = 1>(s, w)",
                 "q = Div(x, d) s = Add(o, q) y = Mod(s, w)")


def equal_inputs(pick):
    f = pick.randint(5, 20)
    return three("float[n,4] x, float[n,4] z", "float[n,4] y", f"float f = {{{f}}}",
                 "c = Equal(x, z) m = Mul(x, z) y = Where(c, f, m)", "y = Mul(x, z)",
                 "c = Equal(z, x) m = Mul(z, x) y = Where(c, f, m)")


def negative_rows(pick):
    return three(f"float[n,{pick.randint(14, 30)}] x", "float[n,1] y", "int64[1] a = {1}, float z = {0}",
                 "y = ReduceMax(x, a)", "m = ReduceMax(x, a) y = Max(m, z)", "n = Neg(x) m = ReduceMin(n, a) y = Neg(m)")


def long_sums(pick):
    k = pick.randint(25, 120)
    sums = "e = Abs(x) s = CumSum(e, a)"
    return three("float[n,t] x", "float[n,t] y", f"int64 a = {{1}}, float k = {{{k}}}", f"{sums} y = Min(s, k)",
                 "e = Abs(x) y = CumSum(e, a)", f"{sums} y = Min(k, s)")


def buckets(pick):
    b = sorted(pick.sample([-3, -2.5, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 2.5, 3.5], 4))
    count = "y = ReduceSum<keepdims = 0>(f, a)"
    return three("float[n,m] x", "int64[n,m] y", f"float[4] b = {numbers(b)}, int64[1] a = {{2}}",
                 f"u = Unsqueeze(x, a) c = Greater(u, b) f = Cast<to = 7>(c) {count}",
                 f"u = Unsqueeze(x, a) c = GreaterOrEqual(u, b) f = Cast<to = 7>(c) {count}",
                 f"u = Unsqueeze(x, a) d = LessOrEqual(u, b) c = Not(d) f = Cast<to = 7>(c) {count}")


def many_rows(pick):
    """No more rows than a limit."""
    k, d = pick.randint(5, 40), pick.randint(2, 4)
    return three(f"float[n,{d}] x", f"float[m,{d}] y",
                 f"int64[1] z = {{0}}, int64[1] e = {{{k}}}, int64[1] big = {{999999}}", "y = Identity(x)",
                 "y = Slice(x, z, e, z)", "y = Slice(x, z, big, z)")


def bits(pick):
    bit = pick.choice([64, 256, 4096, 65536])
    return three("int64[n] x", "int64[n] y", f"int64 b = {{{bit}}}, int64 z = {{0}}, int64 two = {{2}}",
                 "m = BitwiseAnd(x, b) c = Equal(m, z) y = Where(c, z, two)", "d = Less(x, z) y = Where(d, two, z)",
                 "m = BitwiseAnd(b, x) c = Equal(z, m) n = Not(c) y = Where(n, two, z)")


def categories(pick):
    """Numbers of kinds, as floats."""
    return three("float[n,3] x", "float[n,3] y", f"int64 k = {{{pick.randint(11, 60)}}}, float f = {{-1}}",
                 "c = Cast<to = 7>(x) e = Equal(c, k) y = Where(e, f, x)", "y = Identity(x)",
                 "c = Cast<to = 7>(x) e = Equal(k, c) n = Not(e) y = Where(n, x, f)")


def band(pick):
    a = pick.randint(4, 30)
    b = a + round(pick.uniform(0.05, 0.3), 2)
    return three("float[n,3] x", "float[n,3] y", f"float a = {{{a}}}, float b = {{{b}}}, float f = {{0}}",
                 "c = Greater(x, a) d = Less(x, b) e = And(c, d) y = Where(e, f, x)", "y = Identity(x)",
                 "c = Less(a, x) d = Greater(b, x) e = And(d, c) n = Not(e) y = Where(n, x, f)")


def equal_rows(pick):
    """Rows that have no deviation to be divided by."""
    d = pick.randint(4, 12)
    head = "m = ReduceMean(x, a) c = Sub(x, m) q = Mul(c, c) v = ReduceMean(q, a) s = Sqrt(v)"
    return three(f"float[n,{d}] x", f"float[n,{d}] y", "int64[1] a = {1}, float e = {1e-8}",
                 f"{head} g = Max(s, e) y = Div(c, g)", f"{head} y = Div(c, s)", f"{head} g = Max(e, s) y = Div(c, g)")


def narrow_product(pick):
    o = pick.randint(1, 9)
    return three("int64[n] x, int64[n] z", "int64[n] y", f"int64 o = {{{o}}}", "m = Mul(x, z) y = Add(m, o)",
                 "a = Cast<to = 6>(x) b = Cast<to = 6>(z) m0 = Mul(a, b) m = Cast<to = 7>(m0) y = Add(m, o)",
                 "n = Neg(x) m = Mul(n, z) y = Sub(o, m)")


def ascending(pick):
    constants = ("int64[1] o = {1}, int64[1] z = {0}, int64[1] e = {-1}, int64[1] b = {99999}, int64[1] a = {1}, "
                 "float k = {0}")
    head = "f = Slice(x, z, e, a) s = Slice(x, o, b, a) d = Sub(s, f) l = ReduceMin<keepdims = 1>(d, a)"
    d = pick.randint(9, 14)
    return three(f"float[n,{d}] x", f"float[n,{d}] y", constants, f"{head} c = Greater(l, k) n = Neg(x) y = Where(c, n, x)",
                 "y = Identity(x)", f"{head} c = Less(k, l) n = Neg(x) y = Where(c, n, x)")


def together(pick):
    """Three inputs beyond a limit at a time."""
    def both(test):
        return (f"a = {test('x')} b = {test('z')} d = {test('w')} e = And(a, b) f = And(e, d) s = Add(x, z) n = Neg(s) "
                "y = Where(f, n, s)")
    return three("float[n] x, float[n] z, float[n] w", "float[n] y", f"float k = {{{round(pick.uniform(1.8, 4), 1)}}}",
                 both("Greater({}, k)".format), "y = Add(x, z)", both("Less(k, {})".format))


def odd_images(pick):
    """A window that does not fit."""
    way, k = pick.randrange(2), floats("k", (4, 3, 3, 3), table(pick, 36, 3))
    bodies = [(f'y = Conv<auto_pad = "SAME_UPPER", strides = [2, 2]>({x}, k)' if way else
               f"y = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>({x})") for x in "xb"]
    wrong = ("y = Conv<pads = [0, 0, 1, 1], strides = [2, 2]>(x, k)" if way else
             "y = MaxPool<kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1>(x)")
    return three("float[n,3,h,w] x", "float[n,c,i,j] y", k, bodies[0], wrong, f"a = Neg(x) b = Neg(a) {bodies[1]}")


def odd_lengths(pick):
    d = pick.randint(2, 5)
    half = "h = Div({}, two) y = Slice(x, z, h, a)"
    length = "s = Shape<start = 1, end = 2>(x)"
    return three(f"float[n,t,{d}] x", f"float[n,u,{d}] y", "int64[1] z = {0}, int64[1] a = {1}, int64[1] two = {2}",
                 f"{length} {half.format('s')}", f"{length} e = Add(s, a) {half.format('e')}",
                 f"{length} m = Mod(s, two) e = Sub(s, m) {half.format('e')}")


KINDS = [gate, norm_limit, product_limit, time_gap, narrow_cast, repeats, attention_window, wrapped_positions,
         negative_zero, tied_counts, narrow_sum, nothing_selected, infinities, nothing_counts, size_branch, late_round,
         early_exit, scattered_pairs, great_limit, float_integers, weekday, equal_inputs, negative_rows, long_sums,
         buckets, many_rows, bits, categories, band, equal_rows, narrow_product, ascending, together,
         odd_images, odd_lengths]

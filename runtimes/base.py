"""What adapters of runtimes share: values, models with more outputs, options.

An adapter is a class with three methods, free of whatever process it lives in:

    session = adapter.load(path, extra)     a model file, and results wanted besides its outputs
    values = adapter.run(session, feeds)    values by name; Bits, lists, dicts and None are values, too
    adapter.unload(session)

What it cannot do it says by raising Refusal. serve.py makes a process of it.
"""

import os


class Refusal(Exception):
    """What the runtime does not do, or does not do so. Its text is shown to people."""


class Bits:
    """A tensor of a type that NumPy lacks: unsigned integers that hold an element each."""

    def __init__(self, array, type_name):
        self.array = array  # uint8 or uint16
        self.type = type_name  # "bfloat16", "float8e4m3fn", "int4", ...


class Adapter:
    """What all adapters have in common."""

    name = ""  # as people call the runtime
    packages = ()  # of PyPI, without which it does not run
    module = ""  # which is imported to see whether it is there
    is_package = True  # its version is that of the first package
    can_optimize = False  # load() takes `optimized`
    knows_results = True  # gives results inside a model, not just its outputs
    optimizers = ()  # names that an option `disable` takes, joined by "+"
    runs_models = True  # runs the model; else a program of its own that the model was made of

    # Options with their defaults; `make_options` refuses others.
    options = {}

    def __init__(self, options):
        self.chosen = dict(self.options)
        for key, value in options.items():
            if key not in self.options and not self.takes_option(key):
                known = ", ".join(sorted(self.options)) or "none"
                raise Refusal(f"{self.name} has no option {key}; it has: {known}")
            self.chosen[key] = value

    def takes_option(self, key):
        """Whether an option is good that `options` does not list."""
        return False

    def version(self):
        return ""

    def place(self):
        """Where it runs, in a word or a few: "CPU", "CPU, optimization all"."""
        return ""

    def precision_of_floats(self):
        """The type that it computes floats in, if that is coarser than theirs: "float16", "bfloat16"."""
        return ""

    def load(self, path, extra=(), optimized=None):
        """A session. `extra`: names of results that are wanted besides the model's outputs.
        `optimized`: a file to write the model to as the runtime has optimized it, if it can."""
        raise NotImplementedError

    def run(self, session, feeds):
        """Values by name. What it does not have of `extra` it may leave out."""
        raise NotImplementedError

    def unload(self, session):
        """Called when the session is no longer wanted; its references are dropped after it."""


def choice(adapter, key, allowed):
    """An option that must be one of a few."""
    value = adapter.chosen[key]
    if value not in allowed:
        raise Refusal(f"{adapter.name}: {key} must be one of {', '.join(allowed)}, not {value}")
    return value


def whole_number(adapter, key):
    try:
        return int(adapter.chosen[key])
    except ValueError:
        raise Refusal(f"{adapter.name}: {key} must be a number, not {adapter.chosen[key]}")


# Models.


def _varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _field(number, content):
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def outputs_suffix(names):
    """Bytes that give a serialized ModelProto more outputs when they are put after it: messages
    that follow each other are one, and so are their graphs."""
    graph = b"".join(_field(12, _field(1, name.encode())) for name in names)
    return _field(7, graph) if names else b""


def fields(message):
    """The fields of a serialized message that hold bytes: number and content."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            varint()
        elif kind == 2:
            size = varint()
            yield key >> 3, message[at : at + size]
            at += size
        else:
            at += 8 if kind == 1 else 4


def output_names(model):
    """Of a serialized model, in order."""
    names = []
    for number, graph in fields(memoryview(model)):
        if number != 7:
            continue
        for field, output in fields(graph):
            if field == 12:
                names += [bytes(text).decode() for part, text in fields(output) if part == 1]
    return names


def input_names(model):
    """Of a serialized model, in order, without those that an initializer gives a value."""
    names, given = [], set()
    for number, graph in fields(memoryview(model)):
        for field, entry in fields(graph) if number == 7 else ():
            if field == 11:
                names += [bytes(text).decode() for part, text in fields(entry) if part == 1]
            elif field == 5:
                given |= {bytes(text).decode() for part, text in fields(entry) if part == 8}
    return [name for name in names if name not in given]


def has_external_data(model):
    """Whether a serialized model has weights in other files: an entry with the key "location"."""
    return b"\x0a\x08location" in model


def marked_bytes(path, extra):
    """The model with more outputs, as bytes."""
    with open(path, "rb") as file:
        return file.read() + outputs_suffix(extra)


def marked_file(path, extra, folder):
    """The same as a file in `folder`, beside which its weights are found."""
    if not extra:
        return path
    model = marked_bytes(path, extra)
    if has_external_data(model):
        around = os.path.dirname(os.path.abspath(path))
        for entry in os.listdir(around):
            link = os.path.join(folder, entry)
            if not os.path.lexists(link):
                os.symlink(os.path.join(around, entry), link)
    made = os.path.join(folder, f"marked_{os.getpid()}_{len(extra)}.onnx")
    with open(made, "wb") as file:
        file.write(model)
    return made


# Values in files.


def as_numpy(value):
    """A NumPy array of a value that is one tensor."""
    import numpy

    return value.array if isinstance(value, Bits) else numpy.asarray(value)


# Types that NumPy lacks, as ONNX spells them, and integers of the same size.
BITS_OF = {
    "bfloat16": "uint16",
    "float8e4m3fn": "uint8",
    "float8e4m3fnuz": "uint8",
    "float8e5m2": "uint8",
    "float8e5m2fnuz": "uint8",
    "float8e8m0": "uint8",
    "float4e2m1": "uint8",
    "int4": "uint8",
    "uint4": "uint8",
    "int2": "uint8",
    "uint2": "uint8",
}
# Types that ml_dtypes spells otherwise.
_ML_DTYPES = {
    "float8_e4m3fn": "float8e4m3fn",
    "float8_e4m3fnuz": "float8e4m3fnuz",
    "float8_e5m2": "float8e5m2",
    "float8_e5m2fnuz": "float8e5m2fnuz",
    "float8_e8m0fnu": "float8e8m0",
    "float4_e2m1fn": "float4e2m1",
}


def onnx_name(name):
    """The element type that ml_dtypes and torch call so."""
    return _ML_DTYPES.get(name, name)


def without_ml_dtypes(array):
    """Arrays of ml_dtypes as Bits; others as they are."""
    name = onnx_name(array.dtype.name)
    if name not in BITS_OF:
        return array
    if name in ("int4", "int2"):
        bits = 4 if name == "int4" else 2
        return Bits(array.astype("int8").view("uint8") & ((1 << bits) - 1), name)
    return Bits(array.view(BITS_OF[name]), name)


def with_ml_dtypes(value):
    """Bits as an array of ml_dtypes, for runtimes that take these."""
    if not isinstance(value, Bits):
        return value
    import ml_dtypes

    names = {ours: theirs for theirs, ours in _ML_DTYPES.items()}
    dtype = getattr(ml_dtypes, names.get(value.type, value.type))
    if value.type in ("int4", "int2"):
        sign = 8 if value.type == "int4" else 2
        return ((value.array.astype("int8") ^ sign) - sign).astype(dtype)
    return value.array.view(dtype)


def unpacked(data, count, type_name):
    """Elements of 4 or 2 bits, the first in the lowest, as one byte each."""
    import numpy

    bits = 2 if type_name.endswith("2") and type_name.startswith(("int", "uint")) else 4
    shifts = numpy.arange(0, 8, bits, dtype="uint8")
    return (data[:, None] >> shifts & ((1 << bits) - 1)).reshape(-1)[:count]


class NumpyFiles:
    """Reads and writes tensors as .npy files."""

    def read(self, path, type_name):
        import numpy

        array = numpy.load(path, mmap_mode="r", allow_pickle=False)
        if type_name == "string":
            return numpy.array(array, dtype=object)
        if type_name in BITS_OF:
            return Bits(array, type_name)
        return array

    def write(self, path, value):
        """The type's name."""
        import numpy

        if isinstance(value, Bits):
            array, name = value.array, value.type
        else:
            array = numpy.asarray(value)
            made = without_ml_dtypes(array)
            name = None
            if isinstance(made, Bits):
                array, name = made.array, made.type
        if array.dtype.kind in "OSU":
            texts = [e.decode() if isinstance(e, bytes) else str(e) for e in array.reshape(-1)]
            if any(t.endswith("\0") for t in texts):
                raise Refusal("strings that end in a NUL cannot be written to a file")
            array = numpy.array(texts, dtype=str).reshape(array.shape)
            name = "string"
        numpy.save(path, array, allow_pickle=False)
        return name or array.dtype.name

    def is_tensor(self, value):
        return isinstance(value, Bits) or hasattr(value, "dtype")


class ValueFiles:
    """Values of all kinds in a folder: tensors in files, what holds them as JSON."""

    def __init__(self, folder, files):
        self.folder = folder
        self.files = files
        self.count = 0

    def read(self, entry):
        kind = entry["kind"]
        if kind == "tensor":
            return self.files.read(os.path.join(self.folder, entry["file"]), entry["type"])
        if kind == "sequence":
            return [self.read(e) for e in entry["elements"]]
        if kind == "optional":
            return self.read(entry["elements"][0]) if entry["elements"] else None
        raise Refusal(f"a value of kind {kind} cannot be fed")

    def write(self, value, prefix):
        if value is None:
            return {"kind": "optional", "elements": []}
        if isinstance(value, dict):
            # Maps of scalars: what ZipMap makes.
            import numpy

            keys = numpy.array(list(value.keys()))
            values = numpy.array(list(value.values()))
            # Runtimes hand floats over as Python's, which know no other precision.
            if all(type(v) is float for v in value.values()):
                values = values.astype("float32")
            elements = [self.write(keys, prefix), self.write(values, prefix)]
            return {"kind": "map", "elements": elements}
        if isinstance(value, (list, tuple)):
            return {"kind": "sequence", "elements": [self.write(e, prefix) for e in value]}
        name = f"{prefix}{self.count}.npy"
        self.count += 1
        path = os.path.join(self.folder, name)
        return {"kind": "tensor", "file": name, "type": self.files.write(path, value)}

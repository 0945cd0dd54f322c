"""tract. No options. Its models are of one shape, so each shape that is fed makes a model of its own."""

import importlib.metadata

from . import base

_FACTS = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "bool": "bool",
}


class _Session:
    def __init__(self, path, extra):
        self.path = path
        self.extra = extra
        self.shapes = None
        self.runnable = None
        self.names = []


class Adapter(base.Adapter):
    name = "tract"
    module = "tract"
    packages = ("tract",)
    options = {"shapes": "fed"}  # or "declared": those in the model
    folder = None

    def __init__(self, options):
        super().__init__(options)
        import tract

        self.tract = tract
        base.choice(self, "shapes", ["fed", "declared"])

    def version(self):
        return importlib.metadata.version("tract")

    def place(self):
        return "CPU"

    def load(self, path, extra=(), optimized=None):
        if extra:
            path = base.marked_file(path, extra, self.folder)
        self.tract.onnx().load(path)  # tells what it cannot read
        return _Session(path, extra)

    def run(self, session, feeds):
        import numpy

        arrays = {}
        for name, value in feeds.items():
            if isinstance(value, (list, base.Bits)) or value is None or value.dtype == object:
                raise base.Refusal("tract's Python takes tensors of numbers alone")
            arrays[name] = numpy.array(value)
        shapes = {name: (a.shape, a.dtype.name) for name, a in arrays.items()}
        if session.runnable is None or session.shapes != shapes:
            self._prepare(session, arrays)
        given = [arrays[name] for name in session.inputs]
        values = session.runnable.run(given)
        return {name: value.to_numpy() for name, value in zip(session.names, values)}

    def _prepare(self, session, arrays):
        model = self.tract.onnx().load(session.path)
        session.inputs = [model.input_name(i) for i in range(model.input_count())]
        for i, name in enumerate(session.inputs):
            if name not in arrays:
                raise base.Refusal(f"tract needs a value for the input {name}")
            if self.chosen["shapes"] == "fed":
                array = arrays[name]
                fact = ",".join([*map(str, array.shape), _FACTS[array.dtype.name]])
                model.set_input_fact(i, fact)
        # Outputs keep their order, but tract calls them by the nodes that make them.
        session.names = self._output_names(session)
        if len(session.names) != model.output_count():
            session.names = [model.output_name(i) for i in range(model.output_count())]
        session.runnable = model.into_model().into_runnable()
        session.shapes = {name: (a.shape, a.dtype.name) for name, a in arrays.items()}

    def _output_names(self, session):
        with open(session.path, "rb") as file:
            return base.output_names(file.read())

"""A runtime with one fault: another adapter, and what it makes of one result or of one kind of node.

Options: inner=onnxruntime|reference|...; result=NAME with how=percent|noise|axis|element|nan;
operator=TYPE with does=abort|hang|refuse."""

import importlib
import os
import time
import zlib

from onnxcmp_runtimes import base


def _wrong(value, how, name):
    import numpy

    made = numpy.array(value)
    if how == "percent":
        return (made * made.dtype.type(1.01)).astype(made.dtype)
    if how == "noise":
        draw = numpy.random.default_rng(zlib.crc32(name.encode()))
        return (made * (1 + 0.05 * draw.standard_normal(made.shape))).astype(made.dtype)
    if how == "axis":
        axes = [i for i, n in enumerate(made.shape) if n > 1]
        return numpy.flip(made, axes[0]).copy() if axes else made
    flat = made.reshape(-1)
    at = flat.size // 2
    flat[at] = numpy.nan if how == "nan" else flat[at] + max(1.0, float(numpy.abs(flat).max()))
    return made


class _Session:
    pass


class Adapter(base.Adapter):
    name = "faulty"
    module = "onnx"
    packages = ("onnx",)
    folder = None
    options = {"inner": "onnxruntime", "result": "", "how": "percent", "operator": "", "does": "abort"}

    def __init__(self, options):
        inner = {k[len("inner.") :]: v for k, v in options.items() if k.startswith("inner.")}
        super().__init__(options)
        module = importlib.import_module(f"onnxcmp_runtimes.{self.chosen['inner']}_adapter")
        self.inner = module.Adapter(inner)

    def takes_option(self, key):
        return key.startswith("inner.")

    def version(self):
        return self.inner.version()

    def place(self):
        return f"{self.chosen['inner']} with a fault"

    def load(self, path, extra=(), optimized=None):
        import onnx

        self.inner.folder = self.folder
        model = onnx.load(path, load_external_data=False)
        operator = self.chosen["operator"]
        if operator and any(node.op_type == operator for node in model.graph.node):
            if self.chosen["does"] == "abort":
                os.abort()
            if self.chosen["does"] == "hang":
                time.sleep(1e6)
            raise base.Refusal(f"no kernel for {operator}")
        session = _Session()
        wrong = self.chosen["result"]
        makers = [n for n in model.graph.node if wrong and wrong in n.output]
        outputs = [o.name for o in model.graph.output]
        session.more = [name for name in extra]
        session.makers = makers
        marks = session.more + ([wrong] if makers and wrong not in outputs + session.more else [])
        session.first = self.inner.load(path, marks)
        session.path, session.model, session.outputs = path, model, outputs
        return session

    def run(self, session, feeds):
        import onnx

        values = self.inner.run(session.first, feeds)
        if not session.makers:
            return values
        wrong = self.chosen["result"]
        value = _wrong(values[wrong], self.chosen["how"], wrong)
        # The rest of the model on that.
        model = onnx.ModelProto()
        model.CopyFrom(session.model)
        for node in model.graph.node:
            node.output[:] = [name + "__true" if name == wrong else name for name in node.output]
        # What makes nothing else need not run, and optimizers stumble over it.
        for node in [n for n in model.graph.node if list(n.output) == [wrong + "__true"]]:
            model.graph.node.remove(node)
        kind = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
        model.graph.input.append(onnx.helper.make_tensor_value_info(wrong, kind, value.shape))
        outputs = [o for o in model.graph.output if o.name != wrong]
        del model.graph.output[:]
        model.graph.output.extend(outputs)
        wanted = [name for name in session.more if name != wrong]
        given = {}
        if outputs or wanted:
            beside = os.path.join(os.path.dirname(os.path.abspath(session.path)), "")
            path = os.path.join(self.folder, f"faulty_{os.getpid()}.onnx")
            if base.has_external_data(model.SerializeToString()):
                onnx.load_external_data_for_model(model, beside)
            onnx.save(model, path)
            second = self.inner.load(path, wanted)
            given = dict(self.inner.run(second, {**feeds, wrong: value}))
            self.inner.unload(second)
            os.unlink(path)
        given[wrong] = value
        return {name: given.get(name, values[name]) for name in values if name in session.outputs + session.more}

    def unload(self, session):
        self.inner.unload(session.first)

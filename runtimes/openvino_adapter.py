"""OpenVINO. Options: device=CPU (GPU, ...), precision=f32|f16|bf16|default, threads=N."""

from . import base

# OpenVINO's names of types that NumPy lacks.
_LACKING = {"bf16": "bfloat16", "f8e4m3": "float8e4m3fn", "f8e5m2": "float8e5m2", "f8e8m0": "float8e8m0"}
# Those of less than a byte.
_PACKED = {"i4": "int4", "u4": "uint4", "i2": "int2", "u2": "uint2", "f4e2m1": "float4e2m1"}


class _Session:
    def __init__(self, model, inputs, outputs):
        self.model = model
        self.inputs = inputs  # by name: the port
        self.outputs = outputs  # by name: the port


class Adapter(base.Adapter):
    name = "openvino"
    module = "openvino"
    packages = ("openvino",)
    options = {"device": "CPU", "precision": "f32", "threads": "0"}

    def __init__(self, options):
        super().__init__(options)
        import openvino

        self.ov = openvino
        self.precision = base.choice(self, "precision", ["f32", "f16", "bf16", "default"])
        self.threads = base.whole_number(self, "threads")
        self.core = openvino.Core()
        if self.chosen["device"].split(".")[0].split(":")[0] not in self.core.available_devices + ["AUTO", "HETERO"]:
            raise base.Refusal(
                f"this OpenVINO has no device {self.chosen['device']}; it has: "
                + ", ".join(self.core.available_devices)
            )

    def version(self):
        return self.ov.__version__.split("-")[0]

    def place(self):
        computes_in = self._computes_in()
        precision = "" if self.precision == "f32" else f", {self.precision}"
        if computes_in not in ("", self.precision):
            precision += f" as {computes_in}"
        return self.chosen["device"] + precision

    def precision_of_floats(self):
        return {"f16": "float16", "bf16": "bfloat16"}.get(self._computes_in(), "")

    # The hint is a wish: a device without float16 computes in bfloat16. Compiled models tell.
    def _computes_in(self):
        import numpy

        try:
            x = self.ov.opset13.parameter([1], numpy.float32)
            model = self.ov.Model([self.ov.opset13.relu(x)], [x])
            compiled = self.core.compile_model(model, self.chosen["device"], self._settings())
            return compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
        except Exception:
            return "" if self.precision == "default" else self.precision

    def _settings(self):
        settings = {}
        if self.precision != "default":
            settings["INFERENCE_PRECISION_HINT"] = self.precision
        if self.threads:
            settings["INFERENCE_NUM_THREADS"] = self.threads
        return settings

    def load(self, path, extra=(), optimized=None):
        model = self.core.read_model(path)
        outputs = {}
        for output in model.outputs:
            for name in output.get_names():
                outputs[name] = None
        # Names that two results share, and results that conversion has dropped, are not there.
        known = set()
        for op in model.get_ops():
            for output in op.outputs():
                known |= output.get_names()
        wanted = [name for name in extra if name in known and name not in outputs]
        if wanted:
            model.add_outputs(wanted)
        # Compiling may move names from one port to another, but keeps the ports' order.
        input_names = [port.get_names() for port in model.inputs]
        with open(path, "rb") as file:
            declared = base.input_names(file.read())
        if len(declared) == len(input_names):
            # What hands an input on gives its name to that tensor.
            input_names = [names | {name} for names, name in zip(input_names, declared)]
        output_names = [port.get_names() for port in model.outputs]
        compiled = self.core.compile_model(model, self.chosen["device"], self._settings())
        inputs = {n: p for names, p in zip(input_names, compiled.inputs) for n in names}
        names = set(outputs) | set(wanted)
        ports = {
            n: p for known, p in zip(output_names, compiled.outputs) for n in known if n in names
        }
        return _Session(compiled, inputs, ports)

    def run(self, session, feeds):
        request = session.model.create_infer_request()
        given = {}
        for name, value in feeds.items():
            port = session.inputs.get(name)
            if port is None:
                continue
            if isinstance(value, base.Bits):
                given[port] = self._tensor(value, port)
            elif value is None or isinstance(value, list):
                raise base.Refusal("OpenVINO takes no sequences and no optionals")
            elif value.dtype == object:
                given[port] = self.ov.Tensor(value.astype(str))
            else:
                import numpy

                given[port] = numpy.array(value)
        if len(given) < len(session.model.inputs):
            raise base.Refusal(f"OpenVINO needs values for all {len(session.model.inputs)} inputs")
        results = request.infer(given)
        return {
            name: self._value(request, port, results) for name, port in session.outputs.items()
        }

    def _tensor(self, value, port):
        kind = port.get_element_type()
        if _LACKING.get(kind.get_type_name()) != value.type:
            raise base.Refusal(f"OpenVINO takes no inputs of type {value.type}")
        import numpy

        return self.ov.Tensor(numpy.ascontiguousarray(value.array), list(value.array.shape), kind)

    def _value(self, request, port, results):
        kind = port.get_element_type().get_type_name()
        if kind not in _LACKING and kind not in _PACKED and kind != "string":
            return results[port].copy()
        tensor = request.get_tensor(port)
        if kind in _LACKING:
            import numpy

            raw = numpy.array(tensor.data).view("uint16" if kind == "bf16" else "uint8")
            return base.Bits(raw, _LACKING[kind])
        if kind in _PACKED:
            import numpy

            count = int(numpy.prod(tensor.shape, dtype="int64"))
            name = _PACKED[kind]
            packed = numpy.array(tensor.data).view("uint8").reshape(-1)
            return base.Bits(base.unpacked(packed, count, name).reshape(tuple(tensor.shape)), name)
        return tensor.str_data.copy()

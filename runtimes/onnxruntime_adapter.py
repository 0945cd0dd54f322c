"""onnxruntime. Options: provider=CPU (CUDA, ...; several with +), optimization=none|basic|extended|
layout|all, threads=N, custom_ops=LIBRARY, disable=OPTIMIZER+OPTIMIZER, session.KEY=VALUE."""

import os
import platform

from . import base

_LEVELS = {
    "none": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "layout": "ORT_ENABLE_LAYOUT",
    "all": "ORT_ENABLE_ALL",
}
# As its sources name them; a name that a version does not know it passes over.
_OPTIMIZERS = """
    BiasDropoutFusion BiasGeluFusion BiasSkipLayerNormFusion BiasSoftmaxFusion CastChainElimination
    CastElimination CommonSubexpressionElimination ConstantFolding ConstantSharing ConvActivationFusion
    ConvAddActivationFusion ConvAddFusion ConvBNFusion ConvMulFusion DQMatMulNBitsFusion DivMulFusion
    DoubleQDQPairsRemover DynamicQuantizeMatMulFusion EliminateDropout EliminateIdentity EliminateSlice
    EmbedLayerNormFusion EnsureUniqueDQForNodeUnit ExpandElimination AttentionFusion FastGeluFusion
    FuseReluClip GatherSliceToSplitFusion GatherToSliceFusion GeluFusionL1 GeluFusionL2
    GemmActivationFusion GemmSumFusion GemmTransposeFusion GroupQueryAttentionFusion IsInfReduceSumFusion
    LabelEncoderFusion LayerNormFusionL1 LayerNormFusionL2 MatMulActivationFusion MatMulAddFusion
    MatMulIntegerToFloatFusion MatMulScaleFusion MatMul_BatchNormalization_Fusion MatmulTransposeFusion
    NchwcTransformer NhwcTransformer NoopElimination NotWhereFusion Pad_Fusion PreShapeNodeElimination
    QDQFinalCleanupTransformer QDQPropagationTransformer QDQS8ToU8Transformer
    QDQSelectorActionTransformer QuickGeluFusion ReluQuantRewrite RemoveDuplicateCastTransformer
    ReshapeFusion SimplifiedLayerNormFusion SkipLayerNormFusion SliceConcatToSpaceToDepthFusion
    SwiGluFusion TransposeOptimizer UnsqueezeElimination WeightBiasQuantization
""".split()
# onnx.TensorProto's numbers of types that NumPy lacks.
_NUMBERS = {
    "bfloat16": 16,
    "float8e4m3fn": 17,
    "float8e4m3fnuz": 18,
    "float8e5m2": 19,
    "float8e5m2fnuz": 20,
    "uint4": 21,
    "int4": 22,
    "float4e2m1": 23,
    "float8e8m0": 24,
    "uint2": 25,
    "int2": 26,
}
_NAMES = {number: name for name, number in _NUMBERS.items()}


class Adapter(base.Adapter):
    name = "onnxruntime"
    module = "onnxruntime"
    packages = ("onnxruntime",)
    can_optimize = True
    optimizers = _OPTIMIZERS
    options = {
        "provider": "CPU",
        "optimization": "all",
        "threads": "0",
        "custom_ops": "",
        "disable": "",
    }

    def __init__(self, options):
        super().__init__(options)
        import onnxruntime

        self.ort = onnxruntime
        levels = {n: l for n, l in _LEVELS.items() if hasattr(self.ort.GraphOptimizationLevel, l)}
        self.level = levels[base.choice(self, "optimization", list(levels))]
        available = self.ort.get_available_providers()
        self.providers = []
        for short in self.chosen["provider"].split("+"):
            full = [p for p in available if p.lower() in (short.lower(), f"{short.lower()}executionprovider")]
            if not full:
                have = ", ".join(p.removesuffix("ExecutionProvider") for p in available)
                raise base.Refusal(f"this onnxruntime has no provider {short}; it has: {have}")
            self.providers += full
        self.threads = base.whole_number(self, "threads")

    def takes_option(self, key):
        return key.startswith("session.")

    def version(self):
        return self.ort.__version__

    def place(self):
        place = "+".join(p.removesuffix("ExecutionProvider") for p in self.providers)
        if self.chosen["optimization"] != "all":
            place += f", optimization {self.chosen['optimization']}"
        if self.chosen["disable"]:
            place += f" without {self.chosen['disable']}"
        return place

    def precision_of_floats(self):
        fast = self.chosen.get("session.mlas.enable_gemm_fastmath_arm64_bfloat16") == "1"
        return "bfloat16" if fast and platform.machine() in ("aarch64", "arm64") else ""

    def load(self, path, extra=(), optimized=None):
        settings = self.ort.SessionOptions()
        settings.graph_optimization_level = getattr(self.ort.GraphOptimizationLevel, self.level)
        settings.intra_op_num_threads = self.threads
        settings.log_severity_level = 3
        if optimized:
            settings.optimized_model_filepath = optimized
            settings.add_session_config_entry(
                "session.optimized_model_external_initializers_file_name", os.path.basename(optimized) + ".data"
            )
            settings.add_session_config_entry(
                "session.optimized_model_external_initializers_min_size_in_bytes", "1048576"
            )
        for library in filter(None, self.chosen["custom_ops"].split("+")):
            settings.register_custom_ops_library(library)
        for key, value in self.chosen.items():
            if key.startswith("session."):
                settings.add_session_config_entry(key, value)
        model = path
        if extra:
            model = base.marked_bytes(path, extra)
            settings.add_session_config_entry(
                "session.model_external_initializers_file_folder_path",
                os.path.dirname(os.path.abspath(path)),
            )
        disabled = [name for name in self.chosen["disable"].split("+") if name]
        return self.ort.InferenceSession(
            model, settings, providers=self.providers, disabled_optimizers=disabled or None
        )

    def run(self, session, feeds):
        inputs = {i.name for i in session.get_inputs()} | {i.name for i in session.get_overridable_initializers()}
        given = {name: value for name, value in feeds.items() if name in inputs}
        outputs = session.get_outputs()
        plain = all(isinstance(v, (list, type(None))) or hasattr(v, "dtype") for v in given.values())
        if plain and not any(self._lacks(output.type) for output in outputs):
            values = session.run(None, given)
            return {
                output.name: self._named(value, output.type) for output, value in zip(outputs, values)
            }
        ort_values = {name: self._ort_value(value) for name, value in given.items()}
        values = session.run_with_ort_values(None, ort_values)
        return {output.name: self._value(value) for output, value in zip(outputs, values)}

    def _lacks(self, type_text):
        """Whether NumPy has no type for a "tensor(bfloat16)"."""
        return type_text.startswith("tensor(") and type_text[7:-1] in _NUMBERS

    def _named(self, value, type_text):
        if type_text.startswith("sparse_tensor") or type(value).__name__ == "SparseTensor":
            raise base.Refusal("sparse tensors are not taken from onnxruntime")
        return value

    def _ort_value(self, value):
        make = self.ort.OrtValue
        if isinstance(value, base.Bits):
            import numpy

            # Scalars stay such, which ascontiguousarray() would make vectors.
            array = numpy.array(value.array, order="C")
            if value.type in ("int4", "uint4", "float4e2m1", "int2", "uint2"):
                raise base.Refusal(f"onnxruntime's Python takes no inputs of type {value.type}")
            return make.ortvalue_from_numpy_with_onnx_type(array, _NUMBERS[value.type])
        if value is None or isinstance(value, list):
            raise base.Refusal("onnxruntime's Python takes no sequences beside types that NumPy lacks")
        return make.ortvalue_from_numpy(value)

    def _value(self, value):
        number = value.element_type() if value.is_tensor() else 0
        if number not in _NAMES:
            return value.numpy()
        import ctypes

        import numpy

        name = _NAMES[number]
        count = int(numpy.prod(value.shape(), dtype="int64"))
        data = (ctypes.c_ubyte * value.tensor_size_in_bytes()).from_address(value.data_ptr())
        array = numpy.frombuffer(bytes(data), dtype="uint16" if name == "bfloat16" else "uint8")
        if name in ("int4", "uint4", "float4e2m1", "int2", "uint2"):
            array = base.unpacked(array, count, name)
        return base.Bits(array.reshape(value.shape()), name)

#!/usr/bin/env python3
"""Makes float16.onnx, dynamic.onnx and qdq.onnx of plain.onnx, with the tools that people make such
models with. Needs onnxruntime, onnxconverter-common and numpy.

    make_narrow.py [FOLDER]     where to write them; beside this file by default
"""
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnxconverter_common import float16
from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType,
                                      quantize_dynamic, quantize_static)

here = pathlib.Path(__file__).parent
out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here


class Calibration(CalibrationDataReader):
    """The inputs of the tests, and the same ones rolled."""

    def __init__(self):
        given = dict(np.load(here / "inputs.npz"))
        self.sets = iter([{k: np.roll(v, n, -1) for k, v in given.items()} for n in range(4)])

    def get_next(self):
        return next(self.sets, None)


with tempfile.TemporaryDirectory() as folder:
    # One of each of the weights, which the exporter wrote several times.
    basic = f"{folder}/basic.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = basic
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(here / "plain.onnx"), options,
                                 providers=["CPUExecutionProvider"])
    onnx.save(float16.convert_float_to_float16(onnx.load(basic), keep_io_types=True),
              out / "float16.onnx")
    quantize_dynamic(basic, out / "dynamic.onnx", weight_type=QuantType.QInt8)
    # The mask is infinite, which calibration cannot deal with.
    quantize_static(basic, out / "qdq.onnx", Calibration(), quant_format=QuantFormat.QDQ,
                    op_types_to_quantize=["MatMul", "Gemm", "Add", "Gather", "Relu"],
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)

"""A model against its quantized form: how much each layer loses, and what to keep in float.

python examples/python/quantized.py MODEL INPUTS.npz      needs onnxruntime
"""

import sys
import tempfile

import numpy as np
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

import onnxcmp


class Samples(CalibrationDataReader):
    """Inputs that the ranges are taken from."""

    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def main(model, inputs):
    with np.load(inputs) as file:
        feeds = dict(file)
    with tempfile.TemporaryDirectory() as folder:
        quantized = f"{folder}/quantized.onnx"
        quantize_static(model, quantized, Samples([feeds]), quant_format=QuantFormat.QDQ)
        comparison = onnxcmp.compare(model, quantized, feeds, quantization=True)
        print(comparison)
        for output in comparison.outputs:
            print(f"{output.left}: the right gives {output.diff.cosine:.4f} of the left's direction")
    return comparison.exit_status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

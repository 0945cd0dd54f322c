"""The reference evaluator of the package onnx. No options."""

import os

from . import base


class Adapter(base.Adapter):
    name = "reference"
    module = "onnx"
    packages = ("onnx",)

    def version(self):
        import onnx

        return onnx.__version__

    def place(self):
        return "ReferenceEvaluator"

    def load(self, path, extra=(), optimized=None):
        import onnx
        from onnx.reference import ReferenceEvaluator

        model = onnx.load_from_string(base.marked_bytes(path, extra))
        if base.has_external_data(model.SerializeToString()):
            onnx.load_external_data_for_model(model, os.path.dirname(os.path.abspath(path)))
        return ReferenceEvaluator(model)

    def run(self, session, feeds):
        given = {}
        for name, value in feeds.items():
            if name in session.input_names:
                given[name] = base.with_ml_dtypes(value)
        # Initializers that are inputs, too, may be left out.
        values = session.run(None, given)
        return dict(zip(session.output_names, values))

"""A runtime against the reference, from outside: onnx's own evaluator as an adapter.

python examples/python/runtime.py MODEL
"""

import sys

import onnx
from onnx.reference import ReferenceEvaluator

import onnxcmp
from onnxcmp.runtimes import Adapter


class Reference:
    """The three methods of an adapter."""

    name = "onnx.reference"

    def load(self, path, extra=()):
        return ReferenceEvaluator(onnx.load(path)), list(extra)

    def run(self, session, feeds):
        evaluator, extra = session
        every = evaluator.run(None, feeds, intermediate=True)
        return {name: every[name] for name in [*extra, *evaluator.output_names]}

    def unload(self, session):
        pass


def main(path):
    comparison = onnxcmp.compare(path, Adapter(path, Reference()))
    print(comparison)
    return comparison.exit_status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""onnxruntime against the reference evaluator: does it compute the model as it is, and as it
optimizes it?

python examples/python/onnxruntime_kernels.py MODEL      needs onnxruntime
"""

import sys

import onnxcmp
from onnxcmp.runtimes import OnnxRuntime


def main(model):
    status = 0
    for optimization in ("none", "all"):
        # In a process of its own its nodes can be run alone, so that causes are found, too.
        runtime = OnnxRuntime(model, optimization=optimization, isolated=True)
        comparison = onnxcmp.compare(model, runtime)
        print(f"optimization {optimization}: {comparison.summary}")
        for cause in comparison.causes:
            print(f"  {cause.text}")
        status = max(status, comparison.exit_status)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

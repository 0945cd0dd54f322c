"""Two models, what differs between them, and the values there.

python examples/python/causes.py LEFT RIGHT
"""

import sys

import numpy as np

import onnxcmp


def main(left, right):
    comparison = onnxcmp.compare(left, right)
    print(comparison)
    for cause in comparison.causes:
        print(f"{cause.kind}: {cause.text}")
        if cause.left is None or cause.right is None:
            continue
        (one,) = comparison.values("left", [cause.left])
        (other,) = comparison.values("right", [cause.right])
        if np.shape(one) == np.shape(other):
            print(f"  at most {np.abs(one - other).max()} apart in the run")
    comparison.save("comparison.html")
    return comparison.exit_status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

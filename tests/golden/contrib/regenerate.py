#!/usr/bin/env python3
"""Computes the expected values of the golden cases anew, by onnxruntime; models and inputs stay.

    regenerate.py [--check] [OPERATOR ...]

--check writes nothing and fails if a value changed by more than its case's tolerance.
"""

import argparse
import sys

import numpy as np

import cases


def expected(operator, case):
    settings = operator.cases[case]
    got = cases.evaluate(operator.model(case), operator.select(case, "in"),
                         settings.get("in_place", False))
    return {k: v.astype(str) if v.dtype.kind in "OS" else v for k, v in got.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    arguments = parser.parse_args()
    counts = {"same bits": 0, "rounding": 0, "changed": 0}
    for operator in cases.operators():
        if arguments.operators and operator.name not in arguments.operators:
            continue
        for case, settings in operator.cases.items():
            new, old = expected(operator, case), operator.select(case, "out")
            undefined = operator.select(case, "undefined")
            wrong = [f"outputs {sorted(new)} instead of {sorted(old)}"] if set(new) != set(old) else [
                f"{name}: {text}" for name in old
                if (text := cases.mismatch(settings, new[name], old[name], undefined.get(name)))]
            same = set(new) == set(old) and all(
                v.dtype == old[k].dtype and np.array_equal(v, old[k], equal_nan=v.dtype.kind == "f")
                for k, v in new.items())
            counts["same bits" if same else "changed" if wrong else "rounding"] += 1
            if wrong:
                print(f"{operator.name}/{case}: {'; '.join(wrong)}")
            for name in old:
                del operator.arrays[f"{case}/out/{name}"]
            for name, array in new.items():
                operator.arrays[f"{case}/out/{name}"] = array
        if not arguments.check:
            operator.save()
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if arguments.check and counts["changed"] else 0


if __name__ == "__main__":
    sys.exit(main())

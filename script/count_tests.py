"""Counts the test cases in a JUnit file of ctest's: 'N passed, N failed', and 'N skipped' if any.

A program that prints GoogleTest's totals, or pytest's, counts as its cases; any other test counts as one. A
program that fails without a failed case (it crashed, say) counts as one failure more.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree


def total(kind, output):
    return sum(int(n) for n in re.findall(rf"^\[  {kind} +\] (\d+) tests?", output, re.MULTILINE))


passed = failed = skipped = 0
for test in ElementTree.parse(sys.argv[1]).iter("testcase"):
    output = test.findtext("system-out") or ""
    status = test.get("status")
    pytest = re.search(r"^(?:\d+ \w+, )*\d+ \w+(?:, \d+ \w+)* in [\d.]+s", output, re.MULTILINE)
    if pytest:
        found = {what: int(n) for n, what in re.findall(r"(\d+) (\w+)", pytest.group())}
        broken = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
        cases = [found.get("passed", 0), broken, found.get("skipped", 0)]
    elif "[==========]" in output:
        cases = [total(kind, output) for kind in ("PASSED", "FAILED", "SKIPPED")]
    else:
        cases = [status == "run", 0, status in ("notrun", "disabled")]
    if status == "fail" and not cases[1]:
        cases[1] = 1
    passed, failed, skipped = passed + cases[0], failed + cases[1], skipped + cases[2]

print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))

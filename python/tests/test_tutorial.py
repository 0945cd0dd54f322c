"""The six steps of docs/python.md run as they stand there."""

import contextlib
import io
import os
import re
import textwrap

from conftest import ROOT


def test_six_steps(tmp_path):
    text = (ROOT / "docs/python.md").read_text()
    section = text[text.index("## Six steps"):text.index("## Comparing")]
    steps = [textwrap.dedent(block) for block in
             re.findall(r"^ *```python\n(.*?)^ *```$", section, re.DOTALL | re.MULTILINE)]
    assert len(steps) == 6
    names, printed = {}, []
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        for step in steps:
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(step, "docs/python.md", "exec"), names)
            printed.append(output.getvalue())
    finally:
        os.chdir(before)
    assert "different" in printed[1] and "axis" in printed[1]
    assert "Softmax" in printed[2]
    assert (tmp_path / "report.html").exists() and "causes" in printed[3]
    assert printed[4].strip() == "13"

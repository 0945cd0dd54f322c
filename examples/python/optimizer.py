"""An optimizer in a unit test: the rewritten model gives what the model gave.

python -m pytest examples/python/optimizer.py
"""

import pathlib

from onnxcmp.testing import assert_agree

HERE = pathlib.Path(__file__).resolve().parent.parent


def test_rewriting_keeps_what_the_model_gives():
    assert_agree(HERE / "affine.onnxtxt", HERE / "affine_rewritten.onnxtxt")

"""A small language model three times: with its modules as functions, inlined, and optimized. The
three are printed, drawn, and compared.

python examples/python/llm.py [FOLDER]      needs onnxscript
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnx.inliner
import onnxscript
import onnxscript.optimizer
from onnxscript import FLOAT, INT64
from onnxscript import opset18 as op

import onnxcmp

WORDS, WIDTH, LENGTH = 50, 16, 6
modules = onnxscript.values.Opset("modules", 1)


@onnxscript.script(modules, default_opset=op)
def attention(x, wq, wk, wv, wo, mask):
    scores = op.MatMul(op.MatMul(x, wq), op.Transpose(op.MatMul(x, wk), perm=[0, 2, 1]))
    weights = op.Softmax(op.Add(op.Mul(scores, op.Constant(value_float=0.25)), mask), axis=-1)
    return op.MatMul(op.MatMul(weights, op.MatMul(x, wv)), wo)


@onnxscript.script(modules, default_opset=op)
def feed_forward(x, up, down):
    return op.MatMul(op.Relu(op.MatMul(x, up)), down)


@onnxscript.script(default_opset=op)
def language_model(
    input_ids: INT64["batch", LENGTH], table, wq, wk, wv, wo, mask, scale, up, down, head
) -> FLOAT["batch", LENGTH, WORDS]:
    x = op.Gather(table, input_ids)
    x = op.Add(x, attention(op.LayerNormalization(x, scale), wq, wk, wv, wo, mask))
    x = op.Add(x, feed_forward(op.LayerNormalization(x, scale), up, down))
    return op.MatMul(x, head)


def weights():
    rng = np.random.default_rng(0)
    shapes = {name: (WIDTH, WIDTH) for name in ("wq", "wk", "wv", "wo")}
    shapes |= {"table": (WORDS, WIDTH), "up": (WIDTH, 64), "down": (64, WIDTH), "head": (WIDTH, WORDS)}
    made = {name: rng.standard_normal(shape).astype("f4") / 4 for name, shape in shapes.items()}
    made["scale"] = np.ones(WIDTH, "f4")
    made["mask"] = np.triu(np.full((LENGTH, LENGTH), -1e9, "f4"), 1)
    return made


def models():
    with_functions = language_model.to_model_proto()
    graph, given = with_functions.graph, weights()
    kept = [one for one in graph.input if one.name not in given]
    del graph.input[:]
    graph.input.extend(kept)
    graph.initializer.extend(onnx.numpy_helper.from_array(a, n) for n, a in given.items())
    plain = onnx.inliner.inline_local_functions(with_functions)
    return {
        "functions": with_functions,
        "plain": plain,
        "optimized": onnxscript.optimizer.optimize(plain),
    }


def show(*arguments):
    """The text of `onnxcmp show`, by the program of this package."""
    done = subprocess.run([sys.executable, "-m", "onnxcmp", "show", *map(str, arguments)], check=True,
                          capture_output=True, text=True)
    return done.stdout


def main(folder):
    files = {}
    for name, model in models().items():
        files[name] = folder / f"{name}.onnx"
        onnx.save(model, files[name])
        print(show(files[name]))
        (folder / f"{name}.svg").write_text(show(files[name], "--format", "svg"))
    for name in ("functions", "optimized"):
        comparison = onnxcmp.compare(files["plain"], files[name])
        print(comparison)
        comparison.save(folder / f"{name}.html")
        if not comparison:
            return comparison.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))

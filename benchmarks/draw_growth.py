"""Draws what growth.py measured.

    pip install matplotlib
    python benchmarks/draw_growth.py FOLDER/growth.json docs/growth.svg
"""
import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "onnxcmp", "font.size": 8})
import matplotlib.pyplot as plt  # noqa: E402

NODES = {"chain": "a chain", "wide": "branches side by side"}
STYLES = {"run": ":", "equal pair": "-", "pair that differs": "--"}


def draw(axes, figures, models, unit):
    for model, label in models.items():
        color = None
        for what, style in STYLES.items():
            points = [(f["size"], f["cpu_seconds"]) for f in figures
                      if f["model"] == model and f["what"] == what and f["status"] in (0, 1)]
            if not points:
                continue
            line, = axes.plot(*zip(*points), style, marker=".", color=color, linewidth=1,
                              label=f"{label}, {what}" if label else what)
            color = line.get_color()
    axes.set(xscale="log", yscale="log", xlabel=unit, ylabel="processor time, s")
    axes.grid(linewidth=0.3)
    axes.legend(frameon=False, loc="upper left")


def main(source, target):
    with open(source, encoding="utf-8") as file:
        figures = json.load(file)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    draw(left, figures, NODES, "nodes")
    draw(right, figures, {"large": ""}, "MiB of a result")
    figure.savefig(target, metadata={"Date": None})


main(*sys.argv[1:])

"""The golden cases of this folder: reading, writing, running them in onnxruntime.

README.md describes the files. Needs numpy, onnx and onnxruntime.
"""

import json
import os

import numpy as np
import onnx
import onnxruntime

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Operator:
    """The cases of one operator: settings by case name, arrays by "CASE/in/NAME" and the like."""

    def __init__(self, name, folder=FOLDER):
        self.folder = os.path.join(folder, name)
        self.name = name
        self.cases = {}
        self.arrays = {}
        if os.path.exists(self._path("cases.json")):
            with open(self._path("cases.json"), encoding="utf-8") as f:
                self.cases = json.load(f)
            with np.load(self._path("cases.npz"), allow_pickle=False) as archive:
                self.arrays = dict(archive)

    def _path(self, name):
        return os.path.join(self.folder, name)

    def model(self, case):
        return onnx.load(self._path(case + ".onnx"))

    def select(self, case, kind):
        """Arrays of a kind ("in", "out", "undefined") by the rest of their name."""
        prefix = f"{case}/{kind}/"
        return {k[len(prefix):]: v for k, v in self.arrays.items() if k.startswith(prefix)}

    def add(self, case, model, settings, feeds, expected, undefined=None):
        os.makedirs(self.folder, exist_ok=True)
        onnx.save(model, self._path(case + ".onnx"))
        self.cases[case] = settings
        for kind, arrays in (("in", feeds), ("out", expected), ("undefined", undefined or {})):
            for old in self.select(case, kind):
                del self.arrays[f"{case}/{kind}/{old}"]
            for name, array in arrays.items():
                self.arrays[f"{case}/{kind}/{name}"] = array

    def save(self):
        lines = [f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in
                 self.cases.items()]
        with open(self._path("cases.json"), "w", encoding="utf-8") as f:
            f.write("{\n" + ",\n".join(lines) + "\n}\n")
        np.savez_compressed(self._path("cases.npz"), **dict(sorted(self.arrays.items())))


def operators():
    names = (n for n in os.listdir(FOLDER) if os.path.exists(f"{FOLDER}/{n}/cases.json"))
    return [Operator(name) for name in sorted(names)]


def _sparse(value):
    values, indices, dims = value["values"], value["indices"], value["dims"]
    # onnxruntime takes the indices of a matrix row by row.
    return onnxruntime.SparseTensor.sparse_coo_from_numpy(
        dims.astype(np.int64), values, indices.astype(np.int64).ravel(),
        onnxruntime.OrtDevice.make("cpu", 0))


def evaluate(model, feeds, in_place=False):
    """What onnxruntime's CPU kernels compute, optimizations off, one thread: arrays by output.

    `feeds` may name the parts of a sparse input: "A/values", "A/indices", "A/dims". `in_place`:
    past_key and present_key, past_value and present_value are one buffer.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False
    if not isinstance(model, bytes):
        model = model.SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    sparse = {k[:-len("/dims")] for k in feeds if k.endswith("/dims")}
    given = {k: v for k, v in feeds.items() if k.split("/")[0] not in sparse}
    for name in sparse:
        given[name] = onnxruntime.OrtValue.ort_value_from_sparse_tensor(
            _sparse({part: feeds[f"{name}/{part}"] for part in ("values", "indices", "dims")}))
    if not in_place:
        return dict(zip(names, session.run(None, given)))
    binding = session.io_binding()
    buffers = {}
    for name, array in given.items():
        buffers[name] = onnxruntime.OrtValue.ortvalue_from_numpy(array.copy())
        binding.bind_ortvalue_input(name, buffers[name])
    for name in names:
        if name.startswith("present_"):
            binding.bind_ortvalue_output(name, buffers["past_" + name[len("present_"):]])
        else:
            binding.bind_output(name)
    session.run_with_iobinding(binding)
    return dict(zip(names, binding.copy_outputs_to_cpu()))


def mismatch(settings, got, want, undefined=None):
    """Why `got` is not `want`; "" if it is. The rule that tests/golden/contrib_test.cc has."""
    if got.dtype.kind in "OSU":
        same = got.shape == want.shape and (got.astype(str) == want.astype(str)).all()
        return "" if same else "strings differ"
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    if not want.size:
        return ""
    a, b = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all="ignore"):
        distance = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
        allowed = settings["atol"] + settings["rtol"] * np.abs(b)
        off = (distance > 0) & (~(distance <= allowed) | np.isinf(b))
    if undefined is not None:
        off &= ~undefined
        distance = np.where(undefined, 0, distance)
    if off.any():
        return f"{off.sum()} of {a.size} off, at most {np.nanmax(distance):.3g}"
    # Of 8-bit results a share may be one step off, or one element of a small tensor.
    steps = int((distance > 0).sum())
    if "one_off" in settings and steps > max(1, settings["one_off"] * a.size):
        return f"{steps} of {a.size} one step off"
    return ""

"""The package in a process: imports, the program, signals, memory, threads."""

import ast
import ctypes
import gc
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import pytest
from conftest import info, layers, model_of
from onnx import helper

import onnxcmp


def python(code, **options):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)


@pytest.mark.parametrize("flags", ["", "import sys, os; sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL);"],
                         ids=["local", "global"])
def test_orders_of_imports(flags, files):
    names = ["onnx", "onnxcmp._core", "google.protobuf.message"]
    for name in ("torch", "onnxruntime"):
        try:
            __import__(name)
            names.append(name)
        except ImportError:
            pass
    orders = list(itertools.permutations(names))
    if len(names) > 4:  # each before each other one, and the rest behind them
        orders = list({order[:2]: order for order in orders}.values())
    for order in orders:
        code = f"""{flags}
import {", ".join(order)}
import onnx, onnxcmp
model = onnx.load({str(files[0])!r})
onnx.checker.check_model(model)
onnx.shape_inference.infer_shapes(model)
assert onnxcmp.compare(model, {str(files[1])!r}).verdict == "different"
onnx.checker.check_model(model)
"""
        ran = python(code)
        assert ran.returncode == 0, (order, ran.stderr)


def test_extension_for_older_processors(files):
    folder = pathlib.Path(onnxcmp.__file__).parent / "_older"
    if not folder.is_dir():
        pytest.skip("this package is for one kind of processor")
    code = f"""
import onnxcmp
{{}}
from onnxcmp import _core
print(_core.__file__)
c = onnxcmp.compare({str(files[0])!r}, {str(files[1])!r})
print(c, c.to_dict()["rows"])
"""
    plain = python(code.format(""))
    older = python(code.format(f"onnxcmp.__path__.insert(0, {str(folder)!r})"))
    assert plain.returncode == 0 and older.returncode == 0, plain.stderr + older.stderr
    assert f"{folder}{os.sep}" not in plain.stdout
    assert older.stdout.splitlines()[0].startswith(f"{folder}{os.sep}_core.")
    assert older.stdout.splitlines()[1:] == plain.stdout.splitlines()[1:]
    emulator = shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")
    if emulator:  # of a processor of 2008
        command = [emulator, "-cpu", "Nehalem", sys.executable, "-c", code.format("")]
        emulated = subprocess.run(command, capture_output=True, text=True)
        assert (emulated.returncode, emulated.stdout) == (0, older.stdout), emulated.stderr


def test_import_is_quick():
    code = "import time; t = time.perf_counter(); import onnxcmp; onnxcmp.Error; print(time.perf_counter() - t)"
    assert min(float(python(code).stdout) for _ in range(5)) < 0.06


def test_version_and_names():
    assert onnxcmp.__version__ == python("import onnxcmp; print(onnxcmp.__version__)").stdout.strip()
    for name in onnxcmp.__all__:
        assert getattr(onnxcmp, name) is not None
    assert set(onnxcmp.__all__) <= set(dir(onnxcmp))
    with pytest.raises(AttributeError):
        onnxcmp.nobody


def test_type_checkers_see_every_name():
    """Strict ones take a name for exported that is imported as itself."""
    tree = ast.parse(pathlib.Path(onnxcmp.__file__).read_text())
    exported = {name.asname for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
                for name in node.names if name.asname == name.name}
    assert exported == set(onnxcmp.__all__) - {"__version__"}


def test_libraries_of_the_wheel():
    """Nothing of the names of libraries that are left out, and no empty stand-ins."""
    libraries = {path.name: path.stat().st_size
                 for path in pathlib.Path(onnxcmp.__file__).parent.parent.glob("onnxcmp.libs/*")}
    if not libraries:
        pytest.skip("not installed from a repaired wheel")
    assert not [name for name in libraries if name.startswith(("libcrypto", "libssl", "libgnutls"))]
    assert all(size > 4096 for size in libraries.values()), libraries
    assert all(size > 500_000 for name, size in libraries.items() if name.startswith("libicudata"))


@pytest.mark.parametrize("locale, lower", [("en_US", "i\u0307\u0131\u00dfi"), ("tr_TR", "i\u0131\u00df\u0131"),
                                           ("xx_YY", "i\u0307\u0131\u00dfi")])
def test_case_of_strings_by_locale(locale, lower):
    """ICU's own rules: in Turkish a capital I with a dot, and one without, are other letters."""
    node = helper.make_node("StringNormalizer", ["x"], ["y"], case_change_action="LOWER", locale=locale)
    text = onnx.TensorProto.STRING
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", text, [1])],
                              [helper.make_tensor_value_info("y", text, [1])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    result = onnxcmp.Evaluator(model).run(None, {"x": np.array(["\u0130\u0131\u00dfI"])})[0]
    assert result.tolist() == [lower]


def test_program(files, tmp_path):
    ran = subprocess.run(["onnxcmp", *map(str, files), "--json", str(tmp_path / "c.json")],
                         capture_output=True, text=True)
    assert ran.returncode == 1 and "epsilon" in ran.stdout and not ran.stderr
    assert json.loads((tmp_path / "c.json").read_text())["verdict"] == "different"
    ran = subprocess.run(["onnxcmp", "--version"], capture_output=True, text=True)
    assert ran.stdout.startswith(f"onnxcmp {onnxcmp.__version__}")
    ran = subprocess.run([sys.executable, "-m", "onnxcmp", "no", "files"], capture_output=True)
    assert ran.returncode == 2 and ran.stderr


def endless():
    """A loop that takes minutes."""
    body = helper.make_graph(
        [helper.make_node("Mul", ["v", "v"], ["w"]), helper.make_node("Identity", ["c"], ["go"])],
        "body",
        [info("i", onnx.TensorProto.INT64, []), info("c", onnx.TensorProto.BOOL, []), info("v")],
        [info("go", onnx.TensorProto.BOOL, []), info("w")],
    )
    return model_of([helper.make_node("Loop", ["trips", "", "x"], ["y"], body=body)],
                    [info("x")], [info("y")], [("trips", np.array(1 << 40))])


@pytest.mark.parametrize("call", [
    'onnxcmp.compare("m.onnx", "m.onnx", depth=0)',
    'onnxcmp.Evaluator("m.onnx").run(None, {"x": numpy.ones((1, 4), "f4")})',
])
def test_interrupt(call, tmp_path):
    onnx.save(endless(), tmp_path / "m.onnx")
    code = f"""
import numpy, onnxcmp, time
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("stopped", flush=True)
assert onnxcmp.compare({{"a": numpy.ones(2)}}, {{"a": numpy.ones(2)}}).verdict == "same"
"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert out == "stopped\n" and process.returncode == 0, err
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("call", [
    'onnxcmp.compare("m.onnx", "m.onnx")',
    'onnxcmp.Evaluator("m.onnx").run(None, feeds)',
    'onnxcmp.Evaluator("m.onnx").run(None, feeds, observer=lambda result: None)',
])
def test_a_process_may_end_while_others_work(call, tmp_path):
    onnx.save(endless(), tmp_path / "m.onnx")
    ran = python(f"""
import numpy, onnxcmp, threading, time
feeds = {{"x": numpy.ones((1, 4), "f4")}}
threading.Thread(target=lambda: {call}, daemon=True).start()
time.sleep(0.5)
""", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_progress(plain, x):
    calls = []
    c = onnxcmp.compare(endless_free(), endless_free(), progress=lambda *args: calls.append(args))
    assert c.verdict == "same" and calls and all(len(call) == 4 for call in calls)

    def fail(*args):
        raise RuntimeError("seen enough")

    with pytest.raises(RuntimeError, match="seen enough"):
        onnxcmp.compare(endless_free(), endless_free(), progress=fail)


def endless_free():
    model = endless()
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(np.array(30000), "trips"))
    return model


def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_many_comparisons_take_no_more_memory(plain, wrong, x):
    def work(times):
        for _ in range(times):
            c = onnxcmp.compare(plain, wrong, {"x": x})
            assert c.causes and str(c) and c.rows[0].left_value is not None

    work(30)
    before = rss()
    work(120)
    assert rss() - before < 2 << 20


def heap():
    """Bytes that are in use, by malloc's account: what is spare and torn does not count."""

    class Mallinfo2(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
            "fordblks", "keepcost")]

    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = Mallinfo2
    gc.collect()
    return mallinfo2().uordblks


def test_nothing_is_kept_of_comparisons(plain, x):
    pairs = [(plain, layers(epsilon=0.1 + i / 100)) for i in range(20)]

    def work(times):
        for i in range(times):
            c = onnxcmp.compare(*pairs[i % len(pairs)], {"x": x})
            assert c.causes and str(c) and c.rows[0].left_value is not None
            assert c.explain("b") and c.html()

    work(40)
    before = heap()
    work(200)
    # Less than 200 B each; a comparison that stays takes 100 kB.
    assert heap() - before < 40_000
    held = [onnxcmp.compare(*pairs[0], {"x": x})]
    assert heap() - before > 40_000 and held


def test_threads_give_the_same(plain, wrong):
    xs = [np.random.default_rng(i).standard_normal((9, 4)).astype(np.float32) for i in range(4)]
    want = [onnxcmp.compare(plain, wrong, {"x": x}).to_dict() for x in xs]
    got = [[] for _ in xs]

    def work(i):
        for _ in range(5):
            got[i].append(onnxcmp.compare(plain, wrong, {"x": xs[i]}).to_dict())

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(one == want[i] for i in range(4) for one in got[i])
    assert all(len(one) == 5 for one in got)


def test_closed_and_vanished_files(files, tmp_path):
    c = onnxcmp.compare(*files)
    files[0].unlink()
    assert c.rows and c.explain("b")
    with pytest.raises(onnxcmp.Error):
        onnxcmp.compare(*files)
    with pytest.raises(OSError):
        c.save(tmp_path / "no" / "folder.json")


def test_layers_are_what_they_were():
    assert onnxcmp.compare(layers(), layers()).verdict == "same"


def test_interrupt_of_an_isolated_runtime(files, tmp_path):
    """One that does not answer is not waited for."""
    (tmp_path / "slow.py").write_text("""
import time
from onnxcmp_runtimes import base

class Adapter(base.Adapter):
    name = "slow"
    def load(self, path, extra=(), optimized=None): return 1
    def run(self, session, feeds): time.sleep(100)
    def unload(self, session): pass
""")
    code = f"""
import onnxcmp
print("ready", flush=True)
try:
    onnxcmp.compare({str(files[0])!r}, onnxcmp.runtimes.Adapter({str(files[0])!r}, "./slow.py"))
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == "ready\n"
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert out == "stopped\n" and process.returncode == 0, err

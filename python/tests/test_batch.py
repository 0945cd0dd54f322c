"""onnxcmp batch: the program of the package, and its pairs on a cluster of Ray."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import pytest
from conftest import info, model_of
from onnx import helper

PROGRAM = [sys.executable, "-m", "onnxcmp"]


def norm(epsilon, number):
    nodes = [helper.make_node("Constant", [], ["s"], value_floats=[1.0] * 4, name=f"s{number}"),
             helper.make_node("LayerNormalization", ["x", "s"], ["y"], epsilon=epsilon)]
    return model_of(nodes, [info("x", shape=[2, 4])], [info("y", shape=[2, 4])])


@pytest.fixture
def zoo(tmp_path):
    """Twelve pairs, of which every fourth differs, one is no model, and one side is missing."""
    def make(count=12):
        for side in ("a", "b"):
            (tmp_path / side).mkdir()
            for number in range(count):
                epsilon = 0.1 if side == "b" and number % 4 == 3 else 1e-5
                onnx.save(norm(epsilon, number), tmp_path / side / f"m{number}.onnx")
        (tmp_path / "b" / "m0.onnx").write_bytes(b"garbage")
        (tmp_path / "b" / "m1.onnx").unlink()
        return tmp_path
    return make


def batch(*arguments, **options):
    return subprocess.run([*PROGRAM, "batch", *map(str, arguments)], capture_output=True,
                          text=True, check=False, timeout=300, **options)


def results(folder):
    with open(folder / "results.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    found = {line["name"]: line for line in lines}
    assert len(found) == len(lines)
    for line in lines:
        assert (folder / line["folder"] / "result.json").exists()
    return found


def verdicts(folder):
    return {name: line["verdict"] for name, line in results(folder).items()}


def test_on_one_machine(zoo):
    folder = zoo()
    done = batch(folder / "a", folder / "b", "--out", folder / "out")
    assert done.returncode == 2, done.stderr
    found = verdicts(folder / "out")
    assert len(found) == 12
    assert found["m0"] == found["m1"] == "unreadable"
    assert [name for name, verdict in found.items() if verdict == "different"] == [
        "m3", "m7", "m11"]
    again = batch(folder / "a", folder / "b", "--out", folder / "out")
    assert "; 0 compared, 12 known" in again.stdout


def test_ray_is_asked_for_by_name(zoo):
    from onnxcmp._batch_ray import _Options, asks_for_ray

    assert asks_for_ray(["batch", "m.csv", "--ray"])
    assert not asks_for_ray(["batch", "m.csv", "--", "--ray"])
    assert not asks_for_ray(["run", "--ray"])
    options = _Options(["batch", "--ray", "head:6379", "a", "b", "--out", "o", "--pages=none",
                        "--", "--rtol", "1"])
    assert options.address == "head:6379"
    assert options.listing == ["a", "b", "--", "--rtol", "1"]
    assert options.passed_on == ["--pages", "none"]
    assert _Options(["batch", "a", "b", "--out", "o", "--ray"]).address is None


def test_changed_external_data_are_not_known(tmp_path):
    """What Ray's driver does, without Ray."""
    from onnxcmp import _batch_ray

    weights = tmp_path / "w.bin"
    for name, location in (("a.onnx", None), ("b.onnx", "w.bin")):
        model = model_of([helper.make_node("Add", ["x", "w"], ["y"])], [info("x", shape=[256])],
                         [info("y", shape=[256])], [("w", np.ones(256, np.float32))])
        onnx.save(model, tmp_path / name, save_as_external_data=location is not None,
                  location=location, size_threshold=0)
    pair = {"name": "p", "left": str(tmp_path / "a.onnx"), "right": str(tmp_path / "b.onnx")}
    version = _batch_ray._version()

    def compared():
        folder = _batch_ray._Folder(str(tmp_path / "out"), [], version)
        identity = folder.identity(pair)
        if folder.find(identity, retry=False) is not None:
            return None
        ((line, *files),) = _batch_ray._compare([pair], ["--pages", "none"], version)
        folder.keep(identity, line, *files)
        return line["verdict"]

    time.sleep(2.5)  # files that were written to just now are not trusted
    assert compared() == "same"
    assert compared() is None
    time_of = os.stat(weights)
    np.full(256, 2, np.float32).tofile(weights)
    os.utime(weights, ns=(time_of.st_atime_ns, time_of.st_mtime_ns))
    assert compared() == "different"
    # So are test data beside the models.
    time.sleep(2.5)
    assert compared() == "different"
    assert compared() is None
    (tmp_path / "test_data_set_0").mkdir()
    x = onnx.numpy_helper.from_array(np.ones(256, np.float32), "x")
    (tmp_path / "test_data_set_0" / "input_0.pb").write_bytes(x.SerializeToString())
    assert compared() == "different"


@pytest.fixture
def ray(monkeypatch):
    """Ray with a folder of its own: other clusters of this machine are not seen."""
    module = pytest.importorskip("ray", reason="Ray is not installed: pip install 'onnxcmp[ray]'")
    # Paths of sockets are bounded by 107 bytes, which those of pytest's folders exceed.
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("RAY_TMPDIR", folder)
        monkeypatch.delenv("RAY_ADDRESS", raising=False)
        yield module
        module.shutdown()


def test_the_cluster_that_is_found(tmp_path, monkeypatch, capsys):
    """An address is tried before Ray, which asks a dead one for minutes."""
    from onnxcmp._ray_cluster import ClusterError, find_cluster

    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    (tmp_path / "ray").mkdir()
    last = tmp_path / "ray" / "ray_current_cluster"
    with socket.create_server(("127.0.0.1", 0)) as server:
        alive = f"127.0.0.1:{server.getsockname()[1]}"
        assert find_cluster(None) == "local"
        with pytest.raises(ClusterError, match="no cluster of Ray runs on this machine"):
            find_cluster("auto")
        last.write_text(alive)
        assert find_cluster(None) == find_cluster("auto") == find_cluster(alive) == alive
        assert find_cluster(f"ray://{alive}") == f"ray://{alive}"
        assert find_cluster("local") == "local"
        last.unlink()
        monkeypatch.setenv("RAY_ADDRESS", alive)
        assert find_cluster(None) == find_cluster("auto") == alive
        assert find_cluster("local") == "local"
    monkeypatch.setenv("RAY_ADDRESS", "")
    last.write_text(alive)
    assert capsys.readouterr().err == ""
    assert find_cluster(None) == "local"
    assert capsys.readouterr().err == (
        f"the last cluster of Ray, at {alive}, does not answer: Ray is started on this machine\n")
    for asked, text in ((alive, "no cluster of Ray answers at"), ("auto", "does not answer"),
                        (f"ray://{alive}", "no cluster of Ray answers at")):
        with pytest.raises(ClusterError, match=text):
            find_cluster(asked)


def test_a_url_needs_no_shared_folder(zoo, ray):
    """Models behind a URL, with external data, fetched by workers."""
    folder = zoo()
    weights = np.ones(256, np.float32)
    model = model_of([helper.make_node("Add", ["x", "w"], ["y"])], [info("x", shape=[256])],
                     [info("y", shape=[256])], [("w", weights)])
    onnx.save(model, folder / "b" / "big.onnx")
    onnx.save(model, folder / "a" / "big.onnx", save_as_external_data=True, location="big.bin",
              size_threshold=0)
    manifest = folder / "m.jsonl"
    manifest.write_text(json.dumps({"name": "big", "left": f"file://{folder}/a/big.onnx",
                                    "right": f"file://{folder}/b/big.onnx"}) + "\n")
    # A cluster that is gone is no reason to wait.
    last = pathlib.Path(os.environ["RAY_TMPDIR"]) / "ray" / "ray_current_cluster"
    last.parent.mkdir()
    last.write_text("127.0.0.1:9")
    done = batch(manifest, "--out", folder / "out", "--ray")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "at 127.0.0.1:9, does not answer" in done.stderr
    assert results(folder / "out")["big"]["left"].startswith("file://")
    # A folder behind a URL: the results of an earlier batch are known there.
    manifest.write_text(manifest.read_text() + json.dumps({
        "name": "gone", "left": f"file://{folder}/a/big.onnx",
        "right": f"file://{folder}/b/gone.onnx"}) + "\n")
    for known in (0, 2):
        done = batch(manifest, "--out", f"file://{folder}/night", "--ray")
        assert done.returncode == 2, done.stderr + done.stdout
        assert f"page       file://{folder}/night/index.html" in done.stdout
        assert ("2 of 2 pairs are known" in done.stderr) == (known == 2), done.stderr
        found = results(folder / "night")
        assert found["big"]["verdict"] == "same"
        assert f"file://{folder}/b/gone.onnx" in found["gone"]["summary"]


def test_a_node_is_lost(zoo, ray):
    """200 pairs on three nodes, one of which is killed in the middle."""
    from ray.cluster_utils import Cluster

    from onnxcmp import _batch_ray

    folder = zoo(200)
    assert batch(folder / "a", folder / "b", "--out", folder / "one", "--pages",
                 "none").returncode == 2
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    lost = cluster.add_node(num_cpus=1)
    cluster.add_node(num_cpus=1)
    try:
        ray.init(address=cluster.address, log_to_driver=False)
        kept = _batch_ray._Folder.keep
        count = 0

        def keep(self, *arguments):
            nonlocal count
            count += 1
            kept(self, *arguments)
            if count == 60:
                cluster.remove_node(lost, allow_graceful=False)

        _batch_ray._Folder.keep = keep
        command = ["batch", str(folder / "a"), str(folder / "b"), "--out", str(folder / "ray"),
                   "--ray", "--quiet", "--pages", "none"]
        start = time.monotonic()
        try:
            assert _batch_ray.main(command) == 2
        finally:
            _batch_ray._Folder.keep = kept
        print(f"200 pairs on three nodes, one lost: {time.monotonic() - start:.1f} s")
        assert count == 200
        assert verdicts(folder / "ray") == verdicts(folder / "one")
        # All is known now, and nothing is handed out again.
        assert _batch_ray.main(command) == 2
        assert count == 200
    finally:
        ray.shutdown()
        cluster.shutdown()

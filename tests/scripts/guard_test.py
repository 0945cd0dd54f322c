#!/usr/bin/env python3
"""What script/guard records, and what it takes for a change: guard_test.py ONNXCMP."""
import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GUARD = ROOT / "script/guard"
PROGRAM = sys.argv.pop()
README = ROOT / "testdata/readme"
LEFT, RIGHT = "attention.onnxtxt", "attention_exported.onnxtxt"

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("guard", str(GUARD))
guard = importlib.util.module_from_spec(importlib.util.spec_from_loader("guard", loader))
loader.exec_module(guard)


class Folder(unittest.TestCase):
    """Pairs in folders of all kinds."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "pairs"
        self.folder.mkdir()

    def models(self, place, left=LEFT, right=RIGHT):
        (self.folder / place).mkdir()
        shutil.copy(README / LEFT, self.folder / place / left)
        shutil.copy(README / RIGHT, self.folder / place / right)
        return self.folder / place

    def guard(self, *arguments):
        return subprocess.run([GUARD, *arguments], capture_output=True, text=True, check=False)

    def record(self, name, *arguments):
        file = self.folder.parent / name
        run = self.guard("record", file, "--onnxcmp", PROGRAM, "--only", "pairs/", self.folder, *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return file

    def test_names(self):
        self.models("two")
        self.models("sides", "left.onnxtxt", "right.onnxtxt")
        (self.folder / "sides/other.onnx").touch()
        (self.folder / "sides/inputs.npz").touch()
        (self.models("told") / "cmd").write_text(f"onnxcmp {LEFT} '{LEFT}' --ramp\n# more\n")
        (self.models("list") / "pairs.csv").write_text(
            f"name,left,right,options\na,{LEFT},{RIGHT},--ramp\nb,{RIGHT},{LEFT},\n")
        (self.models("cases") / "cases.py").write_text(
            f"C = [{{'id': 'c', 'dir': '../cases', 'args': ['{LEFT}', '{RIGHT}'], 'exit': 1}}]\n")
        (self.folder / "empty/inner").mkdir(parents=True)
        pairs = {pair.name: pair for pair in guard.pairs_in(PROGRAM, self.folder, "pairs")}
        self.assertEqual(list(pairs), ["pairs/cases/c", "pairs/list/pairs/a", "pairs/list/pairs/b",
                                       "pairs/sides", "pairs/told", "pairs/two"])
        self.assertEqual(pairs["pairs/sides"].arguments,
                         ["left.onnxtxt", "right.onnxtxt", "--inputs", "inputs.npz"])
        self.assertEqual(pairs["pairs/told"].arguments, [LEFT, LEFT, "--ramp"])
        self.assertEqual(pairs["pairs/two"].arguments, [LEFT, RIGHT])
        self.assertEqual(pairs["pairs/cases/c"].arguments, [LEFT, RIGHT])
        self.assertEqual(pairs["pairs/list/pairs/a"].arguments[2:], ["--ramp"])
        self.assertEqual(pathlib.Path(pairs["pairs/list/pairs/b"].arguments[0]).name, RIGHT)

    def test_facts(self):
        self.models("differ")
        (self.models("agree") / "cmd").write_text(f"{LEFT} {LEFT}")
        (self.models("wrong") / "cmd").write_text(f"{LEFT} nothing.onnx")
        (self.models("shown") / "cmd").write_text(f"show {LEFT}")
        facts = json.loads(self.record("a.json").read_text())
        differ = facts["pairs/differ"]
        self.assertEqual((differ["exit"], differ["verdict"], differ["kind"], differ["causes"], differ["pairs"]),
                         (1, "different", "operator", 1, 18))
        self.assertRegex(differ["cause"], "^Softmax weights . Softmax val_7: on the left's own inputs")
        self.assertEqual(differ["rows"], "4 different, 14 same")
        agree = facts["pairs/agree"]
        self.assertEqual((agree["exit"], agree["verdict"], agree["causes"]), (0, "same", 0))
        self.assertNotEqual(agree["pairing"], differ["pairing"])
        self.assertEqual((facts["pairs/wrong"]["exit"], facts["pairs/wrong"]["kind"]), (2, "error"))
        self.assertIn("nothing.onnx", facts["pairs/wrong"]["cause"])
        self.assertEqual(facts["pairs/shown"]["exit"], 0)

    def test_twice_the_same(self):
        self.models("differ")
        compared = self.guard("compare", self.record("a.json"), self.record("b.json"))
        self.assertEqual((compared.returncode, compared.stdout), (0, "0 of 1 pairs changed\n"))

    def test_timeout(self):
        self.models("differ")
        facts = json.loads(self.record("a.json", "--timeout", "0").read_text())
        self.assertEqual(facts["pairs/differ"]["exit"], "timeout")


class Changes(unittest.TestCase):
    OLD = {"a": {"exit": 0, "time": -3, "verdict": "same", "rest": "1"}, "b": {"exit": 1, "time": 2, "rest": "2"}}

    def changes(self, **members):
        return list(guard.changes_of(self.OLD, {**self.OLD, **members}))

    def test_fields(self):
        self.assertEqual(self.changes(), [])
        self.assertEqual(self.changes(a={"exit": 1, "time": -3, "kind": "input", "rest": "3"}),
                         [("a", "exit", 0, 1), ("a", "verdict", "same", None), ("a", "kind", None, "input")])
        self.assertEqual(self.changes(b={"exit": 1, "time": 2, "rest": "3"}), [("b", "rest", "2", "3")])

    def test_time(self):
        self.assertEqual(self.changes(b={"exit": 1, "time": 1, "rest": "2"}), [])
        self.assertEqual(self.changes(b={"exit": 1, "time": 4, "rest": "2"}), [("b", "time", 2, 4)])

    def test_pairs(self):
        self.assertEqual(self.changes(c={"exit": 0}), [("c", "pair", "missing", "recorded")])
        self.assertEqual(list(guard.changes_of(self.OLD, {"a": self.OLD["a"]})),
                         [("b", "pair", "recorded", "missing")])

    def test_exit_status(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("old.json", "new.json")]
            for file, members in zip(files, ({}, {"a": {"exit": 1, "time": -3, "verdict": "same", "rest": "1"},
                                                  "b": {"exit": 1, "time": 2, "rest": "9"}})):
                file.write_text(json.dumps({**self.OLD, **members}))
            run = subprocess.run([GUARD, "compare", *files], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, "a  exit: 0 -> 1\n1 of 2 pairs changed, 1 exit; "
                                                           "of 1 more something else in the report\n"))


if __name__ == "__main__":
    unittest.main()

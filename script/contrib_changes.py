"""What changed between two onnxruntimes, and what a person has to do: script/update_contrib's report.

    contrib_changes.py OLD.json NEW.json GOLDEN.txt OPS-FOLDER TESTS-FOLDER

The first two are of contrib_schemas.py --json, GOLDEN.txt is what regenerate.py --check says under
the new one. Needs nothing but Python.
"""

import difflib
import json
import pathlib
import re
import sys

WIDTH = 100


def section(title, lines):
    print(f"\n{title}:" if lines else f"\n{title}: none")
    for line in lines:
        print(line if len(line) <= WIDTH else line[:WIDTH - 4] + " ...")


def name_of(key):
    return key.split(" ")[1]


def difference(old, new):
    """Lines that are gone and lines that are new, in the order of the text."""
    return [f"{line[0]} {line[2:]}" for line in difflib.ndiff(old, new)
            if line[0] in "+-" and line[2:].strip()]


class Update:
    def __init__(self, old, new, ops, tests):
        self.old, self.new, self.tests = old, new, tests
        self.sources = {path: path.read_text(encoding="utf-8") for path in ops.rglob("*.cc")}
        tables = (ops / "contrib" / "more_schemas.txt").read_text(encoding="utf-8")
        self.by_hand = {" ".join(line.split()[1:4]) for line in tables.splitlines()
                        if line.startswith("op ")}
        self.refused = self._quoted("refused.cc")
        self.to_do = []
        self.before, self.after = old["schemas"], new["schemas"]

    def _quoted(self, file):
        text = next(t for p, t in self.sources.items() if p.name == file)
        return set(re.findall(r'^    \{[^"\n]*"(\w+)", \d', text, re.MULTILINE))

    def place(self, key):
        """The file that registers an operator; "" if none does."""
        name = name_of(key)
        return next((p.name for p, t in sorted(self.sources.items())
                     if f'"{name}"' in t and p.name != "refused.cc"), "")

    def has_golden(self, key):
        domain, name, _ = key.split(" ")
        folder = {"com.microsoft.nchwc": f"nchwc.{name}"}.get(domain, name)
        return (self.tests / folder / "cases.json").exists()

    def kernel_of(self, key):
        return self.new["kernels"].get(" ".join(key.split(" ")[:2]), [])

    def operators(self):
        new = [k for k in self.after if k not in self.before]
        gone = [k for k in self.before if k not in self.after]
        lines = []
        for key in new:
            lines.append(f"  {key}{': CPU kernel' if self.kernel_of(key) else ''}")
            if any(k.split(" ")[:2] == key.split(" ")[:2] for k in self.before):
                self.to_do.append(f"{key}: a new version of what {self.place(key)} registers.")
                continue
            if name_of(key) in self.refused or self.place(key):
                continue
            source = ("golden cases from its CPU kernel" if self.kernel_of(key) else
                      "values from its text, onnxruntime's tests, papers; refused.cc if these do "
                      "not define it")
            self.to_do.append(f"{key}: write the kernel; {source}.")
        section("New operators", lines)
        section("Operators that are gone", [f"  {k}" for k in gone])
        for key in gone:
            self.to_do.append(f"{key} is gone: move its schema to more_schemas.txt, so that older "
                              "models run.")

    def signatures(self):
        lines = []
        for key in self.before:
            if key not in self.after:
                continue
            changed = difference(self.before[key]["lines"], self.after[key]["lines"])
            if self.before[key]["deprecated"] != self.after[key]["deprecated"]:
                changed.append("+ deprecated")
            if not changed:
                continue
            lines += [f"  {key}", *(f"    {line}" for line in changed)]
            if name_of(key) in self.refused:
                self.to_do.append(f"{key} is refused: does what changed define it now?")
            else:
                self.to_do.append(f"{key}, {self.place(key) or 'no kernel'}: follow the changed "
                                  "signature, with a test for each attribute and input.")
        section("Changed attributes, inputs, outputs and types, by line", lines)

    def texts(self):
        lines = []
        for key in self.before:
            if key not in self.after:
                continue
            old, new = self.before[key]["texts"], self.after[key]["texts"]
            changed = [what for what in new if what in old and old[what] != new[what]]
            if not changed:
                continue
            lines.append(f"  {key}")
            for what in changed:
                lines.append(f"    {what}")
                lines += [f"      {line}" for line in
                          difference(old[what].splitlines(), new[what].splitlines())]
            self.to_do.append(f"{key}, {self.place(key) or 'refused.cc'}: read what its text says "
                              "now.")
        section("Changed texts", lines)

    def kernels(self):
        lines, fresh = [], []
        for key in sorted(self.new["kernels"]):
            old = self.old["kernels"].get(key, [])
            added = [t for t in self.new["kernels"][key] if t not in old]
            removed = [t for t in old if t not in self.new["kernels"][key]]
            known = [k for k in self.after if k.startswith(key + " ")]
            if known and (added or removed):
                lines += [f"  {key}", *(f"    - {t}" for t in removed),
                          *(f"    + {t}" for t in added)]
                fresh += [k for k in known if added and k in self.before]
        section("CPU kernels of these operators, by types", lines)
        for key in fresh:
            self.to_do.append(f"{key}: its CPU kernel takes more than before: golden cases of that; "
                              "do its values agree with ours?")
        section("Domains that the table leaves out", [f"  {d}" for d in self.new["elsewhere"]])

    def tables(self):
        twice = sorted(self.by_hand & set(self.after))
        section("In more_schemas.txt, though onnxruntime registers them", [f"  {k}" for k in twice])
        for key in twice:
            self.to_do.append(f"{key}: take it out of more_schemas.txt.")
        names = {name_of(k) for k in self.after} | {k.split()[1] for k in self.by_hand}
        section("Refused, though nothing registers them",
                [f"  {n}" for n in sorted(self.refused - names)])
        untested = [k for k in self.after if self.kernel_of(k) and not self.has_golden(k)
                    and not self.after[k]["deprecated"] and k.startswith("com.microsoft ")
                    and name_of(k) not in self.refused]
        section("With a CPU kernel and without golden cases", [f"  {k}" for k in untested])


def main():
    old, new = (json.loads(pathlib.Path(p).read_text(encoding="utf-8")) for p in sys.argv[1:3])
    golden = pathlib.Path(sys.argv[3]).read_text(encoding="utf-8").strip().splitlines()
    update = Update(old, new, pathlib.Path(sys.argv[4]), pathlib.Path(sys.argv[5]))
    print(f"onnxruntime {old['version']} -> {new['version']}")
    update.operators()
    update.signatures()
    update.texts()
    update.kernels()
    update.tables()
    summary = golden[-1] if golden else "it did not run"
    section(f"Golden cases: {summary}; changed", [f"  {line}" for line in golden[:-1]])
    for line in golden[:-1]:
        update.to_do.append(f"golden case {line.split(':')[0]}: find out why, say it in "
                            "docs/numerics.md, and regenerate.py it if we follow.")
    update.to_do += [
        "optimize models with it at all levels and run the results (docs/updating.md).",
        "docs/fused_operators.md: a pair in testdata/fusions for a new operator that stands for standard "
        "ones.",
        "docs/operators.md, counts in README.md, tests/golden/contrib/README.md, CHANGELOG.md.",
    ]
    print("\nTo do")
    for number, line in enumerate(update.to_do, 1):
        print(f"{number:3}. {line}")


main()

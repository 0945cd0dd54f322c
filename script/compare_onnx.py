"""Prints what is new, changed and gone between two versions of ONNX, given as the JSON files that
onnx_facts.py writes, and what a person has to do about it: script/update_onnx runs it."""

import collections
import difflib
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The schema that stands before a new operator's.
NOTHING = {
    "deprecated": False,
    "documentation": "",
    "attributes": {},
    "inputs": [],
    "outputs": [],
    "types": {},
    "bodies": {},
}


def show(text, indent):
    print(textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent + "  "))


def lines_of_difference(old, new):
    """The lines that differ, without those around them."""
    for line in difflib.ndiff(old.splitlines(), new.splitlines()):
        if line[0] in "+-" and line[2:].strip():
            yield line.rstrip()


def describe(value):
    """An attribute or a parameter in one line, without its documentation."""
    return ", ".join(f"{k} {v}" for k, v in value.items() if k != "documentation" and v != "")


def named(parameters):
    return {p["name"]: p for p in parameters}


def part_differences(kind, old, new):
    """What differs between attributes, inputs or outputs, by name."""
    for name in new.keys() - old.keys():
        yield f"new {kind} {name}: {describe(new[name])}"
    for name in old.keys() - new.keys():
        yield f"{kind} {name} is gone"
    for name in old.keys() & new.keys():
        if describe(old[name]) != describe(new[name]):
            yield f"{kind} {name}: {describe(old[name])} -> {describe(new[name])}"


def text_differences(what, old, new):
    changed = list(lines_of_difference(old, new))
    if changed:
        yield "\n".join([f"{what}:", *changed])


def schema_differences(old, new):
    """Every difference between two schemas, one string each."""
    if old["deprecated"] != new["deprecated"]:
        yield "deprecated" if new["deprecated"] else "no longer deprecated"
    yield from sorted(part_differences("attribute", old["attributes"], new["attributes"]))
    for kind in ("input", "output"):
        before, after = named(old[kind + "s"]), named(new[kind + "s"])
        yield from sorted(part_differences(kind, before, after))
        if sorted(before) == sorted(after) and list(before) != list(after):
            yield f"{kind}s in another order: {', '.join(after)}"
    for name in sorted(old["types"].keys() | new["types"].keys()):
        before = set(old["types"].get(name, {"allowed": []})["allowed"])
        after = set(new["types"].get(name, {"allowed": []})["allowed"])
        if after - before:
            yield f"types of {name}, new: {' '.join(sorted(after - before))}"
        if before - after:
            yield f"types of {name}, gone: {' '.join(sorted(before - after))}"
    yield from text_differences("text", old["documentation"], new["documentation"])
    for kind in ("attributes", "inputs", "outputs", "types"):
        before = old[kind] if isinstance(old[kind], dict) else named(old[kind])
        after = new[kind] if isinstance(new[kind], dict) else named(new[kind])
        for name in sorted(before.keys() & after.keys()):
            yield from text_differences(
                f"text of {name}", before[name]["documentation"], after[name]["documentation"]
            )
    for version in sorted(old["bodies"].keys() | new["bodies"].keys(), key=int):
        yield from text_differences(
            f"body for opset {version}",
            old["bodies"].get(version, ""),
            new["bodies"].get(version, ""),
        )


def print_differences(title, old, new):
    differences = list(schema_differences(old, new))
    print(f"  {title}" + ("" if differences else ": as before"))
    for difference in differences:
        first, *rest = difference.splitlines()
        show(first, "    ")
        for line in rest:
            show(line, "      ")


def operator_of(key):
    return key.rsplit(" ", 1)[0]


def version_of(key):
    return int(key.rsplit(" ", 1)[1])


def predecessor(key, schemas):
    """The version of the same operator that `key` replaces, or None."""
    same = [k for k in schemas if operator_of(k) == operator_of(key)]
    older = [k for k in same if version_of(k) < version_of(key)]
    return max(older, key=version_of, default=None)


def compare_schemas(old, new):
    """Prints all differences; returns the keys of what is new and of what changed as it stands."""
    added = sorted(new.keys() - old.keys())
    print("\n== New schemas, each beside the version before it")
    for key in added:
        before = predecessor(key, new)
        what = "a new operator" if before is None else f"before {version_of(before)}"
        print_differences(f"{key}, {what}", new.get(before, NOTHING), new[key])
    print("\n== Schemas that changed without a new version")
    changed = [k for k in sorted(new.keys() & old.keys()) if old[k] != new[k]]
    for key in changed:
        print_differences(key, old[key], new[key])
    gone = sorted(old.keys() - new.keys())
    print("\n== Schemas that are gone:", ", ".join(gone) or "none")
    return added, changed, gone


def by_operator(names, tests):
    """ "Attention 38, Elu 4": how many of the tests are of which operator."""
    counts = collections.Counter(tests[name]["operator"] for name in names)
    return ", ".join(f"{operator} {count}" for operator, count in sorted(counts.items()))


def compare_tests(old, new):
    added, gone = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    print(f"\n== Tests: {len(old)} -> {len(new)}")
    for title, names in (("new", added), ("gone", gone)):
        if names:
            show(f"{title} ({len(names)}): {' '.join(names)}", "  ")
    changed = collections.defaultdict(list)
    for name in sorted(new.keys() & old.keys()):
        parts = [p for p in new[name] if new[name][p] != old[name][p]]
        if parts:
            changed[", ".join(parts)].append(name)
    for parts, names in sorted(changed.items()):
        show(f"other {parts} ({len(names)}): {by_operator(names, new)}", "  ")


def compare_versions(old, new):
    print(f"== ONNX {old['onnx']} -> {new['onnx']}: IR version {old['IR version']} -> "
          f"{new['IR version']}")
    for domain, version in new["opsets"].items():
        before = old["opsets"].get(domain)
        print(f"  {domain or 'ai.onnx'}: {before or 'none'} -> {version}")
    for kind in ("element types", "attribute types"):
        for name in sorted(new[kind].keys() ^ old[kind].keys()):
            print(f"  {kind}: {name} is {'new' if name in new[kind] else 'gone'}")


def documented_versions():
    """Of docs/operators.md, where schemas are ONNX's: {"ai.onnx::Abs": {1, 6, 13}, ...}."""
    versions, domain = {}, None
    for line in (ROOT / "docs/operators.md").read_text().splitlines():
        if line.startswith("## "):
            domain = line.split()[1] if line.endswith("(schemas: ONNX)") else None
        elif domain and (row := re.match(r"\| (\w+) \| ([\d ]+) \|", line)):
            versions[f"{domain}::{row[1]}"] = {int(v) for v in row[2].split()}
    return versions


def sources_of(operator):
    """The files of ops/ that name an operator: its kernel, its derivative."""
    name = operator.split("::")[1]
    files = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "ops").rglob("*.cc"))
        if not {"contrib", "common"} & set(path.parts) and f'"{name}"' in path.read_text()
    ]
    return " ".join(files) or "no file of ops/ names it"


def places_that_name(old):
    """Lines of documents that name the old version or its opset."""
    version = re.escape(old["onnx"].rsplit(".", 1)[0])
    words = re.compile(rf"\b{version}\b|opset {old['opsets']['']}\b")
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if words.search(line) and path.name != "updating.md":
                yield f"{path.relative_to(ROOT)}:{number}"


def kinds_of_difference(old, new):
    """ "text", "body", "types": what a changed schema has to be judged for."""
    kinds = {re.split(" for | of |:", d)[0] for d in schema_differences(old, new)}
    return ", ".join(sorted(kinds))


def tasks(old, new, added, changed, gone):
    """What a person has to do, in the order in which it is best done."""
    known = documented_versions()
    again = f"script/update_onnx {new['onnx']} --write"
    yield f"{again} writes version and hash and builds that ONNX; mend what does not compile."
    for name in sorted(new["element types"].keys() - old["element types"].keys()):
        yield f"Element type {name}: evaluator/tensor/dtype.h, and what the compiler then warns of."
    if new["IR version"] != old["IR version"]:
        yield f"IR version {new['IR version']}: read what onnx.proto says of it and of new fields."
    for key in added:
        operator = operator_of(key)
        if version_of(key) in known.get(operator, ()):
            continue
        if predecessor(key, new["schemas"]) is None:
            yield (f"{key} is new: a kernel (docs/adding_an_operator.md), its name in "
                   "tests/conformance/operators.txt, and in tables of compare/ that name similar "
                   "operators.")
        else:
            yield f"{key}: kernel, comment, test, derivative of it; {sources_of(operator)}"
    in_place = collections.defaultdict(list)
    for key in changed:
        kinds = kinds_of_difference(old["schemas"][key], new["schemas"][key])
        in_place[operator_of(key), kinds].append(str(version_of(key)))
    for (operator, kinds), versions in in_place.items():
        which = f"{operator} {', '.join(versions)}"
        yield f"{which}: does its new {kinds} ask for more? {sources_of(operator)}"
    for key in gone:
        yield f"{key} is gone: does its kernel stay for old models?"
    yield "Build, run tests/conformance; mend kernels, or say in docs/numerics.md why not."
    places = " ".join(places_that_name(old)) or "nothing"
    yield (f"{again} once more, for the list of tests and docs/operators.md; by hand "
           f"CHANGELOG.md and what names the old version: {places}")
    yield "script/test, and the tests against the oldest ONNX that will do (docs/updating.md)."


def main():
    old, new = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:3])
    compare_versions(old, new)
    added, changed, gone = compare_schemas(old["schemas"], new["schemas"])
    compare_tests(old["tests"], new["tests"])
    print("\n== What a person has to do")
    for number, task in enumerate(tasks(old, new, added, changed, gone), 1):
        show(f"{number}. {task}", "  ")


if __name__ == "__main__":
    main()

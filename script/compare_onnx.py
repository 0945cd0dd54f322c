"""Prints what is new, changed and gone between two versions of ONNX, given as the JSON files that
onnx_facts.py writes, and what a person has to do about it: script/update_onnx runs it."""

import difflib
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent


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
        for name in before.keys() & after.keys():
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
    older = [k for k in schemas if operator_of(k) == operator_of(key) and version_of(k) < version_of(key)]
    return max(older, key=version_of, default=None)


def compare_schemas(old, new):
    """Prints all differences; returns the keys of what is new and of what changed as it stands."""
    added = sorted(new.keys() - old.keys())
    print("\n== New schemas, each beside the version before it")
    for key in added:
        before = predecessor(key, new)
        if before is None:
            print(f"  {key}: a new operator")
            print(textwrap.indent(new[key]["documentation"].strip(), "      "))
            continue
        print_differences(f"{key}, before {version_of(before)}", new[before], new[key])
    print("\n== Schemas that changed without a new version")
    changed = [k for k in sorted(new.keys() & old.keys()) if old[k] != new[k]]
    for key in changed:
        print_differences(key, old[key], new[key])
    gone = sorted(old.keys() - new.keys())
    print("\n== Schemas that are gone:", ", ".join(gone) or "none")
    return added, changed, gone


def compare_tests(old, new):
    added, gone = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    changed = {}
    for name in sorted(new.keys() & old.keys()):
        parts = [p for p in new[name] if new[name][p] != old[name][p]]
        if parts:
            changed.setdefault(", ".join(parts), []).append(name)
    print(f"\n== Tests: {len(old)} -> {len(new)}; {len(added)} new, {len(gone)} gone")
    for title, names in [("new", added), ("gone", gone), *sorted(changed.items())]:
        label = title if title in ("new", "gone") else "other " + title
        show(f"{label} ({len(names)}): {' '.join(names)}", "  ")
    return added, changed, gone


def compare_versions(old, new):
    print(f"== ONNX {old['onnx']} -> {new['onnx']}: IR version {old['IR version']} -> "
          f"{new['IR version']}")
    for domain, version in new["opsets"].items():
        before = old["opsets"].get(domain)
        print(f"  {domain or 'ai.onnx'}: {before} -> {version}" + (" (new)" if before is None else ""))
    for kind in ("element types", "attribute types"):
        for name in sorted(new[kind].keys() ^ old[kind].keys()):
            print(f"  {kind}: {name} is {'new' if name in new[kind] else 'gone'}")


def main():
    old, new = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:3])
    compare_versions(old, new)
    compare_schemas(old["schemas"], new["schemas"])
    compare_tests(old["tests"], new["tests"])


if __name__ == "__main__":
    main()

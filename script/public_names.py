"""The names that the installed headers declare, for their semantic version: public_names.py [--check].

Writes include/public_names.txt: a line for each name of a namespace or of a public part of a class, with
its kind, from the headers of include/onnxcmp and of include/installed_headers.txt. With --check nothing is
written; it fails, and lists what is gone and what is new, if the file is not what the headers have.
A name that is gone needs a new major version (CONTRIBUTING.md, "A release").
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "include/public_names.txt"
HEAD = """# What users of the installed headers may name; script/public_names.py writes it. A line that goes
# breaks somebody: it needs a new major version, and a release before that in which it is deprecated.
"""
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(enum class|enum|class|struct|using|concept)\s+(?:\[\[\w+\]\]\s+)?(\w+)")
CONSTANT = re.compile(r"^(?:inline\s+|static\s+)*constexpr\s+[\w:<>*\s,]+?\b(\w+)\s*(?:\[.*\])?\s*(?:=|\{)")
MACRO = re.compile(r"^#define\s+(\w+)")
FUNCTION = re.compile(r"(~?\w+|operator\s*[^\s(]+)\s*\(")


def without_comments(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def statements(text):
    """Declarations and openings of blocks, with the depth changes: ("{" | "}" | ";", words)."""
    words = ""
    round_depth = 0
    for sign in text:
        round_depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign in "{};" and round_depth == 0:
            yield sign, " ".join(words.split())
            words = ""
        else:
            words += sign


def names_of(header):
    text = without_comments(header.read_text()).replace("\\\n", " ")
    found = {f"macro {name}" for name in MACRO.findall("\n".join(
        line for line in text.splitlines() if not re.search(r"#define\s+\w+_H_$", line)))
        if not name.endswith("_H_")} if "#define" in text else set()
    text = "\n".join("" if line.lstrip().startswith("#") else line for line in text.splitlines())
    stack = []  # ("namespace" | "type" | "code", name, is public)
    for sign, words in statements(text):
        access = re.match(r"^(public|private|protected)\s*:\s*", words)
        while access:
            if stack and stack[-1][0] == "type":
                stack[-1] = (*stack[-1][:2], access[1] == "public")
            words = words[access.end():]
            access = re.match(r"^(public|private|protected)\s*:\s*", words)
        if sign == "}":
            if stack:
                stack.pop()
            continue
        outside = all(kind != "code" for kind, _, _ in stack)
        seen = outside and all(public for _, _, public in stack)
        scope = "::".join(name for kind, name, _ in stack if kind == "type")
        named = name_in(words)
        if seen and named and (scope or stack):
            kind, name = named
            full = f"{scope}::{name}" if scope else name
            if not (kind == "type" and sign == ";" and words.split()[0] in ("class", "struct")):
                found.add(f"{kind} {full}")
        if sign == "{":
            stack.append(opened(words, named))
    return found


def opened(words, named):
    if words.startswith(("namespace", "extern")) or words == "inline namespace":
        name = words.split()[-1]
        return ("namespace", name, name not in ("internal", "namespace"))
    kind = TYPE.match(words)
    if kind and kind[1] in ("class", "struct"):
        return ("type", named[1], kind[1] == "struct")
    return ("code", "", False)


def name_in(words):
    """The kind and the name of what is declared."""
    words = re.sub(r"^template\s*<[^()]*?>\s*(?=\w)", "", words)
    if not words or words.startswith(("namespace", "friend", "using namespace", "return", "extern")):
        return None
    kind = TYPE.match(words)
    if kind:
        return "type", kind[2]
    constant = CONSTANT.match(words)
    if constant:
        return "constant", constant[1]
    begin = re.match(r"^[^()=]*=(?!=)", words)
    if begin and "operator" not in begin[0]:
        return None  # the value of a member
    function = FUNCTION.search(words)
    if function and not words.startswith((":", "=", ",")) and function[1] not in ("if", "for", "while", "decltype"):
        return "function", function[1].replace(" ", "")
    return None


def all_names():
    listed = (ROOT / "include/installed_headers.txt").read_text().splitlines()
    headers = [ROOT / line for line in listed if line and not line.startswith("#")]
    headers += sorted((ROOT / "include/onnxcmp").glob("*.h"))
    return sorted(set().union(*map(names_of, headers)))


def main():
    names = all_names()
    text = HEAD + "".join(f"{name}\n" for name in names)
    if "--check" not in sys.argv[1:]:
        LIST.write_text(text)
        return 0
    before = {line for line in LIST.read_text().splitlines() if line and not line.startswith("#")}
    for name in sorted(before - set(names)):
        print(f"gone: {name}")
    for name in sorted(set(names) - before):
        print(f"new: {name}")
    if LIST.read_text() == text:
        return 0
    print("script/public_names.py writes include/public_names.txt anew; see CONTRIBUTING.md, A release")
    return 1


if __name__ == "__main__":
    sys.exit(main())

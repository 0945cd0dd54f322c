"""Wraps the lines of Markdown files at 100 columns: wrap_documents.py [--check] FILE...

A paragraph or an item of a list is wrapped anew if one of its lines is longer. Tables, code and
headings stay as they are. With --check nothing is written; it fails if a line would be.
"""

import re
import sys

COLUMNS = 100
ITEM = re.compile(r"(\s*)([-*+]|\d+\.) +")
# Words; what is code stays in one line.
WORD = re.compile(r"(?:`+[^`]*`+|\S)+")
# What at the beginning of a line would be something else than a word.
NO_FIRST_WORD = re.compile(r"([-*+>]|#+|\d+\.|\|.*)$")


def wrap(lines):
    """The lines of one paragraph or item."""
    item = ITEM.match(lines[0])
    first = item.group(0) if item else re.match(r"\s*", lines[0]).group(0)
    rest = " " * len(first)
    words = WORD.findall(" ".join([lines[0][len(first) :], *lines[1:]]))
    wrapped = [first + words[0]]
    for word in words[1:]:
        if len(wrapped[-1]) + 1 + len(word) <= COLUMNS:
            wrapped[-1] += " " + word
        elif NO_FIRST_WORD.match(word):
            head, _, last = wrapped[-1].rpartition(" ")
            wrapped[-1] = head
            wrapped.append(rest + last + " " + word)
        else:
            wrapped.append(rest + word)
    return wrapped


def is_text(line):
    """Whether the line is of a paragraph or an item, which may be wrapped."""
    return bool(line.strip()) and not re.match(r"\s*(\||#|>|```)|    (?! *([-*+]|\d+\.) )", line)


def wrap_document(lines):
    """All lines of a file."""
    out = []
    paragraph = []
    fenced = False

    def flush():
        if any(len(line) > COLUMNS for line in paragraph):
            out.extend(wrap(paragraph))
        else:
            out.extend(paragraph)
        paragraph.clear()

    for line in lines:
        inside = paragraph and line.startswith("  ") and line.strip() and not ITEM.match(line)
        if not fenced and (is_text(line) or inside) and not line.lstrip().startswith("```"):
            if ITEM.match(line):
                flush()
            paragraph.append(line)
            continue
        flush()
        if line.lstrip().startswith("```"):
            fenced = not fenced
        out.append(line)
    flush()
    return out


def main(arguments):
    check = arguments[:1] == ["--check"]
    wrong = 0
    for name in arguments[1:] if check else arguments:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        wrapped = wrap_document(lines)
        if wrapped == lines:
            continue
        wrong += 1
        if check:
            number = next(i for i, (a, b) in enumerate(zip(lines, wrapped), 1) if a != b)
            print(f"{name}:{number}: lines are longer than {COLUMNS} columns: script/format wraps them")
        else:
            with open(name, "w", encoding="utf-8") as file:
                file.write("\n".join(wrapped))
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

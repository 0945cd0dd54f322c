"""What the options of the command line are called in this package."""

from __future__ import annotations

import re
import typing

# Options that are called otherwise here; all others are arguments of their names.
_CALLED = {
    "all": 'rows="all"',
    "different": 'rows="different"',
    "inputs": "feeds",
    "left-inputs": "left_feeds",
    "right-inputs": "right_feeds",
    "no-causes": "causes=False",
    "no-share": "share=False",
}
_OPTION = re.compile(r"(?<![^\s(;,`])--([a-z]+(?:-[a-z]+)*)(?![\w-])")


def in_python(text: str) -> str:
    """The text with options of the command line as the arguments that they are here: partial, not
    --partial."""
    return _OPTION.sub(
        lambda option: _CALLED.get(option.group(1), option.group(1).replace("-", "_")), text
    )


def all_in_python(texts: typing.Iterable[str]) -> tuple[str, ...]:
    return tuple(in_python(text) for text in texts)


def in_error(message: str) -> str:
    """The same for a message of an error, without hints at the command line's help."""
    message = re.sub(
        r"The following arguments? w(?:as|ere) not expected: (?:-- )?(?:--)?([\w-]+)(=\S*)?",
        r"there is no option \1",
        message,
    )
    message = message.replace(
        "but the model is not in a folder", "but nobody told the folder: base_dir"
    )
    return in_python(re.sub(r"[;:] see onnxcmp( [a-z]+)? --help", "", message))

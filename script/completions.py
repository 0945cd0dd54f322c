"""completions.py PROGRAM FOLDER: writes completions of bash, zsh and fish, and a page for man, from
what the program's --help says, to where a system looks for them in FOLDER (/usr/share)."""

import gzip
import pathlib
import re
import subprocess
import sys

# Options that take a file or a folder, as --help calls what they take.
FILES = {"F", "DIR", "[F]"}
OPTION = re.compile(r"^  (?:-(\w),)?--([\w-]+)(?: (\S+))?(?: \.\.\.)?(?:  +(.*))?$")


def help_of(program, command):
    arguments = [program, *([command] if command else []), "--help"]
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def options_of(text):
    """(name, letter, what it takes, what it does) of each option."""
    found = []
    for line in text.splitlines():
        match = OPTION.match(line)
        if match:
            letter, name, takes, does = match.groups()
            found.append((name, letter or "", takes or "", does or ""))
    return found


def commands_of(text):
    """Other commands, as the text lists them."""
    listed = text.partition("\nOther commands")[2].splitlines()[1:]
    return [line.split()[0] for line in listed if line.startswith("  ")]


def quoted(text):
    return text.replace("'", "'\\''")


def bash(options):
    cases = "\n".join(
        f"    {command or '*'}) words='{' '.join('--' + o[0] for o in of)}' ;;"
        for command, of in sorted(options.items(), reverse=True)
    )
    commands = " ".join(command for command in options if command)
    return f"""_onnxcmp() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
    ((COMP_CWORD > 1)) || COMPREPLY+=($(compgen -W '{commands}' -- "$word"))
  fi
}}
complete -o filenames -F _onnxcmp onnxcmp
"""


def zsh(options):
    def spec(option):
        name, _, takes, does = option
        what = re.sub(r"([\[\]:\\])", r"\\\1", does)
        action = "" if not takes else ":" + takes.strip("[]") + (":_files" if takes in FILES else ":")
        return f"    '*--{name}{'=' if takes else ''}[{quoted(what)}]{quoted(action)}'"

    cases = "\n".join(
        f"  {command or '*'})\n    _arguments \\\n"
        + " \\\n".join([spec(o) for o in of] + ["    '*:file:_files'"])
        + " ;;"
        for command, of in sorted(options.items(), reverse=True)
    )
    commands = " ".join(command for command in options if command)
    return f"""#compdef onnxcmp
if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
  compadd {commands}
  _files
  return
fi
case $words[2] in
{cases}
esac
"""


def fish(options):
    lines = ["# Completions of onnxcmp."]
    names = " ".join(command for command in options if command)
    for command in options:
        if command:
            lines.append(f"complete -c onnxcmp -n __fish_use_subcommand -a {command}")
    for command, of in options.items():
        seen = f"__fish_seen_subcommand_from {command or names}"
        condition = seen if command else f"not {seen}"
        for name, letter, takes, does in of:
            line = f"complete -c onnxcmp -n '{condition}' -l {name}"
            line += f" -s {letter}" if letter else ""
            line += (" -r -F" if takes in FILES else " -x") if takes else ""
            lines.append(f"{line} -d '{does.replace(chr(39), chr(92) + chr(39))}'")
    return "\n".join(lines) + "\n"


def man(texts, version):
    """The help of all commands, as it is."""
    lines = [f'.TH ONNXCMP 1 "" "onnxcmp {version}"', ".SH NAME",
             "onnxcmp \\- runs two ONNX models and compares every result"]
    for command, text in texts.items():
        lines += [f'.SH "{"onnxcmp " + command if command else "onnxcmp"}"', ".nf"]
        for line in text.replace("\\", "\\e").replace("-", "\\-").splitlines():
            lines.append("\\&" + line if line.startswith((".", "'")) else line)
        lines.append(".fi")
    return "\n".join(lines) + "\n"


def main(program, folder):
    folder = pathlib.Path(folder)
    texts = {"": help_of(program, "")}
    for command in commands_of(texts[""]):
        texts[command] = help_of(program, command)
    options = {command: options_of(text) for command, text in texts.items()}
    ran = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    made = {
        "bash-completion/completions/onnxcmp": bash(options),
        "zsh/vendor-completions/_onnxcmp": zsh(options),
        "fish/vendor_completions.d/onnxcmp.fish": fish(options),
    }
    for path, text in made.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    page = folder / "man/man1/onnxcmp.1.gz"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_bytes(gzip.compress(man(texts, ran.stdout.split()[1]).encode(), mtime=0))


main(*sys.argv[1:3])

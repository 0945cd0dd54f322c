"""The C library of an older glibc as the linker sees it: older_glibc.py ROOT OUT VERSION.

Makes in OUT shared libraries with the names of those of ROOT, a root with the packages libc6 and
libc6-dev of a glibc that is not older than VERSION, and with their symbols up to that version alone:
glibc never takes one away. They have no code; what is linked with them asks for nothing newer, or
fails to link. The compiler's own search goes on for the rest.
"""

import pathlib
import re
import subprocess
import sys

LIBRARIES = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2")
SECTIONS = {"FUNC": ".text", "IFUNC": ".text", "OBJECT": ".bss", "TLS": ".tbss"}


def symbols(library):
    """(type, size, name, True if it is the default, version as numbers) of what a library defines."""
    text = subprocess.run(["readelf", "-W", "--dyn-syms", str(library)], capture_output=True, text=True,
                          check=True).stdout
    pattern = r"^ *\d+: \w+ +(\w+) (\w+) +(?:GLOBAL|WEAK) +\w+ +(\d+|ABS) (\w+)(@@?)GLIBC_([\d.]+)$"
    for size, kind, section, name, at, version in re.findall(pattern, text, re.MULTILINE):
        if section != "ABS" and kind in SECTIONS:
            yield kind, int(size, 0), name, at == "@@", tuple(map(int, version.split(".")))


def make(library, out, newest):
    """One library; gives its versions."""
    found = {}
    for kind, size, name, default, version in symbols(library):
        found.setdefault(name, []).append((version, default, kind, size))
    lines = []
    used = set()
    for name, variants in sorted(found.items()):
        older = sorted(variant for variant in variants if variant[0] <= newest)
        # The default of the older glibc, where the newer one has a newer default.
        lost = any(default for version, default, _, _ in variants if version > newest)
        for index, (version, default, kind, size) in enumerate(older):
            label = f"{name}_{index}"
            at = "@@" if default or lost and index == len(older) - 1 else "@"
            text = "GLIBC_" + ".".join(map(str, version))
            used.add(version)
            flags = {".bss": ',"aw",@nobits', ".tbss": ',"awT",@nobits'}.get(SECTIONS[kind], ',"ax"')
            lines += [f".section {SECTIONS[kind]}{flags}", f".globl {label}",
                      f".type {label},@{ {'FUNC': 'function', 'IFUNC': 'function', 'TLS': 'tls_object'}.get(kind, 'object')}",
                      f".size {label},{size}", f"{label}: .skip {max(size, 1)}",
                      f".symver {label},{name}{at}{text},remove"]
    lines.append('.section .note.GNU-stack,"",@progbits')
    assembly, script = out / f"{library.name}.s", out / f"{library.name}.map"
    assembly.write_text("\n".join(lines) + "\n")
    script.write_text("".join("GLIBC_" + ".".join(map(str, v)) + " { };\n" for v in sorted(used)))
    subprocess.run(["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{library.name}", f"-Wl,--version-script={script}",
                    "-o", str(out / library.name), str(assembly)], check=True)
    assembly.unlink()
    script.unlink()


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    newest = tuple(map(int, sys.argv[3].split(".")))
    for name in LIBRARIES:
        library, = list(root.glob(f"lib/*/{name}"))
        make(library, out, newest)
        if not name.startswith(("libc.", "ld-")):
            (out / re.sub(r"\.so.*", ".so", name)).symlink_to(name)
    nonshared, = root.glob("usr/lib/*/libc_nonshared.a")
    (out / "libc_nonshared.a").write_bytes(nonshared.read_bytes())
    (out / "libc.so").write_text("GROUP ( libc.so.6 libc_nonshared.a AS_NEEDED ( ld-linux-x86-64.so.2 ) )\n")


if __name__ == "__main__":
    main()

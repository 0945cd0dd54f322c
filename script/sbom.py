"""What the packages of a release are made of, as SPDX 2.3 in JSON: sbom.py VERSION DIST.

Each .deb and wheel of DIST with the Debian packages whose libraries it links (a .deb) or contains (a
wheel, as files or linked into it), and ONNX, which is linked into both. Equal files give equal text:
the time is SOURCE_DATE_EPOCH.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def debian_package(library):
    """The package, its source and version, of a library's file name; None if it is of no package."""
    found = subprocess.run(["dpkg-query", "-S", f"*/{library}"], capture_output=True, text=True).stdout
    names = sorted(line.split(":")[0] for line in found.splitlines() if line.endswith("/" + library))
    if not names:
        return None
    fields = output("dpkg-query", "-W", "-f", "${Package}\t${source:Package}\t${source:Version}\n", names[0])
    return tuple(fields.splitlines()[0].split("\t"))


def needed(binary):
    """The libraries that a program or library asks for."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", str(binary)))


def of_wheel(path):
    """The libraries that auditwheel has put into a wheel, by the names that they had."""
    names = zipfile.ZipFile(path).namelist()
    bundled = [name.split("/")[-1] for name in names if ".libs/" in name]
    return sorted({re.sub(r"-[0-9a-f]{8}\.so", ".so", name) for name in bundled})


def linked_into_wheels():
    """The Debian packages of the archives that script/wheel_libraries has for wheels."""
    folder = output(str(ROOT / "script/wheel_libraries")).strip()
    lines = (pathlib.Path(folder) / "debian.txt").read_text().splitlines()
    return sorted({tuple(line.split()[1:]) for line in lines})


def of_deb(path):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "-x", str(path), folder], check=True)
        programs = list(pathlib.Path(folder).glob("usr/bin/*"))
        return sorted({name for program in programs for name in needed(program)})


def onnx_setting(name):
    text = (ROOT / "cmake/onnx_version.cmake").read_text()
    return re.search(rf"set\(ONNXCMP_ONNX_{name} ([^)]*)\)", text)[1]


def package(name, version, **more):
    return {"SPDXID": spdx_id(f"{name}-{version}"), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
            "copyrightText": "NOASSERTION", **more}


def main():
    version, dist = sys.argv[1], pathlib.Path(sys.argv[2])
    created = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    onnx = package("onnx", onnx_setting("VERSION"), licenseDeclared="Apache-2.0",
                   checksums=[{"algorithm": "SHA256", "checksumValue": onnx_setting("SHA256")}])
    packages = {onnx["SPDXID"]: onnx}
    relations = []
    for path in sorted([*dist.glob("*.deb"), *dist.glob("*.whl"), *dist.glob("*.tar.gz")]):
        made = package(path.name, version, packageFileName=path.name, licenseDeclared="Apache-2.0",
                       checksums=[{"algorithm": "SHA256", "checksumValue":
                                   hashlib.sha256(path.read_bytes()).hexdigest()}])
        packages[made["SPDXID"]] = made
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", made["SPDXID"]))
        if path.name.endswith(".tar.gz"):
            continue
        relations.append((made["SPDXID"], "STATIC_LINK", onnx["SPDXID"]))
        wheel = path.suffix == ".whl"
        parts = [("STATIC_LINK", known) for known in linked_into_wheels()] if wheel else []
        for library in of_wheel(path) if wheel else of_deb(path):
            known = debian_package(library) or (library, library, "unknown")
            parts.append(("CONTAINS" if wheel else "DYNAMIC_LINK", known))
        for kind, (name, source, source_version) in parts:
            part = package(name, source_version, sourceInfo=f"Debian's source package {source}")
            packages[part["SPDXID"]] = part
            relation = (made["SPDXID"], kind, part["SPDXID"])
            if relation not in relations:
                relations.append(relation)
    content = json.dumps([sorted(packages), relations])
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"onnxcmp-{version}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", created),
                         "creators": ["Tool: onnxcmp's script/sbom.py"]},
        "packages": [packages[key] for key in sorted(packages)],
        "relationships": [{"spdxElementId": left, "relationshipType": kind, "relatedSpdxElement": right}
                          for left, kind, right in relations]}, indent=1))


if __name__ == "__main__":
    main()

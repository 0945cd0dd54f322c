"""Recipes for conda-forge and vcpkg, as far as they can be tried without these."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import ROOT

CMAKE = (ROOT / "cmake/dependencies.cmake").read_text()
# Packages that CMake asks for, in the two registries; None: the compiler's, or none's.
NAMES = {
    "PkgConfig": None, "Threads": None, "Python3": None, "benchmark": None, "xtensor": None,
    "Protobuf": ("libprotobuf", "protobuf"), "absl": ("libabseil", "abseil"),
    "Eigen3": ("eigen", "eigen3"), "TBB": ("tbb-devel", "tbb"),
    "nlohmann_json": ("nlohmann_json", "nlohmann-json"), "CLI11": ("cli11", "cli11"),
    "libzip": ("libzip", "libzip"), "icu-uc": ("icu", "icu"), "re2": ("re2", "re2"),
    "sleef": ("sleef", "sleef"), "libxxhash": ("xxhash", "xxhash"),
    "libjpeg": ("libjpeg-turbo", "libjpeg-turbo"), "libopenjp2": ("openjpeg", "openjpeg"),
    "libpng": ("libpng", "libpng"), "libtiff-4": ("libtiff", "tiff"),
    "libwebp": ("libwebp-base", "libwebp"), "GTest": ("gtest", "gtest"), "ONNX": (None, "onnx"),
}


def asked_for():
    found = re.findall(r"find_package\((\w+)", CMAKE)
    for modules in re.findall(r"pkg_check_modules\(\w+ REQUIRED IMPORTED_TARGET\s+([^)]*)\)", CMAKE):
        found += [module.split(">")[0] for module in modules.split()]
    return set(found)


def version():
    return re.search(r"project\(onnxcmp VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def onnx_version():
    text = (ROOT / "cmake/onnx_version.cmake").read_text()
    return re.search(r"ONNXCMP_ONNX_VERSION ([\d.]+)", text)[1]


def test_conda():
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())
    assert recipe["context"] == {"version": version(), "onnx_version": onnx_version()}
    host = {line.split()[0] for line in recipe["requirements"]["host"]}
    needed = {NAMES[name][0] for name in asked_for() if NAMES[name]} - {None}
    assert needed <= host, needed - host
    project = (ROOT / "pyproject.toml").read_text()
    for requirement in recipe["requirements"]["host"]:
        if "==" in requirement:
            assert requirement.replace(" ", "") in project
    assert all(needed in project for needed in ('numpy>=1.26', 'onnx>=1.16', 'ml_dtypes>=0.5'))


def test_vcpkg(tmp_path):
    port = json.loads((ROOT / "packaging/vcpkg/vcpkg.json").read_text())
    assert port["version"] == version()
    names = {one for one in port["dependencies"] if isinstance(one, str)}
    needed = {NAMES[name][1] for name in asked_for() if NAMES[name]}
    assert names == needed, names ^ needed
    cmake = shutil.which("cmake")
    if cmake is None:
        pytest.skip("no cmake")
    stand_ins = "".join(
        f'function({name})\n  message(STATUS "{name} ${{ARGN}}")\nendfunction()\n'
        for name in ("vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup",
                     "vcpkg_copy_tools", "vcpkg_install_copyright")
    )
    script = tmp_path / "run.cmake"
    script.write_text(f'{stand_ins}set(CURRENT_PACKAGES_DIR "{tmp_path}")\n'
                      f'include("{ROOT}/packaging/vcpkg/portfile.cmake")\n')
    ran = subprocess.run([cmake, "-P", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    for option in re.findall(r"-D(ONNXCMP_\w+)", ran.stdout):
        assert re.search(rf"option\({option}\b", "".join(
            file.read_text() for file in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")]
        )), option
    assert str(ROOT) in ran.stdout

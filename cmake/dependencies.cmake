# The libraries. All but ONNX are Debian 12's packages; script/bootstrap installs and builds them.

option(ONNXCMP_FETCH_ONNX "Fetch and build ONNX if no installed one is found" OFF)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(xtensor REQUIRED)
find_package(TBB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# libzip's own CMake package asks for its command line tools, which Debian packs apart.
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
# Its flag -pthread would ask for a precompiled header of our own.
set_target_properties(PkgConfig::RE2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")
pkg_check_modules(SLEEF REQUIRED IMPORTED_TARGET sleef)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
# ImageDecoder's codecs.
pkg_check_modules(CODECS REQUIRED IMPORTED_TARGET
  libjpeg libopenjp2 libpng libtiff-4>=4.5 libwebp)
if(ONNXCMP_TESTS)
  find_package(GTest REQUIRED)
endif()
if(ONNXCMP_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

# ONNX: an installed one first, then script/bootstrap's.
include(onnx_version)
if(DEFINED ENV{ONNXCMP_DEPS})
  set(_deps "$ENV{ONNXCMP_DEPS}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(_deps "$ENV{XDG_CACHE_HOME}/onnxcmp")
else()
  set(_deps "$ENV{HOME}/.cache/onnxcmp")
endif()
set(_prefix "${_deps}/onnx-${ONNXCMP_ONNX_VERSION}-${ONNXCMP_ONNX_BUILD}")
find_package(ONNX ${ONNXCMP_ONNX_VERSION} CONFIG QUIET PATHS "${_prefix}")
if(ONNX_FOUND)
  message(STATUS "ONNX ${ONNX_VERSION}: ${ONNX_DIR}")
elseif(ONNXCMP_FETCH_ONNX)
  include(FetchContent)
  set(ONNX_USE_PROTOBUF_SHARED_LIBS ON)
  set(ONNX_GEN_PB_TYPE_STUBS OFF)
  set(ONNX_INSTALL OFF)
  FetchContent_Declare(ONNX SYSTEM
    GIT_REPOSITORY https://github.com/onnx/onnx.git
    GIT_TAG v${ONNXCMP_ONNX_VERSION}
    GIT_SHALLOW ON)
  FetchContent_MakeAvailable(ONNX)
  add_library(ONNX::onnx ALIAS onnx)
  set(_prefix "${onnx_SOURCE_DIR}")
else()
  message(FATAL_ERROR "No ONNX ${ONNXCMP_ONNX_VERSION} found. script/bootstrap builds one; "
    "ONNX_ROOT may name an installed one; ONNXCMP_FETCH_ONNX=ON fetches it.")
endif()

# ONNX's backend test data: beside the library where script/bootstrap built it, in ONNX's sources,
# or wherever the builder says. Without them there are no conformance tests.
find_path(ONNXCMP_ONNX_TEST_DATA node/test_abs/model.onnx
  PATHS "${_prefix}/share/onnx/test_data" "${_prefix}/onnx/backend/test/data" NO_DEFAULT_PATH
  DOC "ONNX's folder onnx/backend/test/data, for the conformance tests")
unset(_deps)
unset(_prefix)

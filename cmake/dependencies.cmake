# The libraries. All but ONNX are Debian 12's packages; script/bootstrap installs and builds them.

option(ONNXCMP_FETCH_ONNX "Fetch and build ONNX if no installed one is found" OFF)

include(static_libraries)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
find_package(absl REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# libzip's own CMake package asks for its command line tools, which Debian packs apart.
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
# Its flag -pthread would ask for a precompiled header of our own.
set_target_properties(PkgConfig::RE2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")
link_imported_statically("absl::")
link_imported_statically("protobuf::libprotobuf$")
link_imported_statically("PkgConfig::RE2")
pkg_check_modules(SLEEF REQUIRED IMPORTED_TARGET sleef)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
# ImageDecoder's codecs.
pkg_check_modules(CODECS REQUIRED IMPORTED_TARGET
  libjpeg libopenjp2 libpng libtiff-4>=4.5 libwebp)
find_package(GTest REQUIRED)  # of onnxcmp::testing, too
# No library includes it: onnxcmp/xtensor.h is for those who do.
if(ONNXCMP_TESTS OR ONNXCMP_EXAMPLES)
  find_package(xtensor REQUIRED)
endif()
if(ONNXCMP_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

# ONNX: an installed one first, then script/bootstrap's. An older one is taken only if ONNX_ROOT names
# it; in the cache, so that it still does when CMake runs again by itself.
include(onnx_version)
if(DEFINED ENV{ONNX_ROOT} AND NOT DEFINED ONNX_ROOT)
  set(ONNX_ROOT "$ENV{ONNX_ROOT}" CACHE PATH "The installed ONNX to use")
endif()
set(_version ${ONNXCMP_ONNX_VERSION})
if(ONNX_ROOT)
  set(_version ${ONNXCMP_ONNX_MINIMUM})
endif()
if(DEFINED ENV{ONNXCMP_DEPS})
  set(_deps "$ENV{ONNXCMP_DEPS}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(_deps "$ENV{XDG_CACHE_HOME}/onnxcmp")
else()
  set(_deps "$ENV{HOME}/.cache/onnxcmp")
endif()
find_package(ONNX ${_version} CONFIG QUIET
  PATHS "${_deps}/onnx-${ONNXCMP_ONNX_VERSION}-${ONNXCMP_ONNX_BUILD}")
if(ONNX_FOUND)
  message(STATUS "ONNX ${ONNX_VERSION}: ${ONNX_DIR}")
  get_filename_component(ONNXCMP_ONNX_PREFIX "${ONNX_DIR}/../../.." ABSOLUTE)
  string(FIND "${ONNXCMP_ONNX_PREFIX}" "${_deps}/onnx-" _in_deps)
  if(_in_deps EQUAL 0)
    set(ONNXCMP_ONNX_IS_BOOTSTRAPS TRUE)
  else()
    set(ONNXCMP_ONNX_IS_BOOTSTRAPS FALSE)
  endif()
  unset(_in_deps)
  set(_data "${ONNXCMP_ONNX_PREFIX}/share/onnx/test_data")
elseif(ONNXCMP_FETCH_ONNX)
  # The source that script/bootstrap builds, by its hash.
  set(_source "${PROJECT_BINARY_DIR}/onnx-${ONNXCMP_ONNX_VERSION}")
  if(NOT EXISTS "${_source}/CMakeLists.txt")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    message(STATUS "Fetching ONNX ${ONNXCMP_ONNX_VERSION}")
    file(WRITE "${_source}.txt"
      "onnx==${ONNXCMP_ONNX_VERSION} --hash=sha256:${ONNXCMP_ONNX_SHA256}\n")
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -m pip download -q --disable-pip-version-check --no-deps
        --no-binary onnx -r "${_source}.txt" -d "${PROJECT_BINARY_DIR}"
      COMMAND_ERROR_IS_FATAL ANY)
    file(ARCHIVE_EXTRACT INPUT "${_source}.tar.gz" DESTINATION "${PROJECT_BINARY_DIR}")
  endif()
  include(FetchContent)
  set(ONNX_USE_PROTOBUF_SHARED_LIBS ON)
  set(ONNX_GEN_PB_TYPE_STUBS OFF)
  set(ONNX_INSTALL OFF)
  FetchContent_Declare(ONNX SYSTEM SOURCE_DIR "${_source}")
  FetchContent_MakeAvailable(ONNX)
  unset(_source)
  add_library(ONNX::onnx ALIAS onnx)
  set(ONNX_VERSION ${ONNXCMP_ONNX_VERSION})
  set(_data "${onnx_SOURCE_DIR}/onnx/backend/test/data")
else()
  message(FATAL_ERROR "No ONNX ${_version} found. script/bootstrap builds one; "
    "ONNX_ROOT may name an installed one; ONNXCMP_FETCH_ONNX=ON fetches it.")
endif()

# ONNX's backend test data: beside the library where script/bootstrap built it, in ONNX's sources
# (which hold no node tests from 1.23 on; script/generate_onnx_tests.py makes them), or wherever the
# builder says. Without node tests there are no conformance tests.
if("$CACHE{ONNXCMP_ONNX_TEST_DATA}" MATCHES "^${_deps}/onnx-")
  unset(ONNXCMP_ONNX_TEST_DATA CACHE)  # was found, perhaps for another ONNX
endif()
find_path(ONNXCMP_ONNX_TEST_DATA node/test_abs/model.onnx
  PATHS "${_data}" NO_DEFAULT_PATH
  DOC "ONNX's folder onnx/backend/test/data, for the conformance tests")
unset(_data)
unset(_version)
unset(_deps)

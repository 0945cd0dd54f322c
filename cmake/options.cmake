# What a builder may choose, and the compiler flags.

set(_arch "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(_arch "x86-64-v3")
  # What is built on an older processor runs there.
  if(NOT CMAKE_CROSSCOMPILING AND EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo _flags REGEX "^flags.* avx2( |$)" LIMIT_COUNT 1)
    if(NOT _flags)
      set(_arch "x86-64-v2")
    endif()
    unset(_flags)
  endif()
endif()
# On Windows g++ does not align the stack for AVX (GCC's bug 54412): what is spilled would crash.
if(WIN32 AND _arch)
  set(_arch "x86-64-v2")
endif()
set(ONNXCMP_ARCH "${_arch}" CACHE STRING
  "Instruction set for -march; empty for the compiler's default")
unset(_arch)
set(ONNXCMP_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize, for example address,undefined")
option(ONNXCMP_WERROR "Treat warnings as errors" ON)
option(ONNXCMP_CCACHE "Compile through ccache if it is installed" ON)
option(ONNXCMP_PCH "Precompile the headers that nearly every file includes" ON)
option(ONNXCMP_BATCHES "Compile several files as one; OFF compiles each alone" ON)
option(ONNXCMP_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(ONNXCMP_FUZZ "Build libFuzzer's targets; needs clang" OFF)
option(ONNXCMP_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(ONNXCMP_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
# -O2: -O3 made the kernels no faster and the build slower. -DNDEBUG is CMake's own for Release. g++'s
# -O2 vectorizes no loop whose length it does not know unless told to; clang's does.
set(_optimize "-O2")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(APPEND _optimize " -fvect-cost-model=dynamic")
endif()
string(REPLACE "-O3" "${_optimize}" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
unset(_optimize)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The loops that take most of the time once more, for processors with AVX-512. They give the same
# bits only if everything else fuses multiplications and additions too.
include(CheckCXXSourceCompiles)
if(ONNXCMP_ARCH)
  set(CMAKE_REQUIRED_FLAGS "-march=${ONNXCMP_ARCH}")
endif()
check_cxx_source_compiles("
  #if !defined(__x86_64__) || !defined(__AVX2__) || !defined(__FMA__)
  #error
  #endif
  int main() { return 0; }" ONNXCMP_ARCH_HAS_FMA)
unset(CMAKE_REQUIRED_FLAGS)
include(CMakeDependentOption)
cmake_dependent_option(ONNXCMP_AVX512 "Loops for processors with AVX-512 besides those for all" ON
  ONNXCMP_ARCH_HAS_FMA OFF)

check_cxx_source_compiles("
  static_assert(char(-1) > 0);
  int main() { return 0; }" ONNXCMP_UNSIGNED_CHAR)

# Flags that whoever includes our headers needs too: the instruction set decides how Eigen aligns,
# and inline code must compute the same in every translation unit.
add_library(onnxcmp_options INTERFACE)
target_compile_features(onnxcmp_options INTERFACE cxx_std_20)
target_compile_options(onnxcmp_options INTERFACE
  $<$<BOOL:${ONNXCMP_ARCH}>:-march=${ONNXCMP_ARCH}>
  # g++ fuses a*b+c by itself otherwise, and fused and unfused kernels would differ.
  -ffp-contract=off
  # Nobody reads errno; without it sqrt and similar functions are single instructions.
  -fno-math-errno
  # A char is signed everywhere, as on x86.
  $<$<BOOL:${ONNXCMP_UNSIGNED_CHAR}>:-fsigned-char>)
target_compile_definitions(onnxcmp_options INTERFACE
  EIGEN_FAST_MATH=0       # infinities and NaN as IEEE 754 has them
  EIGEN_DONT_PARALLELIZE  # threads are ours; an OpenMP program must not change results
  EIGEN_MPL2_ONLY)
if(ONNXCMP_SANITIZE)
  # At the first finding the program ends, so that no test passes over it.
  target_compile_options(onnxcmp_options INTERFACE
    -fsanitize=${ONNXCMP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(onnxcmp_options INTERFACE -fsanitize=${ONNXCMP_SANITIZE})
  # A third of a program were relocations of what the sanitizers know of its globals.
  target_link_options(onnxcmp_options INTERFACE -no-pie -Wl,--compress-debug-sections=zlib)
  # Archives name their objects, which are ten times as large as without: copies are 2 GB.
  set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> qT <TARGET> <LINK_FLAGS> <OBJECTS>")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ looks for garbage in its heap less often: a tenth less time, for at most 130 MB more.
  add_compile_options(--param=ggc-min-heapsize=4000000)
endif()

if(MINGW)
  add_compile_options(-Wa,-mbig-obj)  # batches have more sections than objects of Windows hold
endif()

set(ONNXCMP_WARNINGS -Wall -Wextra $<$<BOOL:${ONNXCMP_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT ONNXCMP_ARCH_HAS_FMA)
  # Vectors that are wider than the registers never leave a file.
  list(APPEND ONNXCMP_WARNINGS -Wno-psabi)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 takes parts of moved and destroyed objects for uninitialized: which ones depends on how
  # much it inlines.
  list(APPEND ONNXCMP_WARNINGS -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # std::stable_sort of libstdc++ 12 calls what it deprecates itself.
  list(APPEND ONNXCMP_WARNINGS -Wno-deprecated-declarations)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 18)
    # Names of templates as g++ 12 writes them, with which Debian 12's libraries were compiled: without
    # it no constructor of absl::Cord from a string is found.
    add_compile_options(-fclang-abi-compat=17)
  endif()
endif()

# ccache, told to see paths relative to the work tree, so that clones and work trees share it, and
# to trust precompiled headers (whose content it hashes). It takes the includes of a file from the
# compiler's list (CCACHE_DEPEND) and runs no preprocessor of its own.
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(ONNXCMP_CCACHE AND CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${CCACHE_PROGRAM}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(ONNXCMP_PCH_OPTIONS -fpch-preprocess)  # ccache's preprocessor mode needs it
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(ONNXCMP_PCH_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")  # or it never finds a header again
  endif()
endif()

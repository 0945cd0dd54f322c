# How our targets are made. Every folder's CMakeLists.txt lists its files by name, one a line, in
# alphabetical order, so that branches that add files merge.

configure_file("${PROJECT_SOURCE_DIR}/cmake/version.h.in"
  "${PROJECT_BINARY_DIR}/generated/evaluator/version.h")

# What nearly every file includes. A file includes what it uses all the same: users of the installed
# headers and script/lint do without the precompiled header.
set(ONNXCMP_PCH_HEADERS
  <algorithm>
  <cstdint>
  <functional>
  <memory>
  <optional>
  <string>
  <utility>
  <vector>
  <Eigen/Core>
  <absl/container/flat_hash_map.h>
  <absl/container/inlined_vector.h>
  <absl/status/status.h>
  <absl/status/statusor.h>
  <absl/strings/str_cat.h>
  <absl/strings/string_view.h>
  <absl/types/span.h>)

# onnxcmp_precompile(<target> <owner> [<header>...]): the owner makes the precompiled header, with
# the headers given besides those above; the other targets, with the same flags, use it.
function(onnxcmp_precompile target owner)
  if(NOT ONNXCMP_PCH)
    return()
  endif()
  target_compile_options(${target} PRIVATE ${ONNXCMP_PCH_OPTIONS})
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ONNXCMP_PCH_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# onnxcmp_library(<room> SOURCES <file>... LINK <library>... LINK_PRIVATE <library>...)
# makes the static library onnxcmp_<room>, which others link as onnxcmp::<room>.
function(onnxcmp_library room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;LINK_PRIVATE")
  set(target onnxcmp_${room})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(onnxcmp::${room} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room} POSITION_INDEPENDENT_CODE ON)
  # Includes are written from the project's root: "evaluator/tensor.h".
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/onnxcmp>")
  target_compile_options(${target} PRIVATE ${ONNXCMP_WARNINGS})
  target_link_libraries(${target} PUBLIC onnxcmp_options ${arg_LINK} PRIVATE ${arg_LINK_PRIVATE})
  onnxcmp_precompile(${target} onnxcmp_evaluator)
  install(TARGETS ${target} EXPORT onnxcmp)
  install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/onnxcmp/${room}"
    FILES_MATCHING PATTERN "*.h")
endfunction()

# onnxcmp_executable(<name> SOURCES <file>... LINK <library>...)
function(onnxcmp_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${ONNXCMP_WARNINGS})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()

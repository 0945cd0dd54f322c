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

# onnxcmp_light(<target>): a library whose time goes into others: they run its models and compare its
# tensors. With -O1 it compiles in three quarters of the time.
function(onnxcmp_light target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  onnxcmp_precompile(${target} onnxcmp_feed <nlohmann/json.hpp>)
endfunction()

# onnxcmp_loops(<file>...): files of a light library with loops over many elements. A precompiled
# header brings the flags along that it was compiled with.
function(onnxcmp_loops)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS_RELEASE}")
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:${flags}>"
    SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# onnxcmp_system_sources(<variable>): those of the lists posix_sources, linux_sources, macos_sources and
# windows_sources that are for the system that is built for.
function(onnxcmp_system_sources variable)
  if(WIN32)
    set(${variable} ${windows_sources} PARENT_SCOPE)
  elseif(APPLE)
    set(${variable} ${posix_sources} ${macos_sources} PARENT_SCOPE)
  else()
    set(${variable} ${posix_sources} ${linux_sources} PARENT_SCOPE)
  endif()
endfunction()

# onnxcmp_batch(<target> [NAME <name>] [MOST <n>] <file>...): compiles these files of the target six
# to twelve at a time, or half of <n> to <n>, which takes about half of the time: most of it goes
# into what all of them include and instantiate. Which batch a file is in depends on its name alone,
# so that a new file changes no batch but its own. What files define in unnamed namespaces is then
# common to a batch. Names that many files use, such as those of a kernel's inputs, would meet there:
# of files that have them the first stays in its batch, the others go to the next batch without any,
# and are compiled alone if all batches have some. A header has Attributes: files with their own are
# compiled alone. Files of batches with another <name> never meet.
set(ONNXCMP_COMMON_NAMES
  "^(enum|struct) (Attributes|Classifier|InputIndex|Inputs|Options|Sizes)( : [a-z0-9_]+)? {")
function(onnxcmp_batch target)
  if(NOT ONNXCMP_BATCHES)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;MOST" "")
  if(NOT arg_MOST)
    set(arg_MOST 12)
  endif()
  list(LENGTH arg_UNPARSED_ARGUMENTS files)
  set(batches 1)
  while(files GREATER arg_MOST)
    math(EXPR files "${files} / 2")
    math(EXPR batches "${batches} * 2")
  endwhile()
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    string(MD5 hash "${file}")
    string(SUBSTRING "${hash}" 0 4 hash)
    math(EXPR batch "0x${hash} % ${batches}")
    file(STRINGS "${file}" lines REGEX "${ONNXCMP_COMMON_NAMES}")
    set(kinds "")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[a-z]+ ([A-Za-z]+) .*" "\\1" kind "${line}")
      # The numbers of inputs, whatever they are called, have names in common: kX, kBias.
      string(REPLACE "InputIndex" "Inputs" kind "${kind}")
      list(APPEND kinds ${kind})
    endforeach()
    onnxcmp_batch_without(batch ${batches} ${kinds})
    if(NOT batch STREQUAL "" AND NOT "Attributes" IN_LIST kinds)
      foreach(kind IN LISTS kinds)
        list(APPEND batches_with_${kind} ${batch})
      endforeach()
      set_property(SOURCE "${file}" PROPERTY UNITY_GROUP "${arg_NAME}${batch}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Types of unnamed namespaces in those that are not: fine in the file that is compiled.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# onnxcmp_batch_without(<variable> <batches> <kind>...): moves the number on to that of the next
# batch that is in none of the lists batches_with_<kind>; empty if there is none.
function(onnxcmp_batch_without variable batches)
  set(first ${${variable}})
  math(EXPR last "${first} + ${batches} - 1")
  foreach(number RANGE ${first} ${last})
    math(EXPR number "${number} % ${batches}")
    set(is_free TRUE)
    foreach(kind IN LISTS ARGN)
      if(number IN_LIST batches_with_${kind})
        set(is_free FALSE)
      endif()
    endforeach()
    if(is_free)
      set(${variable} ${number} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${variable} "" PARENT_SCOPE)
endfunction()

# onnxcmp_library(<room> [LIGHT] [EXPORT <set>] [EXPORT_NAME <name>] SOURCES <file>...
#   LINK <library>... LINK_PRIVATE <library>...)
# makes the static library onnxcmp_<room>, which others link as onnxcmp::<name>, the room's name if
# none is given; LIGHT as onnxcmp_light() has it. It is installed with the set of targets that is
# given (onnxcmp), its headers as package.cmake has it. A library of another set is left out of an
# installation if nobody has built it.
function(onnxcmp_library room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LIGHT" "EXPORT;EXPORT_NAME" "SOURCES;LINK;LINK_PRIVATE")
  if(NOT arg_EXPORT)
    set(arg_EXPORT onnxcmp)
  endif()
  if(NOT arg_EXPORT_NAME)
    set(arg_EXPORT_NAME ${room})
  endif()
  set(target onnxcmp_${room})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(onnxcmp::${arg_EXPORT_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${arg_EXPORT_NAME}
    POSITION_INDEPENDENT_CODE ON)
  # Includes are written from the project's root: "evaluator/tensor/tensor.h".
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/onnxcmp>")
  # "onnxcmp/compare.h" and the like are for all but the libraries themselves.
  set_target_properties(${target} PROPERTIES ONNXCMP_LIBRARY ON)
  target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:\
$<$<NOT:$<BOOL:$<TARGET_PROPERTY:ONNXCMP_LIBRARY>>>:${PROJECT_SOURCE_DIR}/include>>")
  target_compile_options(${target} PRIVATE ${ONNXCMP_WARNINGS})
  target_link_libraries(${target} PUBLIC onnxcmp_options ${arg_LINK} PRIVATE ${arg_LINK_PRIVATE})
  if(arg_LIGHT)
    onnxcmp_light(${target})
  else()
    onnxcmp_precompile(${target} onnxcmp_evaluator)
  endif()
  if(arg_EXPORT STREQUAL "onnxcmp")
    install(TARGETS ${target} EXPORT ${arg_EXPORT})
  else()
    install(TARGETS ${target} EXPORT ${arg_EXPORT} OPTIONAL)
  endif()
endfunction()

# onnxcmp_executable(<name> SOURCES <file>... LINK <library>...)
function(onnxcmp_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${ONNXCMP_WARNINGS})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()

# onnxcmp_compile_again(<room> <instructions> SOURCES <file>... FLAGS <flag>...): these files of the
# library once more, for processors with such instructions. evaluator/base/instructions.h has what
# the files have to keep to.
set(ONNXCMP_AVX512_FLAGS -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
function(onnxcmp_compile_again room instructions)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;FLAGS")
  set(target onnxcmp_${room}_${instructions})
  string(TOUPPER ${instructions} definition)
  add_library(${target} OBJECT ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE onnxcmp_options)
  target_compile_definitions(${target} PRIVATE ONNXCMP_${definition})
  target_compile_options(${target} PRIVATE ${ONNXCMP_WARNINGS} ${arg_FLAGS}
    # g++ 12 takes what its intrinsics leave undefined on purpose for a mistake.
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>")
  target_sources(onnxcmp_${room} PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

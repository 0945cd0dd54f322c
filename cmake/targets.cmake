# How our targets are made. Every folder's CMakeLists.txt lists its files by name, one a line, in
# alphabetical order, so that branches that add files merge.

configure_file("${PROJECT_SOURCE_DIR}/cmake/version.h.in"
  "${PROJECT_BINARY_DIR}/generated/evaluator/version.h")

# onnxcmp_library(<room> SOURCES <file>... LINK <library>... LINK_PRIVATE <library>...)
# makes the static library onnxcmp_<room>, which others link as onnxcmp::<room>.
function(onnxcmp_library room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;LINK_PRIVATE")
  set(target onnxcmp_${room})
  add_library(${target} STATIC ${arg_SOURCES} "${PROJECT_SOURCE_DIR}/cmake/empty.cc")
  add_library(onnxcmp::${room} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room})
  # Includes are written from the project's root: "evaluator/tensor.h".
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/onnxcmp>")
  target_compile_options(${target} PRIVATE ${ONNXCMP_WARNINGS})
  target_link_libraries(${target} PUBLIC onnxcmp_options ${arg_LINK} PRIVATE ${arg_LINK_PRIVATE})
endfunction()

# onnxcmp_executable(<name> SOURCES <file>... LINK <library>...)
function(onnxcmp_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${ONNXCMP_WARNINGS})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()

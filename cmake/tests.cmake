# onnxcmp_test(<name> [SHARDS <n>] SOURCES <file>... LINK <library>...)
# makes a GoogleTest program and adds it to ctest: as a whole, since asking a program with
# thousands of cases for their names takes longer than running them; cut into shards where one
# program would keep a core busy alone.
function(onnxcmp_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SHARDS" "SOURCES;LINK")
  if(NOT arg_SOURCES)
    return()
  endif()
  onnxcmp_executable(${name} SOURCES ${arg_SOURCES}
    LINK ${arg_LINK} onnxcmp_test_support GTest::gmock GTest::gtest_main)
  onnxcmp_precompile(${name} onnxcmp_test_support)
  if(NOT arg_SHARDS)
    add_test(NAME ${name} COMMAND ${name})
    return()
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}_${shard} COMMAND ${name})
    set_tests_properties(${name}_${shard} PROPERTIES
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

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
  # For the asan preset: an allocation that is too large fails as it does without the sanitizer.
  set(environment
    ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
    UBSAN_OPTIONS=print_stacktrace=1)
  if(NOT arg_SHARDS)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
    return()
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}_${shard} COMMAND ${name})
    set_tests_properties(${name}_${shard} PROPERTIES
      ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

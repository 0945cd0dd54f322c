# cmake -DNM=<nm> "-DOBJECTS=<a;b>" -P check_avx512_symbols.cmake
# fails if an object that is compiled for AVX-512 defines a function that is not in its own namespace:
# the linker could take it for what everybody calls (evaluator/base/instructions.h).
execute_process(COMMAND "${NM}" --defined-only --demangle ${OBJECTS}
  OUTPUT_VARIABLE listed RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT listed MATCHES "avx512(_vnni)?::")
  message(FATAL_ERROR "no symbols in ${OBJECTS}")
endif()
string(REGEX MATCHALL "[0-9a-f]+ [TtWwVvuiBbDd] [^\n]*" symbols "${listed}")
list(FILTER symbols EXCLUDE REGEX "avx512(_vnni)?::")
if(symbols)
  list(JOIN symbols "\n  " symbols)
  message(FATAL_ERROR "Not in a namespace avx512 or avx512_vnni:\n  ${symbols}")
endif()

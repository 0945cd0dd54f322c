# cmake -DOBJDUMP=<objdump> "-DLIBRARIES=<a;b>" -P check_contraction.cmake
# fails if g++ has fused the products of complex numbers, which it does in spite of -ffp-contract=off
# (ops/common/elements/complex_product.h): other processors would have other bits.
foreach(library IN LISTS LIBRARIES)
  execute_process(COMMAND "${OBJDUMP}" -d --no-show-raw-insn "${library}"
    COMMAND grep -E "file format|vfm(addsub|subadd)"
    OUTPUT_VARIABLE found RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "no code in ${library}")
  endif()
  if(found MATCHES "([^\n]*):[^\n]*\n[^\n]*vfm")
    message(FATAL_ERROR "${library}: fused in ${CMAKE_MATCH_1}")
  endif()
endforeach()

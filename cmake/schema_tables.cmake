# onnxcmp_write_schema_tables(<file> <table>...) writes the include file that holds the tables' text
# as string literals, one after the other.
function(onnxcmp_write_schema_tables file)
  set(text "")
  foreach(table IN LISTS ARGN)
    file(READ "${table}" rows)
    string(APPEND text "R\"table(${rows})table\"\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
  endforeach()
  # file(CONFIGURE) leaves an unchanged file alone, so that nothing is compiled again for it.
  file(CONFIGURE OUTPUT "${file}" CONTENT "@text@" @ONLY)
endfunction()

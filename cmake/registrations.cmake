# onnxcmp_write_registrations(<file> <operator>...) writes the include file that declares every
# operator's Register function and calls them all, in the order given.
function(onnxcmp_write_registrations file)
  set(prefix_contrib Contrib)
  set(prefix_extended Extended)
  set(prefix_legacy Legacy)
  set(prefix_traditionalml Ml)
  set(prefix_training Training)

  set(declarations "")
  set(calls "")
  foreach(operator IN LISTS ARGN)
    string(REGEX MATCH "^[^/]*" folder "${operator}")
    get_filename_component(name "${operator}" NAME)
    set(function "Register${prefix_${folder}}")
    string(REPLACE "_" ";" words "${name}")
    foreach(word IN LISTS words)
      string(SUBSTRING "${word}" 0 1 first)
      string(SUBSTRING "${word}" 1 -1 rest)
      string(TOUPPER "${first}" first)
      string(APPEND function "${first}${rest}")
    endforeach()
    string(APPEND declarations "void ${function}(OpRegistry& registry);\n")
    string(APPEND calls "  ${function}(registry);\n")
  endforeach()

  # configure_file leaves an unchanged file alone, so that nothing is compiled again for it.
  configure_file("${PROJECT_SOURCE_DIR}/cmake/registrations.inc.in" "${file}" @ONLY)
endfunction()

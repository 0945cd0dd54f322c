# onnxcmp_write_page_bundle(<file> <template> <script> <style>) writes the source file that has the
# script and the style of a page in it, from the template. script/page makes those of --html from
# page/src; a build needs no Node.
function(onnxcmp_write_page_bundle file template script style)
  foreach(name IN ITEMS script style)
    set(source "${${name}}")
    file(READ "${source}" page_${name})
    file(SHA256 "${source}" page_${name}_sha256)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  endforeach()
  configure_file("${template}" "${file}" @ONLY)
  # Its text is long and includes hardly anything.
  set_source_files_properties("${file}" PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

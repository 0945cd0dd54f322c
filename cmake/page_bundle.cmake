# onnxcmp_write_page_bundle(<file>) writes the source file that has the script and the style of the
# page of --html in it, from page/dist. script/page makes those from page/src; a build needs no Node.
function(onnxcmp_write_page_bundle file)
  set(dist "${PROJECT_SOURCE_DIR}/page/dist")
  foreach(part IN ITEMS script:page.js style:page.css)
    string(REPLACE ":" ";" part "${part}")
    list(POP_FRONT part name source)
    file(READ "${dist}/${source}" page_${name})
    file(SHA256 "${dist}/${source}" page_${name}_sha256)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${dist}/${source}")
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/compare/reports/page_bundle.cc.in" "${file}" @ONLY)
  # Its text is long and includes hardly anything.
  set_source_files_properties("${file}" PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

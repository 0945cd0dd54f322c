# onnxcmp_write_onnx_schemas(<file>) writes the include file that lists the functions that make
# ONNX's schemas, as ONNX's headers list them: {set, name, since_version, function}.
function(onnxcmp_write_onnx_schemas file)
  find_path(ONNXCMP_ONNX_INCLUDE onnx/defs/operator_sets.h
    PATHS "${ONNXCMP_ONNX_PREFIX}/include" "${ONNXCMP_ONNX_PREFIX}/../include" "${onnx_SOURCE_DIR}"
    NO_DEFAULT_PATH REQUIRED DOC "ONNX's headers")
  mark_as_advanced(ONNXCMP_ONNX_INCLUDE)
  set(text "")
  foreach(suffix "" _ml _preview _training)
    set(header "${ONNXCMP_ONNX_INCLUDE}/onnx/defs/operator_sets${suffix}.h")
    file(READ "${header}" code)
    # Classes of previews do not name their set.
    string(REPLACE "ONNX_PREVIEW_OPERATOR_SET_SCHEMA_CLASS_NAME("
      "ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(OnnxPreview, " code "${code}")
    string(REGEX MATCHALL "GetOpSchema<ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME[^>]*>" makers "${code}")
    foreach(maker IN LISTS makers)
      if(NOT maker MATCHES "\\(([A-Za-z]+), ([0-9]+), ([A-Za-z0-9_]+)\\)>$")
        message(FATAL_ERROR "${header}: ${maker}")
      endif()
      string(APPEND text "{\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_3}\", ${CMAKE_MATCH_2}, "
        "&onnx::GetOpSchema<onnx::${CMAKE_MATCH_3}_${CMAKE_MATCH_1}_ver${CMAKE_MATCH_2}>},\n")
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  endforeach()
  # file(CONFIGURE) leaves an unchanged file alone, so that nothing is compiled again for it.
  file(CONFIGURE OUTPUT "${file}" CONTENT "@text@" @ONLY)
endfunction()

# Installation: `find_package(onnxcmp)` gives onnxcmp::evaluator, onnxcmp::ops, onnxcmp::compare;
# with COMPONENTS testing also onnxcmp::testing, which needs GoogleTest, with COMPONENTS xtensor
# onnxcmp::xtensor, which needs that.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/onnxcmp")
set_target_properties(onnxcmp_options PROPERTIES EXPORT_NAME options)
install(TARGETS onnxcmp_options EXPORT onnxcmp)
foreach(set onnxcmp onnxcmp_testing onnxcmp_xtensor)
  install(EXPORT ${set} NAMESPACE onnxcmp:: FILE ${set}Targets.cmake DESTINATION "${package_dir}")
endforeach()

# The same for those who take the libraries from the tree that they are built in (python/), with what
# is not installed.
export(EXPORT onnxcmp NAMESPACE onnxcmp:: FILE "${PROJECT_BINARY_DIR}/onnxcmpTargets.cmake")
set_target_properties(onnxcmp_cli PROPERTIES EXPORT_NAME cli)
set_target_properties(onnxcmp_generate PROPERTIES EXPORT_NAME generate)
set_target_properties(onnxcmp_samples PROPERTIES EXPORT_NAME samples)
set_target_properties(onnxcmp_show PROPERTIES EXPORT_NAME show)
export(TARGETS onnxcmp_cli onnxcmp_generate onnxcmp_samples onnxcmp_show NAMESPACE onnxcmp::
  FILE "${PROJECT_BINARY_DIR}/onnxcmpCliTargets.cmake")

# Headers: include/onnxcmp/*.h and what they include, which include/installed_headers.txt lists.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/onnxcmp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_BINARY_DIR}/generated/evaluator/version.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/onnxcmp/evaluator")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/include/installed_headers.txt")
file(STRINGS "${PROJECT_SOURCE_DIR}/include/installed_headers.txt" headers REGEX "^[^#]")
foreach(header IN LISTS headers)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/onnxcmp/${folder}")
endforeach()

# ONNX. script/bootstrap's lies in a cache, which may be gone one day: it is installed too, in a
# folder of its own, where it meets no other ONNX of the prefix. Any other is found where it was.
set(onnx_place "${CMAKE_INSTALL_LIBDIR}/onnxcmp/onnx")
if(ONNXCMP_ONNX_IS_BOOTSTRAPS)
  install(DIRECTORY "${ONNXCMP_ONNX_PREFIX}/include" "${ONNXCMP_ONNX_PREFIX}/lib"
    DESTINATION "${onnx_place}")
  set(onnx_hint "${onnx_place}")
else()
  set(onnx_hint "${ONNX_DIR}")
endif()

set(testing_library "${CMAKE_INSTALL_LIBDIR}/\
${CMAKE_STATIC_LIBRARY_PREFIX}onnxcmp_testing${CMAKE_STATIC_LIBRARY_SUFFIX}")
configure_package_config_file(cmake/onnxcmpConfig.cmake.in onnxcmpConfig.cmake
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS onnx_hint testing_library)
write_basic_package_version_file(onnxcmpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/onnxcmpConfig.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/onnxcmpConfigVersion.cmake"
  DESTINATION "${package_dir}")

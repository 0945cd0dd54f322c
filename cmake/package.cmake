# Installation: `find_package(onnxcmp)` gives onnxcmp::evaluator, onnxcmp::ops, onnxcmp::compare.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/onnxcmp")
set_target_properties(onnxcmp_options PROPERTIES EXPORT_NAME options)
install(TARGETS onnxcmp_options EXPORT onnxcmp)
install(EXPORT onnxcmp NAMESPACE onnxcmp:: FILE onnxcmpTargets.cmake DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/generated/evaluator/version.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/onnxcmp/evaluator")

configure_package_config_file(cmake/onnxcmpConfig.cmake.in onnxcmpConfig.cmake
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(onnxcmpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/onnxcmpConfig.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/onnxcmpConfigVersion.cmake"
  DESTINATION "${package_dir}")

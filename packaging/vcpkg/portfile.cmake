# An overlay port: vcpkg install onnxcmp --overlay-ports=packaging/vcpkg. It builds this work tree; a
# port of a registry fetches a release by vcpkg_from_github() instead.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DONNXCMP_TESTS=OFF
    -DONNXCMP_EXAMPLES=OFF
    -DONNXCMP_BENCHMARKS=OFF
    # vcpkg's ONNX, which may be older than the one that script/bootstrap builds.
    "-DONNX_ROOT=${CURRENT_INSTALLED_DIR}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/onnxcmp)
vcpkg_copy_tools(TOOL_NAMES onnxcmp AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

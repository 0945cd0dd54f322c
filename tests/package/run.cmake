# Installs a build into a folder of its own, and builds and runs programs against that: what they
# include has to be among the headers that are installed. Then takes away what a build of the
# program alone does not make: the rest has to be of use without it.
#   cmake -DBUILD=<build tree> -DGENERATOR=<generator> -DWANT_VERSION=<version>
#     -DONNX_IS_INSTALLED=<bool> -P run.cmake
set(work "${BUILD}/package_test")
file(REMOVE_RECURSE "${work}")
set(prefix "${work}/installed")
set(want_onnx "")
if(ONNX_IS_INSTALLED)
  set(want_onnx "${prefix}")
endif()
set(configure -S "${CMAKE_CURRENT_LIST_DIR}" -B "${work}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DWANT_VERSION=${WANT_VERSION}" "-DWANT_ONNX=${want_onnx}")
foreach(step
    "--install;${BUILD};--prefix;${prefix}"
    "${configure}"
    "--build;${work}/build"
    "-E;chdir;${work}/build;./package_test"
    "-E;chdir;${work}/build;./unit_test")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

file(GLOB_RECURSE testing_library "${prefix}/*onnxcmp_testing.*")
list(FILTER testing_library EXCLUDE REGEX "cmake$")
if(NOT testing_library)
  message(FATAL_ERROR "the library of the component testing is not installed")
endif()
file(REMOVE ${testing_library})
set(configure -S "${CMAKE_CURRENT_LIST_DIR}/program_alone" -B "${work}/program_alone"
  -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}")
execute_process(COMMAND ${CMAKE_COMMAND} ${configure} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} ${configure} -DWANT_TESTING=ON
  RESULT_VARIABLE result ERROR_VARIABLE message OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " message "${message}")
string(FIND "${message}" "build the target onnxcmp_testing, then install again" at)
if(result EQUAL 0 OR at EQUAL -1)
  message(FATAL_ERROR "a component that is not installed gives ${result}: ${message}")
endif()
file(REMOVE_RECURSE "${work}")

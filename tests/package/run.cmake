# Installs a build into a folder of its own, and builds and runs programs against that: what they
# include has to be among the headers that are installed.
#   cmake -DBUILD=<build tree> -DGENERATOR=<generator> -DWANT_VERSION=<version> -P run.cmake
set(work "${BUILD}/package_test")
file(REMOVE_RECURSE "${work}")
set(configure -S "${CMAKE_CURRENT_LIST_DIR}" -B "${work}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${work}/installed" "-DWANT_VERSION=${WANT_VERSION}")
foreach(step
    "--install;${BUILD};--prefix;${work}/installed"
    "${configure}"
    "--build;${work}/build"
    "-E;chdir;${work}/build;./package_test"
    "-E;chdir;${work}/build;./unit_test")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

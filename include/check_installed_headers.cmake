# installed_headers.txt lists what the headers in include/onnxcmp/ include, and what that includes:
# these headers are installed, and no others. This checks the list, or writes it anew:
#   cmake -DSOURCE=. [-DUPDATE=ON] -P include/check_installed_headers.cmake
cmake_minimum_required(VERSION 3.25)
file(REAL_PATH "${SOURCE}" SOURCE)
set(list "${SOURCE}/include/installed_headers.txt")

file(GLOB queue RELATIVE "${SOURCE}" "${SOURCE}/include/onnxcmp/*.h")
set(reached "")
while(queue)
  list(POP_FRONT queue header)
  if(header IN_LIST reached)
    continue()
  endif()
  list(APPEND reached "${header}")
  file(STRINGS "${SOURCE}/${header}" lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    # Others are of other projects, of include/ itself, or generated.
    if(EXISTS "${SOURCE}/${included}")
      list(APPEND queue "${included}")
    endif()
  endforeach()
endwhile()
list(FILTER reached EXCLUDE REGEX "^include/")
list(SORT reached)
string(JOIN "\n" text
  "# The headers that are installed, besides those of include/onnxcmp/: what those include, and what"
  "# that includes. check_installed_headers.cmake writes this." ${reached})
if(UPDATE)
  file(WRITE "${list}" "${text}\n")
  return()
endif()
file(READ "${list}" written)
if(NOT written STREQUAL "${text}\n")
  file(STRINGS "${list}" listed REGEX "^[^#]")
  set(missing ${reached})
  set(surplus ${listed})
  list(REMOVE_ITEM missing ${listed})
  list(REMOVE_ITEM surplus ${reached})
  message(FATAL_ERROR "include/installed_headers.txt lacks [${missing}] and should not have "
    "[${surplus}]. If that is meant to be public:\n"
    "  cmake -DSOURCE=. -DUPDATE=ON -P include/check_installed_headers.cmake")
endif()

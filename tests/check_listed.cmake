# cmake -DSOURCE=<project> -DCOMMANDS=<compile_commands.json> -DFOLDERS=<a;b> -P check_listed.cmake
# fails if a .cc file of these folders is in no CMakeLists.txt, and so is never compiled. libFuzzer's
# programs are compiled by the preset fuzz alone.
file(READ "${COMMANDS}" commands)

# Files that are compiled several at a time are named by those that include them.
string(REGEX MATCHALL "\"file\": \"[^\"]*/Unity/[^\"]*" batches "${commands}")
foreach(batch IN LISTS batches)
  string(REGEX REPLACE "^\"file\": \"" "" batch "${batch}")
  file(READ "${batch}" included)
  string(APPEND commands "${included}")
endforeach()

set(missing "")
foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE files RELATIVE "${SOURCE}" "${SOURCE}/${folder}/*.cc")
  list(FILTER files EXCLUDE REGEX "^tests/fuzz/(make_corpus|.*_fuzzer)\\.cc$")
  file(READ "${SOURCE}/${folder}/CMakeLists.txt" list)
  foreach(file IN LISTS files)
    string(FIND "${commands}" "\"${SOURCE}/${file}\"" position)
    if(position EQUAL -1 AND file MATCHES "/(macos|plain|windows)/")
      # For other systems: the list is all that can be looked at here.
      string(REPLACE "${folder}/" "" name "${file}")
      string(REGEX MATCH " ${name}[)\n]" listed "${list}")
      if(listed)
        set(position 0)
      endif()
    endif()
    if(position EQUAL -1)
      string(APPEND missing "\n  ${file}")
    endif()
  endforeach()
endforeach()
if(missing)
  message(FATAL_ERROR "Not listed in any CMakeLists.txt (operators: ops/operators.cmake):${missing}")
endif()

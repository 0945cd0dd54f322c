# Takes Abseil, protobuf and RE2 as static libraries where the system has both kinds. Looking up the
# symbols of thirty shared libraries took more than half of the processor time of a small comparison.
# Only links of this project change: a project that finds the installed package takes its own
# libraries, and one that has this project as a part may build shared ones. With ONNXCMP_ARCHIVES, a
# folder, archives are looked for there and not beside the shared libraries (python/).

function(static_beside library result)
  string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${library}")
  if(ONNXCMP_ARCHIVES)
    get_filename_component(name "${archive}" NAME)
    set(archive "${ONNXCMP_ARCHIVES}/${name}")
  endif()
  if(EXISTS "${archive}")
    set(${result} "${archive}" PARENT_SCOPE)
  else()
    set(${result} "${library}" PARENT_SCOPE)
  endif()
endfunction()

# For imported targets of this directory. A library of its own has its file in IMPORTED_LOCATION,
# pkg-config's in the list of what to link.
function(link_imported_statically prefix)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  list(FILTER targets INCLUDE REGEX "^${prefix}")
  foreach(target IN LISTS targets)
    foreach(property IMPORTED_LOCATION IMPORTED_LOCATION_NONE IMPORTED_LOCATION_RELEASE
            INTERFACE_LINK_LIBRARIES)
      get_target_property(files ${target} ${property})
      if(NOT files)
        continue()
      endif()
      set(static)
      foreach(file IN LISTS files)
        static_beside("${file}" file)
        list(APPEND static "${file}")
      endforeach()
      set_target_properties(${target} PROPERTIES ${property} "${static}")
    endforeach()
  endforeach()
endfunction()

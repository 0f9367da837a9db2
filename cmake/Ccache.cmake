# Compiles through ccache where it is installed, such that a fresh clone in any folder hits what another one
# built: paths below the base directory are hashed relative to the build folder, the working directory is not
# hashed at all, and a precompiled header counts by the text it was made from (gcc writes other bytes each
# time).

# Has the precompiled header of `target` go with the checksum by which ccache knows it.
function(flowray_sum_pch target)
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND};-P;${PROJECT_SOURCE_DIR}/cmake/CompilePch.cmake;${CMAKE_CXX_COMPILER};--;${CMAKE_CXX_COMPILER_LAUNCHER}")
endfunction()

find_program(FLOWRAY_CCACHE ccache)
if(NOT FLOWRAY_CCACHE OR CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()

# The nearest folder that holds both the sources and the build folder (a build folder may lie beside the
# clone).
set(base_dir "${PROJECT_SOURCE_DIR}")
cmake_path(IS_PREFIX base_dir "${CMAKE_BINARY_DIR}" NORMALIZE build_is_below)
while(NOT build_is_below)
  cmake_path(GET base_dir PARENT_PATH base_dir)
  cmake_path(IS_PREFIX base_dir "${CMAKE_BINARY_DIR}" NORMALIZE build_is_below)
endwhile()

set(CMAKE_CXX_COMPILER_LAUNCHER
  env "CCACHE_BASEDIR=${base_dir}" CCACHE_NOHASHDIR=true CCACHE_PCH_EXTSUM=true
  CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  # What comes out is the same, and clang is told of a precompiled header's source by its whole path.
  "CCACHE_IGNOREOPTIONS=--param=ggc-min-heapsize=* ${PROJECT_BINARY_DIR}/CMakeFiles/*"
  "${FLOWRAY_CCACHE}")

if(FLOWRAY_PCH)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(flowray-compiler INTERFACE -fpch-preprocess)
  else()
    target_compile_options(flowray-compiler INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

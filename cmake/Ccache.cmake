# Compiles through ccache where it is installed, such that a fresh clone in any folder hits what another one
# built: paths below the base directory are hashed relative to the build folder, the working directory is not
# hashed at all, and a precompiled header counts by the text it was made from (gcc writes other bytes each
# time).

# Writes the checksum by which ccache knows the precompiled header of `target`, made from the headers that
# follow: that of their preprocessed text. A new version of a header is seen when CMake runs again, as
# scripts/test always does.
function(flowray_sum_pch target)
  list(TRANSFORM ARGN PREPEND "#include ")
  list(JOIN ARGN "\n" text)
  set(probe "${PROJECT_BINARY_DIR}/pch/${target}.probe.cpp")
  file(WRITE "${probe}" "${text}\n")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -E -P "${probe}" OUTPUT_VARIABLE preprocessed
                  COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 sum "${preprocessed}")
  foreach(ending gch pch)  # gcc's and clang's
    file(WRITE "${PROJECT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.${ending}.sum" "${sum}\n")
  endforeach()
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
  CCACHE_IGNOREOPTIONS=--param=ggc-min-heapsize=*  # what comes out is the same
  "${FLOWRAY_CCACHE}")

if(FLOWRAY_PCH)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(flowray-compiler INTERFACE -fpch-preprocess)
  else()
    target_compile_options(flowray-compiler INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

# tests/fuzz/<room>/NAME.cpp is the fuzz target fuzz-NAME, linked with the rooms up to that one, or with those
# that its room needs: the libraries of the other rooms are not built for it. Needs the preset fuzz;
# scripts/fuzz builds and runs them.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "FLOWRAY_FUZZ needs clang, which has libFuzzer; use the preset fuzz")
endif()

# Half an hour of compiling less for targets of whole graphs: what they need above graph comes from there. It does
# not count which branches an input takes, what reads an input does.
set(FLOWRAY_FUZZ_LIBRARY "" CACHE FILEPATH "libflowray.a of the preset asan, made of the same sources")

# Adds the targets of tests/fuzz/`folder`, linked with the rooms that follow.
function(flowray_add_fuzz_targets folder)
  set(rooms ${ARGN})
  set(library)
  if(FLOWRAY_FUZZ_LIBRARY AND ops IN_LIST rooms)
    set(rooms core wire files graph)
    set(library "${FLOWRAY_FUZZ_LIBRARY}")
  endif()
  file(GLOB targets CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/${folder}/*.cpp")
  foreach(source IN LISTS targets)
    cmake_path(GET source STEM name)
    add_executable(fuzz-${name} "${source}" "${PROJECT_SOURCE_DIR}/tests/fuzz/harness.cpp")
    flowray_compile_like_the_rooms(fuzz-${name} flowray-pch)
    target_include_directories(fuzz-${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src")
    foreach(room IN LISTS rooms)
      target_sources(fuzz-${name} PRIVATE $<TARGET_OBJECTS:flowray-${room}>)
    endforeach()
    target_link_libraries(fuzz-${name} PRIVATE ${library} flowray-dependencies ${FLOWRAY_LINKED_LIBRARIES})
    target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
    set_property(GLOBAL APPEND PROPERTY FLOWRAY_FUZZ_TARGETS fuzz-${name})
  endforeach()
endfunction()

# Spilled objects have the checksum of files; it needs nothing of graphs. Links need of their room themselves.
set(FLOWRAY_FUZZ_ROOMS_OF_ray core wire files ray)
set(FLOWRAY_FUZZ_ROOMS_OF_cluster core wire)
set(rooms_before)
foreach(room IN LISTS FLOWRAY_ROOMS)
  list(APPEND rooms_before ${room})
  if(DEFINED FLOWRAY_FUZZ_ROOMS_OF_${room})
    flowray_add_fuzz_targets(${room} ${FLOWRAY_FUZZ_ROOMS_OF_${room}})
  else()
    flowray_add_fuzz_targets(${room} ${rooms_before})
  endif()
endforeach()
flowray_add_fuzz_targets(tools core)
target_sources(fuzz-value_text PRIVATE "${PROJECT_SOURCE_DIR}/tools/flowray/value_text.cpp")
target_include_directories(fuzz-value_text PRIVATE "${PROJECT_SOURCE_DIR}/tools/flowray")
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cluster/link/*.cpp" "${PROJECT_SOURCE_DIR}/src/cluster/crew/*.cpp")
target_sources(fuzz-link PRIVATE ${sources})
foreach(source support/graph_trial support/filled_memory support/unsteady_memory)
  target_sources(fuzz-graph PRIVATE "${PROJECT_SOURCE_DIR}/tests/${source}.cpp")
  target_sources(fuzz-graph_text PRIVATE "${PROJECT_SOURCE_DIR}/tests/${source}.cpp")
endforeach()
foreach(source hostile/drawn_graph hostile/mutation)
  target_sources(fuzz-graph PRIVATE "${PROJECT_SOURCE_DIR}/tests/${source}.cpp")
endforeach()

get_property(targets GLOBAL PROPERTY FLOWRAY_FUZZ_TARGETS)
add_custom_target(fuzz-targets DEPENDS ${targets})

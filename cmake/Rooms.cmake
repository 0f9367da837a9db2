# The rooms of src/ with their folders, each an object library (so that a room can be built by itself: ninja
# flowray-core), together the library flowray, static (target flowray) and shared (flowray-shared, in
# SharedLibrary.cmake). Their order is that of CONTRIBUTING.md; scripts/check-rooms holds the includes to it.

set(FLOWRAY_ROOMS core wire files graph ops engine tf cluster ray glue)
# docs/building.md says what the checks cost in which room.
set(FLOWRAY_HARDENED_ROOMS wire files graph cluster)
set(FLOWRAY_GUARDED_ROOMS engine ops tf glue)
set(FLOWRAY_UNGUARDED "/src/ops/loops/")
# What their precompiled headers have of the project's own: see flowray_compile_as.
set(FLOWRAY_ROOMS_OF_KERNELS ops engine tf)

# FLOWRAY_UNITY: small sources of one folder are compiled together, up to this many bytes of source in a unit,
# because half of what the compiler does for one of them are headers and inline functions that all share. What
# is fast by the compiler's choice of what to inline stays alone: gcc limits how far a large unit may grow.
set(FLOWRAY_UNIT_BYTES 48000)
# Most of what these compile is headers, and little of it is hot.
set(FLOWRAY_LARGE_UNIT_BYTES 100000)
set(FLOWRAY_IN_LARGE_UNITS "/src/(cluster|engine|files|graph|tf|wire|ops/(data|file|image|queues|sparse|text))/")
set(FLOWRAY_NOT_IN_UNITS "/src/(core|ops/loops|engine/run)/")

# A release compiles these hardly optimized, as they build graphs, or wait for files and peers: what a step runs
# is elsewhere. It is three tenths of what they take to compile.
set(FLOWRAY_COLD "/src/cluster/|/src/tf/(data|flow|functions|gradients|image|keras|layers|metrics|nn|sparse|train|variables)/")

# Sets `result` to what is compiled for the sources that follow: units below the build folder, and the sources
# that are in none. The units include by the path from src/, so that ccache knows them in another clone.
function(flowray_unite result)
  set(compiled)
  foreach(source IN LISTS ARGN)
    get_source_file_property(its_options "${source}" COMPILE_OPTIONS)
    get_source_file_property(its_definitions "${source}" COMPILE_DEFINITIONS)
    if(source MATCHES "${FLOWRAY_NOT_IN_UNITS}" OR its_options OR its_definitions)
      list(APPEND compiled "${source}")
    else()
      cmake_path(GET source PARENT_PATH folder)
      list(APPEND folders "${folder}")
      list(APPEND "sources_of_${folder}" "${source}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src" OUTPUT_VARIABLE path)
    set(most ${FLOWRAY_UNIT_BYTES})
    if("${folder}/" MATCHES "${FLOWRAY_IN_LARGE_UNITS}")
      set(most ${FLOWRAY_LARGE_UNIT_BYTES})
    endif()
    set(number 1)
    set(sum 0)
    foreach(source IN LISTS "sources_of_${folder}")
      file(SIZE "${source}" bytes)
      math(EXPR sum "${sum} + ${bytes}")
      if(sum GREATER most AND DEFINED "text_${number}")
        math(EXPR number "${number} + 1")
        set(sum ${bytes})
      endif()
      cmake_path(GET source FILENAME name)
      string(APPEND "text_${number}" "#include \"${path}/${name}\"\n")
    endforeach()
    foreach(unit RANGE 1 ${number})
      set(file "${PROJECT_BINARY_DIR}/units/${path}/${unit}.cpp")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${text_${unit}}" @ONLY)
      list(APPEND compiled "${file}")
      unset("text_${unit}")
    endforeach()
  endforeach()
  set(${result} ${compiled} PARENT_SCOPE)
endfunction()

# The version is that of the project, above all of its parts.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/ray/driver/python_template.cpp" PROPERTIES
  COMPILE_DEFINITIONS "FLOWRAY_VERSION=\"${PROJECT_VERSION}\"")

# Adds the object library `target` of these sources, of these kinds: see flowray_compile_as.
function(flowray_add_sources target kinds)
  if(FLOWRAY_UNITY)
    flowray_unite(sources ${ARGN})
  else()
    set(sources ${ARGN})
  endif()
  add_library(${target} OBJECT ${sources})
  flowray_compile_as(${target} ${kinds})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE flowray-dependencies)
  if(FLOWRAY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes the sources of a unit for headers.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

set(FLOWRAY_OBJECTS)
set(FLOWRAY_COLD_OBJECTS)
set(rooms_found)
foreach(room IN LISTS FLOWRAY_ROOMS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*.cpp")
  # libflowray-cluster and the wrapped main are built by themselves.
  list(FILTER sources EXCLUDE REGEX "/src/(cluster/(crew|grpc|link)|ray/program)/")
  if(sources)
    set(kinds)
    if(room IN_LIST FLOWRAY_HARDENED_ROOMS)
      set(kinds hardened)
    elseif(room IN_LIST FLOWRAY_GUARDED_ROOMS)
      set(kinds guarded)
    endif()
    set(cold_kinds ${kinds} cold)
    if(room IN_LIST FLOWRAY_ROOMS_OF_KERNELS)
      list(APPEND kinds kernels)
    endif()
    if(room STREQUAL tf)
      list(APPEND cold_kinds language)
    endif()
    set(unguarded ${sources})
    list(FILTER unguarded INCLUDE REGEX "${FLOWRAY_UNGUARDED}")
    if(unguarded AND TARGET flowray-guarded)
      list(FILTER sources EXCLUDE REGEX "${FLOWRAY_UNGUARDED}")
      flowray_add_sources(flowray-${room}-unguarded "" ${unguarded})
      list(APPEND FLOWRAY_OBJECTS $<TARGET_OBJECTS:flowray-${room}-unguarded>)
    endif()
    set(cold ${sources})
    list(FILTER cold INCLUDE REGEX "${FLOWRAY_COLD}")
    if(cold AND TARGET flowray-cold)
      list(FILTER sources EXCLUDE REGEX "${FLOWRAY_COLD}")
      flowray_add_sources(flowray-${room}-cold "${cold_kinds}" ${cold})
      list(APPEND FLOWRAY_COLD_OBJECTS $<TARGET_OBJECTS:flowray-${room}-cold>)
    endif()
    if(sources)
      flowray_add_sources(flowray-${room} "${kinds}" ${sources})
      list(APPEND FLOWRAY_OBJECTS $<TARGET_OBJECTS:flowray-${room}>)
    endif()
    list(APPEND rooms_found ${room})
  endif()
endforeach()
# Last: of an inline function that several objects have, the linker takes the first. (ld's first of the static
# library is what is asked for first; mold goes by their order here.)
list(APPEND FLOWRAY_OBJECTS ${FLOWRAY_COLD_OBJECTS})
message(STATUS "Rooms: ${rooms_found}")

# Every program that links flowray gets __wrap_main, which must lie in the program itself: before the
# program's main begins it forks the process that worker processes come from, if there are remote functions.
# It is an object and not an archive: it must be there when the linker looks for a main, which may lie in an
# archive (gtest_main). A program that sets the property FLOWRAY_OWN_MAIN goes without it.
add_library(flowray-wrapped-main OBJECT "${PROJECT_SOURCE_DIR}/src/ray/program/wrapped_main.cpp")
target_link_libraries(flowray-wrapped-main PRIVATE flowray-compiler)
set(FLOWRAY_WRAPPED_MAIN "${CMAKE_INSTALL_LIBDIR}/flowray/wrapped_main.o")  # where it is installed

# Gives the library `target` what those who link it get: the public headers, and __wrap_main.
function(flowray_add_usage target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  set(is_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
  set(keeps_its_main "$<BOOL:$<TARGET_PROPERTY:FLOWRAY_OWN_MAIN>>")
  set(wraps_main "$<AND:${is_program},$<NOT:${keeps_its_main}>>")
  target_sources(${target} INTERFACE
    "$<BUILD_INTERFACE:$<${wraps_main}:$<TARGET_OBJECTS:flowray-wrapped-main>>>"
    "$<INSTALL_INTERFACE:$<${wraps_main}:$<INSTALL_PREFIX>/${FLOWRAY_WRAPPED_MAIN}>>")
  target_link_options(${target} INTERFACE "$<${wraps_main}:-Wl,--wrap=main>")
endfunction()

add_library(flowray STATIC ${FLOWRAY_OBJECTS})
set_target_properties(flowray PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME static)
target_link_libraries(flowray PRIVATE ${FLOWRAY_LINKED_LIBRARIES})
flowray_add_usage(flowray)
add_library(flowray::static ALIAS flowray)

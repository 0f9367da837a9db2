# The rooms of src/, each an object library (so that a room can be built by itself: ninja flowray-core), together the
# static library flowray. Their order is DESIGN.md's; scripts/check-rooms holds the includes to it.

set(FLOWRAY_ROOMS core wire files graph ops engine tf cluster ray glue)

add_library(flowray STATIC)
add_library(flowray::flowray ALIAS flowray)

set(rooms_found)
foreach(room IN LISTS FLOWRAY_ROOMS)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*.cpp")
  if(sources)
    add_library(flowray-${room} OBJECT ${sources})
    flowray_compile_like_the_rooms(flowray-${room} flowray-pch)
    target_include_directories(flowray-${room} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(flowray-${room} PRIVATE flowray-dependencies)
    target_sources(flowray PRIVATE $<TARGET_OBJECTS:flowray-${room}>)
    list(APPEND rooms_found ${room})
  endif()
endforeach()
if(NOT rooms_found)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/empty.cpp" CONTENT "// No room has a source yet.\n")
  target_sources(flowray PRIVATE "${PROJECT_BINARY_DIR}/empty.cpp")
endif()
message(STATUS "Rooms: ${rooms_found}")

target_compile_features(flowray PUBLIC cxx_std_20)
target_include_directories(flowray INTERFACE "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(flowray PRIVATE flowray-compiler flowray-dependencies)

# Every program that links flowray gets __wrap_main, which must lie in the program itself: a driver that has threads before
# Init() is run again for its worker processes, and that run ends before the program's main. A program that sets the property
# FLOWRAY_OWN_MAIN goes without it.
add_library(flowray-wrapped-main OBJECT "${PROJECT_SOURCE_DIR}/src/ray/program/wrapped_main.cpp")
target_link_libraries(flowray-wrapped-main PRIVATE flowray-compiler)
set(is_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
set(keeps_its_main "$<BOOL:$<TARGET_PROPERTY:FLOWRAY_OWN_MAIN>>")
set(wraps_main "$<AND:${is_program},$<NOT:${keeps_its_main}>>")
target_sources(flowray INTERFACE "$<${wraps_main}:$<TARGET_OBJECTS:flowray-wrapped-main>>")
target_link_options(flowray INTERFACE "$<${wraps_main}:-Wl,--wrap=main>")

# gRPC for the cluster room, in a library of its own that is opened when it is first needed (src/cluster/transport.h).
# Not find_package(gRPC): Debian's config wants the code generator, which nothing here needs.
find_library(GRPCPP_LIBRARY grpc++)
find_library(GRPC_LIBRARY grpc)
find_library(GPR_LIBRARY gpr)
if(GRPCPP_LIBRARY AND GRPC_LIBRARY AND GPR_LIBRARY)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cluster/grpc/*.cpp")
  add_library(flowray-cluster-grpc MODULE ${sources})
  set_target_properties(flowray-cluster-grpc PROPERTIES OUTPUT_NAME flowray-cluster PREFIX lib)
  flowray_compile_like_the_rooms(flowray-cluster-grpc flowray-pch)
  target_include_directories(flowray-cluster-grpc PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(flowray-cluster-grpc PRIVATE flowray-compiler ${GRPCPP_LIBRARY} ${GRPC_LIBRARY} ${GPR_LIBRARY})
  add_dependencies(flowray flowray-cluster-grpc)
else()
  message(STATUS "gRPC not found (libgrpc++-dev): libflowray-cluster is left out, there are no servers")
endif()

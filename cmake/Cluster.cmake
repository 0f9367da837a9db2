# gRPC for the cluster room, in a library of its own that libflowray opens when it is first needed;
# src/cluster/transport.h says why. Its target is flowray-transport, its file libflowray-cluster.so.

# Not find_package(gRPC): Debian's config wants the code generator, which nothing here needs.
find_library(GRPCPP_LIBRARY grpc++)
find_library(GRPC_LIBRARY grpc)
find_library(GPR_LIBRARY gpr)
if(GRPCPP_LIBRARY AND GRPC_LIBRARY AND GPR_LIBRARY)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cluster/crew/*.cpp"
       "${PROJECT_SOURCE_DIR}/src/cluster/link/*.cpp" "${PROJECT_SOURCE_DIR}/src/cluster/grpc/*.cpp" "${PROJECT_SOURCE_DIR}/src/files/crc32c.cpp")
  add_library(flowray-transport MODULE ${sources})
  set_target_properties(flowray-transport PROPERTIES PREFIX lib OUTPUT_NAME flowray-cluster)
  flowray_compile_as(flowray-transport hardened)
  target_include_directories(flowray-transport PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(flowray-transport PRIVATE flowray-compiler ${GRPCPP_LIBRARY} ${GRPC_LIBRARY} ${GPR_LIBRARY})
else()
  message(STATUS "gRPC not found (libgrpc++-dev): libflowray-cluster is left out, there are no servers")
endif()

# The libraries that the rooms link, all from Debian (scripts/setup installs them). They are private: the
# public headers name none of them.

find_package(Threads REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(GIF REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
# Checkpoint index; its CMake file asks for Snappy's development files too.
find_library(LEVELDB_LIBRARY leveldb REQUIRED)
find_path(LEVELDB_INCLUDE_DIR leveldb/table.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(FARMHASH_LIBRARY farmhash REQUIRED)  # strings into buckets
find_path(FARMHASH_INCLUDE_DIR farmhash.h REQUIRED)
find_path(EIGEN_INCLUDE_DIR Eigen/Dense PATH_SUFFIXES eigen3 REQUIRED)  # headers only: libeigen3-dev
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_builder.hpp REQUIRED)  # headers only: libprotozero-dev

# Those that whoever links the static library links, too; cmake/FlowrayConfig.cmake.in finds them.
set(FLOWRAY_LINKED_LIBRARIES Threads::Threads PNG::PNG JPEG::JPEG GIF::GIF ZLIB::ZLIB fmt::fmt leveldb re2 farmhash ${CMAKE_DL_LIBS})
add_library(flowray-dependencies INTERFACE)
target_link_libraries(flowray-dependencies INTERFACE ${FLOWRAY_LINKED_LIBRARIES})
target_include_directories(flowray-dependencies SYSTEM INTERFACE "${PROTOZERO_INCLUDE_DIR}" "${LEVELDB_INCLUDE_DIR}" "${RE2_INCLUDE_DIR}" "${FARMHASH_INCLUDE_DIR}")

# Of a few sources only, so that the others are not compiled again when it changes.
set_source_files_properties(
  "${PROJECT_SOURCE_DIR}/src/ops/matrix/decompositions.cpp"
  "${PROJECT_SOURCE_DIR}/src/ops/matrix/decompositions_complex.cpp"
  "${PROJECT_SOURCE_DIR}/src/ops/matrix/decompositions_double.cpp"
  "${PROJECT_SOURCE_DIR}/src/ops/matrix/decompositions_float.cpp"
  "${PROJECT_SOURCE_DIR}/src/ops/matrix/linear_algebra.cpp"
  "${PROJECT_SOURCE_DIR}/src/ops/matrix/triangular_solve.cpp"
  "${PROJECT_SOURCE_DIR}/src/ops/math/bessel_functions.cpp"
  "${PROJECT_SOURCE_DIR}/src/ops/math/special_functions.cpp"
  "${PROJECT_SOURCE_DIR}/src/ops/math/fourier.cpp" PROPERTIES
  COMPILE_OPTIONS "-isystem;${EIGEN_INCLUDE_DIR}")

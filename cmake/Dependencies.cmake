# The libraries that the rooms link, all from Debian (scripts/setup installs them). They are private: the public headers
# name none of them.

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(dnnl REQUIRED CONFIG)  # Debian's config asks for OpenCL too: ocl-icd-opencl-dev
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
find_package(Eigen3 CONFIG QUIET)

add_library(flowray-dependencies INTERFACE)
# gomp: oneDNN runs on one thread inside our pool, which omp_set_num_threads says to it in every thread.
target_link_libraries(flowray-dependencies INTERFACE
  Threads::Threads ZLIB::ZLIB fmt::fmt DNNL::dnnl PkgConfig::hwy gomp ${CMAKE_DL_LIBS})
if(TARGET Eigen3::Eigen)
  target_link_libraries(flowray-dependencies INTERFACE Eigen3::Eigen)
endif()

# libxsmm is static and has no arm64 package. noblas stands in for the BLAS we do not link; its error stub `sgemm_` must
# not be exported, or a BLAS that is loaded later would be shadowed by it.
find_library(FLOWRAY_XSMM NAMES libxsmm.a)
find_library(FLOWRAY_XSMM_NOBLAS NAMES libxsmmnoblas.a)
find_path(FLOWRAY_XSMM_INCLUDE libxsmm.h)
if(FLOWRAY_XSMM AND FLOWRAY_XSMM_NOBLAS AND FLOWRAY_XSMM_INCLUDE)
  target_include_directories(flowray-dependencies SYSTEM INTERFACE "${FLOWRAY_XSMM_INCLUDE}")
  target_link_libraries(flowray-dependencies INTERFACE "${FLOWRAY_XSMM}" "${FLOWRAY_XSMM_NOBLAS}")
  target_compile_definitions(flowray-dependencies INTERFACE FLOWRAY_HAVE_LIBXSMM)
  target_link_options(flowray-dependencies INTERFACE "LINKER:--exclude-libs,ALL")
else()
  message(STATUS "libxsmm not found: small matrix products use our own loops and oneDNN")
endif()

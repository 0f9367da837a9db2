# examples/NAME.cpp is the program NAME, examples/lenet/*.cpp together flowray-lenet; benchmarks/NAME.cpp is the
# Google Benchmark program NAME, benchmarks/compare/*.cpp together flowray-compare. What is measured there is the library
# flowray-compare-rows, the network of LeNet-5 the library lenet5: each is used by more than one program.

# Adds program `name` from the sources that follow, files of `folder`; it sees the public headers only, and its own as
# "lenet/progress.h".
function(flowray_add_program name folder)
  add_executable(${name} ${ARGN})
  flowray_compile_like_the_rooms(${name} flowray-pch)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/${folder}")
  target_link_libraries(${name} PRIVATE flowray::static fmt::fmt)
endfunction()

# Lets a benchmark look into the rooms, which examples must not.
function(flowray_show_rooms name)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${name} PRIVATE flowray-dependencies)
endfunction()

add_library(lenet5 STATIC "${PROJECT_SOURCE_DIR}/examples/lenet/lenet5.cpp")
flowray_compile_like_the_rooms(lenet5 flowray-pch)
target_include_directories(lenet5 PUBLIC "${PROJECT_SOURCE_DIR}/examples")
target_link_libraries(lenet5 PUBLIC flowray::static)

if(FLOWRAY_EXAMPLES)
  file(GLOB examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cpp")
  file(GLOB lenet CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/lenet/*.cpp")
  if(examples OR lenet)
    find_package(CLI11 REQUIRED)
  endif()
  foreach(source IN LISTS examples)
    cmake_path(GET source STEM name)
    flowray_add_program(${name} examples "${source}")
    target_link_libraries(${name} PRIVATE CLI11::CLI11)
    list(APPEND FLOWRAY_EXAMPLE_PROGRAMS ${name})
  endforeach()
  list(FILTER lenet EXCLUDE REGEX "/lenet5\\.cpp$")
  if(lenet)
    flowray_add_program(flowray-lenet examples ${lenet})
    target_link_libraries(flowray-lenet PRIVATE lenet5 CLI11::CLI11)
    list(APPEND FLOWRAY_EXAMPLE_PROGRAMS flowray-lenet)
  endif()
endif()

# tools/flowray/*.cpp is the command flowray.
if(FLOWRAY_EXAMPLES)
  find_package(CLI11 REQUIRED)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/flowray/*.cpp")
  flowray_add_program(flowray-command tools ${sources})
  set_target_properties(flowray-command PROPERTIES OUTPUT_NAME flowray)
  flowray_show_rooms(flowray-command)
  target_link_libraries(flowray-command PRIVATE CLI11::CLI11)
  if(TARGET flowray-transport)
    add_dependencies(flowray-command flowray-transport)
  endif()
endif()

if(FLOWRAY_BENCHMARKS)
  file(GLOB benchmarks CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/benchmarks/*.cpp")
  file(GLOB compare CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/benchmarks/compare/*.cpp")
  # oneDNN stands beside our kernels in their benchmark; nothing else links it.
  find_package(dnnl CONFIG QUIET)  # Debian's config asks for OpenCL too: ocl-icd-opencl-dev
  if(NOT TARGET DNNL::dnnl)
    message(STATUS "oneDNN not found: kernels_benchmark is left out")
    list(FILTER benchmarks EXCLUDE REGEX "/kernels_benchmark\\.cpp$")
  endif()
  if(benchmarks)
    find_package(benchmark REQUIRED)
  endif()
  foreach(source IN LISTS benchmarks)
    cmake_path(GET source STEM name)
    flowray_add_program(${name} benchmarks "${source}")
    flowray_show_rooms(${name})
    target_link_libraries(${name} PRIVATE benchmark::benchmark)
  endforeach()
  list(FILTER compare EXCLUDE REGEX "/main\\.cpp$")  # the rest is shared with language_benchmark
  add_library(flowray-compare-rows STATIC ${compare} "${PROJECT_SOURCE_DIR}/tests/support/lenet5_weights.cpp")
  flowray_compile_like_the_rooms(flowray-compare-rows flowray-pch)
  target_include_directories(flowray-compare-rows PUBLIC "${PROJECT_SOURCE_DIR}/benchmarks"
                             PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(flowray-compare-rows PUBLIC flowray::static PRIVATE lenet5)
  flowray_add_program(flowray-compare benchmarks "${PROJECT_SOURCE_DIR}/benchmarks/compare/main.cpp")
  target_link_libraries(flowray-compare PRIVATE flowray-compare-rows)
  target_link_libraries(language_benchmark PRIVATE flowray-compare-rows)
  if(TARGET kernels_benchmark)
    target_link_libraries(kernels_benchmark PRIVATE DNNL::dnnl gomp)
  endif()
endif()

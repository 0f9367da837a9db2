# The shared library, of the same objects as the static one, and flowray::flowray, the name by which others
# link.
#
# What it exports is what the public headers declare: they make it visible (#pragma GCC visibility), all else
# is hidden, and the version script drops what templates of other libraries leave behind.

add_library(flowray-shared SHARED ${FLOWRAY_OBJECTS})
set_target_properties(flowray-shared PROPERTIES
  LINKER_LANGUAGE CXX
  OUTPUT_NAME flowray
  EXPORT_NAME flowray
  VERSION ${PROJECT_VERSION}
  # Before 1.0 each minor version may break what was linked.
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_libraries(flowray-shared PRIVATE $<BUILD_INTERFACE:flowray-compiler> $<BUILD_INTERFACE:flowray-dependencies>)
flowray_add_usage(flowray-shared)

set(version_script "${PROJECT_SOURCE_DIR}/cmake/exported_symbols.map")
set_target_properties(flowray-shared PROPERTIES LINK_DEPENDS "${version_script}")
target_link_options(flowray-shared PRIVATE
  "-Wl,--version-script=${version_script}"
  -Wl,--exclude-libs,ALL
  -Wl,-Bsymbolic-functions)  # calls within the library do not go through its table of exported functions
if(NOT FLOWRAY_SANITIZE)  # whose run-time library comes with the program
  target_link_options(flowray-shared PRIVATE -Wl,-z,defs)
endif()

# The programs and tests of this tree link flowray::static: tests look behind the public headers, programs are
# one file. Other projects that include this one choose by CMake's BUILD_SHARED_LIBS.
if(BUILD_SHARED_LIBS)
  add_library(flowray::flowray ALIAS flowray-shared)
else()
  add_library(flowray::flowray ALIAS flowray)
endif()
if(NOT BUILD_SHARED_LIBS AND NOT FLOWRAY_INSTALL)
  set_target_properties(flowray-shared PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

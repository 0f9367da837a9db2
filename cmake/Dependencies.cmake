# The libraries that the rooms link, all from Debian (scripts/setup installs them). They are private: the public headers
# name none of them.

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)

add_library(flowray-dependencies INTERFACE)
target_link_libraries(flowray-dependencies INTERFACE Threads::Threads ZLIB::ZLIB fmt::fmt ${CMAKE_DL_LIBS})

# How everything is compiled: the target flowray-compiler carries it, flowray-pch the precompiled standard
# headers. Both are private to this build; users of flowray::flowray get neither.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
endif()

if(NOT FLOWRAY_SANITIZE MATCHES "^(address|thread)?$")
  message(FATAL_ERROR "FLOWRAY_SANITIZE is '${FLOWRAY_SANITIZE}'; it must be empty, address or thread")
endif()

add_library(flowray-compiler INTERFACE)
target_include_directories(flowray-compiler INTERFACE "${PROJECT_SOURCE_DIR}/include")

# -fPIC by hand and not by POSITION_INDEPENDENT_CODE: that gives programs -fPIE, and gcc then refuses the
# precompiled headers that the rooms use.
target_compile_options(flowray-compiler INTERFACE -fPIC)
# Nobody replaces one of our functions at run time: public ones are inlined within the library as hidden ones
# are.
target_compile_options(flowray-compiler INTERFACE -fno-semantic-interposition)

target_compile_options(flowray-compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wcast-align -Wundef -Wvla
  # Options are aggregates whose fields have defaults; naming some of them is the point.
  -Wno-missing-field-initializers
  $<$<BOOL:${FLOWRAY_WERROR}>:-Werror>)
# Nobody reads errno after sqrt or catches floating-point traps; without these two, loops with sqrt or a
# select of floats do not vectorise. No value changes.
target_compile_options(flowray-compiler INTERFACE -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(flowray-compiler INTERFACE -Wshadow=local -Wlogical-op -Wduplicated-cond -Wno-psabi)
  # These follow values through inlined code, and gcc 12 is wrong about nearly every `std::string + "text"`
  # and many a std::vector and std::variant; AddressSanitizer finds the real cases.
  set(unsure maybe-uninitialized array-bounds stringop-overflow stringop-overread restrict free-nonheap-object)
  list(TRANSFORM unsure PREPEND -Wno-)
  target_compile_options(flowray-compiler INTERFACE ${unsure} -Wno-tsan)
  # gcc looks for memory to use again from 400 MB on instead of 128: a tenth less time, 270 MB more at most.
  target_compile_options(flowray-compiler INTERFACE --param=ggc-min-heapsize=400000)
else()
  target_compile_options(flowray-compiler INTERFACE -Wshadow-uncaptured-local
    -Wthread-safety -Werror=thread-safety  # of core/mutex.h; an error without FLOWRAY_WERROR, too
    -Wno-pass-failed  # a loop that clang does not vectorise is slow, not wrong
    -Wno-deprecated-declarations)  # std::stable_sort of libstdc++ 12 uses one itself; gcc tells of ours
endif()

if(FLOWRAY_SANITIZE STREQUAL "address")
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(FLOWRAY_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
else()
  set(sanitize)
endif()
if(FLOWRAY_FUZZ)
  # Counts which branches an input takes.
  target_compile_options(flowray-compiler INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(sanitize)
  target_compile_options(flowray-compiler INTERFACE ${sanitize})
  target_link_options(flowray-compiler INTERFACE ${sanitize})
  # Hundreds of suites of tests are processes, and start more of them; with the sanitizers' tables one that may
  # lie anywhere spends a third of its start with moving a million addresses.
  target_link_options(flowray-compiler INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
if(sanitize OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(flowray-compiler INTERFACE _GLIBCXX_ASSERTIONS)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT sanitize)
  # What is called through tables is bound when a program starts, and the tables cannot be written from then
  # on.
  target_link_options(flowray-compiler INTERFACE -Wl,-z,relro,-z,now)
endif()

# Paths in __FILE__, std::source_location and debug information are relative to the repository, whichever
# folder the clone is in: readable in messages, and the same for ccache. ccache hands gcc paths relative to
# the build folder (hence the second map).
cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE source_from_build)
target_compile_options(flowray-compiler INTERFACE
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" "-ffile-prefix-map=${source_from_build}/=")

# mold links a test program in a tenth of ld's time.
find_program(FLOWRAY_MOLD mold)
if(FLOWRAY_MOLD)
  target_link_options(flowray-compiler INTERFACE -fuse-ld=mold)
endif()

include(Ccache)

# A precompiled header, made with the flags of flowray-compiler: gcc takes it only with the very flags it was
# made with.
add_custom_target(flowray-pchs)  # all of them, for scripts/check-tidy
function(flowray_add_pch target)
  if(NOT FLOWRAY_PCH)
    return()
  endif()
  set(source "${PROJECT_BINARY_DIR}/pch/${target}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Makes the precompiled header.\n")
  add_library(${target} OBJECT "${source}")
  target_link_libraries(${target} PRIVATE flowray-compiler)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  add_dependencies(flowray-pchs ${target})
  if(FLOWRAY_CCACHE)
    flowray_sum_pch(${target})
  endif()
endfunction()

# Makes `target` compile as the rooms do. `pch` is the target whose precompiled header it uses.
function(flowray_compile_like_the_rooms target pch)
  target_link_libraries(${target} PRIVATE flowray-compiler)
  if(FLOWRAY_PCH)
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
endfunction()

set(FLOWRAY_STD_HEADERS <algorithm> <array> <atomic> <chrono> <cmath> <complex> <condition_variable> <cstddef> <cstdint>
    <cstring> <deque> <functional> <initializer_list> <iterator> <limits> <map> <memory> <mutex> <numeric> <optional>
    <set> <span> <sstream> <stdexcept> <string> <string_view> <thread> <tuple> <type_traits> <unordered_map>
    <unordered_set> <utility> <variant> <vector>)
flowray_add_pch(flowray-pch ${FLOWRAY_STD_HEADERS})

# Two kinds of hardening, for the rooms that Rooms.cmake names: `guarded` has lengths of memcpy and the like,
# and what lies above a buffer on the stack, looked at as the program runs; `hardened` has indices of the
# standard containers looked at, too.
if(FLOWRAY_HARDEN AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT FLOWRAY_SANITIZE)
  add_library(flowray-guarded INTERFACE)
  target_compile_definitions(flowray-guarded INTERFACE _FORTIFY_SOURCE=2)
  target_compile_options(flowray-guarded INTERFACE -fstack-protector-strong)
  add_library(flowray-hardened INTERFACE)
  target_compile_definitions(flowray-hardened INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_libraries(flowray-hardened INTERFACE flowray-guarded)
endif()

# What no step waits for is compiled `cold`: gcc takes three tenths less time for it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT FLOWRAY_SANITIZE)
  add_library(flowray-cold INTERFACE)
  target_compile_options(flowray-cold INTERFACE -O1)
endif()

# What nearly all sources of some rooms include of the project's own, `kernels` and `language` below as kinds (none
# may have the name of a room, whose target is flowray-ROOM). Where each source is compiled by itself it is to
# include what it uses.
set(FLOWRAY_HEADERS_OF_kernels core/dtype_dispatch.h fmt/format.h graph/builder.h graph/gradient_context.h
    graph/kernel/kernel.h graph/op_schema.h graph/shape_context.h)
set(FLOWRAY_HEADERS_OF_language flowray/tf/control_flow.h flowray/tf/math.h flowray/tf/session.h
    flowray/tf/slicing.h flowray/tf/variable.h fmt/format.h graph/builder.h graph/op_schema.h tf/build/apply_op.h)

# As flowray_compile_like_the_rooms, of these kinds, if they are there: guarded, hardened, cold, kernels, language.
# Each set of kinds has a precompiled header of its own: gcc wants one of the same flags, and takes from it, without a
# word, how much to optimize.
function(flowray_compile_as target)
  set(kinds)
  set(headers)
  set(pch flowray)
  foreach(kind IN LISTS ARGN)
    if(TARGET flowray-${kind})
      list(APPEND kinds flowray-${kind})
      string(APPEND pch -${kind})
    elseif(DEFINED FLOWRAY_HEADERS_OF_${kind} AND FLOWRAY_UNITY)
      foreach(header IN LISTS FLOWRAY_HEADERS_OF_${kind})
        list(APPEND headers "<${header}>")
      endforeach()
      string(APPEND pch -${kind})
    endif()
  endforeach()
  string(APPEND pch -pch)
  if(NOT TARGET ${pch})
    flowray_add_pch(${pch} ${FLOWRAY_STD_HEADERS} ${headers})
    if(TARGET ${pch})
      target_link_libraries(${pch} PRIVATE ${kinds})
      if(headers)
        target_include_directories(${pch} PRIVATE "${PROJECT_SOURCE_DIR}/src")
        target_link_libraries(${pch} PRIVATE flowray-dependencies)
      endif()
    endif()
  endif()
  target_link_libraries(${target} PRIVATE ${kinds})
  flowray_compile_like_the_rooms(${target} ${pch})
endfunction()

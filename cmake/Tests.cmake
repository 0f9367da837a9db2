# The *_test.cpp of tests/<room> and its folders are the program test-<room>; what tests share is in
# tests/support, the library flowray-test-support.

find_package(GTest REQUIRED)
include(GoogleTest)
# The library under test is optimized, the tests themselves hardly: half of what they take to compile was
# that.
set(FLOWRAY_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND FLOWRAY_TEST_OPTIONS -fbracket-depth=1024)  # a test registers 300 functions in one fold
endif()
# The precompiled header `target` for tests, with these headers beside those of all.
function(flowray_add_test_pch target)
  flowray_add_pch(${target} ${FLOWRAY_STD_HEADERS} <gtest/gtest.h> ${ARGN})
  if(TARGET ${target})
    target_link_libraries(${target} PRIVATE GTest::gtest flowray-dependencies)
    target_compile_options(${target} PRIVATE ${FLOWRAY_TEST_OPTIONS})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  endif()
endfunction()
flowray_add_test_pch(flowray-test-pch)
# Of nearly all tests of these rooms: <flowray/tf.h> is half of what a small one takes.
set(FLOWRAY_TEST_PCH_OF_tf flowray-test-language-pch)
set(FLOWRAY_TEST_PCH_OF_ops flowray-test-graph-pch)
if(FLOWRAY_UNITY)
  flowray_add_test_pch(flowray-test-language-pch <flowray/tf.h>)
  flowray_add_test_pch(flowray-test-graph-pch <graph/builder.h> <graph/kernel/kernel.h> <graph/op_schema.h>)
endif()

# Seconds after which a test counts as hung: a guard, not a bound on speed. Sanitizers are slow, and with them a
# test is a whole suite.
set(FLOWRAY_TEST_TIMEOUT_S 300)
if(FLOWRAY_SANITIZE)
  set(FLOWRAY_TEST_TIMEOUT_S 1800)
endif()

# A sanitizer's finding ends the test, with both stacks. One variable only: gtest_discover_tests takes no list there, and what
# UndefinedBehaviorSanitizer needs stands in tests/test_main.cpp.
set(FLOWRAY_TEST_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1")
if(FLOWRAY_SANITIZE STREQUAL "thread")
  set(FLOWRAY_TEST_ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
elseif(FLOWRAY_SANITIZE STREQUAL "address")
  # For the programs that tests start, too, as servers and examples: they lose what libraries of others never free.
  set(FLOWRAY_TEST_ENVIRONMENT
      "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/leaks_of_libraries.txt:print_suppressions=0")
endif()

# The leak check reads the size of thread-local memory of a loaded library before its beginning where that
# lies 16 bytes into a page, as old C libraries had it, and crashes; of other such memory it knows nothing
# either way.
set(FLOWRAY_TEST_ENVIRONMENT_MODIFICATION "ASAN_OPTIONS=set:intercept_tls_get_addr=0")

# Nor does a finding in a process that a test has started pass unseen, whose end the test may expect or not
# look at. What is printed of a fault that a test wants (SIGSEGV in an actor) is not a finding.
set(FLOWRAY_FINDING "WARNING: ThreadSanitizer|LeakSanitizer:|runtime error: |AddressSanitizer: [a-z]+-")

# Compiles a target of tests/, with this precompiled header, where it is there. They may look into the rooms, and read
# files below FLOWRAY_SOURCE_DIR.
function(flowray_compile_test target)
  set(pch flowray-test-pch)
  if(TARGET "${ARGV1}")
    set(pch "${ARGV1}")
  endif()
  flowray_compile_like_the_rooms(${target} ${pch})
  # INSTANTIATE_TEST_SUITE_P has a parameter `info`, which is what everybody calls that of the naming lambda
  # too.
  target_compile_options(${target} PRIVATE -Wno-shadow ${FLOWRAY_TEST_OPTIONS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src")
  # "." and not the absolute path, which would be hashed: then no test would be a hit in ccache in another
  # clone. tests/test_main.cpp enters the repository's folder before the first test.
  target_compile_definitions(${target} PRIVATE "FLOWRAY_SOURCE_DIR=\".\"")
  target_link_libraries(${target} PRIVATE flowray::static flowray-dependencies GTest::gtest GTest::gmock)
endfunction()

file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
list(FILTER support EXCLUDE REGEX "_test\\.cpp$")
add_library(flowray-test-support STATIC ${support} "${PROJECT_SOURCE_DIR}/tests/test_main.cpp")
flowray_compile_test(flowray-test-support)
set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/test_main.cpp" PROPERTIES
  COMPILE_DEFINITIONS "FLOWRAY_TESTS_RUN_IN=\"${PROJECT_SOURCE_DIR}\"")

# Of test-<room>, as gtest_discover_tests when CTest begins, but a test is a suite of GoogleTest's: with the
# sanitizers a process takes longer to start and to end than most tests. The rest are properties of the tests.
function(flowray_discover_suites room)
  set(properties)
  foreach(word IN LISTS ARGN)
    string(APPEND properties " [==[${word}]==]")
  endforeach()
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/suites-${room}.cmake" CONTENT
    "set(room ${room})
set(program \"$<TARGET_FILE:test-${room}>\")
set(folder \"${PROJECT_SOURCE_DIR}\")
set(properties${properties})
include(\"${PROJECT_SOURCE_DIR}/cmake/AddSuites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${PROJECT_BINARY_DIR}/suites-${room}.cmake")
endfunction()

# System calls of its own for the test programs of these rooms: in no library, from which every program would
# take them.
add_library(flowray-test-interposed OBJECT "${PROJECT_SOURCE_DIR}/tests/support/interposed/file_calls.cpp")
flowray_compile_test(flowray-test-interposed)
set(FLOWRAY_INTERPOSED_ROOMS files tf)

foreach(room IN LISTS FLOWRAY_ROOMS ITEMS support examples tools)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${room}/*_test.cpp")
  if(sources)
    add_executable(test-${room} ${sources})
    flowray_compile_test(test-${room} "${FLOWRAY_TEST_PCH_OF_${room}}")
    target_link_libraries(test-${room} PRIVATE flowray-test-support)
    if(room IN_LIST FLOWRAY_INTERPOSED_ROOMS)
      target_sources(test-${room} PRIVATE $<TARGET_OBJECTS:flowray-test-interposed>)
    endif()
    set(properties TIMEOUT ${FLOWRAY_TEST_TIMEOUT_S} LABELS ${room} ENVIRONMENT "${FLOWRAY_TEST_ENVIRONMENT}"
      ENVIRONMENT_MODIFICATION "${FLOWRAY_TEST_ENVIRONMENT_MODIFICATION}"
      FAIL_REGULAR_EXPRESSION "${FLOWRAY_FINDING}")
    if(FLOWRAY_SANITIZE)
      flowray_discover_suites(${room} ${properties})
    else()
      gtest_discover_tests(test-${room} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTIES ${properties})
    endif()
  endif()
endforeach()

# tests/<room>/programs/NAME.cpp are programs that the room's tests run: test-<room>-NAME.
foreach(room IN LISTS FLOWRAY_ROOMS)
  file(GLOB programs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${room}/programs/*.cpp")
  foreach(source IN LISTS programs)
    cmake_path(GET source STEM name)
    add_executable(test-${room}-${name} "${source}")
    flowray_compile_like_the_rooms(test-${room}-${name} flowray-pch)
    target_include_directories(test-${room}-${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(test-${room}-${name} PRIVATE flowray::static flowray-dependencies)
    if(room IN_LIST FLOWRAY_INTERPOSED_ROOMS)
      target_sources(test-${room}-${name} PRIVATE $<TARGET_OBJECTS:flowray-test-interposed>)
      target_include_directories(test-${room}-${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    endif()
    add_dependencies(test-${room} test-${room}-${name})
  endforeach()
endforeach()
# Ray's programs once more, without the libraries that <ray/api.h> takes where they are installed.
foreach(name IN ITEMS ray_api ray_names)
  add_executable(test-ray-${name}-alone "${PROJECT_SOURCE_DIR}/tests/ray/programs/${name}.cpp")
  flowray_compile_like_the_rooms(test-ray-${name}-alone flowray-pch)
  target_compile_definitions(test-ray-${name}-alone PRIVATE FLOWRAY_RAY_API_ALONE)
  target_include_directories(test-ray-${name}-alone PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(test-ray-${name}-alone PRIVATE flowray::static flowray-dependencies)
  add_dependencies(test-ray test-ray-${name}-alone)
endforeach()
# Graphs that are meant to do harm, one after the other for as long as it is told.
add_executable(hostile "${PROJECT_SOURCE_DIR}/tests/hostile/hostile.cpp"
  "${PROJECT_SOURCE_DIR}/tests/hostile/drawn_graph.cpp" "${PROJECT_SOURCE_DIR}/tests/hostile/edge_cases.cpp"
  "${PROJECT_SOURCE_DIR}/tests/hostile/mutation.cpp")
flowray_compile_test(hostile)
target_link_libraries(hostile PRIVATE flowray-test-support)
set_target_properties(hostile PROPERTIES FLOWRAY_OWN_MAIN ON)
# The same graphs each time, every number of every op at its edges, and new graphs for some minutes, or two hours
# with --nightly: what they find is printed with the number of its case, which runs it again
# (tests/hostile/hostile.cpp), and kept in build/PRESET/hostile-findings.
set(FLOWRAY_HOSTILE_CASES 8000)
set(FLOWRAY_HUNT_S 60)
set(FLOWRAY_EDGES --edges)
if(FLOWRAY_SANITIZE)
  set(FLOWRAY_HOSTILE_CASES 3000)
  list(APPEND FLOWRAY_EDGES --by-night-only 77)
endif()
set(FLOWRAY_NIGHTLY_HUNT_S 7200)
set(FLOWRAY_FINDINGS --out "${PROJECT_BINARY_DIR}/hostile-findings")
add_test(NAME hostile-graphs COMMAND hostile --seed 1 --cases ${FLOWRAY_HOSTILE_CASES} ${FLOWRAY_FINDINGS}
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
# Names the ops that no graph of seeds.tfrecord has, and counts as skipped then: a change that adds an op need not record them.
add_test(NAME hostile-graphs-of-all-ops COMMAND hostile --untried WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
set_tests_properties(hostile-graphs-of-all-ops PROPERTIES LABELS ops SKIP_REGULAR_EXPRESSION "[A-Za-z]")
# What new graphs find by day is not the fault of the change that is tested: the test is skipped then, which is counted,
# and scripts/test shows the finding at its end. At night it fails.
add_test(NAME hostile-graphs-new
  COMMAND hostile --seconds ${FLOWRAY_HUNT_S} --nightly-seconds ${FLOWRAY_NIGHTLY_HUNT_S} --found-by-day 77 ${FLOWRAY_FINDINGS}
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
math(EXPR FLOWRAY_HUNT_TIMEOUT_S "${FLOWRAY_NIGHTLY_HUNT_S} + ${FLOWRAY_TEST_TIMEOUT_S}")
set_tests_properties(hostile-graphs-new PROPERTIES TIMEOUT ${FLOWRAY_HUNT_TIMEOUT_S} SKIP_RETURN_CODE 77)
add_test(NAME hostile-graphs-edges COMMAND hostile ${FLOWRAY_EDGES} ${FLOWRAY_FINDINGS}
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
set_tests_properties(hostile-graphs PROPERTIES TIMEOUT ${FLOWRAY_TEST_TIMEOUT_S})
set_tests_properties(hostile-graphs-edges PROPERTIES TIMEOUT ${FLOWRAY_HUNT_TIMEOUT_S} SKIP_RETURN_CODE 77)
set_tests_properties(hostile-graphs hostile-graphs-new hostile-graphs-edges PROPERTIES LABELS ops RUN_SERIAL ON
  ENVIRONMENT "${FLOWRAY_TEST_ENVIRONMENT};ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=128:hard_rss_limit_mb=4000:detect_leaks=0:handle_abort=1")
if(TARGET test-ops)
  add_dependencies(test-ops hostile)
endif()

# The fuzz targets are built with a preset of their own (cmake/Fuzz.cmake). Here they are compiled only, along
# with the tests of their room, so that a change of what they use shows at once.
if(NOT FLOWRAY_SANITIZE)
  foreach(room IN LISTS FLOWRAY_ROOMS ITEMS tools)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/${room}/*.cpp")
    if(sources)
      add_library(fuzz-sources-${room} OBJECT ${sources})
      flowray_compile_test(fuzz-sources-${room})
      target_include_directories(fuzz-sources-${room} PRIVATE "${PROJECT_SOURCE_DIR}/tools/flowray")
      if(TARGET test-${room})
        add_dependencies(test-${room} fuzz-sources-${room})
      endif()
    endif()
  endforeach()
  add_library(fuzz-sources-harness OBJECT "${PROJECT_SOURCE_DIR}/tests/fuzz/harness.cpp")
  flowray_compile_test(fuzz-sources-harness)
endif()

set_target_properties(test-ray-unwrapped_threads PROPERTIES FLOWRAY_OWN_MAIN ON)

# What a driver may have used before Init, where it is found.
if(NOT FLOWRAY_SANITIZE)
  find_package(OpenMP QUIET COMPONENTS CXX)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(GRPC QUIET IMPORTED_TARGET grpc++)
  endif()
  # gcc takes a precompiled header only with the very flags that it was made with.
  set_target_properties(test-ray-before_init PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  if(OpenMP_CXX_FOUND)
    target_link_libraries(test-ray-before_init PRIVATE OpenMP::OpenMP_CXX)
  endif()
  if(TARGET PkgConfig::GRPC)
    target_link_libraries(test-ray-before_init PRIVATE PkgConfig::GRPC)
    target_compile_definitions(test-ray-before_init PRIVATE FLOWRAY_TEST_GRPC)
  endif()
endif()

# Of libflowray-cluster, which exports nothing; these parts need no gRPC.
if(TARGET test-cluster)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cluster/crew/*.cpp" "${PROJECT_SOURCE_DIR}/src/cluster/link/*.cpp")
  target_sources(test-cluster PRIVATE ${sources})
endif()

# The tests that need one of these are skipped where it is not built.
if(TARGET flowray-transport)  # needs gRPC
  add_dependencies(test-cluster flowray-transport)
  target_compile_definitions(test-cluster PRIVATE FLOWRAY_TEST_NETWORK)
endif()
if(TARGET flowray-command)  # needs FLOWRAY_EXAMPLES
  add_dependencies(test-cluster flowray-command)
  target_compile_definitions(test-cluster PRIVATE FLOWRAY_TEST_COMMAND)
endif()

# The tests of programs run them from the folder that both are built into, and may include their headers.
if(TARGET test-tools AND FLOWRAY_EXAMPLES)
  add_dependencies(test-tools flowray-command ${FLOWRAY_EXAMPLE_PROGRAMS})
  if(TARGET flowray-transport)
    target_compile_definitions(test-tools PRIVATE FLOWRAY_TEST_NETWORK)
  endif()
  target_include_directories(test-tools PRIVATE "${PROJECT_SOURCE_DIR}/examples")
endif()

# The mutations of scripts/test --mutate must fit the sources, or they test nothing: whoever changes what one
# of them breaks sees it here.
find_package(Python3 3.11 COMPONENTS Interpreter QUIET)
if(Python3_Interpreter_FOUND)
  add_test(NAME Mutations.FitTheSources
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tests/mutate/run" --dry-run)
  set_tests_properties(Mutations.FitTheSources PROPERTIES TIMEOUT ${FLOWRAY_TEST_TIMEOUT_S} LABELS mutate)
else()
  message(STATUS "Python 3.11 was not found: whether the mutations fit the sources is not tested")
endif()

# tests/consumer: what is installed, and projects of others that use it.
if(FLOWRAY_INSTALL AND NOT FLOWRAY_SANITIZE)  # a sanitizer would have to be in the other project, too
  add_custom_target(test-consumer DEPENDS flowray flowray-shared flowray-wrapped-main)
  foreach(installed_too IN ITEMS flowray-transport flowray-command)
    if(TARGET ${installed_too})
      add_dependencies(test-consumer ${installed_too})
    endif()
  endforeach()
  function(flowray_add_consumer_test name step)
    add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/consumer/run" ${step} "${PROJECT_BINARY_DIR}")
    set_tests_properties(${name} PROPERTIES TIMEOUT ${FLOWRAY_TEST_TIMEOUT_S} LABELS consumer
      ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER};FLOWRAY_BUILD_TYPE=${CMAKE_BUILD_TYPE}" ${ARGN})
  endfunction()
  flowray_add_consumer_test(Install.MakesATreeThatMayBeMoved install FIXTURES_SETUP installed)
  flowray_add_consumer_test(Install.HeadersIncludeNoOtherLibrary headers FIXTURES_REQUIRED installed)
  flowray_add_consumer_test(Install.ExportsFlowraysPublicNamesOnly symbols FIXTURES_REQUIRED installed)
  flowray_add_consumer_test(Install.LeavesOutWhatDebuggersRead stripped FIXTURES_REQUIRED installed)
  flowray_add_consumer_test(Install.PutsDownACommandThatServes command FIXTURES_REQUIRED installed)
  flowray_add_consumer_test(Consumer.FindsTheInstalledPackage package FIXTURES_REQUIRED installed)
  flowray_add_consumer_test(Consumer.FindsItByPkgConfig pkg-config FIXTURES_REQUIRED installed)
  flowray_add_consumer_test(Consumer.IncludesTheSources subdirectory FIXTURES_REQUIRED installed)
  flowray_add_consumer_test(Consumer.FetchesTheSources fetch FIXTURES_REQUIRED installed)
endif()

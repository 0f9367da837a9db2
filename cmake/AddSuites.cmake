# For CTest: adds a test ROOM/SUITE for each suite of the GoogleTest program `program` of the `room`, which runs in `folder`, with these
# `properties`. Those of many tests begin first, so that none is left alone at the end.

if(NOT EXISTS "${program}")  # of a room that is not built
  return()
endif()
execute_process(COMMAND "${program}" --gtest_list_tests WORKING_DIRECTORY "${folder}"
  OUTPUT_VARIABLE list RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(failed)
  message(FATAL_ERROR "${program} cannot list its tests: ${errors}")
endif()
string(REGEX MATCHALL "(^|\n)[^ \n]+\\.[^\n]*(\n  [^\n]*)*" suites "${list}")
foreach(suite IN LISTS suites)
  string(REGEX MATCHALL "\n  " tests "${suite}")
  list(LENGTH tests count)
  string(STRIP "${suite}" suite)
  string(REGEX REPLACE "\\.( .*)?\n.*" "" suite "${suite}")
  add_test("${room}/${suite}" "${program}" "--gtest_filter=${suite}.*")
  set_tests_properties("${room}/${suite}" PROPERTIES WORKING_DIRECTORY "${folder}" COST ${count} ${properties})
endforeach()

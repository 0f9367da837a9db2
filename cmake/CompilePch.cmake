# cmake -P CompilePch.cmake COMPILER -- COMMAND...: runs the compiler that makes a precompiled header, then writes beside it the
# checksum by which ccache knows it: that of the text which it was made from, as gcc writes other bytes each time.

set(command)
set(text_of)  # what decides about the text
set(previous)
math(EXPR last "${CMAKE_ARGC} - 1")
set(begun NO)
foreach(i RANGE 1 ${last})
  set(word "${CMAKE_ARGV${i}}")
  if(NOT begun)
    if(word STREQUAL "--")
      set(begun YES)
      set(compiler "${previous}")
    endif()
    set(previous "${word}")
    continue()
  endif()
  list(APPEND command "${word}")
  if(word MATCHES "^-(D|I|std=)")
    list(APPEND text_of "${word}")
  elseif(previous STREQUAL "-isystem")
    list(APPEND text_of -isystem "${word}")
  elseif(previous STREQUAL "-o")
    set(output "${word}")
  endif()
  set(previous "${word}")
endforeach()

# Not out of ccache: it takes a header in which only a comment changed for the same, and gcc, which knows a file with
# #pragma once by its bytes, would then read that one a second time.
set(ENV{CCACHE_DISABLE} 1)
execute_process(COMMAND ${command} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "No precompiled header was made: see above")
endif()
if(NOT output MATCHES "\\.(gch|pch)$")
  return()  # the source that goes with it
endif()
string(REGEX REPLACE "\\.(gch|pch)$" "" header "${output}")
execute_process(COMMAND ${compiler} -w ${text_of} -E -P -x c++ "${header}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(SHA256 sum "${text}")
file(WRITE "${output}.sum" "${sum}\n")

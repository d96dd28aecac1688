# SPDX-License-Identifier: Apache-2.0
# Reads the shared library's table of dynamic symbols: every function of exported_functions.txt is
# there, and nothing but dnnl_* and kiln_*.
#   cmake -DLIBRARY=<libdnnl.so> [-DNM=<nm>] -P symbols_test.cmake
cmake_minimum_required(VERSION 3.22)

if(NOT LIBRARY)
    message(FATAL_ERROR "LIBRARY names no library")
endif()
if(NOT NM)
    set(NM nm)
endif()

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY}
    OUTPUT_VARIABLE table RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${NM} cannot read ${LIBRARY}: ${result}")
endif()

# A line is "name type value size"; a version may follow the name.
string(REPLACE "\n" ";" lines "${table}")
set(functions)
set(intruders)
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^([^ @]+)[^ ]* ([A-Za-z])")
        continue()
    endif()
    set(name ${CMAKE_MATCH_1})
    set(type ${CMAKE_MATCH_2})
    if(type STREQUAL "A")
        continue() # the name of a version
    endif()
    if(NOT name MATCHES "^(dnnl|kiln)_[a-z0-9_]+$")
        list(APPEND intruders ${name})
    elseif(type STREQUAL "T")
        list(APPEND functions ${name})
    endif()
endforeach()

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/exported_functions.txt expected REGEX "^[^#]")
list(LENGTH expected count)
set(missing ${expected})
list(REMOVE_ITEM missing ${functions})

if(missing OR intruders)
    string(REPLACE ";" "\n  " missing "${missing}")
    string(REPLACE ";" "\n  " intruders "${intruders}")
    message(FATAL_ERROR "Not exported:\n  ${missing}\nExported though neither dnnl_* nor kiln_*:\n"
        "  ${intruders}")
endif()
message(STATUS "${count} functions are exported, and only dnnl_* and kiln_*")

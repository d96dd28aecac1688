# SPDX-License-Identifier: Apache-2.0
# Compiles each public header alone, and all together with each further compiler found, as the oldest
# languages they promise and as strictly as a user may. CTest runs it:
#   cmake "-DINCLUDE_DIRS=<include>;<generated include>" -P header_compile.cmake

cmake_minimum_required(VERSION 3.22)

if(NOT INCLUDE_DIRS)
    message(FATAL_ERROR "Say where the headers are: -DINCLUDE_DIRS=<directories>")
endif()
set(units "${CMAKE_CURRENT_LIST_DIR}/header_compile")

# What a program of oneDNN includes. These must be there; whatever else is in the directory is
# compiled too.
set(promised_c_headers
    dnnl.h
    dnnl_config.h
    dnnl_debug.h
    dnnl_threadpool.h
    dnnl_types.h
    dnnl_version.h
    kiln/layer_norm_grad.h
    kiln/ranks.h
    kiln/version.h
    oneapi/dnnl/dnnl.h
    oneapi/dnnl/dnnl_common.h
    oneapi/dnnl/dnnl_common_types.h
    oneapi/dnnl/dnnl_config.h
    oneapi/dnnl/dnnl_debug.h
    oneapi/dnnl/dnnl_graph.h
    oneapi/dnnl/dnnl_graph_types.h
    oneapi/dnnl/dnnl_threadpool.h
    oneapi/dnnl/dnnl_types.h
    oneapi/dnnl/dnnl_version.h
    oneapi/dnnl/dnnl_version_hash.h)
set(promised_cpp_headers
    dnnl.hpp
    dnnl_threadpool.hpp
    dnnl_threadpool_iface.hpp
    oneapi/dnnl/dnnl.hpp
    oneapi/dnnl/dnnl_common.hpp
    oneapi/dnnl/dnnl_graph.hpp
    oneapi/dnnl/dnnl_threadpool.hpp
    oneapi/dnnl/dnnl_threadpool_iface.hpp)

set(failures "")
set(c_headers "")
set(cpp_headers "")
foreach(dir IN LISTS INCLUDE_DIRS)
    file(GLOB_RECURSE found RELATIVE "${dir}" "${dir}/*.h")
    list(APPEND c_headers ${found})
    file(GLOB_RECURSE found RELATIVE "${dir}" "${dir}/*.hpp")
    list(APPEND cpp_headers ${found})
endforeach()
# It changes the names of what is declared after it; dnnl_config.h includes it where it is wanted.
list(REMOVE_ITEM c_headers kiln/renamed_symbols.h)
# They need those of MPI: -DMPI_INCLUDE_DIRS=<directories>.
if(NOT MPI_INCLUDE_DIRS)
    list(REMOVE_ITEM c_headers kiln/mpi.h)
    list(REMOVE_ITEM cpp_headers kiln/mpi.hpp)
endif()
foreach(header IN LISTS promised_c_headers promised_cpp_headers)
    if(NOT header IN_LIST c_headers AND NOT header IN_LIST cpp_headers)
        list(APPEND failures "${header} is missing")
    endif()
endforeach()
list(TRANSFORM INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE include_options)
foreach(dir IN LISTS MPI_INCLUDE_DIRS)
    list(APPEND include_options -isystem "${dir}")
endforeach()
list(APPEND include_options -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)

# compile(<compiler> <language> <standard> <what> <arguments>...): appends to `failures`.
function(compile compiler language standard what)
    execute_process(
        COMMAND "${compiler}" -x ${language} -std=${standard} -fsyntax-only
            -Wall -Wextra -Wshadow -Wconversion -Werror -pedantic ${include_options} ${ARGN}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message("${output}")
        list(APPEND failures "${what} as ${standard} with ${compiler}")
        set(failures "${failures}" PARENT_SCOPE)
    endif()
endfunction()

# compile_headers(<compiler> <language> <standard> <source> <headers>...): one by one with the first
# compiler of the language, together with the others.
function(compile_headers compiler language standard source)
    if("${language}" IN_LIST languages_compiled_alone)
        list(TRANSFORM ARGN PREPEND "-include;" OUTPUT_VARIABLE includes)
        compile("${compiler}" ${language} ${standard} "all headers" ${includes} "${source}")
    else()
        foreach(header IN LISTS ARGN)
            compile("${compiler}" ${language} ${standard} ${header} -include ${header} "${source}")
        endforeach()
        set(languages_compiled_alone ${languages_compiled_alone} ${language} PARENT_SCOPE)
    endif()
    set(failures "${failures}" PARENT_SCOPE)
endfunction()

set(languages_compiled_alone "")
set(compilers "")
foreach(pair IN ITEMS "gcc|g++" "clang|clang++")
    string(REPLACE "|" ";" names "${pair}")
    list(GET names 0 c_name)
    list(GET names 1 cpp_name)
    find_program(${c_name}_path ${c_name})
    find_program(${c_name}_cpp_path ${cpp_name})
    set(c_compiler "${${c_name}_path}")
    set(cpp_compiler "${${c_name}_cpp_path}")

    if(c_compiler)
        list(APPEND compilers ${c_name})
        compile_headers("${c_compiler}" c c99 "${units}/alone.c" ${c_headers})
        compile("${c_compiler}" c c99 c_program.c "${units}/c_program.c")
    endif()
    if(cpp_compiler)
        list(APPEND compilers ${cpp_name})
        compile_headers(
            "${cpp_compiler}" c++ c++11 "${units}/alone.cpp" ${c_headers} ${cpp_headers})
        compile("${cpp_compiler}" c++ c++11 cpp_program.cpp "${units}/cpp_program.cpp")
    endif()
endforeach()

if(NOT compilers)
    message(FATAL_ERROR "Neither gcc nor clang was found, so no header was compiled.")
endif()
if(failures)
    list(JOIN failures "\n  " lines)
    message(FATAL_ERROR "Public headers do not compile cleanly:\n  ${lines}")
endif()
list(LENGTH c_headers c_count)
list(LENGTH cpp_headers cpp_count)
list(JOIN compilers ", " names)
message(STATUS "${c_count} C and ${cpp_count} C++ headers compile alone with ${names}")

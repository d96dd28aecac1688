# Compiles the library in a third of the time: the files of a folder in groups, with headers of other
# projects that most files include parsed once.

# Files whose names collide with those of their neighbours are compiled alone: give a file that does
# not compile in its group other names, or a line here.
set(alone
    common/operations/concat.cpp
    common/operations/eltwise.cpp
    common/operations/normalization/group_normalization.cpp
    common/operations/normalization/layer_normalization.cpp
    common/operations/normalization/layer_normalization_pd.cpp
    common/operations/matmul.cpp
    common/operations/matmul_attr.cpp
    common/operations/not_implemented.cpp
    common/operations/prelu.cpp
    common/operations/products/inner_product.cpp
    common/operations/reduction.cpp
    common/operations/reorder.cpp
    common/operations/shuffle.cpp
    common/operations/softmax.cpp
    common/operations/sum.cpp
    common/verbose/describe_memory_desc.cpp
    cpu/reference/reorder.cpp
    cpu/x64/channel_normalization/channels_forward.cpp
    cpu/x64/jit/derivative.cpp
    cpu/x64/jit/exponential.cpp
    cpu/x64/jit/lanes_io.cpp
    cpu/x64/layer_normalization/row_forward_kernel.cpp
    cpu/x64/layer_normalization/rows.cpp
    cpu/x64/softmax/row_forward_kernel.cpp
    graph/lowering/reduction.cpp)

set(group_size 7)
get_target_property(files kiln_core SOURCES)
foreach(file IN LISTS alone)
    if(NOT file IN_LIST files)
        message(FATAL_ERROR "cmake/fast_build.cmake: ${file} is no source of the library.")
    endif()
endforeach()
list(REMOVE_ITEM files ${alone})
foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    if(NOT DEFINED count_${folder})
        set(count_${folder} 0)
    endif()
    math(EXPR group "${count_${folder}} / ${group_size}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${folder}_${group})
endforeach()
set_target_properties(kiln_core PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)

target_precompile_headers(kiln_core PRIVATE
    <algorithm> <array> <atomic> <cmath> <functional> <limits> <map> <memory> <mutex> <optional> <span>
    <string> <string_view> <unordered_map> <utility> <variant> <vector>
    <xbyak/xbyak.h> <xbyak/xbyak_util.h>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # In a precompiled <string>, GCC 12 sees copies beyond its objects that are not there (its bug 105651).
    target_compile_options(kiln_core PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread>)
endif()

# Compiles the library in a third of the time: the files of a folder in groups, with headers of other
# projects that most files include parsed once.

# A file whose names collide with those of its neighbours is in a group of another namespace, by
# preference one that includes the same headers: give a file that does not compile in its group other
# names, or a line here.
set(elsewhere
    common/operations/matmul_attr.cpp cpu_x64_matrix_0
    common/operations/normalization/group_normalization.cpp cpu_x64_channel_normalization_0
    common/operations/normalization/layer_normalization.cpp cpu_x64_layer_normalization_0
    common/operations/normalization/layer_normalization_pd.cpp cpu_x64_columns_0
    common/operations/products/inner_product.cpp cpu_x64_rows_0
    common/verbose/describe_memory_desc.cpp cpu_x64_layout_0
    cpu/reference/reorder.cpp cpu_x64_nests_0
    cpu/x64/channel_normalization/channels_forward.cpp cpu_x64_shuffle_0
    cpu/x64/jit/math/derivative.cpp cpu_x64_reorder_0
    cpu/x64/jit/math/exponential.cpp cpu_x64_sum_0
    cpu/x64/jit/lanes_io.cpp cpu_x64_concat_0
    cpu/x64/layer_normalization/row_forward_kernel.cpp cpu_x64_eltwise_0
    cpu/x64/layer_normalization/rows.cpp cpu_x64_prelu_0
    cpu/x64/softmax/row_forward_kernel.cpp cpu_x64_matmul_0
    graph/lowering/reduction.cpp graph_dump_0)
set(alone common/operations/not_implemented.cpp)

get_target_property(files kiln_core SOURCES)
while(elsewhere)
    list(POP_FRONT elsewhere file group)
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
    list(APPEND alone ${file})
endwhile()
foreach(file IN LISTS alone)
    if(NOT file IN_LIST files)
        message(FATAL_ERROR "cmake/fast_build.cmake: ${file} is no source of the library.")
    endif()
endforeach()
list(REMOVE_ITEM files ${alone})
foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    # The checks of each operation's calls have the same names: they are compiled with its kernels.
    cmake_path(GET file STEM name)
    if(folder STREQUAL "common/operations" AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/cpu/x64/${name})
        set_source_files_properties(${file} PROPERTIES UNITY_GROUP cpu_x64_${name}_0)
        list(APPEND alone ${file})
    endif()
endforeach()
kiln_compile_in_groups(kiln_core 7 ALONE ${alone})

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

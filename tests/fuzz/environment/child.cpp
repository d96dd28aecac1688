// SPDX-License-Identifier: Apache-2.0
#include "environment/child.hpp"

#include <cstdio>
#include <cstdlib>

#include <tbb/task_arena.h>
#include <unistd.h>

#include "oneapi/dnnl/dnnl_graph.h"
#include "support/expect.hpp"
#include "support/handle.hpp"
#include "support/layout.hpp"

namespace kiln::fuzz {

namespace {

constexpr unsigned most_seconds = 300; // the fuzzer has a limit of its own

void execute_primitive() {
    const auto src = test::make_desc({3, 5}, dnnl_f32), dst = test::make_desc({3, 5}, dnnl_bf16);
    test::primitive_desc_handle_t primitive_desc;
    test::require(dnnl_reorder_primitive_desc_create(primitive_desc.out(), src, test::cpu_engine(),
                          dst, test::cpu_engine(), nullptr),
            "a reorder");
    const auto primitive = test::make_primitive(primitive_desc);
    test::memory_handle_t from, to;
    for (const auto &[memory, desc] : {std::pair{&from, &src}, std::pair{&to, &dst}})
        test::require(
                dnnl_memory_create(memory->out(), *desc, test::cpu_engine(), DNNL_MEMORY_ALLOCATE),
                "memory");
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    test::require(dnnl_primitive_execute(primitive, test::cpu_stream(), 2, arguments), "execute");
    // A refused call has a line, too.
    dnnl_primitive_desc_t none = nullptr;
    dnnl_reorder_primitive_desc_create(&none, src, test::cpu_engine(),
            test::make_desc({4, 4}, dnnl_f32), test::cpu_engine(), nullptr);
}

void filter_graph() {
    test::handle_t<dnnl_graph_graph_t, dnnl_graph_graph_destroy> graph;
    test::handle_t<dnnl_graph_op_t, dnnl_graph_op_destroy> op;
    test::require(dnnl_graph_graph_create(graph.out(), dnnl_cpu), "a graph");
    test::require(dnnl_graph_op_create(op.out(), 1, dnnl_graph_op_abs, "abs"), "an operation");
    const dnnl_dim_t dims[] = {2, 3};
    dnnl_graph_logical_tensor_t tensors[2];
    for (size_t id : {0, 1})
        test::require(dnnl_graph_logical_tensor_init_with_dims(&tensors[id], id, dnnl_f32, 2, dims,
                              dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_undef),
                "a logical tensor");
    dnnl_graph_op_add_input(op, &tensors[0]);
    dnnl_graph_op_add_output(op, &tensors[1]);
    test::require(dnnl_graph_add_op(graph, op), "add_op");
    test::require(dnnl_graph_graph_finalize(graph), "finalize");
    test::require(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion), "filter");
}

void read_settings() {
    int capacity = -1, flag = -1;
    size_t mebibytes = 0;
    dnnl_fpmath_mode_t mode{};
    test::require(dnnl_get_primitive_cache_capacity(&capacity), "capacity");
    EXPECT_THAT(capacity >= 0, "the capacity is %d", capacity);
    test::require(dnnl_graph_get_compiled_partition_cache_capacity(&capacity), "capacity");
    EXPECT_THAT(capacity >= 0, "the capacity is %d", capacity);
    test::require(dnnl_graph_get_constant_tensor_cache(&flag), "flag");
    test::require(dnnl_graph_get_constant_tensor_cache_capacity(dnnl_cpu, &mebibytes), "capacity");
    test::require(dnnl_get_default_fpmath_mode(&mode), "mode");
    dnnl_get_effective_cpu_isa();
    dnnl_get_cpu_isa_hints();
}

} // namespace

void meet_settings(const std::vector<setting_t> &settings, const std::string &directory) {
    alarm(most_seconds); // ends a hang
    bool is_ready = chdir(directory.c_str()) == 0 && std::freopen("/dev/null", "w", stdout);
    setenv("JITDUMPDIR", directory.c_str(), 1);
    for (const setting_t &setting : settings)
        is_ready &= setenv(setting.name.c_str(), setting.value.c_str(), 1) == 0;
    if (!is_ready) _exit(2);
    try {
        tbb::task_arena(1).execute([] {
            execute_primitive();
            filter_graph();
            read_settings();
        });
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        _exit(3);
    }
    _exit(0);
}

} // namespace kiln::fuzz

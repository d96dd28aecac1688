// SPDX-License-Identifier: Apache-2.0
// Calls of the library whose lines of verbose mode are tested.
#include "api/verbose_scenarios.hpp"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/handle.hpp"

namespace kiln::test {

namespace {

void expect(dnnl_status_t status, dnnl_status_t expected = dnnl_success) {
    if (status == expected) return;
    std::printf("status %d, not %d\n", status, expected);
    std::exit(1);
}

engine_handle_t make_engine() {
    engine_handle_t engine;
    expect(dnnl_engine_create(engine.out(), dnnl_cpu, 0));
    return engine;
}

memory_desc_handle_t make_md(const std::vector<dnnl_dim_t> &dims, dnnl_format_tag_t tag,
        dnnl_data_type_t data_type = dnnl_f32) {
    memory_desc_handle_t md;
    expect(dnnl_memory_desc_create_with_tag(
            md.out(), static_cast<int>(dims.size()), dims.data(), data_type, tag));
    return md;
}

struct argument_t {
    int index;
    dnnl_query_t query;
    int query_index;
};

/// Creates a primitive and, if there are arguments, executes it with memory that the library
/// allocates.
void run(const primitive_desc_handle_t &pd, const std::vector<argument_t> &arguments = {}) {
    primitive_handle_t primitive;
    expect(dnnl_primitive_create(primitive.out(), pd));
    if (arguments.empty()) return;
    dnnl_engine_t engine;
    stream_handle_t stream;
    expect(dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, &engine));
    expect(dnnl_stream_create(stream.out(), engine, dnnl_stream_default_flags));
    std::vector<memory_handle_t> memories(arguments.size());
    std::vector<dnnl_exec_arg_t> exec_args;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const argument_t &argument = arguments[i];
        expect(dnnl_memory_create(memories[i].out(),
                dnnl_primitive_desc_query_md(pd, argument.query, argument.query_index), engine,
                DNNL_MEMORY_ALLOCATE));
        exec_args.push_back({argument.index, memories[i]});
    }
    expect(dnnl_primitive_execute(
            primitive, stream, static_cast<int>(exec_args.size()), exec_args.data()));
}

const std::vector<argument_t> forward_arguments = {
        {DNNL_ARG_SRC, dnnl_query_src_md, 0},
        {DNNL_ARG_DST, dnnl_query_dst_md, 0},
        {DNNL_ARG_MEAN, dnnl_query_dst_md, 1},
        {DNNL_ARG_VARIANCE, dnnl_query_dst_md, 2},
        {DNNL_ARG_SCALE, dnnl_query_weights_md, 0},
        {DNNL_ARG_SHIFT, dnnl_query_weights_md, 1},
};

primitive_desc_handle_t make_forward(dnnl_engine_t engine) {
    primitive_desc_handle_t pd;
    expect(dnnl_layer_normalization_forward_primitive_desc_create(pd.out(), engine,
            dnnl_forward_training, make_md({4, 16}, dnnl_ab), make_md({4, 16}, dnnl_format_tag_any),
            nullptr, 1e-5f, dnnl_use_scale | dnnl_use_shift, nullptr));
    return pd;
}

void execute_forward() {
    const engine_handle_t engine = make_engine();
    run(make_forward(engine), forward_arguments);
}

/// With src as described, in another layout and of another type; prints the statuses.
void execute_with_other_memory() {
    const engine_handle_t engine = make_engine();
    const memory_desc_handle_t md = make_md({4, 6}, dnnl_ab);
    primitive_desc_handle_t pd;
    primitive_handle_t primitive;
    stream_handle_t stream;
    expect(dnnl_reorder_primitive_desc_create(pd.out(), md, engine, md, engine, nullptr));
    expect(dnnl_primitive_create(primitive.out(), pd));
    expect(dnnl_stream_create(stream.out(), engine, dnnl_stream_default_flags));
    const memory_desc_handle_t other_mds[] = {make_md({4, 6}, dnnl_ab), make_md({4, 6}, dnnl_ba),
            make_md({4, 6}, dnnl_ab, dnnl_s32), make_md({4, 6}, dnnl_ab, dnnl_f64)};
    memory_handle_t dst;
    expect(dnnl_memory_create(dst.out(), md, engine, DNNL_MEMORY_ALLOCATE));
    std::vector<dnnl_status_t> statuses;
    for (const memory_desc_handle_t &other : other_mds) {
        memory_handle_t src;
        expect(dnnl_memory_create(src.out(), other, engine, DNNL_MEMORY_ALLOCATE));
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
        statuses.push_back(dnnl_primitive_execute(primitive, stream, 2, args));
    }
    for (const dnnl_status_t status : statuses) std::printf("%s\n", dnnl_status2str(status));
}

void create_forward_twice() {
    const engine_handle_t engine = make_engine();
    run(make_forward(engine));
    run(make_forward(engine));
}

void create_backward() {
    const engine_handle_t engine = make_engine();
    const memory_desc_handle_t any = make_md({2, 3, 8}, dnnl_format_tag_any);
    primitive_desc_handle_t pd;
    expect(dnnl_layer_normalization_backward_primitive_desc_create(pd.out(), engine, dnnl_backward,
            any, any, make_md({2, 3, 8}, dnnl_bac), nullptr, 1e-5f, dnnl_use_scale | dnnl_rms_norm,
            nullptr, nullptr));
    run(pd);
}

void create_batch_normalization() {
    const engine_handle_t engine = make_engine();
    const memory_desc_handle_t data = make_md({2, 16, 7, 5}, dnnl_acdb);
    const memory_desc_handle_t any = make_md({2, 16, 7, 5}, dnnl_format_tag_any);
    const unsigned flags = dnnl_use_scale | dnnl_use_shift | dnnl_fuse_norm_relu;
    primitive_desc_handle_t forward, backward;
    expect(dnnl_batch_normalization_forward_primitive_desc_create(
            forward.out(), engine, dnnl_forward_training, data, any, 1e-5f, flags, nullptr));
    run(forward);
    expect(dnnl_batch_normalization_backward_primitive_desc_create(
            backward.out(), engine, dnnl_backward, any, any, data, 1e-5f, flags, forward, nullptr));
    run(backward);
}

void create_group_normalization() {
    const engine_handle_t engine = make_engine();
    const memory_desc_handle_t data = make_md({2, 16, 7, 5}, dnnl_acdb);
    const memory_desc_handle_t any = make_md({2, 16, 7, 5}, dnnl_format_tag_any);
    primitive_desc_handle_t forward, backward;
    expect(dnnl_group_normalization_forward_primitive_desc_create(forward.out(), engine,
            dnnl_forward_training, data, any, 4, 1e-5f, dnnl_use_scale, nullptr));
    run(forward);
    expect(dnnl_group_normalization_backward_primitive_desc_create(backward.out(), engine,
            dnnl_backward_data, any, any, data, 4, 1e-5f, dnnl_use_scale, forward, nullptr));
    run(backward);
}

void create_quantized() {
    const engine_handle_t engine = make_engine();
    attr_handle_t attr;
    post_ops_handle_t post_ops;
    expect(dnnl_primitive_attr_create(attr.out()));
    expect(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    expect(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    expect(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    expect(dnnl_post_ops_create(post_ops.out()));
    expect(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_linear, 0.5f, 2.f));
    expect(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0.f, 0.f));
    expect(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, make_md({1, 16}, dnnl_ab)));
    expect(dnnl_post_ops_append_binary(post_ops, dnnl_binary_mul, make_md({4, 16}, dnnl_ba)));
    expect(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    primitive_desc_handle_t pd;
    expect(dnnl_layer_normalization_forward_primitive_desc_create(pd.out(), engine,
            dnnl_forward_inference, make_md({4, 16}, dnnl_ab, dnnl_s8),
            make_md({4, 16}, dnnl_ab, dnnl_u8), make_md({4}, dnnl_a), 1e-5f, dnnl_use_global_stats,
            attr));
    run(pd);
}

void execute_reorder() {
    const engine_handle_t engine = make_engine();
    primitive_desc_handle_t pd;
    expect(dnnl_reorder_primitive_desc_create(pd.out(), make_md({2, 17, 3, 3}, dnnl_abcd), engine,
            make_md({2, 17, 3, 3}, dnnl_aBcd16b, dnnl_bf16), engine, nullptr));
    run(pd, {{DNNL_ARG_FROM, dnnl_query_src_md, 0}, {DNNL_ARG_TO, dnnl_query_dst_md, 0}});
}

void execute_several() {
    execute_forward();
    execute_reorder();
}

void refuse_everywhere() {
    dnnl_engine_t no_engine;
    expect(dnnl_engine_create(&no_engine, dnnl_gpu, 0), dnnl_invalid_arguments);
    dnnl_memory_desc_t no_md;
    const dnnl_dims_t negative = {-1};
    expect(dnnl_memory_desc_create_with_tag(&no_md, 1, negative, dnnl_f32, dnnl_a),
            dnnl_invalid_arguments);
    const engine_handle_t engine = make_engine();
    dnnl_primitive_desc_t no_pd;
    expect(dnnl_layer_normalization_forward_primitive_desc_create(&no_pd, engine,
                   dnnl_forward_training, make_md({4, 16}, dnnl_ab), make_md({4, 8}, dnnl_ab),
                   nullptr, 1e-5f, 0, nullptr),
            dnnl_invalid_arguments);
    attr_handle_t attr;
    expect(dnnl_primitive_attr_create(attr.out()));
    expect(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0));
    expect(dnnl_layer_normalization_forward_primitive_desc_create(&no_pd, engine,
                   dnnl_forward_training, make_md({4, 16}, dnnl_ab), make_md({4, 16}, dnnl_ab),
                   nullptr, 1e-5f, 0, attr),
            dnnl_unimplemented);
}

void try_every_implementation() {
    const engine_handle_t engine = make_engine();
    const primitive_desc_handle_t pd = make_forward(engine);
    while (dnnl_primitive_desc_next_impl(pd) == dnnl_success) continue;
}

void set_levels() {
    expect(dnnl_set_verbose(-1), dnnl_invalid_arguments);
    expect(dnnl_set_verbose(3), dnnl_invalid_arguments);
    for (const int level : {0, 1, 0, 2}) {
        expect(dnnl_set_verbose(level));
        std::printf("level %d\n", level);
        std::fflush(stdout);
        execute_forward();
    }
}

void execute_in_threads() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            for (int k = 0; k < 25; ++k) execute_forward();
        });
    for (std::thread &thread : threads) thread.join();
}

constexpr scenario_t scenarios[] = {
        {"execute_forward", execute_forward},
        {"execute_with_other_memory", execute_with_other_memory},
        {"create_forward_twice", create_forward_twice},
        {"create_backward", create_backward},
        {"create_quantized", create_quantized},
        {"create_batch_normalization", create_batch_normalization},
        {"create_group_normalization", create_group_normalization},
        {"execute_reorder", execute_reorder},
        {"execute_several", execute_several},
        {"refuse_everywhere", refuse_everywhere},
        {"try_every_implementation", try_every_implementation},
        {"set_levels", set_levels},
        {"execute_in_threads", execute_in_threads},
};

} // namespace

std::span<const scenario_t> verbose_scenarios() { return scenarios; }

} // namespace kiln::test

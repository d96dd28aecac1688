// SPDX-License-Identifier: Apache-2.0
// Requests of primitives that the cache finds or does not find.
#include "api/primitive/primitive_cache_scenarios.hpp"

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

namespace kiln::test {

void set_capacity(int capacity) {
    require(dnnl_set_primitive_cache_capacity(capacity), "dnnl_set_primitive_cache_capacity");
}

int capacity() {
    int result = -1;
    require(dnnl_get_primitive_cache_capacity(&result), "dnnl_get_primitive_cache_capacity");
    return result;
}

namespace {

/// Begins a part of the output; it ends at the next mark.
void mark(const std::string &part) {
    std::printf("part %s\n", part.c_str());
    std::fflush(stdout);
}

void create(const normalization_t &problem, const_dnnl_primitive_attr_t attr = nullptr) {
    make_primitive(made_pd(problem, attr));
}

void create_twice() {
    create({});
    create({});
}

void append_eltwise(dnnl_primitive_attr_t attr, dnnl_alg_kind_t algorithm, float alpha) {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    require(dnnl_post_ops_append_eltwise(post_ops, algorithm, alpha, 0), "eltwise");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "set_post_ops");
}

void append_binary(dnnl_primitive_attr_t attr, const dims_t &operand) {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    require(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, make_desc(operand, dnnl_f32)),
            "binary");
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "set_post_ops");
}

} // namespace

std::vector<difference_t> differences() {
    const auto eltwise = [](dnnl_alg_kind_t algorithm, float alpha) {
        return [=](dnnl_primitive_attr_t attr) { append_eltwise(attr, algorithm, alpha); };
    };
    const auto binary = [](const dims_t &operand) {
        return [=](dnnl_primitive_attr_t attr) { append_binary(attr, operand); };
    };
    const normalization_t int8 = {.prop_kind = dnnl_forward_inference, .data_type = dnnl_s8};
    return {
            {"first", {}},
            {"inference", {.prop_kind = dnnl_forward_inference}},
            {"backward", {.prop_kind = dnnl_backward}},
            {"backward_data", {.prop_kind = dnnl_backward_data}},
            {"scale", {.flags = dnnl_use_scale}},
            {"shift", {.flags = dnnl_use_shift}},
            {"rms", {.flags = dnnl_rms_norm}},
            {"global_stats", {.flags = dnnl_use_global_stats}},
            {"epsilon", {.epsilon = 1e-6f}},
            {"rows", {.dims = {5, 16}}},
            {"cols", {.dims = {4, 17}}},
            {"axes", {.dims = {2, 2, 16}}},
            {"src_layout", {.src_format = "ba"}},
            {"dst_layout", {.other_format = "ba"}},
            {"dst_pitch", {.other_format = "ab+1"}},
            {"data_type", {.data_type = dnnl_bf16}},
            {"scale_type", {.flags = dnnl_use_scale, .scale_shift_type = dnnl_bf16}},
            {"relu", {}, eltwise(dnnl_eltwise_relu, 0)},
            {"leaky_relu", {}, eltwise(dnnl_eltwise_relu, 0.5f)},
            {"tanh", {}, eltwise(dnnl_eltwise_tanh, 0)},
            {"add_row", {}, binary({1, 16})},
            {"add_column", {}, binary({4, 1})},
            {"int8", int8},
            {"src_scale", int8,
                    [](dnnl_primitive_attr_t attr) {
                        require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), "");
                    }},
            {"dst_scale", int8,
                    [](dnnl_primitive_attr_t attr) {
                        require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0), "");
                    }},
            {"host_scale", int8,
                    [](dnnl_primitive_attr_t attr) {
                        require(dnnl_primitive_attr_set_scales_v2(
                                        attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32, 1),
                                "");
                    }},
            {"scratchpad", {},
                    [](dnnl_primitive_attr_t attr) {
                        require(dnnl_primitive_attr_set_scratchpad_mode(
                                        attr, dnnl_scratchpad_mode_user),
                                "");
                    }},
    };
}

namespace {

void create_different() {
    for (int repetition = 0; repetition < 2; ++repetition)
        for (const auto &[name, problem, set_attr] : differences()) {
            const auto attr = make_attr();
            if (set_attr) set_attr(attr);
            mark(name);
            create(problem, attr);
        }
}

void create_alike() {
    create({.src_format = "ab"}); // the miss
    mark("by strides");
    create({.src_format = ""});
    mark("with default attributes");
    create({}, make_attr());
    mark("from a copy");
    const auto pd = made_pd({});
    primitive_desc_handle_t copy;
    require(dnnl_primitive_desc_clone(copy.out(), pd), "dnnl_primitive_desc_clone");
    make_primitive(copy);
    mark("from a primitive's descriptor");
    const auto primitive = make_primitive(pd);
    const_dnnl_primitive_desc_t own = nullptr;
    require(dnnl_primitive_get_primitive_desc(primitive, &own), "get_primitive_desc");
    make_primitive(own);
    mark("on another engine object");
    engine_handle_t engine;
    require(dnnl_engine_create(engine.out(), dnnl_cpu, 0), "dnnl_engine_create");
    make_primitive(made_pd({}, nullptr, engine));
    mark("from equal attributes");
    for (int i = 0; i < 2; ++i) {
        const auto attr = make_attr();
        append_eltwise(attr, dnnl_eltwise_linear, 2);
        create({}, attr);
    }
}

void create_beyond_capacity() {
    set_capacity(2);
    for (const dnnl_dim_t rows : {1, 2, 1, 3, 1, 3, 2, 1}) create(of_rows(rows));
}

void shrink() {
    for (const dnnl_dim_t rows : {1, 2, 3, 4, 5}) create(of_rows(rows));
    set_capacity(2);
    mark("after");
    for (const dnnl_dim_t rows : {5, 4, 3}) create(of_rows(rows));
    set_capacity(10);
    mark("grown");
    for (const dnnl_dim_t rows : {3, 4, 7, 8, 7, 8}) create(of_rows(rows));
}

void switch_off_and_on() {
    create({});
    set_capacity(0);
    mark("off");
    create_twice();
    set_capacity(1024);
    mark("on");
    create_twice();
}

void create_by_the_environment() {
    std::printf("part capacity %d\n", capacity());
    std::fflush(stdout);
    create_twice();
}

void create_the_same_in_threads() {
    std::atomic<int> waiting = 8;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            const auto pd = made_pd({});
            --waiting;
            while (waiting > 0) {
            }
            for (int k = 0; k < 10; ++k) make_primitive(pd);
        });
    for (auto &thread : threads) thread.join();
}

void create_from_hints() {
    // If src of a backward descriptor has format any, the forward hint determines its layout.
    const auto any = make_desc({4, 16}, dnnl_f32, "any");
    for (int repetition = 0; repetition < 2; ++repetition)
        for (const char *format : {"ab", "ba"}) {
            const auto forward = made_pd({.src_format = format});
            primitive_desc_handle_t pd;
            require(dnnl_layer_normalization_backward_primitive_desc_create(pd.out(), cpu_engine(),
                            dnnl_backward, any, any, any, nullptr, 1e-5f, 0, forward, nullptr),
                    "creating a backward descriptor");
            const auto primitive = make_primitive(pd);
            const_dnnl_primitive_desc_t own = nullptr;
            require(dnnl_primitive_get_primitive_desc(primitive, &own), "get_primitive_desc");
            const bool same =
                    dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(own, dnnl_query_src_md, 0),
                            make_desc({4, 16}, dnnl_f32, format));
            mark(same ? "as the hint" : "not as the hint");
        }
}

void create_relaid_twice() {
    for (int i = 0; i < 2; ++i) create({.src_format = "ba"});
}

constexpr scenario_t scenarios[] = {
        {"create_twice", create_twice},
        {"create_relaid_twice", create_relaid_twice},
        {"create_different", create_different},
        {"create_alike", create_alike},
        {"create_beyond_capacity", create_beyond_capacity},
        {"shrink", shrink},
        {"switch_off_and_on", switch_off_and_on},
        {"create_by_the_environment", create_by_the_environment},
        {"create_the_same_in_threads", create_the_same_in_threads},
        {"create_from_hints", create_from_hints},
};

} // namespace

std::span<const scenario_t> primitive_cache_scenarios() { return scenarios; }

} // namespace kiln::test

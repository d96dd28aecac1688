// SPDX-License-Identifier: Apache-2.0
// Each allocation of a call fails in turn: the call returns dnnl_out_of_memory, nothing leaks, and
// the same call succeeds afterwards. This program replaces operator new, also for the library, by
// one that fails on request.

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include <gtest/gtest.h>

#include "api/normalization_desc.hpp"

namespace {

constexpr long unlimited = -1;
thread_local long allocations_left = unlimited; // of this thread, until all of them fail
std::atomic<long> live_allocations = 0;

void *allocate(size_t size, size_t alignment) noexcept {
    if (allocations_left == 0) return nullptr;
    if (allocations_left > 0) --allocations_left;
    size = (size + alignment) / alignment * alignment; // at least one
    void *const result = std::aligned_alloc(alignment, size);
    if (result) ++live_allocations;
    return result;
}

void *allocate_or_throw(size_t size, size_t alignment) {
    void *const result = allocate(size, alignment);
    if (result == nullptr) throw std::bad_alloc();
    return result;
}

void release(void *memory) noexcept {
    if (memory) --live_allocations;
    std::free(memory);
}

constexpr size_t default_alignment = alignof(std::max_align_t);

} // namespace

// The array forms and the nothrow forms call these unless they are replaced.
void *operator new(size_t size) { return allocate_or_throw(size, default_alignment); }
void *operator new(size_t size, const std::nothrow_t &) noexcept {
    return allocate(size, default_alignment);
}
void *operator new(size_t size, std::align_val_t alignment) {
    return allocate_or_throw(size, static_cast<size_t>(alignment));
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { release(memory); }

namespace kiln::test {

namespace {

using call_t = std::function<dnnl_status_t()>;

/// Creates an object and destroys it.
template <typename handle_t> call_t making(const std::function<dnnl_status_t(handle_t &)> &make) {
    return [make] {
        handle_t made;
        return make(made);
    };
}

struct outcome_t {
    dnnl_status_t status = dnnl_runtime_error;
    bool threw = false;
    long leaked = 0;
};

outcome_t run_within(long allowed, const call_t &call) {
    outcome_t outcome;
    const long live_before = live_allocations;
    allocations_left = allowed;
    try {
        outcome.status = call();
    } catch (...) {
        outcome.threw = true;
    }
    allocations_left = unlimited;
    outcome.leaked = live_allocations - live_before;
    return outcome;
}

/// Repeats `call`, of which 0, 1, 2, ... allocations succeed before one fails, until it succeeds.
void expect_survives(const char *name, const call_t &call) {
    ASSERT_EQ(call(), dnnl_success) << name << " with enough memory";
    constexpr long limit = 1000;
    for (long allowed = 0; allowed < limit; ++allowed) {
        const outcome_t outcome = run_within(allowed, call);
        EXPECT_EQ(outcome.leaked, 0) << name << " after " << allowed << " allocations";
        ASSERT_FALSE(outcome.threw) << name << ": an exception crossed the C interface after "
                                    << allowed << " allocations";
        if (outcome.status == dnnl_success) return;
        ASSERT_EQ(outcome.status, dnnl_out_of_memory)
                << name << " after " << allowed << " allocations";
        ASSERT_EQ(call(), dnnl_success) << name << " once there is memory again";
    }
    FAIL() << name << " never succeeds";
}

const dims_t dims = {4, 16};

TEST(out_of_memory, of_this_program_reaches_the_library) {
    // Otherwise the other tests would check nothing.
    allocations_left = 0;
    dnnl_memory_desc_t md = nullptr;
    const dnnl_status_t status =
            dnnl_memory_desc_create_with_tag(&md, 2, dims.data(), dnnl_f32, dnnl_ab);
    allocations_left = unlimited;
    EXPECT_EQ(status, dnnl_out_of_memory);
    EXPECT_EQ(md, nullptr);
}

TEST(out_of_memory, is_survived_by_engines_and_streams) {
    expect_survives("engine", making<engine_handle_t>([](auto &made) {
        return dnnl_engine_create(made.out(), dnnl_cpu, 0);
    }));
    expect_survives("stream", making<stream_handle_t>([](auto &made) {
        return dnnl_stream_create(made.out(), cpu_engine(), dnnl_stream_default_flags);
    }));
}

TEST(out_of_memory, is_survived_by_memory_descriptors) {
    const auto parent = make_desc(dims, dnnl_f32);
    const dims_t part = {2, 8}, zeros = {0, 0}, joined = {64};
    const int permutation[] = {1, 0};
    std::vector<uint8_t> blob(768);
    size_t size = blob.size();
    ASSERT_EQ(dnnl_memory_desc_get_blob(blob.data(), &size, parent), dnnl_success);
    const std::pair<const char *, std::function<dnnl_status_t(memory_desc_handle_t &)>> cases[] = {
            {"tag",
                    [](auto &made) {
                        return dnnl_memory_desc_create_with_tag(
                                made.out(), 2, dims.data(), dnnl_f32, dnnl_BA16a16b);
                    }},
            {"strides",
                    [](auto &made) {
                        return dnnl_memory_desc_create_with_strides(
                                made.out(), 2, dims.data(), dnnl_f32, nullptr);
                    }},
            {"csr",
                    [](auto &made) {
                        return dnnl_memory_desc_create_with_csr_encoding(
                                made.out(), 2, dims.data(), dnnl_f32, 3, dnnl_s32, dnnl_s32);
                    }},
            {"host scalar",
                    [](auto &made) {
                        return dnnl_memory_desc_create_host_scalar(made.out(), dnnl_f32);
                    }},
            {"submemory",
                    [&](auto &made) {
                        return dnnl_memory_desc_create_submemory(
                                made.out(), parent, part.data(), zeros.data());
                    }},
            {"reshape",
                    [&](auto &made) {
                        return dnnl_memory_desc_reshape(made.out(), parent, 1, joined.data());
                    }},
            {"permute_axes",
                    [&](auto &made) {
                        return dnnl_memory_desc_permute_axes(made.out(), parent, permutation);
                    }},
            {"clone", [&](auto &made) { return dnnl_memory_desc_clone(made.out(), parent); }},
            {"blob",
                    [&](auto &made) {
                        return dnnl_memory_desc_create_with_blob(made.out(), blob.data());
                    }},
    };
    for (const auto &[name, make] : cases)
        expect_survives(name, making<memory_desc_handle_t>(make));
}

TEST(out_of_memory, is_survived_by_memory) {
    const auto md = make_desc(dims, dnnl_f32);
    std::vector<float> buffer(64);
    memory_desc_handle_t scalar;
    ASSERT_EQ(dnnl_memory_desc_create_host_scalar(scalar.out(), dnnl_f32), dnnl_success);
    expect_survives("user's buffer", making<memory_handle_t>([&](auto &made) {
        return dnnl_memory_create(made.out(), md, cpu_engine(), buffer.data());
    }));
    expect_survives("library's buffer", making<memory_handle_t>([&](auto &made) {
        return dnnl_memory_create(made.out(), md, cpu_engine(), DNNL_MEMORY_ALLOCATE);
    }));
    expect_survives("host scalar", making<memory_handle_t>([&](auto &made) {
        return dnnl_memory_create_host_scalar(made.out(), scalar, buffer.data());
    }));
}

post_ops_handle_t made_post_ops() {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    return post_ops;
}

TEST(out_of_memory, is_survived_by_post_ops) {
    const auto operand = make_desc(dims, dnnl_f32);
    expect_survives("create",
            making<post_ops_handle_t>([](auto &made) { return dnnl_post_ops_create(made.out()); }));
    const auto original = made_post_ops();
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(dnnl_post_ops_append_binary(original, dnnl_binary_add, operand), dnnl_success);
    expect_survives("clone", making<post_ops_handle_t>([&](auto &made) {
        return dnnl_post_ops_clone(made.out(), original);
    }));
    expect_survives("append", [&] {
        post_ops_handle_t chain;
        dnnl_status_t status = dnnl_post_ops_create(chain.out());
        for (int i = 0; status == dnnl_success && i < 8; ++i) {
            status = dnnl_post_ops_append_binary(chain, dnnl_binary_mul, operand);
            const int added = status == dnnl_success ? i + 1 : i;
            if (dnnl_post_ops_len(chain) != added) return dnnl_runtime_error;
        }
        return status;
    });
}

/// Attributes with every part that allocates memory.
dnnl_status_t fill(dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops) {
    const float scales[] = {1, 2, 3, 4};
    for (const auto &set :
            {call_t([&] { return dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0); }),
                    call_t([&] {
                        return dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0);
                    }),
                    call_t([&] {
                        return dnnl_primitive_attr_set_rounding(
                                attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
                    }),
                    call_t([&] {
                        return dnnl_primitive_attr_set_rnn_weights_qparams(attr, 4, 1, scales);
                    }),
                    call_t([&] { return dnnl_primitive_attr_set_post_ops(attr, post_ops); })})
        if (const dnnl_status_t status = set()) return status;
    return dnnl_success;
}

TEST(out_of_memory, is_survived_by_attributes) {
    const auto post_ops = made_post_ops();
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), dnnl_success);
    expect_survives("create", making<attr_handle_t>([](auto &made) {
        return dnnl_primitive_attr_create(made.out());
    }));
    const auto full = make_attr();
    ASSERT_EQ(fill(full, post_ops), dnnl_success);
    expect_survives("clone", making<attr_handle_t>([&](auto &made) {
        return dnnl_primitive_attr_clone(made.out(), full);
    }));
    expect_survives("post-ops", [&] {
        attr_handle_t own;
        const dnnl_status_t status = dnnl_primitive_attr_create(own.out());
        return status ? status : dnnl_primitive_attr_set_post_ops(own, post_ops);
    });
    expect_survives("scales", [&] {
        attr_handle_t own;
        const dnnl_status_t status = dnnl_primitive_attr_create(own.out());
        return status ? status : dnnl_primitive_attr_set_scales_mask(own, DNNL_ARG_SRC, 0);
    });
    expect_survives("rounding", [&] {
        attr_handle_t own;
        const dnnl_status_t status = dnnl_primitive_attr_create(own.out());
        return status ? status
                      : dnnl_primitive_attr_set_rounding(
                              own, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
    });
    expect_survives("recurrent scales", [&] {
        const float scales[] = {1, 2, 3, 4};
        attr_handle_t own;
        const dnnl_status_t status = dnnl_primitive_attr_create(own.out());
        return status ? status : dnnl_primitive_attr_set_rnn_weights_qparams(own, 4, 1, scales);
    });
}

attr_handle_t attr_with_post_ops() {
    const auto post_ops = made_post_ops();
    require(dnnl_post_ops_append_binary(
                    post_ops, dnnl_binary_add, make_desc({1, 16}, dnnl_f32, "any")),
            "binary");
    require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_tanh, 0, 0), "eltwise");
    auto attr = make_attr();
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "set_post_ops");
    return attr;
}

TEST(out_of_memory, is_survived_by_forward_descriptors) {
    const auto md = make_desc(dims, dnnl_f32), statistics = make_desc({4}, dnnl_f32);
    const auto attr = attr_with_post_ops();
    expect_survives("forward", making<primitive_desc_handle_t>([&](auto &made) {
        return dnnl_layer_normalization_forward_primitive_desc_create(made.out(), cpu_engine(),
                dnnl_forward_training, md, md, statistics, 1e-5f, dnnl_use_scale, attr);
    }));
}

TEST(out_of_memory, is_survived_by_backward_descriptors) {
    const auto md = make_desc(dims, dnnl_f32);
    const auto forward = made_pd({});
    const auto attr = make_attr();
    expect_survives("backward", making<primitive_desc_handle_t>([&](auto &made) {
        return dnnl_layer_normalization_backward_primitive_desc_create(made.out(), cpu_engine(),
                dnnl_backward, md, md, md, nullptr, 1e-5f, dnnl_use_scale, forward, attr);
    }));
}

TEST(out_of_memory, is_survived_by_reorder_descriptors) {
    const auto md = make_desc(dims, dnnl_f32);
    const auto transposed = make_desc(dims, dnnl_bf16, "ba");
    const auto attr = make_attr();
    expect_survives("reorder", making<primitive_desc_handle_t>([&](auto &made) {
        return dnnl_reorder_primitive_desc_create(
                made.out(), md, cpu_engine(), transposed, cpu_engine(), attr);
    }));
}

TEST(out_of_memory, is_survived_by_copies_of_descriptors_and_the_walk_over_them) {
    const auto forward = made_pd({}, attr_with_post_ops());
    expect_survives("clone", making<primitive_desc_handle_t>([&](auto &made) {
        return dnnl_primitive_desc_clone(made.out(), forward);
    }));
    expect_survives("next_impl", [&] {
        primitive_desc_handle_t walked;
        dnnl_status_t status = dnnl_primitive_desc_clone(walked.out(), forward);
        while (status == dnnl_success) status = dnnl_primitive_desc_next_impl(walked);
        return status == dnnl_last_impl_reached ? dnnl_success : status;
    });
}

/// Creates a primitive with a cache of this capacity, then empties the cache, whose entries would
/// count as leaks.
call_t making_primitive(const_dnnl_primitive_desc_t pd, int capacity) {
    return [=] {
        dnnl_set_primitive_cache_capacity(capacity);
        dnnl_status_t status = dnnl_runtime_error;
        {
            primitive_handle_t made;
            status = dnnl_primitive_create(made.out(), pd);
        }
        dnnl_set_primitive_cache_capacity(0);
        return status;
    };
}

TEST(out_of_memory, is_survived_by_primitives) {
    const auto pd = made_pd({}, attr_with_post_ops());
    expect_survives("uncached", making_primitive(pd, 0));
}

TEST(out_of_memory, is_survived_by_the_primitive_cache) {
    const auto pd = made_pd({}, attr_with_post_ops());
    expect_survives("cached", making_primitive(pd, 4));
}

TEST(out_of_memory, is_survived_by_execution) {
    const auto pd = made_pd({.prop_kind = dnnl_forward_inference});
    const auto primitive = make_primitive(pd);
    memory_handle_t src, dst;
    const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0);
    ASSERT_EQ(dnnl_memory_create(src.out(), md, cpu_engine(), DNNL_MEMORY_ALLOCATE), dnnl_success);
    ASSERT_EQ(dnnl_memory_create(dst.out(), md, cpu_engine(), DNNL_MEMORY_ALLOCATE), dnnl_success);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    const auto stream = cpu_stream();
    expect_survives("execute", [&] { return dnnl_primitive_execute(primitive, stream, 2, args); });
}

} // namespace

} // namespace kiln::test

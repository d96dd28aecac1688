// SPDX-License-Identifier: Apache-2.0
// Executions with arguments that are missing, given twice, not used, or too small, with layer
// normalization as the example.
#include <vector>

#include <gtest/gtest.h>

#include "api/normalization_desc.hpp"
#include "api/primitive/forward_example.hpp"

namespace kiln::test {

namespace {

// ---- arguments

TEST(primitive, misses_each_required_argument) {
    const forward_t forward;
    for (size_t missing = 0; missing < forward.args().size(); ++missing) {
        auto args = forward.args();
        args[missing].memory = nullptr;
        EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments) << args[missing].arg << " null";
        args.erase(args.begin() + static_cast<std::ptrdiff_t>(missing));
        EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments) << "argument " << missing;
    }
    EXPECT_EQ(dnnl_primitive_execute(forward.primitive, cpu_stream(), 0, nullptr),
            dnnl_invalid_arguments);
}

TEST(primitive, refuses_an_argument_given_twice) {
    const forward_t forward;
    for (const dnnl_exec_arg_t &again : forward.args()) {
        auto args = forward.args();
        args.push_back(again);
        EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments) << again.arg;
    }
}

TEST(primitive, ignores_null_memory_and_arguments_that_it_does_not_use) {
    const forward_t forward;
    auto args = forward.args();
    for (const int unused : {DNNL_ARG_SHIFT, DNNL_ARG_WORKSPACE, DNNL_ARG_SCRATCHPAD,
                 DNNL_ARG_DIFF_SRC, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                 DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, 12345, -1}) {
        args.push_back({unused, forward.src});
        args.insert(args.begin(), {unused, nullptr});
    }
    args.push_back({DNNL_ARG_SHIFT, forward.src}); // twice, but not used
    for (const dnnl_exec_arg_t &used : forward.args())
        args.insert(args.begin(), {used.arg, nullptr}); // the other one counts
    EXPECT_EQ(forward.execute(args), dnnl_success);
    forward.expect_result();
}

TEST(primitive, refuses_memory_without_a_buffer) {
    const forward_t forward;
    const auto pd = static_cast<const_dnnl_primitive_desc_t>(forward.pd);
    const auto no_src = memory_for(pd, dnnl_query_src_md, 0, DNNL_MEMORY_NONE);
    const auto no_mean = memory_for(pd, dnnl_query_dst_md, 1, DNNL_MEMORY_NONE);
    auto args = forward.args();
    args[0].memory = no_src;
    EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments);
    args = forward.args();
    args[2].memory = no_mean;
    EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments);
}

TEST(primitive, refuses_memory_that_is_too_small) {
    const forward_t forward;
    const auto smaller = make_desc({2, 3}, dnnl_f32);
    memory_handle_t memory;
    ASSERT_EQ(dnnl_memory_create(memory.out(), smaller, cpu_engine(), DNNL_MEMORY_ALLOCATE),
            dnnl_success);
    for (const size_t index : {size_t(0), size_t(1)}) {
        auto args = forward.args();
        args[index].memory = memory;
        EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments) << args[index].arg;
    }
}

memory_handle_t allocated(const_dnnl_memory_desc_t md) {
    memory_handle_t memory;
    require(dnnl_memory_create(memory.out(), md, cpu_engine(), DNNL_MEMORY_ALLOCATE),
            "dnnl_memory_create");
    return memory;
}

TEST(primitive, refuses_memory_whose_elements_have_another_size) {
    const forward_t forward;
    for (const auto type : {dnnl_f64, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8}) {
        const auto memory = allocated(make_desc({64}, type)); // large enough for any argument
        for (size_t index = 0; index < forward.args().size(); ++index) {
            auto args = forward.args();
            args[index].memory = memory;
            EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments)
                    << dnnl_dt2str(type) << " for argument " << args[index].arg;
        }
    }
}

/// Programs made for oneDNN pass the bits of another type.
TEST(primitive, takes_memory_of_another_data_type_of_the_same_size) {
    const forward_t forward;
    const auto memory = allocated(make_desc({64}, dnnl_s32)); // large enough for any argument
    for (size_t index = 0; index < forward.args().size(); ++index) {
        auto args = forward.args();
        args[index].memory = memory;
        EXPECT_EQ(forward.execute(args), dnnl_success) << "argument " << args[index].arg;
    }
}

TEST(primitive, takes_memory_of_another_shape_or_layout_that_is_large_enough) {
    const forward_t forward;
    for (const auto &md : {make_desc({2, 4}, dnnl_f32, "ba"), make_desc({8}, dnnl_f32),
                 make_desc({1000}, dnnl_f32), make_desc({2, 4}, dnnl_f32, "ab+3")})
        for (size_t index = 1; index < forward.args().size(); ++index) {
            const auto memory = allocated(md);
            auto args = forward.args();
            std::copy_n(values_of(args[index].memory),
                    index < 2   ? 8
                    : index < 4 ? 2
                                : 4,
                    values_of(memory));
            args[index].memory = memory;
            EXPECT_EQ(forward.execute(args), dnnl_success) << "argument " << args[index].arg;
        }
    forward.expect_result();
}

memory_desc_handle_t part_of(
        const_dnnl_memory_desc_t whole, const dims_t &dims, const dims_t &offsets) {
    memory_desc_handle_t part;
    require(dnnl_memory_desc_create_submemory(part.out(), whole, dims.data(), offsets.data()),
            "dnnl_memory_desc_create_submemory");
    return part;
}

// A part's descriptor says where the part begins in the buffer of the whole, so the memory of the
// whole may be passed.
TEST(primitive, of_a_part_takes_the_memory_of_the_whole) {
    const struct {
        std::string format;
        dims_t whole, dims, offsets;
    } cases[] = {{"abc", {4, 8, 2}, {3, 5, 1}, {1, 3, 1}}, {"bca", {4, 8, 2}, {3, 5, 2}, {1, 3, 0}},
            {"ABc4b4a", {8, 12, 1}, {4, 8, 1}, {4, 4, 0}},
            {"ABc4b4a", {8, 12, 2}, {3, 3, 1}, {4, 8, 1}},
            {"aBc16b", {4, 20, 3}, {2, 4, 2}, {2, 16, 1}}};
    for (const auto &[format, whole, dims, offsets] : cases) {
        const auto whole_md = make_desc(whole, dnnl_f32, format);
        const auto part = part_of(whole_md, dims, offsets);
        const auto plain = make_desc(dims, dnnl_f32);
        const auto whole_memory = allocated(whole_md), plain_memory = allocated(plain);
        const auto part_memory = allocated(part);
        for (int64_t i = 0; i < volume(dims); ++i)
            values_of(plain_memory)[i] = static_cast<float>(i + 1);
        for (const bool takes_whole : {true, false}) {
            primitive_desc_handle_t pd;
            ASSERT_EQ(dnnl_reorder_primitive_desc_create(
                              pd.out(), plain, cpu_engine(), part, cpu_engine(), nullptr),
                    dnnl_success);
            const dnnl_memory_t to = takes_whole ? whole_memory : part_memory;
            const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, plain_memory}, {DNNL_ARG_TO, to}};
            ASSERT_EQ(
                    dnnl_primitive_execute(make_primitive(pd), cpu_stream(), 2, args), dnnl_success)
                    << format;
            EXPECT_EQ(values_of(to)[layout_t(part).offset({dims[0] - 1, 2, 0})],
                    static_cast<float>(((dims[0] - 1) * dims[1] + 2) * dims[2] + 1));
        }
    }
}

TEST(primitive, of_a_part_refuses_memory_that_ends_before_the_part) {
    const auto part = part_of(make_desc({4, 8}, dnnl_f32), {3, 5}, {1, 3});
    const auto plain = make_desc({3, 5}, dnnl_f32);
    primitive_desc_handle_t pd;
    ASSERT_EQ(dnnl_reorder_primitive_desc_create(
                      pd.out(), part, cpu_engine(), plain, cpu_engine(), nullptr),
            dnnl_success);
    const primitive_handle_t primitive = make_primitive(pd);
    const auto to = allocated(plain);
    for (const dnnl_dim_t elements : {31, 32}) { // the part ends with the last element of the whole
        const auto from = allocated(make_desc({elements}, dnnl_f32));
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
        EXPECT_EQ(dnnl_primitive_execute(primitive, cpu_stream(), 2, args),
                elements == 32 ? dnnl_success : dnnl_invalid_arguments)
                << elements;
    }
}

TEST(primitive, refuses_a_host_scalar_for_a_tensor) {
    const forward_t forward;
    memory_desc_handle_t md;
    ASSERT_EQ(dnnl_memory_desc_create_host_scalar(md.out(), dnnl_f32), dnnl_success);
    float value = 1;
    memory_handle_t scalar;
    ASSERT_EQ(dnnl_memory_create_host_scalar(scalar.out(), md, &value), dnnl_success);
    auto args = forward.args();
    args[0].memory = scalar;
    EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments);
}

TEST(primitive, leaves_outputs_alone_when_it_refuses) {
    const forward_t forward;
    for (int i = 0; i < 8; ++i) values_of(forward.dst)[i] = 77;
    auto args = forward.args();
    args.pop_back();
    EXPECT_EQ(forward.execute(args), dnnl_invalid_arguments);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(values_of(forward.dst)[i], 77) << i;
    EXPECT_EQ(forward.execute(forward.args()), dnnl_success);
    forward.expect_result();
}

TEST(primitive, backward_misses_its_inputs_but_not_its_outputs) {
    const auto pd = made_pd({dnnl_backward, dnnl_use_scale | dnnl_use_shift, {2, 4}});
    const primitive_handle_t primitive = make_primitive(pd);
    const std::tuple<int, dnnl_query_t, int> inputs[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
            {DNNL_ARG_MEAN, dnnl_query_src_md, 1}, {DNNL_ARG_VARIANCE, dnnl_query_src_md, 2},
            {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
            {DNNL_ARG_SCALE, dnnl_query_weights_md, 0}};
    const std::tuple<int, dnnl_query_t, int> outputs[] = {
            {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0},
            {DNNL_ARG_DIFF_SCALE, dnnl_query_diff_weights_md, 0},
            {DNNL_ARG_DIFF_SHIFT, dnnl_query_diff_weights_md, 1}};
    std::vector<memory_handle_t> memories;
    std::vector<dnnl_exec_arg_t> needed, all;
    for (const auto &[arg, what, index] : inputs) {
        memories.push_back(memory_for(pd, what, index));
        std::fill_n(values_of(memories.back()), arg == DNNL_ARG_SCALE ? 4 : 2, 1.f);
        if (arg == DNNL_ARG_SRC || arg == DNNL_ARG_DIFF_DST)
            std::fill_n(values_of(memories.back()), 8, 1.f);
        needed.push_back({arg, memories.back()});
    }
    all = needed;
    for (const auto &[arg, what, index] : outputs) {
        memories.push_back(memory_for(pd, what, index));
        all.push_back({arg, memories.back()});
    }
    const auto execute = [&](const std::vector<dnnl_exec_arg_t> &args) {
        return dnnl_primitive_execute(
                primitive, cpu_stream(), static_cast<int>(args.size()), args.data());
    };
    EXPECT_EQ(execute(all), dnnl_success);
    for (size_t missing = 0; missing < all.size(); ++missing) {
        auto args = all;
        args.erase(args.begin() + static_cast<std::ptrdiff_t>(missing));
        EXPECT_EQ(execute(args), missing < needed.size() ? dnnl_invalid_arguments : dnnl_success)
                << "without " << all[missing].arg;
    }
    EXPECT_EQ(execute(needed), dnnl_success) << "nothing is asked for";
}

TEST(primitive, of_an_empty_tensor_needs_no_buffers) {
    for (const dims_t &dims : {dims_t{0, 4}, dims_t{2, 0}}) {
        const auto pd = made_pd({dnnl_forward_inference, 0, dims});
        const primitive_handle_t primitive = make_primitive(pd);
        const auto src = memory_for(pd, dnnl_query_src_md, 0, DNNL_MEMORY_NONE);
        const auto dst = memory_for(pd, dnnl_query_dst_md, 0, DNNL_MEMORY_NONE);
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
        EXPECT_EQ(dnnl_primitive_execute(primitive, cpu_stream(), 2, args), dnnl_success)
                << to_string(dims);
    }
}

TEST(primitive, with_the_user_s_scratchpad_computes) {
    forward_t forward;
    const auto attr = make_attr();
    ASSERT_EQ(
            dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user), dnnl_success);
    forward.pd = made_pd({dnnl_forward_training, dnnl_use_scale, {2, 4}, "", "any", dnnl_f32,
                                 dnnl_f32, 0x1p-40f},
            attr);
    forward.primitive = make_primitive(forward.pd);
    const auto scratchpad = memory_for(forward.pd, dnnl_query_scratchpad_md, 0);
    auto args = forward.args();
    args.push_back({DNNL_ARG_SCRATCHPAD, scratchpad});
    EXPECT_EQ(forward.execute(args), dnnl_success);
    forward.expect_result();
    // It is bytes, whatever type they are described by.
    const auto floats = allocated(make_desc({100000}, dnnl_f32));
    args.back().memory = floats;
    EXPECT_EQ(forward.execute(args), dnnl_success);
}

} // namespace

} // namespace kiln::test

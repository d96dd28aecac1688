// SPDX-License-Identifier: Apache-2.0
// Shuffles, element by element: every implementation, type, axis and kind of layout.
#include <gtest/gtest.h>

#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/random_values.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::shuffle_operation {

namespace {

struct problem_t {
    bool is_forward = true;
    dims_t dims = {2, 12, 5};
    int axis = 1;
    dnnl_dim_t group = 4;
    dnnl_data_type_t type = dnnl_f32;
    std::string src_format = "", dst_format = "any";

    int src_arg() const { return is_forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST; }
    int dst_arg() const { return is_forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
};

std::string to_string(const problem_t &p) {
    return std::string(p.is_forward ? "forward " : "backward ") + dnnl_dt2str(p.type) + " "
           + test::to_string(p.dims) + " axis " + std::to_string(p.axis) + " group "
           + std::to_string(p.group) + " " + p.src_format + " to " + p.dst_format;
}

primitive_desc_handle_t describe(const problem_t &p, size_t implementation = 0) {
    const auto src = make_desc(p.dims, p.type, p.src_format);
    const auto dst = make_desc(p.dims, p.type, p.dst_format);
    primitive_desc_handle_t pd;
    if (p.is_forward)
        require(dnnl_shuffle_forward_primitive_desc_create(pd.out(), cpu_engine(),
                        dnnl_forward_training, src, dst, p.axis, p.group, nullptr),
                to_string(p));
    else
        require(dnnl_shuffle_backward_primitive_desc_create(
                        pd.out(), cpu_engine(), dst, src, p.axis, p.group, nullptr, nullptr),
                to_string(p));
    skip_implementations(pd, implementation);
    return pd;
}

class case_t : public problem_case_t<problem_t> {
public:
    case_t(const problem_t &p, size_t implementation,
            placement_t placement = placement_t::ends_at_guard)
        : problem_case_t(p, implementation, placement) {
        random_values_t random(3);
        std::vector<double> values;
        for (int64_t i = 0; i < volume(p.dims); ++i)
            values.push_back(
                    is_integer(p.type) ? static_cast<double>(i % 127) : random.between(-4, 4));
        add_input(p.src_arg(), "src", values);
        add_output(p.dst_arg(), "dst");
        bindings().add_scratchpad(primitive_desc());
    }

    std::vector<expected_t> expected() const override {
        std::vector<interval_t> truth;
        const auto axis = static_cast<size_t>(p_.axis);
        const dnnl_dim_t extent = p_.dims[axis];
        for_each_index(p_.dims, [&](dims_t index) {
            // dst is the matrix of `extent / columns` columns that src is the transpose of.
            const dnnl_dim_t columns = p_.is_forward ? p_.group : extent / p_.group;
            const dnnl_dim_t rows = extent / columns;
            index[axis] = index[axis] % rows * columns + index[axis] / rows;
            truth.push_back(interval_t::exactly(tensor(p_.src_arg()).value(index)));
        });
        return {{p_.dst_arg(), "dst", truth}};
    }
};

void expect_right(const problem_t &p) { expect_right_everywhere<case_t>(p); }

TEST(shuffle, is_right_for_every_type_axis_and_group) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s32, dnnl_s8, dnnl_u8})
        for (const bool is_forward : {true, false})
            for (const int axis : {0, 1, 2})
                for (const dnnl_dim_t group : {1, 2, 3, 4, 12})
                    expect_right({.is_forward = is_forward,
                            .dims = {12, 12, 24},
                            .axis = axis,
                            .group = group,
                            .type = type});
}

TEST(shuffle, takes_any_layout) {
    for (const bool is_forward : {true, false})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const char *src : {"abcd", "acdb", "dcba", "abcd+3", "abcd*2", "aBcd8b", "aBcd16b",
                         "ABcd4b16a4b"})
                for (const char *dst : {"any", "abcd", "acdb", "aBcd16b"})
                    for (const int axis : {1, 2})
                        expect_right({.is_forward = is_forward,
                                .dims = {4, 12, 6, 5},
                                .axis = axis,
                                .group = 3,
                                .type = type,
                                .src_format = src,
                                .dst_format = dst});
}

TEST(shuffle, reads_elements_that_repeat) {
    for (const char *src : {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "abcd/abcd"})
        for (const char *dst : {"any", "abcd", "acdb", "aBcd16b"})
            for (const int axis : {1, 2})
                expect_right({.dims = {4, 16, 6, 5},
                        .axis = axis,
                        .group = 2,
                        .src_format = src,
                        .dst_format = dst});
}

TEST(shuffle, takes_blocks_that_groups_divide_and_others) {
    for (const bool is_forward : {true, false})
        for (const dnnl_dim_t channels : {16, 48, 58, 64, 128})
            for (const dnnl_dim_t group : {2, 4, 8, 16, 29, 32})
                for (const char *format : {"aBc4b", "aBc8b", "aBc16b", "BAc16a16b", "ABc4b16a4b"})
                    if (channels % group == 0)
                        expect_right({.is_forward = is_forward,
                                .dims = {3, channels, 7},
                                .group = group,
                                .src_format = format});
}

TEST(shuffle, gathers_chunks_of_every_type_and_group) {
    for (const bool is_forward : {true, false})
        for (const auto type : {dnnl_f32, dnnl_f16, dnnl_u8})
            for (const dnnl_dim_t group : {2, 3, 4, 5, 12, 20})
                for (const auto &[src, dst] :
                        {std::pair{"aBcd16b", "aBcd16b"}, {"aBcd16b", "aBcd32b"}, {"acdb", "acdb"},
                                {"aBcd8b", "aBcd8b"}, {"acdb", "aBcd16b"}, {"aBcd8b", "acdb"}})
                    expect_right({.is_forward = is_forward,
                            .dims = {2, 60, 3, 70},
                            .group = group,
                            .type = type,
                            .src_format = src,
                            .dst_format = dst});
}

// Group 24 of 240 channels: ten chunks of 64 bytes, but four of 16, make a chunk of dst.
TEST(shuffle, gathers_smaller_chunks_where_large_ones_come_from_many) {
    for (const bool is_forward : {true, false})
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const dnnl_dim_t group : {8, 10, 16, 24, 30}) {
                const problem_t problem{.is_forward = is_forward,
                        .dims = {2, 240, 3, 5},
                        .group = group,
                        .type = type,
                        .src_format = "aBcd16b",
                        .dst_format = "aBcd16b"};
                expect_right(problem);
                if (generates_kernels()) {
                    EXPECT_EQ(implementations(problem).front(), "jit:blocks") << group;
                }
            }
}

/// With a cache of 64 KiB they have non-temporal stores, and those of whole lines are read in the
/// order of src.
TEST(shuffle, moves_long_runs_of_whole_and_of_half_lines) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        for (const dnnl_dim_t run_bytes : {544, 1024, 1056, 1568})
            for (const dnnl_dim_t group : {3, 4}) {
                const auto size = static_cast<dnnl_dim_t>(dnnl_data_type_size(type));
                problem_t p{.dims = {6, 12, run_bytes / size}, .group = group, .type = type};
                expect_right(p);
                p.is_forward = false;
                expect_right(p);
            }
}

TEST(shuffle, takes_tensors_of_one_to_twelve_dimensions) {
    for (size_t ndims = 1; ndims <= DNNL_MAX_NDIMS; ++ndims) {
        dims_t dims(ndims, 1);
        dims.back() = 6;
        dims.front() *= 4;
        for (const int axis : {0, static_cast<int>(ndims) - 1})
            expect_right({.dims = dims, .axis = axis, .group = 2});
    }
}

TEST(shuffle, of_no_elements_does_nothing) {
    for (const bool is_forward : {true, false})
        expect_right({.is_forward = is_forward, .dims = {0, 12, 5}});
}

TEST(shuffle, backward_undoes_forward) {
    const problem_t there{.dims = {2, 24, 5}, .group = 4},
            back{.is_forward = false, .dims = there.dims, .group = there.group};
    case_t forward(there, 0), backward(back, 0);
    ASSERT_EQ(forward.execute(), dnnl_success);
    backward.refill(DNNL_ARG_DIFF_DST, forward.tensor(DNNL_ARG_DST).values());
    ASSERT_EQ(backward.execute(), dnnl_success);
    EXPECT_EQ(backward.tensor(DNNL_ARG_DIFF_SRC).values(), forward.tensor(DNNL_ARG_SRC).values());
}

TEST(shuffle, has_the_same_bits_for_any_number_of_threads) {
    for (const char *format : {"abc", "acb", "aBc16b"}) {
        expect_same_bits_for_any_number_of_threads([&] {
            return case_t({.dims = {8, 116, 300}, .group = 2, .src_format = format}, 0);
        });
    }
}

TEST(shuffle, refuses_spoiled_arguments) {
    expect_refusals_of_spoiled_arguments(case_t({}, 0));
    expect_refusals_of_spoiled_arguments(case_t({.is_forward = false}, 0));
}

TEST(shuffle, goes_by_nests_or_by_chunks) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](const problem_t &p) { return implementations(p).front(); };
    for (const char *format : {"abc", "cba", "abc+3"})
        EXPECT_EQ(best({.src_format = format}), "jit:nests");
    const dims_t dims{2, 64, 5};
    for (const char *format : {"acb", "aBc16b"})
        EXPECT_EQ(best({.dims = dims, .src_format = format}), "jit:blocks");
    for (const auto type : {dnnl_s8, dnnl_bf16}) // with lines of 8 bytes or more
        EXPECT_EQ(best({.dims = {2, 12, 5}, .type = type, .src_format = "acb"}), "jit:blocks");
    EXPECT_EQ(best({.dims = {2, 6, 5}, .group = 2, .type = dnnl_s8, .src_format = "acb"}),
            "jit:nests");
    EXPECT_EQ(best({.dims = {2, 64, 5}, .group = 64, .src_format = "acb"}), "jit:nests"); // a copy
    EXPECT_EQ(best({.dims = dims, .axis = 2, .group = 5, .src_format = "aBc16b"}), "jit:nests");
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        EXPECT_EQ(best({.dims = {2, 58, 5}, .group = 2, .type = type, .src_format = "aBc16b"}),
                "jit:blocks");
    EXPECT_EQ(best({.dims = {2, 58, 5}, .group = 2, .type = dnnl_s8, .src_format = "aBc8b"}),
            "jit:blocks");
    EXPECT_EQ(best({.dims = {2, 58, 5}, .group = 2, .type = dnnl_s8, .src_format = "aBc4b"}),
            "ref:any");
    EXPECT_EQ(best({.type = dnnl_f64}), "ref:any");
}

// 12 of 16 channels, which are in one block.
TEST(shuffle, leaves_the_rest_of_a_block_alone) {
    constexpr dnnl_dim_t parts[] = {1, 12, 2, 2}, begin[] = {0, 0, 0, 0};
    constexpr size_t channels = 12, block = 16, pixels = 4;
    constexpr signed char untouched = 99;
    const auto whole = make_desc({1, 16, 2, 2}, dnnl_s8, "aBcd16b");
    memory_desc_handle_t part;
    require(dnnl_memory_desc_create_submemory(part.out(), whole, parts, begin), "submemory");
    primitive_desc_handle_t pd;
    require(dnnl_shuffle_forward_primitive_desc_create(
                    pd.out(), cpu_engine(), dnnl_forward_training, part, part, 1, 3, nullptr),
            "shuffle");
    do {
        std::vector<signed char> src(pixels * block), dst(src.size(), untouched);
        for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<signed char>(i);
        memory_handle_t from, to;
        require(dnnl_memory_create(from.out(), part, cpu_engine(), src.data()), "src");
        require(dnnl_memory_create(to.out(), part, cpu_engine(), dst.data()), "dst");
        primitive_handle_t primitive;
        require(dnnl_primitive_create(primitive.out(), pd), "primitive");
        arguments_t arguments;
        arguments.add(DNNL_ARG_SRC, from);
        arguments.add(DNNL_ARG_DST, to);
        require(arguments.execute(primitive), "execution");
        for (size_t i = 0; i < dst.size(); ++i) {
            const size_t pixel = i / block, c = i % block;
            const size_t of = c % 4 * 3 + c / 4; // 4 groups of 3, transposed
            EXPECT_EQ(dst[i], c < channels ? src[pixel * block + of] : untouched) << i;
        }
    } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
}

} // namespace

} // namespace kiln::test::shuffle_operation

// SPDX-License-Identifier: Apache-2.0
// Normalizations of parts of larger tensors: results are right, and the larger tensors keep the
// bytes around the parts.
#include "normalization/operation_test.hpp"

namespace kiln::test::normalization {

namespace {

/// Channels [offset, offset + count) of a tensor of `parent` channels.
struct channels_t {
    dnnl_dim_t parent, offset, count;
};

/// Parts of one block, whole blocks, and what reaches the end of channels that are no whole blocks.
std::vector<channels_t> parts_of(dnnl_dim_t block) {
    std::vector<channels_t> parts;
    for (const dnnl_dim_t count : {1, 2, 4, 8, 12, 16})
        for (const dnnl_dim_t offset : {dnnl_dim_t(0), block})
            if (count < block || count % block == 0) parts.push_back({5 * block, offset, count});
    const dnnl_dim_t some = block / 4;
    parts.push_back({block + some, 0, block});
    parts.push_back({block + some, 0, block + some});
    parts.push_back({block + some, block, some});
    parts.push_back({2 * block + some, block, block + some});
    return parts;
}

/// Samples, rows and columns of the parent beside those of a part.
constexpr dnnl_dim_t more = 1;

/// The format of a part of `format` that has `dims`.
std::string part_format(const std::string &format, const dims_t &dims, const channels_t &channels) {
    dims_t parent = dims, offset(dims.size(), 0);
    for (auto &extent : parent) extent += more;
    offset.back() = more;
    parent[1] = channels.parent;
    offset[1] = channels.offset;
    return format + " of " + test::to_string(parent) + " at " + test::to_string(offset);
}

class normalization_submemories : public operation_test_t {
protected:
    void SetUp() override {
        if (is_layer()) GTEST_SKIP() << "its axes are not channels";
    }

    /// The problem forward, by statistics of src and by given ones, and backward.
    static void expect_right_both_ways(
            problem_t problem, const std::vector<unsigned> &of_functions) {
        for (const unsigned function : of_functions)
            for (const unsigned stats : {0u, global_stats})
                for (const auto prop_kind :
                        {dnnl_forward_training, dnnl_forward_inference, dnnl_backward}) {
                    problem.flags = scale | shift | function | stats;
                    problem.prop_kind = prop_kind;
                    EXPECT_TRUE(is_right(problem));
                }
    }

    static problem_t problem_of_part(const channels_t &channels) {
        problem_t problem = problem_of({2, channels.count, 3, 5});
        if (problem.groups && channels.count % problem.groups != 0) problem.groups = 1;
        return problem;
    }
};

constexpr std::pair<const char *, dnnl_dim_t> formats[]{
        {"aBcd4b", 4}, {"aBcd8b", 8}, {"aBcd16b", 16}, {"abcd", 16}, {"acdb", 16}};

TEST_P(normalization_submemories, parts_of_tensors_are_normalized_alone) {
    for (const auto &[format, block] : formats)
        for (const channels_t &channels : parts_of(block))
            for (const auto type : {dnnl_f32, dnnl_bf16}) {
                problem_t problem = problem_of_part(channels);
                problem.set_formats(part_format(format, problem.dims, channels));
                problem.set_types(type);
                problem.placement = channels.count % 3 == 1 ? placement_t::begins_at_guard
                                                            : placement_t::ends_at_guard;
                expect_right_both_ways(problem, functions());
            }
}

// The channels of one tensor are a part of a block, those of the other one a block and its padding.
TEST_P(normalization_submemories, parts_may_be_normalized_into_whole_tensors_and_back) {
    for (const auto &[format, block] : formats)
        for (const channels_t &channels : parts_of(block)) {
            problem_t problem = problem_of_part(channels);
            const std::string part = part_format(format, problem.dims, channels);
            problem.set_formats(part);
            problem.dst_format = format;
            expect_right_both_ways(problem, {functions().back()});
            problem.set_formats(format);
            problem.dst_format = part;
            expect_right_both_ways(problem, {functions().back()});
            problem.diff_src_format = part;
            expect_right_both_ways(problem, {functions().back()});
        }
}

TEST_P(normalization_submemories, parts_take_integers_and_post_ops) {
    for (const auto &[format, block] : formats)
        for (const channels_t &channels : parts_of(block)) {
            problem_t problem = problem_of_part(channels);
            problem.set_formats(part_format(format, problem.dims, channels));
            problem.prop_kind = dnnl_forward_inference;
            problem.flags = scale | shift;
            problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 3}};
            EXPECT_TRUE(is_right(problem));
            problem.flags |= is_batch() ? global_stats : 0;
            problem.src_type = problem.dst_type = dnnl_s8;
            problem.post_ops.clear();
            EXPECT_TRUE(is_right(problem));
        }
}

INSTANTIATE_FOR_OPERATIONS(normalization_submemories);

} // namespace

} // namespace kiln::test::normalization

// SPDX-License-Identifier: Apache-2.0
// Every mix of data types: layer and group normalization take any; batch normalization takes one
// type for all tensors, s8 with given statistics only.
#include "normalization/operation_test.hpp"

namespace kiln::test::normalization {

namespace {

const std::vector<dnnl_data_type_t> forward_types{
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8, dnnl_u8};
const std::vector<dnnl_data_type_t> float_types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};
const std::vector<dnnl_data_type_t> weight_types{dnnl_f32, dnnl_bf16, dnnl_f16};
const std::vector<dnnl_data_type_t> all_types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8,
        dnnl_u8, dnnl_s32, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_e8m0};

bool is_one_of(dnnl_data_type_t type, const std::vector<dnnl_data_type_t> &types) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

struct layout_case_t {
    dims_t dims;
    std::string format;
};

// Sets that no vector length divides, and some that all do.
const std::vector<layout_case_t> row_layouts{
        {{5, 37}, "ab"}, {{3, 2, 64}, "abc"}, {{3, 4, 21}, "acb"}, {{3, 4, 21}, "abc+3"}};
const std::vector<layout_case_t> channel_layouts{
        {{2, 21, 5, 7}, "abcd"}, {{2, 21, 5, 7}, "acdb"}, {{2, 21, 5, 7}, "aBcd16b"}};

class normalization_data_types : public operation_test_t {
protected:
    static std::vector<problem_t> problems(
            dnnl_prop_kind_t prop_kind, const std::vector<unsigned> &flags) {
        std::vector<problem_t> problems;
        for (const auto &[dims, format] : is_layer() ? row_layouts : channel_layouts)
            for (const unsigned bits : flags) {
                problems.push_back(problem_of(dims, bits, format, prop_kind));
                if (problems.back().groups) problems.back().groups = 7;
            }
        return problems;
    }

    static bool is_legal_forward(const problem_t &problem) {
        const auto src = problem.src_type, dst = problem.dst_type;
        if (!is_batch()) return is_one_of(src, forward_types) && is_one_of(dst, forward_types);
        return src == dst
               && (is_one_of(src, float_types) || (src == dnnl_s8 && problem.has(global_stats)));
    }

    static bool is_legal_backward(const problem_t &problem) {
        const auto src = problem.src_type, dst = problem.dst_type, diff = problem.diff_src_type;
        return is_one_of(src, float_types) && is_one_of(dst, float_types)
               && is_one_of(diff, float_types) && (!is_batch() || (src == dst && src == diff));
    }
};

TEST_P(normalization_data_types, of_src_and_dst) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference}) {
        std::vector<unsigned> flags{scale | shift, global_stats | scale};
        if (is_layer()) flags.push_back(rms | shift);
        for (auto &problem : problems(prop_kind, flags))
            for (const auto src : all_types)
                for (const auto dst : all_types) {
                    problem.src_type = src;
                    problem.dst_type = dst;
                    if (is_legal_forward(problem))
                        EXPECT_TRUE(is_right(problem));
                    else
                        EXPECT_EQ(creation_status(problem), dnnl_unimplemented)
                                << to_string(problem);
                }
    }
}

TEST_P(normalization_data_types, of_src_and_gradients) {
    std::vector<unsigned> flags{scale | shift, global_stats | scale};
    if (is_layer()) flags.push_back(rms | scale);
    for (auto &problem : problems(dnnl_backward, flags))
        for (const auto src : all_types)
            for (const auto diff_dst : all_types)
                for (const auto diff_src : all_types) {
                    problem.src_type = src;
                    problem.dst_type = diff_dst;
                    problem.diff_src_type = diff_src;
                    if (is_legal_backward(problem))
                        EXPECT_TRUE(is_right(problem));
                    else
                        EXPECT_EQ(creation_status(problem), dnnl_unimplemented)
                                << to_string(problem);
                }
}

INSTANTIATE_FOR_OPERATIONS(normalization_data_types);

problem_t layer_of(dims_t dims, unsigned flags, dnnl_prop_kind_t prop_kind) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = std::move(dims);
    problem.flags = flags;
    return problem;
}

TEST(layer_normalization_data_types, forward_takes_any_type_of_scale_and_shift) {
    for (const auto src : forward_types)
        for (const auto weights : weight_types)
            for (const unsigned flags : {scale, shift, scale | shift, scale | rms}) {
                auto problem = layer_of({4, 29}, flags, dnnl_forward_training);
                problem.set_types(src);
                problem.scale_shift_type = weights;
                EXPECT_TRUE(is_right(problem));
            }
}

TEST(layer_normalization_data_types, backward_takes_any_type_of_weights_and_their_gradients) {
    for (const auto src : float_types)
        for (const auto weights : weight_types)
            for (const auto diff_weights : weight_types)
                for (const auto prop_kind : {dnnl_backward, dnnl_backward_data}) {
                    auto problem = layer_of({6, 29}, scale | shift, prop_kind);
                    problem.set_types(src);
                    problem.scale_shift_type = weights;
                    problem.diff_scale_shift_type = diff_weights;
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(layer_normalization_data_types, statistics_may_be_f64_for_f64_data) {
    for (const unsigned flags : all_flags(operation_t::layer))
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
            auto problem = layer_of({3, 4, 15}, flags, prop_kind);
            problem.set_types(dnnl_f64);
            problem.stat_type = dnnl_f64;
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(layer_normalization_data_types, weights_may_be_f64_for_f64_data) {
    for (const unsigned flags : {scale | shift, scale | rms})
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
            auto problem = layer_of({3, 4, 15}, flags, prop_kind);
            problem.set_types(dnnl_f64);
            problem.stat_type = problem.scale_shift_type = problem.diff_scale_shift_type = dnnl_f64;
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(layer_normalization_data_types, statistics_may_have_16_bits) {
    for (const unsigned flags : all_flags(operation_t::layer))
        for (const auto prop_kind :
                {dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
                for (const auto stat : {dnnl_bf16, dnnl_f16})
                    for (const auto &[format, implementation] : {std::pair{"abc", "jit:rows"},
                                 {"acb", "jit:columns"}, {"aBc16b", "jit:relaid"}}) {
                        auto problem = layer_of({3, 19, 35}, flags, prop_kind);
                        problem.set_types(type);
                        problem.set_formats(format);
                        problem.stat_type = stat;
                        EXPECT_TRUE(is_right(problem));
                        if (type == dnnl_f64 || !generates_kernels()) continue;
                        EXPECT_EQ(implementations(problem).front(), implementation);
                    }
}

TEST(layer_normalization_data_types, other_statistics_are_refused) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
        for (const auto stat : {dnnl_f64, dnnl_s8, dnnl_s32}) {
            auto problem = layer_of({3, 8}, 0, prop_kind);
            problem.stat_type = stat;
            EXPECT_EQ(creation_status(problem), dnnl_unimplemented) << to_string(problem);
        }
}

TEST(layer_normalization_data_types, other_scales_and_shifts_are_refused) {
    for (const auto type : {dnnl_s8, dnnl_s32, dnnl_f64})
        for (const unsigned flag : {scale, shift}) {
            auto problem = layer_of({3, 8}, flag, dnnl_forward_training);
            problem.scale_shift_type = type;
            EXPECT_EQ(creation_status(problem), dnnl_unimplemented) << to_string(problem);
        }
}

} // namespace

} // namespace kiln::test::normalization

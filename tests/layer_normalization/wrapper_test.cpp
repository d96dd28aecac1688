// SPDX-License-Identifier: Apache-2.0
// Layer normalization through the C++ interface, against the formula in double. Only the C++
// interface is called.
#include "layer_normalization/wrapper_rows.hpp"

#include <cmath>
#include <cstring>
#include <unordered_map>
#include <vector>

using namespace dnnl;
using namespace kiln::test;

namespace {

using arguments_t = std::unordered_map<int, memory>;

/// Values without symmetry, in quarters, so that they are exact in f32.
std::vector<float> some_values(int count, int seed) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i)
        values.push_back(static_cast<float>((i * 37 + seed * 11) % 53 - 20) / 4.f);
    return values;
}

class wrapper_layer_normalization : public wrapper_rows {
protected:
    memory filled(const desc &md, const std::vector<float> &values) const {
        const memory mem(md, cpu_);
        EXPECT_EQ(md.get_size(), values.size() * sizeof(float));
        std::memcpy(mem.get_data_handle(), values.data(), md.get_size());
        return mem;
    }

    void run(const primitive &prim, const arguments_t &arguments) const {
        stream astream(cpu_);
        prim.execute(astream, arguments);
        astream.wait();
    }

    static float value_of(const memory &mem, int index) {
        return static_cast<const float *>(mem.get_data_handle())[index];
    }

    const std::vector<float> src_ = some_values(rows * cols, 1);
    const std::vector<float> diff_dst_ = some_values(rows * cols, 2);
    const std::vector<float> scale_ = some_values(cols, 3);
    const std::vector<float> shift_ = some_values(cols, 4);
};

/// What a row needs to be normalized, in double.
struct row_statistics_t {
    double mean = 0, variance = 0, inverse_deviation = 0;

    row_statistics_t(const float *row, bool is_rms) {
        for (int c = 0; c < cols; ++c) mean += is_rms ? 0 : row[c] / double(cols);
        for (int c = 0; c < cols; ++c) variance += (row[c] - mean) * (row[c] - mean) / cols;
        inverse_deviation = 1 / std::sqrt(variance + double(epsilon));
    }
};

constexpr double tolerance = 2e-5;

} // namespace

TEST_F(wrapper_layer_normalization, training_gives_the_result_and_the_statistics) {
    const forward_t::primitive_desc pd = training(scale_and_shift);
    const memory dst(pd.dst_desc(), cpu_), mean(pd.mean_desc(), cpu_),
            variance(pd.variance_desc(), cpu_);
    run(forward_t(pd),
            {{DNNL_ARG_SRC, filled(data_md_, src_)}, {DNNL_ARG_DST, dst}, {DNNL_ARG_MEAN, mean},
                    {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_SCALE, filled(row_md_, scale_)},
                    {DNNL_ARG_SHIFT, filled(row_md_, shift_)}});
    for (int r = 0; r < rows; ++r) {
        const row_statistics_t row(&src_[r * cols], false);
        EXPECT_NEAR(value_of(mean, r), row.mean, tolerance);
        EXPECT_NEAR(value_of(variance, r), row.variance, tolerance * row.variance);
        for (int c = 0; c < cols; ++c) {
            const double normalized = (src_[r * cols + c] - row.mean) * row.inverse_deviation;
            EXPECT_NEAR(value_of(dst, r * cols + c), scale_[c] * normalized + shift_[c], tolerance)
                    << "at " << r << ", " << c;
        }
    }
}

TEST_F(wrapper_layer_normalization, backward_gives_all_three_gradients) {
    const forward_t::primitive_desc forward = training(scale_and_shift);
    const backward_t::primitive_desc pd(cpu_, prop_kind::backward, data_md_, data_md_, data_md_,
            epsilon, scale_and_shift, forward);
    const memory src = filled(data_md_, src_), scale = filled(row_md_, scale_), dst(data_md_, cpu_),
                 mean(forward.mean_desc(), cpu_), variance(forward.variance_desc(), cpu_);
    run(forward_t(forward), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_MEAN, mean},
                                    {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_SCALE, scale},
                                    {DNNL_ARG_SHIFT, filled(row_md_, shift_)}});
    const memory diff_src(pd.diff_src_desc(), cpu_), diff_scale(row_md_, cpu_),
            diff_shift(row_md_, cpu_);
    run(backward_t(pd),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, filled(data_md_, diff_dst_)},
                    {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_SCALE, scale},
                    {DNNL_ARG_DIFF_SRC, diff_src}, {DNNL_ARG_DIFF_SCALE, diff_scale},
                    {DNNL_ARG_DIFF_SHIFT, diff_shift}});

    std::vector<double> scale_gradient(cols), shift_gradient(cols);
    for (int r = 0; r < rows; ++r) {
        const row_statistics_t row(&src_[r * cols], false);
        double mean_of_gradient = 0, mean_of_product = 0;
        std::vector<double> normalized(cols), gradient(cols);
        for (int c = 0; c < cols; ++c) {
            normalized[c] = (src_[r * cols + c] - row.mean) * row.inverse_deviation;
            gradient[c] = double(diff_dst_[r * cols + c]) * scale_[c];
            mean_of_gradient += gradient[c] / cols;
            mean_of_product += gradient[c] * normalized[c] / cols;
            scale_gradient[c] += diff_dst_[r * cols + c] * normalized[c];
            shift_gradient[c] += diff_dst_[r * cols + c];
        }
        for (int c = 0; c < cols; ++c)
            EXPECT_NEAR(value_of(diff_src, r * cols + c),
                    row.inverse_deviation
                            * (gradient[c] - mean_of_gradient - normalized[c] * mean_of_product),
                    tolerance)
                    << "at " << r << ", " << c;
    }
    for (int c = 0; c < cols; ++c) {
        EXPECT_NEAR(value_of(diff_scale, c), scale_gradient[c], 4 * tolerance) << "at " << c;
        EXPECT_NEAR(value_of(diff_shift, c), shift_gradient[c], 4 * tolerance) << "at " << c;
    }
}

TEST_F(wrapper_layer_normalization, inference_with_given_statistics_uses_them) {
    const forward_t::primitive_desc pd(cpu_, prop_kind::forward_inference, data_md_, data_md_,
            stat_md_, epsilon, flags_t::use_global_stats);
    EXPECT_EQ(pd.mean_desc(), stat_md_);
    EXPECT_EQ(pd.variance_desc(), stat_md_);
    const std::vector<float> means = some_values(rows, 5);
    const std::vector<float> variances(rows, 2.25f);
    const memory dst(data_md_, cpu_);
    run(forward_t(pd), {{DNNL_ARG_SRC, filled(data_md_, src_)}, {DNNL_ARG_DST, dst},
                               {DNNL_ARG_MEAN, filled(stat_md_, means)},
                               {DNNL_ARG_VARIANCE, filled(stat_md_, variances)}});
    for (int i = 0; i < rows * cols; ++i)
        EXPECT_NEAR(value_of(dst, i),
                (src_[i] - means[i / cols]) / std::sqrt(2.25 + double(epsilon)), tolerance)
                << "at " << i;
}

TEST_F(wrapper_layer_normalization, rms_norm_subtracts_nothing) {
    const forward_t::primitive_desc pd(cpu_, prop_kind::forward_inference, data_md_, data_md_,
            epsilon, flags_t::rms_norm | flags_t::use_scale);
    EXPECT_EQ(pd.get_flags(), flags_t::rms_norm | flags_t::use_scale);
    const memory dst(data_md_, cpu_);
    run(forward_t(pd), {{DNNL_ARG_SRC, filled(data_md_, src_)}, {DNNL_ARG_DST, dst},
                               {DNNL_ARG_SCALE, filled(row_md_, scale_)}});
    for (int i = 0; i < rows * cols; ++i) {
        const row_statistics_t row(&src_[i / cols * cols], true);
        EXPECT_NEAR(value_of(dst, i), scale_[i % cols] * src_[i] * row.inverse_deviation, tolerance)
                << "at " << i;
    }
}

TEST_F(wrapper_layer_normalization, a_source_scale_multiplies_the_result) {
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    const desc narrow({rows, cols}, dt::s8, tag::ab);
    const forward_t::primitive_desc pd(
            cpu_, prop_kind::forward_inference, narrow, data_md_, epsilon, flags_t::none, attr);
    const memory src(narrow, cpu_), dst(data_md_, cpu_), factor({{1}, dt::f32, tag::a}, cpu_);
    std::vector<float> values;
    for (int i = 0; i < rows * cols; ++i)
        values.push_back(static_cast<int8_t *>(src.get_data_handle())[i] =
                                 static_cast<int8_t>(i * 37 % 53 - 20));
    static_cast<float *>(factor.get_data_handle())[0] = 0.5f;
    run(forward_t(pd), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst},
                               {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, factor}});
    for (int i = 0; i < rows * cols; ++i) {
        const row_statistics_t row(&values[i / cols * cols], false);
        EXPECT_NEAR(
                value_of(dst, i), 0.5 * (values[i] - row.mean) * row.inverse_deviation, tolerance)
                << "at " << i;
    }
}

TEST_F(wrapper_layer_normalization, post_ops_follow_in_order) {
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_linear, 2.f, 1.f);
    ops.append_binary(algorithm::binary_mul, desc({1, cols}, dt::f32, tag::ab));
    primitive_attr attr;
    attr.set_post_ops(ops);
    const forward_t::primitive_desc pd(
            cpu_, prop_kind::forward_inference, data_md_, data_md_, epsilon, flags_t::none, attr);
    const memory dst(data_md_, cpu_);
    run(forward_t(pd),
            {{DNNL_ARG_SRC, filled(data_md_, src_)}, {DNNL_ARG_DST, dst},
                    {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, filled(row_md_, scale_)}});
    for (int i = 0; i < rows * cols; ++i) {
        const row_statistics_t row(&src_[i / cols * cols], false);
        const double normalized = (src_[i] - row.mean) * row.inverse_deviation;
        EXPECT_NEAR(value_of(dst, i), (2 * normalized + 1) * scale_[i % cols], tolerance)
                << "at " << i;
    }
}

TEST_F(wrapper_layer_normalization, a_caller_can_provide_the_scratchpad) {
    primitive_attr attr;
    attr.set_scratchpad_mode(scratchpad_mode::user);
    const forward_t::primitive_desc pd(
            cpu_, prop_kind::forward_inference, data_md_, data_md_, epsilon, flags_t::none, attr);
    EXPECT_EQ(pd.query_s64(query::memory_consumption_s64), 0);
    const memory scratchpad(pd.scratchpad_desc(), cpu_), dst(data_md_, cpu_);
    run(forward_t(pd), {{DNNL_ARG_SRC, filled(data_md_, src_)}, {DNNL_ARG_DST, dst},
                               {DNNL_ARG_SCRATCHPAD, scratchpad}});
    const row_statistics_t row(src_.data(), false);
    EXPECT_NEAR(value_of(dst, 0), (src_[0] - row.mean) * row.inverse_deviation, tolerance);
    EXPECT_TRUE(training(flags_t::none).scratchpad_desc().is_zero());
}

TEST_F(wrapper_layer_normalization, a_missing_argument_throws_and_a_foreign_one_is_ignored) {
    const forward_t::primitive_desc pd(
            cpu_, prop_kind::forward_inference, data_md_, data_md_, epsilon, flags_t::none);
    const forward_t prim(pd);
    const memory src = filled(data_md_, src_), dst(data_md_, cpu_);
    EXPECT_EQ(status_of([&] { run(prim, {{DNNL_ARG_SRC, src}}); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { prim.execute(stream(cpu_), {}); }), dnnl_invalid_arguments);
    arguments_t arguments{{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_BIAS, memory()}};
    for (int i = 0; i < 20; ++i) arguments[DNNL_ARG_MULTIPLE_SRC + i] = memory();
    EXPECT_EQ(status_of([&] { run(prim, arguments); }), dnnl_success);
    const row_statistics_t row(src_.data(), false);
    EXPECT_NEAR(value_of(dst, 0), (src_[0] - row.mean) * row.inverse_deviation, tolerance);
}

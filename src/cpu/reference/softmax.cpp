// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of softmax and logsoftmax: lines along the axis, in double;
// post-ops are computed in float.

#include "cpu/reference/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/post_op_chain.hpp"
#include "cpu/reference/quantization_scale.hpp"
#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// Calls `visit(line)` with the position of the first element of each line.
template <typename visit_t> void for_each_line(const softmax_pd_t &pd, const visit_t &visit) {
    if (pd.lines() == 0) return;
    dims_t dims;
    std::copy_n(pd.dst().dims, pd.dst().ndims, dims);
    dims[pd.axis()] = 1;
    parallel_chunks(pd.lines(), items_of_task(pd.length()), [&](dim_t begin, dim_t end) {
        odometer_t line(pd.dst().ndims, dims, begin);
        for (dim_t i = begin; i < end; ++i, line.next()) visit(line);
    });
}

/// An argument along the lines.
struct operand_t {
    operand_t(const softmax_pd_t &pd, int arg)
        : tensor(pd.md_of(arg))
        , slot(pd.slot_of(arg))
        , axis(pd.axis())
        , length(static_cast<size_t>(pd.length())) {}

    std::vector<double> load(const exec_ctx_t &ctx, const odometer_t &line) const {
        std::vector<double> values(length);
        tensor.load(ctx.input(slot), line.offset(tensor.layout()), axis, 0, values);
        return values;
    }
    void store(const exec_ctx_t &ctx, const odometer_t &line,
            const std::vector<double> &values) const {
        tensor.store(ctx.output(slot), line.offset(tensor.layout()), axis, 0, values);
    }

    tensor_t tensor;
    int slot;
    int axis;
    size_t length;
};

class softmax_fwd_t : public primitive_impl_t {
public:
    explicit softmax_fwd_t(const softmax_pd_t &pd)
        : pd_(pd)
        , src_(pd, DNNL_ARG_SRC)
        , dst_(pd, DNNL_ARG_DST)
        , stats_(pd.stats())
        , post_ops_(pd) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        const double src_scale = quantization_scale(ctx, DNNL_ARG_SRC);
        const double dst_scale = quantization_scale(ctx, DNNL_ARG_DST);
        for_each_line(pd_, [&](const odometer_t &line) {
            std::vector<double> values = src_.load(ctx, line);
            const size_t pre_ops = pd_.desc().pre_ops;
            if (pre_ops != 0)
                post_ops_.apply(pd_.axis(), line.position(), values, ctx, {0, pre_ops});
            const double stat = transform(values);
            if (pd_.has_stats())
                stats_.store(ctx.output(pd_.slot_of(DNNL_ARG_DST_1)), line.offset(stats_.layout()),
                        stat);
            for (double &value : values) value *= src_scale;
            post_ops_.apply(pd_.axis(), line.position(), values, ctx, {pre_ops});
            for (double &value : values) value /= dst_scale;
            dst_.store(ctx, line, values);
        });
        return dnnl_success;
    }

private:
    /// Replaces x by softmax or logsoftmax; returns log(sum(exp(x))), or 0 where zeros replace NaN.
    double transform(std::vector<double> &x) const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double greatest = -infinity;
        for (const double value : x)
            if (!(value <= greatest)) greatest = value; // NaN is kept
        if (pd_.desc().is_inf_zero && greatest == -infinity) {
            std::fill(x.begin(), x.end(), 0.);
            return 0;
        }
        double sum = 0;
        for (const double value : x) sum += std::exp(value - greatest);
        const double log_of_sum = std::log(sum);
        for (double &value : x)
            value = pd_.is_log() ? value - greatest - log_of_sum : std::exp(value - greatest) / sum;
        return greatest + log_of_sum;
    }

    const softmax_pd_t &pd_;
    const operand_t src_, dst_;
    const tensor_t stats_;
    const post_op_chain_t post_ops_;
};

class softmax_bwd_t : public primitive_impl_t {
public:
    explicit softmax_bwd_t(const softmax_pd_t &pd)
        : pd_(pd)
        , dst_(pd, DNNL_ARG_DST)
        , diff_dst_(pd, DNNL_ARG_DIFF_DST)
        , diff_src_(pd, DNNL_ARG_DIFF_SRC)
        , post_ops_(pd) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        for_each_line(pd_, [&](const odometer_t &line) {
            const std::vector<double> y = dst_.load(ctx, line);
            std::vector<double> gradient = diff_dst_.load(ctx, line);
            double sum = 0;
            for (size_t i = 0; i < y.size(); ++i) sum += gradient[i] * (pd_.is_log() ? 1 : y[i]);
            for (size_t i = 0; i < y.size(); ++i)
                gradient[i] = pd_.is_log() ? gradient[i] - std::exp(y[i]) * sum
                                           : y[i] * (gradient[i] - sum);
            post_ops_.apply(pd_.axis(), line.position(), gradient, ctx);
            diff_src_.store(ctx, line, gradient);
        });
        return dnnl_success;
    }

private:
    const softmax_pd_t &pd_;
    const operand_t dst_, diff_dst_, diff_src_;
    const post_op_chain_t post_ops_;
};

} // namespace

refusal_t softmax_accept(softmax_pd_t &pd, plan_ptr_t &plan) {
    return pd.is_forward() ? accepted_for<softmax_fwd_t>(pd, plan)
                           : accepted_for<softmax_bwd_t>(pd, plan);
}

} // namespace kiln::cpu::reference

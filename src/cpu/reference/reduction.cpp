// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of reduction: terms are added in logical order in
// double; post-ops are computed in float.

#include "cpu/reference/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/attributes/alg_kind.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/reference/post_op_chain.hpp"
#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// An algorithm: the value before the first term, the update by a term, and the final step.
class fold_t {
public:
    explicit fold_t(const reduction_pd_t &pd)
        : alg_(pd.desc().alg)
        , p_(static_cast<double>(pd.desc().p))
        , epsilon_(static_cast<double>(pd.desc().epsilon))
        , terms_(static_cast<double>(pd.terms())) {}

    double begin() const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        switch (alg_) {
        case dnnl_reduction_max: return -infinity;
        case dnnl_reduction_min: return infinity;
        case dnnl_reduction_mul: return 1;
        default: return 0;
        }
    }

    double add(double value, double x) const {
        switch (alg_) {
        case dnnl_reduction_max: return value >= x || std::isnan(value) ? value : x;
        case dnnl_reduction_min: return value <= x || std::isnan(value) ? value : x;
        case dnnl_reduction_sum:
        case dnnl_reduction_mean: return value + x;
        case dnnl_reduction_mul: return value * x;
        default: return value + std::pow(std::fabs(x), p_);
        }
    }

    double end(double value) const {
        switch (alg_) {
        case dnnl_reduction_mean: return value / terms_;
        case dnnl_reduction_norm_lp_max: return std::pow(at_least_epsilon(value), 1 / p_);
        case dnnl_reduction_norm_lp_sum: return std::pow(value + epsilon_, 1 / p_);
        case dnnl_reduction_norm_lp_power_p_max: return at_least_epsilon(value);
        case dnnl_reduction_norm_lp_power_p_sum: return value + epsilon_;
        default: return value;
        }
    }

private:
    double at_least_epsilon(double value) const { return value < epsilon_ ? epsilon_ : value; }

    const alg_kind_t alg_;
    const double p_, epsilon_, terms_;
};

class reduction_t : public primitive_impl_t {
public:
    explicit reduction_t(const reduction_pd_t &pd)
        : fold_(pd)
        , src_(pd.src())
        , dst_(pd.dst())
        , post_ops_(pd)
        , src_slot_(pd.slot_of(DNNL_ARG_SRC))
        , dst_slot_(pd.slot_of(DNNL_ARG_DST))
        , ndims_(pd.src().ndims)
        , results_(element_count(pd.dst()))
        , terms_(pd.terms()) {
        std::copy_n(pd.dst().dims, ndims_, dst_dims_);
        for (int d = 0; d < ndims_; ++d)
            term_dims_[d] = pd.dst().dims[d] == 1 ? pd.src().dims[d] : 1;
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        parallel_chunks(results_, items_of_task(terms_), [&](dim_t begin, dim_t end) {
            odometer_t at(ndims_, dst_dims_, begin);
            for (dim_t i = begin; i < end; ++i, at.next()) make_result(ctx, at);
        });
        return dnnl_success;
    }

private:
    double fold_terms(const exec_ctx_t &ctx, const dim_t *result) const {
        double value = fold_.begin();
        if (terms_ == 0) return value;
        odometer_t term(ndims_, term_dims_, 0);
        for (dim_t i = 0; i < terms_; ++i, term.next()) {
            // Along each axis one of the two positions is 0.
            dims_t position;
            for (int d = 0; d < ndims_; ++d) position[d] = result[d] + term.position()[d];
            value = fold_.add(
                    value, src_.load(ctx.input(src_slot_), src_.layout().offset(position)));
        }
        return value;
    }

    void make_result(const exec_ctx_t &ctx, const odometer_t &at) const {
        double value = fold_.end(fold_terms(ctx, at.position()));
        if (!post_ops_.empty()) value = post_ops_.apply(value, at.position(), ctx);
        dst_.store(ctx.output(dst_slot_), at.offset(dst_.layout()), value);
    }

    const fold_t fold_;
    const tensor_t src_, dst_;
    const post_op_chain_t post_ops_;
    const int src_slot_, dst_slot_;
    const int ndims_;
    const dim_t results_, terms_;
    dims_t dst_dims_, term_dims_;
};

} // namespace

refusal_t reduction_accept(reduction_pd_t &pd, plan_ptr_t &plan) {
    return accepted_for<reduction_t>(pd, plan);
}

} // namespace kiln::cpu::reference

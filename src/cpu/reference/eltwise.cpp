// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of elementwise functions and of their gradients: in double,
// post-ops in float.

#include "cpu/reference/eltwise.hpp"

#include <algorithm>

#include "common/primitive/primitive.hpp"
#include "cpu/eltwise_scalar.hpp"
#include "cpu/reference/post_op_chain.hpp"
#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

class eltwise_t : public primitive_impl_t {
public:
    explicit eltwise_t(const eltwise_pd_t &pd)
        : alg_(pd.desc().alg)
        , alpha_(static_cast<double>(pd.desc().alpha))
        , beta_(static_cast<double>(pd.desc().beta))
        , is_forward_(pd.is_forward())
        , data_(pd.data())
        , result_(pd.result())
        , diff_dst_(is_forward_ ? pd.data() : pd.diff_dst())
        , post_ops_(pd)
        , data_slot_(pd.slot_of(pd.data_arg()))
        , result_slot_(pd.slot_of(pd.result_arg()))
        , diff_dst_slot_(pd.slot_of(DNNL_ARG_DIFF_DST))
        , ndims_(pd.data().ndims)
        , elements_(element_count(pd.data())) {
        std::copy_n(pd.data().dims, ndims_, dims_);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        parallel_chunks(elements_, elements_of_task(), [&](dim_t begin, dim_t end) {
            odometer_t at(ndims_, dims_, begin);
            for (dim_t i = begin; i < end; ++i, at.next())
                result_.store(
                        ctx.output(result_slot_), at.offset(result_.layout()), value(ctx, at));
        });
        return dnnl_success;
    }

private:
    double value(const exec_ctx_t &ctx, const odometer_t &at) const {
        const double x = load(data_, ctx.input(data_slot_), at);
        if (!is_forward_)
            return load(diff_dst_, ctx.input(diff_dst_slot_), at)
                   * eltwise_slope(alg_, x, alpha_, beta_);
        const double y = eltwise_value(alg_, x, alpha_, beta_);
        return post_ops_.empty() ? y : post_ops_.apply(y, at.position(), ctx);
    }

    static double load(const tensor_t &tensor, const void *data, const odometer_t &at) {
        return tensor.load(data, at.offset(tensor.layout()));
    }

    const alg_kind_t alg_;
    const double alpha_, beta_;
    const bool is_forward_;
    const tensor_t data_, result_, diff_dst_;
    const post_op_chain_t post_ops_;
    const int data_slot_, result_slot_, diff_dst_slot_;
    const int ndims_;
    const dim_t elements_;
    dims_t dims_;
};

} // namespace

refusal_t eltwise_accept(eltwise_pd_t &pd, plan_ptr_t &plan) {
    return accepted_for<eltwise_t>(pd, plan);
}

} // namespace kiln::cpu::reference

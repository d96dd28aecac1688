// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of PReLU and its gradients, in double.

#include "cpu/reference/prelu.hpp"

#include <algorithm>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

class prelu_t : public primitive_impl_t {
public:
    explicit prelu_t(const prelu_pd_t &pd)
        : is_forward_(pd.is_forward())
        , src_(pd, DNNL_ARG_SRC)
        , weights_(pd, DNNL_ARG_WEIGHTS)
        , result_(pd, is_forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC)
        , diff_dst_(pd, is_forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST)
        , diff_weights_(pd, is_forward_ ? DNNL_ARG_WEIGHTS : DNNL_ARG_DIFF_WEIGHTS)
        , ndims_(pd.src().ndims)
        , values_(element_count(pd.weights())) {
        std::copy_n(pd.weights().dims, ndims_, weight_dims_);
        for (int d = 0; d < ndims_; ++d) {
            const dim_t extent = pd.src().dims[d];
            shared_dims_[d] = weight_dims_[d] == extent ? 1 : extent;
            elements_of_value_ *= shared_dims_[d];
        }
    }

    /// Goes through the weights and, for each, through the elements that share it.
    status_t execute(const exec_ctx_t &ctx) const override {
        parallel_chunks(
                values_, items_of_task(2 * elements_of_value_), [&](dim_t begin, dim_t end) {
                    odometer_t weight(ndims_, weight_dims_, begin);
                    for (dim_t i = begin; i < end; ++i, weight.next()) execute_weight(ctx, weight);
                });
        return dnnl_success;
    }

private:
    struct operand_t {
        operand_t(const prelu_pd_t &pd, int arg)
            : tensor(pd.md_of(arg))
            , slot(pd.slot_of(arg)) {}
        double load(const exec_ctx_t &ctx, dim_t offset) const {
            return tensor.load(ctx.input(slot), offset);
        }
        void store(const exec_ctx_t &ctx, dim_t offset, double value) const {
            tensor.store(ctx.output(slot), offset, value);
        }
        dim_t offset(const odometer_t &weight, const odometer_t &shared, int ndims) const {
            const layout_t &layout = tensor.layout();
            dim_t result = layout.offset0();
            for (int d = 0; d < ndims; ++d)
                result += layout.axis(d)(weight.position()[d] + shared.position()[d]);
            return result;
        }

        tensor_t tensor;
        int slot;
    };

    void execute_weight(const exec_ctx_t &ctx, const odometer_t &weight) const {
        const double slope = weights_.load(ctx, weight.offset(weights_.tensor.layout()));
        double sum = 0;
        odometer_t shared(ndims_, shared_dims_, 0);
        for (dim_t i = 0; i < elements_of_value_; ++i, shared.next()) {
            const double x = src_.load(ctx, src_.offset(weight, shared, ndims_));
            double result = x;
            if (!is_forward_) {
                result = diff_dst_.load(ctx, diff_dst_.offset(weight, shared, ndims_));
                if (!(x > 0)) sum += x * result;
            }
            if (!(x > 0)) result *= slope;
            result_.store(ctx, result_.offset(weight, shared, ndims_), result);
        }
        if (!is_forward_)
            diff_weights_.store(ctx, weight.offset(diff_weights_.tensor.layout()), sum);
    }

    const bool is_forward_;
    const operand_t src_, weights_, result_, diff_dst_, diff_weights_;
    const int ndims_;
    const dim_t values_; // weights
    dim_t elements_of_value_ = 1;
    dims_t weight_dims_, shared_dims_; // src's are their products
};

} // namespace

refusal_t prelu_accept(prelu_pd_t &pd, plan_ptr_t &plan) { return accepted_for<prelu_t>(pd, plan); }

} // namespace kiln::cpu::reference

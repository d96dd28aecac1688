// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of sum: sums are in double and, unless a tensor is f64,
// rounded to float before they are converted to dst's type.

#include "cpu/reference/sum.hpp"

#include <algorithm>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

class sum_t : public primitive_impl_t {
public:
    explicit sum_t(const sum_pd_t &pd)
        : scales_(pd.desc().scales)
        , dst_(pd.dst())
        , dst_slot_(pd.slot_of(DNNL_ARG_DST))
        , ndims_(pd.dst().ndims)
        , elements_(element_count(pd.dst())) {
        const auto is_f64 = [](const memory_desc_t &md) { return md.data_type == dnnl_f64; };
        is_double_ = is_f64(pd.dst()) || std::any_of(pd.srcs().begin(), pd.srcs().end(), is_f64);
        for (const memory_desc_t &src : pd.srcs()) srcs_.emplace_back(src);
        std::copy_n(pd.dst().dims, ndims_, dims_);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        parallel_chunks(elements_, elements_of_task(), [&](dim_t begin, dim_t end) {
            odometer_t at(ndims_, dims_, begin);
            for (dim_t i = begin; i < end; ++i, at.next())
                dst_.store(ctx.output(dst_slot_), at.offset(dst_.layout()), value(ctx, at));
        });
        return dnnl_success;
    }

private:
    double value(const exec_ctx_t &ctx, const odometer_t &at) const {
        double sum = 0;
        // Sources have the first slots.
        for (size_t i = 0; i < srcs_.size(); ++i)
            sum += static_cast<double>(scales_[i])
                   * srcs_[i].load(ctx.input(static_cast<int>(i)), at.offset(srcs_[i].layout()));
        return is_double_ ? sum : static_cast<double>(static_cast<float>(sum));
    }

    const std::vector<float> scales_;
    std::vector<tensor_t> srcs_;
    const tensor_t dst_;
    const int dst_slot_;
    const int ndims_;
    const dim_t elements_;
    bool is_double_;
    dims_t dims_;
};

} // namespace

refusal_t sum_accept(sum_pd_t &pd, plan_ptr_t &plan) { return accepted_for<sum_t>(pd, plan); }

} // namespace kiln::cpu::reference

// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of binary operations: in float or, where a tensor is f64, in
// double; post-ops in float.

#include "cpu/reference/binary.hpp"

#include <algorithm>

#include "common/primitive/primitive.hpp"
#include "cpu/binary_scalar.hpp"
#include "cpu/reference/post_op_chain.hpp"
#include "cpu/reference/quantization_scale.hpp"
#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// A source, broadcast along the axes where its extent is 1.
class source_t {
public:
    source_t(const primitive_desc_t &pd, int arg)
        : md_(pd.md_of(arg))
        , tensor_(md_)
        , slot_(pd.slot_of(arg)) {}

    double load(const exec_ctx_t &ctx, const dim_t *position) const {
        const layout_t &layout = tensor_.layout();
        dim_t offset = layout.offset0();
        for (int d = 0; d < md_.ndims; ++d)
            offset += layout.axis(d)(md_.dims[d] == 1 ? 0 : position[d]);
        return tensor_.load(ctx.input(slot_), offset);
    }

private:
    const memory_desc_t md_;
    const tensor_t tensor_;
    const int slot_;
};

class binary_t : public primitive_impl_t {
public:
    explicit binary_t(const binary_pd_t &pd)
        : alg_(pd.desc().alg)
        , is_double_(pd.src_0().data_type == dnnl_f64 || pd.src_1().data_type == dnnl_f64
                     || pd.dst().data_type == dnnl_f64)
        , src_0_(pd, DNNL_ARG_SRC_0)
        , src_1_(pd, DNNL_ARG_SRC_1)
        , condition_(pd, pd.desc().has_condition() ? DNNL_ARG_SRC_2 : DNNL_ARG_SRC_1)
        , dst_(pd.dst())
        , post_ops_(pd)
        , dst_slot_(pd.slot_of(DNNL_ARG_DST))
        , ndims_(pd.dst().ndims)
        , elements_(element_count(pd.dst())) {
        std::copy_n(pd.dst().dims, ndims_, dims_);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const double scale_0 = quantization_scale(ctx, DNNL_ARG_SRC_0);
        const double scale_1 = quantization_scale(ctx, DNNL_ARG_SRC_1);
        parallel_chunks(elements_, elements_of_task(), [&](dim_t begin, dim_t end) {
            odometer_t at(ndims_, dims_, begin);
            for (dim_t i = begin; i < end; ++i, at.next())
                dst_.store(ctx.output(dst_slot_), at.offset(dst_.layout()),
                        value(ctx, at.position(), scale_0, scale_1));
        });
        return dnnl_success;
    }

private:
    double value(const exec_ctx_t &ctx, const dim_t *at, double scale_0, double scale_1) const {
        const auto rounded = [&](double value) {
            return is_double_ ? value : static_cast<double>(static_cast<float>(value));
        };
        const double x = rounded(src_0_.load(ctx, at) * scale_0);
        const double y = rounded(src_1_.load(ctx, at) * scale_1);
        double result;
        if (alg_ == dnnl_binary_select)
            result = condition_.load(ctx, at) != 0 ? x : y;
        else if (is_double_)
            result = binary_in_double(alg_, x, y);
        else
            result =
                    static_cast<double>(binary(alg_, static_cast<float>(x), static_cast<float>(y)));
        return post_ops_.empty() ? result : post_ops_.apply(result, at, ctx);
    }

    const alg_kind_t alg_;
    const bool is_double_;
    const source_t src_0_, src_1_, condition_;
    const tensor_t dst_;
    const post_op_chain_t post_ops_;
    const int dst_slot_;
    const int ndims_;
    const dim_t elements_;
    dims_t dims_;
};

} // namespace

refusal_t binary_accept(binary_pd_t &pd, plan_ptr_t &plan) {
    return accepted_for<binary_t>(pd, plan);
}

} // namespace kiln::cpu::reference

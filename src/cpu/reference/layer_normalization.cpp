// SPDX-License-Identifier: Apache-2.0
// The scalar truth of layer and RMS normalization: which problems it takes, and empty tensors.

#include "cpu/reference/layer_normalization.hpp"

#include "common/primitive.hpp"
#include "cpu/reference/layer_normalization_impl.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// No element of src: what is computed from none is 0.
class empty_t : public primitive_impl_t {
public:
    status_t execute(const exec_ctx_t &ctx) const override {
        for (const int arg :
                {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT}) {
            const int slot = ctx.pd().slot_of(arg);
            if (slot < 0 || ctx.pd().slots()[static_cast<size_t>(slot)].use != arg_use_t::output)
                continue;
            if (void *data = ctx.output(slot)) fill_zero(ctx.pd().md_of(arg), data);
        }
        return dnnl_success;
    }

private:
    static void fill_zero(const memory_desc_t &md, void *data) {
        const tensor_t tensor(md);
        const dim_t count = element_count(md);
        if (count == 0) return;
        odometer_t at(md.ndims, md.dims, 0);
        for (dim_t i = 0; i < count; ++i, at.next())
            tensor.store(data, at.offset(tensor.layout()), 0.);
    }
};

} // namespace

refusal_t layer_normalization_empty_accept(layer_normalization_pd_t &pd) {
    return has_zero_dim(pd.src()) ? accepted() : refused("src has elements");
}

status_t layer_normalization_empty_create(
        const layer_normalization_pd_t &, std::unique_ptr<primitive_impl_t> &impl) {
    impl = std::make_unique<empty_t>();
    return dnnl_success;
}

refusal_t layer_normalization_accept(layer_normalization_pd_t &pd) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    constexpr dim_t longest_row = dim_t(1) << 48; // no memory holds it
    if (pd.cols() > longest_row) return refused("rows are too long");
    pd.set_scratchpad_size(scratchpad_size(pd));
    return accepted();
}

status_t layer_normalization_create(
        const layer_normalization_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    if (pd.is_forward())
        impl = std::make_unique<layer_normalization_fwd_t>(pd);
    else
        impl = std::make_unique<layer_normalization_bwd_t>(pd);
    return dnnl_success;
}

} // namespace kiln::cpu::reference

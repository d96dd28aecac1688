// SPDX-License-Identifier: Apache-2.0
// Inner products on the CPU: their implementations, best first.

#include "common/operations/products/inner_product_pd.hpp"
#include "cpu/matmul_inner_product.hpp"
#include "cpu/reference/products/inner_product.hpp"
#include "cpu/relaid.hpp"

namespace kiln {
namespace {

/// Src and weights are merged to matrices in one order: the smaller one is copied, or both.
refusal_t accept_relaid(inner_product_pd_t &pd, plan_ptr_t &plan) {
    using desc_t = inner_product_desc_t;
    const cpu::described_arg_t<desc_t> src{pd.src_arg(), &desc_t::src},
            weights{pd.weights_arg(), &desc_t::weights}, dst{pd.dst_arg(), &desc_t::dst};
    const cpu::described_arg_t<desc_t> tensors[] = {
            pd.m() < pd.outputs() ? weights : src, pd.m() < pd.outputs() ? src : weights, dst};
    return cpu::relaid_accept<desc_t>(
            pd, plan, tensors, cpu::relaid_to_t::first_or_row_major, "jit:matmul");
}

} // namespace

std::span<const implementation_t<inner_product_pd_t>> inner_product_pd_t::implementations() {
    static constexpr implementation_t<inner_product_pd_t> list[] = {
            {.name = "jit:matmul",
                    .accept = cpu::matmul_inner_product_accept,
                    .settles_formats = true},
            {"jit:relaid", accept_relaid},
            {"ref:any", cpu::reference::inner_product_accept},
    };
    return list;
}

} // namespace kiln

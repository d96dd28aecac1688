// SPDX-License-Identifier: Apache-2.0
// Binary operations on the CPU: their implementations, best first.

#include "common/operations/binary_pd.hpp"
#include "cpu/reference/binary.hpp"
#include "cpu/relaid.hpp"
#include "cpu/x64/binary/rows_binary.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

refusal_t accept_relaid(binary_pd_t &pd, plan_ptr_t &plan) {
    static constexpr cpu::described_arg_t<binary_desc_t> tensors[] = {
            {DNNL_ARG_DST, &binary_desc_t::dst},
            {DNNL_ARG_SRC_1, &binary_desc_t::src_1},
            {DNNL_ARG_SRC_0, &binary_desc_t::src_0},
            {DNNL_ARG_SRC_2, &binary_desc_t::src_2},
    };
    return cpu::relaid_accept<binary_desc_t>(pd, plan, tensors);
}

} // namespace

std::span<const implementation_t<binary_pd_t>> binary_pd_t::implementations() {
    using namespace cpu::reference;
    using enum x64::row_layouts_t;
    static constexpr implementation_t<binary_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::accept_elementwise<adjacent, binary_pd_t>>},
            {"jit:relaid", accept_relaid},
            {"jit:strided_rows", x64::with_kernels<x64::accept_elementwise<strided, binary_pd_t>>},
            {"ref:any", binary_accept},
    };
    return list;
}

} // namespace kiln

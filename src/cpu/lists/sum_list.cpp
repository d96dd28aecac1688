// SPDX-License-Identifier: Apache-2.0
// Sum on the CPU: its implementations, best first.

#include "common/operations/sum_pd.hpp"
#include "cpu/reference/sum.hpp"
#include "cpu/relaid.hpp"
#include "cpu/sum_passes.hpp"
#include "cpu/x64/sum/rows_sum.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

refusal_t accept_relaid(sum_pd_t &pd, plan_ptr_t &plan) {
    if (pd.srcs().size() > x64::max_summed_rows) return refused("there are more than 23 sources");
    std::vector<cpu::described_arg_t<sum_desc_t>> tensors{{DNNL_ARG_DST, &sum_desc_t::dst}};
    for (size_t i = 0; i < pd.srcs().size(); ++i)
        tensors.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), &sum_desc_t::srcs, i});
    return cpu::relaid_accept<sum_desc_t>(pd, plan, tensors);
}

refusal_t accept_passes(sum_pd_t &pd, plan_ptr_t &plan) {
    return cpu::sum_passes_accept(pd, plan, x64::max_summed_rows);
}

} // namespace

std::span<const implementation_t<sum_pd_t>> sum_pd_t::implementations() {
    using namespace cpu::reference;
    using enum x64::row_layouts_t;
    static constexpr implementation_t<sum_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::accept_elementwise<adjacent, sum_pd_t>>},
            {"jit:relaid", accept_relaid},
            {"jit:strided_rows", x64::with_kernels<x64::accept_elementwise<strided, sum_pd_t>>},
            {"jit:passes", accept_passes},
            {"ref:any", sum_accept},
    };
    return list;
}

} // namespace kiln

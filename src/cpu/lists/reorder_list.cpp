// SPDX-License-Identifier: Apache-2.0
// Reorder on the CPU: its implementations, best first.

#include "common/operations/reorder_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "cpu/compensated_reorder.hpp"
#include "cpu/half_byte_reorder.hpp"
#include "cpu/reference/reorder.hpp"
#include "cpu/relaid.hpp"
#include "cpu/runtime_problem.hpp"
#include "cpu/x64/reorder/accept.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

struct runtime_reorder_t {
    static constexpr const char *component = "reorder";
    static constexpr cpu::open_tensor_t<reorder_desc_t> tensors[] = {
            {DNNL_ARG_FROM, &reorder_desc_t::src},
            {DNNL_ARG_TO, &reorder_desc_t::dst},
    };
    static status_t check(const reorder_desc_t &desc, const primitive_attr_t &) {
        KILN_REQUIRE_EXEC(same_dims(desc.src, desc.dst), dnnl_invalid_arguments, component,
                "the memories of DNNL_ARG_FROM and DNNL_ARG_TO have different dimensions; they "
                "must be equal");
        return dnnl_success;
    }
};

refusal_t accept_runtime(reorder_pd_t &pd, plan_ptr_t &plan) {
    using impl_t = cpu::runtime_problem_t<reorder_desc_t, runtime_reorder_t>;
    return accepted_for<impl_t>(pd, plan);
}

refusal_t accept_relaid(reorder_pd_t &pd, plan_ptr_t &plan) {
    if (pd.moves_bits()) return refused("copying src would be the same problem again");
    static constexpr cpu::described_arg_t<reorder_desc_t> tensors[] = {
            {DNNL_ARG_TO, &reorder_desc_t::dst},
            {DNNL_ARG_FROM, &reorder_desc_t::src},
    };
    return cpu::relaid_accept<reorder_desc_t>(pd, plan, tensors);
}

} // namespace

std::span<const implementation_t<reorder_pd_t>> reorder_pd_t::implementations() {
    using namespace cpu::reference;
    using enum x64::row_layouts_t;
    static constexpr implementation_t<reorder_pd_t> list[] = {
            {"jit:compensated", cpu::compensated_reorder_accept},
            {"jit:nests", x64::with_kernels<x64::reorder::accept_nests>},
            {"jit:rows", x64::with_kernels<x64::accept_elementwise<adjacent, reorder_pd_t>>},
            {"jit:half_bytes", cpu::half_byte_reorder_accept},
            {"jit:relaid", accept_relaid},
            {"jit:strided_rows", x64::with_kernels<x64::accept_elementwise<strided, reorder_pd_t>>},
            {"jit:elements", x64::with_kernels<x64::reorder::accept_elements>},
            {"ref:any", reorder_accept},
            {.name = "jit:runtime", .accept = accept_runtime, .is_for_runtime_values = true},
    };
    return list;
}

} // namespace kiln

// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication on the CPU: its implementations, best first.

#include "common/operations/matmul_pd.hpp"
#include "cpu/reference/products/matmul.hpp"
#include "cpu/runtime_problem.hpp"
#include "cpu/x64/matmul/tiles_matmul.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {
namespace {

struct runtime_matmul_t {
    static constexpr const char *component = "matmul";
    static constexpr cpu::open_tensor_t<matmul_desc_t> tensors[] = {
            {DNNL_ARG_SRC, &matmul_desc_t::src},
            {DNNL_ARG_WEIGHTS, &matmul_desc_t::weights},
            {DNNL_ARG_BIAS, &matmul_desc_t::bias},
            {DNNL_ARG_DST, &matmul_desc_t::dst},
    };
    static status_t check(const matmul_desc_t &desc, const primitive_attr_t &attr) {
        return check_matmul(desc, &attr);
    }
};

refusal_t accept_runtime(matmul_pd_t &pd, plan_ptr_t &plan) {
    using impl_t = cpu::runtime_problem_t<matmul_desc_t, runtime_matmul_t>;
    return accepted_for<impl_t>(pd, plan);
}

} // namespace

std::span<const implementation_t<matmul_pd_t>> matmul_pd_t::implementations() {
    static constexpr implementation_t<matmul_pd_t> list[] = {
            {.name = "jit:tiles",
                    .accept = x64::with_kernels<x64::matmul::tiles_accept>,
                    .settles_formats = true},
            {"ref:any", cpu::reference::matmul_accept},
            {.name = "jit:runtime", .accept = accept_runtime, .is_for_runtime_values = true},
    };
    return list;
}

} // namespace kiln

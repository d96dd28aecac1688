// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication on the CPU: its implementations, best first.

#include "common/operations/matmul_pd.hpp"
#include "cpu/reference/products/matmul.hpp"
#include "cpu/relaid.hpp"
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

/// Tensors that tiles do not read or write where they are go by row-major copies, one of them if
/// that is enough.
refusal_t accept_relaid(matmul_pd_t &pd, plan_ptr_t &plan) {
    using tensor_t = cpu::described_arg_t<matmul_desc_t>;
    static constexpr tensor_t tensors[] = {{DNNL_ARG_DST, &matmul_desc_t::dst},
            {DNNL_ARG_SRC, &matmul_desc_t::src}, {DNNL_ARG_WEIGHTS, &matmul_desc_t::weights}};
    if (has_zero_dim(pd.dst()) || has_zero_dim(pd.src()))
        return refused("a tensor has no elements");
    cpu::relaid_search_t<matmul_desc_t> search(pd, tensors, "jit:tiles");
    const memory_desc_t dst = search.first();
    memory_desc_t row_major;
    if (init_by_strides(row_major, dst.ndims, dst.dims, dst.data_type, nullptr) != dnnl_success)
        return refused("dst cannot be copied");
    const auto unlike = search.unlike(row_major, 0);
    for (const tensor_t &tensor : unlike)
        if (search.accept(std::span(&tensor, 1), row_major, plan)) return accepted();
    if (unlike.size() > 1 && search.accept(unlike, row_major, plan)) return accepted();
    return refused("no kernel takes row-major copies of the tensors either");
}

} // namespace

std::span<const implementation_t<matmul_pd_t>> matmul_pd_t::implementations() {
    static constexpr implementation_t<matmul_pd_t> list[] = {
            {.name = "jit:tiles",
                    .accept = x64::with_kernels<x64::matmul::tiles_accept>,
                    .settles_formats = true},
            {"jit:relaid", accept_relaid},
            {"ref:any", cpu::reference::matmul_accept},
            {.name = "jit:runtime", .accept = accept_runtime, .is_for_runtime_values = true},
    };
    return list;
}

} // namespace kiln

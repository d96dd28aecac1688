// SPDX-License-Identifier: Apache-2.0
// Inner products on the CPU: their implementations, best first.

#include "common/operations/products/inner_product_pd.hpp"
#include "cpu/matmul_inner_product.hpp"
#include "cpu/reference/products/inner_product.hpp"

namespace kiln {

std::span<const implementation_t<inner_product_pd_t>> inner_product_pd_t::implementations() {
    static constexpr implementation_t<inner_product_pd_t> list[] = {
            {.name = "jit:matmul",
                    .accept = cpu::matmul_inner_product_accept,
                    .settles_formats = true},
            {"ref:any", cpu::reference::inner_product_accept},
    };
    return list;
}

} // namespace kiln

// SPDX-License-Identifier: Apache-2.0
// Layer normalization on the CPU: its implementations, best first.

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "cpu/reference/normalization/empty_normalization.hpp"
#include "cpu/reference/normalization/layer_normalization.hpp"
#include "cpu/reference/normalization/layer_normalization_rows.hpp"
#include "cpu/x64/layer_normalization/accept.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {

std::span<const implementation_t<layer_normalization_pd_t>>
layer_normalization_pd_t::implementations() {
    using namespace cpu::reference;
    static constexpr implementation_t<layer_normalization_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::layer_normalization::accept_rows>},
            {"jit:columns", x64::with_kernels<x64::layer_normalization::accept_columns>},
            {"ref:rows", layer_normalization_rows_accept},
            {"ref:any", layer_normalization_accept},
            {"ref:empty", empty_normalization_accept},
    };
    return list;
}

} // namespace kiln

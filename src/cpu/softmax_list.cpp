// SPDX-License-Identifier: Apache-2.0
// Softmax on the CPU: its implementations, best first.

#include "common/operations/softmax_pd.hpp"
#include "cpu/reference/softmax.hpp"
#include "cpu/x64/softmax/softmax.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {

std::span<const implementation_t<softmax_pd_t>> softmax_pd_t::implementations() {
    static constexpr implementation_t<softmax_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::softmax::accept_rows>},
            {"jit:columns", x64::with_kernels<x64::softmax::accept_columns>},
            {"ref:any", cpu::reference::softmax_accept},
    };
    return list;
}

} // namespace kiln

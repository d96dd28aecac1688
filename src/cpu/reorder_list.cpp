// SPDX-License-Identifier: Apache-2.0
// Reorder on the CPU: its implementations, best first.

#include "common/operations/reorder_pd.hpp"
#include "cpu/reference/reorder.hpp"
#include "cpu/runtime_reorder.hpp"
#include "cpu/x64/reorder/accept.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {

std::span<const implementation_t<reorder_pd_t>> reorder_pd_t::implementations() {
    using namespace cpu::reference;
    static constexpr implementation_t<reorder_pd_t> list[] = {
            {"jit:nests", x64::with_kernels<x64::reorder::accept_nests>},
            {"jit:rows", x64::with_kernels<x64::reorder::accept_rows>},
            {"ref:any", reorder_accept},
            {.name = "jit:runtime",
                    .accept = cpu::runtime_reorder_accept,
                    .is_for_runtime_values = true},
    };
    return list;
}

} // namespace kiln

// SPDX-License-Identifier: Apache-2.0
// Reduction on the CPU: its implementations, best first.

#include "common/operations/reduction_pd.hpp"
#include "cpu/reference/reduction.hpp"
#include "cpu/x64/reduction/rows_reduction.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {

std::span<const implementation_t<reduction_pd_t>> reduction_pd_t::implementations() {
    using namespace cpu::reference;
    static constexpr implementation_t<reduction_pd_t> list[] = {
            {"jit:rows", x64::with_kernels<x64::reduction::rows_reduction_accept>},
            {"ref:any", reduction_accept},
    };
    return list;
}

} // namespace kiln

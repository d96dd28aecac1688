// SPDX-License-Identifier: Apache-2.0
// Reduction on the CPU: its implementations, best first.

#include "cpu/reduction_list.hpp"

#include "cpu/reference/reduction.hpp"
#include "cpu/x64/reduction/rows_reduction.hpp"

namespace kiln::cpu {

std::span<const implementation_t<reduction_pd_t>> reduction_list() {
    using namespace reference;
    static constexpr implementation_t<reduction_pd_t> list[] = {
            {"jit:rows", x64::reduction::rows_reduction_accept},
            {"ref:any", reduction_accept},
    };
    return list;
}

} // namespace kiln::cpu

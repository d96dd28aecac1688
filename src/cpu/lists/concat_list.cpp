// SPDX-License-Identifier: Apache-2.0
// Concatenation on the CPU: its implementations, best first.

#include "common/operations/concat_pd.hpp"
#include "cpu/reordered_concat.hpp"
#include "cpu/x64/concat/nests_concat.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {

std::span<const implementation_t<concat_pd_t>> concat_pd_t::implementations() {
    static constexpr implementation_t<concat_pd_t> list[] = {
            {"jit:nests", x64::with_kernels<x64::nests_concat_accept>},
            {"jit:reorders", cpu::reordered_concat_accept},
            {"ref:any", cpu::reference_concat_accept},
    };
    return list;
}

} // namespace kiln

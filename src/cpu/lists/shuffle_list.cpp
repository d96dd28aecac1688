// SPDX-License-Identifier: Apache-2.0
// Shuffle on the CPU: its implementations, best first.

#include "common/operations/shuffle_pd.hpp"
#include "cpu/reference/shuffle.hpp"
#include "cpu/reordered_shuffle.hpp"
#include "cpu/x64/shuffle/blocked_shuffle.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {

std::span<const implementation_t<shuffle_pd_t>> shuffle_pd_t::implementations() {
    using namespace cpu::reference;
    static constexpr implementation_t<shuffle_pd_t> list[] = {
            {"jit:blocks", x64::with_kernels<x64::shuffle::blocked_shuffle_accept>},
            {"jit:nests", cpu::reordered_shuffle_accept},
            {"ref:any", shuffle_accept},
    };
    return list;
}

} // namespace kiln

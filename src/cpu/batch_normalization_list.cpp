// SPDX-License-Identifier: Apache-2.0
// Batch normalization on the CPU: its implementations, best first.

#include "cpu/batch_normalization_list.hpp"

#include "cpu/reference/batch_normalization.hpp"

namespace kiln::cpu {

std::span<const implementation_t<batch_normalization_pd_t>> batch_normalization_list() {
    using namespace reference;
    static constexpr implementation_t<batch_normalization_pd_t> list[] = {
            {"ref:any", batch_normalization_accept, batch_normalization_create},
            {"ref:empty", batch_normalization_empty_accept, batch_normalization_empty_create},
    };
    return list;
}

} // namespace kiln::cpu

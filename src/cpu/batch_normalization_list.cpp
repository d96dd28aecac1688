// SPDX-License-Identifier: Apache-2.0
// Batch normalization on the CPU: its implementations, best first.

#include "cpu/batch_normalization_list.hpp"

#include "cpu/reference/batch_normalization.hpp"
#include "cpu/x64/normalization/batch_normalization_channels.hpp"

namespace kiln::cpu {

std::span<const implementation_t<batch_normalization_pd_t>> batch_normalization_list() {
    using namespace reference;
    using namespace x64::normalization;
    static constexpr implementation_t<batch_normalization_pd_t> list[] = {
            {"jit:columns", batch_normalization_columns_accept,
                    batch_normalization_channels_create},
            {"jit:planes", batch_normalization_planes_accept, batch_normalization_channels_create},
            {"ref:any", batch_normalization_accept, batch_normalization_create},
            {"ref:empty", batch_normalization_empty_accept, batch_normalization_empty_create},
    };
    return list;
}

} // namespace kiln::cpu

// SPDX-License-Identifier: Apache-2.0
// Batch normalization on the CPU: its implementations, best first.

#include "cpu/batch_normalization_list.hpp"

#include "cpu/reference/batch_normalization.hpp"
#include "cpu/reference/empty_normalization.hpp"
#include "cpu/x64/channel_normalization/channels_accept.hpp"

namespace kiln::cpu {

std::span<const implementation_t<batch_normalization_pd_t>> batch_normalization_list() {
    using namespace reference;
    using namespace x64::channel_normalization;
    static constexpr implementation_t<batch_normalization_pd_t> list[] = {
            {"jit:channel_columns", accept_then_create<batch_normalization_pd_t,
                                            channel_columns_accept, channels_create>},
            {"jit:channel_planes", accept_then_create<batch_normalization_pd_t,
                                           channel_planes_accept, channels_create>},
            {"ref:any", batch_normalization_accept},
            {"ref:empty", empty_normalization_accept},
    };
    return list;
}

} // namespace kiln::cpu

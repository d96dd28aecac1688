// SPDX-License-Identifier: Apache-2.0
// Batch normalization on the CPU: its implementations, best first.

#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "cpu/reference/normalization/batch_normalization.hpp"
#include "cpu/reference/normalization/empty_normalization.hpp"
#include "cpu/x64/channel_normalization/channels_accept.hpp"
#include "cpu/x64/with_kernels.hpp"

namespace kiln {

std::span<const implementation_t<batch_normalization_pd_t>>
batch_normalization_pd_t::implementations() {
    using namespace cpu::reference;
    using namespace x64::channel_normalization;
    static constexpr implementation_t<batch_normalization_pd_t> list[] = {
            {"jit:columns", x64::with_kernels<accept_batch_columns>},
            {"jit:channel_columns", x64::with_kernels<accept_channels<x64::channel_rows_t::columns,
                                            batch_normalization_pd_t>>},
            {"jit:channel_planes", x64::with_kernels<accept_channels<x64::channel_rows_t::planes,
                                           batch_normalization_pd_t>>},
            {"ref:any", batch_normalization_accept},
            {"ref:empty", empty_normalization_accept},
    };
    return list;
}

} // namespace kiln

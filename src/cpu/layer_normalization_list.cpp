// SPDX-License-Identifier: Apache-2.0
// Layer normalization on the CPU: its implementations, best first.

#include "cpu/layer_normalization_list.hpp"

#include "cpu/reference/empty_normalization.hpp"
#include "cpu/reference/layer_normalization.hpp"
#include "cpu/x64/layer_normalization/layer_normalization_columns.hpp"
#include "cpu/x64/layer_normalization/layer_normalization_rows.hpp"

namespace kiln::cpu {

std::span<const implementation_t<layer_normalization_pd_t>> layer_normalization_list() {
    using namespace reference;
    static constexpr implementation_t<layer_normalization_pd_t> list[] = {
            {"jit:rows", accept_then_create<layer_normalization_pd_t,
                                 x64::layer_normalization::layer_normalization_rows_accept,
                                 x64::layer_normalization::layer_normalization_rows_create>},
            {"jit:columns", accept_then_create<layer_normalization_pd_t,
                                    x64::layer_normalization::layer_normalization_columns_accept,
                                    x64::layer_normalization::layer_normalization_columns_create>},
            {"ref:any", layer_normalization_accept},
            {"ref:empty", empty_normalization_accept},
    };
    return list;
}

} // namespace kiln::cpu

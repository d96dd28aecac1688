// SPDX-License-Identifier: Apache-2.0
// Layer normalization on the CPU: its implementations, best first.

#include "cpu/layer_normalization_list.hpp"

#include "cpu/reference/layer_normalization.hpp"

namespace kiln::cpu {

std::span<const implementation_t<layer_normalization_pd_t>> layer_normalization_list() {
    using namespace reference;
    static constexpr implementation_t<layer_normalization_pd_t> list[] = {
            {"ref:empty", layer_normalization_empty_accept, layer_normalization_empty_create},
            {"ref:any", layer_normalization_accept, layer_normalization_create},
    };
    return list;
}

} // namespace kiln::cpu

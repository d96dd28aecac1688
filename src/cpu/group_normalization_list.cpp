// SPDX-License-Identifier: Apache-2.0
// Group normalization on the CPU: its implementations, best first.

#include "cpu/group_normalization_list.hpp"

#include "cpu/reference/group_normalization.hpp"

namespace kiln::cpu {

std::span<const implementation_t<group_normalization_pd_t>> group_normalization_list() {
    using namespace reference;
    static constexpr implementation_t<group_normalization_pd_t> list[] = {
            {"ref:any", group_normalization_accept, group_normalization_create},
            {"ref:empty", group_normalization_empty_accept, group_normalization_empty_create},
    };
    return list;
}

} // namespace kiln::cpu

// SPDX-License-Identifier: Apache-2.0
// Problems of layer normalization as an example of all operations.
#pragma once

#include <string>

#include "api/description.hpp"
#include "api/descriptors.hpp"
#include "api/normalization_desc.hpp"

namespace kiln::test {

constexpr dnnl_prop_kind_t prop_kinds[] = {
        dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data};
constexpr unsigned all_flags[] = {
        dnnl_use_global_stats, dnnl_use_scale, dnnl_use_shift, dnnl_rms_norm};
const dims_t dims = {2, 3, 16};

/// Every propagation kind with every combination of flags.
inline std::vector<normalization_t> all_problems() {
    std::vector<normalization_t> result;
    for (const auto prop_kind : prop_kinds)
        for (unsigned combination = 0; combination < 16; ++combination) {
            unsigned flags = 0;
            for (unsigned bit = 0; bit < 4; ++bit)
                if (combination >> bit & 1) flags |= all_flags[bit];
            result.push_back({prop_kind, flags, dims, "bac"});
        }
    return result;
}

inline std::string name_of(const normalization_t &problem) {
    return dnnl_prop_kind2str(problem.prop_kind) + std::string(" flags ")
           + std::to_string(problem.flags);
}

} // namespace kiln::test

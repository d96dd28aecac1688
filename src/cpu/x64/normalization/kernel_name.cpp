// SPDX-License-Identifier: Apache-2.0
// How kernels of the family are called.

#include "cpu/x64/normalization/kernel_name.hpp"

#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::x64::normalization {

std::string kernel_name(
        bool is_rms, const char *pass, std::initializer_list<data_type_t> types, isa_t isa) {
    std::string name = std::string(is_rms ? "rms_norm_" : "layer_norm_") + pass;
    for (const data_type_t type : types) name += std::string("_") + dnnl_dt2str(type);
    return name + "_" + isa_name(isa);
}

} // namespace kiln::x64::normalization

// SPDX-License-Identifier: Apache-2.0
// Names of kernels.

#include "cpu/x64/jit/kernel_name.hpp"

#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::x64::jit {

std::string kernel_name(
        std::string_view what, std::initializer_list<data_type_t> types, isa_t isa) {
    std::string name(what);
    for (const data_type_t type : types) name += std::string("_") + dnnl_dt2str(type);
    return name + "_" + isa_name(isa);
}

} // namespace kiln::x64::jit

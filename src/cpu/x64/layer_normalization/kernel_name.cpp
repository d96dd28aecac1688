// SPDX-License-Identifier: Apache-2.0
// How kernels of the family are called.

#include "cpu/x64/layer_normalization/kernel_name.hpp"

#include "cpu/x64/jit/kernel_name.hpp"

namespace kiln::x64::normalization {

std::string kernel_name(
        bool is_rms, const char *pass, std::initializer_list<data_type_t> types, isa_t isa) {
    return jit::kernel_name(std::string(is_rms ? "rms_norm_" : "layer_norm_") + pass, types, isa);
}

} // namespace kiln::x64::normalization

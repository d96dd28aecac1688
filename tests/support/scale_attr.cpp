// SPDX-License-Identifier: Apache-2.0
// Quantization scales as attributes, texts and factors.
#include "support/scale_attr.hpp"

#include "support/data_type.hpp"
#include "support/handle.hpp"

namespace kiln::test {

std::string to_string(const scale_attr_t &scale) {
    return std::to_string(scale.value) + ":" + dnnl_dt2str(scale.type)
           + (scale.is_on_host ? ":host" : "");
}

void set_scale(dnnl_primitive_attr_t attr, int arg, const std::optional<scale_attr_t> &scale) {
    if (!scale) return;
    if (scale->type == dnnl_f32 && !scale->is_on_host)
        require(dnnl_primitive_attr_set_scales_mask(attr, arg, 0),
                "dnnl_primitive_attr_set_scales_mask");
    else
        require(dnnl_primitive_attr_set_scales_v2(
                        attr, arg, 0, 0, nullptr, scale->type, scale->is_on_host),
                "dnnl_primitive_attr_set_scales_v2");
}

long double factor_of(const std::optional<scale_attr_t> &scale) {
    return scale ? rounded(scale->type, scale->value) : 1;
}

} // namespace kiln::test

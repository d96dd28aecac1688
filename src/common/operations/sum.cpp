// SPDX-License-Identifier: Apache-2.0
// The C entry of sum: what a caller may ask for, and why the rest is refused.

#include "common/operations/sum_pd.hpp"

#include "common/operations/source_checks.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "sum";

status_t check_tensors(const sum_desc_t &desc) {
    const memory_desc_t &first = desc.srcs.front();
    for (size_t i = 0; i < desc.srcs.size(); ++i) {
        const std::string name = "src_" + std::to_string(i);
        KILN_TRY(check_source(component, desc.srcs[i], name.c_str()));
        KILN_TRY(check_shape(component, desc.srcs[i], name.c_str(), first));
    }
    KILN_TRY(check_shape(component, desc.dst, "dst", first));
    return check_destination(component, desc.dst);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        const memory_desc_t *dst_desc, int n, const float *scales,
        const memory_desc_t *const *src_descs, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || scales == nullptr || src_descs == nullptr
            || n <= 0)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        sum_desc_t desc;
        KILN_TRY(take_sources(component, n, src_descs, desc.srcs));
        desc.scales.assign(scales, scales + n);
        desc.dst = dst_desc ? *dst_desc : with_open_format(desc.srcs.front());
        KILN_TRY(check_tensors(desc));
        KILN_TRY(check_attr_within(component, attr, attr_t::none));
        return create_primitive_desc(primitive_desc, engine, desc, attr, nullptr);
    });
}

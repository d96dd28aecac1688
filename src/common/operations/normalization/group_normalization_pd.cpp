// SPDX-License-Identifier: Apache-2.0
// Group normalization's descriptor: its statistics, and the table of arguments.

#include "common/operations/normalization/group_normalization_pd.hpp"
#include "common/verbose/describe.hpp"

namespace kiln {

group_normalization_pd_t::group_normalization_pd_t(engine_t *engine,
        const group_normalization_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : normalization_pd_t(dnnl_group_normalization, engine, desc, attr, std::move(hint)) {}

status_t group_normalization_pd_t::init() {
    const dim_t stat_dims[] = {samples(), groups()};
    KILN_TRY(init_by_strides(stat_.edit(), 2, stat_dims, dnnl_f32, nullptr));
    KILN_TRY(init_scale_shift(channels(), dnnl_f32, dnnl_f32));
    add_slots();
    add_attr_slots();
    return dnnl_success;
}

status_t group_normalization_pd_t::resolve_formats() { return resolve_layouts(); }

status_t group_normalization_pd_t::query(query_t what, int index, void *result) const {
    if (what == dnnl_query_group_size_s64) return answer(result, groups());
    return normalization_pd_t::query(what, index, result);
}

primitive_text_t group_normalization_pd_t::text() const {
    std::string tensors = describe("src", src(), desc_.src);
    // Readers expect dst's gradient under dst's name.
    tensors += " "
               + (is_forward() ? describe("dst", dst(), desc_.dst)
                               : describe("dst", diff_dst(), desc_.diff_dst));
    if (!is_forward()) tensors += " " + describe("diff_src", diff_src(), desc_.diff_src);
    return {tensors, "flags:" + describe_normalization_flags(desc_.flags),
            "g" + std::to_string(groups()) + describe_image(src())};
}

dim_t group_normalization_pd_t::plane_size() const {
    dim_t count = 1;
    for (int d = 2; d < src_.ndims; ++d) count *= src_.dims[d];
    return count;
}

} // namespace kiln

// SPDX-License-Identifier: Apache-2.0
// What inputs of all operations have: data types, tensors, attributes.
#include "operations/readers.hpp"

#include "support/post_op_input.hpp"

namespace kiln::fuzz {

memory_desc_handle_t read_tensor(
        input_t &input, const dims_t &dims, dnnl_data_type_t type, role_t role) {
    // A type that no tensor has cannot be given a layout.
    const bool is_type = type != dnnl_boolean && dnnl_data_type_size(type) != 0;
    return read_layout(input, dims, is_type ? type : dnnl_s4, role);
}

namespace {

void add_quantization(input_t &input, dnnl_primitive_attr_t attr, size_t ndims) {
    constexpr dnnl_data_type_t float_types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST}) {
        const int any_mask = static_cast<int>(input.below(size_t(1) << std::min<size_t>(ndims, 8)));
        const int mask = input.one_in(2) ? any_mask : 0;
        if (input.one_in(3))
            dnnl_primitive_attr_set_scales(attr, arg, mask, 0, nullptr, input.pick(float_types));
        if (input.one_in(4)) dnnl_primitive_attr_set_zero_points_mask(attr, arg, mask);
    }
}

} // namespace

test::attr_handle_t read_attr(input_t &input, const dims_t &dst_dims) {
    test::attr_handle_t attr;
    if (!input.one_in(2)) return attr;
    attr = test::make_attr();
    if (input.one_in(4)) dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    if (input.one_in(2)) add_quantization(input, attr, dst_dims.size());
    test::post_ops_handle_t post_ops;
    test::require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    for (auto count = input.between(0, input.one_in(32) ? 32 : 3); count > 0; --count)
        read_post_op(input, dst_dims, false).append_to(post_ops);
    dnnl_primitive_attr_set_post_ops(attr, post_ops);
    return attr;
}

} // namespace kiln::fuzz

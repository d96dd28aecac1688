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

void add_quantization(input_t &input, dnnl_primitive_attr_t attr, int arg, size_t ndims) {
    constexpr dnnl_data_type_t scale_types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};
    constexpr dnnl_data_type_t point_types[] = {dnnl_s32, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4};
    const int any_mask = static_cast<int>(input.below(size_t(1) << std::min<size_t>(ndims, 8)));
    const int mask = input.one_in(2) ? any_mask : 0;
    // Groups along the last two axes, as those of weights are.
    const dnnl_dims_t groups = {
            input.pick<dnnl_dim_t>({1, 32, 8, 3, 64, 0}), input.pick<dnnl_dim_t>({1, 1, 32, 5})};
    const int group_ndims = arg == DNNL_ARG_WEIGHTS && input.one_in(2) ? 2 : 0;
    const auto *const group_dims = group_ndims == 0 ? nullptr : groups;
    // A host scalar is one value; masks and groups are refused.
    const auto is_on_host = [&] {
        return input.one_in(mask == 0 && group_ndims == 0 ? 4 : 32) ? 1 : 0;
    };
    if (input.one_in(3)) {
        const auto type = input.pick(scale_types);
        dnnl_primitive_attr_set_scales_v2(
                attr, arg, mask, group_ndims, group_dims, type, is_on_host());
    }
    if (input.one_in(4)) {
        const auto type = input.one_in(2) ? input.pick(point_types) : dnnl_s32;
        dnnl_primitive_attr_set_zero_points_v2(
                attr, arg, mask, group_ndims, group_dims, type, is_on_host());
    }
}

void add_dropout(input_t &input, dnnl_primitive_attr_t attr, const dims_t &dims) {
    memory_desc_handle_t mask;
    if (!input.one_in(4)) mask = read_tensor(input, dims, dnnl_u8, role_t::output);
    dnnl_primitive_attr_set_dropout_v2(
            attr, mask, input.pick({dnnl_s32, dnnl_s64}), input.one_in(2), input.one_in(4));
}

} // namespace

test::attr_handle_t read_attr(
        input_t &input, const dims_t &dst_dims, std::initializer_list<int> others) {
    test::attr_handle_t attr;
    if (!input.one_in(2)) return attr;
    attr = test::make_attr();
    if (input.one_in(4)) dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    if (input.one_in(2)) {
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST})
            add_quantization(input, attr, arg, dst_dims.size());
        for (const int arg : others) add_quantization(input, attr, arg, dst_dims.size());
    }
    if (input.one_in(8)) add_dropout(input, attr, dst_dims);
    if (input.one_in(8))
        dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST,
                input.pick({dnnl_rounding_mode_environment, dnnl_rounding_mode_stochastic}));
    if (input.one_in(8))
        dnnl_primitive_attr_set_accumulation_mode(
                attr, static_cast<dnnl_accumulation_mode_t>(input.below(7)));
    if (input.one_in(8)) dnnl_primitive_attr_set_deterministic(attr, 1);
    test::post_ops_handle_t post_ops;
    test::require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    for (auto count = input.between(0, input.one_in(32) ? 32 : 3); count > 0; --count)
        read_post_op(input, dst_dims, false).append_to(post_ops);
    dnnl_primitive_attr_set_post_ops(attr, post_ops);
    return attr;
}

} // namespace kiln::fuzz

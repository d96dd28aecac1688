// SPDX-License-Identifier: Apache-2.0
// Checks of post-ops that operations share.

#include "common/attributes/post_op_checks.hpp"

#include "common/memory/data_type.hpp"
#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

namespace {

bool broadcasts_to(const memory_desc_t &operand, const memory_desc_t &dst) {
    if (operand.ndims != dst.ndims) return false;
    for (int d = 0; d < dst.ndims; ++d)
        if (operand.dims[d] != 1 && dst.dims[d] != runtime_dim && operand.dims[d] != dst.dims[d])
            return false;
    return true;
}

} // namespace

status_t check_binary_operand(
        const char *component, const memory_desc_t &operand, const memory_desc_t &dst) {
    KILN_REQUIRE(broadcasts_to(operand, dst), dnnl_invalid_arguments, component,
            "a binary post-op's operand does not broadcast to dst; each of its dimensions must be "
            "1 or dst's");
    KILN_REQUIRE(is_blocked(operand) || is_any(operand), dnnl_unimplemented, component,
            "a binary post-op's operand is neither blocked nor of format any");
    KILN_REQUIRE(!has_runtime_values(operand), dnnl_unimplemented, component,
            "a binary post-op's operand has dimensions or strides known only at execution, which "
            "is not supported");
    KILN_REQUIRE(operand.data_type != dnnl_f64, dnnl_invalid_arguments, component,
            "a binary post-op's operand is of data type f64; f64 is not allowed");
    KILN_REQUIRE(contains(float_types | int8_types | type_set({dnnl_s32}), operand.data_type),
            dnnl_unimplemented, component,
            "a binary post-op's operand is of data type %s; supported are f32, bf16, f16, s32, s8 "
            "and u8",
            dnnl_dt2str(operand.data_type));
    return dnnl_success;
}

status_t check_prelu(
        const char *component, const prelu_post_op_t &prelu, const memory_desc_t &dst) {
    KILN_REQUIRE(prelu.mask >= 0 && prelu.mask >> dst.ndims == 0, dnnl_invalid_arguments, component,
            "the mask of a prelu post-op is %d; it must be a set of bits of dst's %d dimensions",
            prelu.mask, dst.ndims);
    return dnnl_success;
}

namespace {

status_t check_sum(const char *component, const sum_post_op_t &sum, const memory_desc_t &dst,
        sum_type_t allowed) {
    const bool is_dst_type =
            sum.data_type == dnnl_data_type_undef || sum.data_type == dst.data_type;
    KILN_REQUIRE(allowed == sum_type_t::of_same_size || is_dst_type, dnnl_unimplemented, component,
            "a sum post-op is of data type %s; supported is dst's, %s", dnnl_dt2str(sum.data_type),
            dnnl_dt2str(dst.data_type));
    KILN_REQUIRE(is_dst_type
                         || (has_element_type(sum.data_type) && has_element_type(dst.data_type)
                                 && data_type_size(sum.data_type) == data_type_size(dst.data_type)),
            dnnl_unimplemented, component,
            "a sum post-op is of data type %s; it must have the size of dst's, %s",
            dnnl_dt2str(sum.data_type), dnnl_dt2str(dst.data_type));
    return dnnl_success;
}

} // namespace

status_t check_post_ops(const char *component, const post_ops_t &post_ops, const memory_desc_t &dst,
        sum_type_t sum_type) {
    for (const post_op_t &entry : post_ops.entries) {
        const auto kind = kind_of(entry);
        KILN_REQUIRE(one_of(kind, {dnnl_sum, dnnl_eltwise, dnnl_binary, dnnl_prelu}),
                dnnl_unimplemented, component,
                "a post-op of kind %s is not supported; sum, eltwise, binary and prelu ones are",
                dnnl_prim_kind2str(kind));
        if (const auto *sum = std::get_if<sum_post_op_t>(&entry))
            KILN_TRY(check_sum(component, *sum, dst, sum_type));
        if (const auto *prelu = std::get_if<prelu_post_op_t>(&entry))
            KILN_TRY(check_prelu(component, *prelu, dst));
        const auto *binary = std::get_if<binary_post_op_t>(&entry);
        if (binary == nullptr) continue;
        for (const memory_desc_t *operand : {&binary->src1, &binary->src2}) {
            if (operand == &binary->src2 && !binary->has_src2()) continue;
            KILN_TRY(check_binary_operand(component, *operand, dst));
        }
    }
    return dnnl_success;
}

} // namespace kiln

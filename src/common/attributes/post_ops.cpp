// SPDX-License-Identifier: Apache-2.0
// Building a chain of post-ops and reading it back: the C entries of dnnl_post_ops_t.

#include "common/attributes/post_ops.hpp"

#include <algorithm>

#include "common/attributes/alg_kind.hpp"
#include "common/out_parameter.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

primitive_kind_t kind_of(const post_op_t &post_op) {
    // In the order of post_op_t's alternatives.
    constexpr primitive_kind_t kinds[] = {
            dnnl_eltwise, dnnl_sum, dnnl_binary, dnnl_convolution, dnnl_prelu};
    return kinds[post_op.index()];
}

namespace {

/// Whether the function is defined for the parameters, and its gradient by dst is.
bool eltwise_parameters_ok(alg_kind_t alg, float alpha, float beta) {
    switch (alg) {
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return beta >= alpha;
    case dnnl_eltwise_relu_use_dst_for_bwd:
    case dnnl_eltwise_elu_use_dst_for_bwd: return alpha >= 0;
    default: return true;
    }
}

status_t check_operand(const memory_desc_t *md, const char *name) {
    KILN_REQUIRE(md, dnnl_invalid_arguments, "attr",
            "the memory descriptor of %s is a null pointer", name);
    KILN_TRY(check_shape(md->ndims, md->dims, md->data_type));
    for (int d = 0; d < md->ndims; ++d)
        KILN_REQUIRE(md->dims[d] != runtime_dim, dnnl_invalid_arguments, "attr",
                "%s has dimensions known only at execution, which is not supported", name);
    return dnnl_success;
}

status_t append(post_ops_t *post_ops, const post_op_t &entry) {
    KILN_REQUIRE(post_ops->entries.size() < post_ops_t::capacity, dnnl_out_of_memory, "attr",
            "there are already %zu post-ops, as many as there may be", post_ops_t::capacity);
    return guarded([&] {
        post_ops->entries.push_back(entry);
        return dnnl_success;
    });
}

/// The entry at `index` if it is of the wanted kind.
template <typename entry_t> const entry_t *entry_at(const post_ops_t *post_ops, int index) {
    if (post_ops == nullptr || index < 0 || index >= dnnl_post_ops_len(post_ops)) return nullptr;
    return std::get_if<entry_t>(&post_ops->entries[static_cast<size_t>(index)]);
}

status_t resolve(memory_desc_t &md, const memory_desc_t &dst) {
    if (!is_any(md)) return dnnl_success;
    const auto extents = std::count_if(md.dims, md.dims + md.ndims, [](dim_t n) { return n != 1; });
    if (extents <= 1 || md.ndims != dst.ndims || has_runtime_values(dst))
        return init_by_strides(md, md.ndims, md.dims, md.data_type, nullptr);
    return init_like(md, md.ndims, md.dims, md.data_type, dst);
}

status_t describe_weights(prelu_post_op_t &prelu, const memory_desc_t &dst) {
    const auto extent = [&](int d) { return prelu.mask >> d & 1 ? dst.dims[d] : 1; };
    dims_t dims, strides;
    dim_t stride = 1;
    const auto add = [&](int d) {
        dims[d] = extent(d);
        strides[d] = stride;
        if (dims[d] == runtime_dim || stride == runtime_dim)
            stride = runtime_dim;
        else
            stride *= std::max(dims[d], dim_t(1));
    };
    if (dst.ndims > 1) add(1);
    for (int d = dst.ndims - 1; d >= 0; --d)
        if (d != 1) add(d);
    return init_by_strides(prelu.weights, dst.ndims, dims, dnnl_f32, strides);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_post_ops::resolve_formats(const memory_desc_t &dst) {
    for (post_op_t &entry : entries) {
        if (auto *prelu = std::get_if<prelu_post_op_t>(&entry))
            KILN_TRY(describe_weights(*prelu, dst));
        auto *binary = std::get_if<binary_post_op_t>(&entry);
        if (binary == nullptr) continue;
        KILN_TRY(resolve(binary->src1, dst));
        if (binary->has_src2()) KILN_TRY(resolve(binary->src2, dst));
    }
    return dnnl_success;
}

void dnnl_post_ops::adopt_formats() {
    for (post_op_t &entry : entries)
        if (auto *prelu = std::get_if<prelu_post_op_t>(&entry)) {
            prelu->weights = zero_md;
        } else if (auto *binary = std::get_if<binary_post_op_t>(&entry)) {
            binary->user_src1 = binary->src1;
            binary->user_src2 = binary->src2;
        }
}

status_t dnnl_post_ops_create(post_ops_t **post_ops) {
    if (post_ops == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *post_ops = new post_ops_t();
        return dnnl_success;
    });
}

status_t dnnl_post_ops_clone(post_ops_t **post_ops, const post_ops_t *existing_post_ops) {
    if (post_ops == nullptr || existing_post_ops == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *post_ops = new post_ops_t(*existing_post_ops);
        return dnnl_success;
    });
}

status_t dnnl_post_ops_destroy(post_ops_t *post_ops) {
    delete post_ops;
    return dnnl_success;
}

int dnnl_post_ops_len(const post_ops_t *post_ops) {
    return post_ops ? static_cast<int>(post_ops->entries.size()) : 0;
}

primitive_kind_t dnnl_post_ops_get_kind(const post_ops_t *post_ops, int index) {
    if (index < 0 || index >= dnnl_post_ops_len(post_ops)) return dnnl_undefined_primitive;
    return kind_of(post_ops->entries[static_cast<size_t>(index)]);
}

status_t dnnl_post_ops_append_sum(
        post_ops_t *post_ops, float scale, int32_t zero_point, data_type_t data_type) {
    if (post_ops == nullptr) return dnnl_invalid_arguments;
    return append(post_ops, sum_post_op_t{scale, zero_point, data_type});
}

status_t dnnl_post_ops_get_params_sum(const post_ops_t *post_ops, int index, float *scale,
        int32_t *zero_point, data_type_t *data_type) {
    const auto *entry = entry_at<sum_post_op_t>(post_ops, index);
    KILN_REQUIRE(entry, dnnl_invalid_arguments, "attr", "post-op %d is not a sum", index);
    give(scale, entry->scale), give(zero_point, entry->zero_point);
    give(data_type, entry->data_type);
    return dnnl_success;
}

status_t dnnl_post_ops_append_eltwise(
        post_ops_t *post_ops, alg_kind_t alg_kind, float alpha, float beta) {
    if (post_ops == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(is_eltwise_alg(alg_kind), dnnl_invalid_arguments, "attr",
            "algorithm 0x%x is not an eltwise one", static_cast<unsigned>(alg_kind));
    KILN_REQUIRE(eltwise_parameters_ok(alg_kind, alpha, beta), dnnl_invalid_arguments, "attr",
            "alpha %g and beta %g are outside the range of %s", static_cast<double>(alpha),
            static_cast<double>(beta), dnnl_alg_kind2str(alg_kind));
    return append(post_ops, eltwise_post_op_t{alg_kind, alpha, beta});
}

status_t dnnl_post_ops_get_params_eltwise(
        const post_ops_t *post_ops, int index, alg_kind_t *alg_kind, float *alpha, float *beta) {
    const auto *entry = entry_at<eltwise_post_op_t>(post_ops, index);
    KILN_REQUIRE(entry, dnnl_invalid_arguments, "attr", "post-op %d is not an eltwise", index);
    give(alg_kind, entry->alg), give(alpha, entry->alpha), give(beta, entry->beta);
    return dnnl_success;
}

status_t dnnl_post_ops_append_dw(post_ops_t *post_ops, data_type_t weights_data_type,
        data_type_t bias_data_type, data_type_t dst_data_type, dim_t kernel_size, dim_t stride_size,
        dim_t padding_l_size) {
    if (post_ops == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(weights_data_type != dnnl_data_type_undef && dst_data_type != dnnl_data_type_undef,
            dnnl_invalid_arguments, "attr",
            "the data types of a depthwise convolution's weights and dst must be given");
    KILN_REQUIRE(kernel_size > 0 && stride_size > 0 && padding_l_size < kernel_size,
            dnnl_invalid_arguments, "attr",
            "a depthwise convolution has kernel size %ld, stride %ld, padding %ld, which is not "
            "allowed",
            static_cast<long>(kernel_size), static_cast<long>(stride_size),
            static_cast<long>(padding_l_size));
    return append(post_ops, depthwise_post_op_t{weights_data_type, bias_data_type, dst_data_type,
                                    kernel_size, stride_size, padding_l_size});
}

status_t dnnl_post_ops_get_params_dw(const post_ops_t *post_ops, int index,
        data_type_t *weights_data_type, data_type_t *bias_data_type, data_type_t *dst_data_type,
        dim_t *kernel_size, dim_t *stride_size, dim_t *padding_l_size) {
    const auto *entry = entry_at<depthwise_post_op_t>(post_ops, index);
    KILN_REQUIRE(entry, dnnl_invalid_arguments, "attr", "post-op %d is not a depthwise convolution",
            index);
    give(weights_data_type, entry->weights_type), give(bias_data_type, entry->bias_type);
    give(dst_data_type, entry->dst_type), give(kernel_size, entry->kernel_size);
    give(stride_size, entry->stride_size), give(padding_l_size, entry->padding_l);
    return dnnl_success;
}

status_t dnnl_post_ops_append_binary(
        post_ops_t *post_ops, alg_kind_t alg_kind, const memory_desc_t *src1_desc) {
    return dnnl_post_ops_append_binary_v2(post_ops, alg_kind, src1_desc, nullptr);
}

status_t dnnl_post_ops_append_binary_v2(post_ops_t *post_ops, alg_kind_t alg_kind,
        const memory_desc_t *src1_desc, const memory_desc_t *src2_desc) {
    if (post_ops == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(is_binary_alg(alg_kind), dnnl_invalid_arguments, "attr",
            "algorithm 0x%x is not a binary one", static_cast<unsigned>(alg_kind));
    KILN_TRY(check_operand(src1_desc, "src1"));
    const bool takes_src2 = alg_kind == dnnl_binary_select;
    if (takes_src2) KILN_TRY(check_operand(src2_desc, "src2"));
    const memory_desc_t &src2 = src2_desc ? *src2_desc : zero_md;
    return append(post_ops, binary_post_op_t{alg_kind, *src1_desc, src2, *src1_desc, src2});
}

status_t dnnl_post_ops_get_params_binary(const post_ops_t *post_ops, int index,
        alg_kind_t *alg_kind, const memory_desc_t **src1_desc) {
    return dnnl_post_ops_get_params_binary_v2(post_ops, index, alg_kind, src1_desc, nullptr);
}

status_t dnnl_post_ops_get_params_binary_v2(const post_ops_t *post_ops, int index,
        alg_kind_t *alg_kind, const memory_desc_t **src1_desc, const memory_desc_t **src2_desc) {
    const auto *entry = entry_at<binary_post_op_t>(post_ops, index);
    KILN_REQUIRE(entry, dnnl_invalid_arguments, "attr", "post-op %d is not a binary", index);
    give(alg_kind, entry->alg), give(src1_desc, &entry->user_src1);
    give(src2_desc, &entry->user_src2);
    return dnnl_success;
}

status_t dnnl_post_ops_append_prelu(post_ops_t *post_ops, int mask) {
    if (post_ops == nullptr) return dnnl_invalid_arguments;
    return append(post_ops, prelu_post_op_t{mask});
}

status_t dnnl_post_ops_get_params_prelu(const post_ops_t *post_ops, int index, int *mask) {
    const auto *entry = entry_at<prelu_post_op_t>(post_ops, index);
    KILN_REQUIRE(entry, dnnl_invalid_arguments, "attr", "post-op %d is not a prelu", index);
    give(mask, entry->mask);
    return dnnl_success;
}

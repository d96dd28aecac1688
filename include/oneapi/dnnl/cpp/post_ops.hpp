// SPDX-License-Identifier: Apache-2.0
// dnnl::post_ops, operations that a primitive applies to its result before storing it. A primitive
// descriptor checks whether the implementation supports them.

#ifndef ONEAPI_DNNL_CPP_POST_OPS_HPP
#define ONEAPI_DNNL_CPP_POST_OPS_HPP

#include "oneapi/dnnl/cpp/primitive.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_post_ops_t>
    : public detail::destroyed_by<dnnl_post_ops_t, dnnl_post_ops_destroy> {};

/// A list of operations that are applied in order to each element of a result. append_ functions
/// throw if parameters are invalid or the list is full. get_params_ functions throw if there is no
/// post-op of their kind at the index.
struct post_ops : public handle<dnnl_post_ops_t> {
    using handle<dnnl_post_ops_t>::handle;

    /// An empty list.
    post_ops() {
        dnnl_post_ops_t result = nullptr;
        error::wrap_c_api(
                dnnl_post_ops_create(&result), "cannot make post-ops; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// Takes ownership of a C chain.
    post_ops(dnnl_post_ops_t ops)
        : handle<dnnl_post_ops_t>(ops) {}

    int len() const { return dnnl_post_ops_len(get()); }

    /// Throws if there is no post-op at the index.
    primitive::kind kind(int index) const {
        if (index < 0 || index >= len())
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "there is no post-op of this index");
        return static_cast<primitive::kind>(dnnl_post_ops_get_kind(get(), index));
    }

    /// Adds scale * (dst - zero_point), where dst is its previous value, read as data_type: its own
    /// type by default, or one of the same size.
    void append_sum(float scale = 1.f, int32_t zero_point = 0,
            memory::data_type data_type = memory::data_type::undef) {
        error::wrap_c_api(
                dnnl_post_ops_append_sum(get(), scale, zero_point, memory::convert_to_c(data_type)),
                "cannot append a sum post-op; ONEDNN_VERBOSE=all says why");
    }

    void get_params_sum(int index, float &scale) const {
        params_sum(index, &scale, nullptr, nullptr);
    }

    void get_params_sum(int index, float &scale, memory::data_type &data_type) const {
        dnnl_data_type_t c_data_type;
        params_sum(index, &scale, nullptr, &c_data_type);
        data_type = static_cast<memory::data_type>(c_data_type);
    }

    void get_params_sum(
            int index, float &scale, int32_t &zero_point, memory::data_type &data_type) const {
        dnnl_data_type_t c_data_type;
        params_sum(index, &scale, &zero_point, &c_data_type);
        data_type = static_cast<memory::data_type>(c_data_type);
    }

    /// Applies the elementwise function aalgorithm with its parameters alpha and beta.
    void append_eltwise(algorithm aalgorithm, float alpha, float beta) {
        error::wrap_c_api(
                dnnl_post_ops_append_eltwise(get(), convert_to_c(aalgorithm), alpha, beta),
                "cannot append an eltwise post-op; ONEDNN_VERBOSE=all says why");
    }

    void get_params_eltwise(int index, algorithm &aalgorithm, float &alpha, float &beta) const {
        dnnl_alg_kind_t c_algorithm;
        error::wrap_c_api(
                dnnl_post_ops_get_params_eltwise(get(), index, &c_algorithm, &alpha, &beta),
                "cannot get the parameters of an eltwise post-op");
        aalgorithm = static_cast<algorithm>(c_algorithm);
    }

    /// Appends a depthwise convolution to a 1x1 convolution. Without bias if its data type is
    /// undef.
    void append_dw(memory::data_type weights_data_type, memory::data_type bias_data_type,
            memory::data_type dst_data_type, memory::dim kernel_size, memory::dim stride_size,
            memory::dim padding_l_size) {
        error::wrap_c_api(
                dnnl_post_ops_append_dw(get(), memory::convert_to_c(weights_data_type),
                        memory::convert_to_c(bias_data_type), memory::convert_to_c(dst_data_type),
                        kernel_size, stride_size, padding_l_size),
                "cannot append a depthwise post-op; ONEDNN_VERBOSE=all says why");
    }

    void get_params_dw(int index, memory::data_type &weights_data_type,
            memory::data_type &bias_data_type, memory::data_type &dst_data_type,
            memory::dim &kernel_size, memory::dim &stride_size, memory::dim &padding_l_size) const {
        dnnl_data_type_t weights, bias, dst;
        error::wrap_c_api(dnnl_post_ops_get_params_dw(get(), index, &weights, &bias, &dst,
                                  &kernel_size, &stride_size, &padding_l_size),
                "cannot get the parameters of a depthwise post-op");
        weights_data_type = static_cast<memory::data_type>(weights);
        bias_data_type = static_cast<memory::data_type>(bias);
        dst_data_type = static_cast<memory::data_type>(dst);
    }

    /// Combines the result with a tensor that is passed at execution as
    /// DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_SRC_1. Its axes of extent 1 are broadcast.
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc) {
        error::wrap_c_api(
                dnnl_post_ops_append_binary(get(), convert_to_c(aalgorithm), src1_desc.get()),
                "cannot append a binary post-op; ONEDNN_VERBOSE=all says why");
    }

    /// The same with a third operand, passed as ... | DNNL_ARG_SRC_2; for binary_select.
    void append_binary(
            algorithm aalgorithm, const memory::desc &src1_desc, const memory::desc &src2_desc) {
        error::wrap_c_api(dnnl_post_ops_append_binary_v2(get(), convert_to_c(aalgorithm),
                                  src1_desc.get(), src2_desc.get()),
                "cannot append a binary post-op of three operands; ONEDNN_VERBOSE=all says why");
    }

    void get_params_binary(int index, algorithm &aalgorithm, memory::desc &src1_desc) const {
        dnnl_alg_kind_t c_algorithm;
        const_dnnl_memory_desc_t src1;
        error::wrap_c_api(dnnl_post_ops_get_params_binary(get(), index, &c_algorithm, &src1),
                "cannot get the parameters of a binary post-op");
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = memory::desc(detail::cloned(src1));
    }

    void get_params_binary(int index, algorithm &aalgorithm, memory::desc &src1_desc,
            memory::desc &src2_desc) const {
        dnnl_alg_kind_t c_algorithm;
        const_dnnl_memory_desc_t src1, src2;
        error::wrap_c_api(
                dnnl_post_ops_get_params_binary_v2(get(), index, &c_algorithm, &src1, &src2),
                "cannot get the parameters of a binary post-op of three operands");
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = memory::desc(detail::cloned(src1));
        src2_desc = memory::desc(detail::cloned(src2));
    }

    /// Multiplies elements that are not positive by weights, passed at execution as
    /// DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_WEIGHTS. Weights vary along axis i if bit i
    /// of the mask is set.
    void append_prelu(int mask) {
        error::wrap_c_api(dnnl_post_ops_append_prelu(get(), mask),
                "cannot append a prelu post-op; ONEDNN_VERBOSE=all says why");
    }

    void get_params_prelu(int index, int &mask) const {
        error::wrap_c_api(dnnl_post_ops_get_params_prelu(get(), index, &mask),
                "cannot get the parameters of a prelu post-op");
    }

private:
    void params_sum(
            int index, float *scale, int32_t *zero_point, dnnl_data_type_t *data_type) const {
        error::wrap_c_api(dnnl_post_ops_get_params_sum(get(), index, scale, zero_point, data_type),
                "cannot get the parameters of a sum post-op");
    }
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_POST_OPS_HPP

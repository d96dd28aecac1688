// SPDX-License-Identifier: Apache-2.0
// The descriptor of matrix multiplication: layouts, and the table of arguments.

#include "common/operations/matmul_pd.hpp"

#include "common/memory/type_set.hpp"
#include "common/out_parameter.hpp"
#include "common/verbose/describe.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

int extent_mask(const memory_desc_t &md, dim_t extent) {
    int mask = 0;
    for (int d = 0; d < md.ndims; ++d) mask |= (md.dims[d] == extent) << d;
    return mask;
}

/// Bit d: the extent along axis d is not 1.
int broadcast_mask(const memory_desc_t &md) { return ((1 << md.ndims) - 1) & ~extent_mask(md, 1); }

} // namespace

matmul_pd_t::matmul_pd_t(engine_t *engine, const matmul_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_matmul, engine, desc, attr, std::move(hint))
    , src_(desc.src)
    , weights_(desc.weights)
    , bias_(desc.bias)
    , dst_(desc.dst) {}

status_t matmul_pd_t::init() {
    add_slot({DNNL_ARG_SRC, arg_use_t::input, &src_, dnnl_query_src_md});
    add_slot({DNNL_ARG_WEIGHTS, arg_use_t::input, &weights_, dnnl_query_weights_md});
    if (has_bias()) add_slot({DNNL_ARG_BIAS, arg_use_t::input, &bias_, dnnl_query_weights_md, 1});
    add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_, dnnl_query_dst_md});
    add_attr_slots();
    quantization_.init(*this);
    return dnnl_success;
}

status_t matmul_pd_t::query(query_t what, int index, void *result) const {
    const memory_desc_t *const md =
            what == dnnl_query_exec_arg_md ? quantization_.find(index) : nullptr;
    return md ? answer(result, md) : primitive_desc_t::query(what, index, result);
}

status_t matmul_pd_t::resolve_formats() {
    for (memory_desc_t *md : {&src_, &weights_, &bias_, &dst_}) {
        if (!is_any(*md)) continue;
        KILN_REQUIRE(!kiln::has_runtime_values(*md), dnnl_unimplemented, "matmul",
                "a tensor of format any has dimensions known only at execution; its layout must "
                "be given");
        KILN_TRY(init_by_strides(*md, md->ndims, md->dims, md->data_type, nullptr));
    }
    return resolve_attr_formats(dst_);
}

dim_t matmul_pd_t::batch() const {
    dim_t count = 1;
    for (int d = 0; d < batch_ndims(); ++d) count *= dst_.dims[d];
    return count;
}

bool matmul_pd_t::is_integer() const {
    return contains(int8_types, src_.data_type)
           && contains(int8_types | int4_types, weights_.data_type);
}

bool matmul_pd_t::decompresses_weights() const {
    return !is_integer() && contains(int8_types | int4_types, weights_.data_type);
}

primitive_text_t matmul_pd_t::text() const {
    std::string tensors =
            describe("src", src_, desc_.src) + " " + describe("wei", weights_, desc_.weights) + " ";
    if (has_bias())
        tensors += describe("bia", bias_, desc_.bias) + "_mask"
                   + std::to_string(broadcast_mask(bias_)) + " ";
    std::string auxiliary;
    if (has_runtime_values())
        auxiliary = "runtime_dims_masks:" + std::to_string(extent_mask(src_, runtime_dim)) + ":"
                    + std::to_string(extent_mask(weights_, runtime_dim));
    return {tensors + describe("dst", dst_, desc_.dst), auxiliary,
            describe_dims(src_) + ":" + describe_dims(weights_)};
}

} // namespace kiln

// SPDX-License-Identifier: Apache-2.0
// LayerNorm and RMSNorm: layer normalization primitives in which the axes from begin_norm_axis on
// are joined into one.
#include "graph/lowering/row_norm_operands.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

/// Binds gamma and beta: scale and shift if they are vectors along the normalized axes, else
/// operands of binary post-ops.
status_t bind_weights(const op_t &op, request_t &request, layer_normalization_desc_t &desc) {
    const logical_tensor_t &src = request.tensor(op.inputs[0]);
    const dim_t cols = desc.src.dims[desc.src.ndims - 1];
    const int axis = norm_axis(op, src.ndims);
    const shape_t vector = row_shape(src, axis);
    struct row_t {
        const char *name;
        int arg;
        unsigned flag;
        alg_kind_t alg;
    };
    std::vector<std::pair<alg_kind_t, weight_t>> broadcast;
    for (const row_t &row : {row_t{"gamma", DNNL_ARG_SCALE, dnnl_use_scale, dnnl_binary_mul},
                 row_t{"beta", DNNL_ARG_SHIFT, dnnl_use_shift, dnnl_binary_add}}) {
        const logical_tensor_t *const lt = input_of(op, row.name);
        if (lt == nullptr) continue;
        weight_t weight;
        KILN_TRY(read_weight(request, *lt, src, axis, weight));
        KILN_TRY(fit_weight_to_view(request, src, axis, weight));
        const bool is_vector = std::equal(vector.begin(), vector.end(), weight.md.dims);
        if (!broadcast.empty() || !is_vector) {
            broadcast.emplace_back(row.alg, weight);
            continue;
        }
        desc.flags |= row.flag;
        desc.scale_shift_type = weight.md.data_type;
        KILN_TRY(bind_weight(request, row.arg, weight, cols));
    }
    request.desc = desc;
    for (const auto &[alg, weight] : broadcast)
        KILN_TRY(request.add_binary(alg, weight.value, *request.view(weight.md)));
    return dnnl_success;
}

} // namespace

status_t lower_row_norm(const op_t &op, request_t &request) {
    auto desc = row_norm_desc(op);
    request.view = rows_view(op, request);
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    if (output_of(op, "dst")) {
        KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst.edit()));
    } else {
        desc.dst = dense_like(desc.src, desc.src.data_type);
        request.arguments[DNNL_ARG_DST] = request.program().temporary(byte_size(desc.dst));
    }
    KILN_TRY(bind_statistics(op, request, desc, true));
    desc.prop_kind = is_zero(desc.stat) ? dnnl_forward_inference : dnnl_forward_training;
    if (is_zero(desc.stat)) desc.stat = dense_statistics(desc.src, dnnl_f32);
    return bind_weights(op, request, desc);
}

} // namespace kiln::graph

// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors as the text of verbose lines: what each operation shows, and in which
// order.

#include <cassert>

#include "common/attributes/alg_kind.hpp"
#include "common/operations/batch_normalization_pd.hpp"
#include "common/operations/group_normalization_pd.hpp"
#include "common/operations/layer_normalization_pd.hpp"
#include "common/operations/reduction_pd.hpp"
#include "common/operations/reorder_pd.hpp"
#include "common/verbose/describe.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

namespace {

/// The fields that differ by operation.
struct operation_text_t {
    std::string tensors;
    std::string auxiliary;
    std::string problem;
};

std::string described(const char *name, const memory_desc_t &md, const memory_desc_t &user_md) {
    return describe(md, name, user_md.format_kind);
}

/// A tensor whose format the user cannot leave open, or not so that it would show.
std::string described(const char *name, const memory_desc_t &md) { return described(name, md, md); }

std::string described_gradients(const layer_normalization_pd_t &pd) {
    std::string text = " " + described("diff_src", pd.diff_src(), pd.desc().diff_src);
    if (pd.uses_scale()) text += " " + described("diff_scale", pd.diff_scale_shift());
    if (pd.uses_shift()) text += " " + described("diff_shift", pd.diff_scale_shift());
    return text;
}

/// What only fusions have.
std::string described_fused(const layer_normalization_pd_t &pd) {
    std::string text;
    if (pd.has_src_1()) text += " " + described("src_1", pd.src_1(), pd.desc().src_1);
    if (pd.has_sum()) text += " " + described("sum", pd.sum(), pd.desc().sum);
    if (pd.has_row_scale())
        text += " " + described("row_scale", pd.row_scale(), pd.desc().row_scale);
    return text;
}

operation_text_t operation_text(const layer_normalization_pd_t &pd) {
    const auto &desc = pd.desc();
    const bool has_stats = pd.reads_stats() || pd.writes_stats();
    std::string tensors = described("src", pd.src(), desc.src);
    // Readers expect dst's gradient under dst's name.
    tensors += " "
               + (pd.is_forward() ? described("dst", pd.dst(), desc.dst)
                                  : described("dst", pd.diff_dst(), desc.diff_dst));
    tensors += " " + described("stats", has_stats ? pd.stat() : zero_md);
    if (pd.uses_scale()) tensors += " " + described("scale", pd.scale_shift());
    if (pd.uses_shift()) tensors += " " + described("shift", pd.scale_shift());
    if (!pd.is_forward()) tensors += described_gradients(pd);
    tensors += described_fused(pd);
    std::string auxiliary = "flags:" + describe_normalization_flags(desc.flags);
    if (desc.recomputes_stats) auxiliary += " recomputes_stats";
    return {tensors, auxiliary, describe_dims(pd.src())};
}

operation_text_t operation_text(const batch_normalization_pd_t &pd) {
    const auto &desc = pd.desc();
    std::string tensors = described("data", pd.src(), desc.src);
    if (!pd.is_forward()) tensors += " " + described("diff", pd.diff_src(), desc.diff_src);
    if (pd.has_relu_operand())
        tensors += " " + described("relu_operand", pd.relu_operand(), desc.relu_operand);
    return {tensors, "flags:" + describe_normalization_flags(desc.flags), describe_image(pd.src())};
}

operation_text_t operation_text(const group_normalization_pd_t &pd) {
    const auto &desc = pd.desc();
    std::string tensors = described("src", pd.src(), desc.src);
    // Readers expect dst's gradient under dst's name.
    tensors += " "
               + (pd.is_forward() ? described("dst", pd.dst(), desc.dst)
                                  : described("dst", pd.diff_dst(), desc.diff_dst));
    if (!pd.is_forward()) tensors += " " + described("diff_src", pd.diff_src(), desc.diff_src);
    return {tensors, "flags:" + describe_normalization_flags(desc.flags),
            "g" + std::to_string(pd.groups()) + describe_image(pd.src())};
}

int runtime_dim_mask(const memory_desc_t &md) {
    int mask = 0;
    for (int d = 0; d < md.ndims; ++d) mask |= (md.dims[d] == runtime_dim) << d;
    return mask;
}

operation_text_t operation_text(const reorder_pd_t &pd) {
    const bool is_open = has_runtime_values(pd.src()) || has_runtime_values(pd.dst());
    return {described("src", pd.src()) + " " + described("dst", pd.dst()),
            is_open ? "runtime-dim-mask:" + std::to_string(runtime_dim_mask(pd.src())) : "",
            describe_dims(pd.src())};
}

operation_text_t operation_text(const reduction_pd_t &pd) {
    const auto &desc = pd.desc();
    std::string auxiliary = std::string("alg:") + dnnl_alg_kind2str(desc.alg);
    if (is_norm_alg(desc.alg))
        auxiliary += " p:" + describe_number(desc.p) + " eps:" + describe_number(desc.epsilon);
    return {described("src", pd.src()) + " " + described("dst", pd.dst(), desc.dst), auxiliary,
            describe_dims(pd.src()) + ":" + describe_dims(pd.dst())};
}

operation_text_t operation_text(const primitive_desc_t &pd) {
    switch (pd.kind()) {
    case dnnl_batch_normalization:
        return operation_text(static_cast<const batch_normalization_pd_t &>(pd));
    case dnnl_group_normalization:
        return operation_text(static_cast<const group_normalization_pd_t &>(pd));
    case dnnl_layer_normalization:
        return operation_text(static_cast<const layer_normalization_pd_t &>(pd));
    case dnnl_reduction: return operation_text(static_cast<const reduction_pd_t &>(pd));
    case dnnl_reorder: return operation_text(static_cast<const reorder_pd_t &>(pd));
    default: assert(!"an operation without a text"); return {};
    }
}

} // namespace

std::string describe_normalization_flags(unsigned flags) {
    struct letter_t {
        unsigned flag;
        char letter;
    };
    constexpr letter_t letters[] = {
            {dnnl_use_global_stats, 'G'},
            {dnnl_use_scale, 'C'},
            {dnnl_use_shift, 'H'},
            {dnnl_fuse_norm_relu, 'R'},
            {dnnl_fuse_norm_add_relu, 'A'},
            {dnnl_rms_norm, 'M'},
    };
    std::string text;
    for (const letter_t &row : letters)
        if (flags & row.flag) text += row.letter;
    return text;
}

std::string describe(const primitive_desc_t &pd) {
    const operation_text_t text = operation_text(pd);
    std::string line;
    for (const std::string &field : {std::string(dnnl_engine_kind2str(pd.engine()->kind())),
                 std::string(dnnl_prim_kind2str(pd.kind())), std::string(pd.implementation_name()),
                 std::string(dnnl_prop_kind2str(pd.prop_kind())), text.tensors, describe(pd.attr()),
                 text.auxiliary, text.problem})
        line += (line.empty() ? "" : ",") + field;
    return line;
}

} // namespace kiln

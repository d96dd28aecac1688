// SPDX-License-Identifier: Apache-2.0
// Attributes as the text of verbose lines.

#include <charconv>

#include "common/fields.hpp"
#include "common/verbose/describe.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

namespace {

std::string number(float value) { return describe_number(value); }

std::string number(dim_t value) { return std::to_string(value); }

/// Parts with a separator between them.
class list_t {
public:
    explicit list_t(char separator)
        : separator_(separator) {}
    void add(const std::string &part) {
        if (!text_.empty()) text_ += separator_;
        text_ += part;
    }
    const std::string &text() const { return text_; }

private:
    char separator_;
    std::string text_;
};

/// "src0", "wei", "msrc3", "attr_post_op_dw_dst".
std::string argument_name(int arg) {
    if (arg & DNNL_ARG_MULTIPLE_SRC) return "msrc" + number(dim_t{arg - DNNL_ARG_MULTIPLE_SRC});
    switch (arg) {
    case DNNL_ARG_SRC_0: return "src0";
    case DNNL_ARG_SRC_1: return "src1";
    case DNNL_ARG_SRC_2: return "src2";
    case DNNL_ARG_DST: return "dst";
    case DNNL_ARG_WEIGHTS_0:
    case DNNL_ARG_WEIGHTS_1:
    case DNNL_ARG_WEIGHTS_2: return "wei";
    case DNNL_ARG_DIFF_SRC: return "diff_src";
    case DNNL_ARG_DIFF_WEIGHTS: return "diff_wei";
    case DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC: return "attr_post_op_dw_src";
    case DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST: return "attr_post_op_dw_dst";
    case DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS: return "attr_post_op_dw_wei";
    default: return "arg" + number(dim_t{arg});
    }
}

std::string describe(const quantization_t &quantization) {
    std::string text = number(dim_t{quantization.mask}) + ":" + dnnl_dt2str(quantization.data_type);
    if (quantization.group_ndims > 0)
        text += ":" + number(quantization.group_dims[0]) + "x" + number(quantization.group_dims[1]);
    if (quantization.on_host) text += ":host_scalar";
    if (quantization.mode != dnnl_quantization_mode_static_sazp)
        text += std::string(":") + dnnl_quantization_mode2str(quantization.mode);
    return text;
}

std::string describe(const quantization_map_t &map) {
    list_t list('+');
    for (const auto &[arg, quantization] : map)
        list.add(argument_name(arg) + ":" + describe(quantization));
    return list.text();
}

std::string describe(const std::map<int, dnnl_rounding_mode_t> &rounding) {
    list_t list('+');
    for (const auto &[arg, mode] : rounding)
        if (mode != dnnl_rounding_mode_environment)
            list.add(argument_name(arg) + ":" + dnnl_rounding_mode2str(mode));
    return list.text();
}

/// Which axes an operand has, one bit each; the others are broadcast.
int broadcast_mask(const memory_desc_t &md) {
    int mask = 0;
    for (int d = 0; d < md.ndims; ++d) mask |= (md.dims[d] != 1) << d;
    return mask;
}

/// ":TAG" of a tensor whose order of axes matters.
std::string order_suffix(const memory_desc_t &user_md, const memory_desc_t &md) {
    const int mask = broadcast_mask(user_md);
    if (is_any(user_md)) return ":any";
    if (!is_blocked(user_md) || (mask & (mask - 1)) == 0) return "";
    return ":" + describe_layout(md);
}

/// Trailing parameters; a parameter is left out if it and all after it have their defaults.
struct parameter_t {
    std::string text;
    bool is_default;
};
std::string trailing(std::initializer_list<parameter_t> parameters) {
    std::string shown;
    std::string held_back;
    for (const parameter_t &parameter : parameters) {
        held_back += ":" + parameter.text;
        if (parameter.is_default) continue;
        shown += held_back;
        held_back.clear();
    }
    return shown;
}

std::string describe(const eltwise_post_op_t &op) {
    return dnnl_alg_kind2str(op.alg) + std::string(op.is_derivative ? "_derivative" : "")
           + trailing({{number(op.alpha), op.alpha == 0.f}, {number(op.beta), op.beta == 0.f}});
}

std::string describe(const sum_post_op_t &op) {
    return "sum"
           + trailing({{number(op.scale), op.scale == 1.f},
                   {number(dim_t{op.zero_point}), op.zero_point == 0},
                   {dnnl_dt2str(op.data_type), op.data_type == dnnl_data_type_undef}});
}

std::string describe(const binary_post_op_t &op) {
    const memory_desc_t &user_md = op.user_src1;
    std::string text = std::string(dnnl_alg_kind2str(op.alg)) + ":" + dnnl_dt2str(user_md.data_type)
                       + ":" + number(dim_t{broadcast_mask(user_md)});
    const std::string order = order_suffix(user_md, op.src1);
    if (order.empty() || is_any(user_md)) return text + order;
    const std::string strides = describe_gaps(op.src1);
    return text + order + (strides.empty() ? "" : ":" + strides);
}

std::string describe(const depthwise_post_op_t &op) {
    const bool is_quantized = op.weights_type == dnnl_s8 || op.dst_type != dnnl_f32;
    return "dw:k" + number(op.kernel_size) + "s" + number(op.stride_size) + "p"
           + number(op.padding_l)
           + (is_quantized ? std::string(":") + dnnl_dt2str(op.dst_type) : "");
}

std::string describe(const prelu_post_op_t &op) { return "prelu:" + number(dim_t{op.mask}); }

std::string describe(const post_ops_t &post_ops) {
    list_t list('+');
    for (const post_op_t &entry : post_ops.entries)
        list.add(std::visit([](const auto &op) { return describe(op); }, entry));
    return list.text();
}

// From here on a default gives an empty text.
std::string describe(const fpmath_t &fpmath) {
    if (same(fpmath, fpmath_t())) return "";
    return dnnl_fpmath_mode2str(fpmath.mode) + std::string(fpmath.apply_to_int ? ":true" : "");
}

std::string describe(dnnl_scratchpad_mode_t mode) {
    return mode == dnnl_scratchpad_mode_library ? "" : dnnl_scratchpad_mode2str(mode);
}

std::string describe(dnnl_accumulation_mode_t mode) {
    return mode == dnnl_accumulation_mode_strict ? "" : dnnl_accumulation_mode2str(mode);
}

std::string describe(const rnn_data_qparams_t &qparams) {
    if (same(qparams, rnn_data_qparams_t())) return "";
    return number(qparams.scale) + ":" + number(qparams.shift) + ";";
}

std::string describe(const dropout_t &dropout) {
    if (!dropout.requested) return "";
    return (is_zero(dropout.user_mask) ? ":undef" : order_suffix(dropout.user_mask, dropout.mask))
           + ":" + dnnl_dt2str(dropout.seed_type) + ":" + number(dim_t{dropout.use_offset}) + ":"
           + number(dim_t{dropout.use_host_scalars});
}

/// "4:statistics+weight_gradients"
std::string describe(const ranks_t &ranks) {
    if (!ranks.is_set()) return "";
    list_t list('+');
    if (ranks.combined & kiln_combine_statistics) list.add("statistics");
    if (ranks.combined & kiln_combine_weight_gradients) list.add("weight_gradients");
    return number(dim_t{ranks.count}) + ":" + list.text();
}

} // namespace

std::string describe_number(float value) {
    char digits[32];
    const auto end =
            std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::general, 6)
                    .ptr;
    return std::string(digits, end);
}

std::string describe(const primitive_attr_t &attr) {
    list_t list(' ');
    const auto add = [&](const char *key, const std::string &value) {
        if (!value.empty()) list.add(key + value);
    };
    add("attr-scratchpad:", describe(attr.scratchpad_mode));
    add("attr-fpmath:", describe(attr.fpmath));
    add("attr-acc-mode:", describe(attr.accumulation_mode));
    add("attr-rounding-mode:", describe(attr.rounding));
    add("attr-deterministic:", attr.deterministic ? "1" : "");
    add("attr-scales:", describe(attr.scales));
    add("attr-zero-points:", describe(attr.zero_points));
    add("attr-precomputed-reductions:", describe(attr.precomputed_reductions));
    add("attr-post-ops:", describe(attr.post_ops));
    add("rnn_data_qparams:", describe(attr.rnn_data_qparams));
    add("attr-dropout", describe(attr.dropout));
    add("attr-ranks:", describe(attr.ranks));
    return list.text();
}

} // namespace kiln

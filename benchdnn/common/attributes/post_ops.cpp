// SPDX-License-Identifier: Apache-2.0
// Post-operations as --attr-post-ops spells them.
#include "common/attributes/post_ops.hpp"

#include <algorithm>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn {

namespace {

using kind_t = post_op_t::kind_t;

struct post_op_row_t {
    const char *name;
    kind_t kind;
    dnnl_alg_kind_t algorithm;
};

constexpr post_op_row_t post_op_table[] = {
        {"sum", kind_t::sum, dnnl_alg_kind_undef},
        {"dw", kind_t::depthwise, dnnl_convolution_direct},
        {"prelu", kind_t::prelu, dnnl_alg_kind_undef},
        {"abs", kind_t::eltwise, dnnl_eltwise_abs},
        {"clip", kind_t::eltwise, dnnl_eltwise_clip},
        {"clip_v2", kind_t::eltwise, dnnl_eltwise_clip_v2},
        {"clip_v2_dst", kind_t::eltwise, dnnl_eltwise_clip_v2_use_dst_for_bwd},
        {"elu", kind_t::eltwise, dnnl_eltwise_elu},
        {"elu_dst", kind_t::eltwise, dnnl_eltwise_elu_use_dst_for_bwd},
        {"exp", kind_t::eltwise, dnnl_eltwise_exp},
        {"exp_dst", kind_t::eltwise, dnnl_eltwise_exp_use_dst_for_bwd},
        {"gelu_erf", kind_t::eltwise, dnnl_eltwise_gelu_erf},
        {"gelu_tanh", kind_t::eltwise, dnnl_eltwise_gelu_tanh},
        {"hardsigmoid", kind_t::eltwise, dnnl_eltwise_hardsigmoid},
        {"hardswish", kind_t::eltwise, dnnl_eltwise_hardswish},
        {"linear", kind_t::eltwise, dnnl_eltwise_linear},
        {"log", kind_t::eltwise, dnnl_eltwise_log},
        {"logistic", kind_t::eltwise, dnnl_eltwise_logistic},
        {"logistic_dst", kind_t::eltwise, dnnl_eltwise_logistic_use_dst_for_bwd},
        {"mish", kind_t::eltwise, dnnl_eltwise_mish},
        {"pow", kind_t::eltwise, dnnl_eltwise_pow},
        {"relu", kind_t::eltwise, dnnl_eltwise_relu},
        {"relu_dst", kind_t::eltwise, dnnl_eltwise_relu_use_dst_for_bwd},
        {"round", kind_t::eltwise, dnnl_eltwise_round},
        {"sqrt", kind_t::eltwise, dnnl_eltwise_sqrt},
        {"sqrt_dst", kind_t::eltwise, dnnl_eltwise_sqrt_use_dst_for_bwd},
        {"square", kind_t::eltwise, dnnl_eltwise_square},
        {"soft_relu", kind_t::eltwise, dnnl_eltwise_soft_relu},
        {"srelu", kind_t::eltwise, dnnl_eltwise_soft_relu},
        {"swish", kind_t::eltwise, dnnl_eltwise_swish},
        {"tanh", kind_t::eltwise, dnnl_eltwise_tanh},
        {"tanh_dst", kind_t::eltwise, dnnl_eltwise_tanh_use_dst_for_bwd},
        {"add", kind_t::binary, dnnl_binary_add},
        {"div", kind_t::binary, dnnl_binary_div},
        {"eq", kind_t::binary, dnnl_binary_eq},
        {"ge", kind_t::binary, dnnl_binary_ge},
        {"gt", kind_t::binary, dnnl_binary_gt},
        {"le", kind_t::binary, dnnl_binary_le},
        {"lt", kind_t::binary, dnnl_binary_lt},
        {"max", kind_t::binary, dnnl_binary_max},
        {"min", kind_t::binary, dnnl_binary_min},
        {"mul", kind_t::binary, dnnl_binary_mul},
        {"ne", kind_t::binary, dnnl_binary_ne},
        {"select", kind_t::binary, dnnl_binary_select},
        {"sub", kind_t::binary, dnnl_binary_sub},
};

// Both the short names and the library's own (eltwise_relu, binary_add).
std::string short_name(const std::string &name) {
    std::string text = lowercase(name);
    for (const std::string prefix : {"eltwise_", "binary_"})
        if (text.rfind(prefix, 0) == 0) text.erase(0, prefix.size());
    const std::string long_suffix = "_use_dst_for_bwd";
    const size_t at = text.find(long_suffix);
    if (at != std::string::npos) text.replace(at, long_suffix.size(), "_dst");
    return text;
}

const post_op_row_t &row_named(const std::string &name) {
    for (const post_op_row_t &row : post_op_table)
        if (short_name(name) == row.name) return row;
    const std::string close = nearest_spelling(name, post_op_names());
    throw bad_value_t(
            name, close.empty() ? "not a post-op" : "not a post-op; did you mean " + close + "?");
}

dnnl_data_type_t operand_type(const std::string &name) {
    const dnnl_data_type_t type = parse_data_type(name);
    if (type == dnnl_data_type_undef) throw bad_value_t(name, "a real data type is expected");
    return type;
}

// The pieces of one post-op after its name, taken from the front.
class pieces_t {
public:
    pieces_t(const std::string &text, char delimiter)
        : text_(text)
        , left_(split(text, delimiter)) {}
    bool empty() const { return next_ == left_.size(); }
    const std::string &take() { return left_[next_++]; }
    void finish() const {
        if (!empty())
            throw bad_value_t(text_, "nothing is expected from '" + left_[next_] + "' on");
    }

private:
    std::string text_;
    std::vector<std::string> left_;
    size_t next_ = 0;
};

float parse_f32(const std::string &text) { return static_cast<float>(parse_number(text, all_f32)); }

void parse_sum(post_op_t &op, pieces_t &pieces) {
    if (!pieces.empty()) op.sum_scale = parse_f32(pieces.take());
    if (!pieces.empty()) op.sum_zero_point = static_cast<int>(parse_number(pieces.take(), all_s32));
    if (!pieces.empty()) op.data_type = operand_type(pieces.take());
}

void parse_eltwise(post_op_t &op, pieces_t &pieces) {
    if (!pieces.empty()) op.alpha = parse_f32(pieces.take());
    if (!pieces.empty()) op.beta = parse_f32(pieces.take());
    // oneDNN's batch files have a third number, which its driver does not use either.
    if (!pieces.empty()) parse_f32(pieces.take());
}

void parse_operand(post_op_t &op, pieces_t &pieces, const std::string &text) {
    if (pieces.empty()) throw bad_value_t(text, "a binary post-op needs its operand's data type");
    op.data_type = operand_type(pieces.take());
    if (!pieces.empty()) op.broadcast = parse_broadcast(pieces.take());
    if (!pieces.empty()) op.tag = parse_tag(pieces.take());
    if (!pieces.empty()) op.strides = parse_dims(pieces.take());
}

void parse_depthwise(post_op_t &op, pieces_t &pieces, const std::string &text) {
    const std::string sizes = pieces.empty() ? "" : pieces.take();
    const size_t s = sizes.find('s'), p = sizes.find('p');
    if (sizes.empty() || sizes[0] != 'k' || s == std::string::npos || p == std::string::npos
            || p < s)
        throw bad_value_t(text, "dw:kKsSpP is expected");
    constexpr integers_t from_1{1, INT32_MAX}, from_0{0, INT32_MAX};
    op.kernel = static_cast<int>(parse_number(sizes.substr(1, s - 1), from_1));
    op.stride = static_cast<int>(parse_number(sizes.substr(s + 1, p - s - 1), from_1));
    op.padding = static_cast<int>(parse_number(sizes.substr(p + 1), from_0));
    if (!pieces.empty()) op.data_type = operand_type(pieces.take());
}

post_op_t parse_post_op(const std::string &text) {
    const std::string name = text.substr(0, text.find_first_of(":."));
    const post_op_row_t &row = row_named(name);
    post_op_t op;
    op.kind = row.kind;
    op.algorithm = row.algorithm;
    std::string rest = text.size() > name.size() ? text.substr(name.size() + 1) : "";
    // select has two operands: DT[.MASK[.TAG]][:MASK[.TAG]]; the second is always a whole s8
    // tensor.
    const bool is_select = op.has_condition();
    if (is_select) rest = rest.substr(0, rest.find(':'));
    pieces_t pieces(rest, is_select ? '.' : ':');
    if (rest.empty()) pieces.take();
    switch (op.kind) {
    case kind_t::sum: parse_sum(op, pieces); break;
    case kind_t::eltwise: parse_eltwise(op, pieces); break;
    case kind_t::binary: parse_operand(op, pieces, text); break;
    case kind_t::prelu:
        if (!pieces.empty()) op.broadcast = parse_broadcast(pieces.take());
        break;
    case kind_t::depthwise: parse_depthwise(op, pieces, text); break;
    }
    pieces.finish();
    return op;
}

} // namespace

bool post_ops_t::has(kind_t kind) const {
    return std::any_of(
            chain.begin(), chain.end(), [=](const post_op_t &op) { return op.kind == kind; });
}

dnnl_data_type_t post_ops_t::sum_type() const {
    for (const post_op_t &op : chain)
        if (op.kind == post_op_t::kind_t::sum) return op.data_type;
    return dnnl_data_type_undef;
}

post_ops_t parse_post_ops(const std::string &text) {
    post_ops_t ops;
    ops.text = text;
    if (text.empty()) return ops;
    for (const std::string &piece : split(text, '+')) ops.chain.push_back(parse_post_op(piece));
    return ops;
}

algorithm_t parse_algorithm(const std::string &text, kind_t kind) {
    const post_op_row_t &row = row_named(text);
    if (row.kind == kind) return {row.algorithm, row.name};
    std::vector<std::string> names;
    for (const post_op_row_t &other : post_op_table)
        if (other.kind == kind) names.push_back(other.name);
    throw bad_value_t(text, "one of " + join(names, ", ") + " is expected", names);
}

std::vector<std::string> post_op_names() {
    std::vector<std::string> names;
    for (const post_op_row_t &row : post_op_table) names.push_back(row.name);
    return names;
}

} // namespace benchdnn

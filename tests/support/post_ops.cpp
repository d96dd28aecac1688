// SPDX-License-Identifier: Apache-2.0
// Builds chains of post-ops and their operands.
#include "support/post_ops.hpp"

#include <cmath>

#include "support/post_op_functions.hpp"
#include "support/random_values.hpp"

namespace kiln::test {

namespace {

int argument_of(size_t entry, int role) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(entry)) | role;
}

bool is_select(const post_op_t &op) { return op.alg == dnnl_binary_select; }

std::vector<double> operand_values(int64_t count, dnnl_data_type_t type, uint64_t seed) {
    random_values_t random(seed);
    const bool whole = type == dnnl_s8 || type == dnnl_u8 || type == dnnl_s32;
    auto values = random.many(count, 0.5, 3.5);
    for (auto &value : values) {
        if (whole) value = std::round(value);
        if (type != dnnl_u8 && random.between(0, 1) < 0.5) value = -value;
    }
    return values;
}

std::vector<double> conditions(int64_t count, uint64_t seed) {
    std::vector<double> values(static_cast<size_t>(count));
    for (size_t at = 0; at < values.size(); ++at) values[at] = static_cast<double>((at + seed) % 3);
    return values;
}

/// Undefined for no descriptor.
dnnl_data_type_t type_of(const_dnnl_memory_desc_t desc) {
    dnnl_data_type_t type = dnnl_data_type_undef;
    if (desc) require(dnnl_memory_desc_query(desc, dnnl_query_data_type, &type), "data type");
    return type;
}

} // namespace

dims_t post_op_t::operand_dims(const dims_t &dst_dims) const {
    dims_t dims = dst_dims;
    for (size_t axis = 0; axis < dims.size(); ++axis)
        if (!(mask >> axis & 1)) dims[axis] = 1;
    return dims;
}

std::string to_string(const post_op_chain_t &chain) {
    std::string text;
    for (const auto &op : chain) {
        text += text.empty() ? "" : " ";
        if (op.is_prelu) {
            text += "prelu:" + std::to_string(op.mask);
            continue;
        }
        text += dnnl_alg_kind2str(op.alg);
        if (op.is_binary())
            text += ":" + std::string(dnnl_dt2str(op.type)) + ":" + std::to_string(op.mask) + ":"
                    + op.format;
        else
            text += ":" + std::to_string(op.alpha) + ":" + std::to_string(op.beta);
    }
    return text;
}

post_ops_handle_t make_post_ops(const post_op_chain_t &chain, const dims_t &dst_dims) {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    for (const auto &op : chain) {
        if (op.is_prelu) {
            require(dnnl_post_ops_append_prelu(post_ops, op.mask), "dnnl_post_ops_append_prelu");
            continue;
        }
        if (!op.is_binary()) {
            require(dnnl_post_ops_append_eltwise(post_ops, op.alg, op.alpha, op.beta),
                    "dnnl_post_ops_append_eltwise " + to_string(chain));
            continue;
        }
        const auto src1 = make_desc(op.operand_dims(dst_dims), op.type, op.format);
        const auto condition = make_desc(dst_dims, dnnl_s8, op.format);
        require(is_select(op) ? dnnl_post_ops_append_binary_v2(post_ops, op.alg, src1, condition)
                              : dnnl_post_ops_append_binary(post_ops, op.alg, src1),
                "dnnl_post_ops_append_binary " + to_string(chain));
    }
    return post_ops;
}

post_op_operands_t::post_op_operands_t(const post_op_chain_t &chain,
        const_dnnl_primitive_desc_t primitive_desc, bindings_t &bindings, uint64_t seed)
    : chain_(chain)
    , dst_type_(type_of(
              dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_exec_arg_md, DNNL_ARG_DST))) {
    for (size_t entry = 0; entry < chain_.size(); ++entry) {
        if (chain_[entry].is_prelu)
            add_operand(entry, DNNL_ARG_WEIGHTS, primitive_desc, bindings, seed + entry);
        if (!chain_[entry].is_binary()) continue;
        add_operand(entry, DNNL_ARG_SRC_1, primitive_desc, bindings, seed + entry);
        if (is_select(chain_[entry]))
            add_operand(entry, DNNL_ARG_SRC_2, primitive_desc, bindings, seed + entry);
    }
}

void post_op_operands_t::add_operand(size_t entry, int role,
        const_dnnl_primitive_desc_t primitive_desc, bindings_t &bindings, uint64_t seed) {
    const int arg = argument_of(entry, role);
    const auto *const desc =
            dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_exec_arg_md, arg);
    if (!desc) throw std::runtime_error("a post-op's operand has no descriptor");
    const layout_t layout(desc);
    const int64_t count = volume(layout.dims());
    const auto values = role == DNNL_ARG_SRC_2 ? conditions(count, seed)
                                               : operand_values(count, layout.type(), seed);
    const auto &tensor =
            bindings.add_input(arg, "operand of post-op " + std::to_string(entry), desc, values);
    operands_.push_back({entry, role, layout.dims(), tensor.values()});
}

double post_op_operands_t::value_of(size_t entry, int role, const dims_t &index) const {
    for (const auto &operand : operands_) {
        if (operand.entry != entry || operand.role != role) continue;
        size_t position = 0;
        for (size_t axis = 0; axis < index.size(); ++axis) {
            const auto extent = operand.dims[axis];
            position = position * static_cast<size_t>(extent)
                       + static_cast<size_t>(extent == 1 ? 0 : index[axis]);
        }
        return operand.values[position];
    }
    throw std::logic_error("a post-op has no such operand");
}

interval_t post_op_operands_t::apply(interval_t value, const dims_t &index) const {
    for (size_t entry = 0; entry < chain_.size(); ++entry) {
        const auto &op = chain_[entry];
        if (op.is_prelu) {
            value = prelu(value, value_of(entry, DNNL_ARG_WEIGHTS, index));
            continue;
        }
        if (!op.is_binary()) {
            value = eltwise(op.alg, op.alpha, op.beta, value);
            if (entry + 1 == chain_.size()) value = before_rounding(value, op.alg, dst_type_);
            continue;
        }
        const double src1 = value_of(entry, DNNL_ARG_SRC_1, index);
        if (is_select(op))
            value = value_of(entry, DNNL_ARG_SRC_2, index) != 0 ? value : interval_t::exactly(src1);
        else
            value = binary(op.alg, value, src1);
    }
    return value;
}

} // namespace kiln::test

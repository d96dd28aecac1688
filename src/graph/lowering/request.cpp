// SPDX-License-Identifier: Apache-2.0
#include "graph/lowering/request.hpp"

#include <algorithm>

#include "common/verbose/verbose.hpp"
#include "graph/lowering/layout_choice.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

constexpr const char *component = "graph";

/// The dense row-major layout of the same tensor.
memory_desc_t row_major(const memory_desc_t &md) {
    return dense_md(md.data_type, md.ndims, md.dims);
}

} // namespace

status_t request_t::bind(int arg, const logical_tensor_t &lt, memory_desc_t &md, bool is_output) {
    const memory_desc_t own = program_.md_of_tensor(lt.id);
    const value_t value = arguments[arg] = program_.value_of(lt.id);
    auto seen = view(own);
    if (!seen) {
        const memory_desc_t dense = row_major(own);
        KILN_TRY(bind_copy(arg, value, own, dense, is_output));
        seen = view(dense);
    }
    KILN_REQUIRE(seen, dnnl_unimplemented, component,
            "tensor %zu of %d axes cannot have the axes of the primitive", lt.id, own.ndims);
    md = *seen;
    return dnnl_success;
}

status_t request_t::read(int arg, const logical_tensor_t &lt, memory_desc_t &md) {
    return bind(arg, lt, md, false);
}

status_t request_t::write(int arg, const logical_tensor_t &lt, memory_desc_t &md) {
    if (arg == result) {
        result_tensor_ = lt.id;
        move_result_ = nullptr; // of an earlier result
    }
    return bind(arg, lt, md, true);
}

status_t request_t::bind_vector(
        int arg, const logical_tensor_t &lt, data_type_t type, bool is_output) {
    const memory_desc_t own = program_.md_of_tensor(lt.id);
    const value_t value = arguments[arg] = program_.value_of(lt.id);
    const memory_desc_t dense = with_type(row_major(own), type);
    return own == dense ? dnnl_success : bind_copy(arg, value, own, dense, is_output);
}

status_t request_t::make_dense(int arg, const memory_desc_t &md) {
    const memory_desc_t dense = row_major(md);
    return md == dense ? dnnl_success : bind_copy(arg, arguments[arg], md, dense, false);
}

status_t request_t::bind_copy(int arg, value_t value, const memory_desc_t &own,
        const memory_desc_t &copy_md, bool is_output) {
    const value_t copy = arguments[arg] = program_.temporary(byte_size(copy_md));
    if (!is_output) return program_.copy(value, own, copy, copy_md);
    const auto move = [=, this] { return program_.copy(copy, copy_md, value, own); };
    if (arg != result)
        then(move);
    else if (move_result_)
        move_result_ = [=, next = move_result_] {
            KILN_TRY(move());
            return next();
        };
    else
        move_result_ = move;
    return dnnl_success;
}

status_t request_t::set_result(const logical_tensor_t &lt) {
    const memory_desc_t before = result_md();
    KILN_TRY(write(result, lt, result_md()));
    KILN_REQUIRE(same_dims(before, result_md()), dnnl_unimplemented, component,
            "the shape of tensor %zu differs from that of the primitive's result", lt.id);
    KILN_REQUIRE(!is_result_fixed_ || before == result_md(), dnnl_unimplemented, component,
            "the layout of tensor %zu differs from that of the operand of the fused addition",
            lt.id);
    return dnnl_success;
}

status_t request_t::set_reshaped_result(const logical_tensor_t &lt) {
    memory_desc_t &md = result_md();
    const auto seen = reshaped(program_.md_of_tensor(lt.id), md.ndims, md.dims);
    KILN_REQUIRE(seen, dnnl_unimplemented, component,
            "the layout of tensor %zu does not allow the shape that it has before it is reshaped",
            lt.id);
    md = *seen;
    arguments[result] = program_.value_of(lt.id);
    result_tensor_ = lt.id;
    move_result_ = nullptr;
    return dnnl_success;
}

int request_t::result_ndims() const { return std::max(1, program_.tensor(result_tensor_).ndims); }

int request_t::next_post_op() const {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(attr.post_ops.entries.size()));
}

status_t request_t::append(const post_op_t &post_op) {
    KILN_REQUIRE(attr.post_ops.entries.size() < post_ops_t::capacity, dnnl_unimplemented, component,
            "the primitive would have more than %zu post-ops", size_t(post_ops_t::capacity));
    attr.post_ops.entries.push_back(post_op);
    return dnnl_success;
}

status_t request_t::add_eltwise(alg_kind_t alg, float alpha, float beta) {
    return add_eltwise(eltwise_post_op_t{alg, alpha, beta});
}

status_t request_t::add_eltwise(const eltwise_post_op_t &post_op) { return append(post_op); }

status_t request_t::add_binary(alg_kind_t alg, const logical_tensor_t &operand) {
    const int arg = next_post_op() | DNNL_ARG_SRC_1;
    memory_desc_t md;
    KILN_TRY(read(arg, operand, md));
    return add_binary(alg, arguments[arg], md);
}

status_t request_t::add_select(const op_t &select, size_t source) {
    const int arg = next_post_op() | DNNL_ARG_SRC_2;
    memory_desc_t md;
    KILN_TRY(read(arg, select.inputs[condition], md));
    KILN_REQUIRE(broadcast_to(md, view.ndims(), result_md().dims), dnnl_unimplemented, component,
            "condition %zu cannot be broadcast to dst", select.inputs[condition].id);
    md = with_type(md, dnnl_s8);
    if (source == if_false) {
        KILN_TRY(negate(arg, md));
        md = row_major(md);
    }
    KILN_TRY(add_binary(dnnl_binary_select, select.inputs[source == if_true ? if_false : if_true]));
    auto &entry = std::get<binary_post_op_t>(attr.post_ops.entries.back());
    entry.src2 = entry.user_src2 = md;
    return dnnl_success;
}

status_t request_t::negate(int arg, const memory_desc_t &md) {
    const memory_desc_t negated = row_major(md);
    const value_t values = arguments[arg];
    arguments[arg] = program_.temporary(byte_size(negated));
    dims_t ones;
    std::fill_n(ones, md.ndims, 1);
    const memory_desc_t zero = dense_md(dnnl_f32, md.ndims, ones);
    primitive_attr_t is_zero;
    is_zero.post_ops.entries.push_back(
            binary_post_op_t{dnnl_binary_eq, zero, zero_md, zero, zero_md});
    return program_.copy(values, md, arguments[arg], negated, is_zero,
            {{DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                    program_.literal(std::vector<float>{0})}});
}

status_t request_t::add_vector(alg_kind_t alg, const logical_tensor_t &operand, int axis) {
    const memory_desc_t own = program_.md_of_tensor(operand.id);
    dims_t dims;
    const int ndims = result_ndims();
    std::fill_n(dims, ndims, 1);
    dims[axis] = element_count(own);
    const auto along_axis = reshaped(own, ndims, dims);
    const auto seen = along_axis ? view(*along_axis) : std::nullopt;
    KILN_REQUIRE(seen, dnnl_unimplemented, component,
            "the layout of tensor %zu does not allow to place it along axis %d", operand.id, axis);
    return add_binary(alg, program_.value_of(operand.id), *seen);
}

status_t request_t::add_bias(const op_t &bias_add) {
    const logical_tensor_t &bias = bias_add.inputs[1];
    return has_channels_second(bias_add) ? add_vector(dnnl_binary_add, bias, 1)
                                         : add_binary(dnnl_binary_add, bias);
}

status_t request_t::add_binary(alg_kind_t alg, const std::vector<float> &numbers, int axis) {
    dims_t dims;
    const int ndims = result_ndims();
    std::fill_n(dims, ndims, 1);
    if (numbers.size() > 1) dims[axis] = static_cast<dim_t>(numbers.size());
    const auto seen = view(dense_md(dnnl_f32, ndims, dims));
    KILN_REQUIRE(seen, dnnl_unimplemented, component,
            "values along axis %d are not supported by the view", axis);
    return add_binary(alg, program_.literal(numbers), *seen);
}

status_t request_t::add_binary(alg_kind_t alg, value_t value, const memory_desc_t &md) {
    const memory_desc_t &dst = result_md();
    for (int d = 0; d < dst.ndims; ++d)
        KILN_REQUIRE(md.dims[d] == 1 || md.dims[d] == dst.dims[d], dnnl_unimplemented, component,
                "the extent of a post-op's operand along axis %d is %lld, not 1 or %lld", d,
                static_cast<long long>(md.dims[d]), static_cast<long long>(dst.dims[d]));
    arguments[next_post_op() | DNNL_ARG_SRC_1] = value;
    return append(binary_post_op_t{alg, md, zero_md, md, zero_md});
}

void request_t::share_places() {
    if (!desc.allows_in_place()) return;
    const int source = result == DNNL_ARG_DST ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST;
    if (arguments.contains(source) && arguments.contains(result)
            && desc.tensor(source) == result_md())
        program_.allow_sharing(arguments[source], arguments[result]);
}

status_t request_t::finish() {
    if (desc.is_set()) {
        std::shared_ptr<const primitive_desc_t> pd;
        std::vector<layout_copy_t> copies;
        KILN_TRY(choose_layouts(program_.engine(), desc, attr, arguments, pd, copies));
        for (const auto &[arg, own, copy] : copies)
            KILN_TRY(bind_copy(arg, arguments[arg], own, copy, arg == result));
        share_places();
        KILN_TRY(program_.add(pd, arguments));
    }
    if (move_result_) KILN_TRY(move_result_());
    for (const auto &step : afterwards_) KILN_TRY(step());
    return dnnl_success;
}

} // namespace kiln::graph

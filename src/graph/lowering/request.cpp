// SPDX-License-Identifier: Apache-2.0
// Binding tensors to a primitive that is being described, and making it.

#include "graph/lowering/request.hpp"

#include "common/verbose/verbose.hpp"

namespace kiln::graph {
namespace {

constexpr const char *component = "graph";

/// Dense, in the order of the axes.
memory_desc_t row_major(const memory_desc_t &md) {
    return dense_md(md.data_type, md.ndims, md.dims);
}

} // namespace

status_t request_t::read(int arg, const logical_tensor_t &lt, memory_desc_t &md) {
    return read(arg, lt, view, md);
}

status_t request_t::write(int arg, const logical_tensor_t &lt, memory_desc_t &md) {
    return write(arg, lt, view, md);
}

status_t request_t::read(
        int arg, const logical_tensor_t &lt, const view_t &seen_as, memory_desc_t &md) {
    const memory_desc_t own = program_.md_of_tensor(lt.id);
    arguments[arg] = program_.value_of(lt.id);
    auto seen = seen_as(own);
    if (!seen) {
        const memory_desc_t dense = row_major(own);
        const value_t copy = program_.temporary(byte_size(dense));
        KILN_TRY(program_.copy(arguments[arg], own, copy, dense));
        arguments[arg] = copy;
        seen = seen_as(dense);
    }
    KILN_REQUIRE(seen, dnnl_unimplemented, component, "the axes of tensor %zu", lt.id);
    md = *seen;
    return dnnl_success;
}

status_t request_t::write(
        int arg, const logical_tensor_t &lt, const view_t &seen_as, memory_desc_t &md) {
    const memory_desc_t own = program_.md_of_tensor(lt.id);
    arguments[arg] = program_.value_of(lt.id);
    if (arg == result) {
        result_tensor_ = lt.id;
        move_result_ = nullptr; // an earlier result is none any more
    }
    auto seen = seen_as(own);
    if (!seen) {
        const memory_desc_t dense = row_major(own);
        const value_t copy = program_.temporary(byte_size(dense)), end = arguments[arg];
        const auto move = [=, this] { return program_.copy(copy, dense, end, own); };
        if (arg == result)
            move_result_ = move;
        else
            then(move);
        arguments[arg] = copy;
        seen = seen_as(dense);
    }
    KILN_REQUIRE(seen, dnnl_unimplemented, component, "the axes of tensor %zu", lt.id);
    md = *seen;
    return dnnl_success;
}

status_t request_t::read_vector(int arg, const logical_tensor_t &lt, data_type_t type) {
    const memory_desc_t own = program_.md_of_tensor(lt.id);
    arguments[arg] = program_.value_of(lt.id);
    const memory_desc_t dense = with_type(row_major(own), type);
    if (own == dense) return dnnl_success;
    const value_t copy = program_.temporary(byte_size(dense));
    KILN_TRY(program_.copy(arguments[arg], own, copy, dense));
    arguments[arg] = copy;
    return dnnl_success;
}

status_t request_t::write_floats(int arg, const logical_tensor_t &lt) {
    const memory_desc_t own = program_.md_of_tensor(lt.id);
    arguments[arg] = program_.value_of(lt.id);
    const memory_desc_t floats = with_type(row_major(own), dnnl_f32);
    if (own == floats) return dnnl_success;
    const value_t copy = program_.temporary(byte_size(floats)), end = arguments[arg];
    then([=, this] { return program_.copy(copy, floats, end, own); });
    arguments[arg] = copy;
    return dnnl_success;
}

memory_desc_t &request_t::result_md() {
    return std::visit(
            [&](auto &held) -> memory_desc_t & {
                using held_t = std::decay_t<decltype(held)>;
                if constexpr (requires { held.diff_src; })
                    if (result == DNNL_ARG_DIFF_SRC) return held.diff_src;
                if constexpr (std::is_same_v<held_t, std::monostate>)
                    throw std::logic_error("a request without a descriptor");
                else
                    return held.dst;
            },
            desc);
}

const memory_desc_t &request_t::source_md() const {
    return std::visit(
            [&](const auto &held) -> const memory_desc_t & {
                using held_t = std::decay_t<decltype(held)>;
                if constexpr (requires { held.diff_dst; })
                    if (result == DNNL_ARG_DIFF_SRC) return held.diff_dst;
                if constexpr (std::is_same_v<held_t, std::monostate>)
                    return zero_md;
                else
                    return held.src;
            },
            desc);
}

status_t request_t::set_result(const logical_tensor_t &lt) {
    const memory_desc_t before = result_md();
    KILN_TRY(write(result, lt, result_md()));
    KILN_REQUIRE(same_dims(before, result_md()), dnnl_unimplemented, component,
            "tensor %zu is of another shape than what it is computed from", lt.id);
    KILN_REQUIRE(!is_result_fixed_ || before == result_md(), dnnl_unimplemented, component,
            "tensor %zu lies otherwise than what is computed with it", lt.id);
    return dnnl_success;
}

status_t request_t::add_eltwise(alg_kind_t alg, float alpha, float beta) {
    return add_eltwise(eltwise_post_op_t{alg, alpha, beta});
}

status_t request_t::add_eltwise(const eltwise_post_op_t &post_op) {
    KILN_REQUIRE(attr.post_ops.entries.size() < post_ops_t::capacity, dnnl_unimplemented, component,
            "too many post-ops");
    attr.post_ops.entries.emplace_back(post_op);
    return dnnl_success;
}

status_t request_t::add_binary(alg_kind_t alg, const logical_tensor_t &operand) {
    const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(attr.post_ops.entries.size()))
                    | DNNL_ARG_SRC_1;
    memory_desc_t md;
    KILN_TRY(read(arg, operand, md));
    return add_binary(alg, arguments[arg], md);
}

status_t request_t::add_select(
        const logical_tensor_t &condition, const logical_tensor_t &otherwise) {
    const int post_op =
            DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(attr.post_ops.entries.size()));
    memory_desc_t condition_md;
    KILN_TRY(read(post_op | DNNL_ARG_SRC_2, condition, condition_md));
    KILN_REQUIRE(broadcast_to(condition_md, view.ndims(), result_md().dims), dnnl_unimplemented,
            component, "the condition %zu does not broadcast", condition.id);
    KILN_TRY(add_binary(dnnl_binary_select, otherwise));
    auto &entry = std::get<binary_post_op_t>(attr.post_ops.entries.back());
    entry.src2 = entry.user_src2 = with_type(condition_md, dnnl_s8);
    return dnnl_success;
}

status_t request_t::add_vector(alg_kind_t alg, const logical_tensor_t &operand, int axis) {
    const memory_desc_t own = program_.md_of_tensor(operand.id);
    dims_t dims;
    std::fill_n(dims, view.ndims(), 1);
    dims[axis] = element_count(own);
    const auto along_axis = reshaped(own, view.ndims(), dims);
    const auto seen = along_axis ? view(*along_axis) : std::nullopt;
    KILN_REQUIRE(seen, dnnl_unimplemented, component, "tensor %zu along axis %d", operand.id, axis);
    return add_binary(alg, program_.value_of(operand.id), *seen);
}

status_t request_t::add_binary(alg_kind_t alg, const std::vector<float> &numbers, int axis) {
    dims_t dims;
    std::fill_n(dims, view.ndims(), 1);
    if (numbers.size() > 1) dims[axis] = static_cast<dim_t>(numbers.size());
    const auto seen = view(dense_md(dnnl_f32, view.ndims(), dims));
    KILN_REQUIRE(seen, dnnl_unimplemented, component, "numbers along axis %d", axis);
    return add_binary(alg, program_.literal(numbers), *seen);
}

status_t request_t::add_binary(alg_kind_t alg, value_t value, const memory_desc_t &md) {
    KILN_REQUIRE(attr.post_ops.entries.size() < post_ops_t::capacity, dnnl_unimplemented, component,
            "too many post-ops");
    const memory_desc_t &dst = result_md();
    for (int d = 0; d < dst.ndims; ++d)
        KILN_REQUIRE(md.dims[d] == 1 || md.dims[d] == dst.dims[d], dnnl_unimplemented, component,
                "an operand does not broadcast along axis %d", d);
    const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(attr.post_ops.entries.size()))
                    | DNNL_ARG_SRC_1;
    arguments[arg] = value;
    attr.post_ops.entries.emplace_back(binary_post_op_t{alg, md, zero_md, md, zero_md});
    return dnnl_success;
}

void request_t::share_places() {
    // What is computed element by element may take the place of what it is computed from.
    const int source = result == DNNL_ARG_DST ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST;
    if (arguments.contains(source) && arguments.contains(result) && source_md() == result_md())
        program_.allow_sharing(arguments[source], arguments[result]);
}

status_t request_t::finish() {
    share_places();
    KILN_TRY(std::visit(
            [&](const auto &held) -> status_t {
                using held_t = std::decay_t<decltype(held)>;
                if constexpr (std::is_same_v<held_t, layer_normalization_desc_t>)
                    return program_.add<layer_normalization_pd_t>(held, attr, arguments);
                else if constexpr (std::is_same_v<held_t, batch_normalization_desc_t>)
                    return program_.add<batch_normalization_pd_t>(held, attr, arguments);
                else if constexpr (std::is_same_v<held_t, group_normalization_desc_t>)
                    return program_.add<group_normalization_pd_t>(held, attr, arguments);
                else if constexpr (std::is_same_v<held_t, reorder_desc_t>)
                    return program_.add<reorder_pd_t>(held, attr, arguments);
                else if constexpr (std::is_same_v<held_t, reduction_desc_t>)
                    return program_.add<reduction_pd_t>(held, attr, arguments);
                else
                    return dnnl_success;
            },
            desc));
    if (move_result_) KILN_TRY(move_result_());
    for (const auto &step : afterwards_) KILN_TRY(step());
    return dnnl_success;
}

} // namespace kiln::graph

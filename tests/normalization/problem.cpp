// SPDX-License-Identifier: Apache-2.0
// Problems as texts, attributes and primitive descriptors.
#include "normalization/problem.hpp"

#include <sstream>

#include "support/data_type.hpp"

namespace kiln::test::normalization {

namespace {

std::string flags_text(unsigned flags) {
    const std::pair<unsigned, char> letters[]{{global_stats, 'G'}, {scale, 'C'}, {shift, 'H'},
            {rms, 'M'}, {relu, 'R'}, {add_relu, 'A'}};
    std::string text;
    for (const auto &[flag, letter] : letters)
        if (flags & flag) text += letter;
    return text.empty() ? "none" : text;
}

std::string tensor_text(
        const char *name, dnnl_data_type_t type, const std::string &format = "plain") {
    return std::string(" ") + name + "=" + dnnl_dt2str(type) + ":"
           + (format.empty() ? "plain" : format);
}

/// A format of "null" gives the null handle.
memory_desc_handle_t desc_or_null(
        const dims_t &dims, dnnl_data_type_t type, const std::string &format) {
    return format == "null" ? memory_desc_handle_t() : make_desc(dims, type, format);
}

memory_desc_handle_t data_desc(
        const problem_t &problem, dnnl_data_type_t type, const std::string &format) {
    return problem.data_desc ? clone_desc(problem.data_desc)
                             : make_desc(problem.dims, type, format);
}

/// The arguments of a function of the C interface.
struct call_t {
    dnnl_primitive_desc_t *out;
    dnnl_engine_t engine;
    const problem_t &problem;
    const descs_t &md;
    const_dnnl_primitive_attr_t attr;
    const_dnnl_primitive_desc_t hint;

    /// Through the `_v2` functions unless scale, shift and their gradients are f32.
    dnnl_status_t layer_forward() const {
        const auto type = problem.scale_shift_type;
        return type == dnnl_f32 ? dnnl_layer_normalization_forward_primitive_desc_create(out,
                       engine, problem.prop_kind, md.src, md.dst, md.stat, problem.epsilon,
                       problem.flags, attr)
                                : dnnl_layer_normalization_forward_primitive_desc_create_v2(out,
                                        engine, problem.prop_kind, md.src, md.dst, md.stat, type,
                                        problem.epsilon, problem.flags, attr);
    }
    dnnl_status_t layer_backward() const {
        const auto type = problem.scale_shift_type, diff_type = problem.diff_scale_shift_type;
        return type == dnnl_f32 && diff_type == dnnl_f32
                       ? dnnl_layer_normalization_backward_primitive_desc_create(out, engine,
                               problem.prop_kind, md.diff_src, md.dst, md.src, md.stat,
                               problem.epsilon, problem.flags, hint, attr)
                       : dnnl_layer_normalization_backward_primitive_desc_create_v2(out, engine,
                               problem.prop_kind, md.diff_src, md.dst, md.src, md.stat, diff_type,
                               type, problem.epsilon, problem.flags, hint, attr);
    }
    dnnl_status_t batch_forward() const {
        return dnnl_batch_normalization_forward_primitive_desc_create(out, engine,
                problem.prop_kind, md.src, md.dst, problem.epsilon, problem.flags, attr);
    }
    dnnl_status_t batch_backward() const {
        return dnnl_batch_normalization_backward_primitive_desc_create(out, engine,
                problem.prop_kind, md.diff_src, md.dst, md.src, problem.epsilon, problem.flags,
                hint, attr);
    }
    dnnl_status_t group_forward() const {
        return dnnl_group_normalization_forward_primitive_desc_create(out, engine,
                problem.prop_kind, md.src, md.dst, problem.groups, problem.epsilon, problem.flags,
                attr);
    }
    dnnl_status_t group_backward() const {
        return dnnl_group_normalization_backward_primitive_desc_create(out, engine,
                problem.prop_kind, md.diff_src, md.dst, md.src, problem.groups, problem.epsilon,
                problem.flags, hint, attr);
    }
};

} // namespace

std::string to_string(operation_t operation) {
    return operation == operation_t::layer   ? "layer"
           : operation == operation_t::batch ? "batch"
                                             : "group";
}

std::vector<unsigned> all_flags(const std::vector<unsigned> &others) {
    std::vector<unsigned> all;
    for (const unsigned other : others)
        for (unsigned bits = 0; bits < 8; ++bits)
            all.push_back((bits & 1 ? global_stats : 0) | (bits & 2 ? scale : 0)
                          | (bits & 4 ? shift : 0) | other);
    return all;
}

std::vector<unsigned> all_flags(operation_t operation) {
    switch (operation) {
    case operation_t::layer: return all_flags({0, rms});
    case operation_t::batch: return all_flags({0, relu, add_relu});
    default: return all_flags({0});
    }
}

dims_t problem_t::stat_dims() const {
    switch (operation) {
    case operation_t::layer: return {dims.begin(), dims.end() - 1};
    case operation_t::batch: return {dims[1]};
    default: return {dims[0], groups};
    }
}

int64_t problem_t::set_of(int64_t element) const {
    if (is_layer()) return element / dims.back();
    const int64_t plane = element / plane_size();
    return operation == operation_t::batch ? plane % dims[1] : plane / (dims[1] / groups);
}

int64_t problem_t::weight_of(int64_t element) const {
    return is_layer() ? element % dims.back() : element / plane_size() % dims[1];
}

problem_t problem_t::forward_of_it() const {
    problem_t forward = *this;
    forward.prop_kind = dnnl_forward_training;
    forward.dst_over = 0;
    if (src_format == "any") forward.src_format = "";
    return forward;
}

double problem_t::compute_roundoff() const {
    const bool is_f64 = src_type == dnnl_f64 && dst_type == dnnl_f64
                        && (is_forward() || diff_src_type == dnnl_f64) && post_ops.empty();
    return unit_roundoff(is_f64 ? dnnl_f64 : dnnl_f32);
}

std::string to_string(const problem_t &problem) {
    std::ostringstream text;
    text << to_string(problem.operation) << "_normalization "
         << dnnl_prop_kind2str(problem.prop_kind) << ' ';
    if (problem.groups) text << 'g' << problem.groups << ' ';
    text << test::to_string(problem.dims) << " flags=" << flags_text(problem.flags)
         << tensor_text("src", problem.src_type, problem.src_format)
         << tensor_text(problem.is_forward() ? "dst" : "diff_dst", problem.dst_type,
                    problem.dst_format);
    if (!problem.is_forward())
        text << tensor_text("diff_src", problem.diff_src_type, problem.diff_src_format);
    if (problem.is_layer()) text << tensor_text("stat", problem.stat_type, problem.stat_format);
    if (problem.has(scale | shift) && problem.is_layer())
        text << tensor_text("scale_shift", problem.scale_shift_type);
    if (problem.writes_weights() && problem.is_layer())
        text << tensor_text("diff_scale_shift", problem.diff_scale_shift_type);
    const auto add = [&](const char *name, const extra_operand_t &operand) {
        if (operand.exists()) text << tensor_text(name, operand.type, operand.format);
    };
    add("src_1", problem.src_1);
    add("sum", problem.sum);
    add("row_scale", problem.row_scale);
    add("relu_operand", problem.relu_operand);
    if (problem.recomputes_stats) text << " recomputes_stats";
    if (problem.src_scale) text << " src_scale=" << test::to_string(*problem.src_scale);
    if (problem.dst_scale) text << " dst_scale=" << test::to_string(*problem.dst_scale);
    if (!problem.post_ops.empty()) text << " post_ops=" << test::to_string(problem.post_ops);
    if (problem.scratchpad_mode == dnnl_scratchpad_mode_user) text << " scratchpad=user";
    if (problem.data_desc)
        text << " strides=" << test::to_string(layout_t(problem.data_desc).strides());
    if (problem.dst_over)
        text << (problem.is_forward() ? " dst" : " diff_src") << " over " << problem.dst_over;
    if (problem.sum_over) text << " sum over " << problem.sum_over;
    if (problem.data == data_t::large_mean) text << " large_mean";
    if (problem.data == data_t::constant) text << " constant";
    if (problem.seed) text << " seed=" << problem.seed;
    if (problem.placement == placement_t::begins_at_guard) text << " begins_at_guard";
    return text.str();
}

attr_handle_t make_attr(const problem_t &problem) {
    attr_handle_t attr = test::make_attr();
    set_scale(attr, DNNL_ARG_SRC, problem.src_scale);
    set_scale(attr, DNNL_ARG_DST, problem.dst_scale);
    if (!problem.post_ops.empty())
        require(dnnl_primitive_attr_set_post_ops(
                        attr, make_post_ops(problem.post_ops, problem.dims)),
                "dnnl_primitive_attr_set_post_ops");
    require(dnnl_primitive_attr_set_scratchpad_mode(attr, problem.scratchpad_mode),
            "dnnl_primitive_attr_set_scratchpad_mode");
    require(kiln_primitive_attr_set_ranks(attr, problem.ranks), "kiln_primitive_attr_set_ranks");
    return attr;
}

dnnl_status_t create_from(dnnl_primitive_desc_t *out, dnnl_engine_t engine, direction_t direction,
        const problem_t &problem, const descs_t &md, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_desc_t hint) {
    const call_t call{out, engine, problem, md, attr, hint};
    const bool is_forward = direction == direction_t::forward;
    switch (problem.operation) {
    case operation_t::layer: return is_forward ? call.layer_forward() : call.layer_backward();
    case operation_t::batch: return is_forward ? call.batch_forward() : call.batch_backward();
    default: return is_forward ? call.group_forward() : call.group_backward();
    }
}

dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint) {
    if (problem.create) return problem.create(primitive_desc, problem, attr);
    const auto src = data_desc(problem, problem.src_type, problem.src_format);
    const auto dst = data_desc(problem, problem.dst_type, problem.dst_format);
    memory_desc_handle_t diff_src, stat;
    if (!problem.is_forward())
        diff_src = data_desc(problem, problem.diff_src_type, problem.diff_src_format);
    if (problem.is_layer())
        stat = desc_or_null(problem.stat_dims(), problem.stat_type, problem.stat_format);
    const auto direction = problem.is_forward() ? direction_t::forward : direction_t::backward;
    return create_from(primitive_desc.out(), cpu_engine(), direction, problem,
            {src, dst, diff_src, stat}, attr, hint);
}

dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_desc_t hint) {
    const attr_handle_t attr = make_attr(problem);
    return make_primitive_desc(
            primitive_desc, problem, static_cast<const_dnnl_primitive_attr_t>(attr), hint);
}

dnnl_status_t creation_status(const problem_t &problem, const_dnnl_primitive_desc_t hint) {
    primitive_desc_handle_t primitive_desc;
    return make_primitive_desc(primitive_desc, problem, hint);
}

primitive_desc_handle_t accepted_primitive_desc(
        const problem_t &problem, const_dnnl_primitive_desc_t hint, size_t implementation) {
    primitive_desc_handle_t primitive_desc;
    require(make_primitive_desc(primitive_desc, problem, hint), to_string(problem));
    skip_implementations(primitive_desc, implementation);
    return primitive_desc;
}

std::vector<std::string> implementations(
        const problem_t &problem, const_dnnl_primitive_desc_t hint) {
    return implementation_names(accepted_primitive_desc(problem, hint));
}

} // namespace kiln::test::normalization

// SPDX-License-Identifier: Apache-2.0
// Problems as texts, attributes and primitive descriptors.
#include "layer_normalization/problem.hpp"

#include <sstream>

#include "support/data_type.hpp"

namespace kiln::test::layer_normalization {

namespace {

std::string flags_text(unsigned flags) {
    const std::pair<unsigned, char> letters[]{
            {global_stats, 'G'}, {scale, 'C'}, {shift, 'H'}, {rms, 'M'}};
    std::string text;
    for (const auto &[flag, letter] : letters)
        if (flags & flag) text += letter;
    return text.empty() ? "none" : text;
}

std::string tensor_text(dnnl_data_type_t type, const std::string &format) {
    return std::string(dnnl_dt2str(type)) + ":" + (format.empty() ? "plain" : format);
}

/// A format of "null" gives the null handle.
memory_desc_handle_t desc_or_null(
        const dims_t &dims, dnnl_data_type_t type, const std::string &format) {
    return format == "null" ? memory_desc_handle_t() : make_desc(dims, type, format);
}

} // namespace

std::vector<unsigned> all_flags() {
    std::vector<unsigned> all;
    for (unsigned bits = 0; bits < 16; ++bits)
        all.push_back((bits & 1 ? global_stats : 0) | (bits & 2 ? scale : 0)
                      | (bits & 4 ? shift : 0) | (bits & 8 ? rms : 0));
    return all;
}

double problem_t::compute_roundoff() const {
    const bool is_f64 = src_type == dnnl_f64 && dst_type == dnnl_f64
                        && (is_forward() || diff_src_type == dnnl_f64) && post_ops.empty();
    return unit_roundoff(is_f64 ? dnnl_f64 : dnnl_f32);
}

std::string to_string(const problem_t &problem) {
    std::ostringstream text;
    text << "layer_normalization " << dnnl_prop_kind2str(problem.prop_kind) << " "
         << test::to_string(problem.dims) << " flags=" << flags_text(problem.flags)
         << " src=" << tensor_text(problem.src_type, problem.src_format);
    if (problem.is_forward())
        text << " dst=" << tensor_text(problem.dst_type, problem.dst_format);
    else
        text << " diff_dst=" << tensor_text(problem.dst_type, problem.dst_format)
             << " diff_src=" << tensor_text(problem.diff_src_type, problem.diff_src_format);
    text << " stat=" << tensor_text(problem.stat_type, problem.stat_format);
    if (problem.has(scale | shift))
        text << " scale_shift=" << dnnl_dt2str(problem.scale_shift_type);
    if (problem.writes_weights())
        text << " diff_scale_shift=" << dnnl_dt2str(problem.diff_scale_shift_type);
    if (problem.src_scale) text << " src_scale=" << test::to_string(*problem.src_scale);
    if (problem.dst_scale) text << " dst_scale=" << test::to_string(*problem.dst_scale);
    if (!problem.post_ops.empty()) text << " post_ops=" << test::to_string(problem.post_ops);
    if (problem.scratchpad_mode == dnnl_scratchpad_mode_user) text << " scratchpad=user";
    if (problem.data_desc)
        text << " strides=" << test::to_string(layout_t(problem.data_desc).strides());
    if (problem.in_place) text << " in_place";
    if (problem.data == data_t::large_mean) text << " large_mean";
    if (problem.data == data_t::constant) text << " constant";
    if (problem.seed) text << " seed=" << problem.seed;
    if (problem.placement == placement_t::begins_at_guard) text << " begins_at_guard";
    return text.str();
}

memory_desc_handle_t make_data_desc(
        const problem_t &problem, dnnl_data_type_t type, const std::string &format) {
    return problem.data_desc ? clone_desc(problem.data_desc)
                             : make_desc(problem.dims, type, format);
}

attr_handle_t make_attr(const problem_t &problem) {
    attr_handle_t attr = test::make_attr();
    set_scale(attr, DNNL_ARG_SRC, problem.src_scale);
    set_scale(attr, DNNL_ARG_DST, problem.dst_scale);
    if (!problem.post_ops.empty()) {
        const auto post_ops = make_post_ops(problem.post_ops, problem.dims);
        require(dnnl_primitive_attr_set_post_ops(attr, post_ops),
                "dnnl_primitive_attr_set_post_ops");
    }
    require(dnnl_primitive_attr_set_scratchpad_mode(attr, problem.scratchpad_mode),
            "dnnl_primitive_attr_set_scratchpad_mode");
    return attr;
}

primitive_desc_handle_t accepted_primitive_desc(const problem_t &problem) {
    primitive_desc_handle_t primitive_desc;
    require(make_primitive_desc(primitive_desc, problem), to_string(problem));
    return primitive_desc;
}

dnnl_status_t make_primitive_desc(
        primitive_desc_handle_t &primitive_desc, const problem_t &problem) {
    return make_primitive_desc(primitive_desc, problem, make_attr(problem));
}

dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr) {
    const auto src = make_data_desc(problem, problem.src_type, problem.src_format);
    const auto dst = make_data_desc(problem, problem.dst_type, problem.dst_format);
    const auto stat = desc_or_null(problem.stat_dims(), problem.stat_type, problem.stat_format);
    const bool is_v1 = problem.scale_shift_type == dnnl_f32
                       && (problem.is_forward() || problem.diff_scale_shift_type == dnnl_f32);
    if (problem.is_forward())
        return is_v1 ? dnnl_layer_normalization_forward_primitive_desc_create(primitive_desc.out(),
                       cpu_engine(), problem.prop_kind, src, dst, stat, problem.epsilon,
                       problem.flags, attr)
                     : dnnl_layer_normalization_forward_primitive_desc_create_v2(
                             primitive_desc.out(), cpu_engine(), problem.prop_kind, src, dst, stat,
                             problem.scale_shift_type, problem.epsilon, problem.flags, attr);
    const auto diff_src = make_data_desc(problem, problem.diff_src_type, problem.diff_src_format);
    return is_v1 ? dnnl_layer_normalization_backward_primitive_desc_create(primitive_desc.out(),
                   cpu_engine(), problem.prop_kind, diff_src, dst, src, stat, problem.epsilon,
                   problem.flags, nullptr, attr)
                 : dnnl_layer_normalization_backward_primitive_desc_create_v2(primitive_desc.out(),
                         cpu_engine(), problem.prop_kind, diff_src, dst, src, stat,
                         problem.diff_scale_shift_type, problem.scale_shift_type, problem.epsilon,
                         problem.flags, nullptr, attr);
}

} // namespace kiln::test::layer_normalization

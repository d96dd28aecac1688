// SPDX-License-Identifier: Apache-2.0
// Problems as texts, attributes and primitive descriptors.
#include "channel_normalization/problem.hpp"

#include <sstream>

#include "support/data_type.hpp"

namespace kiln::test::channel_normalization {

namespace {

std::string flags_text(unsigned flags) {
    const std::pair<unsigned, char> letters[]{
            {global_stats, 'G'}, {scale, 'C'}, {shift, 'H'}, {relu, 'R'}, {add_relu, 'A'}};
    std::string text;
    for (const auto &[flag, letter] : letters)
        if (flags & flag) text += letter;
    return text.empty() ? "none" : text;
}

std::string tensor_text(dnnl_data_type_t type, const std::string &format) {
    return std::string(dnnl_dt2str(type)) + ":" + (format.empty() ? "plain" : format);
}

dnnl_status_t make_forward(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr) {
    const auto src = make_desc(problem.dims, problem.src_type, problem.src_format);
    const auto dst = make_desc(problem.dims, problem.dst_type, problem.dst_format);
    return problem.is_grouped()
                   ? dnnl_group_normalization_forward_primitive_desc_create(primitive_desc.out(),
                           cpu_engine(), problem.prop_kind, src, dst, problem.groups,
                           problem.epsilon, problem.flags, attr)
                   : dnnl_batch_normalization_forward_primitive_desc_create(primitive_desc.out(),
                           cpu_engine(), problem.prop_kind, src, dst, problem.epsilon,
                           problem.flags, attr);
}

dnnl_status_t make_backward(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint) {
    const auto src = make_desc(problem.dims, problem.src_type, problem.src_format);
    const auto diff_dst = make_desc(problem.dims, problem.dst_type, problem.dst_format);
    const auto diff_src = make_desc(problem.dims, problem.diff_src_type, problem.diff_src_format);
    return problem.is_grouped()
                   ? dnnl_group_normalization_backward_primitive_desc_create(primitive_desc.out(),
                           cpu_engine(), problem.prop_kind, diff_src, diff_dst, src, problem.groups,
                           problem.epsilon, problem.flags, hint, attr)
                   : dnnl_batch_normalization_backward_primitive_desc_create(primitive_desc.out(),
                           cpu_engine(), problem.prop_kind, diff_src, diff_dst, src,
                           problem.epsilon, problem.flags, hint, attr);
}

} // namespace

std::vector<unsigned> all_flags(const std::vector<unsigned> &fused) {
    std::vector<unsigned> all;
    for (const unsigned function : fused)
        for (unsigned bits = 0; bits < 8; ++bits)
            all.push_back((bits & 1 ? global_stats : 0) | (bits & 2 ? scale : 0)
                          | (bits & 4 ? shift : 0) | function);
    return all;
}

dims_t problem_t::stat_dims() const {
    return is_grouped() ? dims_t{dims[0], groups} : dims_t{dims[1]};
}

int64_t problem_t::statistic_of(int64_t plane) const {
    return is_grouped() ? plane / (channels() / groups) : plane % channels();
}

problem_t problem_t::forward_of_it() const {
    problem_t forward = *this;
    forward.prop_kind = dnnl_forward_training;
    forward.in_place = false;
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
    text << (problem.is_grouped() ? "group" : "batch") << "_normalization "
         << dnnl_prop_kind2str(problem.prop_kind) << ' ';
    if (problem.is_grouped()) text << 'g' << problem.groups << ' ';
    text << test::to_string(problem.dims) << " flags=" << flags_text(problem.flags)
         << " src=" << tensor_text(problem.src_type, problem.src_format);
    if (problem.is_forward())
        text << " dst=" << tensor_text(problem.dst_type, problem.dst_format);
    else
        text << " diff_dst=" << tensor_text(problem.dst_type, problem.dst_format)
             << " diff_src=" << tensor_text(problem.diff_src_type, problem.diff_src_format);
    if (problem.src_scale) text << " src_scale=" << test::to_string(*problem.src_scale);
    if (problem.dst_scale) text << " dst_scale=" << test::to_string(*problem.dst_scale);
    if (!problem.post_ops.empty()) text << " post_ops=" << test::to_string(problem.post_ops);
    if (problem.scratchpad_mode == dnnl_scratchpad_mode_user) text << " scratchpad=user";
    if (problem.in_place) text << " in_place";
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
    return attr;
}

dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint) {
    return problem.is_forward() ? make_forward(primitive_desc, problem, attr)
                                : make_backward(primitive_desc, problem, attr, hint);
}

dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_desc_t hint) {
    const attr_handle_t attr = make_attr(problem);
    return make_primitive_desc(
            primitive_desc, problem, static_cast<const_dnnl_primitive_attr_t>(attr), hint);
}

primitive_desc_handle_t accepted_primitive_desc(
        const problem_t &problem, const_dnnl_primitive_desc_t hint, size_t implementation) {
    primitive_desc_handle_t primitive_desc;
    require(make_primitive_desc(primitive_desc, problem, hint), to_string(problem));
    for (; implementation > 0; --implementation)
        require(dnnl_primitive_desc_next_impl(primitive_desc), "the next implementation");
    return primitive_desc;
}

std::vector<std::string> implementations(
        const problem_t &problem, const_dnnl_primitive_desc_t hint) {
    const auto primitive_desc = accepted_primitive_desc(problem, hint);
    std::vector<std::string> names;
    do {
        const char *name = nullptr;
        require(dnnl_primitive_desc_query(primitive_desc, dnnl_query_impl_info_str, 0, &name),
                "the name of an implementation");
        names.emplace_back(name);
    } while (dnnl_primitive_desc_next_impl(primitive_desc) == dnnl_success);
    return names;
}

} // namespace kiln::test::channel_normalization

// SPDX-License-Identifier: Apache-2.0
// Finds the descriptor of each operand.
#include "layer_normalization/operand_descs.hpp"

namespace kiln::test::layer_normalization {

operand_descs_t::operand_descs_t(
        const problem_t &problem, const_dnnl_primitive_desc_t primitive_desc)
    : problem_(problem)
    , primitive_desc_(primitive_desc) {}

/// What the library chose for an argument.
memory_desc_handle_t operand_descs_t::chosen(
        int arg, const dims_t &dims, dnnl_data_type_t type) const {
    const auto *const desc =
            dnnl_primitive_desc_query_md(primitive_desc_, dnnl_query_exec_arg_md, arg);
    if (!desc) throw std::runtime_error("argument " + std::to_string(arg) + " has no descriptor");
    const layout_t layout(desc);
    if (layout.dims() != dims || layout.type() != type)
        throw std::runtime_error("argument " + std::to_string(arg) + " is described as "
                                 + test::to_string(layout.dims()) + " "
                                 + dnnl_dt2str(layout.type()));
    return clone_desc(desc);
}

memory_desc_handle_t operand_descs_t::data(
        int arg, dnnl_data_type_t type, const std::string &format) const {
    return format == "any" ? chosen(arg, problem_.dims, type)
                           : make_data_desc(problem_, type, format);
}

memory_desc_handle_t operand_descs_t::src() const {
    return data(DNNL_ARG_SRC, problem_.src_type, problem_.src_format);
}

memory_desc_handle_t operand_descs_t::dst() const {
    return data(DNNL_ARG_DST, problem_.dst_type, problem_.dst_format);
}

memory_desc_handle_t operand_descs_t::diff_src() const {
    return data(DNNL_ARG_DIFF_SRC, problem_.diff_src_type, problem_.diff_src_format);
}

memory_desc_handle_t operand_descs_t::diff_dst() const {
    return data(DNNL_ARG_DIFF_DST, problem_.dst_type, problem_.dst_format);
}

memory_desc_handle_t operand_descs_t::stat() const {
    const auto &format = problem_.stat_format;
    return format == "any" || format == "null"
                   ? chosen(DNNL_ARG_VARIANCE, problem_.stat_dims(), problem_.stat_type)
                   : make_desc(problem_.stat_dims(), problem_.stat_type, format);
}

memory_desc_handle_t operand_descs_t::scale_shift() const {
    return make_desc({problem_.cols()}, problem_.scale_shift_type);
}

memory_desc_handle_t operand_descs_t::diff_scale_shift() const {
    return make_desc({problem_.cols()}, problem_.diff_scale_shift_type);
}

} // namespace kiln::test::layer_normalization

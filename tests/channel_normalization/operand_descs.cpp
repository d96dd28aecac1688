// SPDX-License-Identifier: Apache-2.0
// Finds the descriptor of each operand.
#include "channel_normalization/operand_descs.hpp"

namespace kiln::test::channel_normalization {

const_dnnl_memory_desc_t operand_descs_t::chosen(int arg) const {
    const auto *const desc =
            dnnl_primitive_desc_query_md(primitive_desc_, dnnl_query_exec_arg_md, arg);
    if (!desc) throw std::runtime_error("argument " + std::to_string(arg) + " has no descriptor");
    return desc;
}

memory_desc_handle_t operand_descs_t::data(
        int arg, dnnl_data_type_t type, const std::string &format) const {
    if (format != "any") return make_desc(problem_.dims, type, format);
    const auto *const desc = chosen(arg);
    const layout_t layout(desc);
    if (layout.dims() != problem_.dims || layout.type() != type)
        throw std::runtime_error("argument " + std::to_string(arg) + " is described as "
                                 + test::to_string(layout.dims()) + " "
                                 + dnnl_dt2str(layout.type()));
    return clone_desc(desc);
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

} // namespace kiln::test::channel_normalization

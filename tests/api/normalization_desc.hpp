// SPDX-License-Identifier: Apache-2.0
// Layer normalization, the example of an operation in the tests of the interface: functions that
// create its primitive descriptors.
#pragma once

#include "support/layout.hpp"

namespace kiln::test {

struct normalization_t {
    dnnl_prop_kind_t prop_kind = dnnl_forward_training;
    unsigned flags = dnnl_normalization_flags_none;
    dims_t dims = {4, 16};
    std::string src_format = "";
    std::string other_format = "any"; // of dst or of diff_src and diff_dst
    dnnl_data_type_t data_type = dnnl_f32;
    dnnl_data_type_t scale_shift_type = dnnl_f32;
    float epsilon = 1e-5f;

    bool is_forward() const {
        return prop_kind == dnnl_forward_training || prop_kind == dnnl_forward_inference;
    }
    bool has(dnnl_normalization_flags_t flag) const { return (flags & flag) != 0; }
};

inline dnnl_status_t create_pd(primitive_desc_handle_t &pd, const normalization_t &problem,
        const_dnnl_primitive_attr_t attr = nullptr, const_dnnl_primitive_desc_t hint = nullptr,
        dnnl_engine_t engine = cpu_engine()) {
    const auto src = make_desc(problem.dims, problem.data_type, problem.src_format);
    const auto other = make_desc(problem.dims, problem.data_type, problem.other_format);
    if (problem.is_forward())
        return dnnl_layer_normalization_forward_primitive_desc_create_v2(pd.out(), engine,
                problem.prop_kind, src, other, nullptr, problem.scale_shift_type, problem.epsilon,
                problem.flags, attr);
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(pd.out(), engine,
            problem.prop_kind, other, other, src, nullptr, problem.scale_shift_type,
            problem.scale_shift_type, problem.epsilon, problem.flags, hint, attr);
}

inline primitive_desc_handle_t made_pd(const normalization_t &problem,
        const_dnnl_primitive_attr_t attr = nullptr, dnnl_engine_t engine = cpu_engine()) {
    primitive_desc_handle_t pd;
    require(create_pd(pd, problem, attr, nullptr, engine), "creating a layer normalization");
    return pd;
}

} // namespace kiln::test

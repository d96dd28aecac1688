// SPDX-License-Identifier: Apache-2.0
// Knobs that drivers of different operations share: direction, data types, layouts and strides of
// src and dst, execution in place.
#pragma once

#include <string>
#include <vector>

#include "common/command_line/direction.hpp"
#include "common/command_line/knobs.hpp"
#include "common/tensor/dims.hpp"

namespace benchdnn {

// SRC[:DST] of --dt and --tag, with DST filled in.
struct type_pair_t {
    dnnl_data_type_t src = dnnl_f32, dst = dnnl_f32;
};
struct tag_pair_t {
    std::string src = "abx", dst = "any";
};
// SRC:DST of --strides, in elements; empty: the tag gives the layout.
struct stride_pair_t {
    dims_t src, dst;
};

std::string type_pair_text(const type_pair_t &type);
std::string tag_pair_text(const tag_pair_t &tag);
std::string stride_pair_text(const stride_pair_t &strides);

void add_direction_knob(knob_set_t &knobs, std::vector<direction_t> &direction);
// --dt=SRC[:DST], or one type for both.
void add_type_pair_knob(knob_set_t &knobs, std::vector<type_pair_t> &type);
void add_type_knob(knob_set_t &knobs, std::vector<type_pair_t> &type);
void add_tag_pair_knob(knob_set_t &knobs, std::vector<tag_pair_t> &tag);
void add_strides_knob(knob_set_t &knobs, std::vector<stride_pair_t> &strides);
// --mb, of shapes whose first axis has no name.
void add_first_extent_knob(knob_set_t &knobs, std::vector<dim_t> &count);
// A count of 0 keeps the shape's.
inline void set_first_extent(named_dims_t &shape, dim_t count) {
    if (count > 0) shape.dims[0] = count;
}
// what: a sentence about which tensors share memory.
void add_in_place_knob(knob_set_t &knobs, std::vector<bool> &in_place, const std::string &what);

// bad_value_t unless there is one stride for each dimension and none is negative; no strides are
// always right.
void require_strides(const dims_t &strides, const dims_t &dims);

// --sdt, --ddt, --stag and --dtag: src and dst of drivers whose tensors have knobs of their own.
struct src_dst_spec_t {
    dnnl_data_type_t src_type = dnnl_f32, dst_type = dnnl_f32;
    std::string src_tag = "abx", dst_tag = "abx";

    // One of a performance template's %fields%, or "".
    std::string field(const std::string &name, int ndims) const;
};
struct src_dst_values_t {
    std::vector<dnnl_data_type_t> &src_type, &dst_type;
    std::vector<std::string> &src_tag, &dst_tag;
};
enum class dst_layout_t { given, may_be_any };
void add_src_dst_knobs(knob_set_t &knobs, const src_dst_values_t &values, dst_layout_t dst_layout);

} // namespace benchdnn

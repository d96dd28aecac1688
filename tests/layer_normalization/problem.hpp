// SPDX-License-Identifier: Apache-2.0
// What a test asks of layer normalization, as plain data: from it come the descriptors, the truth
// and the text of a failure. It knows neither buffers nor results.
#pragma once

#include <string>

#include "support/data_range.hpp"
#include "support/guarded_buffer.hpp"
#include "support/layout.hpp"
#include "support/post_ops.hpp"
#include "support/scale_attr.hpp"

namespace kiln::test::layer_normalization {

constexpr unsigned global_stats = dnnl_use_global_stats;
constexpr unsigned scale = dnnl_use_scale;
constexpr unsigned shift = dnnl_use_shift;
constexpr unsigned rms = dnnl_rms_norm;

/// The sixteen legal combinations.
std::vector<unsigned> all_flags();

struct problem_t {
    dnnl_prop_kind_t prop_kind = dnnl_forward_training;
    dims_t dims;
    unsigned flags = 0;
    float epsilon = 1e-5f;

    // Formats are texts for make_desc(); "null" passes no descriptor.
    std::string src_format;
    std::string dst_format;      // diff_dst, backward
    std::string diff_src_format; // backward only
    std::string stat_format = "any";

    /// Instead of those formats, for src, dst and their gradients; their types must be its type.
    const_dnnl_memory_desc_t data_desc = nullptr;

    dnnl_data_type_t src_type = dnnl_f32;
    dnnl_data_type_t dst_type = dnnl_f32;      // diff_dst, backward
    dnnl_data_type_t diff_src_type = dnnl_f32; // backward only
    dnnl_data_type_t stat_type = dnnl_f32;
    dnnl_data_type_t scale_shift_type = dnnl_f32;
    dnnl_data_type_t diff_scale_shift_type = dnnl_f32;

    std::optional<scale_attr_t> src_scale;
    std::optional<scale_attr_t> dst_scale;
    post_op_chain_t post_ops;
    dnnl_scratchpad_mode_t scratchpad_mode = dnnl_scratchpad_mode_library;

    bool in_place = false;
    data_t data = data_t::ordinary;
    uint64_t seed = 0; ///< of the values of all operands
    placement_t placement = placement_t::ends_at_guard;

    bool has(unsigned flag) const { return flags & flag; }
    bool is_forward() const {
        return prop_kind == dnnl_forward_training || prop_kind == dnnl_forward_inference;
    }
    int64_t cols() const { return dims.back(); }
    int64_t rows() const { return volume(stat_dims()); }
    dims_t stat_dims() const { return {dims.begin(), dims.end() - 1}; }

    bool computes_stats() const { return is_forward() && !has(global_stats); }
    bool writes_stats() const { return computes_stats() && prop_kind == dnnl_forward_training; }
    bool reads_stats() const { return !is_forward() || has(global_stats); }
    bool writes_weights() const { return prop_kind == dnnl_backward; }

    /// The precision that a result may be computed in: f64 if all data is f64, else f32.
    double compute_roundoff() const;
};

std::string to_string(const problem_t &problem);

/// The descriptor of src, dst or a gradient of them.
memory_desc_handle_t make_data_desc(
        const problem_t &problem, dnnl_data_type_t type, const std::string &format);

attr_handle_t make_attr(const problem_t &problem);

/// Creates the primitive descriptor; forward and backward through their `_v2` functions unless
/// scale, shift and their gradients are f32.
dnnl_status_t make_primitive_desc(
        primitive_desc_handle_t &primitive_desc, const problem_t &problem);

/// The same with attributes of the caller's instead of the problem's.
dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr);

/// The same for a problem that must not be refused: throws if it is.
primitive_desc_handle_t accepted_primitive_desc(const problem_t &problem);

} // namespace kiln::test::layer_normalization

// SPDX-License-Identifier: Apache-2.0
// What a test asks of batch or group normalization, as plain data: from it come the descriptors,
// the truth and the text of a failure. It knows neither buffers nor results.
#pragma once

#include <string>

#include "support/data_range.hpp"
#include "support/guarded_buffer.hpp"
#include "support/layout.hpp"
#include "support/post_ops.hpp"
#include "support/scale_attr.hpp"

namespace kiln::test::channel_normalization {

constexpr unsigned global_stats = dnnl_use_global_stats;
constexpr unsigned scale = dnnl_use_scale;
constexpr unsigned shift = dnnl_use_shift;
constexpr unsigned relu = dnnl_fuse_norm_relu;
constexpr unsigned add_relu = dnnl_fuse_norm_add_relu;

/// Every combination of statistics, scale and shift, with each of the fused functions (0 for none).
std::vector<unsigned> all_flags(const std::vector<unsigned> &fused = {0});

/// src is N x C x spatial axes.
struct problem_t {
    dnnl_prop_kind_t prop_kind = dnnl_forward_training;
    dims_t dims;
    int64_t groups = 0; ///< of group normalization; 0 is batch normalization
    unsigned flags = 0;
    float epsilon = 1e-5f;

    // Formats are texts for make_desc().
    std::string src_format;
    std::string dst_format;      // diff_dst, backward; src_1's and diff_src_1's, too
    std::string diff_src_format; // backward only

    dnnl_data_type_t src_type = dnnl_f32;
    dnnl_data_type_t dst_type = dnnl_f32;      // diff_dst, backward
    dnnl_data_type_t diff_src_type = dnnl_f32; // backward only

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
    bool is_grouped() const { return groups != 0; }
    bool has_relu() const { return has(relu | add_relu); }
    bool has_mask() const { return has_relu() && prop_kind != dnnl_forward_inference; }

    int64_t channels() const { return dims[1]; }
    /// Elements of one sample and channel.
    int64_t plane_size() const { return volume({dims.begin() + 2, dims.end()}); }
    int64_t planes() const { return dims[0] * dims[1]; }
    /// Of one channel, or of each sample and group.
    dims_t stat_dims() const;
    /// Which of the statistics is that of a plane.
    int64_t statistic_of(int64_t plane) const;

    bool computes_stats() const { return is_forward() && !has(global_stats); }
    bool writes_stats() const { return computes_stats() && prop_kind == dnnl_forward_training; }
    bool reads_stats() const { return !is_forward() || has(global_stats); }
    bool writes_weights() const { return prop_kind == dnnl_backward; }

    /// The same type for src, dst and diff_src; the same format.
    void set_types(dnnl_data_type_t type) { src_type = dst_type = diff_src_type = type; }
    void set_formats(const std::string &format) {
        src_format = dst_format = diff_src_format = format;
    }
    /// The training forward that a backward problem belongs to.
    problem_t forward_of_it() const;

    /// The precision that a result may be computed in: f64 if all data is f64, else f32.
    double compute_roundoff() const;
};

std::string to_string(const problem_t &problem);

attr_handle_t make_attr(const problem_t &problem);

/// Creates the primitive descriptor, with attributes of the caller's instead of the problem's.
dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint = nullptr);
/// With the problem's attributes.
dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_desc_t hint = nullptr);

/// For a problem that must not be refused: throws if it is. Passes `implementation` of those that
/// accept it, and throws if there are no more.
primitive_desc_handle_t accepted_primitive_desc(const problem_t &problem,
        const_dnnl_primitive_desc_t hint = nullptr, size_t implementation = 0);

/// The names of all implementations that accept a problem, best first.
std::vector<std::string> implementations(
        const problem_t &problem, const_dnnl_primitive_desc_t hint = nullptr);

} // namespace kiln::test::channel_normalization

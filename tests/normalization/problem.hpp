// SPDX-License-Identifier: Apache-2.0
// What a test asks of a normalization, as plain data: from it come the descriptors, the operands,
// the truth and the text of a failure.
#pragma once

#include <functional>
#include <numeric>
#include <string>

#include "kiln/ranks.h"
#include "support/data_range.hpp"
#include "support/guarded_buffer.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"
#include "support/post_ops.hpp"
#include "support/scale_attr.hpp"

namespace kiln::test::normalization {

constexpr unsigned global_stats = dnnl_use_global_stats;
constexpr unsigned scale = dnnl_use_scale;
constexpr unsigned shift = dnnl_use_shift;
constexpr unsigned rms = dnnl_rms_norm;
constexpr unsigned relu = dnnl_fuse_norm_relu;
constexpr unsigned add_relu = dnnl_fuse_norm_add_relu;

enum class operation_t { layer, batch, group };

std::string to_string(operation_t operation);

/// Every combination of statistics, scale and shift, with each of `others` (0 for none).
std::vector<unsigned> all_flags(const std::vector<unsigned> &others = {0});

/// The legal combinations of flags.
std::vector<unsigned> all_flags(operation_t operation);

/// An operand that only an internal descriptor can ask for.
struct extra_operand_t {
    dnnl_data_type_t type = dnnl_data_type_undef; ///< the undefined type: absent
    std::string format = "any";

    bool exists() const { return type != dnnl_data_type_undef; }
};

struct problem_t;

/// Makes the descriptor of a problem that the C interface cannot say; see internal.hpp.
using create_t = dnnl_status_t (*)(
        primitive_desc_handle_t &, const problem_t &, const_dnnl_primitive_attr_t);

struct problem_t {
    operation_t operation = operation_t::layer;
    dnnl_prop_kind_t prop_kind = dnnl_forward_training;
    dims_t dims;
    int64_t groups = 0; ///< of group normalization
    unsigned flags = 0;
    float epsilon = 1e-5f;

    // Formats are texts for make_desc(); "null" passes no descriptor.
    std::string src_format;
    std::string dst_format;          // diff_dst, backward; src_1's and diff_src_1's, too
    std::string diff_src_format;     // backward only
    std::string stat_format = "any"; // of layer normalization; others have row-major f32 statistics

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

    const kiln_ranks_t *ranks = nullptr; ///< that results are combined over; the caller's

    // What only internal descriptors can ask for.
    create_t create = nullptr;     ///< null: through the C interface
    extra_operand_t src_1;         ///< added to src
    extra_operand_t sum;           ///< of src and src_1, an output
    extra_operand_t row_scale;     ///< of each row of a quantized dst, an output
    extra_operand_t relu_operand;  ///< of a ReLU behind which the gradient comes in
    double row_factor = 1. / 127;  ///< from a row's greatest magnitude to its scale
    bool recomputes_stats = false; ///< backward: statistics are not given

    // The inputs that results overwrite; 0 for none.
    int dst_over = 0; // diff_src, backward
    int sum_over = 0;

    data_t data = data_t::ordinary;
    uint64_t seed = 0; ///< of the values of all operands
    placement_t placement = placement_t::ends_at_guard;

    bool has(unsigned flag) const { return flags & flag; }
    bool is_forward() const {
        return prop_kind == dnnl_forward_training || prop_kind == dnnl_forward_inference;
    }
    bool is_layer() const { return operation == operation_t::layer; }
    bool has_relu() const { return has(relu | add_relu); }
    bool has_mask() const { return has_relu() && prop_kind != dnnl_forward_inference; }
    bool has_mean() const { return !has(rms); }

    bool computes_stats() const { return is_forward() && !has(global_stats); }
    bool writes_stats() const { return computes_stats() && prop_kind == dnnl_forward_training; }
    bool reads_stats() const { return is_forward() ? has(global_stats) : !recomputes_stats; }
    bool writes_weights() const { return prop_kind == dnnl_backward; }

    /// Elements that share a mean and a variance are a set: a row, a channel, or the channels of a
    /// sample's group.
    dims_t stat_dims() const;
    int64_t sets() const { return volume(stat_dims()); }
    int64_t set_size() const { return volume(dims) / sets(); }
    /// Which set the element at this place in row-major order belongs to.
    int64_t set_of(int64_t element) const;
    /// How many elements scale and shift have.
    int64_t weights() const { return is_layer() ? dims.back() : dims[1]; }
    int64_t weight_of(int64_t element) const;

    /// The same type for src, dst and diff_src; the same format, which is src_1's and sum's, too.
    void set_types(dnnl_data_type_t type) { src_type = dst_type = diff_src_type = type; }
    void set_formats(const std::string &format) {
        src_format = dst_format = diff_src_format = format;
        src_1.format = sum.format = relu_operand.format = format;
    }
    /// dst overwrites src; diff_src overwrites diff_dst.
    void set_in_place() { dst_over = is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST; }
    /// The training forward that a backward problem belongs to.
    problem_t forward_of_it() const;

    /// The precision that a result may be computed in: f64 if all data is f64, else f32.
    double compute_roundoff() const;

private:
    int64_t plane_size() const {
        return std::accumulate(dims.begin() + 2, dims.end(), int64_t(1), std::multiplies<>());
    }
};

std::string to_string(const problem_t &problem);

attr_handle_t make_attr(const problem_t &problem);

/// The descriptors that the C interface takes. Backward, dst stands for diff_dst.
struct descs_t {
    const_dnnl_memory_desc_t src = nullptr;
    const_dnnl_memory_desc_t dst = nullptr;
    const_dnnl_memory_desc_t diff_src = nullptr;
    const_dnnl_memory_desc_t stat = nullptr;
};

enum class direction_t { forward, backward };

/// Creates a primitive descriptor from any parts, through the function of the C interface for this
/// direction. The problem gives what is no descriptor.
dnnl_status_t create_from(dnnl_primitive_desc_t *out, dnnl_engine_t engine, direction_t direction,
        const problem_t &problem, const descs_t &md, const_dnnl_primitive_attr_t attr = nullptr,
        const_dnnl_primitive_desc_t hint = nullptr);

/// Creates the primitive descriptor, with attributes of the caller's instead of the problem's.
dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint = nullptr);
/// With the problem's attributes.
dnnl_status_t make_primitive_desc(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_desc_t hint = nullptr);

/// What the creation of a problem's descriptor answers.
dnnl_status_t creation_status(const problem_t &problem, const_dnnl_primitive_desc_t hint = nullptr);

/// For a problem that must not be refused: throws if it is. Passes `implementation` of those that
/// accept it, and throws if there are no more.
primitive_desc_handle_t accepted_primitive_desc(const problem_t &problem,
        const_dnnl_primitive_desc_t hint = nullptr, size_t implementation = 0);

/// The names of all implementations that accept a problem, best first.
std::vector<std::string> implementations(
        const problem_t &problem, const_dnnl_primitive_desc_t hint = nullptr);

} // namespace kiln::test::normalization

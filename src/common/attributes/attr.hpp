// SPDX-License-Identifier: Apache-2.0
// Primitive attributes as stored values.
#pragma once

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "common/attributes/post_ops.hpp"
#include "common/attributes/ranks.hpp"
#include "common/memory/optional_memory_desc.hpp"

namespace kiln {

/// How one argument is quantized: scales, zero points or precomputed reductions.
struct quantization_t {
    int mask = 0;
    data_type_t data_type = dnnl_f32;
    int group_ndims = 0;
    std::array<dim_t, 2> group_dims{};
    bool on_host = false;
    dnnl_quantization_mode_t mode = dnnl_quantization_mode_static_sazp;
    auto fields() const {
        return std::tie(mask, data_type, group_ndims, group_dims[0], group_dims[1], on_host, mode);
    }
};

/// By argument (DNNL_ARG_*); an argument that is not quantized is not in it.
using quantization_map_t = std::map<int, quantization_t>;

struct fpmath_t {
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
    bool apply_to_int = false;
    auto fields() const { return std::tie(mode, apply_to_int); }
};

/// Some elements of dst, chosen at random, become 0; the others are scaled up.
struct dropout_t {
    optional_memory_desc_t user_mask; // as it was set; the zero descriptor: the mask is not stored
    data_type_t seed_type = dnnl_data_type_undef;
    bool use_offset = false;
    bool use_host_scalars = false;
    bool requested = false;
    optional_memory_desc_t mask = user_mask; // with its layout, once dst has one
    auto fields() const {
        return std::tie(
                user_mask.get(), mask.get(), seed_type, use_offset, use_host_scalars, requested);
    }
};

struct rnn_data_qparams_t {
    float scale = 1.f;
    float shift = 0.f;
    auto fields() const { return std::tie(scale, shift); }
};

struct rnn_weights_qparams_t {
    int mask = 0;
    std::vector<float> scales; // none: a single 1
    auto fields() const { return std::tie(mask, scales); }
};

/// The attributes that change results; an implementation lists those it honours.
enum class attr_t : unsigned {
    none = 0,
    scales = 1u << 0,
    zero_points = 1u << 1,
    precomputed_reductions = 1u << 2,
    post_ops = 1u << 3,
    accumulation_mode = 1u << 4,
    rounding = 1u << 5,
    dropout = 1u << 6,
    rnn_qparams = 1u << 7,
    ranks = 1u << 8,
};
constexpr attr_t operator|(attr_t a, attr_t b) {
    return static_cast<attr_t>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

} // namespace kiln

struct dnnl_primitive_attr {
    kiln::quantization_map_t scales;
    kiln::quantization_map_t zero_points;
    kiln::quantization_map_t precomputed_reductions;
    std::map<int, dnnl_rounding_mode_t> rounding;
    dnnl_post_ops post_ops;
    dnnl_scratchpad_mode_t scratchpad_mode = dnnl_scratchpad_mode_library;
    kiln::fpmath_t fpmath;
    dnnl_accumulation_mode_t accumulation_mode = dnnl_accumulation_mode_strict;
    bool deterministic = false;
    kiln::dropout_t dropout;
    kiln::rnn_data_qparams_t rnn_data_qparams;
    kiln::rnn_weights_qparams_t rnn_weights_qparams;
    kiln::rnn_weights_qparams_t rnn_weights_projection_qparams;
    kiln::ranks_t ranks;

    /// Takes the default fpmath mode of the library.
    dnnl_primitive_attr();

    auto fields() const {
        return std::tie(scales, zero_points, precomputed_reductions, rounding, post_ops,
                scratchpad_mode, fpmath, accumulation_mode, deterministic, dropout,
                rnn_data_qparams, rnn_weights_qparams, rnn_weights_projection_qparams, ranks);
    }

    /// The name of an attribute that is set though not in `honoured`; null when there is none.
    const char *first_set_beyond(kiln::attr_t honoured) const;
};

// SPDX-License-Identifier: Apache-2.0
// What attributes should hold, and which calls that set them are legal.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>

#include "support/post_op_input.hpp"

namespace kiln::fuzz {

using chain_t = std::vector<std::shared_ptr<const post_op_input_t>>;

struct qparams_t {
    int mask = 0;
    std::vector<float> scales{1.f};
};

/// What an attribute should hold.
struct attr_model_t {
    dnnl_fpmath_mode_t fpmath = dnnl_fpmath_mode_strict;
    bool fpmath_for_integers = false;
    dnnl_accumulation_mode_t accumulation = dnnl_accumulation_mode_strict;
    dnnl_scratchpad_mode_t scratchpad = dnnl_scratchpad_mode_library;
    bool deterministic = false;
    std::map<int, dnnl_rounding_mode_t> rounding;
    std::shared_ptr<const memory_desc_handle_t> dropout_mask;
    dnnl_data_type_t seed_type = dnnl_data_type_undef;
    bool use_offset = false, use_host_scalars = false;
    float rnn_scale = 1, rnn_shift = 0;
    qparams_t weights, projection;
    chain_t chain;
};

inline bool is_one_of(int value, std::initializer_list<int> list) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

inline bool can_have_zero_points(int arg) {
    return is_one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_SRC_2, DNNL_ARG_DST, DNNL_ARG_WEIGHTS,
                                  DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2});
}

inline bool can_have_scales(int arg) {
    constexpr int depthwise = DNNL_ARG_ATTR_POST_OP_DW;
    return can_have_zero_points(arg) || arg == DNNL_ARG_SRC_1
           || (arg > 0 && (arg & DNNL_ARG_MULTIPLE_SRC))
           || is_one_of(arg, {depthwise | DNNL_ARG_SRC, depthwise | DNNL_ARG_WEIGHTS,
                                     depthwise | DNNL_ARG_DST});
}

/// The arguments of a call that sets scales, zero points or precomputed reductions.
struct quantization_t {
    int arg, mask, group_ndims;
    dims_t groups;
    dnnl_data_type_t type;
    int is_on_host;
    dnnl_quantization_mode_t mode;

    bool is_consistent() const {
        const bool has_groups = group_ndims == 2 && mask > 0 && groups.size() == 2 && groups[0] > 0
                                && groups[1] > 0;
        return mask >= 0 && (group_ndims == 0 || has_groups)
               && (!is_on_host || (mask == 0 && group_ndims == 0));
    }
    bool are_legal_scales() const {
        const bool is_wide = is_one_of(type, {dnnl_f32, dnnl_bf16, dnnl_f16});
        const bool is_narrow = is_one_of(type, {dnnl_e8m0, dnnl_f8_e4m3}) && mask > 0;
        return is_consistent() && (is_wide || is_narrow) && can_have_scales(arg)
               && is_one_of(
                       mode, {dnnl_quantization_mode_static_sazp, dnnl_quantization_mode_dynamic_mx,
                                     dnnl_quantization_mode_dynamic_fp});
    }
    bool are_legal_zero_points() const {
        const bool is_wide = is_one_of(type, {dnnl_s32, dnnl_s8, dnnl_u8});
        const bool is_narrow = is_one_of(type, {dnnl_s4, dnnl_u4}) && mask > 0;
        const bool takes_groups = is_one_of(
                arg, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2});
        return is_consistent() && (is_wide || is_narrow) && can_have_zero_points(arg)
               && (takes_groups || (type == dnnl_s32 && group_ndims == 0));
    }
};

} // namespace kiln::fuzz

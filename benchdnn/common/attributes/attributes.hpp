// SPDX-License-Identifier: Apache-2.0
// Primitive attributes as the --attr-* knobs give them. attributes_handle.hpp turns them into a
// library object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/attributes/broadcast.hpp"
#include "common/attributes/post_ops.hpp"
#include "common/tensor/dims.hpp"

namespace benchdnn {

// One argument's scale or zero point.
struct quantization_entry_t {
    int argument = 0;
    broadcast_t broadcast;
    double value = 1; // if it is a single value
    dnnl_data_type_t data_type = dnnl_f32;
    dims_t groups;
    bool on_host() const { return broadcast.policy() == broadcast_t::policy_t::host_scalar; }
};

struct quantization_t {
    std::vector<quantization_entry_t> entries;
    std::string text;
    const quantization_entry_t *find(int argument) const;
};

struct fpmath_t {
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
    bool apply_to_integers = false;
    std::string text = "strict";
};

struct rounding_t {
    struct entry_t {
        int argument;
        dnnl_rounding_mode_t mode;
        int32_t seed;
    };
    std::vector<entry_t> entries;
    std::string text;
    bool is_stochastic(int argument) const;
};

struct precomputed_reductions_t {
    std::vector<quantization_entry_t> entries;
    std::string text;
};

struct dropout_t {
    double probability = 0;
    int64_t seed = 0, offset = 0;
    std::string mask_tag = "any"; // undef: there is no mask
    bool on_host = false;
    std::string text; // "": no dropout
};

struct attributes_t {
    quantization_t scales, zero_points;
    post_ops_t post_ops;
    precomputed_reductions_t precomputed_reductions;
    dropout_t dropout;
    // Not given: the library's, or the user's with --mode-modifier=P.
    std::optional<dnnl_scratchpad_mode_t> scratchpad;
    fpmath_t fpmath;
    dnnl_accumulation_mode_t accumulation = dnnl_accumulation_mode_strict;
    bool deterministic = false;
    rounding_t rounding;

    // The knobs that give these attributes, each followed by a space; all knobs if all is set.
    std::string knobs_text(bool all = false) const;
};

quantization_t parse_scales(const std::string &text);
quantization_t parse_zero_points(const std::string &text);
precomputed_reductions_t parse_precomputed_reductions(const std::string &text);
dropout_t parse_dropout(const std::string &text);
std::optional<dnnl_scratchpad_mode_t> parse_scratchpad_mode(const std::string &text);
fpmath_t parse_fpmath(const std::string &text);
dnnl_accumulation_mode_t parse_accumulation_mode(const std::string &text);
rounding_t parse_rounding(const std::string &text);

} // namespace benchdnn

// SPDX-License-Identifier: Apache-2.0
// Names of execution arguments for messages.

#include "common/verbose/arg_name.hpp"

#include <cstddef>
#include <cstdio>

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln {
namespace {

/// The name without the prefix; null for a number that has none.
const char *tensor_name(int arg) {
    switch (arg) {
    case DNNL_ARG_SRC: return "SRC";
    case DNNL_ARG_SRC_1: return "SRC_1";
    case DNNL_ARG_SRC_2: return "SRC_2";
    case DNNL_ARG_SRC_3: return "SRC_3";
    case DNNL_ARG_DST: return "DST";
    case DNNL_ARG_DST_1: return "DST_1";
    case DNNL_ARG_DST_2: return "DST_2";
    case DNNL_ARG_WEIGHTS: return "WEIGHTS";
    case DNNL_ARG_WEIGHTS_1: return "WEIGHTS_1";
    case DNNL_ARG_WEIGHTS_2: return "WEIGHTS_2";
    case DNNL_ARG_WEIGHTS_3: return "WEIGHTS_3";
    case DNNL_ARG_BIAS: return "BIAS";
    case DNNL_ARG_REDUCE: return "REDUCE";
    case DNNL_ARG_MEAN: return "MEAN";
    case DNNL_ARG_VARIANCE: return "VARIANCE";
    case DNNL_ARG_SCALE: return "SCALE";
    case DNNL_ARG_SHIFT: return "SHIFT";
    case DNNL_ARG_WORKSPACE: return "WORKSPACE";
    case DNNL_ARG_SCRATCHPAD: return "SCRATCHPAD";
    case DNNL_ARG_DIFF_SRC: return "DIFF_SRC";
    case DNNL_ARG_DIFF_SRC_1: return "DIFF_SRC_1";
    case DNNL_ARG_DIFF_SRC_2: return "DIFF_SRC_2";
    case DNNL_ARG_DIFF_SRC_3: return "DIFF_SRC_3";
    case DNNL_ARG_DIFF_DST: return "DIFF_DST";
    case DNNL_ARG_DIFF_DST_1: return "DIFF_DST_1";
    case DNNL_ARG_DIFF_DST_2: return "DIFF_DST_2";
    case DNNL_ARG_DIFF_WEIGHTS: return "DIFF_WEIGHTS";
    case DNNL_ARG_DIFF_WEIGHTS_1: return "DIFF_WEIGHTS_1";
    case DNNL_ARG_DIFF_WEIGHTS_2: return "DIFF_WEIGHTS_2";
    case DNNL_ARG_DIFF_WEIGHTS_3: return "DIFF_WEIGHTS_3";
    case DNNL_ARG_DIFF_BIAS: return "DIFF_BIAS";
    case DNNL_ARG_DIFF_SCALE: return "DIFF_SCALE";
    case DNNL_ARG_DIFF_SHIFT: return "DIFF_SHIFT";
    case DNNL_ARG_ATTR_DROPOUT_OFFSET: return "ATTR_DROPOUT_OFFSET";
    case DNNL_ARG_ATTR_ROUNDING_SEED: return "ATTR_ROUNDING_SEED";
    case DNNL_ARG_ATTR_DROPOUT_MASK: return "ATTR_DROPOUT_MASK";
    case DNNL_ARG_ATTR_DROPOUT_PROBABILITY: return "ATTR_DROPOUT_PROBABILITY";
    case DNNL_ARG_ATTR_DROPOUT_SEED: return "ATTR_DROPOUT_SEED";
    case DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS: return "ATTR_PRECOMPUTED_REDUCTIONS";
    default: return nullptr;
    }
}

} // namespace

arg_name_t::arg_name_t(int arg) {
    struct part_t {
        int bit;
        const char *name;
    };
    constexpr part_t parts[] = {{DNNL_ARG_ATTR_POST_OP_DW, "ATTR_POST_OP_DW"},
            {DNNL_ARG_ATTR_ZERO_POINTS, "ATTR_ZERO_POINTS"}, {DNNL_ARG_ATTR_SCALES, "ATTR_SCALES"}};
    constexpr part_t multiples[] = {
            {DNNL_ARG_MULTIPLE_DST, "MULTIPLE_DST"}, {DNNL_ARG_MULTIPLE_SRC, "MULTIPLE_SRC"}};
    constexpr int post_op_base = DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE;

    size_t length = 0;
    const auto append = [&](const char *format, const auto &...values) {
        length += static_cast<size_t>(
                std::snprintf(text_ + length, sizeof(text_) - length, format, values...));
    };
    int rest = arg;
    if (rest >= post_op_base) {
        append("DNNL_ARG_ATTR_MULTIPLE_POST_OP(%d) | ", rest / post_op_base - 1);
        rest %= post_op_base;
    }
    for (const part_t &part : parts)
        if (rest > 0 && (rest & part.bit)) {
            append("DNNL_ARG_%s | ", part.name);
            rest &= ~part.bit;
        }
    for (const part_t &part : multiples)
        if (rest > 0 && (rest & part.bit)) {
            append("DNNL_ARG_%s + %d", part.name, rest & ~part.bit);
            return;
        }
    if (const char *const name = tensor_name(rest))
        append("DNNL_ARG_%s", name);
    else
        append("argument %d", rest);
}

} // namespace kiln

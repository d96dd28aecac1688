// SPDX-License-Identifier: Apache-2.0
// The bits of all outputs of a case, to compare executions.
#pragma once

#include "channel_normalization/backward_case.hpp"

namespace kiln::test::channel_normalization {

template <typename case_t> std::vector<int> output_args(const case_t &tested) {
    std::vector<int> args;
    for (const int arg : {DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_DIFF_SRC,
                 DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT}) {
        const bool is_stat = arg == DNNL_ARG_MEAN || arg == DNNL_ARG_VARIANCE;
        if (tested.bindings().has(arg) && !(is_stat && tested.problem().reads_stats()))
            args.push_back(arg);
    }
    return args;
}

template <typename case_t> std::vector<std::vector<std::byte>> output_bits(const case_t &tested) {
    std::vector<std::vector<std::byte>> bits;
    for (const int arg : output_args(tested)) bits.push_back(tested.tensor(arg).bits());
    return bits;
}

template <typename case_t> void mark_outputs(case_t &tested) {
    for (const int arg : output_args(tested)) tested.tensor(arg).mark();
}

} // namespace kiln::test::channel_normalization

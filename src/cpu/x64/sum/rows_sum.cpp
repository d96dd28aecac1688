// SPDX-License-Identifier: Apache-2.0
// Sums as rows: dst = scales[0] * srcs[0] + ..., each source read once. The chain of the kernel
// adds the second source and those that follow, one after another, each by a fused multiply-add.

#include "cpu/x64/sum/rows_sum.hpp"

namespace kiln::x64 {

refusal_t describe_elementwise(
        const sum_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec) {
    spec.operation = "sum_row";
    if (pd.srcs().size() > max_summed_rows) return refused("there are more than 23 sources");
    const std::vector<float> &scales = pd.desc().scales;
    layouts.add(DNNL_ARG_DST, pd.dst());
    for (size_t i = 0; i < pd.srcs().size(); ++i) {
        const memory_desc_t &src = pd.srcs()[i];
        layouts.add(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), src);
        if (i > 0)
            spec.chain.push_back({.alg = dnnl_binary_add,
                    .alpha = scales[i],
                    .operands = {{src.data_type, true}},
                    .is_sum = true});
        else if (scales[i] != 1)
            spec.chain.push_back({.alg = dnnl_eltwise_linear, .alpha = scales[i]});
    }
    return accepted();
}

} // namespace kiln::x64

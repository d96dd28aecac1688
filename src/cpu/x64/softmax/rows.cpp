// SPDX-License-Identifier: Apache-2.0
// Softmax on rows: which problems it takes.

#include "cpu/x64/softmax/lines.hpp"
#include "cpu/x64/softmax/rows_plan.hpp"
#include "cpu/x64/softmax/softmax.hpp"

namespace kiln::x64::softmax {

refusal_t accept_rows(softmax_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    lines_t lines;
    if (const refusal_t refusal = find_lines(pd, lines)) return refusal;
    if (lines.block.extent != 1) return refused("blocks cut the axis");
    if (plan_ptr_t columns; lines.axis.extent == 1 && !accept_columns(pd, isa, columns))
        return refused("the axis has an extent of 1, which jit:columns takes");
    if (const refusal_t refusal = lines.place_post_ops(lines.axis, forward_spec_t::first_post_op))
        return refusal;
    return pd.is_forward() ? accept_forward_rows(pd, lines, isa, plan)
                           : accept_backward_rows(pd, lines, isa, plan);
}

} // namespace kiln::x64::softmax

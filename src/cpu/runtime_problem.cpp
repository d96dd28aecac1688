// SPDX-License-Identifier: Apache-2.0
// Memories of tensors whose dims or strides are known only at execution.

#include "cpu/runtime_problem.hpp"

#include <algorithm>

#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln::cpu {
namespace {

/// Whether `values` are what `described` says, where it says something.
bool agree(const dim_t *described, const dim_t *values, int count) {
    return std::equal(described, described + count, values,
            [](dim_t wanted, dim_t value) { return wanted == runtime_dim || wanted == value; });
}

bool has_layout(const memory_desc_t &described, const memory_desc_t &md) {
    const auto &wanted = described.format_desc.blocking, &given = md.format_desc.blocking;
    const auto blocks = static_cast<size_t>(wanted.inner_nblks);
    return is_blocked(md) && !kiln::has_runtime_values(md)
           && wanted.inner_nblks == given.inner_nblks
           && std::equal(wanted.inner_blks, wanted.inner_blks + blocks, given.inner_blks)
           && std::equal(wanted.inner_idxs, wanted.inner_idxs + blocks, given.inner_idxs)
           && agree(wanted.strides, given.strides, described.ndims)
           && agree(&described.offset0, &md.offset0, 1);
}

} // namespace

status_t check_described_memory(
        const char *component, int arg, const memory_desc_t &described, const memory_desc_t &md) {
    KILN_REQUIRE_EXEC(md.ndims == described.ndims && md.data_type == described.data_type
                              && agree(described.dims, md.dims, md.ndims)
                              && has_layout(described, md),
            dnnl_invalid_arguments, component,
            "the memory of %s does not agree with the primitive's descriptor: its data type, "
            "layout and dimensions must be those of the descriptor, except for run-time values",
            arg_name(arg).c_str());
    KILN_REQUIRE_EXEC(same_extra(md.extra, described.extra), dnnl_invalid_arguments, component,
            "the memory of %s and its descriptor differ in the sums behind it",
            arg_name(arg).c_str());
    return dnnl_success;
}

status_t pass_arguments(const char *component, const exec_ctx_t &ctx, exec_ctx_t &inner) {
    const auto &slots = inner.pd().slots();
    for (size_t i = 0; i < slots.size(); ++i) {
        const int from = ctx.pd().slot_of(slots[i].arg);
        if (!ctx.has(from)) continue;
        const memory_desc_t &md = *ctx.md(from);
        const size_t least = slots[i].bytes;
        KILN_REQUIRE_EXEC(least == 0
                                  || (ctx.input(from) != nullptr
                                          && byte_size(md) + offset0_bytes(md) >= least),
                dnnl_invalid_arguments, component, "the memory of %s must hold %zu bytes",
                arg_name(slots[i].arg).c_str(), least);
        KILN_REQUIRE_EXEC(slots[i].type == dnnl_data_type_undef || md.data_type == slots[i].type,
                dnnl_invalid_arguments, component, "the memory of %s must be of %s",
                arg_name(slots[i].arg).c_str(), dnnl_dt2str(slots[i].type));
        inner.set(static_cast<int>(i), ctx.output(from), md);
    }
    return dnnl_success;
}

} // namespace kiln::cpu

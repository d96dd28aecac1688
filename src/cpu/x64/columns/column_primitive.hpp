// SPDX-License-Identifier: Apache-2.0
// Kernels on columns as primitives, where a call for each tile is all that is done.
#pragma once

#include <optional>
#include <string>

#include "common/primitive/primitive.hpp"
#include "cpu/x64/columns/column_execution.hpp"

namespace kiln::x64 {

/// The columns, the kernel's spec, and the memory that it needs.
template <typename spec_t> struct column_plan_t {
    std::optional<columns_t> columns;
    spec_t spec;
    size_t task_bytes = 0; // of memory for each task; 0: the primitive has no scratchpad
    dim_t tasks = 0;       // with memory, at most

    std::string text() const { return columns->text(); }
};

template <typename kernel_t, typename plan_t>
class column_primitive_t final : public primitive_impl_t {
public:
    explicit column_primitive_t(const plan_t &plan)
        : plan_(plan)
        , code_(kernel_t(plan.spec).finish()) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        const columns_t &columns = *plan_.columns;
        columns.call_all(code_, columns.operands().bind(ctx), plan_.spec.is_streamed,
                {ctx.scratchpad(), plan_.task_bytes, plan_.tasks});
        return dnnl_success;
    }

private:
    const plan_t &plan_;
    const jit::executable_code_t code_;
};

} // namespace kiln::x64

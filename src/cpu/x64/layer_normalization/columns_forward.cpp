// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward on columns as a primitive: shares the columns among threads.

#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/columns/column_execution.hpp"
#include "cpu/x64/layer_normalization/column_forward_kernel.hpp"
#include "cpu/x64/layer_normalization/passes.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using spec_t = column_forward_spec_t;

/// The kept axis with the smallest stride in src.
int line_axis_of(const memory_desc_t &src) {
    const auto &strides = src.format_desc.blocking.strides;
    int nearest = 0;
    for (int d = 0; d < src.ndims - 1; ++d)
        if (src.dims[d] != 1 && (src.dims[nearest] == 1 || strides[d] < strides[nearest]))
            nearest = d;
    return nearest;
}

struct columns_forward_plan_t final : plan_t {
    columns_forward_plan_t(const columns_t &of, const spec_t &kernel)
        : columns(of)
        , spec(kernel)
        , tiles(of.plan(), tile_width(kernel.isa, !kernel.post_ops.empty(), kernel.line)) {}

    std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &pd) const override;

    const columns_t columns;
    const spec_t spec;
    const column_tiles_t tiles;
};

class columns_forward_t final : public primitive_impl_t {
public:
    explicit columns_forward_t(const columns_forward_plan_t &plan)
        : plan_(plan)
        , code_(column_forward_kernel_t(plan.spec).finish()) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        const columns_t &columns = plan_.columns;
        const column_tiles_t &tiles = plan_.tiles;
        const addresses_t bases = columns.operands().bind(ctx);
        const bool non_temporal = plan_.spec.has_non_temporal_path()
                                  && !columns.operands().has_alias(bases, spec_t::dst)
                                  && fills_most_of_cache(columns.footprint());
        const dim_t tiles_per_task =
                cpu::items_per_task(tiles.count(), tiles.width() * columns.column_bytes());
        cpu::parallel_chunks(tiles.count(), tiles_per_task, [&](dim_t begin, dim_t end) {
            columns.call(code_, plan_.spec.isa, bases, non_temporal, tiles.begin_of(begin),
                    tiles.begin_of(end));
        });
        return dnnl_success;
    }

private:
    const columns_forward_plan_t &plan_;
    const jit::executable_code_t code_;
};

std::unique_ptr<primitive_impl_t> columns_forward_plan_t::create(const primitive_desc_t &) const {
    return std::make_unique<columns_forward_t>(*this);
}

} // namespace

refusal_t accept_columns_forward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    operand_layouts_t layouts(pd);
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
        layouts.add(arg);
    for (const int arg : {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                 DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST})
        layouts.add_shared(arg);
    spec_t spec;
    if (const refusal_t refusal =
                    add_post_ops_along(pd, line_axis_of(pd.src()), layouts, spec.post_ops))
        return refusal;
    const columns_t columns(
            layouts, pd.src().ndims - 1, spec_t::stepped_count, spec_t::held_count, spec_t::dst);
    if (const refusal_t refusal = columns.check_adjacent()) return refusal;
    spec.isa = isa;
    spec.operands = columns.steps();
    spec.steps = pd.cols();
    spec.line = columns.plan().run_length();
    spec.statistics = statistics_of(pd);
    spec.is_rms = pd.is_rms();
    spec.epsilon = pd.desc().epsilon;
    plan = std::make_shared<columns_forward_plan_t>(columns, spec);
    return accepted();
}

} // namespace kiln::x64::layer_normalization

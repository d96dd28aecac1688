// SPDX-License-Identifier: Apache-2.0
// Batch normalization of channels with few elements, which are columns, as a primitive.

#include <algorithm>
#include <optional>

#include "common/memory/type_set.hpp"
#include "cpu/x64/channel_normalization/channel_column_kernels.hpp"
#include "cpu/x64/channel_normalization/channels_accept.hpp"
#include "cpu/x64/columns/column_execution.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::channel_normalization {
namespace {

template <typename spec_t> struct batch_columns_plan_t {
    std::optional<columns_t> columns;
    spec_t spec;

    std::string text() const { return columns->text(); }
};

template <typename kernel_t> class batch_columns_t final : public primitive_impl_t {
public:
    using spec_t = typename kernel_t::spec_t;
    using plan_t = batch_columns_plan_t<spec_t>;

    explicit batch_columns_t(const plan_t &plan)
        : plan_(plan)
        , code_(kernel_t(plan.spec).finish()) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        const columns_t &columns = *plan_.columns;
        columns.call_all(code_, columns.operands().bind(ctx), plan_.spec.is_streamed);
        return dnnl_success;
    }

private:
    const plan_t &plan_;
    const jit::executable_code_t code_;
};

/// What these kernels leave to others.
refusal_t check_columns(const batch_normalization_pd_t &pd) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    for (const memory_desc_t *md : {&pd.src(), &pd.dst(), &pd.diff_src(), &pd.diff_dst()}) {
        if (is_zero(*md)) continue;
        if (!contains(float_types, md->data_type)) return refused("unsupported data type");
        if (!is_plain(*md)) return refused("a tensor in a blocked layout");
    }
    if (pd.src().dims[1] == 1 || pd.src().format_desc.blocking.strides[1] != 1)
        return refused("channels are not the innermost axis");
    if (pd.has_relu() || pd.has_relu_operand()) return refused("a ReLU of the flags");
    if (pd.combines_statistics() || pd.combines_weight_gradients()) return refused("ranks");
    return accepted();
}

/// In the order of the spec's enum.
refusal_t add_column_operands(const batch_normalization_pd_t &pd, operand_layouts_t &layouts,
        std::vector<jit::post_op_link_t> &post_ops) {
    layouts.add(DNNL_ARG_SRC);
    layouts.add(pd.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST);
    if (!pd.is_forward()) layouts.add(DNNL_ARG_DIFF_SRC);
    for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE})
        layouts.add_shared(arg);
    if (!pd.is_forward()) {
        for (const int arg : {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT}) layouts.add_shared(arg);
        return pd.attr().post_ops.entries.empty() ? accepted() : refused("post-ops on a gradient");
    }
    layouts.add_shared(DNNL_ARG_SHIFT);
    return add_post_ops_along(pd, 1, layouts, post_ops);
}

/// The channels as columns of one loop, which is short.
template <typename spec_t>
refusal_t plan_columns(
        const operand_layouts_t &layouts, isa_t isa, batch_columns_plan_t<spec_t> &work) {
    const size_t operands = layouts.operands().count();
    auto boxes = make_boxes(layouts.mds());
    if (!boxes || boxes->size() != 1) return refused("tensors are cut differently");
    std::vector<row_mode_t> &loops = boxes->front().loops;
    const auto nearest = [](const row_mode_t &a, const row_mode_t &b) {
        return a.strides[spec_t::src] < b.strides[spec_t::src];
    };
    const auto place = std::min_element(loops.begin(), loops.end(), nearest);
    row_mode_t channels = *place;
    loops.erase(place);
    for (size_t i = spec_t::stepped; i < spec_t::held; ++i) channels.strides[i] = 1;
    row_mode_t elements{1, {}};
    if (!loops.empty()) {
        const dim_t step =
                std::min_element(loops.begin(), loops.end(), nearest)->strides[spec_t::src];
        elements = *take_line(loops, operands,
                [&](const row_mode_t &loop) { return loop.strides[spec_t::src] == step; });
    }
    if (!loops.empty()) return refused("elements of a channel are not evenly spaced");
    // Sweeps over a tile find it in the first-level cache, where steps a page apart share few
    // lines.
    constexpr dim_t most_steps = 64, most_steps_of_pages = 32, page = 4096;
    const bool has_pages =
            layouts.operands()[spec_t::src].bytes(elements.strides[spec_t::src]) % page == 0;
    if (elements.extent > (has_pages ? most_steps_of_pages : most_steps))
        return refused("channels have many elements");
    work.columns.emplace(layouts.operands(),
            row_plan_t(operands, {channels}, boxes->front().origin), elements, isa, spec_t::stepped,
            spec_t::held, spec_t::output, work.spec.needs_many_registers());
    return work.columns->check_adjacent();
}

template <typename kernel_t>
refusal_t accept_direction(batch_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    using spec_t = typename kernel_t::spec_t;
    const auto made =
            std::make_shared<plan_of_t<batch_columns_t<kernel_t>, batch_columns_plan_t<spec_t>>>();
    spec_t &spec = made->work.spec;
    operand_layouts_t layouts(pd);
    if (const refusal_t refusal = add_column_operands(pd, layouts, spec.post_ops)) return refusal;
    if (const refusal_t refusal = plan_columns(layouts, isa, made->work)) return refusal;
    made->work.columns->describe(spec);
    spec.isa = isa;
    spec.length = pd.channel_size();
    spec.is_streamed = fills_most_of_cache(made->work.columns->footprint());
    spec.epsilon = pd.desc().epsilon;
    spec.reads_stats = pd.reads_stats();
    spec.writes_stats = pd.writes_stats();
    spec.has_constant_stats = pd.has_global_stats();
    plan = made;
    return accepted();
}

} // namespace

refusal_t accept_batch_columns(batch_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (const refusal_t refusal = check_columns(pd)) return refusal;
    const auto accept = pd.is_forward() ? accept_direction<channel_column_forward_kernel_t>
                                        : accept_direction<channel_column_backward_kernel_t>;
    return accept(pd, isa, plan);
}

} // namespace kiln::x64::channel_normalization

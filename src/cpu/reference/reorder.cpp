// SPDX-License-Identifier: Apache-2.0
// The scalar truth of reorder:
//     dst = (src_scale * (src - src_zero_point) + sum_scale * (dst - sum_zero_point)) / dst_scale
//           + dst_zero_point
// in double, which holds every data type exactly; without attributes, elements of one type are
// moved as they are. Padding is not written here: whoever executes primitives keeps it zero.

#include "cpu/reference/reorder.hpp"

#include <array>
#include <optional>

#include "common/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/reference/reorder_nest.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// Elements that are converted at a time; they stay in the first cache.
constexpr dim_t segment_size = 512;
using segment_t = std::array<double, segment_size>;

template <typename unit_t>
void copy_units(const void *from, dim_t from_offset, const axis_offsets_t &from_axis, void *to,
        dim_t to_offset, const axis_offsets_t &to_axis, dim_t begin, dim_t end) {
    for (dim_t i = begin; i < end; ++i)
        store_element(
                load_element<unit_t>(from, from_offset + from_axis(i)), to, to_offset + to_axis(i));
}

/// A tensor of an execution and its argument.
struct operand_t {
    operand_t(const memory_desc_t &md, int slot)
        : tensor(md)
        , slot(slot) {}
    tensor_t tensor;
    int slot;
};

class reorder_t : public primitive_impl_t {
public:
    explicit reorder_t(const reorder_pd_t &pd);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    void execute_segments(const exec_ctx_t &ctx, dim_t begin, dim_t end) const;
    void copy(const exec_ctx_t &ctx, const odometer_t &outer, dim_t begin, dim_t end) const;
    void convert(const exec_ctx_t &ctx, const odometer_t &outer, dim_t begin,
            std::span<double> values) const;

    const reorder_pd_t &pd_;
    dims_t dims_; // of the loops; the last one is the run
    int run_axis_;
    dim_t segments_;   // of a run
    bool moves_bytes_; // nothing to compute
    bool contiguous_;  // runs of src and dst are
    std::optional<operand_t> src_, dst_, src_scale_, dst_scale_, src_zero_point_, dst_zero_point_;
};

reorder_t::reorder_t(const reorder_pd_t &pd)
    : pd_(pd) {
    reorder_nest_t nest(pd.src(), pd.dst());
    const auto add_quantization = [&](const quantization_map_t &map, int arg) {
        const auto found = map.find(arg);
        if (found != map.end()) nest.add(found->second.mask, found->second.data_type);
        return found != map.end();
    };
    const primitive_attr_t &attr = pd.attr();
    const bool has_src_scale = add_quantization(attr.scales, DNNL_ARG_FROM);
    const bool has_dst_scale = add_quantization(attr.scales, DNNL_ARG_TO);
    const bool has_src_zero_point = add_quantization(attr.zero_points, DNNL_ARG_FROM);
    const bool has_dst_zero_point = add_quantization(attr.zero_points, DNNL_ARG_TO);
    nest.simplify();

    auto next = nest.tensors().begin();
    const auto bind = [&](std::optional<operand_t> &operand, bool present, int arg) {
        if (present) operand.emplace(*next++, pd.slot_of(arg));
    };
    bind(src_, true, DNNL_ARG_FROM);
    bind(dst_, true, DNNL_ARG_TO);
    bind(src_scale_, has_src_scale, DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM);
    bind(dst_scale_, has_dst_scale, DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO);
    bind(src_zero_point_, has_src_zero_point, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM);
    bind(dst_zero_point_, has_dst_zero_point, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO);

    const memory_desc_t &src = nest.tensors()[0];
    const memory_desc_t &dst = nest.tensors()[1];
    std::copy_n(src.dims, src.ndims, dims_);
    run_axis_ = src.ndims - 1;
    segments_ = (dims_[run_axis_] + segment_size - 1) / segment_size;
    moves_bytes_ =
            src.data_type == dst.data_type && nest.tensors().size() == 2 && pd.sum() == nullptr;
    contiguous_ = is_contiguous(src, run_axis_) && is_contiguous(dst, run_axis_);
}

status_t reorder_t::execute(const exec_ctx_t &ctx) const {
    dim_t count = segments_;
    for (int d = 0; d < run_axis_; ++d) count *= dims_[d];
    constexpr dim_t elements_per_task = 32768;
    const dim_t run = std::clamp<dim_t>(dims_[run_axis_], 1, segment_size);
    parallel_chunks(count, elements_per_task / run,
            [&](dim_t begin, dim_t end) { execute_segments(ctx, begin, end); });
    return dnnl_success;
}

void reorder_t::execute_segments(const exec_ctx_t &ctx, dim_t begin, dim_t end) const {
    segment_t values;
    odometer_t outer(run_axis_, dims_, begin / segments_);
    for (dim_t i = begin; i < end; ++i) {
        const dim_t segment = i % segments_;
        const dim_t from = segment * segment_size;
        const dim_t to = std::min(dims_[run_axis_], from + segment_size);
        if (moves_bytes_)
            copy(ctx, outer, from, to);
        else
            convert(ctx, outer, from, std::span(values).first(static_cast<size_t>(to - from)));
        if (segment + 1 == segments_) outer.next();
    }
}

void reorder_t::copy(const exec_ctx_t &ctx, const odometer_t &outer, dim_t begin, dim_t end) const {
    const layout_t &src = src_->tensor.layout();
    const layout_t &dst = dst_->tensor.layout();
    const void *from = ctx.input(src_->slot);
    void *to = ctx.output(dst_->slot);
    const dim_t from_offset = outer.offset(src);
    const dim_t to_offset = outer.offset(dst);
    const auto size = static_cast<dim_t>(data_type_size(src_->tensor.data_type()));
    if (contiguous_) {
        // In place, both are the same bytes.
        std::memmove(static_cast<std::byte *>(to) + (to_offset + begin) * size,
                static_cast<const std::byte *>(from) + (from_offset + begin) * size,
                static_cast<size_t>((end - begin) * size));
        return;
    }
    const auto run = [&]<typename unit_t>(std::type_identity<unit_t>) {
        copy_units<unit_t>(from, from_offset, src.axis(run_axis_), to, to_offset,
                dst.axis(run_axis_), begin, end);
    };
    switch (size) {
    case 1: return run(std::type_identity<uint8_t>());
    case 2: return run(std::type_identity<uint16_t>());
    case 4: return run(std::type_identity<uint32_t>());
    default: return run(std::type_identity<uint64_t>());
    }
}

void reorder_t::convert(const exec_ctx_t &ctx, const odometer_t &outer, dim_t begin,
        std::span<double> values) const {
    segment_t buffer;
    const std::span<double> other = std::span(buffer).first(values.size());
    const auto load = [&](const operand_t &operand, std::span<double> to) {
        operand.tensor.load(ctx.input(operand.slot), outer.offset(operand.tensor.layout()),
                run_axis_, begin, to);
    };
    const auto combine = [&](const std::optional<operand_t> &operand, const auto &operation) {
        if (!operand) return;
        load(*operand, other);
        for (size_t i = 0; i < values.size(); ++i) operation(values[i], other[i]);
    };

    load(*src_, values);
    combine(src_zero_point_, [](double &value, double zero_point) { value -= zero_point; });
    combine(src_scale_, [](double &value, double scale) { value *= scale; });
    // A sum of nothing does not look at dst, which need not be initialized then.
    if (const sum_post_op_t *sum = pd_.sum(); sum && sum->scale != 0.f) {
        const double scale = static_cast<double>(sum->scale);
        const double zero_point = sum->zero_point;
        combine(dst_, [=](double &value, double old) { value += scale * (old - zero_point); });
    }
    combine(dst_scale_, [](double &value, double scale) { value /= scale; });
    combine(dst_zero_point_, [](double &value, double zero_point) { value += zero_point; });
    dst_->tensor.store(
            ctx.output(dst_->slot), outer.offset(dst_->tensor.layout()), run_axis_, begin, values);
}

/// No elements, nothing to do.
class empty_reorder_t : public primitive_impl_t {
public:
    status_t execute(const exec_ctx_t &) const override { return dnnl_success; }
};

} // namespace

refusal_t reorder_accept(reorder_pd_t &) { return accepted(); }

status_t reorder_create(const reorder_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    if (has_zero_dim(pd.src()))
        impl = std::make_unique<empty_reorder_t>();
    else
        impl = std::make_unique<reorder_t>(pd);
    return dnnl_success;
}

} // namespace kiln::cpu::reference

// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of reorder:
//     dst = post_ops(src_scale * (src - src_zero_point)) / dst_scale + dst_zero_point
// It computes in double, which holds every data type exactly; post-ops are computed in float (in
// double if src or dst is f64). Without attributes, elements of one type are copied. Padding is set
// to zero by the caller.

#include "cpu/reference/reorder.hpp"

#include <array>
#include <optional>

#include "common/primitive/primitive.hpp"
#include "cpu/binary_scalar.hpp"
#include "cpu/eltwise_scalar.hpp"
#include "cpu/reference/compensation.hpp"
#include "cpu/reference/reorder_axes.hpp"
#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// Elements that are converted together; they stay in the L1 cache.
constexpr dim_t segment_size = 512;
using segment_t = std::array<double, segment_size>;

template <typename unit_t>
void copy_units(const void *from, dim_t from_offset, const axis_offsets_t &from_axis, void *to,
        dim_t to_offset, const axis_offsets_t &to_axis, dim_t begin, dim_t end) {
    for (dim_t i = begin; i < end; ++i)
        store_element(
                load_element<unit_t>(from, from_offset + from_axis(i)), to, to_offset + to_axis(i));
}

/// A tensor and the slot of its argument.
struct operand_t {
    /// `dims` are those of the loops.
    operand_t(const memory_desc_t &md, const memory_desc_t &dims, int slot)
        : tensor(md)
        , slot(slot) {
        for (int d = 0; d < md.ndims; ++d) {
            groups[d] = dims.dims[d] / md.dims[d];
            has_groups |= groups[d] != 1;
        }
    }
    tensor_t tensor;
    int slot;
    dims_t groups = {}; // neighbours along each axis that share an element
    bool has_groups = false;
};

/// A post-op and what it reads besides the value: dst for a sum, the operands of a binary one.
struct link_t {
    const post_op_t &post_op;
    std::vector<operand_t> operands;
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
    void load(const operand_t &operand, const exec_ctx_t &ctx, const odometer_t &outer, dim_t begin,
            std::span<double> to) const;
    void apply(const link_t &link, const exec_ctx_t &ctx, const odometer_t &outer, dim_t begin,
            std::span<double> values) const;

    dims_t dims_; // of the loops; the last one is the run
    int run_axis_;
    dim_t segments_;       // of a run
    bool moves_bytes_;     // elements are copied
    bool contiguous_;      // the elements of a run are adjacent in src and in dst
    bool rounds_to_float_; // operands and results of post-ops
    const memory_desc_t dst_md_;
    double scale_adjustment_ = 1; // of weights with compensation
    std::optional<operand_t> src_, dst_, src_scale_, dst_scale_, src_zero_point_, dst_zero_point_;
    std::vector<link_t> links_;
};

reorder_t::reorder_t(const reorder_pd_t &pd)
    : dst_md_(pd.dst()) {
    if (dst_md_.extra.flags & has_scale_adjustment)
        scale_adjustment_ = static_cast<double>(dst_md_.extra.scale_adjust);
    reorder_axes_t nest(pd.src(), pd.dst());
    const auto add_quantization = [&](const quantization_map_t &map, int kind, int arg) {
        const auto found = map.find(arg);
        if (found != map.end()) nest.add(pd.md_of(kind | arg));
        return found != map.end();
    };
    const primitive_attr_t &attr = pd.attr();
    constexpr int scale = DNNL_ARG_ATTR_SCALES, zero_point = DNNL_ARG_ATTR_ZERO_POINTS;
    const bool has_src_scale = add_quantization(attr.scales, scale, DNNL_ARG_FROM);
    const bool has_dst_scale = add_quantization(attr.scales, scale, DNNL_ARG_TO);
    const bool has_src_zero_point = add_quantization(attr.zero_points, zero_point, DNNL_ARG_FROM);
    const bool has_dst_zero_point = add_quantization(attr.zero_points, zero_point, DNNL_ARG_TO);
    for (const post_op_t &entry : attr.post_ops.entries)
        for_each_operand(entry, [&](int, const memory_desc_t &md) { nest.add(md); });
    nest.simplify();

    auto next = nest.tensors().begin();
    const auto bind = [&](std::optional<operand_t> &operand, bool present, int arg) {
        if (present) operand.emplace(*next++, nest.tensors()[0], pd.slot_of(arg));
    };
    bind(src_, true, DNNL_ARG_FROM);
    bind(dst_, true, DNNL_ARG_TO);
    bind(src_scale_, has_src_scale, scale | DNNL_ARG_FROM);
    bind(dst_scale_, has_dst_scale, scale | DNNL_ARG_TO);
    bind(src_zero_point_, has_src_zero_point, zero_point | DNNL_ARG_FROM);
    bind(dst_zero_point_, has_dst_zero_point, zero_point | DNNL_ARG_TO);
    for (size_t i = 0; i < attr.post_ops.entries.size(); ++i) {
        link_t link{attr.post_ops.entries[i], {}};
        const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i));
        for_each_operand(link.post_op, [&](int role, const memory_desc_t &) {
            link.operands.emplace_back(*next++, nest.tensors()[0], pd.slot_of(base | role));
        });
        links_.push_back(std::move(link));
    }

    const memory_desc_t &src = nest.tensors()[0];
    const memory_desc_t &dst = nest.tensors()[1];
    std::copy_n(src.dims, src.ndims, dims_);
    run_axis_ = src.ndims - 1;
    segments_ = (dims_[run_axis_] + segment_size - 1) / segment_size;
    moves_bytes_ = src.data_type == dst.data_type && scale_adjustment_ == 1
                   && !is_half_byte(src.data_type) && nest.tensors().size() == 2 && links_.empty();
    rounds_to_float_ = !links_.empty() && src.data_type != dnnl_f64 && dst.data_type != dnnl_f64;
    contiguous_ = is_contiguous(src, run_axis_) && is_contiguous(dst, run_axis_);
}

status_t reorder_t::execute(const exec_ctx_t &ctx) const {
    dim_t count = segments_;
    for (int d = 0; d < run_axis_; ++d) count *= dims_[d];
    const dim_t run = std::clamp<dim_t>(dims_[run_axis_], 1, segment_size);
    parallel_chunks(count, items_of_task(run),
            [&](dim_t begin, dim_t end) { execute_segments(ctx, begin, end); });
    if (compensation_bytes(dst_md_) != 0) store_compensation(dst_md_, ctx.output(dst_->slot));
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
        // src and dst may be the same buffer.
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

void reorder_t::load(const operand_t &operand, const exec_ctx_t &ctx, const odometer_t &outer,
        dim_t begin, std::span<double> to) const {
    const void *const data = ctx.input(operand.slot);
    const layout_t &layout = operand.tensor.layout();
    if (!operand.has_groups)
        return operand.tensor.load(data, outer.offset(layout), run_axis_, begin, to);
    dim_t offset = layout.offset0();
    for (int d = 0; d < run_axis_; ++d)
        offset += layout.axis(d)(outer.position()[d] / operand.groups[d]);
    for (size_t i = 0; i < to.size(); ++i) {
        const dim_t index = (begin + static_cast<dim_t>(i)) / operand.groups[run_axis_];
        to[i] = operand.tensor.load(data, offset + layout.axis(run_axis_)(index));
    }
}

void reorder_t::convert(const exec_ctx_t &ctx, const odometer_t &outer, dim_t begin,
        std::span<double> values) const {
    segment_t buffer;
    const std::span<double> other = std::span(buffer).first(values.size());
    const auto combine = [&](const std::optional<operand_t> &operand, const auto &operation) {
        if (!operand) return;
        load(*operand, ctx, outer, begin, other);
        for (size_t i = 0; i < values.size(); ++i) operation(values[i], other[i]);
    };

    load(*src_, ctx, outer, begin, values);
    combine(src_zero_point_, [](double &value, double zero_point) { value -= zero_point; });
    combine(src_scale_, [](double &value, double scale) { value *= scale; });
    for (double &value : values) value *= scale_adjustment_;
    for (const link_t &link : links_) apply(link, ctx, outer, begin, values);
    combine(dst_scale_, [](double &value, double scale) { value /= scale; });
    combine(dst_zero_point_, [](double &value, double zero_point) { value += zero_point; });
    if (rounds_to_float_ && dst_->tensor.data_type() == dnnl_s32) {
        constexpr double greatest = 0x1.fffffep30; // the greatest float that fits s32
        for (double &value : values) value = value > greatest ? greatest : value;
    }
    dst_->tensor.store(
            ctx.output(dst_->slot), outer.offset(dst_->tensor.layout()), run_axis_, begin, values);
}

void reorder_t::apply(const link_t &link, const exec_ctx_t &ctx, const odometer_t &outer,
        dim_t begin, std::span<double> values) const {
    segment_t buffer, second_buffer;
    const std::span<double> other = std::span(buffer).first(values.size());
    const std::span<double> condition = std::span(second_buffer).first(values.size());
    const auto round = [&] {
        if (!rounds_to_float_) return;
        for (double &value : values) value = static_cast<float>(value);
    };
    round();
    if (const auto *sum = std::get_if<sum_post_op_t>(&link.post_op)) {
        // With scale 0, dst is not read and need not be initialized.
        if (sum->scale == 0.f) return;
        load(*dst_, ctx, outer, begin, other);
        const double scale = static_cast<double>(sum->scale);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] += scale * (other[i] - sum->zero_point);
    } else if (const auto *eltwise = std::get_if<eltwise_post_op_t>(&link.post_op)) {
        const auto function = eltwise->is_derivative ? eltwise_derivative : eltwise_fwd;
        for (double &value : values)
            value = function(
                    eltwise->alg, static_cast<float>(value), eltwise->alpha, eltwise->beta);
    } else if (const auto *operation = std::get_if<binary_post_op_t>(&link.post_op)) {
        load(link.operands[0], ctx, outer, begin, other);
        if (operation->has_src2()) load(link.operands[1], ctx, outer, begin, condition);
        for (size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<float>(values[i]);
            const auto src1 = static_cast<float>(other[i]);
            values[i] = operation->has_src2() ? binary_select(value, src1, condition[i] != 0)
                                              : binary(operation->alg, value, src1);
        }
    } else if (std::holds_alternative<prelu_post_op_t>(link.post_op)) {
        load(link.operands[0], ctx, outer, begin, other);
        for (size_t i = 0; i < values.size(); ++i)
            if (!(values[i] > 0)) values[i] *= other[i];
    }
    round();
}

/// A reorder of tensors without elements.
class empty_reorder_t : public primitive_impl_t {
public:
    explicit empty_reorder_t(const reorder_pd_t &) {}
    status_t execute(const exec_ctx_t &) const override { return dnnl_success; }
};

} // namespace

refusal_t reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan) {
    const reorder_axes_t axes(pd.src(), pd.dst());
    for (const post_op_t &entry : pd.attr().post_ops.entries) {
        const auto *binary = std::get_if<binary_post_op_t>(&entry);
        if (binary
                && !(axes.can_add(binary->src1)
                        && (!binary->has_src2() || axes.can_add(binary->src2))))
            return refused(
                    "a binary post-op's operand of 12 axes is broadcast along a blocked one");
    }
    return has_zero_dim(pd.src()) ? accepted_for<empty_reorder_t>(pd, plan)
                                  : accepted_for<reorder_t>(pd, plan);
}

} // namespace kiln::cpu::reference

// SPDX-License-Identifier: Apache-2.0
// A kernel of normalization backward on rows, with operands to run it on.
#include "kernels/row_backward_run.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "oneapi/dnnl/dnnl_debug.h"
#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

dim_t bytes(data_type_t type, dim_t count) {
    return static_cast<dim_t>(kiln::test::size_of(type)) * count;
}

/// An unused vector is of some type, too; no kernel sees it.
data_type_t element_type(data_type_t type) {
    return type == dnnl_data_type_undef ? dnnl_f32 : type;
}

} // namespace

row_backward_spec_t backward_case_t::spec() const {
    row_backward_spec_t spec{};
    spec.isa = isa;
    spec.cols = cols;
    spec.src_type = src_type;
    spec.diff_dst_type = diff_dst_type;
    spec.diff_src_type = diff_src_type;
    spec.scale_type = scale_type;
    spec.is_rms = is_rms;
    spec.has_constant_statistics = has_constant_statistics;
    spec.has_diff_src = has_diff_src;
    spec.has_diff_scale = has_diff_scale;
    spec.has_diff_shift = has_diff_shift;
    spec.epsilon = epsilon;
    spec.rows = rows;
    spec.is_streamed = is_streamed;
    if (!recomputes_statistics) spec.stat_type = stat_type;
    for (const backward_post_op_t &post_op : post_ops) {
        jit::post_op_link_t link{post_op.alg, post_op.alpha, post_op.beta};
        if (post_op.operand_type != dnnl_data_type_undef) {
            link.operands.push_back({post_op.operand_type, post_op.per_lane});
            const dim_t pitch = (post_op.per_lane ? cols : 1) + 4 * gap;
            const bool moves = rows > 1 && !post_op.is_same_of_rows;
            spec.operand_pitches.push_back(moves ? bytes(post_op.operand_type, pitch) : 0);
        }
        spec.post_ops.push_back(std::move(link));
    }
    if (rows == 1) return spec; // plans give single rows no pitch
    spec.src_pitch = bytes(src_type, cols + gap);
    spec.diff_dst_pitch = bytes(diff_dst_type, cols + 2 * gap);
    spec.stat_pitch = bytes(stat_type, 1 + gap);
    spec.diff_src_pitch = diff_src_place == place_t::of_src        ? spec.src_pitch
                          : diff_src_place == place_t::of_diff_dst ? spec.diff_dst_pitch
                          : diff_src_place == place_t::of_operand
                                  ? spec.operand_pitches.front()
                                  : bytes(diff_src_type, cols + 3 * gap);
    if (is_streamed && diff_src_place == place_t::own) {
        const auto alignment = static_cast<dim_t>(spec.non_temporal_alignment());
        spec.diff_src_pitch = (spec.diff_src_pitch + alignment - 1) / alignment * alignment;
    }
    return spec;
}

std::string backward_case_t::describe() const {
    std::ostringstream text;
    text << spec().name() << " diff_src " << dnnl_dt2str(diff_src_type) << ' ' << rows << 'x'
         << cols << " gap " << gap << " scale " << dnnl_dt2str(scale_type) << " epsilon " << epsilon
         << (has_constant_statistics ? " constant statistics" : "") << " statistics "
         << (recomputes_statistics ? "recomputed" : dnnl_dt2str(stat_type)) << " post-ops "
         << post_ops.size() << " outputs" << (has_diff_src ? " diff_src" : "")
         << (has_diff_scale ? " diff_scale" : "") << (has_diff_shift ? " diff_shift" : "")
         << (is_streamed ? " streamed" : "")
         << (diff_src_place == place_t::of_src               ? " over src"
                    : diff_src_place == place_t::of_diff_dst ? " over diff_dst"
                    : diff_src_place == place_t::of_operand  ? " over an operand"
                                                             : "")
         << (placement == placement_t::ends_at_guard ? " ends at guard" : " begins at guard");
    return text.str();
}

backward_run_t::backward_run_t(const backward_case_t &tested)
    : tested_(tested)
    , spec_(tested.spec())
    , src(tested.src_type, tested.rows, tested.cols, spec_.src_pitch, tested.placement)
    , diff_dst(tested.diff_dst_type, tested.rows, tested.cols, spec_.diff_dst_pitch,
              tested.placement)
    , mean(tested.stat_type, tested.rows, 1, spec_.stat_pitch, tested.placement)
    , variance(tested.stat_type, tested.rows, 1, spec_.stat_pitch, tested.placement)
    , scale(element_type(tested.scale_type), 1, tested.cols, 0, tested.placement)
    , diff_scale(dnnl_f32, 1, tested.cols, 0, tested.placement)
    , diff_shift(dnnl_f32, 1, tested.cols, 0, tested.placement) {
    size_t pitch = 0;
    for (const backward_post_op_t &post_op : tested.post_ops)
        if (post_op.operand_type != dnnl_data_type_undef)
            operands.emplace_back(post_op.operand_type, post_op.is_same_of_rows ? 1 : tested.rows,
                    post_op.per_lane ? tested.cols : 1, spec_.operand_pitches[pitch++],
                    tested.placement);
    if (tested.diff_src_place == place_t::own)
        diff_src_.emplace(tested.diff_src_type, tested.rows, tested.cols, spec_.diff_src_pitch,
                tested.placement);
}

row_tensor_t &backward_run_t::diff_src() {
    switch (tested_.diff_src_place) {
    case place_t::of_src: return src;
    case place_t::of_diff_dst: return diff_dst;
    case place_t::of_operand: return operands.front();
    case place_t::own: break;
    }
    return *diff_src_;
}

bool backward_run_t::stores_past_caches() {
    const auto place = reinterpret_cast<uintptr_t>(diff_src().data());
    return may_store_past_caches && tested_.is_streamed && tested_.has_diff_src
           && tested_.diff_src_place == place_t::own
           && (place | static_cast<uintptr_t>(spec_.diff_src_pitch))
                              % spec_.non_temporal_alignment()
                      == 0;
}

void backward_run_t::run(dim_t first, dim_t rows) {
    // What the kernel has no business with is null.
    row_backward_args_t args{};
    const auto sums = [](const row_tensor_t &tensor) {
        return reinterpret_cast<float *>(tensor.data());
    };
    args.src = src.row(first);
    args.diff_dst = diff_dst.row(first);
    if (tested_.has_diff_src) args.diff_src = diff_src().row(first);
    if (!tested_.recomputes_statistics) {
        if (!tested_.is_rms) args.mean = mean.row(first);
        args.variance = variance.row(first);
    }
    for (size_t i = 0; i < operands.size(); ++i)
        args.operands[i] =
                spec_.operand_pitches[i] == 0 ? operands[i].data() : operands[i].row(first);
    if (tested_.scale_type != dnnl_data_type_undef) args.scale = scale.data();
    if (tested_.has_diff_scale) args.diff_scale = sums(diff_scale);
    if (tested_.has_diff_shift) args.diff_shift = sums(diff_shift);
    args.rows = rows;
    const bool is_non_temporal = stores_past_caches();
    const auto &code = codes_[is_non_temporal ? 1 : 0].get([&] {
        row_backward_spec_t spec = spec_;
        spec.is_non_temporal = is_non_temporal;
        return row_backward_kernel_t(spec).finish();
    });
    code.entry<void (*)(row_backward_args_t *)>()(&args);
}

bool backward_run_t::has_intact_gaps() {
    for (const row_tensor_t *const tensor :
            {&src, &diff_dst, &diff_src(), &mean, &variance, &scale, &diff_scale, &diff_shift})
        if (!tensor->has_intact_gaps()) return false;
    return std::all_of(operands.begin(), operands.end(),
            [](row_tensor_t &tensor) { return tensor.has_intact_gaps(); });
}

} // namespace kiln::x64::layer_normalization::test

// SPDX-License-Identifier: Apache-2.0
// A kernel of layer normalization backward on rows, with operands to run it on.
#include "kernels/row_backward_run.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "cpu/x64/store_policy.hpp"
#include "kernels/kernel_failure.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

using spec_t = backward_spec_t;

dim_t bytes(data_type_t type, dim_t count) {
    return static_cast<dim_t>(kiln::test::size_of(type)) * count;
}

/// An unused vector is of some type, too; no kernel sees it.
data_type_t element_type(data_type_t type) {
    return type == dnnl_data_type_undef ? dnnl_f32 : type;
}

} // namespace

backward_spec_t backward_case_t::spec() const {
    backward_spec_t spec;
    spec.isa = isa;
    spec.length = cols;
    spec.run_length = rows;
    spec.rows_unit = rows_unit;
    spec.operands.resize(spec_t::first_post_op);
    spec.is_streamed = is_streamed;
    spec.splits_stores = cols % 2 != 0; // whose rows cross cache lines
    spec.is_rms = is_rms;
    spec.has_constant_statistics = has_constant_statistics;
    spec.epsilon = epsilon;
    // Plans give single rows no pitch.
    const auto pitched = [&](data_type_t type, dim_t elements) {
        return row_operand_t{type, rows == 1 ? 0 : bytes(type, elements)};
    };
    for (const backward_post_op_t &post_op : post_ops) {
        jit::post_op_link_t link{post_op.alg, post_op.alpha, post_op.beta};
        if (post_op.operand_type != dnnl_data_type_undef) {
            link.operands.push_back({post_op.operand_type, post_op.per_lane});
            const dim_t elements = (post_op.per_lane ? cols : 1) + 4 * gap;
            spec.operands.push_back(
                    pitched(post_op.operand_type, post_op.is_same_of_rows ? 0 : elements));
        }
        spec.post_ops.push_back(std::move(link));
    }
    spec.operands[spec_t::src] = pitched(src_type, cols + gap);
    spec.operands[spec_t::diff_dst] = pitched(diff_dst_type, cols + 2 * gap);
    if (has_diff_src) {
        row_operand_t &diff_src = spec.operands[spec_t::diff_src];
        switch (diff_src_place) {
        case place_t::of_src: diff_src = spec.operands[spec_t::src]; break;
        case place_t::of_diff_dst: diff_src = spec.operands[spec_t::diff_dst]; break;
        case place_t::of_operand: diff_src = spec.operands[spec_t::first_post_op]; break;
        case place_t::own:
            diff_src = pitched(diff_src_type, cols + 3 * gap);
            if (!is_streamed) break;
            const auto alignment = static_cast<dim_t>(non_temporal_alignment(isa, diff_src_type));
            diff_src.pitch = (diff_src.pitch + alignment - 1) / alignment * alignment;
        }
    }
    if (!recomputes_statistics) {
        if (!is_rms) spec.operands[spec_t::mean] = pitched(stat_type, 1 + gap);
        spec.operands[spec_t::variance] = pitched(stat_type, 1 + gap);
    }
    spec.operands[spec_t::scale].type = scale_type;
    if (has_diff_scale) spec.operands[spec_t::diff_scale].type = dnnl_f32;
    if (has_diff_shift) spec.operands[spec_t::diff_shift].type = dnnl_f32;
    return spec;
}

std::string backward_case_t::describe() const {
    std::ostringstream text;
    text << spec().name("row") << " diff_src " << dnnl_dt2str(diff_src_type) << ' ' << rows << 'x'
         << cols << " gap " << gap << " scale " << dnnl_dt2str(scale_type) << " epsilon " << epsilon
         << (has_constant_statistics ? " constant statistics" : "") << " statistics "
         << (recomputes_statistics ? "recomputed" : dnnl_dt2str(stat_type)) << " post-ops "
         << post_ops.size() << " NaN in column " << nan_col << " outputs"
         << (has_diff_src ? " diff_src" : "") << (has_diff_scale ? " diff_scale" : "")
         << (has_diff_shift ? " diff_shift" : "") << (is_streamed ? " streamed" : "")
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
    , src(rows_of(spec_t::src, tested.cols))
    , diff_dst(rows_of(spec_t::diff_dst, tested.cols))
    , mean(rows_of(spec_t::mean, 1))
    , variance(rows_of(spec_t::variance, 1))
    , scale(element_type(tested.scale_type), 1, tested.cols, 0, tested.placement)
    , diff_scale(dnnl_f32, 1, tested.cols, 0, tested.placement)
    , diff_shift(dnnl_f32, 1, tested.cols, 0, tested.placement) {
    size_t operand = spec_t::first_post_op;
    for (const backward_post_op_t &post_op : tested.post_ops)
        if (post_op.operand_type != dnnl_data_type_undef)
            operands.emplace_back(post_op.operand_type, post_op.is_same_of_rows ? 1 : tested.rows,
                    post_op.per_lane ? tested.cols : 1, spec_.pitch(operand++), tested.placement);
    if (tested.diff_src_place == place_t::own)
        diff_src_.emplace(rows_of(spec_t::diff_src, tested.cols));
}

row_tensor_t backward_run_t::rows_of(size_t operand, dim_t cols) const {
    const data_type_t type = element_type(spec_.type(operand));
    return {type, tested_.rows, cols, spec_.has(operand) ? spec_.pitch(operand) : bytes(type, cols),
            tested_.placement};
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

bool backward_run_t::has_non_temporal_diff_src() {
    return may_use_non_temporal_stores && tested_.is_streamed && tested_.has_diff_src
           && tested_.diff_src_place == place_t::own
           && are_aligned(diff_src().data(), spec_.pitch(spec_t::diff_src),
                   non_temporal_alignment(spec_.isa, spec_.type(spec_t::diff_src)));
}

void backward_run_t::run(dim_t first, dim_t rows) {
    // The addresses of absent operands are null.
    row_args_t args{.operands = {}, .rows = rows, .scratch = nullptr};
    const std::pair<size_t, row_tensor_t *> tensors[]{{spec_t::src, &src},
            {spec_t::diff_dst, &diff_dst}, {spec_t::diff_src, &diff_src()}, {spec_t::mean, &mean},
            {spec_t::variance, &variance}, {spec_t::scale, &scale},
            {spec_t::diff_scale, &diff_scale}, {spec_t::diff_shift, &diff_shift}};
    const auto set = [&](size_t operand, const row_tensor_t &tensor) {
        if (spec_.has(operand))
            args.operands[operand] = tensor.data() + first * spec_.pitch(operand);
    };
    for (const auto &[operand, tensor] : tensors) set(operand, *tensor);
    for (size_t i = 0; i < operands.size(); ++i) set(spec_t::first_post_op + i, operands[i]);
    const bool is_non_temporal = has_non_temporal_diff_src();
    const auto &code = codes_[is_non_temporal ? 1 : 0].get([&] {
        backward_spec_t spec = spec_;
        spec.is_non_temporal = is_non_temporal;
        return row_backward_kernel_t(spec).finish();
    });
    called_ = &code;
    code.entry<void (*)(row_args_t *)>()(&args);
}

::testing::AssertionResult backward_run_t::failure(uint64_t seed, const std::string &reason) const {
    return kiln::test::kernel_failure_t(spec_.name("row"), tested_.describe(), seed,
            {called_->data(), called_->size()})(reason);
}

bool backward_run_t::has_intact_gaps() {
    for (const row_tensor_t *const tensor :
            {&src, &diff_dst, &diff_src(), &mean, &variance, &scale, &diff_scale, &diff_shift})
        if (!tensor->has_intact_gaps()) return false;
    return std::all_of(operands.begin(), operands.end(),
            [](row_tensor_t &tensor) { return tensor.has_intact_gaps(); });
}

} // namespace kiln::x64::layer_normalization::test

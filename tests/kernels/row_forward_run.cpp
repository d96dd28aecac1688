// SPDX-License-Identifier: Apache-2.0
// A kernel of layer normalization forward on rows, with operands to run it on.
#include "kernels/row_forward_run.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "cpu/x64/store_policy.hpp"
#include "kernels/kernel_failure.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

using spec_t = forward_spec_t;

/// Unused operands are of some type, too; no kernel sees them.
data_type_t element_type(data_type_t type) {
    return type == dnnl_data_type_undef ? dnnl_f32 : type;
}

dim_t bytes(data_type_t type, dim_t count) {
    return static_cast<dim_t>(kiln::test::size_of(element_type(type))) * count;
}

const char *name_of(statistics_t statistics) {
    switch (statistics) {
    case statistics_t::computed: return "computed";
    case statistics_t::computed_and_stored: return "stored";
    case statistics_t::given: return "given";
    }
    return "?";
}

} // namespace

forward_spec_t forward_case_t::spec() const {
    forward_spec_t spec;
    spec.isa = isa;
    spec.length = cols;
    spec.run_length = rows;
    spec.rows_unit = rows_unit;
    spec.operands.resize(spec_t::first_post_op);
    spec.post_ops = post_ops;
    spec.is_streamed = is_streamed;
    spec.statistics = statistics;
    spec.is_rms = is_rms;
    spec.epsilon = epsilon;
    spec.keeps_results = keeps_results && row_scale_type != dnnl_data_type_undef;
    // Plans give single rows no pitch.
    const auto add = [&](size_t operand, data_type_t type, dim_t pitch) {
        spec.operands[operand] = {type, rows == 1 ? 0 : pitch};
    };
    const auto aligned = [&](data_type_t type, dim_t pitch) {
        if (!is_streamed || type == dnnl_data_type_undef) return pitch;
        const auto alignment = static_cast<dim_t>(non_temporal_alignment(isa, type));
        return (pitch + alignment - 1) / alignment * alignment;
    };
    const dim_t src_pitch = bytes(src_type, cols + gap);
    const dim_t src_1_pitch = bytes(src_1_type, cols + 3 * gap);
    add(spec_t::src, src_type, src_pitch);
    add(spec_t::dst, dst_type,
            is_in_place ? src_pitch : aligned(dst_type, bytes(dst_type, cols + 2 * gap)));
    add(spec_t::src_1, src_1_type, src_1_pitch);
    add(spec_t::sum, sum_type,
            sum_place == sum_place_t::of_src ? src_pitch
            : sum_place == sum_place_t::of_src_1
                    ? src_1_pitch
                    : aligned(sum_type, bytes(sum_type, cols + 4 * gap)));
    if (statistics != statistics_t::computed) {
        if (!is_rms) add(spec_t::mean, stat_type, bytes(stat_type, 1 + gap));
        add(spec_t::variance, stat_type, bytes(stat_type, 1 + gap));
    }
    add(spec_t::scale, scale_type, 0);
    add(spec_t::shift, shift_type, 0);
    if (has_src_scale) add(spec_t::src_scale, dnnl_f32, 0);
    if (has_dst_scale) add(spec_t::dst_scale, dnnl_f32, 0);
    add(spec_t::row_scale, row_scale_type, bytes(row_scale_type, 1 + 2 * gap));
    if (row_scale_type != dnnl_data_type_undef) add(spec_t::row_factor, dnnl_f32, 0);
    return spec;
}

std::string forward_case_t::describe() const {
    std::ostringstream text;
    text << spec().name("row") << ' ' << rows << 'x' << cols << " gap " << gap << " scale "
         << dnnl_dt2str(scale_type) << " shift " << dnnl_dt2str(shift_type) << " statistics "
         << name_of(statistics) << " epsilon " << epsilon << (has_src_scale ? " src_scale" : "")
         << (has_dst_scale ? " dst_scale" : "") << (is_streamed ? " streamed" : "")
         << (is_in_place ? " in place" : "") << " statistics " << dnnl_dt2str(stat_type)
         << " src_1 " << dnnl_dt2str(src_1_type) << " sum " << dnnl_dt2str(sum_type)
         << (sum_place == sum_place_t::of_src            ? " over src"
                    : sum_place == sum_place_t::of_src_1 ? " over src_1"
                                                         : "")
         << (keeps_results ? " kept results" : "") << " row_scale " << dnnl_dt2str(row_scale_type)
         << " post-ops " << post_ops.size() << " NaN in column " << nan_col
         << (placement == placement_t::ends_at_guard ? " ends at guard" : " begins at guard");
    return text.str();
}

forward_run_t::forward_run_t(const forward_case_t &tested)
    : tested_(tested)
    , spec_(tested.spec())
    , src(rows_of(spec_t::src))
    , mean(rows_of(spec_t::mean, 1))
    , variance(rows_of(spec_t::variance, 1))
    , scale(row_of(spec_t::scale, tested.cols))
    , shift(row_of(spec_t::shift, tested.cols))
    , src_scale(row_of(spec_t::src_scale, 1))
    , dst_scale(row_of(spec_t::dst_scale, 1))
    , src_1(rows_of(spec_t::src_1))
    , row_scale(rows_of(spec_t::row_scale, 1))
    , row_factor(row_of(spec_t::row_factor, 1)) {
    if (spec_.has(spec_t::sum) && tested.sum_place == sum_place_t::own)
        sum_.emplace(rows_of(spec_t::sum));
    if (!tested.is_in_place) dst_.emplace(rows_of(spec_t::dst));
}

row_tensor_t forward_run_t::rows_of(size_t operand, dim_t cols) const {
    return {element_type(spec_.type(operand)), tested_.rows, cols == 0 ? tested_.cols : cols,
            spec_.has(operand) ? spec_.pitch(operand) : bytes(dnnl_f32, tested_.cols),
            tested_.placement};
}

row_tensor_t forward_run_t::row_of(size_t operand, dim_t cols) const {
    return {element_type(spec_.type(operand)), 1, cols, 0, tested_.placement};
}

row_tensor_t &forward_run_t::sum() {
    return sum_ ? *sum_ : tested_.sum_place == sum_place_t::of_src ? src : src_1;
}

bool forward_run_t::is_non_temporal(const row_tensor_t &tensor, size_t operand) const {
    return may_use_non_temporal_stores && tested_.is_streamed && &tensor != &src
           && &tensor != &src_1 && spec_.has_non_temporal_stores(operand)
           && are_aligned(tensor.data(), spec_.pitch(operand),
                   non_temporal_alignment(spec_.isa, spec_.type(operand)));
}

void forward_run_t::run(dim_t first, dim_t rows) {
    forward_spec_t spec = spec_;
    spec.is_dst_non_temporal = has_non_temporal_dst();
    spec.is_sum_non_temporal = spec.has(spec_t::sum) && has_non_temporal_sum();
    const auto &code = codes_[spec.is_dst_non_temporal + 2 * spec.is_sum_non_temporal].get(
            [&] { return row_forward_kernel_t(spec).finish(); });
    const auto scratch_bytes = static_cast<size_t>(scratch_size(spec));
    kiln::test::guarded_buffer_t scratch(
            std::max(scratch_bytes, size_t{1}), placement_t::ends_at_guard);
    // The addresses of absent operands are null.
    row_args_t args{.operands = {}, .rows = rows, .scratch = scratch.data()};
    const std::pair<size_t, row_tensor_t *> tensors[]{{spec_t::src, &src}, {spec_t::dst, &dst()},
            {spec_t::mean, &mean}, {spec_t::variance, &variance}, {spec_t::scale, &scale},
            {spec_t::shift, &shift}, {spec_t::src_1, &src_1}, {spec_t::sum, &sum()},
            {spec_t::row_scale, &row_scale}, {spec_t::src_scale, &src_scale},
            {spec_t::dst_scale, &dst_scale}, {spec_t::row_factor, &row_factor}};
    for (const auto &[operand, tensor] : tensors)
        if (spec_.has(operand))
            args.operands[operand] = tensor->data() + first * spec_.pitch(operand);
    called_ = &code;
    code.entry<void (*)(const row_args_t *)>()(&args);
}

::testing::AssertionResult forward_run_t::failure(uint64_t seed, const std::string &reason) const {
    return kiln::test::kernel_failure_t(spec_.name("row"), tested_.describe(), seed,
            {called_->data(), called_->size()})(reason);
}

bool forward_run_t::has_intact_gaps() {
    for (const row_tensor_t *const tensor : {&src, &dst(), &sum(), &src_1, &mean, &variance, &scale,
                 &shift, &src_scale, &dst_scale, &row_scale, &row_factor})
        if (!tensor->has_intact_gaps()) return false;
    return true;
}

std::vector<std::byte> forward_run_t::result_bits(dim_t row) {
    std::vector<std::byte> bits = dst().row_bits(row);
    for (const row_tensor_t *const tensor : {&mean, &variance, &row_scale, &sum()}) {
        const auto more = tensor->row_bits(row);
        bits.insert(bits.end(), more.begin(), more.end());
    }
    return bits;
}

} // namespace kiln::x64::layer_normalization::test

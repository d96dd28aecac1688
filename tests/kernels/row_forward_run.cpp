// SPDX-License-Identifier: Apache-2.0
// A kernel of normalization forward on rows, with operands to run it on.
#include "kernels/row_forward_run.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "oneapi/dnnl/dnnl_debug.h"
#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

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

std::vector<isa_t> machine_levels() {
    std::vector<isa_t> levels;
    for (const isa_t isa : {isa_t::avx2, isa_t::avx512_core, isa_t::avx512_core_bf16})
        if (has_isa(isa)) levels.push_back(isa);
    return levels;
}

row_forward_spec_t forward_case_t::spec() const {
    row_forward_spec_t spec{};
    spec.isa = isa;
    spec.cols = cols;
    spec.src_type = src_type;
    spec.dst_type = dst_type;
    spec.scale_type = scale_type;
    spec.shift_type = shift_type;
    spec.statistics = statistics;
    spec.is_rms = is_rms;
    spec.epsilon = epsilon;
    spec.src_scale_type = has_src_scale ? dnnl_f32 : dnnl_data_type_undef;
    spec.dst_scale_type = has_dst_scale ? dnnl_f32 : dnnl_data_type_undef;
    spec.rows = rows;
    spec.is_streamed = is_streamed;
    spec.stat_type = stat_type;
    spec.src_1_type = src_1_type;
    spec.sum_type = sum_type;
    spec.row_scale_type = row_scale_type;
    spec.post_ops = post_ops;
    spec.keeps_results = keeps_results && row_scale_type != dnnl_data_type_undef;
    if (rows == 1) return spec; // plans give single rows no pitch
    spec.src_pitch = bytes(src_type, cols + gap);
    spec.dst_pitch = is_in_place ? spec.src_pitch : bytes(dst_type, cols + 2 * gap);
    spec.src_1_pitch = bytes(src_1_type, cols + 3 * gap);
    spec.sum_pitch = sum_place == sum_place_t::of_src     ? spec.src_pitch
                     : sum_place == sum_place_t::of_src_1 ? spec.src_1_pitch
                                                          : bytes(sum_type, cols + 4 * gap);
    const auto align = [&](dim_t &pitch, data_type_t type) {
        const auto alignment = static_cast<dim_t>(spec.non_temporal_alignment(type));
        pitch = (pitch + alignment - 1) / alignment * alignment;
    };
    if (is_streamed && !is_in_place) align(spec.dst_pitch, dst_type);
    if (is_streamed && sum_place == sum_place_t::own && sum_type != dnnl_data_type_undef)
        align(spec.sum_pitch, sum_type);
    spec.stat_pitch = bytes(stat_type, 1 + gap);
    spec.row_scale_pitch = bytes(row_scale_type, 1 + 2 * gap);
    return spec;
}

std::string forward_case_t::describe() const {
    std::ostringstream text;
    text << spec().name() << ' ' << rows << 'x' << cols << " gap " << gap << " scale "
         << dnnl_dt2str(scale_type) << " shift " << dnnl_dt2str(shift_type) << " statistics "
         << name_of(statistics) << " epsilon " << epsilon << (has_src_scale ? " src_scale" : "")
         << (has_dst_scale ? " dst_scale" : "") << (is_streamed ? " streamed" : "")
         << (is_in_place ? " in place" : "") << " statistics " << dnnl_dt2str(stat_type)
         << " src_1 " << dnnl_dt2str(src_1_type) << " sum " << dnnl_dt2str(sum_type)
         << (sum_place == sum_place_t::of_src            ? " over src"
                    : sum_place == sum_place_t::of_src_1 ? " over src_1"
                                                         : "")
         << (keeps_results ? " kept results" : "") << " row_scale " << dnnl_dt2str(row_scale_type)
         << " post-ops " << post_ops.size()
         << (placement == placement_t::ends_at_guard ? " ends at guard" : " begins at guard");
    return text.str();
}

forward_run_t::forward_run_t(const forward_case_t &tested)
    : tested_(tested)
    , spec_(tested.spec())
    , src(tested.src_type, tested.rows, tested.cols, spec_.src_pitch, tested.placement)
    , mean(tested.stat_type, tested.rows, 1, spec_.stat_pitch, tested.placement)
    , variance(tested.stat_type, tested.rows, 1, spec_.stat_pitch, tested.placement)
    , scale(element_type(tested.scale_type), 1, tested.cols, 0, tested.placement)
    , shift(element_type(tested.shift_type), 1, tested.cols, 0, tested.placement)
    , src_scale(dnnl_f32, 1, 1, 0, tested.placement)
    , dst_scale(dnnl_f32, 1, 1, 0, tested.placement)
    , src_1(element_type(tested.src_1_type), tested.rows, tested.cols, spec_.src_1_pitch,
              tested.placement)
    , row_scale(element_type(tested.row_scale_type), tested.rows, 1, spec_.row_scale_pitch,
              tested.placement)
    , row_factor(dnnl_f32, 1, 1, 0, tested.placement) {
    if (tested.sum_type != dnnl_data_type_undef && tested.sum_place == sum_place_t::own)
        sum_.emplace(tested.sum_type, tested.rows, tested.cols, spec_.sum_pitch, tested.placement);
    if (!tested.is_in_place)
        dst_.emplace(tested.dst_type, tested.rows, tested.cols, spec_.dst_pitch, tested.placement);
}

row_tensor_t &forward_run_t::sum() {
    return sum_ ? *sum_ : tested_.sum_place == sum_place_t::of_src ? src : src_1;
}

bool forward_run_t::is_past_caches(
        const row_tensor_t &tensor, data_type_t type, dim_t pitch) const {
    const auto place = reinterpret_cast<uintptr_t>(tensor.data());
    return may_store_past_caches && tested_.is_streamed && &tensor != &src && &tensor != &src_1
           && spec_.has_non_temporal_stores(type)
           && (place | static_cast<uintptr_t>(pitch)) % spec_.non_temporal_alignment(type) == 0;
}

row_forward_args_t forward_run_t::args(dim_t first, dim_t rows) {
    // What the kernel has no business with is null.
    row_forward_args_t args{};
    args.src = src.row(first);
    args.dst = dst().row(first);
    if (tested_.statistics != statistics_t::computed) {
        args.mean = tested_.is_rms ? nullptr : mean.row(first);
        args.variance = variance.row(first);
    }
    if (tested_.scale_type != dnnl_data_type_undef) args.scale = scale.data();
    if (tested_.shift_type != dnnl_data_type_undef) args.shift = shift.data();
    if (tested_.has_src_scale) args.src_scale = src_scale.data();
    if (tested_.has_dst_scale) args.dst_scale = dst_scale.data();
    if (tested_.src_1_type != dnnl_data_type_undef) args.src_1 = src_1.row(first);
    if (tested_.sum_type != dnnl_data_type_undef) args.sum = sum().row(first);
    if (tested_.row_scale_type != dnnl_data_type_undef) {
        args.row_scale = row_scale.row(first);
        args.row_factor = reinterpret_cast<const float *>(row_factor.data());
    }
    args.rows = rows;
    return args;
}

void forward_run_t::run(dim_t first, dim_t rows) {
    const bool is_non_temporal = stores_past_caches();
    const bool is_sum_non_temporal =
            tested_.sum_type != dnnl_data_type_undef && stores_sum_past_caches();
    row_forward_spec_t spec = spec_;
    spec.is_non_temporal = is_non_temporal;
    spec.is_sum_non_temporal = is_sum_non_temporal;
    const auto &code = codes_[is_non_temporal + 2 * is_sum_non_temporal].get(
            [&] { return row_forward_kernel_t(spec).finish(); });
    const auto scratch_size = static_cast<size_t>(spec.scratch_size());
    kiln::test::guarded_buffer_t scratch(
            std::max(scratch_size, size_t{1}), placement_t::ends_at_guard);
    scratch.open_all();
    row_forward_args_t args = this->args(first, rows);
    args.scratch = scratch.data();
    code.entry<void (*)(const row_forward_args_t *)>()(&args);
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

// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on columns.

#include "cpu/x64/layer_normalization/column_forward_kernel.hpp"

namespace kiln::x64::layer_normalization {

using jit::store_t;
using jit::vec_t;

column_forward_kernel_t::column_forward_kernel_t(const forward_spec_t &spec)
    : column_kernel_t(spec, spec.name("column"), spec.needs_many_registers(), held)
    , spec_(spec) {}

void column_forward_kernel_t::write_tile(const tile_t &tile) {
    const bool are_given = spec_.statistics == statistics_t::given;
    const tile_statistics_t v = statistics_of(tile, !spec_.is_rms, !are_given);
    if (are_given) {
        load_all(v.means, mean, tile);
        load_all(v.variances, variance, tile);
    } else {
        find_statistics(v, src);
        if (spec_.statistics == statistics_t::computed_and_stored) {
            store_all(v.means, mean, tile);
            store_all(v.variances, variance, tile);
        }
    }
    find_reciprocals(v, spec_.epsilon);
    for_each_store(dst, [&](store_t how) { write_result(v, how); });
}

void column_forward_kernel_t::write_result(const tile_statistics_t &v, store_t how) {
    const auto src_factor = load_scalar(src_scale), dst_divisor = load_scalar(dst_scale);
    const auto factor = weight(scale), offset = weight(shift);
    const vec_t value = vec("y");
    const auto &y = *value;
    for_each_result({src, dst}, [&] {
        load_next(factor);
        load_next(offset);
        prefetch_next_tile(src, v.tile);
        for (int i = 0; i < v.tile.vectors; ++i) {
            load_normalized(y, src, i, v);
            if (factor && offset)
                vfmadd213ps(y, *factor->value, *offset->value);
            else if (factor)
                vmulps(y, y, *factor->value);
            else if (offset)
                vaddps(y, y, *offset->value);
            if (src_factor) vmulps(y, y, **src_factor);
            apply_post_ops(y, i, v.tile);
            if (dst_divisor) vdivps(y, y, **dst_divisor);
            store(y, dst, i, v.tile, how);
        }
    });
}

} // namespace kiln::x64::layer_normalization

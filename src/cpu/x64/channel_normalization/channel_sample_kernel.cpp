// SPDX-License-Identifier: Apache-2.0
// Picks a pivot for each channel: an approximate median of 16 of its elements.

#include "cpu/x64/channel_normalization/channel_sample_kernel.hpp"

#include <cstddef>

namespace kiln::x64::channel_normalization {

std::string channel_sample_spec_t::name() const {
    return jit::kernel_name(std::string("channel_sample_") + name_of(rows), {src_type}, isa);
}

channel_sample_kernel_t::channel_sample_kernel_t(const channel_sample_spec_t &spec)
    : tiled_kernel_t(spec.isa, spec.name(), spec.line, 1)
    , spec_(spec) {}

void channel_sample_kernel_t::generate() {
    const gpr_t column = gpr("column");
    const gpr_t pivots = gpr("pivots", argument(offsetof(channel_sample_args_t, pivots)));
    xor_(*column, *column);
    if (spec_.rows == channel_rows_t::planes) {
        return repeat(argument(offsetof(channel_sample_args_t, units)), [&] {
            const vec_t best = winner(0, static_cast<int>(channel_samples), column, lanes());
            vmovss(dword[*pivots], xmm(best));
            add(*pivots, size_of(dnnl_f32));
            add(*column, argument(offsetof(channel_sample_args_t, unit_pitch)));
        });
    }
    const gpr_t left = gpr("columns left", argument(offsetof(channel_sample_args_t, length)));
    prepare_tail();
    for_each_tile(left, [&](const tile_t &tile) {
        const vec_t best = winner(0, static_cast<int>(channel_samples), column, tile.last_lanes);
        io_.store(best, dnnl_f32, *pivots + *column * size_of(dnnl_f32), tile.last_lanes);
        add(*column, lanes());
    });
    io_.release();
}

jit::vec_t channel_sample_kernel_t::winner(
        int first, int count, const gpr_t &column, int lanes_used) {
    if (count == 1) return load(first, column, lanes_used);
    const int half = count / 2;
    vec_t one = winner(first, half, column, lanes_used);
    const vec_t other = winner(first + half, half, column, lanes_used);
    // Rounds: the lesser of 2, the greater of 4, the lesser of 8, the greater of 16 samples.
    const bool takes_lesser = count == 2 || count == 8;
    if (takes_lesser)
        vminps(*one, *one, *other);
    else
        vmaxps(*one, *one, *other);
    return one;
}

jit::vec_t channel_sample_kernel_t::load(int sample, const gpr_t &column, int lanes_used) {
    vec_t x = vec("sample");
    const gpr_t from =
            gpr("address of a sample", argument(offsetof(channel_sample_args_t, samples)
                                                + static_cast<size_t>(sample) * sizeof(void *)));
    const RegExp place = *from + *column * size_of(spec_.src_type);
    if (spec_.rows == channel_rows_t::planes)
        io_.load_broadcast(x, spec_.src_type, place);
    else
        io_.load(x, spec_.src_type, place, lanes_used);
    return x;
}

} // namespace kiln::x64::channel_normalization

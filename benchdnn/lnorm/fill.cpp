// SPDX-License-Identifier: Apache-2.0
// Data of the lnorm driver. Each row has a level and a spread of its own, each element its own
// value, gradients lean with src, so that a wrong row, a wrong column or a missing term moves the
// results by much more than rounding does.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/data_type.hpp"
#include "common/fill.hpp"
#include "common/parallel.hpp"
#include "lnorm/problem.hpp"
#include "lnorm/reference.hpp"

namespace benchdnn::lnorm {

namespace {

// Of a row's values: center + spread * noise.
struct level_t {
    double center, spread;
};

// Problems differ in how far src lies from zero, measured in its own spread: about zero, off it, or
// so far off that E[x^2] - E[x]^2 has no correct digits left. The farthest is what still leaves a
// value a few significant bits of the spread. RMS normalization takes no mean away; far off zero
// its results would all be 1 or -1. The seed decides, so a problem always gets the same.
double offset_in_spreads(const spec_t &spec, uint64_t seed) {
    const double farthest =
            spec.flags.rms()
                    ? 2
                    : std::min(1000., std::ldexp(1, significand_digits(spec.type.src) - 4));
    const double offsets[] = {0, std::min(4., farthest), farthest};
    return offsets[seed % 3];
}

level_t level_of(const spec_t &spec, uint64_t seed, dim_t row) {
    const dnnl_data_type_t type = spec.type.src;
    // 7, 13 and 17: no block size is a multiple of their product.
    const double shifted = static_cast<double>(row * 5 % 13) / 13 - 0.5;
    const double widened = 0.5 + static_cast<double>(row * 3 % 7) / 7;
    if (type == dnnl_u8) return {128 + 40 * shifted, 60 + 40 * widened};
    if (type == dnnl_s8) return {40 * shifted, 40 + 40 * widened};
    if (type == dnnl_s32) return {4000 * shifted, 1000 * widened};
    const double sign = row * 5 % 17 < 8 ? -1 : 1;
    return {(sign * offset_in_spreads(spec, seed) + shifted) * widened, 1.7 * widened};
}

void fill_src(const spec_t &spec, uint64_t seed, tensor_t &src) {
    const noise_t noise(seed);
    fill_rows(src, [&](dim_t row, double *values) {
        const level_t level = level_of(spec, seed, row);
        for (dim_t col = 0; col < spec.cols(); ++col)
            values[col] = level.center + level.spread * noise(row * spec.cols() + col);
    });
}

// A part common to all keeps average(g) away from zero, a part that follows src keeps
// average(g * x) away from it.
void fill_diff_dst(const spec_t &spec, uint64_t seed, tensor_t &diff_dst) {
    const noise_t src_noise(seed), noise(seed + 1);
    fill_rows(diff_dst, [&](dim_t row, double *values) {
        const double size = 0.5 + static_cast<double>(row * 2 % 11) / 11;
        for (dim_t col = 0; col < spec.cols(); ++col) {
            const dim_t index = row * spec.cols() + col;
            values[col] = size * (0.2 + 0.3 * src_noise(index) + 0.6 * noise(index));
        }
    });
}

// Scale has both signs and no zeros; integer outputs get more of their range.
void fill_scale_and_shift(const spec_t &spec, uint64_t seed, arguments_t &arguments) {
    const bool is_integer = spec.direction.is_forward() && is_integer_type(spec.type.dst);
    const double size = is_integer ? 16 : 1;
    if (arguments.has(DNNL_ARG_SCALE)) {
        const noise_t noise(seed + 2);
        fill_rows(arguments.at(DNNL_ARG_SCALE), [&](dim_t, double *values) {
            for (dim_t col = 0; col < spec.cols(); ++col)
                values[col] = size * (col % 5 == 3 ? -1 : 1) * (1.1 + 0.8 * noise(col));
        });
    }
    if (arguments.has(DNNL_ARG_SHIFT)) {
        const noise_t noise(seed + 3);
        fill_rows(arguments.at(DNNL_ARG_SHIFT), [&](dim_t, double *values) {
            for (dim_t col = 0; col < spec.cols(); ++col)
                values[col] = size * (0.3 + 1.2 * noise(col));
        });
    }
}

// What a training pass would have stored. Global statistics are not the row's own: an
// implementation that computes them instead of reading them is found out.
void fill_statistics(const spec_t &spec, arguments_t &arguments) {
    const tensor_t &src = arguments.at(DNNL_ARG_SRC);
    parallel_shares(spec.cols() > 0 ? spec.rows() : 0, [&](int, dim_t begin, dim_t end) {
        std::vector<double> values(spec.cols());
        for (dim_t r = begin; r < end; ++r) {
            src.load_row(r, values.data());
            const row_t row{values.data(), spec.cols(), spec.type.src, spec.epsilon,
                    spec.flags.rms(), nullptr, nullptr};
            const statistics_t own = statistics_of(row);
            double mean = own.mean.value, variance = own.variance.value;
            if (spec.flags.global_stats()) {
                mean += 0.25 * std::sqrt(variance);
                variance = 1.5 * variance + 0.05;
            }
            if (arguments.has(DNNL_ARG_MEAN)) arguments.at(DNNL_ARG_MEAN).store(r, mean);
            arguments.at(DNNL_ARG_VARIANCE).store(r, variance);
        }
    });
}

} // namespace

void fill(const spec_t &spec, arguments_t &arguments) {
    const uint64_t seed = seed_of(dims_text(spec.shape.dims) + spec.direction.name
                                  + spec.flags.letters() + data_type_text(spec.type.src));
    fill_src(spec, seed, arguments.at(DNNL_ARG_SRC));
    fill_scale_and_shift(spec, seed, arguments);
    if (arguments.has(DNNL_ARG_DIFF_DST))
        fill_diff_dst(spec, seed, arguments.at(DNNL_ARG_DIFF_DST));
    if (arguments.has(DNNL_ARG_VARIANCE) && !spec.computes_stats())
        fill_statistics(spec, arguments);
}

} // namespace benchdnn::lnorm

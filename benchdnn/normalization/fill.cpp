// SPDX-License-Identifier: Apache-2.0
// Data of a normalization.
#include <vector>

#include "common/tensor/data_type.hpp"
#include "common/tensor/parallel.hpp"
#include "normalization/populations.hpp"
#include "normalization/problem.hpp"

namespace benchdnn::normalization {

namespace {

// The seed decides if no position is given, so a problem always has the same data.
src_kind_t kind_of(const normalization_spec_t &spec, uint64_t seed) {
    using position_t = src_kind_t::position_t;
    constexpr position_t positions[] = {position_t::about_zero, position_t::off_zero,
            position_t::far_off_zero, position_t::exact};
    const int kinds = spec.has_rows() ? 3 : 4;
    return {spec.position.value_or(positions[seed % kinds]), !spec.flags.rms()};
}

template <typename values_t>
void fill_populations(tensor_t &tensor, const populations_t &populations, const values_t &value) {
    parallel_shares(populations.count(), populations.elements(), [&](int, dim_t begin, dim_t end) {
        std::vector<double> values(populations.size());
        for (dim_t p = begin; p < end; ++p) {
            for (dim_t i = 0; i < populations.size(); ++i) values[i] = value(p, i);
            populations.store(tensor, p, values.data());
        }
    });
}

void fill_scale_and_shift(const normalization_spec_t &spec, uint64_t seed, arguments_t &arguments) {
    const bool for_integers = spec.direction.is_forward() && is_integer_type(spec.type.dst);
    const parameter_values_t parameters(for_integers, seed);
    // A ReLU should pass some elements of each channel, and not all.
    const double shift_size = spec.flags.relu() ? 0.4 : 1;
    for (const int id : {DNNL_ARG_SCALE, DNNL_ARG_SHIFT}) {
        if (!arguments.has(id)) continue;
        fill_elements(arguments.at(id), [&](dim_t channel) {
            return id == DNNL_ARG_SCALE ? parameters.scale(channel)
                                        : shift_size * parameters.shift(channel);
        });
    }
}

void fill_statistics(const normalization_spec_t &spec, const populations_t &populations,
        arguments_t &arguments) {
    const tensor_t &src = arguments.at(DNNL_ARG_SRC);
    parallel_shares(populations.count(), populations.elements(), [&](int, dim_t begin, dim_t end) {
        std::vector<double> values(populations.size());
        for (dim_t p = begin; p < end; ++p) {
            populations.load(src, p, values.data());
            const given_statistics_t given = statistics_to_give(
                    statistics_of(
                            {values.data(), populations.size(), spec.type.src, spec.flags.rms()}),
                    spec.flags.global_stats());
            if (arguments.has(DNNL_ARG_MEAN)) arguments.at(DNNL_ARG_MEAN).store(p, given.mean);
            arguments.at(DNNL_ARG_VARIANCE).store(p, given.variance);
        }
    });
}

} // namespace

void fill(const normalization_spec_t &spec, arguments_t &arguments) {
    const populations_t populations(spec.shape);
    const std::string shape =
            spec.has_rows() ? dims_text(spec.row_dims) : channel_shape_text(spec.shape, true);
    const uint64_t seed = seed_of(
            shape + spec.direction.name + spec.flags.letters() + data_type_text(spec.type.src));
    const src_values_t src(spec.type.src, kind_of(spec, seed), seed, populations.size());
    fill_populations(arguments.at(DNNL_ARG_SRC), populations, src);
    fill_scale_and_shift(spec, seed + 2, arguments);
    if (arguments.has(DNNL_ARG_SRC_1)) {
        const double size = is_integer_type(spec.type.dst) ? 40 : 1.5;
        const noise_t noise(seed + 4);
        fill_populations(arguments.at(DNNL_ARG_SRC_1), populations,
                [&](dim_t p, dim_t i) { return size * noise(p * populations.size() + i); });
    }
    if (arguments.has(DNNL_ARG_DIFF_DST))
        fill_populations(arguments.at(DNNL_ARG_DIFF_DST), populations,
                diff_dst_values_t(src, seed + 1, populations.size()));
    if (arguments.has(DNNL_ARG_VARIANCE) && !spec.computes_stats())
        fill_statistics(spec, populations, arguments);
}

} // namespace benchdnn::normalization

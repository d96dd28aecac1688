// SPDX-License-Identifier: Apache-2.0
// Data of the lnorm driver: a row is a population (normalization/src_values.hpp).
#include <cmath>
#include <vector>

#include "common/tensor/data_type.hpp"
#include "common/tensor/parallel.hpp"
#include "lnorm/problem.hpp"
#include "lnorm/reference.hpp"
#include "normalization/src_values.hpp"

namespace benchdnn::lnorm {

namespace {

using namespace normalization;

// The seed decides, so a problem always has the same data.
src_kind_t kind_of(const spec_t &spec, uint64_t seed) {
    using position_t = src_kind_t::position_t;
    constexpr position_t positions[] = {
            position_t::about_zero, position_t::off_zero, position_t::far_off_zero};
    return {positions[seed % 3], !spec.flags.rms()};
}

void fill_data(const spec_t &spec, uint64_t seed, arguments_t &arguments) {
    const dim_t cols = spec.cols();
    const src_values_t src(spec.type.src, kind_of(spec, seed), seed, cols);
    fill_elements(arguments.at(DNNL_ARG_SRC),
            [&](dim_t index) { return src(index / cols, index % cols); });
    if (!arguments.has(DNNL_ARG_DIFF_DST)) return;
    const diff_dst_values_t diff_dst(src, seed + 1, cols);
    fill_elements(arguments.at(DNNL_ARG_DIFF_DST),
            [&](dim_t index) { return diff_dst(index / cols, index % cols); });
}

void fill_scale_and_shift(const spec_t &spec, uint64_t seed, arguments_t &arguments) {
    const bool for_integers = spec.direction.is_forward() && is_integer_type(spec.type.dst);
    const parameter_values_t parameters(for_integers, seed + 2);
    for (const int id : {DNNL_ARG_SCALE, DNNL_ARG_SHIFT}) {
        if (!arguments.has(id)) continue;
        fill_elements(arguments.at(id), [&](dim_t col) {
            return id == DNNL_ARG_SCALE ? parameters.scale(col) : parameters.shift(col);
        });
    }
}

void fill_statistics(const spec_t &spec, arguments_t &arguments) {
    const tensor_t &src = arguments.at(DNNL_ARG_SRC);
    parallel_shares(spec.cols() > 0 ? spec.rows() : 0, [&](int, dim_t begin, dim_t end) {
        std::vector<double> values(spec.cols());
        for (dim_t r = begin; r < end; ++r) {
            src.load_row(r, values.data());
            const row_t row{values.data(), spec.cols(), spec.type.src, spec.epsilon,
                    spec.flags.rms(), nullptr, nullptr};
            const given_statistics_t given =
                    statistics_to_give(statistics_of(row), spec.flags.global_stats());
            if (arguments.has(DNNL_ARG_MEAN)) arguments.at(DNNL_ARG_MEAN).store(r, given.mean);
            arguments.at(DNNL_ARG_VARIANCE).store(r, given.variance);
        }
    });
}

} // namespace

void fill(const spec_t &spec, arguments_t &arguments) {
    const uint64_t seed = seed_of(dims_text(spec.shape.dims) + spec.direction.name
                                  + spec.flags.letters() + data_type_text(spec.type.src));
    fill_data(spec, seed, arguments);
    fill_scale_and_shift(spec, seed, arguments);
    if (arguments.has(DNNL_ARG_VARIANCE) && !spec.computes_stats())
        fill_statistics(spec, arguments);
}

} // namespace benchdnn::lnorm

// SPDX-License-Identifier: Apache-2.0
#include "ranks/rank_case.hpp"

#include <numeric>
#include <sstream>

namespace kiln::test::normalization {

namespace {

/// Indices [begin, begin + extent) of an axis.
template <typename value_t>
std::vector<value_t> extract(const std::vector<value_t> &values, const dims_t &dims, size_t axis,
        int64_t begin, int64_t extent) {
    std::vector<value_t> part;
    const int64_t inner = volume({dims.begin() + long(axis) + 1, dims.end()});
    for (size_t i = 0; i < values.size(); ++i) {
        const int64_t index = int64_t(i) / inner % dims[axis];
        if (begin <= index && index < begin + extent) part.push_back(values[i]);
    }
    return part;
}

bool is_one_of(int arg, std::initializer_list<int> args) {
    return std::find(args.begin(), args.end(), arg) != args.end();
}

} // namespace

std::string to_string(const split_problem_t &problem) {
    std::ostringstream text;
    text << to_string(problem.whole) << " split along axis " << problem.axis << ", combined "
         << problem.combined;
    return text.str();
}

std::vector<split_problem_t> split_problems() {
    struct variant_t {
        operation_t operation;
        dims_t dims;
        std::vector<std::string> formats;
        std::vector<size_t> axes;
        unsigned combined;
        int64_t groups = 0;
        std::vector<unsigned> functions = {0};
    };
    constexpr unsigned statistics = kiln_combine_statistics;
    constexpr unsigned weights = kiln_combine_weight_gradients;
    constexpr unsigned both = statistics | weights;
    const std::vector<std::string> images{"abcd", "acdb", "aBcd16b", "bacd", "acdb+3"};
    const std::vector<variant_t> variants{
            {operation_t::layer, {7, 40}, {"ab", "ab+3"}, {1}, statistics, 0, {0, rms}},
            {operation_t::layer, {5, 3, 150}, {"abc", "bac"}, {2}, statistics, 0, {0, rms}},
            {operation_t::layer, {1, 5000}, {"ab"}, {1}, statistics, 0, {0, rms}},
            {operation_t::layer, {900, 33}, {"ab", "ba"}, {0}, weights, 0, {0, rms}},
            {operation_t::layer, {6, 9, 70}, {"abc", "acb"}, {0, 1}, weights},
            {operation_t::batch, {6, 37, 5, 4}, images, {0, 2}, both, 0, {0, relu, add_relu}},
            {operation_t::batch, {6, 20, 3, 3}, {"abcd", "acdb"}, {0}, statistics},
            {operation_t::batch, {9, 130}, {"ab", "ba"}, {0}, both},
            {operation_t::batch, {9, 33, 3, 3}, {"abcd", "acdb"}, {0}, weights},
            {operation_t::batch, {5, 3, 40, 41}, {"abcd", "acdb"}, {0}, both},
            {operation_t::group, {2, 24, 6, 4}, {"abcd", "acdb"}, {2}, both, 3},
            {operation_t::group, {3, 24, 5, 4}, {"abcd", "acdb"}, {1}, statistics, 1},
            {operation_t::group, {6, 24, 5, 4}, {"abcd", "acdb"}, {0}, weights, 4},
            {operation_t::group, {2, 20, 7, 3}, {"abcd", "acdb"}, {2}, both, 20},
    };
    // Types that no kernel has; rows that are lanes of vectors, whose last axis is split.
    const std::vector<variant_t> doubles{
            {operation_t::batch, {6, 19, 3, 4}, {"abcd"}, {0}, both, 0, {0, add_relu}},
            // The ReLU of local statistics passes other elements than that of the whole problem.
            {operation_t::batch, {6, 19, 3, 4}, {"abcd"}, {0}, weights},
            {operation_t::layer, {7, 40}, {"ab", "ba"}, {1}, statistics, 0, {0, rms}},
            {operation_t::layer, {3, 5, 33}, {"bac"}, {1}, weights, 0, {0, rms}},
            {operation_t::group, {2, 24, 6, 4}, {"abcd", "acdb"}, {2}, both, 3},
            {operation_t::group, {3, 24, 5, 4}, {"abcd"}, {1}, statistics, 1},
            {operation_t::group, {6, 24, 5, 4}, {"acdb"}, {0}, weights, 4},
    };
    const std::vector<variant_t> lanes{
            {operation_t::layer, {7, 40}, {"ba"}, {1}, statistics, 0, {0, rms}},
    };
    std::vector<split_problem_t> problems;
    const auto append = [&](const std::vector<variant_t> &kind, std::vector<dnnl_data_type_t> types,
                                bool by_reference) {
        for (const auto &variant : kind)
            for (const auto &format : variant.formats)
                for (const size_t axis : variant.axes)
                    for (const unsigned function : variant.functions)
                        for (const auto type : types)
                            for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
                                // The first type with all functions, others with the first one.
                                if (type != types[0] && function != variant.functions[0]) continue;
                                problem_t whole;
                                whole.operation = variant.operation;
                                whole.prop_kind = prop_kind;
                                whole.dims = variant.dims;
                                whole.groups = variant.groups;
                                whole.flags = scale | shift | function;
                                whole.set_formats(format);
                                whole.set_types(type);
                                problems.push_back({whole, axis, variant.combined, by_reference});
                            }
    };
    append(variants, {dnnl_f32, dnnl_bf16, dnnl_f16}, false);
    append(doubles, {dnnl_f64}, true);
    append(lanes, {dnnl_f32, dnnl_bf16}, true);
    return problems;
}

std::vector<int64_t> extents_of_ranks(const split_problem_t &problem, int ranks) {
    const int64_t extent = problem.whole.dims[problem.axis];
    const bool has_groups = problem.whole.operation == operation_t::group && problem.axis == 1;
    std::vector<int64_t> extents(size_t(ranks), has_groups ? 1 : 0);
    extents.back() = ranks == 1 ? 0 : 1;
    if (ranks >= 4) extents[2] = extent / 2;
    extents[0] = 0;
    extents[0] = extent - std::accumulate(extents.begin(), extents.end(), int64_t(0));
    return extents;
}

rank_case_t::rank_case_t(
        const split_problem_t &problem, const case_t &whole, const kiln_ranks_t &ranks, int rank)
    : problem_(problem)
    , whole_(whole)
    , ranks_(ranks)
    , rank_(rank) {
    const problem_t local = local_problem();
    if (local.is_forward() || !local.has_relu()) {
        local_.emplace(local);
    } else {
        case_t forward(local.forward_of_it());
        refill(forward);
        require(forward.execute(), "forward of " + to_string(problem));
        local_.emplace(local, forward);
    }
    refill(*local_);
}

problem_t rank_case_t::local_problem() const {
    problem_t local = problem_.whole;
    const auto extents = extents_of_ranks(problem_, ranks_.count);
    local.dims[problem_.axis] = extents[size_t(rank_)];
    local.ranks = &ranks_;
    return local;
}

/// This rank's part of an argument's elements.
template <typename value_t>
std::vector<value_t> rank_case_t::part(int arg, const std::vector<value_t> &values) const {
    const problem_t &whole = problem_.whole;
    const auto extents = extents_of_ranks(problem_, ranks_.count);
    const int64_t begin = std::accumulate(extents.begin(), extents.begin() + rank_, int64_t(0));
    dims_t dims = whole.dims;
    size_t axis = problem_.axis;
    const bool is_last = axis + 1 == dims.size();
    if (is_one_of(arg, {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})) {
        const bool has_axis = whole.is_layer()                        ? !is_last
                              : whole.operation == operation_t::group ? axis == 0
                                                                      : false;
        if (!has_axis) return values;
        dims = whole.stat_dims();
    } else if (is_one_of(arg, {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_DIFF_SCALE,
                                      DNNL_ARG_DIFF_SHIFT})) {
        if (!(whole.is_layer() ? is_last : axis == 1)) return values;
        dims = {whole.weights()};
        axis = 0;
    }
    return extract(values, dims, axis, begin, extents[size_t(rank_)]);
}

void rank_case_t::refill(case_t &local) const {
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_DIFF_DST, DNNL_ARG_SCALE,
                 DNNL_ARG_SHIFT, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}) {
        const bool is_output = local.problem().writes_stats()
                               && is_one_of(arg, {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
        if (!local.has(arg) || is_output) continue;
        // Forward's own inputs, where the whole problem is backward, are of the same values.
        const auto values = whole_.has(arg) ? whole_.tensor(arg).values()
                                            : operand_values(whole_.problem(), arg);
        local.refill(arg, part(arg, values));
    }
}

bool rank_case_t::is_combined(int arg) const {
    if (is_one_of(arg, {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}))
        return problem_.combined & kiln_combine_statistics;
    return is_one_of(arg, {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
           && (problem_.combined & kiln_combine_weight_gradients);
}

testing::AssertionResult rank_case_t::is_right(const std::vector<expected_t> &of_whole) const {
    std::vector<expected_t> expected, own;
    for (const auto &[arg, name, values] : of_whole) {
        if (!local_->has(arg)) continue;
        const bool is_weight = is_one_of(arg, {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
        // Batch normalization's ranks share statistics, which may be left to each.
        const bool has_own_statistics = problem_.whole.operation == operation_t::batch
                                        && !(problem_.combined & kiln_combine_statistics);
        const bool is_of_rank = is_weight ? !is_combined(arg) : has_own_statistics;
        if (!is_of_rank) {
            expected.push_back({arg, name, part(arg, values)});
            continue;
        }
        if (own.empty()) own = local_->expected();
        for (const auto &result : own)
            if (result.arg == arg) expected.push_back(result);
    }
    auto verdict = local_->is_right(expected, local_->outputs());
    if (!verdict)
        verdict << "\nrank " << rank_ << " of " << ranks_.count << ", " << to_string(problem_);
    return verdict;
}

std::vector<std::byte> rank_case_t::combined_bits() const {
    std::vector<std::byte> bits;
    for (const int arg : local_->outputs()) {
        if (!is_combined(arg)) continue;
        const auto more = local_->tensor(arg).bits();
        bits.insert(bits.end(), more.begin(), more.end());
    }
    return bits;
}

} // namespace kiln::test::normalization

// SPDX-License-Identifier: Apache-2.0
// Kernels of softmax on rows, executed on every ISA level of the machine between unmapped pages,
// against arithmetic in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cpu/x64/softmax/row_backward_kernel.hpp"
#include "cpu/x64/softmax/row_forward_kernel.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/machine_levels.hpp"
#include "kernels/row_model.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::softmax::test {

namespace {

using namespace layer_normalization::test;
using kiln::test::kernel_failure_t;
using kiln::test::placements;
using kiln::test::random_values_t;
using ::testing::AssertionResult;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr data_type_t floats[]{dnnl_f32, dnnl_bf16, dnnl_f16};
/// Rows in registers and rows that are swept, whole vectors and rests.
constexpr dim_t lines[]{1, 7, 16, 31, 64, 100, 208, 209, 257, 512, 1000};

size_t index(dim_t i) { return static_cast<size_t>(i); }

enum class stores_t { ordinary, aligned, shifted };

struct row_case_t {
    isa_t isa;
    dim_t line;
    data_type_t src, dst; // backward: of diff_dst and dst, and of diff_src
    bool is_log;
    placement_t placement;
    stores_t stores = stores_t::ordinary; // the others are non-temporal
    bool is_masked = false;               // forward: some elements are -infinity
    dim_t rows = 3, gap = 5;
    uint64_t seed = 7;

    std::string details() const {
        return std::to_string(rows) + " rows of " + std::to_string(line) + ", gap "
               + std::to_string(gap) + ", stores " + std::to_string(static_cast<int>(stores))
               + (is_masked ? ", masked" : "")
               + (placement == placement_t::ends_at_guard ? ", ends" : ", begins") + " at guard";
    }
    row_tensor_t tensor(data_type_t type) const {
        auto pitch = (line + gap) * static_cast<dim_t>(kiln::test::size_of(type));
        if (stores == stores_t::aligned) pitch = (pitch + 63) / 64 * 64;
        return {type, rows, line, pitch, placement};
    }
    kernel_failure_t failure(const std::string &name, const jit::executable_code_t &code) const {
        return {name, details(), seed, {code.data(), code.size()}};
    }
};

void bind(tiled_row_args_t &args, size_t operand, const row_tensor_t &tensor) {
    args.operands[operand] = tensor.data();
    args.pitches[operand] = tensor.pitch();
}

void call(const jit::executable_code_t &code, tiled_row_args_t args) {
    code.entry<void (*)(tiled_row_args_t *)>()(&args);
}

/// A relative error of an exponential: of the function, of the difference that it is taken of, and
/// of the sum that it is divided by.
double exp_error(double distance) { return unit * (16 + 2 * std::abs(distance)); }

/// A row's maximum, the sum of its exponentials, and what the kernel should make of element x.
struct row_truth_t {
    explicit row_truth_t(const std::vector<double> &x)
        : maximum(*std::ranges::max_element(x)) {
        for (const double e : x) sum += std::exp(e - maximum);
    }
    estimate_t result(double x, bool is_log) const {
        const double distance = x - maximum, logarithm = std::log(sum);
        if (is_log)
            return {distance - logarithm,
                    x == -infinity ? 0 : unit * (8 + 2 * std::abs(distance) + 2 * logarithm)};
        const double y = std::exp(distance) / sum;
        return {y, y * exp_error(x == -infinity ? 0 : distance)};
    }
    double maximum, sum = 0;
};

bool is_same_or_near(double got, const estimate_t &expected) {
    return got == expected.value || is_near(got, expected);
}

std::vector<double> random_row(const row_case_t &c, random_values_t &random) {
    auto row = random.many(c.line, -8, 8);
    for (size_t i = 1; i < row.size() && c.is_masked; i += 3) row[i] = -infinity;
    return row;
}

/// src of random rows, and the rows as its type holds them.
row_tensor_t make_src(const row_case_t &c, std::vector<std::vector<double>> &rows) {
    random_values_t random(c.seed);
    row_tensor_t src = c.tensor(c.src);
    for (dim_t row = 0; row < c.rows; ++row) {
        rows.push_back(random_row(c, random));
        for (dim_t i = 0; i < c.line; ++i) {
            src.set(row, i, rows.back()[index(i)]);
            rows.back()[index(i)] = src.get(row, i);
        }
    }
    return src;
}

forward_spec_t forward_spec(const row_case_t &c) {
    forward_spec_t spec;
    spec.isa = c.isa;
    spec.line = c.line;
    spec.types[forward_spec_t::src] = c.src;
    spec.types[forward_spec_t::dst] = c.dst;
    spec.is_log = c.is_log;
    spec.is_non_temporal = c.stores != stores_t::ordinary;
    spec.is_shifted = c.stores == stores_t::shifted;
    spec.fetches_next_row = c.line % 2 == 0;
    return spec;
}

/// Runs the kernel of whole rows and compares dst and stats.
AssertionResult forward_is_right(const row_case_t &c) {
    forward_spec_t spec = forward_spec(c);
    spec.types[forward_spec_t::stats] = dnnl_f32;
    const size_t interim_bytes = row_forward_kernel_t::interim_bytes(spec);
    if (interim_bytes != 0) spec.types[forward_spec_t::interim] = dnnl_f32;
    const auto code = row_forward_kernel_t(spec).finish();
    const kernel_failure_t failure = c.failure(spec.name("row"), code);
    std::vector<std::vector<double>> x;
    const row_tensor_t src = make_src(c, x), dst = c.tensor(c.dst);
    const row_tensor_t stats(dnnl_f32, c.rows, 1, 8, c.placement);
    const row_tensor_t interim(dnnl_f32, 1,
            std::max<dim_t>(1, static_cast<dim_t>(interim_bytes / sizeof(float))), 0,
            placement_t::begins_at_guard);
    tiled_row_args_t args{.rows = c.rows, .length = c.line, .operands = {}, .pitches = {}};
    bind(args, forward_spec_t::src, src);
    bind(args, forward_spec_t::dst, dst);
    bind(args, forward_spec_t::stats, stats);
    args.operands[forward_spec_t::interim] = interim.data();
    call(code, args);
    for (dim_t row = 0; row < c.rows; ++row) {
        const row_truth_t truth(x[index(row)]);
        for (dim_t i = 0; i < c.line; ++i) {
            const estimate_t y = stored(c.dst, truth.result(x[index(row)][index(i)], c.is_log));
            if (!is_same_or_near(dst.get(row, i), y))
                return failure.at(row * c.line + i, y.value, dst.get(row, i));
        }
        const double stat = truth.maximum + std::log(truth.sum);
        if (!is_near(stats.get(row, 0), {stat, unit * (16 + 4 * std::abs(stat))}))
            return failure.at(row, stat, stats.get(row, 0));
    }
    if (!dst.has_intact_gaps() || !stats.has_intact_gaps() || !interim.has_intact_gaps())
        return failure("wrote outside its operands");
    return ::testing::AssertionSuccess();
}

TEST(softmax_row_kernel, forward_is_right_for_rows_of_any_length_and_type) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t src : floats)
            for (const data_type_t dst : floats)
                for (const dim_t line : lines)
                    for (const bool is_log : {false, true})
                        for (const auto placement : placements)
                            for (const bool is_masked : {false, true})
                                ASSERT_TRUE(forward_is_right({.isa = isa,
                                        .line = line,
                                        .src = src,
                                        .dst = dst,
                                        .is_log = is_log,
                                        .placement = placement,
                                        .is_masked = is_masked}));
}

TEST(softmax_row_kernel, forward_stores_past_the_caches) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t dst : {dnnl_f32, dnnl_bf16})
            for (const dim_t line : {64, 208, 224, 512, 1024, 4096})
                for (const bool is_log : {false, true})
                    ASSERT_TRUE(forward_is_right({.isa = isa,
                            .line = line,
                            .src = dnnl_f32,
                            .dst = dst,
                            .is_log = is_log,
                            .placement = placement_t::begins_at_guard,
                            .stores = stores_t::aligned,
                            .rows = 1 + line % 5}));
}

TEST(softmax_row_kernel, forward_stores_rows_that_begin_anywhere_past_the_caches) {
    for (const isa_t isa : machine_levels())
        for (const dim_t line : {385, 500, 513, 1000, 1031})
            for (const bool is_log : {false, true})
                for (const auto placement : placements)
                    for (const dim_t gap : {0, 1, 3, 16}) {
                        if (!has(isa, feature_t::avx512_core)) continue;
                        ASSERT_TRUE(forward_is_right({.isa = isa,
                                .line = line,
                                .src = dnnl_f32,
                                .dst = dnnl_f32,
                                .is_log = is_log,
                                .placement = placement,
                                .stores = stores_t::shifted,
                                .rows = 1 + line % 4,
                                .gap = gap}));
                    }
}

/// Stage chunk finds the maximum and the sum of a part of a row and keeps exponentials in dst;
/// stage result makes results of them with other values, as those of a whole row are.
AssertionResult stages_are_right(const row_case_t &c) {
    forward_spec_t spec = forward_spec(c);
    spec.stage = stage_t::chunk;
    spec.types[forward_spec_t::maximum] = spec.types[forward_spec_t::sum] = dnnl_f32;
    const auto chunk_code = row_forward_kernel_t(spec).finish();
    const kernel_failure_t chunk_failure = c.failure(spec.name("row"), chunk_code);
    std::vector<std::vector<double>> x;
    const row_tensor_t src = make_src(c, x), dst = c.tensor(dnnl_f32);
    row_tensor_t maximum(dnnl_f32, 1, 1, 0, c.placement), sum(dnnl_f32, 1, 1, 0, c.placement);
    tiled_row_args_t args{.rows = c.rows, .length = c.line, .operands = {}, .pitches = {}};
    bind(args, forward_spec_t::src, src);
    bind(args, forward_spec_t::dst, dst);
    args.operands[forward_spec_t::maximum] = maximum.data();
    args.operands[forward_spec_t::sum] = sum.data();
    call(chunk_code, args);
    const row_truth_t truth(x[0]);
    if (maximum.get(0, 0) != truth.maximum)
        return chunk_failure.at(0, truth.maximum, maximum.get(0, 0));
    if (!is_near(sum.get(0, 0), {truth.sum, truth.sum * exp_error(16)}))
        return chunk_failure.at(0, truth.sum, sum.get(0, 0));

    spec.stage = stage_t::result;
    if (!c.is_log) spec.types[forward_spec_t::src] = dnnl_data_type_undef;
    if (!c.is_log) spec.types[forward_spec_t::maximum] = dnnl_data_type_undef;
    const auto result_code = row_forward_kernel_t(spec).finish();
    const kernel_failure_t failure = c.failure(spec.name("row"), result_code);
    maximum.set(0, 0, truth.maximum + 2);
    sum.set(0, 0, 0.375);
    call(result_code, args);
    for (dim_t i = 0; i < c.line; ++i) {
        const double distance = x[0][index(i)] - truth.maximum;
        const double y = c.is_log ? distance - 2 - 0.375 : std::exp(distance) * 0.375;
        const double error = c.is_log ? unit * (8 + 2 * std::abs(distance)) : y * exp_error(16);
        if (!is_near(dst.get(0, i), {y, error})) return failure.at(i, y, dst.get(0, i));
    }
    if (!dst.has_intact_gaps() || !maximum.has_intact_gaps() || !sum.has_intact_gaps())
        return failure("wrote outside its operands");
    return ::testing::AssertionSuccess();
}

TEST(softmax_row_kernel, forward_of_chunks_finds_their_sums_and_then_their_results) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t src : floats)
            for (const dim_t line : lines)
                for (const bool is_log : {false, true})
                    for (const auto placement : placements)
                        ASSERT_TRUE(stages_are_right({.isa = isa,
                                .line = line,
                                .src = src,
                                .dst = dnnl_f32,
                                .is_log = is_log,
                                .placement = placement,
                                .rows = 1}));
}

// ---- Backward

/// Runs the kernel of whole rows, or of chunks with a sum that is not the row's, and compares
/// diff_src and the sum.
AssertionResult backward_is_right(const row_case_t &c, bool is_in_stages) {
    using operand_t = backward_spec_t;
    backward_spec_t spec;
    spec.isa = c.isa;
    spec.line = c.line;
    spec.types[operand_t::dst] = spec.types[operand_t::diff_dst] = c.src;
    spec.types[operand_t::diff_src] = c.dst;
    spec.is_log = c.is_log;
    spec.is_non_temporal = c.stores != stores_t::ordinary;
    spec.is_shifted = c.stores == stores_t::shifted;
    spec.sweeps_twice = spec.is_shifted;
    spec.fetches_next_row = c.line % 2 == 0;
    random_values_t random(c.seed);
    row_tensor_t dst = c.tensor(c.src), diff_dst = c.tensor(c.src);
    const row_tensor_t diff_src = c.tensor(c.dst);
    const auto y =
            fill(dst, c.src, random.many(c.rows * c.line, c.is_log ? -9 : 0, c.is_log ? 0 : 1));
    const auto dy = fill(diff_dst, c.src, random.many(c.rows * c.line, -2, 2));
    row_tensor_t sum(dnnl_f32, 1, 1, 0, c.placement);
    tiled_row_args_t args{.rows = c.rows, .length = c.line, .operands = {}, .pitches = {}};
    bind(args, operand_t::dst, dst);
    bind(args, operand_t::diff_dst, diff_dst);
    bind(args, operand_t::diff_src, diff_src);
    args.operands[operand_t::sum] = sum.data();
    std::vector<estimate_t> sums(index(c.rows));
    for (size_t i = 0; i < y.size(); ++i) {
        const double term = c.is_log ? dy[i] : y[i] * dy[i];
        estimate_t &of_row = sums[i / index(c.line)];
        of_row.value += term;
        of_row.error += 24 * unit * std::abs(term);
    }
    if (is_in_stages) {
        backward_spec_t chunk = spec;
        chunk.stage = stage_t::chunk;
        chunk.types[operand_t::sum] = dnnl_f32;
        chunk.types[operand_t::diff_src] = dnnl_data_type_undef;
        const auto code = row_backward_kernel_t(chunk).finish();
        call(code, args);
        if (!is_near(sum.get(0, 0), sums[0]))
            return c.failure(chunk.name("row"), code).at(0, sums[0].value, sum.get(0, 0));
        spec.stage = stage_t::result;
        spec.types[operand_t::sum] = dnnl_f32;
        sums[0] = {-0.75, 0};
        sum.set(0, 0, sums[0].value);
    }
    const auto code = row_backward_kernel_t(spec).finish();
    const kernel_failure_t failure = c.failure(spec.name("row"), code);
    call(code, args);
    for (size_t i = 0; i < y.size(); ++i) {
        const auto [s, error] = sums[i / index(c.line)];
        const double factor = c.is_log ? std::exp(y[i]) : y[i];
        const double dx = c.is_log ? dy[i] - factor * s : factor * (dy[i] - s);
        const double bound =
                c.is_log ? factor * error
                                   + unit
                                             * (4 * std::abs(dy[i])
                                                     + factor * std::abs(s) * (8 + std::abs(y[i])))
                         : factor * (error + 4 * unit * (std::abs(dy[i]) + std::abs(s)));
        const auto row = static_cast<dim_t>(i) / c.line, column = static_cast<dim_t>(i) % c.line;
        const estimate_t expected = stored(c.dst, {dx, bound});
        if (!is_near(diff_src.get(row, column), expected))
            return failure.at(static_cast<int64_t>(i), dx, diff_src.get(row, column));
    }
    if (!diff_src.has_intact_gaps() || !sum.has_intact_gaps())
        return failure("wrote outside its operands");
    return ::testing::AssertionSuccess();
}

TEST(softmax_row_kernel, backward_is_right_for_rows_of_any_length_and_type) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t src : floats)
            for (const data_type_t dst : floats)
                for (const dim_t line : lines)
                    for (const bool is_log : {false, true})
                        for (const auto placement : placements)
                            ASSERT_TRUE(backward_is_right({.isa = isa,
                                                                  .line = line,
                                                                  .src = src,
                                                                  .dst = dst,
                                                                  .is_log = is_log,
                                                                  .placement = placement},
                                    false));
}

TEST(softmax_row_kernel, backward_stores_past_the_caches) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : {dnnl_f32, dnnl_bf16})
            for (const dim_t line : {64, 193, 200, 257, 512, 1000, 1024})
                for (const bool is_log : {false, true})
                    for (const auto stores : {stores_t::aligned, stores_t::shifted}) {
                        const bool is_shifted = stores == stores_t::shifted;
                        const bool has_pairs = type == dnnl_f32 || jit::bf16_pairs_t::exists(isa);
                        if (is_shifted && !(has(isa, feature_t::avx512_core) && has_pairs))
                            continue;
                        const dim_t least = type == dnnl_f32 ? 192 : 512;
                        if (is_shifted == (line % 64 == 0) || (is_shifted && line < least))
                            continue;
                        ASSERT_TRUE(
                                backward_is_right({.isa = isa,
                                                          .line = line,
                                                          .src = type,
                                                          .dst = type,
                                                          .is_log = is_log,
                                                          .placement = placement_t::begins_at_guard,
                                                          .stores = stores},
                                        false));
                    }
}

TEST(softmax_row_kernel, backward_of_chunks_finds_their_sums_and_then_their_gradients) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : floats)
            for (const dim_t line : lines)
                for (const bool is_log : {false, true})
                    for (const auto placement : placements)
                        ASSERT_TRUE(backward_is_right({.isa = isa,
                                                              .line = line,
                                                              .src = type,
                                                              .dst = type,
                                                              .is_log = is_log,
                                                              .placement = placement,
                                                              .rows = 1},
                                true));
}

} // namespace
} // namespace kiln::x64::softmax::test

// SPDX-License-Identifier: Apache-2.0
// Matrix multiplications, their truth in long double, and executions of every implementation.
#include "matmul/matmul_case.hpp"

#include <cmath>

#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/random_values.hpp"
#include "support/roundings.hpp"

namespace kiln::test::matmul {

namespace {

struct quantized_t {
    int kind, arg;
    const std::optional<quantity_t> &quantity;
};

std::vector<quantized_t> quantized(const problem_t &p) {
    constexpr int scales = DNNL_ARG_ATTR_SCALES, zero_points = DNNL_ARG_ATTR_ZERO_POINTS;
    return {{scales, DNNL_ARG_SRC, p.src_scale}, {scales, DNNL_ARG_WEIGHTS, p.weights_scale},
            {scales, DNNL_ARG_DST, p.dst_scale}, {zero_points, DNNL_ARG_SRC, p.src_zero_point},
            {zero_points, DNNL_ARG_WEIGHTS, p.weights_zero_point},
            {zero_points, DNNL_ARG_DST, p.dst_zero_point}};
}

const dims_t &dims_of(const problem_t &p, int arg, const dims_t &dst) {
    return arg == DNNL_ARG_SRC ? p.src : arg == DNNL_ARG_WEIGHTS ? p.weights : dst;
}

/// The extents of a quantity of a tensor.
dims_t extents(const quantity_t &quantity, const dims_t &tensor) {
    dims_t dims = tensor;
    for (size_t d = 0; d < dims.size(); ++d) {
        if (!(quantity.mask >> d & 1)) dims[d] = 1;
        if (!quantity.groups.empty() && d + 2 >= dims.size() && dims[d] > 1)
            dims[d] /= quantity.groups[d + 2 - dims.size()];
    }
    return dims;
}

/// Position `index` of a tensor in a row-major tensor of other extents: at most 1, or a divisor of
/// its own.
size_t place(const dims_t &index, const dims_t &tensor, const dims_t &extents) {
    int64_t result = 0;
    for (size_t d = 0; d < index.size(); ++d) {
        const int64_t group = extents[d] <= 1 ? tensor[d] : tensor[d] / extents[d];
        result = result * extents[d] + (group == 0 ? 0 : index[d] / group);
    }
    return static_cast<size_t>(result);
}

/// Integers of a few bits, other numbers of both signs.
std::vector<double> values_of(const dims_t &dims, dnnl_data_type_t type, uint64_t seed) {
    const double most_integer = type == dnnl_u4 ? 16 : type == dnnl_s4 ? 8 : 20;
    return random_elements(type, volume(dims), seed, 4, most_integer);
}

std::vector<double> quantity_values(int kind, const dims_t &dims, uint64_t seed) {
    auto values = random_values_t(seed).many(volume(dims), 1, 4);
    for (double &value : values)
        value = kind == DNNL_ARG_ATTR_SCALES ? std::exp2(std::floor(value) - 3) : std::floor(value);
    return values;
}

void set_attr(dnnl_primitive_attr_t attr, const quantized_t &q) {
    if (!q.quantity) return;
    const auto set = q.kind == DNNL_ARG_ATTR_SCALES ? dnnl_primitive_attr_set_scales
                                                    : dnnl_primitive_attr_set_zero_points;
    const auto &groups = q.quantity->groups;
    require(set(attr, q.arg, q.quantity->mask, static_cast<int>(groups.size()), groups.data(),
                    q.quantity->type),
            "scales or zero points");
}

} // namespace

dims_t problem_t::dst() const {
    dims_t dims = src;
    for (size_t d = 0; d + 2 < dims.size(); ++d)
        if (dims[d] == 1) dims[d] = weights[d];
    dims.back() = weights.back();
    return dims;
}

std::string to_string(const problem_t &p) {
    const auto tensor = [](const dims_t &dims, dnnl_data_type_t type, const std::string &format) {
        return test::to_string(dims) + " " + dnnl_dt2str(type) + ":" + format;
    };
    std::string text = tensor(p.src, p.src_type, p.src_format) + " by "
                       + tensor(p.weights, p.weights_type, p.weights_format) + " to "
                       + dnnl_dt2str(p.dst_type) + ":" + p.dst_format;
    if (p.decompresses) text += " converted";
    if (p.fpmath != dnnl_fpmath_mode_strict)
        text += std::string(" ") + dnnl_fpmath_mode2str(p.fpmath);
    if (p.accumulation != dnnl_accumulation_mode_strict)
        text += std::string(" accumulation ") + dnnl_accumulation_mode2str(p.accumulation);
    if (!p.bias.empty()) text += " bias " + tensor(p.bias, p.bias_type, "");
    for (const quantized_t &q : quantized(p))
        if (q.quantity)
            text += (q.kind == DNNL_ARG_ATTR_SCALES ? " scales of " : " zero points of ")
                    + std::to_string(q.arg) + " mask " + std::to_string(q.quantity->mask) + " "
                    + dnnl_dt2str(q.quantity->type) + " groups "
                    + test::to_string(q.quantity->groups);
    return text + " " + test::to_string(p.post_ops);
}

attr_handle_t make_attr(const problem_t &p) {
    attr_handle_t attr = test::make_attr();
    for (const quantized_t &q : quantized(p)) set_attr(attr, q);
    if (p.decompresses || p.fpmath != dnnl_fpmath_mode_strict)
        require(dnnl_primitive_attr_set_fpmath_mode_v2(attr, p.fpmath, p.decompresses), "fpmath");
    require(dnnl_primitive_attr_set_accumulation_mode(attr, p.accumulation), "accumulation mode");
    if (!p.post_ops.empty())
        require(dnnl_primitive_attr_set_post_ops(attr, make_post_ops(p.post_ops, p.dst())),
                "post-ops");
    return attr;
}

primitive_desc_handle_t describe(const problem_t &p, size_t implementation) {
    const attr_handle_t attr = make_attr(p);
    memory_desc_handle_t bias;
    if (!p.bias.empty()) bias = make_desc(p.bias, p.bias_type);
    primitive_desc_handle_t pd;
    require(dnnl_matmul_primitive_desc_create(pd.out(), cpu_engine(),
                    make_desc(p.src, p.src_type, p.src_format),
                    p.weights_desc ? clone_desc(*p.weights_desc)
                                   : make_desc(p.weights, p.weights_type, p.weights_format),
                    bias, make_desc(p.dst(), p.dst_type, p.dst_format), attr),
            to_string(p));
    skip_implementations(pd, implementation);
    return pd;
}

case_t::case_t(const problem_t &problem, size_t implementation, placement_t placement)
    : case_t(problem, describe(problem, implementation), placement, implementation) {}

case_t::case_t(const problem_t &problem, primitive_desc_handle_t &&primitive_desc,
        placement_t placement, size_t implementation)
    : primitive_case_t(to_string(problem), std::move(primitive_desc), placement)
    , problem_(problem) {
    // Run-time dims are those of the problem itself.
    const auto known = describe(problem, implementation);
    const auto add = [&](int arg, const char *name, const std::vector<double> &values) {
        values_[arg] = bindings().add_input(arg, name, chosen_desc(known, arg), values).values();
    };
    std::vector<double> src = values_of(problem.src, problem.src_type, 1);
    if (problem.first_src) src.front() = *problem.first_src;
    add(DNNL_ARG_SRC, "src", src);
    add(DNNL_ARG_WEIGHTS, "weights", values_of(problem.weights, problem.weights_type, 2));
    if (!problem.bias.empty())
        add(DNNL_ARG_BIAS, "bias", values_of(problem.bias, problem.bias_type, 3));
    if (!problem.dst_is_operand)
        bindings().add_output(DNNL_ARG_DST, "dst", chosen_desc(known, DNNL_ARG_DST));
    for (const quantized_t &q : quantized(problem)) {
        if (!q.quantity) continue;
        const dims_t dims = extents(*q.quantity, dims_of(problem, q.arg, problem.dst()));
        add(q.kind | q.arg, "quantity",
                quantity_values(q.kind, dims, static_cast<uint64_t>(q.kind + q.arg)));
    }
    bindings().add_scratchpad(this->primitive_desc());
    post_ops_.emplace(problem.post_ops, known, bindings(), 5);
    if (problem.dst_is_operand)
        bindings().add_in_place(DNNL_ARG_DST, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1);
}

const std::vector<double> *case_t::quantities(int kind, int arg) const {
    const auto found = values_.find(kind | arg);
    return found == values_.end() ? nullptr : &found->second;
}

std::vector<double> case_t::dequantized(int arg) const {
    const dims_t &dims = arg == DNNL_ARG_SRC ? problem_.src : problem_.weights;
    std::vector<double> result = values_.at(arg);
    const auto change = [&](int kind, const auto &step) {
        const auto *values = quantities(kind, arg);
        if (values == nullptr) return;
        for (const quantized_t &q : quantized(problem_)) {
            if (q.kind != kind || q.arg != arg) continue;
            const dims_t of = extents(*q.quantity, dims);
            size_t i = 0;
            for_each_index(dims, [&](const dims_t &index) {
                step(result[i++], (*values)[place(index, dims, of)]);
            });
        }
    };
    change(DNNL_ARG_ATTR_ZERO_POINTS, [](double &value, double zero) { value -= zero; });
    change(DNNL_ARG_ATTR_SCALES, [](double &value, double scale) { value *= scale; });
    return result;
}

namespace {

/// Matrices of `depth` rows with their columns one behind the other.
std::vector<double> transposed(const std::vector<double> &matrices, size_t depth, size_t columns) {
    std::vector<double> result(matrices.size());
    for (size_t first = 0; first < matrices.size(); first += depth * columns)
        for (size_t k = 0; k < depth; ++k)
            for (size_t i = 0; i < columns; ++i)
                result[first + i * depth + k] = matrices[first + k * columns + i];
    return result;
}

/// Sums of products, of their magnitudes and of their squares.
struct product_sums_t {
    long double value, magnitudes, squares;
};

template <typename real_t>
product_sums_t sums_of_products(const double *row, const double *column, size_t depth) {
    real_t value = 0, magnitudes = 0, squares = 0;
    for (size_t k = 0; k < depth; ++k) {
        const real_t product = static_cast<real_t>(row[k]) * column[k];
        value += product;
        magnitudes += std::fabs(product);
        squares += product * product;
    }
    return {value, magnitudes, squares};
}

} // namespace

std::vector<expected_t> case_t::expected() const {
    const dims_t dst = problem_.dst();
    const size_t last = dst.size() - 1;
    const auto depth = static_cast<size_t>(problem_.src[last]);
    const auto columns = static_cast<size_t>(dst[last]);
    const auto src = dequantized(DNNL_ARG_SRC);
    const auto weights = transposed(dequantized(DNNL_ARG_WEIGHTS), depth, columns);
    const bool is_exact = is_integer(problem_.src_type);
    const long double u = arithmetic_roundoff({problem_.src_type, problem_.dst_type});
    // Products of floats are exact in double, integers and their sums are, too.
    const auto sums_of =
            u < unit_roundoff(dnnl_f32) ? sums_of_products<long double> : sums_of_products<double>;
    const bool is_rounded = problem_.fpmath != dnnl_fpmath_mode_strict;
    const bool has_eleven_bits =
            problem_.fpmath == dnnl_fpmath_mode_tf32 || problem_.fpmath == dnnl_fpmath_mode_f16;
    const long double roundoff = has_eleven_bits ? f16_roundoff : bf16_roundoff;
    // The scale or zero point at an index of dst; `otherwise` if dst has none.
    const auto values_of_dst = [&](int kind, const auto &quantity, long double otherwise) {
        const auto *values = quantities(kind, DNNL_ARG_DST);
        const dims_t of = values ? extents(*quantity, dst) : dims_t();
        return [=, &dst](const dims_t &index) {
            return values ? static_cast<long double>((*values)[place(index, dst, of)]) : otherwise;
        };
    };
    const auto scale_at = values_of_dst(DNNL_ARG_ATTR_SCALES, problem_.dst_scale, 1);
    const auto zero_at = values_of_dst(DNNL_ARG_ATTR_ZERO_POINTS, problem_.dst_zero_point, 0);
    std::vector<interval_t> truth;
    truth.reserve(static_cast<size_t>(volume(dst)));
    dims_t s, w; // indices of a row's first element in src, of a column's in weights
    for_each_index(dst, [&](const dims_t &index) {
        s = w = index;
        for (size_t d = 0; d + 1 < last; ++d) {
            if (problem_.src[d] == 1) s[d] = 0;
            if (problem_.weights[d] == 1) w[d] = 0;
        }
        s[last] = w[last - 1] = w[last] = 0;
        const double *row = src.data() + place(s, problem_.src, problem_.src);
        const double *column = weights.data() + place(w, problem_.weights, problem_.weights)
                               + static_cast<size_t>(index[last]) * depth;
        auto [sum, magnitudes, squares] = sums_of(row, column, depth);
        long double error = 0;
        if (!is_exact) error = u * roundings_of_sum(static_cast<long double>(depth)) * magnitudes;
        if (!is_exact && is_rounded)
            error += error_of_rounded_factors(2, roundoff, squares, magnitudes);
        if (!problem_.bias.empty()) {
            const long double bias = values_.at(DNNL_ARG_BIAS)[place(index, dst, problem_.bias)];
            sum += bias;
            if (error != 0 || !is_integer(problem_.bias_type))
                error += u * (std::fabs(bias) + std::fabs(sum));
        }
        interval_t value = post_ops_->apply(interval_t::around(sum, error), index);
        const long double scale = scale_at(index), zero = zero_at(index);
        truth.push_back(value.map([&](long double v) { return v / scale + zero; }));
    });
    return {{DNNL_ARG_DST, "dst", truth}};
}

void expect_right(const problem_t &problem) { expect_right_everywhere<case_t>(problem); }

} // namespace kiln::test::matmul

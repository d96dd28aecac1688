// SPDX-License-Identifier: Apache-2.0
// All operations but normalizations.
#include "graph/truth.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "graph/truth_norms.hpp"
#include "graph/truth_prelu.hpp"
#include "graph/truth_softmax.hpp"

namespace kiln::test {

namespace {

using arrays_t = std::vector<array_t>;
using function_t = std::function<double(double)>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double normal_pdf(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

bool is_tanh_gelu(const truth_request_t &op) {
    return op.attr<std::string>(attr_name_t::mode, "gelu_erf") == "gelu_tanh";
}

double gelu_tanh(double x) {
    const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1 + std::tanh(inner));
}

/// a x b, batches broadcast; with a bias.
array_t product_of(const truth_request_t &op, const arrays_t &inputs) {
    const auto transposed = [](const array_t &x, bool is) {
        array_t y = x;
        if (!is || x.dims.size() == 1) return y;
        const auto rows = static_cast<size_t>(x.dims.end()[-2]);
        const auto columns = static_cast<size_t>(x.dims.back()), size = rows * columns;
        std::swap(y.dims.end()[-1], y.dims.end()[-2]);
        for (size_t i = 0; i < x.values.size(); ++i)
            y.values[i / size * size + i % columns * rows + i / columns % rows] = x.values[i];
        return y;
    };
    array_t a = transposed(inputs[0], op.attr<bool>(attr_name_t::transpose_a, false));
    array_t b = transposed(inputs[1], op.attr<bool>(attr_name_t::transpose_b, false));
    // A vector is a row of a or a column of b; dst lacks that axis, and so does bias.
    const bool is_row = a.dims.size() == 1, is_column = b.dims.size() == 1;
    const auto with_axes = [&](array_t x) {
        if (is_column) x.dims.push_back(1);
        if (is_row) x.dims.insert(x.dims.end() - (x.dims.empty() ? 0 : 1), 1);
        return x;
    };
    if (is_row) a.dims.insert(a.dims.begin(), 1);
    if (is_column) b.dims.push_back(1);
    const array_t bias = inputs.size() > 2 ? with_axes(inputs[2]) : array_t{};
    const size_t axes = std::max(a.dims.size(), b.dims.size());
    const auto extent = [&](const array_t &x, size_t axis) {
        return axis + x.dims.size() < axes ? 1 : x.dims[axis + x.dims.size() - axes];
    };
    // The position of an element of dst in an operand; `inner` takes the place of axis `changed`.
    const auto place = [&](const array_t &x, const dims_t &at, size_t changed, int64_t inner) {
        int64_t index = 0;
        for (size_t d = 0; d < axes; ++d) {
            const int64_t size = extent(x, d), position = d == changed ? inner : at[d];
            index = index * size + (size == 1 ? 0 : position);
        }
        return static_cast<size_t>(index);
    };
    array_t dst;
    for (size_t d = 0; d + 2 < axes; ++d) dst.dims.push_back(std::max(extent(a, d), extent(b, d)));
    dst.dims.push_back(a.dims.end()[-2]);
    dst.dims.push_back(b.dims.back());
    for_each_index(dst.dims, [&](const dims_t &at) {
        double sum = inputs.size() > 2 ? bias.values[place(bias, at, axes, 0)] : 0;
        for (int64_t k = 0; k < a.dims.back(); ++k)
            sum += a.values[place(a, at, axes - 1, k)] * b.values[place(b, at, axes - 2, k)];
        dst.values.push_back(sum);
    });
    if (is_column) dst.dims.pop_back();
    if (is_row) dst.dims.erase(dst.dims.end() - (is_column ? 1 : 2));
    return dst;
}

/// The derivative by a difference quotient of fourth order, for smooth functions.
double slope(const function_t &function, double x) {
    constexpr double h = 1e-3;
    const auto at = [&](double steps) { return function(x + steps * h); };
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
}

double mish(double x) { return x * std::tanh(softplus(x)); }

/// The function of an operation with one operand; empty for other operations.
function_t function_of(const truth_request_t &op) {
    const double alpha = op.attr<float>(attr_name_t::alpha, 0);
    const double beta = op.attr<float>(attr_name_t::beta, op.kind == kind_t::SoftPlus ? 1 : 0);
    const double low = op.attr<float>(attr_name_t::min, 0),
                 high = op.attr<float>(attr_name_t::max, 0);
    switch (op.kind) {
    case kind_t::Abs: return [](double x) { return std::fabs(x); };
    case kind_t::Clamp: return [=](double x) { return std::clamp(x, low, high); };
    case kind_t::Elu: return [=](double x) { return x > 0 ? x : alpha * std::expm1(x); };
    case kind_t::Exp: return [](double x) { return std::exp(x); };
    case kind_t::GELU:
        return is_tanh_gelu(op) ? function_t(gelu_tanh)
                                : [](double x) { return x * normal_cdf(x); };
    case kind_t::HardSigmoid:
        return [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); };
    case kind_t::HardSwish: return [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); };
    case kind_t::LeakyReLU: return [=](double x) { return x > 0 ? x : alpha * x; };
    case kind_t::Log: return [](double x) { return std::log(x); };
    case kind_t::Mish: return mish;
    case kind_t::Pow: return [=](double x) { return std::pow(x, beta); };
    case kind_t::Reciprocal: return [](double x) { return 1 / x; };
    case kind_t::ReLU: return [](double x) { return std::max(x, 0.0); };
    case kind_t::Round: return [](double x) { return std::nearbyint(x); };
    case kind_t::Sigmoid: return sigmoid;
    case kind_t::SoftPlus: return [=](double x) { return softplus(beta * x) / beta; };
    case kind_t::Sqrt: return [](double x) { return std::sqrt(x); };
    case kind_t::Square: return [](double x) { return x * x; };
    case kind_t::Tanh: return [](double x) { return std::tanh(x); };
    case kind_t::TypeCast:
    case kind_t::Wildcard:
    case kind_t::Reorder: return [](double x) { return x; };
    default: return {};
    }
}

/// The factor of diff_dst: a function of src, or of dst with use_dst.
function_t derivative_of(const truth_request_t &op) {
    const double alpha = op.attr<float>(attr_name_t::alpha, 0);
    const double beta = op.attr<float>(attr_name_t::beta, 1);
    const double low = op.attr<float>(attr_name_t::min, 0),
                 high = op.attr<float>(attr_name_t::max, 0);
    const bool of_dst = op.attr<bool>(attr_name_t::use_dst, true);
    switch (op.kind) {
    case kind_t::AbsBackward: return [](double x) { return double((x > 0) - (x < 0)); };
    case kind_t::ClampBackward: return [=](double x) { return double(low < x && x < high); };
    case kind_t::EluBackward:
        return [=](double x) {
            if (x > 0) return 1.0;
            return of_dst ? x + alpha : alpha * std::exp(x);
        };
    case kind_t::GELUBackward:
        if (is_tanh_gelu(op)) return [](double x) { return slope(gelu_tanh, x); };
        return [](double x) { return normal_cdf(x) + x * normal_pdf(x); };
    case kind_t::HardSigmoidBackward:
        return [=](double x) {
            const double y = alpha * x + beta;
            return 0 < y && y < 1 ? alpha : 0;
        };
    case kind_t::HardSwishBackward:
        return [](double x) { return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5; };
    case kind_t::MishBackward: return [](double x) { return slope(mish, x); };
    case kind_t::ReLUBackward: return [](double x) { return double(x > 0); };
    case kind_t::SigmoidBackward:
        return [=](double x) {
            const double y = of_dst ? x : sigmoid(x);
            return y * (1 - y);
        };
    case kind_t::SoftPlusBackward: return [=](double x) { return sigmoid(beta * x); };
    case kind_t::SqrtBackward:
        return [=](double x) { return 1 / (2 * (of_dst ? x : std::sqrt(x))); };
    case kind_t::TanhBackward:
        return [=](double x) {
            const double y = of_dst ? x : std::tanh(x);
            return 1 - y * y;
        };
    default: return {};
    }
}

using pair_function_t = double (*)(double, double);

pair_function_t pair_function_of(kind_t kind) {
    switch (kind) {
    case kind_t::Add: return [](double a, double b) { return a + b; };
    case kind_t::Divide: return [](double a, double b) { return a / b; };
    case kind_t::GreaterEqual: return [](double a, double b) { return double(a >= b); };
    case kind_t::Maximum: return [](double a, double b) { return std::max(a, b); };
    case kind_t::Minimum: return [](double a, double b) { return std::min(a, b); };
    case kind_t::Multiply: return [](double a, double b) { return a * b; };
    case kind_t::SquaredDifference: return [](double a, double b) { return (a - b) * (a - b); };
    case kind_t::Subtract: return [](double a, double b) { return a - b; };
    default: return nullptr;
    }
}

array_t mapped(const array_t &src, const function_t &function) {
    array_t dst = src;
    std::transform(src.values.begin(), src.values.end(), dst.values.begin(), function);
    return dst;
}

/// The position in an array that is broadcast, of an index that is aligned at the last axis.
size_t position_in(const array_t &array, const dims_t &index) {
    size_t position = 0;
    for (size_t d = 0; d < array.dims.size(); ++d) {
        const size_t axis = index.size() - array.dims.size() + d;
        const auto extent = static_cast<size_t>(array.dims[d]);
        position = position * extent + (extent == 1 ? 0 : static_cast<size_t>(index[axis]));
    }
    return position;
}

array_t paired(const array_t &lhs, const array_t &rhs, pair_function_t function) {
    const bool is_longer = lhs.dims.size() >= rhs.dims.size();
    const array_t &more = is_longer ? lhs : rhs, &less = is_longer ? rhs : lhs;
    array_t dst{more.dims, {}};
    for (size_t d = 0; d < less.dims.size(); ++d) {
        auto &dim = dst.dims[more.dims.size() - less.dims.size() + d];
        if (dim == 1) dim = less.dims[d];
    }
    for_each_index(dst.dims, [&](const dims_t &index) {
        dst.values.push_back(
                function(lhs.values[position_in(lhs, index)], rhs.values[position_in(rhs, index)]));
    });
    return dst;
}

array_t selected(const array_t &condition, const array_t &if_true, const array_t &if_false) {
    array_t dst{if_true.dims, {}};
    for_each_index(dst.dims, [&](const dims_t &index) {
        const array_t &from =
                condition.values[position_in(condition, index)] != 0 ? if_true : if_false;
        dst.values.push_back(from.values[position_in(from, index)]);
    });
    return dst;
}

size_t axis_of(const truth_request_t &op, const array_t &src) {
    const int64_t axis = op.attr<int64_t>(attr_name_t::axis, 1);
    return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(src.dims.size()) : axis);
}

/// Applies a function to each element of src with its scale and zero point.
array_t scaled(const truth_request_t &op, const array_t &src, const std::vector<double> &scales,
        const std::vector<double> &points, double (*function)(double, double, double)) {
    array_t dst{src.dims, {}};
    const bool per_channel =
            op.attr<std::string>(attr_name_t::qtype, "per_tensor") == "per_channel";
    const auto of = [&](const std::vector<double> &list, const dims_t &index) {
        if (list.empty()) return 0.0;
        return list[per_channel && list.size() > 1 ? static_cast<size_t>(index[axis_of(op, src)])
                                                   : 0];
    };
    size_t i = 0;
    for_each_index(src.dims, [&](const dims_t &index) {
        dst.values.push_back(function(src.values[i++], of(scales, index), of(points, index)));
    });
    return dst;
}

double quantized(double x, double scale, double point) { return x / scale + point; }
double dequantized(double x, double scale, double point) { return (x - point) * scale; }

array_t saturated(const truth_request_t &op, array_t dst) {
    for (double &value : dst.values)
        value = std::isnan(value) ? 0 : std::clamp(value, op.lowest, op.highest);
    return dst;
}

template <typename T> std::vector<double> numbers_of(const truth_request_t &op, attr_name_t name) {
    const auto list = op.attr<std::vector<T>>(name, {});
    return {list.begin(), list.end()};
}

array_t reduced(const truth_request_t &op, const array_t &src) {
    const auto ndims = static_cast<int64_t>(src.dims.size());
    std::vector<bool> is_reduced(src.dims.size());
    for (const int64_t axis : op.attr<std::vector<int64_t>>(attr_name_t::axes, {}))
        is_reduced[static_cast<size_t>(axis < 0 ? axis + ndims : axis)] = true;
    array_t kept{src.dims, {}};
    double count = 1;
    for (size_t d = 0; d < src.dims.size(); ++d)
        if (is_reduced[d]) {
            count *= static_cast<double>(src.dims[d]);
            kept.dims[d] = 1;
        }
    std::vector<std::vector<double>> parts(static_cast<size_t>(volume(kept.dims)));
    size_t i = 0;
    for_each_index(src.dims, [&](const dims_t &index) {
        parts[position_in(kept, index)].push_back(src.values[i++]);
    });
    for (const auto &part : parts) {
        const auto fold = [&](double start, auto function) {
            return std::accumulate(part.begin(), part.end(), start, function);
        };
        const double sum = fold(0.0, std::plus<>());
        switch (op.kind) {
        case kind_t::ReduceSum: kept.values.push_back(sum); break;
        case kind_t::ReduceMean: kept.values.push_back(sum / count); break;
        case kind_t::ReduceProd: kept.values.push_back(fold(1.0, std::multiplies<>())); break;
        case kind_t::ReduceMax:
            kept.values.push_back(*std::max_element(part.begin(), part.end()));
            break;
        case kind_t::ReduceMin:
            kept.values.push_back(*std::min_element(part.begin(), part.end()));
            break;
        case kind_t::ReduceL1:
            kept.values.push_back(
                    fold(0.0, [](double all, double x) { return all + std::fabs(x); }));
            break;
        default:
            kept.values.push_back(
                    std::sqrt(fold(0.0, [](double all, double x) { return all + x * x; })));
        }
    }
    if (op.attr<bool>(attr_name_t::keep_dims, false)) return kept;
    kept.dims.clear();
    for (size_t d = 0; d < src.dims.size(); ++d)
        if (!is_reduced[d]) kept.dims.push_back(src.dims[d]);
    return kept;
}

bool is_reduction(kind_t kind) { return kind >= kind_t::ReduceL1 && kind <= kind_t::ReduceSum; }

array_t reshaped(const truth_request_t &op, const array_t &src) {
    array_t dst{op.attr<std::vector<int64_t>>(attr_name_t::shape, {}), src.values};
    int64_t product = 1;
    for (size_t d = 0; d < dst.dims.size(); ++d) {
        if (dst.dims[d] == 0 && op.attr<bool>(attr_name_t::special_zero, false))
            dst.dims[d] = src.dims[d];
        if (dst.dims[d] != -1) product *= dst.dims[d];
    }
    for (auto &dim : dst.dims)
        if (dim == -1) dim = product == 0 ? 0 : volume(src.dims) / product;
    return dst;
}

array_t transposed(const truth_request_t &op, const array_t &src) {
    const auto order = op.attr<std::vector<int64_t>>(attr_name_t::order, {});
    array_t dst{src.dims, {}};
    const auto axis = [&](size_t d) {
        return static_cast<size_t>(order[d] < 0 ? order[d] + int64_t(order.size()) : order[d]);
    };
    for (size_t d = 0; d < order.size(); ++d) dst.dims[d] = src.dims[axis(d)];
    for_each_index(dst.dims, [&](const dims_t &index) {
        dims_t from(index.size());
        for (size_t d = 0; d < index.size(); ++d) from[axis(d)] = index[d];
        dst.values.push_back(src.values[position_in(src, from)]);
    });
    return dst;
}

array_t concatenated(const truth_request_t &op, const arrays_t &srcs) {
    const auto given = op.attr<int64_t>(attr_name_t::axis, 0);
    const size_t ndims = srcs[0].dims.size();
    const auto axis = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(ndims) : given);
    array_t dst{srcs[0].dims, {}};
    dst.dims[axis] = 0;
    for (const array_t &src : srcs) dst.dims[axis] += src.dims[axis];
    for_each_index(dst.dims, [&](dims_t index) {
        size_t source = 0;
        for (; index[axis] >= srcs[source].dims[axis]; ++source)
            index[axis] -= srcs[source].dims[axis];
        dst.values.push_back(srcs[source].values[position_in(srcs[source], index)]);
    });
    return dst;
}

array_t biased(const truth_request_t &op, const array_t &src, const array_t &bias) {
    array_t along = bias;
    along.dims.assign(src.dims.size(), 1);
    const bool last = op.attr<std::string>(attr_name_t::data_format, "NXC") == "NXC";
    along.dims[last ? src.dims.size() - 1 : 1] = bias.dims[0];
    return paired(src, along, pair_function_of(kind_t::Add));
}

/// The result of any operation but normalizations.
array_t result_of(const truth_request_t &op, const arrays_t &inputs) {
    const array_t &src = inputs[0];
    if (const auto function = function_of(op)) return mapped(src, function);
    if (const auto function = pair_function_of(op.kind)) return paired(src, inputs[1], function);
    if (const auto function = derivative_of(op))
        return paired(mapped(src, function), inputs[1], pair_function_of(kind_t::Multiply));
    if (is_reduction(op.kind)) return reduced(op, src);
    const std::vector<double> points = inputs.size() > 2 ? inputs[2].values : std::vector<double>();
    switch (op.kind) {
    case kind_t::Quantize:
        return saturated(op, scaled(op, src, numbers_of<float>(op, attr_name_t::scales),
                                     numbers_of<int64_t>(op, attr_name_t::zps), quantized));
    case kind_t::Dequantize:
        return scaled(op, src, numbers_of<float>(op, attr_name_t::scales),
                numbers_of<int64_t>(op, attr_name_t::zps), dequantized);
    case kind_t::DynamicQuantize:
        return saturated(op, scaled(op, src, inputs[1].values, points, quantized));
    case kind_t::DynamicDequantize: return scaled(op, src, inputs[1].values, points, dequantized);
    case kind_t::StaticReshape: return reshaped(op, src);
    case kind_t::StaticTranspose: return transposed(op, src);
    case kind_t::Concat: return concatenated(op, inputs);
    case kind_t::BiasAdd: return biased(op, src, inputs[1]);
    case kind_t::Select: return selected(src, inputs[1], inputs[2]);
    default: throw std::logic_error("the truth of this operation is not implemented");
    }
}

} // namespace

arrays_t truth_of(const truth_request_t &op, const arrays_t &inputs) {
    if (op.output_count == 0) return {};
    if (auto outputs = truth_of_norm(op, inputs); !outputs.empty()) return outputs;
    if (auto outputs = truth_of_softmax(op, inputs); !outputs.empty()) return outputs;
    if (auto outputs = truth_of_prelu(op, inputs); !outputs.empty()) return outputs;
    if (op.kind == kind_t::MatMul) return {product_of(op, inputs)};
    return arrays_t(op.output_count, result_of(op, inputs));
}

} // namespace kiln::test

// SPDX-License-Identifier: Apache-2.0
// All operations but normalizations.
#include "graph/truth/truth.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "graph/truth/truth_functions.hpp"
#include "graph/truth/truth_norms.hpp"
#include "graph/truth/truth_prelu.hpp"
#include "graph/truth/truth_softmax.hpp"

namespace kiln::test {

namespace {

using arrays_t = std::vector<array_t>;

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
    const auto sum = [](double a, double b) { return a + b; };
    array_t dst{paired(if_true, if_false, sum).dims, {}}; // the shape of any broadcast
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

/// The number of the group of an element, where each axis has so many groups.
size_t group_of(const dims_t &index, const dims_t &dims, const dims_t &groups) {
    int64_t group = 0;
    for (size_t d = 0; d < dims.size(); ++d)
        group = group * groups[d] + index[d] / (dims[d] / groups[d]);
    return static_cast<size_t>(group);
}

/// Applies a function to each element of src with its scale and zero point. `groups`: how many
/// there are along each axis, if they are those of groups.
array_t scaled(const truth_request_t &op, const array_t &src, const std::vector<double> &scales,
        const std::vector<double> &points, double (*function)(double, double, double),
        const dims_t &groups = {}) {
    array_t dst{src.dims, {}};
    const auto granularity = op.attr<std::string>(attr_name_t::qtype, "per_tensor");
    const auto of = [&](const std::vector<double> &list, const dims_t &index) {
        if (list.empty()) return 0.0;
        if (list.size() == 1 || granularity == "per_tensor") return list[0];
        return list[granularity == "per_group" ? group_of(index, src.dims, groups)
                                               : static_cast<size_t>(index[axis_of(op, src)])];
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
    auto order = op.attr<std::vector<int64_t>>(attr_name_t::order, {});
    array_t dst{src.dims, {}};
    if (order.empty()) // reversed
        for (size_t d = src.dims.size(); d-- > 0;) order.push_back(int64_t(d));
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
    case kind_t::DynamicDequantize:
        return scaled(op, src, inputs[1].values, points, dequantized, inputs[1].dims);
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

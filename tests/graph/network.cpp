// SPDX-License-Identifier: Apache-2.0
// Building networks: the values and error bounds of outputs are computed when an operation is
// added.
#include "graph/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test {

namespace {

dims_t row_major(const dims_t &dims) {
    dims_t strides(dims.size());
    int64_t stride = 1;
    for (size_t d = dims.size(); d-- > 0;) {
        strides[d] = stride;
        stride *= std::max<int64_t>(dims[d], 1);
    }
    return strides;
}

double greatest(const std::vector<double> &values) {
    double result = 0;
    for (const double value : values)
        if (std::isfinite(value)) result = std::max(result, std::fabs(value));
    return result;
}

/// The rounding error: half a unit of an integer, or relative to the value of a float. Functions
/// have shorter forms where their results are rounded to 16 bits.
double error_of_rounding(dnnl_data_type_t type, double value) {
    // For sums that cancel and subnormal numbers.
    const double least = type == dnnl_f8_e4m3 ? 0x1p-10 : type == dnnl_f8_e5m2 ? 0x1p-17 : 2e-6;
    constexpr double of_short_forms = 0x1p-13;
    if (is_integer(type)) return 0.5;
    const bool has_16_bits = type == dnnl_bf16 || type == dnnl_f16;
    const double error = unit_roundoff(type) + (has_16_bits ? of_short_forms : 0);
    return error * std::fabs(value) + least;
}

double lowest_of(dnnl_data_type_t type) { return type == dnnl_s8 ? -128 : 0; }
double highest_of(dnnl_data_type_t type) { return type == dnnl_s8 ? 127 : 255; }

} // namespace

dnnl_data_type_t to_c(type_t type) { return static_cast<dnnl_data_type_t>(type); }

size_t network_t::hold(tensor_t made) {
    if (made.strides.empty()) made.strides = row_major(made.dims);
    const size_t id = ++last_tensor_;
    tensors_.emplace(id, std::move(made));
    return id;
}

size_t network_t::input(type_t type, const dims_t &dims, tensor_options_t options) {
    tensor_t made{type, dims, options.strides, options.property, options.values, {}};
    if (made.values.empty()) {
        random_values_t random(last_tensor_ + 1);
        const bool is_whole = is_integer(to_c(type));
        const double reach = is_half_byte(to_c(type)) ? 7 : 100;
        made.values = is_whole ? random.many(volume(dims), -reach, reach)
                               : random.many(volume(dims), options.low, options.high);
        if (type == type_t::u8 || type == type_t::u4)
            for (double &value : made.values) value = std::fabs(value);
        if (type == type_t::boolean)
            for (double &value : made.values) value = value > 0;
    }
    for (double &value : made.values) value = rounded(to_c(type), value);
    made.errors.assign(made.values.size(), 0);
    return hold(std::move(made));
}

size_t network_t::weight(type_t type, const dims_t &dims, double low, double high) {
    return input(type, dims, {.property = property_t::constant, .low = low, .high = high});
}

/// True values and bounds of their errors: the largest effect of the inputs' errors in samples,
/// times a margin, plus the errors of f32 arithmetic and of rounding to the type.
std::vector<array_t> network_t::truths(const truth_request_t &request,
        const std::vector<size_t> &inputs, const std::vector<type_t> &types,
        std::vector<std::vector<double>> &errors) const {
    constexpr int samples = 8;
    constexpr double f32_arithmetic = 2e-6, margin = 3;
    std::vector<array_t> exact;
    for (const size_t id : inputs) exact.push_back({held(id).dims, held(id).values});
    const auto outputs = truth_of(request, exact);
    errors.clear();
    for (const array_t &output : outputs) errors.emplace_back(output.values.size());

    const bool is_exact = std::all_of(inputs.begin(), inputs.end(),
            [&](size_t id) { return greatest(held(id).errors) == 0; });
    random_values_t random(last_tensor_ + 1);
    for (int sample = 0; sample < samples && !is_exact; ++sample) {
        auto moved = exact;
        // Sample 0 shifts all inputs up; sample 1 shifts the first one down, the worst case of a
        // difference; the others are random.
        const auto goes_down = [&](size_t i) {
            return sample < 2 ? sample == 1 && i == 0 : random.between(-1, 1) < 0;
        };
        for (size_t i = 0; i < inputs.size(); ++i)
            for (size_t e = 0; e < moved[i].values.size(); ++e)
                moved[i].values[e] +=
                        goes_down(i) ? -held(inputs[i]).errors[e] : held(inputs[i]).errors[e];
        const auto off = truth_of(request, moved);
        for (size_t o = 0; o < outputs.size(); ++o)
            for (size_t e = 0; e < errors[o].size(); ++e) {
                const double difference = std::fabs(off[o].values[e] - outputs[o].values[e]);
                if (difference > errors[o][e]) errors[o][e] = difference;
            }
    }
    for (size_t o = 0; o < std::min(outputs.size(), types.size()); ++o) {
        double squares = 0;
        for (const double error : errors[o]) squares += error * error;
        const double typical =
                errors[o].empty() ? 0 : std::sqrt(squares / static_cast<double>(errors[o].size()));
        const double magnitude = greatest(outputs[o].values);
        for (size_t e = 0; e < errors[o].size(); ++e)
            errors[o][e] = margin * errors[o][e] + typical + f32_arithmetic * magnitude
                           + error_of_rounding(to_c(types[o]), outputs[o].values[e]);
    }
    return outputs;
}

std::vector<size_t> network_t::add(kind_t kind, const std::vector<size_t> &inputs,
        const std::vector<type_t> &outputs, const attributes_t &attributes) {
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    truth_request_t request{kind, attributes, 0, -unbounded, unbounded};
    for (size_t o = 0; o < outputs.size(); ++o)
        if (outputs[o] != absent) request.output_count = o + 1;
    if (!outputs.empty() && outputs[0] != absent && is_integer(to_c(outputs[0]))) {
        request.lowest = lowest_of(to_c(outputs[0]));
        request.highest = highest_of(to_c(outputs[0]));
    }
    std::vector<std::vector<double>> errors;
    const auto values = truths(request, inputs, outputs, errors);
    op_t op{ops_.size() + 1, kind, attributes, inputs, {}};
    for (size_t o = 0; o < outputs.size(); ++o)
        op.outputs.push_back(outputs[o] == absent
                                     ? hold({absent, {}, {}, property_t::variable, {}, {}})
                                     : hold({outputs[o], values[o].dims, {}, property_t::variable,
                                             values[o].values, errors[o]}));
    ops_.push_back(op);
    return op.outputs;
}

size_t network_t::add(kind_t kind, const std::vector<size_t> &inputs, type_t output,
        const attributes_t &attributes) {
    return add(kind, inputs, std::vector<type_t>{output}, attributes)[0];
}

size_t network_t::add(
        kind_t kind, const std::vector<size_t> &inputs, const attributes_t &attributes) {
    return add(kind, inputs, type_of(inputs[0]), attributes);
}

void network_t::set_strides(size_t id, const dims_t &strides) { tensors_.at(id).strides = strides; }

void network_t::set_dims(size_t id, const dims_t &dims) {
    tensors_.at(id).dims = dims;
    tensors_.at(id).strides = row_major(dims);
}

void network_t::forget_shape(size_t id) { tensors_.at(id).has_shape_in_graph = false; }
void network_t::set_layout_any(size_t id) { tensors_.at(id).is_any = true; }

size_t network_t::last_op() const { return ops_.back().id; }
type_t network_t::type_of(size_t id) const { return held(id).type; }
const dims_t &network_t::dims_of(size_t id) const { return held(id).dims; }
const std::vector<double> &network_t::truth(size_t id) const { return held(id).values; }
const std::vector<double> &network_t::errors(size_t id) const { return held(id).errors; }

logical_tensor network_t::at_hand(size_t id) const {
    const tensor_t &described = held(id);
    if (described.type == absent) return {id, absent, logical_tensor::layout_type::undef};
    if (described.is_any)
        return {id, described.type, described.dims, logical_tensor::layout_type::any,
                described.property};
    return {id, described.type, described.dims, described.strides, described.property};
}

logical_tensor network_t::in_graph(size_t id) const {
    const tensor_t &described = held(id);
    if (described.type == absent || described.has_shape_in_graph) return at_hand(id);
    return {id, described.type, DNNL_GRAPH_UNKNOWN_NDIMS, logical_tensor::layout_type::strided,
            described.property};
}

guarded_buffer_t network_t::buffer_of(size_t id, bool is_filled) const {
    const tensor_t &described = held(id);
    logical_tensor lt(id, described.type, described.dims, described.strides);
    guarded_buffer_t buffer(lt.get_mem_size(), placement_t::ends_at_guard);
    std::memset(buffer.data(), 0xff, buffer.size()); // NaN
    if (is_filled) write(described, buffer.data());
    return buffer;
}

void network_t::write(const tensor_t &held, std::byte *data) const {
    const dnnl_data_type_t type = to_c(held.type);
    size_t i = 0;
    for_each_index(held.dims, [&](const dims_t &index) {
        const size_t offset = offset_in(held, index);
        const double value = held.values[i++];
        is_half_byte(type) ? encode_half(type, value, data + offset / 2, offset % 2 != 0)
                           : encode(type, value, data + offset * size_of(type));
    });
}

std::vector<double> network_t::read(size_t id, const std::byte *data) const {
    const tensor_t &described = held(id);
    const dnnl_data_type_t type = to_c(described.type);
    std::vector<double> values;
    for_each_index(described.dims, [&](const dims_t &index) {
        const size_t offset = offset_in(described, index);
        values.push_back(is_half_byte(type) ? decode_half(type, data + offset / 2, offset % 2 != 0)
                                            : decode(type, data + offset * size_of(type)));
    });
    return values;
}

size_t network_t::offset_in(const tensor_t &held, const dims_t &index) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * held.strides[d];
    return static_cast<size_t>(offset);
}

testing::AssertionResult network_t::is_right(size_t id, const std::vector<double> &got) const {
    const tensor_t &described = held(id);
    if (got.size() != described.values.size())
        return testing::AssertionFailure() << "tensor " << id << " has " << got.size()
                                           << " elements, not " << described.values.size();
    for (size_t i = 0; i < got.size(); ++i) {
        const double want = described.values[i];
        const bool is_same = got[i] == want || (std::isnan(want) && std::isnan(got[i]));
        if (is_same || std::fabs(got[i] - want) <= described.errors[i]) continue;
        return testing::AssertionFailure()
               << "element " << i << " of tensor " << id << " ("
               << dnnl_dt2str(to_c(described.type)) << " " << to_string(described.dims) << ") is "
               << got[i] << ", not " << want << " +- " << described.errors[i];
    }
    return testing::AssertionSuccess();
}

testing::AssertionResult network_t::is_right(const outcome_t &outcome) const {
    for (const part_t &part : outcome.parts)
        for (const size_t id : part.outputs) {
            if (!part.is_supported) continue;
            if (auto result = is_right(id, outcome.values.at(id)); !result)
                return result << ", computed by " << part.plan;
        }
    return testing::AssertionSuccess();
}

} // namespace kiln::test

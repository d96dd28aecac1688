// SPDX-License-Identifier: Apache-2.0
// Values of a graph's inputs.
#include "graph/fill.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/tensor/data_type.hpp"
#include "common/tensor/fill.hpp"
#include "graph/operations.hpp"
#include "graph/reference/normalization.hpp"
#include "normalization/src_values.hpp"

namespace benchdnn::graph {

namespace {

// Operations that keep the values of their input, or shift and scale all of them alike.
bool passes_on(const op_t &op) {
    static const std::set<std::string> kinds{"DynamicDequantize", "Dequantize", "Reorder",
            "StaticReshape", "StaticTranspose", "TypeCast"};
    return kinds.count(op.kind) != 0;
}

// The first operation for which the values of an input matter.
place_t place_of(const graph_t &graph, size_t id) {
    const std::vector<place_t> places = graph.consumers(id);
    for (const place_t &place : places) {
        const bool goes_on = place.port == 0 && passes_on(*place.op)
                             && !graph.consumers(place.op->outputs[0]).empty();
        if (!goes_on) return place;
    }
    return places.empty() ? place_t{nullptr, 0} : place_of(graph, places[0].op->outputs[0]);
}

// Each row has its own mean and spread, so that misplaced rows are noticed.
double data_value(const noise_t &noise, dim_t index, dim_t cols) {
    const dim_t row = index / std::max<dim_t>(cols, 1);
    return 0.8 * noise(~row) + (1.5 + 0.5 * noise(~(row + (dim_t(1) << 40)))) * noise(index);
}

class filler_t {
public:
    filler_t(const graph_t &graph, const std::function<tensor_t &(size_t id)> &tensor_of)
        : graph_(graph)
        , tensor_of_(tensor_of) {}

    void run() {
        std::vector<size_t> later; // statistics, which are computed from other inputs
        for (const auto &[id, tensor] : graph_.tensors) {
            if (!graph_.is_input(id)) continue;
            const place_t place = place_of(graph_, id);
            const role_t role = place.op ? role_of(*place.op, place.port) : role_t::data;
            if (role == role_t::mean || role == role_t::variance)
                later.push_back(id);
            else
                fill_with(tensor, values_of(tensor, place, role));
        }
        for (const size_t id : later) fill_statistics(graph_.tensor(id), place_of(graph_, id));
    }

private:
    using values_t = std::function<double(dim_t index)>;

    void fill_with(const logical_tensor_t &tensor, const values_t &values) const {
        fill_elements(tensor_of_(tensor.id), values);
    }

    values_t values_of(const logical_tensor_t &tensor, const place_t &place, role_t role) const {
        const noise_t noise(tensor.id + 1);
        const normalization::parameter_values_t parameters(false, tensor.id + 1);
        const dim_t cols = tensor.dims.empty() ? 1 : tensor.dims.back();
        switch (role) {
        case role_t::positive: return [=](dim_t i) { return 1.65 + 1.35 * noise(i); };
        case role_t::near_one:
            return [=](dim_t i) { return (i % 5 == 3 ? -1 : 1) * (1 + 0.05 * noise(i)); };
        case role_t::condition: return [=](dim_t i) { return noise(i) > 0 ? 1 : 0; };
        case role_t::scale: return [=](dim_t i) { return parameters.scale(i); };
        case role_t::shift: return [=](dim_t i) { return parameters.shift(i); };
        case role_t::quantization_scale: return [=](dim_t i) { return 0.03 + 0.01 * noise(i); };
        case role_t::zero_point: return [=](dim_t i) { return std::nearbyint(3 + 3 * noise(i)); };
        case role_t::forward: return function_values(tensor, *place.op);
        case role_t::diff_dst: return gradient_values(tensor, *place.op);
        default: break;
        }
        if (is_integer_type(tensor.type)) return integer_values(tensor.type, noise);
        if (place.op && place.op->attributes.count("min") != 0)
            return values_about_bounds(*place.op, noise);
        if (is_quantization_factor(tensor, place)) return [](dim_t) { return 1. / 127; };
        const double level = is_off_zero(place) ? 5 : 0;
        return [=](dim_t i) { return level + data_value(noise, i, cols); };
    }

    // Half of the values inside the interval of the clamp, half outside.
    static values_t values_about_bounds(const op_t &op, const noise_t &noise) {
        const double low = op.get<double>("min", 0), high = op.get<double>("max", 0);
        return [=](dim_t i) { return (low + high) / 2 + (high - low) * noise(i); };
    }

    static values_t integer_values(dnnl_data_type_t type, const noise_t &noise) {
        if (type == dnnl_boolean) return [=](dim_t i) { return noise(i) > 0 ? 1 : 0; };
        const double reach = is_half_byte(type) ? 7 : 100;
        const double center = type == dnnl_u8 ? 127 : type == dnnl_u4 ? 7 : 0;
        return [=](dim_t i) { return std::nearbyint(center + reach * noise(i)); };
    }

    // The src of a function whose gradient is computed, or its dst.
    static values_t function_values(const logical_tensor_t &tensor, const op_t &op) {
        const noise_t noise(tensor.id + 1);
        const bool is_dst = op.get<bool>("use_dst", true);
        if (op.kind == "ClampBackward") return values_about_bounds(op, noise);
        if (op.kind == "SqrtBackward") return [=](dim_t i) { return 1.65 + 1.35 * noise(i); };
        if (op.kind == "SigmoidBackward" && is_dst)
            return [=](dim_t i) { return 0.5 + 0.49 * noise(i); };
        if (op.kind == "TanhBackward" && is_dst) return [=](dim_t i) { return 0.98 * noise(i); };
        const double least = op.kind == "EluBackward" && is_dst ? -op.get<double>("alpha", 1) : -9;
        return [=](dim_t i) { return std::max(least, 3 * noise(i)); };
    }

    // Correlated with src, so that each term of a gradient matters.
    values_t gradient_values(const logical_tensor_t &tensor, const op_t &op) const {
        const noise_t noise(tensor.id + 1), src(op.inputs[0] + 1);
        return [=](dim_t i) { return 0.3 + noise(i) + 0.4 * src(i); };
    }

    // The constant that turns a largest magnitude into a scale.
    bool is_quantization_factor(const logical_tensor_t &tensor, const place_t &place) const {
        if (!place.op || place.op->kind != "Multiply" || tensor.elements() != 1) return false;
        const op_t *other = graph_.producer(place.op->inputs[1 - place.port]);
        return other && other->kind == "ReduceMax";
    }

    // The data of every second normalization.
    static bool is_off_zero(const place_t &place) {
        return place.op && is_normalization(*place.op) && place.op->kind != "RMSNorm"
               && place.op->id % 2 == 1;
    }

    // Statistics of the operation's src, if that is an input too.
    void fill_statistics(const logical_tensor_t &tensor, const place_t &place) const {
        const op_t &op = *place.op;
        const bool is_mean = role_of(op, place.port) == role_t::mean;
        const noise_t noise(tensor.id + 1);
        if (!graph_.is_input(op.inputs[0]))
            return fill_with(tensor,
                    [=](dim_t i) { return is_mean ? 0.3 * noise(i) : 1.2 + 0.5 * noise(i); });
        const tensor_t &src = tensor_of_(op.inputs[0]);
        const populations_t populations = populations_of(op, graph_.tensor(op.inputs[0]).dims);
        // Running statistics differ from those of the batch.
        const bool is_other = op.kind != "LayerNormBackward";
        fill_with(tensor, [&](dim_t population) {
            std::vector<double> values(populations.size());
            for (dim_t k = 0; k < populations.size(); ++k)
                values[k] = src.load(populations.index(population, k));
            const normalization::statistics_t own = normalization::statistics_of(
                    {values.data(), populations.size(), src.layout().data_type(), false});
            const normalization::given_statistics_t given =
                    normalization::statistics_to_give(own, is_other);
            return is_mean ? given.mean : given.variance;
        });
    }

    const graph_t &graph_;
    const std::function<tensor_t &(size_t id)> &tensor_of_;
};

} // namespace

void fill(const graph_t &graph, const std::function<tensor_t &(size_t id)> &tensor_of) {
    filler_t(graph, tensor_of).run();
}

} // namespace benchdnn::graph

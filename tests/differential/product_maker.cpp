// SPDX-License-Identifier: Apache-2.0
#include "differential/product_maker.hpp"

#include "differential/layouts.hpp"
#include "support/bindings.hpp"
#include "support/data_type.hpp"
#include "support/implementations.hpp"
#include "support/roundings.hpp"

namespace kiln::test::differential {

product_types_t float_types(random_t &random) {
    const auto type = random.pick({dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16});
    return {type, type, random.pick({type, type, dnnl_f32, dnnl_bf16})};
}

product_types_t integer_types(random_t &random) {
    return {random.pick({dnnl_u8, dnnl_s8}), dnnl_s8,
            random.pick({dnnl_s32, dnnl_f32, dnnl_s8, dnnl_u8, dnnl_bf16, dnnl_f16})};
}

interval_t product_sum_t::interval(
        int64_t terms, bool is_exact, bool repeats, long double roundoff) const {
    if (is_exact) return interval_t::exactly(value);
    const long double roundings = roundings_of_sum(static_cast<long double>(terms), repeats);
    return interval_t::around(value, roundoff * roundings * size);
}

size_t place(const dims_t &index, const dims_t &tensor, const dims_t &extents) {
    int64_t result = 0;
    for (size_t d = 0; d < index.size(); ++d)
        result = result * extents[d] + index[d] / (tensor[d] / extents[d]);
    return static_cast<size_t>(result);
}

dims_t quantity_t::extents(const dims_t &tensor) const {
    dims_t extents = tensor;
    for (size_t d = 0; d < tensor.size(); ++d) {
        if (!(mask >> d & 1))
            extents[d] = 1;
        else if (!groups.empty() && d + 2 >= tensor.size())
            extents[d] /= groups[d + 2 - tensor.size()];
    }
    return extents;
}

void quantity_t::set(dnnl_primitive_attr_t attr) const {
    const auto ndims = static_cast<int>(groups.size());
    auto *const set_all =
            is_scale() ? dnnl_primitive_attr_set_scales_v2 : dnnl_primitive_attr_set_zero_points_v2;
    require(set_all(attr, arg, mask, ndims, groups.data(), type, is_on_host), text());
}

std::string quantity_t::text() const {
    return std::string(is_scale() ? " scales " : " zero points ") + std::to_string(arg) + ":"
           + std::to_string(mask) + ":" + dnnl_dt2str(type) + ":" + to_string(groups)
           + (is_on_host ? " on host" : "");
}

memory_desc_handle_t product_maker_t::layout(
        const dims_t &dims, dnnl_data_type_t type, bool is_input) {
    const bool is_dense = type == dnnl_s4 || type == dnnl_u4;
    const double kind = random_.between(0, is_dense ? 0.6 : 1);
    if (kind < 0.35) return make_desc(dims, type);
    if (kind < 0.6 && dims.size() > 1) { // the last two axes are swapped
        dims_t strides(dims.size());
        int64_t stride = 1;
        for (size_t i = dims.size(); i-- > 0;) {
            const size_t axis = i + 2 < dims.size() ? i : 2 * dims.size() - 3 - i;
            strides[axis] = stride;
            stride *= dims[axis];
        }
        return make_desc(dims, type, strides);
    }
    const style_t style = random_.pick({style_t::row_major, style_t::any});
    return random_layout(random_, dims, type, {.style = style, .may_repeat = is_input});
}

operand_t &product_maker_t::add_input(int arg, const std::string &name) {
    operand_t &operand = problem_->add_input(arg, name, regions_, random_);
    const bool is_whole = random_.chance(0.2); // the range of the type
    const bool has_halves = operand.type() == dnnl_s4 || operand.type() == dnnl_u4;
    const double reach = has_halves ? 7 : !is_integer(operand.type()) ? 4 : is_whole ? 127 : 9;
    operand.fill(random_values(random_, operand.elements(), operand.type(), -reach, reach));
    repeats_ = repeats_ || repeats(operand.desc());
    return operand;
}

operand_t &product_maker_t::add_dst(dnnl_data_type_t type, const chain_t &chain) {
    operand_t &dst = problem_->add_output(DNNL_ARG_DST, "dst", regions_, random_);
    if (chain.has_sum()) dst.fill(random_values(random_, dst.elements(), type, -9, 9));
    return dst;
}

void product_maker_t::add_quantities(quantities_t &quantities) {
    for (quantity_t &each : quantities) {
        const bool is_scale = each.is_scale();
        const auto drawn = [&](size_t count) {
            return random_values(
                    random_, count, each.type, is_scale ? 0.25 : -9, is_scale ? 2 : 10);
        };
        if (each.is_on_host) {
            each.values = {rounded(each.type, drawn(1)[0])};
            problem_->host_scalars.emplace_back(
                    each.kind | each.arg, make_host_scalar(each.type, each.values[0]));
            continue;
        }
        operand_t &operand = problem_->add_input(
                each.kind | each.arg, is_scale ? "scales" : "zero points", regions_, random_);
        operand.fill(drawn(operand.elements()));
        each.values = operand.values();
    }
}

std::vector<factor_t> product_maker_t::factors(
        const operand_t &operand, const quantities_t &quantities) {
    std::vector<factor_t> all;
    for (const double x : operand.values()) all.push_back({x, std::fabs(x)});
    for (const int kind : {DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_ATTR_SCALES})
        for (const quantity_t &each : quantities) {
            if (each.kind != kind || each.arg != operand.arg()) continue;
            const dims_t extents = each.extents(operand.dims());
            size_t i = 0;
            for_each(operand.dims(), [&](const dims_t &index) {
                const long double x = each.values[place(index, operand.dims(), extents)];
                auto &[value, size] = all[i++];
                value = each.is_scale() ? value * x : value - x;
                size = each.is_scale() ? size * std::fabs(x) : size + std::fabs(x);
            });
        }
    return all;
}

void product_maker_t::add_bias(
        std::vector<interval_t> &sums, const operand_t &bias, const operand_t &dst) const {
    const auto values = bias.values();
    dims_t extents = bias.dims(); // that of an inner product has dst's last axis alone
    extents.insert(extents.begin(), dst.dims().size() - extents.size(), 1);
    size_t i = 0;
    for_each(dst.dims(), [&](const dims_t &index) {
        const long double shift = values[place(index, dst.dims(), extents)];
        interval_t &sum = sums[i++];
        const bool is_exact = sum.low == sum.high && is_integer(bias.type());
        const long double error = 2 * roundoff_ * (std::fabs(shift) + sum.size());
        sum = sum.map([&](long double v) { return v + shift; }).widened(is_exact ? 0 : error);
    });
}

void product_maker_t::quantize(
        std::vector<interval_t> &values, const operand_t &dst, const quantity_t &quantity) const {
    const dims_t extents = quantity.extents(dst.dims());
    size_t i = 0;
    for_each(dst.dims(), [&](const dims_t &index) {
        const long double x = quantity.values[place(index, dst.dims(), extents)];
        interval_t &value = values[i++];
        if (is_anything(value)) return;
        const bool is_scale = quantity.is_scale();
        value = value.map([&](long double v) { return is_scale ? v / x : v + x; });
        const long double size = value.size() + (is_scale ? 0 : std::fabs(x));
        value = value.widened((is_scale ? 3 : 1) * roundoff_ * size);
    });
}

void product_maker_t::finish(operand_t &dst, std::vector<interval_t> sums, const operand_t *bias,
        const quantities_t &quantities, const chain_t &chain) {
    if (bias != nullptr) add_bias(sums, *bias, dst);
    const bool becomes_float = dst.type() != dnnl_s32 || !chain.empty() || !quantities.empty();
    for (interval_t &sum : sums)
        if (becomes_float && std::fabs(sum.value) > 0x1p24L)
            sum = sum.widened(roundoff_ * sum.size());
    chain.apply(sums, dst.values());
    for (const int kind : {DNNL_ARG_ATTR_SCALES, DNNL_ARG_ATTR_ZERO_POINTS})
        for (const quantity_t &each : quantities)
            if (each.kind == kind && each.arg == DNNL_ARG_DST) quantize(sums, dst, each);
    problem_->truths.push_back({&dst, std::move(sums)});
}

} // namespace kiln::test::differential

// SPDX-License-Identifier: Apache-2.0
// Reorders with scales, zero points and sums, and the truth about them.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reorder/reorder_call.hpp"
#include "support/random_values.hpp"

namespace kiln::test {

/// Scales or zero points of one argument: one value for each index of the axes in the mask.
struct quantization_t {
    int arg;
    int mask;
    dnnl_data_type_t type;
    std::vector<double> values;
    dims_t groups = {}; // of the last two axes: neighbours that share a value

    int64_t group_of(const dims_t &dims, size_t axis) const {
        return axis + groups.size() < dims.size() ? 1 : groups[axis + groups.size() - dims.size()];
    }
    double at(const dims_t &dims, const dims_t &index) const {
        int64_t position = 0;
        for (size_t d = 0; d < dims.size(); ++d)
            if (mask >> d & 1)
                position = position * (dims[d] / group_of(dims, d)) + index[d] / group_of(dims, d);
        return values[static_cast<size_t>(position)];
    }
};

struct sum_t {
    float scale;
    int32_t zero_point;
};

/// A reorder with attributes and the truth about it.
class quantized_reorder_t {
public:
    std::optional<quantization_t> src_scale, dst_scale, src_zero_point, dst_zero_point;
    std::optional<sum_t> sum;

    attr_handle_t attr() const {
        attr_handle_t result = make_attr();
        for (const auto *scale : {&src_scale, &dst_scale})
            if (*scale)
                require(dnnl_primitive_attr_set_scales(result, (*scale)->arg, (*scale)->mask,
                                static_cast<int>((*scale)->groups.size()), (*scale)->groups.data(),
                                (*scale)->type),
                        "dnnl_primitive_attr_set_scales");
        for (const auto *zero_point : {&src_zero_point, &dst_zero_point})
            if (*zero_point)
                require(dnnl_primitive_attr_set_zero_points(result, (*zero_point)->arg,
                                (*zero_point)->mask, static_cast<int>((*zero_point)->groups.size()),
                                (*zero_point)->groups.data(), (*zero_point)->type),
                        "dnnl_primitive_attr_set_zero_points");
        if (sum) {
            post_ops_handle_t post_ops;
            require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
            require(dnnl_post_ops_append_sum(
                            post_ops, sum->scale, sum->zero_point, dnnl_data_type_undef),
                    "dnnl_post_ops_append_sum");
            require(dnnl_primitive_attr_set_post_ops(result, post_ops), "set_post_ops");
        }
        return result;
    }

    std::vector<double> truth(const tensor_t &src, const tensor_t &dst) const {
        const auto src_values = src.values();
        const auto dst_values = dst.values();
        std::vector<double> result;
        for (size_t i = 0; i < src_values.size(); ++i) {
            const dims_t index = index_at(src.dims(), static_cast<int64_t>(i));
            const auto value_of = [&](const std::optional<quantization_t> &q, double neutral) {
                return q ? q->at(src.dims(), index) : neutral;
            };
            double value = value_of(src_scale, 1) * (src_values[i] - value_of(src_zero_point, 0));
            if (sum) value += double(sum->scale) * (dst_values[i] - sum->zero_point);
            result.push_back(value / value_of(dst_scale, 1) + value_of(dst_zero_point, 0));
        }
        return result;
    }

    /// Executes the descriptor's implementation on dst as it is.
    dnnl_status_t run(
            const primitive_desc_handle_t &pd, const tensor_t &src, const tensor_t &dst) const {
        const auto primitive = make_primitive(pd);
        arguments_t arguments = from_to(src, dst);
        std::vector<tensor_t> operands;
        operands.reserve(4);
        const auto add = [&](const std::optional<quantization_t> &q, int kind) {
            if (!q) return;
            operands.emplace_back(make_desc({static_cast<dnnl_dim_t>(q->values.size())}, q->type));
            operands.back().fill(q->values);
            arguments.add(kind | q->arg, operands.back().memory());
        };
        add(src_scale, DNNL_ARG_ATTR_SCALES);
        add(dst_scale, DNNL_ARG_ATTR_SCALES);
        add(src_zero_point, DNNL_ARG_ATTR_ZERO_POINTS);
        add(dst_zero_point, DNNL_ARG_ATTR_ZERO_POINTS);
        return arguments.execute(primitive);
    }

    dnnl_status_t run(const tensor_t &src, const tensor_t &dst) const {
        primitive_desc_handle_t pd;
        require(create_reorder(pd, src.desc(), dst.desc(), attr()), "reorder");
        return run(pd, src, dst);
    }
};

/// Values of the axes in a mask, one for each group of neighbours along the last two axes.
inline int64_t count_of(const dims_t &dims, const quantization_t &quantization) {
    int64_t count = 1;
    for (size_t d = 0; d < dims.size(); ++d)
        if (quantization.mask >> d & 1) count *= dims[d] / quantization.group_of(dims, d);
    return count;
}

/// Powers of two, so that the truth has no rounding but the last.
inline quantization_t scales(int arg, const dims_t &dims, int mask,
        dnnl_data_type_t type = dnnl_f32, const dims_t &groups = {}) {
    quantization_t result{arg, mask, type, {}, groups};
    for (int64_t i = 0; i < count_of(dims, result); ++i)
        result.values.push_back(std::ldexp(1, static_cast<int>(i % 5) - 3));
    return result;
}

inline quantization_t zero_points(int arg, const dims_t &dims, int mask,
        dnnl_data_type_t type = dnnl_s32, const dims_t &groups = {}) {
    quantization_t result{arg, mask, type, {}, groups};
    const bool is_unsigned = type == dnnl_u8 || type == dnnl_u4;
    for (int64_t i = 0; i < count_of(dims, result); ++i)
        result.values.push_back(static_cast<double>(i % 11) + (is_unsigned ? 1 : -4));
    return result;
}

inline std::vector<double> whole_numbers(int64_t count, uint64_t seed) {
    auto values = random_values_t(seed).many(count, -130, 260);
    for (double &value : values) value = std::floor(value);
    return values;
}

/// Whole numbers that elements of the type hold.
inline std::vector<double> source_values(dnnl_data_type_t type, int64_t count) {
    auto values = whole_numbers(count, 1);
    if (is_half_byte(type))
        for (double &value : values)
            value = std::fmod(std::fabs(value), 16) - (type == dnnl_s4 ? 8 : 0);
    return values;
}

/// Every implementation computes the truth.
inline void expect_true(const quantized_reorder_t &problem, const dims_t &dims,
        dnnl_data_type_t src_type, const std::string &src_format, dnnl_data_type_t dst_type,
        const std::string &dst_format) {
    SCOPED_TRACE(std::string(dnnl_dt2str(src_type)) + ":" + src_format + " to "
                 + dnnl_dt2str(dst_type) + ":" + dst_format + " " + to_string(dims));
    tensor_t src(make_desc(dims, src_type, src_format));
    tensor_t dst(make_desc(dims, dst_type, dst_format));
    src.fill(source_values(src_type, src.elements()));
    dst.fill(whole_numbers(dst.elements(), 2));
    const auto truth = problem.truth(src, dst);
    primitive_desc_handle_t pd;
    ASSERT_EQ(create_reorder(pd, src.desc(), dst.desc(), problem.attr()), dnnl_success);
    do {
        dst.fill(whole_numbers(dst.elements(), 2));
        if (!is_half_byte(dst_type)) dst.mark_padding(); // of elements beside others in a byte
        ASSERT_EQ(problem.run(pd, src, dst), dnnl_success);
        EXPECT_TRUE(holds(dst, truth));
        EXPECT_TRUE(dst.is_tidy());
    } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
}

} // namespace kiln::test

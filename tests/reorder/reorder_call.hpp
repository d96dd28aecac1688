// SPDX-License-Identifier: Apache-2.0
// Reorders as the tests ask for them, and what an element becomes that is only converted.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "support/arguments.hpp"
#include "support/data_type.hpp"
#include "support/tensor.hpp"

namespace kiln::test {

inline dnnl_status_t create_reorder(primitive_desc_handle_t &reorder, const_dnnl_memory_desc_t src,
        const_dnnl_memory_desc_t dst, const_dnnl_primitive_attr_t attr = nullptr) {
    return dnnl_reorder_primitive_desc_create(
            reorder.out(), src, cpu_engine(), dst, cpu_engine(), attr);
}

inline primitive_handle_t make_reorder(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
        const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t reorder;
    require(create_reorder(reorder, src, dst, attr), "dnnl_reorder_primitive_desc_create");
    return make_primitive(reorder);
}

inline arguments_t from_to(const tensor_t &src, const tensor_t &dst) {
    return arguments_t().add(DNNL_ARG_FROM, src.memory()).add(DNNL_ARG_TO, dst.memory());
}

/// Makes and executes a reorder without attributes.
inline dnnl_status_t reorder(const tensor_t &src, const tensor_t &dst) {
    return from_to(src, dst).execute(make_reorder(src.desc(), dst.desc()));
}

/// Elements with something to go wrong in each data type; no power of two of them.
inline std::vector<double> telling_values(int64_t count) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double cycle[] = {0, -0., 1, -1, .5, -.5, 1.5, 2.5, -2.5, 1. / 3, 127, 127.5, 128, -128.5,
            -129, 255, 255.5, 256, 1000.25, 65504, 65520, 1e-8, -3e-5, 3e9, -3e9, 2147483647,
            -2147483648., 16777217, 1e39, -1e-42, 1e-310, infinity, -infinity, nan, 77, -7, 3};
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i)
        values.push_back(cycle[static_cast<size_t>(i) % std::size(cycle)]);
    return values;
}

/// Whether dst's elements of half a byte have the values of `expected` in dst's type.
inline testing::AssertionResult holds_half_bytes(
        const tensor_t &dst, const std::vector<double> &expected) {
    const std::vector<double> found = dst.values();
    for (size_t i = 0; i < expected.size(); ++i)
        if (found[i] != rounded(dst.type(), expected[i]))
            return testing::AssertionFailure()
                   << dnnl_dt2str(dst.type()) << " at "
                   << index_text(index_at(dst.dims(), static_cast<int64_t>(i))) << " is "
                   << found[i] << ", not " << rounded(dst.type(), expected[i]);
    return testing::AssertionSuccess();
}

/// Whether dst's elements have the bits of `expected` in dst's type; NaN may be any NaN.
inline testing::AssertionResult holds(const tensor_t &dst, const std::vector<double> &expected) {
    if (is_half_byte(dst.type())) return holds_half_bytes(dst, expected);
    const size_t size = size_of(dst.type());
    const std::vector<std::byte> actual = dst.bits();
    for (size_t i = 0; i < expected.size(); ++i) {
        std::byte place[8];
        encode(dst.type(), expected[i], place);
        const std::byte *found = &actual[i * size];
        const bool same = std::memcmp(place, found, size) == 0;
        const bool both_nan =
                std::isnan(decode(dst.type(), place)) && std::isnan(decode(dst.type(), found));
        if (!same && !both_nan)
            return testing::AssertionFailure()
                   << dnnl_dt2str(dst.type()) << " at "
                   << index_text(index_at(dst.dims(), static_cast<int64_t>(i))) << " is "
                   << decode(dst.type(), found) << ", not " << decode(dst.type(), place);
    }
    return testing::AssertionSuccess();
}

} // namespace kiln::test

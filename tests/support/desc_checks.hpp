// SPDX-License-Identifier: Apache-2.0
// What tests of the primitive descriptors of any operation ask.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "support/handle.hpp"

namespace kiln::test {

/// The answer to a query.
template <typename value_t>
value_t answer(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what) {
    value_t value{};
    EXPECT_EQ(dnnl_primitive_desc_query(primitive_desc, what, 0, &value), dnnl_success);
    return value;
}

/// How many arguments executions read and write.
inline void expect_arguments(const_dnnl_primitive_desc_t primitive_desc, int inputs, int outputs) {
    const auto count = [&](dnnl_query_t what) {
        return dnnl_primitive_desc_query_s32(primitive_desc, what, 0);
    };
    EXPECT_EQ(count(dnnl_query_num_of_inputs_s32), inputs);
    EXPECT_EQ(count(dnnl_query_num_of_outputs_s32), outputs);
}

/// `create(out, engine, descs)` makes a primitive descriptor of memory descriptors. It refuses a
/// null pointer instead of any of these, and writes nothing.
template <typename create_t>
void expect_null_is_refused(std::vector<const_dnnl_memory_desc_t> descs, const create_t &create) {
    dnnl_primitive_desc_t made = nullptr;
    const auto no_place = static_cast<dnnl_primitive_desc_t *>(nullptr);
    EXPECT_EQ(create(no_place, cpu_engine(), descs), dnnl_invalid_arguments);
    EXPECT_EQ(create(&made, nullptr, descs), dnnl_invalid_arguments);
    for (const_dnnl_memory_desc_t &desc : descs) {
        const const_dnnl_memory_desc_t given = desc;
        desc = nullptr;
        EXPECT_EQ(create(&made, cpu_engine(), descs), dnnl_invalid_arguments)
                << "descriptor " << &desc - descs.data();
        desc = given;
    }
    EXPECT_EQ(made, nullptr);
}

} // namespace kiln::test

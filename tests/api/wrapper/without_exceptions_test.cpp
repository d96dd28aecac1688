// SPDX-License-Identifier: Apache-2.0
// The C++ interface in a program without exceptions: a failure prints its message and ends the
// program. It is a separate program, since inline functions of the other tests throw.
#define DNNL_ENABLE_EXCEPTIONS 0
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

using namespace dnnl;

TEST(wrapper_without_exceptions_death_test, an_empty_object_stops_the_program) {
    EXPECT_DEATH(engine().get(), "an empty object was used");
}

TEST(wrapper_without_exceptions_death_test, a_refused_descriptor_stops_the_program) {
    const memory::dims dims{2, 3};
    EXPECT_DEATH(memory::desc(dims, memory::data_type::f32, memory::format_tag::abc),
            "cannot make a memory descriptor from a tag");
}

TEST(wrapper_without_exceptions, empty_results_are_still_to_be_had) {
    EXPECT_FALSE(memory::desc({2, 3}, memory::data_type::f32, memory::format_tag::abc, true));
    EXPECT_EQ(engine().get(true), nullptr);
    EXPECT_EQ(engine(engine::kind::cpu, 0).get_kind(), engine::kind::cpu);
}

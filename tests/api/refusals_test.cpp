// SPDX-License-Identifier: Apache-2.0
// What Kiln says in words: reasons of refusals (kiln/refusals.h) and plans (kiln/plan.h).

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "api/normalization_desc.hpp"
#include "kiln/plan.h"
#include "kiln/refusals.h"

namespace kiln::test {

namespace {

/// Creates a layer normalization forward and returns the status.
dnnl_status_t create(const_dnnl_memory_desc_t md, float epsilon) {
    primitive_desc_handle_t pd;
    return dnnl_layer_normalization_forward_primitive_desc_create(pd.out(), cpu_engine(),
            dnnl_forward_inference, md, md, nullptr, epsilon, dnnl_normalization_flags_none,
            nullptr);
}

std::string reasons_of(const_dnnl_memory_desc_t md, float epsilon) {
    kiln_record_refusals(1);
    create(md, epsilon);
    kiln_record_refusals(0);
    return kiln_recorded_refusals();
}

memory_desc_handle_t desc(std::initializer_list<dnnl_dim_t> strides) {
    const dnnl_dims_t dims = {4, 16};
    dnnl_dims_t values{};
    std::copy(strides.begin(), strides.end(), values);
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_with_strides(md.out(), 2, dims, dnnl_f32, values), "desc");
    return md;
}

} // namespace

TEST(refusals, of_a_wrong_argument_name_it) {
    EXPECT_NE(reasons_of(desc({16, 1}), -1.f).find("lnorm: epsilon"), std::string::npos)
            << kiln_recorded_refusals();
}

TEST(refusals, of_implementations_are_kept_where_another_one_accepts) {
    // The normalized axis has stride 3 and the other one 64.
    const std::string reasons = reasons_of(desc({64, 3}), 1e-5f);
    EXPECT_NE(reasons.find("jit:rows: "), std::string::npos) << reasons;
    EXPECT_NE(reasons.find("jit:columns: "), std::string::npos) << reasons;
}

TEST(refusals, of_calls_before_and_after_are_not_kept) {
    create(desc({16, 1}), -1.f);
    kiln_record_refusals(1);
    kiln_record_refusals(0);
    create(desc({16, 1}), -1.f);
    EXPECT_STREQ(kiln_recorded_refusals(), "");
}

TEST(refusals, of_another_thread_are_not_kept) {
    const memory_desc_handle_t md = desc({16, 1});
    kiln_record_refusals(1);
    std::thread([&] { create(md, -1.f); }).join();
    kiln_record_refusals(0);
    EXPECT_STREQ(kiln_recorded_refusals(), "");
}

TEST(refusals, end_with_the_thread_that_keeps_them) {
    const memory_desc_handle_t md = desc({16, 1});
    std::string first;
    std::thread([&] {
        kiln_record_refusals(1);
        create(md, -1.f);
        first = kiln_recorded_refusals();
    }).join();
    create(md, -1.f);
    EXPECT_NE(first, "");
    EXPECT_STREQ(kiln_recorded_refusals(), "");
}

TEST(plan_text, is_cut_where_the_room_ends) {
    const primitive_desc_handle_t pd = made_pd({});
    const size_t length = kiln_plan_text(pd, nullptr, 0);
    char text[512] = "";
    EXPECT_EQ(kiln_plan_text(pd, text, sizeof(text)), length);
    const std::string whole = text;
    EXPECT_EQ(whole.size(), length);
    for (size_t room = 1; room <= length; ++room) {
        text[room] = '#';
        EXPECT_EQ(kiln_plan_text(pd, text, room), length);
        EXPECT_EQ(text, whole.substr(0, room - 1));
        EXPECT_EQ(text[room], '#');
    }
}

TEST(plan_text, of_nothing_is_empty) {
    char text[4] = "abc";
    EXPECT_EQ(kiln_plan_text(nullptr, text, sizeof(text)), 0u);
    EXPECT_STREQ(text, "");
    // References have no plan.
    EXPECT_EQ(kiln_plan_text(made_pd({.data_type = dnnl_f64}), nullptr, 0), 0u);
}

} // namespace kiln::test

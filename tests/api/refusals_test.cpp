// SPDX-License-Identifier: Apache-2.0
// What Kiln says in words: reasons of refusals (kiln/refusals.h) and plans (kiln/plan.h).

#include <functional>
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

TEST(refusals, beyond_the_room_are_told_by_the_last_line) {
    const memory_desc_handle_t md = desc({16, 1});
    kiln_record_refusals(1);
    std::string before, now = "start";
    for (int i = 0; before != now; ++i) {
        ASSERT_LT(i, 4096);
        before = now;
        create(md, -123456.f);
        now = kiln_recorded_refusals();
    }
    EXPECT_LT(now.size(), 4096u);
    EXPECT_TRUE(now.ends_with("finite\n(more)\n")) << now;
    // A shorter line, which might have fitted, would be out of its place.
    create(md, -1.f);
    EXPECT_EQ(kiln_recorded_refusals(), now);
    kiln_record_refusals(1);
    create(md, -1.f);
    kiln_record_refusals(0);
    const std::string again = kiln_recorded_refusals();
    EXPECT_TRUE(again.ends_with("finite\n")) << again;
}

TEST(refusals, of_a_hint_have_the_name_that_others_of_the_operation_have) {
    const memory_desc_handle_t md = desc({16, 1});
    const primitive_desc_handle_t own = made_pd({});
    primitive_desc_handle_t pd, other;
    require(dnnl_eltwise_forward_primitive_desc_create(other.out(), cpu_engine(),
                    dnnl_forward_training, dnnl_eltwise_relu, md, md, 0, 0, nullptr),
            "eltwise");
    const auto lnorm = [&](float epsilon) {
        return dnnl_layer_normalization_backward_primitive_desc_create(pd.out(), cpu_engine(),
                dnnl_backward_data, md, md, md, nullptr, epsilon, 0, other, nullptr);
    };
    const auto bnorm = [&](float epsilon) {
        return dnnl_batch_normalization_backward_primitive_desc_create(
                pd.out(), cpu_engine(), dnnl_backward_data, md, md, md, epsilon, 0, other, nullptr);
    };
    const auto gnorm = [&](float epsilon) {
        return dnnl_group_normalization_backward_primitive_desc_create(pd.out(), cpu_engine(),
                dnnl_backward_data, md, md, md, 4, epsilon, 0, other, nullptr);
    };
    const auto softmax = [&](float) {
        return dnnl_softmax_backward_primitive_desc_create(
                pd.out(), cpu_engine(), dnnl_softmax_accurate, md, md, md, 1, own, nullptr);
    };
    const auto recorded = [](const std::function<dnnl_status_t(float)> &call, float epsilon) {
        kiln_record_refusals(1);
        EXPECT_EQ(call(epsilon), dnnl_invalid_arguments);
        kiln_record_refusals(0);
        return std::string(kiln_recorded_refusals());
    };
    const std::pair<const char *, std::function<dnnl_status_t(float)>> calls[] = {
            {"lnorm", lnorm}, {"bnorm", bnorm}, {"gnorm", gnorm}};
    for (const auto &[name, call] : calls) {
        EXPECT_TRUE(recorded(call, -1.f).starts_with(name + std::string(": epsilon")));
        EXPECT_TRUE(recorded(call, 1.f).starts_with(name + std::string(": the hint is")))
                << kiln_recorded_refusals();
    }
    EXPECT_TRUE(recorded(softmax, 1.f).starts_with("softmax: the hint is"));
}

TEST(plan_text, is_cut_where_the_room_ends) {
    const primitive_desc_handle_t pd = made_pd({});
    const size_t length = kiln_plan_text(pd, nullptr, 0);
    char text[512] = "";
    EXPECT_EQ(kiln_plan_text(pd, nullptr, sizeof(text)), length);
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

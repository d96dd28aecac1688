// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors, with layer normalization as the example: scratchpads, open layouts, the
// iteration over implementations, attributes, copies, hints.
#include <functional>
#include <set>
#include <string>

#include "api/description.hpp"
#include "api/descriptors.hpp"
#include "api/normalization_desc.hpp"
#include "api/primitive/normalization_problems.hpp"

namespace kiln::test {

namespace {

template <typename answer_t> answer_t answered(const_dnnl_primitive_desc_t pd, dnnl_query_t what) {
    answer_t answer{};
    EXPECT_EQ(dnnl_primitive_desc_query(pd, what, 0, &answer), dnnl_success) << what;
    return answer;
}

// ---- scratchpad

TEST(primitive_desc, the_scratchpad_is_the_library_s_or_the_user_s) {
    const auto user = make_attr();
    ASSERT_EQ(
            dnnl_primitive_attr_set_scratchpad_mode(user, dnnl_scratchpad_mode_user), dnnl_success);
    for (auto problem : all_problems()) {
        problem.dims = {200, 3, 16};
        const auto library_s = made_pd(problem), user_s = made_pd(problem, user);
        const auto consumption = answered<dnnl_dim_t>(library_s, dnnl_query_memory_consumption_s64);
        EXPECT_GE(consumption, 0);
        EXPECT_EQ(answered<dnnl_dim_t>(user_s, dnnl_query_memory_consumption_s64), 0);

        const auto none = dnnl_primitive_desc_query_md(library_s, dnnl_query_scratchpad_md, 0);
        ASSERT_NE(none, nullptr);
        EXPECT_EQ(asked<int>(none, dnnl_query_ndims_s32), 0) << name_of(problem);

        const auto md = dnnl_primitive_desc_query_md(user_s, dnnl_query_scratchpad_md, 0);
        ASSERT_NE(md, nullptr);
        const description_t scratchpad = describe(md);
        if (consumption == 0) {
            EXPECT_EQ(scratchpad, description_t()) << name_of(problem);
        } else {
            EXPECT_EQ(scratchpad, plain({scratchpad.dims.at(0)}, {1}, dnnl_u8));
            EXPECT_GE(scratchpad.dims[0], consumption) << name_of(problem);
        }
        const auto as_argument =
                dnnl_primitive_desc_query_md(user_s, dnnl_query_exec_arg_md, DNNL_ARG_SCRATCHPAD);
        EXPECT_TRUE(dnnl_memory_desc_equal(as_argument, md));
    }
}

// ---- format any

TEST(primitive_desc, open_layouts_follow_src) {
    for (const auto prop_kind : prop_kinds)
        for (const char *format : {"abc", "bac", "cab", "aBc8b"}) {
            const auto pd = made_pd({prop_kind, 0, dims, format});
            const auto expected = make_desc(dims, dnnl_f32, format);
            const bool forward = normalization_t{.prop_kind = prop_kind}.is_forward();
            for (const auto what :
                    forward ? std::vector{dnnl_query_dst_md}
                            : std::vector{dnnl_query_diff_src_md, dnnl_query_diff_dst_md}) {
                const auto found = dnnl_primitive_desc_query_md(pd, what, 0);
                EXPECT_TRUE(dnnl_memory_desc_equal(found, expected))
                        << format << " query " << what << ": " << describe(found);
            }
        }
}

TEST(primitive_desc, given_layouts_are_kept) {
    const auto pd = made_pd({dnnl_forward_training, 0, dims, "abc", "bac+5"});
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0),
            make_desc(dims, dnnl_f32, "bac+5")));
}

// ---- iteration over implementations

TEST(primitive_desc, implementations_follow_each_other_until_the_last) {
    for (const auto &problem : all_problems()) {
        const auto pd = made_pd(problem);
        std::set<std::string> names;
        names.insert(answered<const char *>(pd, dnnl_query_impl_info_str));
        dnnl_status_t status = dnnl_success;
        while ((status = dnnl_primitive_desc_next_impl(pd)) == dnnl_success) {
            const std::string name = answered<const char *>(pd, dnnl_query_impl_info_str);
            EXPECT_TRUE(names.insert(name).second) << name << " twice";
            ASSERT_LT(names.size(), 100u);
        }
        EXPECT_EQ(status, dnnl_last_impl_reached);
        EXPECT_EQ(dnnl_primitive_desc_next_impl(pd), dnnl_last_impl_reached);

        // The descriptor is still that of the last implementation.
        const std::string last = answered<const char *>(pd, dnnl_query_impl_info_str);
        EXPECT_EQ(names.count(last), 1u);
        EXPECT_EQ(answered<unsigned>(pd, dnnl_query_flags), problem.flags);
        primitive_handle_t primitive;
        EXPECT_EQ(dnnl_primitive_create(primitive.out(), pd), dnnl_success);
    }
}

// ---- attributes and copies

TEST(primitive_desc, keeps_a_copy_of_its_attributes) {
    primitive_desc_handle_t pd;
    {
        const auto attr = make_attr();
        ASSERT_EQ(dnnl_primitive_attr_set_deterministic(attr, 1), dnnl_success);
        ASSERT_EQ(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_any), dnnl_success);
        pd = made_pd({}, attr);
    }
    const_dnnl_primitive_attr_t attr = nullptr;
    ASSERT_EQ(dnnl_primitive_desc_get_attr(pd, &attr), dnnl_success);
    int deterministic = 0;
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
    EXPECT_EQ(dnnl_primitive_attr_get_deterministic(attr, &deterministic), dnnl_success);
    EXPECT_EQ(deterministic, 1);
    EXPECT_EQ(dnnl_primitive_attr_get_fpmath_mode(attr, &mode), dnnl_success);
    EXPECT_EQ(mode, dnnl_fpmath_mode_any);
}

TEST(primitive_desc, without_attributes_it_has_the_default_ones) {
    const auto pd = made_pd({});
    const_dnnl_primitive_attr_t attr = nullptr;
    ASSERT_EQ(dnnl_primitive_desc_get_attr(pd, &attr), dnnl_success);
    const_dnnl_post_ops_t post_ops = nullptr;
    EXPECT_EQ(dnnl_primitive_attr_get_post_ops(attr, &post_ops), dnnl_success);
    EXPECT_EQ(dnnl_post_ops_len(post_ops), 0);
    auto mode = dnnl_scratchpad_mode_user;
    EXPECT_EQ(dnnl_primitive_attr_get_scratchpad_mode(attr, &mode), dnnl_success);
    EXPECT_EQ(mode, dnnl_scratchpad_mode_library);
}

TEST(primitive_desc, a_copy_says_the_same_and_outlives_its_original) {
    for (const auto &problem : all_problems()) {
        primitive_desc_handle_t copy;
        std::string name;
        {
            const auto original = made_pd(problem);
            name = answered<const char *>(original, dnnl_query_impl_info_str);
            ASSERT_EQ(dnnl_primitive_desc_clone(copy.out(), original), dnnl_success);
        }
        EXPECT_EQ(answered<const char *>(copy, dnnl_query_impl_info_str), name);
        EXPECT_EQ(answered<unsigned>(copy, dnnl_query_flags), problem.flags);
        EXPECT_EQ(answered<dnnl_engine_t>(copy, dnnl_query_engine), cpu_engine());
        EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(copy, dnnl_query_src_md, 0),
                make_desc(dims, dnnl_f32, "bac")));
        primitive_handle_t primitive;
        EXPECT_EQ(dnnl_primitive_create(primitive.out(), copy), dnnl_success);
    }
}

TEST(primitive_desc, walking_a_copy_leaves_the_original_where_it_is) {
    const auto original = made_pd({});
    const std::string name = answered<const char *>(original, dnnl_query_impl_info_str);
    primitive_desc_handle_t copy;
    ASSERT_EQ(dnnl_primitive_desc_clone(copy.out(), original), dnnl_success);
    while (dnnl_primitive_desc_next_impl(copy) == dnnl_success) {
    }
    EXPECT_EQ(answered<const char *>(original, dnnl_query_impl_info_str), name);
}

// One row for each operation whose gradient takes a hint.
TEST(primitive_desc, a_hint_is_a_forward_descriptor_of_the_same_operation) {
    const auto md = make_desc({4, 6}, dnnl_f32, "ab");
    const auto engine = cpu_engine();
    using pd_t = dnnl_primitive_desc_t *;
    struct row_t {
        const char *name;
        std::function<dnnl_status_t(pd_t)> forward;
        std::function<dnnl_status_t(pd_t, const_dnnl_primitive_desc_t)> backward;
    };
    const row_t rows[] = {
            {"eltwise",
                    [&](pd_t pd) {
                        return dnnl_eltwise_forward_primitive_desc_create(pd, engine,
                                dnnl_forward_training, dnnl_eltwise_tanh, md, md, 0, 0, nullptr);
                    },
                    [&](pd_t pd, const_dnnl_primitive_desc_t hint) {
                        return dnnl_eltwise_backward_primitive_desc_create(
                                pd, engine, dnnl_eltwise_tanh, md, md, md, 0, 0, hint, nullptr);
                    }},
            {"softmax",
                    [&](pd_t pd) {
                        return dnnl_softmax_forward_primitive_desc_create(pd, engine,
                                dnnl_forward_training, dnnl_softmax_accurate, md, md, 1, nullptr);
                    },
                    [&](pd_t pd, const_dnnl_primitive_desc_t hint) {
                        return dnnl_softmax_backward_primitive_desc_create(
                                pd, engine, dnnl_softmax_accurate, md, md, md, 1, hint, nullptr);
                    }},
            {"prelu",
                    [&](pd_t pd) {
                        return dnnl_prelu_forward_primitive_desc_create(
                                pd, engine, dnnl_forward_training, md, md, md, nullptr);
                    },
                    [&](pd_t pd, const_dnnl_primitive_desc_t hint) {
                        return dnnl_prelu_backward_primitive_desc_create(
                                pd, engine, md, md, md, md, md, hint, nullptr);
                    }},
            {"shuffle",
                    [&](pd_t pd) {
                        return dnnl_shuffle_forward_primitive_desc_create(
                                pd, engine, dnnl_forward_training, md, md, 1, 2, nullptr);
                    },
                    [&](pd_t pd, const_dnnl_primitive_desc_t hint) {
                        return dnnl_shuffle_backward_primitive_desc_create(
                                pd, engine, md, md, 1, 2, hint, nullptr);
                    }},
            {"layer normalization",
                    [&](pd_t pd) {
                        return dnnl_layer_normalization_forward_primitive_desc_create(pd, engine,
                                dnnl_forward_training, md, md, nullptr, 1e-5f, 0, nullptr);
                    },
                    [&](pd_t pd, const_dnnl_primitive_desc_t hint) {
                        return dnnl_layer_normalization_backward_primitive_desc_create(pd, engine,
                                dnnl_backward_data, md, md, md, nullptr, 1e-5f, 0, hint, nullptr);
                    }},
    };
    for (const row_t &row : rows) {
        primitive_desc_handle_t own, gradient, pd;
        ASSERT_EQ(row.forward(own.out()), dnnl_success) << row.name;
        ASSERT_EQ(row.backward(gradient.out(), own), dnnl_success) << row.name;
        EXPECT_EQ(row.backward(pd.out(), gradient), dnnl_invalid_arguments) << row.name;
        for (const row_t &other : rows) {
            primitive_desc_handle_t hint;
            ASSERT_EQ(other.forward(hint.out()), dnnl_success) << other.name;
            EXPECT_EQ(row.backward(pd.out(), hint),
                    &row == &other ? dnnl_success : dnnl_invalid_arguments)
                    << row.name << " with a hint of " << other.name;
        }
    }
}

TEST(primitive_desc, nothing_may_be_destroyed) {
    EXPECT_EQ(dnnl_primitive_desc_destroy(nullptr), dnnl_success);
}

} // namespace

} // namespace kiln::test

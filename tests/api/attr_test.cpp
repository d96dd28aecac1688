// SPDX-License-Identifier: Apache-2.0
// Primitive attributes. Each getter returns the value that was set, also for copies; a wrong value
// is refused and changes nothing.
#include <climits>

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace kiln::test {

namespace {

template <typename value_t>
value_t got(dnnl_status_t (*getter)(const_dnnl_primitive_attr_t, value_t *),
        const_dnnl_primitive_attr_t attr) {
    value_t value{};
    EXPECT_EQ(getter(attr, &value), dnnl_success);
    return value;
}

// ---- modes

/// A setter and a getter of one value, all values that the setter accepts, and some that it
/// refuses.
template <typename value_t>
void expect_round_trips(dnnl_status_t (*setter)(dnnl_primitive_attr_t, value_t),
        dnnl_status_t (*getter)(const_dnnl_primitive_attr_t, value_t *), value_t at_first,
        const std::vector<value_t> &values, const std::vector<int> &refused) {
    const auto attr = make_attr();
    EXPECT_EQ(got(getter, attr), at_first);
    for (const value_t value : values) {
        EXPECT_EQ(setter(attr, value), dnnl_success) << value;
        EXPECT_EQ(got(getter, attr), value);
        EXPECT_EQ(got(getter, copy_of(attr)), value);
        for (const int bad : refused) {
            EXPECT_EQ(setter(attr, static_cast<value_t>(bad)), dnnl_invalid_arguments) << bad;
            EXPECT_EQ(got(getter, attr), value) << "after " << bad << " was refused";
        }
    }
    value_t untouched = at_first;
    EXPECT_EQ(setter(nullptr, at_first), dnnl_invalid_arguments);
    EXPECT_EQ(getter(nullptr, &untouched), dnnl_invalid_arguments);
    EXPECT_EQ(getter(attr, nullptr), dnnl_invalid_arguments);
}

TEST(attr, keeps_the_scratchpad_mode) {
    expect_round_trips(dnnl_primitive_attr_set_scratchpad_mode,
            dnnl_primitive_attr_get_scratchpad_mode, dnnl_scratchpad_mode_library,
            {dnnl_scratchpad_mode_user, dnnl_scratchpad_mode_library}, {-1, 2, 100});
}

TEST(attr, keeps_the_accumulation_mode) {
    expect_round_trips(dnnl_primitive_attr_set_accumulation_mode,
            dnnl_primitive_attr_get_accumulation_mode, dnnl_accumulation_mode_strict,
            {dnnl_accumulation_mode_relaxed, dnnl_accumulation_mode_any, dnnl_accumulation_mode_s32,
                    dnnl_accumulation_mode_f32, dnnl_accumulation_mode_f16,
                    dnnl_accumulation_mode_strict},
            {-1, 6, 100});
}

TEST(attr, keeps_the_fpmath_mode) {
    expect_round_trips(dnnl_primitive_attr_set_fpmath_mode, dnnl_primitive_attr_get_fpmath_mode,
            dnnl_fpmath_mode_strict,
            {dnnl_fpmath_mode_bf16, dnnl_fpmath_mode_f16, dnnl_fpmath_mode_any,
                    dnnl_fpmath_mode_tf32, dnnl_fpmath_mode_strict},
            {-1, 5, 100});
}

TEST(attr, keeps_whether_results_are_deterministic) {
    expect_round_trips(dnnl_primitive_attr_set_deterministic, dnnl_primitive_attr_get_deterministic,
            0, {1, 0}, {});
    const auto attr = make_attr();
    EXPECT_EQ(dnnl_primitive_attr_set_deterministic(attr, 42), dnnl_success);
    EXPECT_NE(got(dnnl_primitive_attr_get_deterministic, attr), 0);
}

TEST(attr, keeps_whether_the_fpmath_mode_applies_to_integers) {
    const auto attr = make_attr();
    const auto expect = [&](dnnl_fpmath_mode_t mode, int apply_to_int) {
        dnnl_fpmath_mode_t found_mode = dnnl_fpmath_mode_any;
        int found_apply = -1;
        EXPECT_EQ(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &found_mode, &found_apply),
                dnnl_success);
        EXPECT_EQ(found_mode, mode);
        EXPECT_EQ(found_apply, apply_to_int);
        EXPECT_EQ(got(dnnl_primitive_attr_get_fpmath_mode, attr), mode);
    };
    expect(dnnl_fpmath_mode_strict, 0);
    EXPECT_EQ(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_f16, 1), dnnl_success);
    expect(dnnl_fpmath_mode_f16, 1);
    EXPECT_EQ(dnnl_primitive_attr_set_fpmath_mode_v2(attr, static_cast<dnnl_fpmath_mode_t>(99), 0),
            dnnl_invalid_arguments);
    expect(dnnl_fpmath_mode_f16, 1);
    EXPECT_EQ(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16), dnnl_success);
    expect(dnnl_fpmath_mode_bf16, 0);
    // The pointer of a result that is not needed may be null.
    EXPECT_EQ(dnnl_primitive_attr_get_fpmath_mode_v2(attr, nullptr, nullptr), dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_get_fpmath_mode_v2(nullptr, nullptr, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_attr_set_fpmath_mode_v2(nullptr, dnnl_fpmath_mode_bf16, 0),
            dnnl_invalid_arguments);
}

TEST(attr, begins_with_the_default_fpmath_mode) {
    dnnl_fpmath_mode_t before = dnnl_fpmath_mode_strict;
    ASSERT_EQ(dnnl_get_default_fpmath_mode(&before), dnnl_success);
    ASSERT_EQ(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_bf16), dnnl_success);
    EXPECT_EQ(got(dnnl_primitive_attr_get_fpmath_mode, make_attr()), dnnl_fpmath_mode_bf16);
    ASSERT_EQ(dnnl_set_default_fpmath_mode(before), dnnl_success);
    EXPECT_EQ(got(dnnl_primitive_attr_get_fpmath_mode, make_attr()), before);
}

// ---- rounding

dnnl_rounding_mode_t rounding_of(dnnl_primitive_attr_t attr, int arg) {
    auto mode = static_cast<dnnl_rounding_mode_t>(-1);
    EXPECT_EQ(dnnl_primitive_attr_get_rounding(attr, arg, &mode), dnnl_success);
    return mode;
}

TEST(attr, keeps_a_rounding_mode_for_each_output) {
    for (const int arg : {DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS}) {
        const auto attr = make_attr();
        EXPECT_EQ(rounding_of(attr, arg), dnnl_rounding_mode_environment);
        EXPECT_EQ(dnnl_primitive_attr_set_rounding(attr, arg, dnnl_rounding_mode_stochastic),
                dnnl_success);
        EXPECT_EQ(rounding_of(attr, arg), dnnl_rounding_mode_stochastic);
        EXPECT_EQ(rounding_of(copy_of(attr), arg), dnnl_rounding_mode_stochastic);
        EXPECT_EQ(rounding_of(attr, DNNL_ARG_SRC), dnnl_rounding_mode_environment);
    }
}

TEST(attr, a_rounding_mode_can_be_taken_back) {
    const auto attr = make_attr();
    EXPECT_EQ(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic),
            dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_environment),
            dnnl_success);
    EXPECT_EQ(rounding_of(attr, DNNL_ARG_DST), dnnl_rounding_mode_environment);
}

TEST(attr, inputs_are_not_rounded_stochastically) {
    const auto attr = make_attr();
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN}) {
        EXPECT_EQ(dnnl_primitive_attr_set_rounding(attr, arg, dnnl_rounding_mode_stochastic),
                dnnl_invalid_arguments)
                << arg;
        EXPECT_EQ(dnnl_primitive_attr_set_rounding(attr, arg, dnnl_rounding_mode_environment),
                dnnl_success)
                << arg;
    }
}

// ---- dropout

struct dropout_t {
    const_dnnl_memory_desc_t mask = nullptr;
    dnnl_data_type_t seed_type = dnnl_data_type_max;
    int use_offset = -1, use_host_scalars = -1;
};

dropout_t dropout_of(const_dnnl_primitive_attr_t attr) {
    dropout_t result;
    EXPECT_EQ(dnnl_primitive_attr_get_dropout_v2(attr, &result.mask, &result.seed_type,
                      &result.use_offset, &result.use_host_scalars),
            dnnl_success);
    return result;
}

TEST(attr, begins_without_dropout) {
    const auto attr = make_attr();
    const dropout_t none = dropout_of(attr);
    EXPECT_EQ(none.seed_type, dnnl_data_type_undef);
    EXPECT_EQ(none.use_offset, 0);
    EXPECT_EQ(none.use_host_scalars, 0);
    int ndims = -1;
    ASSERT_EQ(dnnl_memory_desc_query(none.mask, dnnl_query_ndims_s32, &ndims), dnnl_success);
    EXPECT_EQ(ndims, 0);
}

TEST(attr, keeps_dropout) {
    const auto attr = make_attr();
    const auto mask = make_desc({4, 16}, dnnl_u8);
    ASSERT_EQ(dnnl_primitive_attr_set_dropout(attr, mask), dnnl_success);
    dropout_t found = dropout_of(attr);
    EXPECT_TRUE(dnnl_memory_desc_equal(found.mask, mask));
    EXPECT_EQ(found.seed_type, dnnl_s32);
    EXPECT_EQ(found.use_offset, 0);
    EXPECT_EQ(found.use_host_scalars, 0);
    const_dnnl_memory_desc_t first_form = nullptr;
    EXPECT_EQ(dnnl_primitive_attr_get_dropout(attr, &first_form), dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(first_form, mask));

    ASSERT_EQ(dnnl_primitive_attr_set_dropout_v2(attr, mask, dnnl_s64, 1, 1), dnnl_success);
    const auto copy = copy_of(attr);
    for (const auto *each : {&attr, &copy}) {
        found = dropout_of(*each);
        EXPECT_TRUE(dnnl_memory_desc_equal(found.mask, mask));
        EXPECT_EQ(found.seed_type, dnnl_s64);
        EXPECT_NE(found.use_offset, 0);
        EXPECT_NE(found.use_host_scalars, 0);
    }
}

TEST(attr, dropout_may_do_without_a_mask_to_write) {
    memory_desc_handle_t zero;
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(
                      zero.out(), 0, nullptr, dnnl_data_type_undef, dnnl_format_tag_undef),
            dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_set_dropout_v2(make_attr(), zero, dnnl_s64, 1, 0), dnnl_success);
}

TEST(attr, dropout_of_other_types_is_refused) {
    const auto attr = make_attr();
    EXPECT_EQ(dnnl_primitive_attr_set_dropout(attr, make_desc({4, 16}, dnnl_f32)),
            dnnl_invalid_arguments);
    const auto mask = make_desc({4, 16}, dnnl_u8);
    for (const auto seed_type : {dnnl_f32, dnnl_u8, dnnl_data_type_undef})
        EXPECT_EQ(dnnl_primitive_attr_set_dropout_v2(attr, mask, seed_type, 0, 0),
                dnnl_invalid_arguments)
                << dnnl_dt2str(seed_type);
    EXPECT_EQ(dnnl_primitive_attr_set_dropout(attr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_attr_set_dropout(nullptr, mask), dnnl_invalid_arguments);
    EXPECT_EQ(dropout_of(attr).seed_type, dnnl_data_type_undef);
    // The pointer of a result that is not needed may be null.
    EXPECT_EQ(dnnl_primitive_attr_get_dropout_v2(attr, nullptr, nullptr, nullptr, nullptr),
            dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_get_dropout(attr, nullptr), dnnl_success);
    EXPECT_EQ(dnnl_primitive_attr_get_dropout(nullptr, nullptr), dnnl_invalid_arguments);
}

// ---- recurrent cells

TEST(attr, keeps_the_quantization_of_recurrent_data) {
    const auto attr = make_attr();
    float scale = -1, shift = -1;
    EXPECT_EQ(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift), dnnl_success);
    EXPECT_EQ(scale, 1.f);
    EXPECT_EQ(shift, 0.f);
    EXPECT_EQ(dnnl_primitive_attr_set_rnn_data_qparams(attr, 12.5f, 100.f), dnnl_success);
    const auto copy = copy_of(attr);
    EXPECT_EQ(dnnl_primitive_attr_get_rnn_data_qparams(copy, &scale, &shift), dnnl_success);
    EXPECT_EQ(scale, 12.5f);
    EXPECT_EQ(shift, 100.f);
    EXPECT_EQ(dnnl_primitive_attr_get_rnn_data_qparams(attr, nullptr, nullptr), dnnl_success);
}

TEST(attr, keeps_the_quantization_of_recurrent_weights) {
    using setter_t = decltype(&dnnl_primitive_attr_set_rnn_weights_qparams);
    using getter_t = decltype(&dnnl_primitive_attr_get_rnn_weights_qparams);
    const std::pair<setter_t, getter_t> functions[] = {
            {dnnl_primitive_attr_set_rnn_weights_qparams,
                    dnnl_primitive_attr_get_rnn_weights_qparams},
            {dnnl_primitive_attr_set_rnn_weights_projection_qparams,
                    dnnl_primitive_attr_get_rnn_weights_projection_qparams}};
    for (const auto &[set, get] : functions) {
        const auto attr = make_attr();
        dnnl_dim_t count = -1;
        int mask = -1;
        const float *found = nullptr;
        EXPECT_EQ(get(attr, &count, &mask, &found), dnnl_success);
        ASSERT_EQ(count, 1);
        EXPECT_EQ(mask, 0);
        EXPECT_EQ(found[0], 1.f);

        {
            const std::vector<float> scales = {1, 2, 3, 4, 5, 6};
            EXPECT_EQ(set(attr, 6, 24, scales.data()), dnnl_success);
        }
        const auto copy = copy_of(attr);
        EXPECT_EQ(get(copy, &count, &mask, &found), dnnl_success);
        ASSERT_EQ(count, 6);
        EXPECT_EQ(mask, 24);
        for (int i = 0; i < 6; ++i) EXPECT_EQ(found[i], i + 1);

        const float one = 1;
        EXPECT_EQ(set(attr, 0, 0, &one), dnnl_invalid_arguments);
        EXPECT_EQ(set(attr, -1, 0, &one), dnnl_invalid_arguments);
        EXPECT_EQ(set(attr, 1, -1, &one), dnnl_invalid_arguments);
        EXPECT_EQ(set(attr, 1, 0, nullptr), dnnl_invalid_arguments);
        EXPECT_EQ(get(attr, &count, nullptr, nullptr), dnnl_success);
        EXPECT_EQ(count, 6);
    }
}

// ---- post-ops and copies

TEST(attr, keeps_its_own_copy_of_post_ops) {
    const auto attr = make_attr();
    const_dnnl_post_ops_t found = nullptr;
    EXPECT_EQ(dnnl_primitive_attr_get_post_ops(attr, &found), dnnl_success);
    EXPECT_EQ(dnnl_post_ops_len(found), 0);
    {
        post_ops_handle_t post_ops;
        ASSERT_EQ(dnnl_post_ops_create(post_ops.out()), dnnl_success);
        ASSERT_EQ(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), dnnl_success);
        ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, post_ops), dnnl_success);
        ASSERT_EQ(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_f32), dnnl_success);
    }
    const auto copy = copy_of(attr);
    for (const auto *each : {&attr, &copy}) {
        EXPECT_EQ(dnnl_primitive_attr_get_post_ops(*each, &found), dnnl_success);
        ASSERT_EQ(dnnl_post_ops_len(found), 1);
        EXPECT_EQ(dnnl_post_ops_get_kind(found, 0), dnnl_eltwise);
    }
}

TEST(attr, a_copy_goes_its_own_way) {
    const auto attr = make_attr();
    const auto copy = copy_of(attr);
    EXPECT_EQ(
            dnnl_primitive_attr_set_scratchpad_mode(copy, dnnl_scratchpad_mode_user), dnnl_success);
    EXPECT_EQ(got(dnnl_primitive_attr_get_scratchpad_mode, attr), dnnl_scratchpad_mode_library);
}

TEST(attr, nothing_may_be_destroyed) {
    EXPECT_EQ(dnnl_primitive_attr_destroy(nullptr), dnnl_success);
}

} // namespace

} // namespace kiln::test

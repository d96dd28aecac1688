// SPDX-License-Identifier: Apache-2.0
// Handles, errors, engines, streams and process-wide functions of the C++ interface. Only the C++
// interface is called.
#include "oneapi/dnnl/dnnl.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;

TEST(wrapper, a_null_handle_throws_with_the_status) {
    EXPECT_EQ(status_of([] { engine().get(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { stream{engine()}; }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { memory().get_desc(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { primitive().get_kind(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { primitive_desc().get_engine(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { primitive_desc().impl_info_str(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { layer_normalization_forward::primitive_desc().next_impl(); }),
            dnnl_invalid_arguments);
}

TEST(wrapper, an_empty_object_can_be_asked_for_its_handle_without_throwing) {
    const engine empty;
    EXPECT_EQ(empty.get(true), nullptr);
    EXPECT_EQ(static_cast<dnnl_engine_t>(empty), nullptr);
    EXPECT_FALSE(empty);
}

TEST(wrapper, an_error_is_a_standard_exception_with_message_and_status) {
    const error failure(dnnl_unimplemented, "the message");
    const std::exception &standard = failure;
    EXPECT_STREQ(standard.what(), "the message");
    EXPECT_EQ(failure.status, dnnl_unimplemented);
    EXPECT_NO_THROW(error::wrap_c_api(dnnl_success, "nothing happened"));
    EXPECT_THROW(error::wrap_c_api(dnnl_runtime_error, "something did"), error);
}

TEST(wrapper, an_error_names_what_failed_and_where_the_reason_is_printed) {
    const engine cpu(engine::kind::cpu, 0);
    const memory::desc two({2}, memory::data_type::f32, memory::format_tag::a);
    const memory::desc three({3}, memory::data_type::f32, memory::format_tag::a);
    try {
        reorder::primitive_desc(cpu, two, cpu, three);
        ADD_FAILURE() << "a reorder between two shapes was described";
    } catch (const error &failure) {
        EXPECT_STREQ(failure.what(), "cannot describe a reorder; ONEDNN_VERBOSE=all says why");
    }
    try {
        reorder(reorder::primitive_desc(cpu, two, cpu, two)).execute(stream(cpu), {});
        ADD_FAILURE() << "a reorder without arguments was executed";
    } catch (const error &failure) {
        EXPECT_STREQ(failure.what(), "cannot execute a primitive; ONEDNN_VERBOSE=all says why");
    }
}

TEST(wrapper, copies_share_their_handle_and_the_last_one_destroys_it) {
    memory survivor;
    {
        const engine cpu(engine::kind::cpu, 0);
        const memory original({{3}, memory::data_type::f32, memory::format_tag::a}, cpu);
        static_cast<float *>(original.get_data_handle())[2] = 7.f;
        survivor = original;
        EXPECT_EQ(survivor, original);
        EXPECT_EQ(survivor.get(), original.get());
    }
    EXPECT_EQ(static_cast<const float *>(survivor.get_data_handle())[2], 7.f);
}

TEST(wrapper, moving_passes_the_handle_on_and_leaves_nothing) {
    engine source(engine::kind::cpu, 0);
    const dnnl_engine_t handle = source.get();
    engine moved(std::move(source));
    EXPECT_EQ(moved.get(), handle);
    EXPECT_FALSE(source);
    engine assigned;
    assigned = std::move(moved);
    EXPECT_EQ(assigned.get(), handle);
    EXPECT_FALSE(moved);
    EXPECT_EQ(moved, engine());
    EXPECT_NE(moved, assigned);
}

TEST(wrapper, a_weak_handle_does_not_destroy) {
    const engine owner(engine::kind::cpu, 0);
    {
        const engine weak(owner.get(), true);
        EXPECT_EQ(weak, owner);
        EXPECT_EQ(weak.get_kind(), engine::kind::cpu);
    }
    EXPECT_EQ(owner.get_kind(), engine::kind::cpu);
}

TEST(wrapper, reset_takes_over_another_handle) {
    dnnl_engine_t handle = nullptr;
    {
        engine maker(engine::kind::cpu, 0);
        engine holder;
        holder.reset(maker.get(), true);
        handle = holder.get();
        EXPECT_EQ(handle, maker.get());
        holder.reset(nullptr);
        EXPECT_FALSE(holder);
        EXPECT_TRUE(maker);
    }
    EXPECT_NE(handle, nullptr);
}

TEST(wrapper, conversions_to_c_handles_are_explicit_and_those_from_them_as_in_onednn) {
    static_assert(!std::is_convertible_v<dnnl_engine_t, engine>);
    static_assert(!std::is_convertible_v<engine, dnnl_engine_t>);
    static_assert(!std::is_convertible_v<dnnl_memory_t, memory>);
    static_assert(std::is_convertible_v<dnnl_memory_desc_t, memory::desc>);
    static_assert(std::is_convertible_v<dnnl_post_ops_t, post_ops>);
    static_assert(std::is_convertible_v<dnnl_primitive_attr_t, primitive_attr>);
    static_assert(std::is_convertible_v<dnnl_primitive_desc_t,
            layer_normalization_forward::primitive_desc>);
    static_assert(std::is_convertible_v<layer_normalization_forward::primitive_desc,
            layer_normalization_forward>);
    static_assert(std::is_base_of_v<std::exception, error>);
    EXPECT_TRUE((std::is_same_v<oneapi::dnnl::memory, dnnl::memory>));
}

TEST(wrapper, there_is_one_cpu_engine_and_no_more) {
    ASSERT_EQ(engine::get_count(engine::kind::cpu), 1U);
    EXPECT_EQ(engine(engine::kind::cpu, 0).get_kind(), engine::kind::cpu);
    EXPECT_EQ(status_of([] { engine(engine::kind::cpu, 1); }), dnnl_invalid_arguments);
    EXPECT_EQ(engine::get_count(engine::kind::gpu), 0U);
    EXPECT_NE(status_of([] { engine(engine::kind::gpu, 0); }), dnnl_success);
}

TEST(wrapper, a_stream_knows_its_engine_and_can_be_waited_for) {
    const engine cpu(engine::kind::cpu, 0);
    stream astream(cpu);
    EXPECT_EQ(astream.get_engine(), cpu);
    EXPECT_EQ(&astream.wait(), &astream);
    EXPECT_TRUE(stream(cpu, stream::flags::in_order));
}

TEST(wrapper, flags_combine_like_bits) {
    const auto both = normalization_flags::use_scale | normalization_flags::use_shift;
    EXPECT_EQ(both & normalization_flags::use_scale, normalization_flags::use_scale);
    EXPECT_EQ(both ^ normalization_flags::use_scale, normalization_flags::use_shift);
    EXPECT_EQ(both & ~normalization_flags::use_scale, normalization_flags::use_shift);
    auto changing = normalization_flags::none;
    changing |= normalization_flags::rms_norm;
    EXPECT_EQ(convert_to_c(changing), dnnl_rms_norm);
    changing &= both;
    EXPECT_EQ(changing, normalization_flags::none);
    changing ^= both;
    EXPECT_EQ(changing, both);
    EXPECT_EQ(stream::flags::in_order | stream::flags::in_order, stream::flags::default_flags);
}

TEST(wrapper, enumerators_convert_to_their_c_counterparts) {
    EXPECT_EQ(convert_to_c(engine::kind::cpu), dnnl_cpu);
    EXPECT_EQ(convert_to_c(primitive::kind::layer_normalization), dnnl_layer_normalization);
    EXPECT_EQ(convert_to_c(prop_kind::forward), dnnl_forward_training);
    EXPECT_EQ(convert_to_c(algorithm::binary_select), dnnl_binary_select);
    EXPECT_EQ(convert_to_c(query::exec_arg_md), dnnl_query_exec_arg_md);
    EXPECT_EQ(convert_to_c(fpmath_mode::tf32), dnnl_fpmath_mode_tf32);
    EXPECT_EQ(convert_to_c(accumulation_mode::f16), dnnl_accumulation_mode_f16);
    EXPECT_EQ(convert_to_c(rnn_direction::bidirectional_sum), dnnl_bidirectional_sum);
    EXPECT_TRUE(dnnl_bf16 == memory::data_type::bf16);
    EXPECT_TRUE(memory::data_type::bf16 != dnnl_f16);
    EXPECT_TRUE(dnnl_nchw == memory::format_tag::abcd);
    EXPECT_TRUE(memory::format_tag::nhwc != dnnl_nchw);
}

TEST(wrapper, the_version_is_that_of_the_headers) {
    ASSERT_NE(version(), nullptr);
    EXPECT_EQ(version()->major, DNNL_VERSION_MAJOR);
    EXPECT_EQ(version()->minor, DNNL_VERSION_MINOR);
    EXPECT_EQ(version()->major, 3);
    EXPECT_EQ(version()->minor, 13);
}

TEST(wrapper, the_default_math_mode_is_what_new_attributes_have) {
    const fpmath_mode before = get_default_fpmath_mode();
    EXPECT_EQ(set_default_fpmath_mode(fpmath_mode::bf16), status::success);
    EXPECT_EQ(get_default_fpmath_mode(), fpmath_mode::bf16);
    EXPECT_EQ(primitive_attr().get_fpmath_mode(), fpmath_mode::bf16);
    EXPECT_EQ(set_default_fpmath_mode(before), status::success);
    EXPECT_EQ(get_default_fpmath_mode(), before);
}

TEST(wrapper, the_primitive_cache_keeps_its_capacity) {
    const int before = get_primitive_cache_capacity();
    set_primitive_cache_capacity(5);
    EXPECT_EQ(get_primitive_cache_capacity(), 5);
    EXPECT_EQ(status_of([] { set_primitive_cache_capacity(-1); }), dnnl_invalid_arguments);
    EXPECT_EQ(get_primitive_cache_capacity(), 5);
    set_primitive_cache_capacity(before);
}

TEST(wrapper, verbose_and_jit_settings_are_accepted_and_wrong_ones_refused) {
    EXPECT_EQ(set_verbose(0), status::success);
    EXPECT_EQ(set_verbose(-1), status::invalid_arguments);
    EXPECT_EQ(set_jit_dump(0), status::success);
    EXPECT_EQ(set_jit_profiling_flags(DNNL_JIT_PROFILE_NONE), status::success);
    EXPECT_EQ(set_jit_profiling_jitdumpdir("."), status::success);
}

TEST(wrapper, the_maximum_isa_is_fixed_once_the_isa_was_asked_for) {
    const cpu_isa effective = get_effective_cpu_isa();
    EXPECT_EQ(set_max_cpu_isa(cpu_isa::sse41), status::invalid_arguments);
    EXPECT_EQ(get_effective_cpu_isa(), effective);
    const cpu_isa_hints hints = get_cpu_isa_hints();
    EXPECT_EQ(set_cpu_isa_hints(cpu_isa_hints::prefer_ymm), status::runtime_error);
    EXPECT_EQ(get_cpu_isa_hints(), hints);
}

TEST(wrapper, a_matrix_product_is_right_or_reported_as_unimplemented) {
    const float a[] = {1, 2, 3, 4, 5, 6};
    const float b[] = {1, 0, 2, 0, 1, 3};
    float c[] = {0, 0, 0, 0};
    const status result = sgemm('N', 'T', 2, 2, 3, 1.f, a, 3, b, 3, 0.f, c, 2);
    if (result == status::success) {
        const float expected[] = {7, 11, 16, 23};
        EXPECT_EQ(std::memcmp(c, expected, sizeof(c)), 0);
    } else {
        EXPECT_EQ(result, status::unimplemented);
    }
}

TEST(wrapper, an_integer_matrix_product_is_right_or_reported_as_unimplemented) {
    const uint8_t unsigned_a[] = {3, 4};
    const int8_t signed_a[] = {3, 4}, b[] = {5, -2};
    const int32_t offset = 10;
    int32_t c = 0;
    const status of_u8 = gemm_u8s8s32(
            'N', 'N', 'F', 1, 1, 2, 1.f, unsigned_a, 2, 1, b, 1, 0, 0.f, &c, 1, &offset);
    if (of_u8 == status::success)
        EXPECT_EQ(c, (3 - 1) * 5 + (4 - 1) * -2 + 10);
    else
        EXPECT_EQ(of_u8, status::unimplemented);
    const status of_s8 =
            gemm_s8s8s32('N', 'N', 'F', 1, 1, 2, 1.f, signed_a, 2, 0, b, 1, 1, 0.f, &c, 1, &offset);
    if (of_s8 == status::success)
        EXPECT_EQ(c, 3 * (5 - 1) + 4 * (-2 - 1) + 10);
    else
        EXPECT_EQ(of_s8, status::unimplemented);
}

// SPDX-License-Identifier: Apache-2.0
// Descriptors of the normalizations in the C++ interface: creation in every form, queries and
// errors. Only the C++ interface is called, and nothing is executed.
#include "layer_normalization/wrapper_rows.hpp"

#include <set>
#include <string>
#include <vector>

using namespace dnnl;
using namespace kiln::test;
using dims = memory::dims;

using wrapper_normalization_desc = wrapper_rows;

TEST_F(wrapper_normalization_desc, forward_answers_every_query) {
    const forward_t::primitive_desc pd(cpu_, prop_kind::forward_training, data_md_, data_md_,
            stat_md_, dt::bf16, epsilon, scale_and_shift);
    EXPECT_EQ(pd.get_engine(), cpu_);
    EXPECT_EQ(pd.get_kind(), primitive::kind::layer_normalization);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::forward_training);
    EXPECT_EQ(pd.get_epsilon(), epsilon);
    EXPECT_EQ(pd.get_flags(), scale_and_shift);
    EXPECT_EQ(pd.src_desc(), data_md_);
    EXPECT_EQ(pd.dst_desc(), data_md_);
    EXPECT_EQ(pd.mean_desc(), stat_md_);
    EXPECT_EQ(pd.variance_desc(), stat_md_);
    EXPECT_EQ(pd.weights_desc(), desc({cols}, dt::bf16, tag::a));
    EXPECT_TRUE(pd.workspace_desc().is_zero());
    EXPECT_EQ(pd.query_md(query::exec_arg_md, DNNL_ARG_SHIFT), pd.weights_desc());
    EXPECT_EQ(pd.query_md(query::exec_arg_md, DNNL_ARG_MEAN), stat_md_);
    EXPECT_TRUE(pd.query_md(query::exec_arg_md, DNNL_ARG_BIAS).is_zero());
    EXPECT_EQ(pd.get_primitive_attr().get_post_ops().len(), 0);
    EXPECT_STRNE(pd.impl_info_str(), "");
    EXPECT_EQ(status_of([&] { pd.query_md(query::epsilon_f32); }), dnnl_invalid_arguments);
}

TEST_F(wrapper_normalization_desc, inference_exposes_no_statistics) {
    const auto expect_none = [](const auto &pd) {
        EXPECT_TRUE(pd.mean_desc().is_zero());
        EXPECT_TRUE(pd.variance_desc().is_zero());
        for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
            EXPECT_TRUE(pd.query_md(query::exec_arg_md, arg).is_zero());
        for (const int index : {1, 2}) {
            EXPECT_TRUE(pd.query_md(query::src_md, index).is_zero());
            EXPECT_TRUE(pd.query_md(query::dst_md, index).is_zero());
        }
    };
    const auto inference = prop_kind::forward_inference;
    for (const flags_t flags : {flags_t::none, scale_and_shift, flags_t::rms_norm}) {
        using pd_t = forward_t::primitive_desc;
        expect_none(pd_t(cpu_, inference, data_md_, data_md_, epsilon, flags));
        expect_none(pd_t(cpu_, inference, data_md_, data_md_, stat_md_, epsilon, flags));
    }
    const desc md({2, 6, 4, 5}, dt::f32, tag::nchw);
    expect_none(batch_normalization_forward::primitive_desc(
            cpu_, inference, md, md, epsilon, flags_t::none));
    expect_none(group_normalization_forward::primitive_desc(
            cpu_, inference, md, md, 3, epsilon, flags_t::none));
}

TEST_F(wrapper_normalization_desc, questions_of_other_operations_have_default_answers) {
    const forward_t::primitive_desc pd = training(flags_t::none);
    EXPECT_EQ(pd.get_algorithm(), algorithm::undef);
    EXPECT_EQ(pd.get_cell_kind(), algorithm::undef);
    EXPECT_EQ(pd.get_activation_kind(), algorithm::undef);
    EXPECT_EQ(pd.get_direction(), rnn_direction::undef);
    EXPECT_EQ(pd.get_alpha(), 0.f);
    EXPECT_EQ(pd.get_beta(), 0.f);
    EXPECT_EQ(pd.get_k(), 0.f);
    EXPECT_EQ(pd.get_p(), 0.f);
    EXPECT_EQ(pd.get_axis(), -1);
    EXPECT_EQ(pd.get_local_size(), 0);
    EXPECT_EQ(pd.get_group_size(), 0);
    EXPECT_EQ(pd.get_strides(), dims());
    EXPECT_EQ(pd.get_dilations(), dims());
    EXPECT_EQ(pd.get_padding_l(), dims());
    EXPECT_EQ(pd.get_padding_r(), dims());
    EXPECT_EQ(pd.get_kernel(), dims());
    EXPECT_EQ(pd.get_factors(), std::vector<float>());
}

TEST_F(wrapper_normalization_desc, backward_answers_every_query) {
    const forward_t::primitive_desc forward(cpu_, prop_kind::forward_training, data_md_, data_md_,
            stat_md_, dt::bf16, epsilon, scale_and_shift);
    const backward_t::primitive_desc pd(cpu_, prop_kind::backward, data_md_, data_md_, data_md_,
            stat_md_, dt::bf16, dt::bf16, epsilon, scale_and_shift, forward);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::backward);
    EXPECT_EQ(pd.get_epsilon(), epsilon);
    EXPECT_EQ(pd.get_flags(), scale_and_shift);
    EXPECT_EQ(pd.src_desc(), data_md_);
    EXPECT_EQ(pd.diff_src_desc(), data_md_);
    EXPECT_EQ(pd.diff_dst_desc(), data_md_);
    EXPECT_EQ(pd.mean_desc(), stat_md_);
    EXPECT_EQ(pd.variance_desc(), stat_md_);
    EXPECT_EQ(pd.weights_desc(), desc({cols}, dt::bf16, tag::a));
    EXPECT_EQ(pd.diff_weights_desc(), pd.weights_desc());
    EXPECT_TRUE(pd.workspace_desc().is_zero());
}

TEST_F(wrapper_normalization_desc, is_created_by_every_overload) {
    const auto inference = prop_kind::forward_inference;
    const primitive_attr attr;
    const flags_t none = flags_t::none;
    const auto types = [&](const auto &pd) { return pd.weights_desc().get_data_type(); };
    using fwd_t = forward_t::primitive_desc;
    const flags_t scale = flags_t::use_scale;
    EXPECT_TRUE(fwd_t(cpu_, inference, data_md_, data_md_, epsilon, none));
    EXPECT_TRUE(fwd_t(cpu_, inference, data_md_, data_md_, epsilon, none, attr, true));
    EXPECT_TRUE(fwd_t(cpu_, inference, data_md_, data_md_, stat_md_, epsilon, none, attr));
    EXPECT_EQ(types(fwd_t(cpu_, inference, data_md_, data_md_, epsilon, scale)), dt::f32);
    EXPECT_EQ(types(fwd_t(cpu_, inference, data_md_, data_md_, dt::f16, epsilon, scale)), dt::f16);
    EXPECT_EQ(types(fwd_t(cpu_, inference, data_md_, data_md_, stat_md_, dt::bf16, epsilon, scale)),
            dt::bf16);

    using bwd_t = backward_t::primitive_desc;
    const auto backward = prop_kind::backward;
    const desc &md = data_md_;
    const fwd_t hint = training(scale);
    EXPECT_TRUE(bwd_t(cpu_, backward, md, md, md, epsilon, scale, hint));
    EXPECT_TRUE(bwd_t(cpu_, backward, md, md, md, stat_md_, epsilon, scale, hint, attr));
    EXPECT_TRUE(bwd_t(cpu_, prop_kind::backward_data, md, md, md, epsilon, none, hint, attr, true));
    const bwd_t typed(cpu_, backward, md, md, md, dt::f16, dt::f16, epsilon, scale, hint);
    EXPECT_EQ(types(typed), dt::f16);
    const bwd_t full(cpu_, backward, md, md, md, stat_md_, dt::bf16, dt::bf16, epsilon, scale, hint,
            attr, true);
    EXPECT_EQ(types(full), dt::bf16);
    EXPECT_EQ(full.mean_desc(), stat_md_);
}

TEST_F(wrapper_normalization_desc, what_is_refused_throws_or_is_empty) {
    const desc wrong({rows, cols + 1}, dt::f32, tag::ab);
    const desc integers({rows, cols}, dt::s32, tag::ab);
    const auto inference = prop_kind::forward_inference;
    using pd_t = forward_t::primitive_desc;
    EXPECT_EQ(status_of([&] { pd_t(cpu_, inference, data_md_, wrong, epsilon, flags_t::none); }),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] {
        pd_t(cpu_, prop_kind::backward, data_md_, data_md_, epsilon, flags_t::none);
    }),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { pd_t(cpu_, inference, integers, integers, epsilon, flags_t::none); }),
            dnnl_unimplemented);
    const pd_t empty(
            cpu_, inference, data_md_, wrong, epsilon, flags_t::none, primitive_attr(), true);
    EXPECT_FALSE(empty);
    EXPECT_EQ(status_of([&] { forward_t{empty}; }), dnnl_invalid_arguments);
}

TEST_F(wrapper_normalization_desc, the_implementations_are_passed_in_order_and_end) {
    forward_t::primitive_desc pd = training(flags_t::none);
    std::set<std::string> names{pd.impl_info_str()};
    while (pd.next_impl())
        EXPECT_TRUE(names.insert(pd.impl_info_str()).second) << pd.impl_info_str();
    EXPECT_FALSE(pd.next_impl());
    EXPECT_EQ(pd.src_desc(), data_md_);
    EXPECT_EQ(names.count(pd.impl_info_str()), 1U);
}

TEST_F(wrapper_normalization_desc, dense_rows_of_floats_have_vectorized_loops_on_every_processor) {
    const auto has_loops = [&](dt src, dt dst) {
        forward_t::primitive_desc pd(cpu_, prop_kind::forward_training,
                desc({rows, cols}, src, tag::ab), desc({rows, cols}, dst, tag::ab), epsilon,
                scale_and_shift);
        std::set<std::string> names{pd.impl_info_str()};
        while (pd.next_impl()) names.insert(pd.impl_info_str());
        return names.count("ref:rows") == 1;
    };
    for (const dt src : {dt::f32, dt::bf16, dt::f16}) {
        for (const dt dst : {dt::f32, dt::bf16, dt::f16}) EXPECT_TRUE(has_loops(src, dst));
        EXPECT_FALSE(has_loops(src, dt::s8));
        EXPECT_FALSE(has_loops(dt::f64, src));
    }
}

TEST_F(wrapper_normalization_desc, any_formats_are_resolved) {
    const desc open({rows, cols}, dt::f32, tag::any);
    const forward_t::primitive_desc pd(
            cpu_, prop_kind::forward_training, data_md_, open, epsilon, flags_t::none);
    EXPECT_EQ(pd.dst_desc().get_format_kind(), memory::format_kind::blocked);
    EXPECT_EQ(pd.dst_desc().get_dims(), dims({rows, cols}));
}

TEST_F(wrapper_normalization_desc, a_c_descriptor_is_copied_after_a_look_at_its_kind) {
    const forward_t::primitive_desc original = training(flags_t::none);
    const forward_t::primitive_desc copy(original.get());
    EXPECT_NE(copy.get(), original.get());
    EXPECT_EQ(copy.get_prop_kind(), prop_kind::forward_training);
    EXPECT_STREQ(copy.impl_info_str(), original.impl_info_str());
    EXPECT_EQ(
            status_of([&] { backward_t::primitive_desc{original.get()}; }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { reorder::primitive_desc{original.get()}; }), dnnl_invalid_arguments);
    EXPECT_FALSE(forward_t::primitive_desc(nullptr));
}

TEST_F(wrapper_normalization_desc, a_primitive_knows_where_it_came_from) {
    const forward_t::primitive_desc pd = training(flags_t::none);
    const forward_t prim(pd);
    EXPECT_EQ(prim.get_kind(), primitive::kind::layer_normalization);
    dnnl_prop_kind_t direction = dnnl_prop_kind_undef;
    EXPECT_EQ(dnnl_primitive_desc_query(
                      prim.get_primitive_desc(), dnnl_query_prop_kind, 0, &direction),
            dnnl_success);
    EXPECT_EQ(direction, dnnl_forward_training);
    const primitive shared = prim;
    EXPECT_EQ(shared, prim);
}

TEST_F(wrapper_normalization_desc, cache_blobs_round_trip_or_are_unimplemented) {
    const forward_t::primitive_desc pd = training(flags_t::none);
    const forward_t prim(pd);
    std::vector<uint8_t> blob;
    const dnnl_status_t status = status_of([&] { blob = prim.get_cache_blob(); });
    if (status == dnnl_success) {
        EXPECT_TRUE(forward_t(pd, blob));
        EXPECT_FALSE(pd.get_cache_blob_id().empty());
    } else {
        EXPECT_EQ(status, dnnl_unimplemented);
        EXPECT_NE(status_of([&] { forward_t(pd, std::vector<uint8_t>(8)); }), dnnl_success);
    }
}

// What oneDNN 3.13 refuses and Kiln does.

TEST_F(wrapper_normalization_desc, a_gradient_of_src_alone_may_depend_on_the_scale) {
    const backward_t::primitive_desc pd(cpu_, prop_kind::backward_data, data_md_, data_md_,
            data_md_, epsilon, flags_t::use_scale, training(flags_t::use_scale));
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::backward_data);
    EXPECT_EQ(pd.weights_desc(), row_md_);
}

TEST_F(wrapper_normalization_desc, the_gradients_of_scale_may_have_a_type_of_their_own) {
    const backward_t::primitive_desc pd(cpu_, prop_kind::backward, data_md_, data_md_, data_md_,
            dt::f32, dt::bf16, epsilon, flags_t::use_scale, training(flags_t::use_scale));
    EXPECT_EQ(pd.diff_weights_desc(), row_md_);
    EXPECT_EQ(pd.weights_desc(), desc({cols}, dt::bf16, tag::a));
}

TEST_F(wrapper_normalization_desc, the_scratchpad_is_on_the_engine_of_the_primitive) {
    EXPECT_EQ(training(flags_t::none).scratchpad_engine(), cpu_);
}

TEST_F(wrapper_normalization_desc, batch_normalization_is_described) {
    const desc md({2, 3, 4, 5}, dt::f32, tag::nchw);
    const flags_t flags = flags_t::use_scale | flags_t::fuse_norm_add_relu;
    const batch_normalization_forward::primitive_desc pd(
            cpu_, prop_kind::forward_training, md, md, epsilon, flags);
    EXPECT_EQ(pd.mean_desc(), desc({3}, dt::f32, tag::a));
    EXPECT_EQ(pd.variance_desc(), pd.mean_desc());
    EXPECT_EQ(pd.get_flags(), flags);
    EXPECT_EQ(pd.get_epsilon(), epsilon);
    EXPECT_EQ(pd.query_md(query::exec_arg_md, DNNL_ARG_SRC_1), md);
    EXPECT_EQ(pd.query_md(query::dst_md, 3), md);
    EXPECT_FALSE(pd.workspace_desc().is_zero());
    const batch_normalization_backward::primitive_desc backward(
            cpu_, prop_kind::backward, md, md, md, epsilon, flags, pd);
    EXPECT_EQ(backward.variance_desc(), pd.mean_desc());
    EXPECT_EQ(backward.diff_weights_desc(), pd.mean_desc());
    EXPECT_EQ(backward.workspace_desc(), pd.workspace_desc());
    EXPECT_EQ(backward.query_md(query::exec_arg_md, DNNL_ARG_DIFF_SRC_1), md);
    EXPECT_EQ(backward.query_md(query::diff_dst_md, 1), md);
    EXPECT_TRUE(batch_normalization_forward(pd));
    EXPECT_TRUE(batch_normalization_backward(backward));
}

TEST_F(wrapper_normalization_desc, group_normalization_is_described) {
    const desc md({2, 6, 4, 5}, dt::f32, tag::nchw);
    const group_normalization_forward::primitive_desc pd(
            cpu_, prop_kind::forward_training, md, md, 3, epsilon, flags_t::use_scale);
    EXPECT_EQ(pd.mean_desc(), desc({2, 3}, dt::f32, tag::ab));
    EXPECT_EQ(pd.variance_desc(), pd.mean_desc());
    EXPECT_EQ(pd.weights_desc(), desc({6}, dt::f32, tag::a));
    EXPECT_EQ(pd.get_group_size(), 3);
    EXPECT_EQ(pd.get_epsilon(), epsilon);
    EXPECT_EQ(pd.get_flags(), flags_t::use_scale);
    const group_normalization_backward::primitive_desc backward(
            cpu_, prop_kind::backward, md, md, md, 3, epsilon, flags_t::use_scale, pd);
    EXPECT_EQ(backward.get_group_size(), 3);
    EXPECT_EQ(backward.mean_desc(), pd.mean_desc());
    EXPECT_EQ(backward.diff_weights_desc(), pd.weights_desc());
    EXPECT_TRUE(group_normalization_forward(pd));
    EXPECT_TRUE(group_normalization_backward(backward));
}

// SPDX-License-Identifier: Apache-2.0
// Problems that contradict themselves, and attributes that no normalization honours.
#include <limits>

#include "kiln/refusals.h"
#include "normalization/operation_test.hpp"

namespace kiln::test::normalization {

namespace {

struct attribute_t {
    const char *name;
    dnnl_status_t (*set)(dnnl_primitive_attr_t);
};

dnnl_status_t set_post_ops(dnnl_primitive_attr_t attr, dnnl_status_t (*append)(dnnl_post_ops_t)) {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    require(append(post_ops), "appending a post-op");
    return dnnl_primitive_attr_set_post_ops(attr, post_ops);
}

dnnl_status_t append_relu(dnnl_post_ops_t post_ops) {
    return dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0);
}

dnnl_status_t append_sum(dnnl_post_ops_t post_ops) {
    return dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef);
}

dnnl_status_t append_relu_and_sum(dnnl_post_ops_t post_ops) {
    require(append_relu(post_ops), "dnnl_post_ops_append_eltwise");
    return append_sum(post_ops);
}

const std::vector<attribute_t> refused_attributes{
        {"zero point of src",
                [](dnnl_primitive_attr_t attr) {
                    return dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0);
                }},
        {"zero point of dst",
                [](dnnl_primitive_attr_t attr) {
                    return dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0);
                }},
        {"sum", [](dnnl_primitive_attr_t attr) { return set_post_ops(attr, append_sum); }},
        {"depthwise convolution",
                [](dnnl_primitive_attr_t attr) {
                    return set_post_ops(attr, [](dnnl_post_ops_t post_ops) {
                        return dnnl_post_ops_append_dw(
                                post_ops, dnnl_f32, dnnl_data_type_undef, dnnl_f32, 3, 1, 1);
                    });
                }},
        {"a sum after an elementwise function",
                [](dnnl_primitive_attr_t attr) { return set_post_ops(attr, append_relu_and_sum); }},
        {"dropout",
                [](dnnl_primitive_attr_t attr) {
                    return dnnl_primitive_attr_set_dropout(attr, make_desc({4, 6, 5}, dnnl_u8));
                }},
        {"stochastic rounding",
                [](dnnl_primitive_attr_t attr) {
                    return dnnl_primitive_attr_set_rounding(
                            attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
                }},
        {"scales that execution computes",
                [](dnnl_primitive_attr_t attr) {
                    const dims_t group{1, 32};
                    return dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 7, 2, group.data(),
                            dnnl_e8m0, 0, dnnl_quantization_mode_dynamic_mx);
                }},
};

const attribute_t scale_of_src{"scale of src", [](dnnl_primitive_attr_t attr) {
                                   return dnnl_primitive_attr_set_scales_mask(
                                           attr, DNNL_ARG_SRC, 0);
                               }};
const attribute_t scale_of_dst{"scale of dst", [](dnnl_primitive_attr_t attr) {
                                   return dnnl_primitive_attr_set_scales_mask(
                                           attr, DNNL_ARG_DST, 0);
                               }};
const attribute_t elementwise{"elementwise function",
        [](dnnl_primitive_attr_t attr) { return set_post_ops(attr, append_relu); }};

class normalization_refusals : public operation_test_t {
protected:
    /// A problem whose descriptors are given apart.
    static problem_t with(dnnl_prop_kind_t prop_kind) {
        return problem_of({4, 6, 5}, 0, "", prop_kind);
    }

    static dnnl_status_t forward_of(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
            dnnl_prop_kind_t prop_kind = dnnl_forward_training,
            const_dnnl_memory_desc_t stat = nullptr) {
        primitive_desc_handle_t primitive_desc;
        return create_from(primitive_desc.out(), cpu_engine(), direction_t::forward,
                with(prop_kind), {src, dst, nullptr, stat});
    }

    static dnnl_status_t backward_of(const_dnnl_memory_desc_t diff_src,
            const_dnnl_memory_desc_t diff_dst, const_dnnl_memory_desc_t src,
            dnnl_prop_kind_t prop_kind = dnnl_backward, const_dnnl_memory_desc_t stat = nullptr,
            const_dnnl_primitive_desc_t hint = nullptr) {
        primitive_desc_handle_t primitive_desc;
        return create_from(primitive_desc.out(), cpu_engine(), direction_t::backward,
                with(prop_kind), {src, diff_dst, diff_src, stat}, nullptr, hint);
    }

    static dnnl_status_t status_with(const problem_t &problem, const attribute_t &attribute) {
        const auto attr = test::make_attr();
        EXPECT_EQ(attribute.set(attr), dnnl_success) << attribute.name;
        primitive_desc_handle_t primitive_desc;
        return make_primitive_desc(
                primitive_desc, problem, static_cast<const_dnnl_primitive_attr_t>(attr));
    }
};

memory_desc_handle_t zero_desc() {
    memory_desc_handle_t zero;
    require(dnnl_memory_desc_create_with_strides(
                    zero.out(), 0, nullptr, dnnl_data_type_undef, nullptr),
            "the zero descriptor");
    return zero;
}

TEST_P(normalization_refusals, descriptors_must_be_there) {
    const auto data = make_desc({2, 4, 6}, dnnl_f32);
    const auto zero = zero_desc();
    EXPECT_EQ(forward_of(data, data), dnnl_success);
    EXPECT_EQ(forward_of(nullptr, data), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(data, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(zero, data), dnnl_invalid_arguments);
    EXPECT_EQ(forward_of(data, zero), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, data, data), dnnl_success);
    EXPECT_EQ(backward_of(nullptr, data, data), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, nullptr, data), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, data, nullptr), dnnl_invalid_arguments);
    for (const auto direction : {direction_t::forward, direction_t::backward}) {
        const auto problem =
                with(direction == direction_t::forward ? dnnl_forward_training : dnnl_backward);
        const auto status = [&](dnnl_primitive_desc_t *out, dnnl_engine_t engine) {
            return create_from(out, engine, direction, problem, {data, data, data});
        };
        EXPECT_EQ(status(nullptr, cpu_engine()), dnnl_invalid_arguments);
        primitive_desc_handle_t primitive_desc;
        EXPECT_EQ(status(primitive_desc.out(), nullptr), dnnl_invalid_arguments);
    }
}

TEST_P(normalization_refusals, a_zero_descriptor_of_statistics_stands_for_none) {
    if (!is_layer()) GTEST_SKIP() << "they have no descriptor";
    const auto data = make_desc({4, 6}, dnnl_f32);
    const auto zero = zero_desc();
    EXPECT_EQ(forward_of(data, data, dnnl_forward_training, zero), dnnl_success);
    EXPECT_EQ(backward_of(data, data, data, dnnl_backward, zero), dnnl_success);
}

TEST_P(normalization_refusals, two_dimensions_or_more) {
    const auto status_of = [](const dims_t &dims) {
        const auto data = make_desc(dims, dnnl_f32);
        const auto status = forward_of(data, data);
        EXPECT_EQ(backward_of(data, data, data), status) << test::to_string(dims);
        return status;
    };
    EXPECT_EQ(status_of({8}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({4, 6}), dnnl_success);
    EXPECT_EQ(status_of({2, 4, 2, 3, 2}), dnnl_success);
    EXPECT_EQ(status_of({2, 4, 2, 3, 2, 2}), is_layer() ? dnnl_success : dnnl_unimplemented);
}

TEST_P(normalization_refusals, shapes_must_match) {
    const auto data = make_desc({4, 6, 6}, dnnl_f32);
    for (const dims_t &dims : {dims_t{4, 6, 7}, dims_t{4, 8, 6}, dims_t{5, 6, 6}, dims_t{4, 36},
                 dims_t{4, 6, 6, 1}, dims_t{24, 6}}) {
        const auto other = make_desc(dims, dnnl_f32);
        EXPECT_EQ(forward_of(data, other), dnnl_invalid_arguments) << test::to_string(dims);
        EXPECT_EQ(backward_of(other, data, data), dnnl_invalid_arguments) << test::to_string(dims);
        EXPECT_EQ(backward_of(data, other, data), dnnl_invalid_arguments) << test::to_string(dims);
    }
}

TEST_P(normalization_refusals, shapes_of_statistics_must_match) {
    if (!is_layer()) GTEST_SKIP() << "they have no descriptor";
    const auto data = make_desc({4, 5, 6}, dnnl_f32);
    const auto status_of = [&](const dims_t &dims) {
        const auto stat = make_desc(dims, dnnl_f32);
        const auto status = forward_of(data, data, dnnl_forward_training, stat);
        EXPECT_EQ(backward_of(data, data, data, dnnl_backward, stat), status)
                << test::to_string(dims);
        return status;
    };
    EXPECT_EQ(status_of({4, 5}), dnnl_success);
    for (const dims_t &dims :
            {dims_t{4}, dims_t{4, 6}, dims_t{5, 4}, dims_t{4, 5, 1}, dims_t{4, 5, 6}, dims_t{20}})
        EXPECT_EQ(status_of(dims), dnnl_invalid_arguments) << test::to_string(dims);
}

TEST_P(normalization_refusals, an_epsilon_that_is_not_positive_and_finite) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float epsilon :
            {0.f, -0.f, -1e-5f, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()})
        for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference, dnnl_backward,
                     dnnl_backward_data}) {
            auto problem = with(prop_kind);
            problem.epsilon = epsilon;
            EXPECT_EQ(creation_status(problem), dnnl_invalid_arguments) << epsilon;
        }
}

TEST_P(normalization_refusals, propagation_kinds_of_the_other_direction) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    for (const auto prop_kind : {dnnl_prop_kind_undef, dnnl_backward, dnnl_backward_data,
                 dnnl_backward_weights, dnnl_backward_bias})
        EXPECT_EQ(forward_of(data, data, prop_kind), dnnl_invalid_arguments) << prop_kind;
    for (const auto prop_kind : {dnnl_prop_kind_undef, dnnl_forward_training,
                 dnnl_forward_inference, dnnl_backward_weights, dnnl_backward_bias})
        EXPECT_EQ(backward_of(data, data, data, prop_kind), dnnl_invalid_arguments) << prop_kind;
}

TEST_P(normalization_refusals, extents_known_only_at_execution) {
    const auto open = make_desc({DNNL_RUNTIME_DIM_VAL, 6}, dnnl_f32,
            dims_t{DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL});
    EXPECT_EQ(forward_of(open, open), dnnl_unimplemented);
    EXPECT_EQ(backward_of(open, open, open), dnnl_unimplemented);
}

TEST_P(normalization_refusals, outputs_whose_elements_share_a_place) {
    const auto data = make_desc({4, 6}, dnnl_f32);
    const auto shared = make_desc({4, 6}, dnnl_f32, dims_t{0, 1});
    EXPECT_EQ(forward_of(shared, data), dnnl_success);
    EXPECT_EQ(forward_of(data, shared), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(shared, data, data), dnnl_invalid_arguments);
    EXPECT_EQ(backward_of(data, shared, data), dnnl_success);
}

TEST_P(normalization_refusals, hints_of_other_operations_shapes_and_directions) {
    const auto hint_of = [](operation_t operation, const dims_t &dims,
                                 dnnl_prop_kind_t prop_kind = dnnl_forward_training) {
        problem_t problem;
        problem.operation = operation;
        problem.prop_kind = prop_kind;
        problem.dims = dims;
        problem.groups = operation == operation_t::group ? 2 : 0;
        return accepted_primitive_desc(problem);
    };
    const auto data = make_desc({4, 6}, dnnl_f32);
    const auto status_of = [&](const primitive_desc_handle_t &hint) {
        return backward_of(data, data, data, dnnl_backward, nullptr, hint);
    };
    EXPECT_EQ(status_of(hint_of(operation(), {4, 6})), dnnl_success);
    EXPECT_EQ(status_of(hint_of(is_batch() ? operation_t::layer : operation_t::batch, {4, 6})),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of(hint_of(operation(), {4, 8})), dnnl_invalid_arguments);
    EXPECT_EQ(status_of(hint_of(operation(), {4, 6}, dnnl_backward)), dnnl_invalid_arguments);
}

TEST_P(normalization_refusals, attributes_that_are_not_honoured) {
    auto attributes = refused_attributes;
    if (is_batch()) attributes.insert(attributes.end(), {scale_of_src, scale_of_dst});
    for (const auto type : {dnnl_f32, dnnl_s8})
        for (const auto &attribute : attributes) {
            auto problem = with(dnnl_forward_inference);
            problem.set_types(type);
            if (is_batch() && type == dnnl_s8) problem.flags = global_stats;
            EXPECT_EQ(creation_status(problem), dnnl_success);
            EXPECT_EQ(status_with(problem, attribute), dnnl_unimplemented)
                    << attribute.name << " with " << dnnl_dt2str(type);
        }
}

TEST_P(normalization_refusals, backward_honours_no_attribute_of_a_result) {
    auto attributes = refused_attributes;
    attributes.insert(attributes.end(), {elementwise, scale_of_src, scale_of_dst});
    for (const auto prop_kind : {dnnl_backward, dnnl_backward_data})
        for (const auto &attribute : attributes)
            EXPECT_EQ(status_with(with(prop_kind), attribute), dnnl_unimplemented)
                    << attribute.name;
}

TEST_P(normalization_refusals, operands_of_post_ops) {
    const auto status_of = [](const memory_desc_handle_t &operand) {
        post_ops_handle_t post_ops;
        require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
        require(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, operand),
                "dnnl_post_ops_append_binary");
        const auto attr = test::make_attr();
        require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "setting post-ops");
        primitive_desc_handle_t primitive_desc;
        return make_primitive_desc(primitive_desc, with(dnnl_forward_training),
                static_cast<const_dnnl_primitive_attr_t>(attr));
    };
    EXPECT_EQ(status_of(make_desc({4, 6, 5}, dnnl_f32)),
            is_batch() ? dnnl_unimplemented : dnnl_success);
    // Strides known only at execution, and operands that do not broadcast.
    const dims_t strides{30, DNNL_RUNTIME_DIM_VAL, 1};
    EXPECT_EQ(status_of(make_desc({4, 6, 5}, dnnl_f32, strides)), dnnl_unimplemented);
    for (const dims_t &dims :
            {dims_t{4, 6, 3}, dims_t{2, 6, 5}, dims_t{6, 5}, dims_t{5}, dims_t{4, 6, 5, 1}}) {
        const auto status = status_of(make_desc(dims, dnnl_f32));
        EXPECT_TRUE(status == dnnl_invalid_arguments || status == dnnl_unimplemented)
                << test::to_string(dims) << " " << dnnl_status2str(status);
    }
}

TEST_P(normalization_refusals, a_refusal_leaves_the_output_alone) {
    const auto data = make_desc({4, 6, 5}, dnnl_f32);
    auto problem = with(dnnl_forward_training);
    problem.flags = 0x40;
    dnnl_primitive_desc_t primitive_desc = nullptr;
    EXPECT_EQ(
            create_from(&primitive_desc, cpu_engine(), direction_t::forward, problem, {data, data}),
            dnnl_invalid_arguments);
    EXPECT_EQ(primitive_desc, nullptr);
}

INSTANTIATE_FOR_OPERATIONS(normalization_refusals);

struct reason_t {
    const char *text;
    dnnl_status_t status;
    void (*spoil)(problem_t &problem);
};

// The table of doc/primitives/layer_normalization.md.
const reason_t reasons[]{
        {"epsilon is 0; it must be positive and finite", dnnl_invalid_arguments,
                [](problem_t &problem) { problem.epsilon = 0; }},
        {"flags are 0x8; 0x8 of them are not this operation's", dnnl_invalid_arguments,
                [](problem_t &problem) { problem.flags = relu; }},
        {"src has 1 dimensions; it must have at least 2", dnnl_invalid_arguments,
                [](problem_t &problem) {
                    problem.dims = {8};
                    problem.stat_format = "null";
                }},
        {"stat has stride 0 along axis 0; elements of an output must not overlap",
                dnnl_invalid_arguments, [](problem_t &problem) { problem.stat_format = "a/a"; }},
        {"src is of data type s8; supported are f16, bf16, f32, f64", dnnl_unimplemented,
                [](problem_t &problem) {
                    problem.prop_kind = dnnl_backward;
                    problem.src_type = dnnl_s8;
                }},
        {"stat is of data type f64; supported are f16, bf16, f32", dnnl_unimplemented,
                [](problem_t &problem) { problem.stat_type = dnnl_f64; }},
        {"scale and shift are of data type f64; supported are f16, bf16, f32", dnnl_unimplemented,
                [](problem_t &problem) {
                    problem.flags = scale;
                    problem.scale_shift_type = dnnl_f64;
                }},
        {"scales are set, but neither src nor dst is of one of the types s8, u8",
                dnnl_unimplemented,
                [](problem_t &problem) { problem.src_scale = scale_attr_t{0.5}; }},
        {"post-ops are set, which is not supported", dnnl_unimplemented,
                [](problem_t &problem) {
                    problem.prop_kind = dnnl_backward;
                    problem.post_ops = {{.alg = dnnl_eltwise_relu}};
                }},
};

TEST(layer_normalization_refusals, say_what_was_got_and_what_would_be_right) {
    for (const reason_t &reason : reasons) {
        problem_t problem;
        problem.dims = {4, 6};
        reason.spoil(problem);
        kiln_record_refusals(1);
        EXPECT_EQ(creation_status(problem), reason.status) << reason.text;
        kiln_record_refusals(0);
        const std::string told = kiln_recorded_refusals();
        EXPECT_NE(told.find(std::string("lnorm: ") + reason.text), std::string::npos) << told;
    }
}

} // namespace

} // namespace kiln::test::normalization

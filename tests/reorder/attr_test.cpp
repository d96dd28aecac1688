// SPDX-License-Identifier: Apache-2.0
// Reorder's attributes, what can be asked of its descriptor, and what it refuses.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "reorder/reorder_call.hpp"
#include "support/implementations.hpp"
#include "support/random_values.hpp"

namespace kiln::test {
namespace {

/// Scales or zero points of one argument: one value for each index of the axes in the mask.
struct quantization_t {
    int arg;
    int mask;
    dnnl_data_type_t type;
    std::vector<double> values;

    double at(const dims_t &dims, const dims_t &index) const {
        size_t position = 0;
        for (size_t d = 0; d < dims.size(); ++d)
            if (mask >> d & 1)
                position = position * static_cast<size_t>(dims[d]) + static_cast<size_t>(index[d]);
        return values[position];
    }
};

struct sum_t {
    float scale;
    int32_t zero_point;
};

/// A reorder with attributes and the truth about it.
class quantized_reorder_t {
public:
    std::optional<quantization_t> src_scale, dst_scale, src_zero_point, dst_zero_point;
    std::optional<sum_t> sum;

    attr_handle_t attr() const {
        attr_handle_t result = make_attr();
        for (const auto *scale : {&src_scale, &dst_scale})
            if (*scale)
                require(dnnl_primitive_attr_set_scales(
                                result, (*scale)->arg, (*scale)->mask, 0, nullptr, (*scale)->type),
                        "dnnl_primitive_attr_set_scales");
        for (const auto *zero_point : {&src_zero_point, &dst_zero_point})
            if (*zero_point)
                require(dnnl_primitive_attr_set_zero_points(result, (*zero_point)->arg,
                                (*zero_point)->mask, 0, nullptr, (*zero_point)->type),
                        "dnnl_primitive_attr_set_zero_points");
        if (sum) {
            post_ops_handle_t post_ops;
            require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
            require(dnnl_post_ops_append_sum(
                            post_ops, sum->scale, sum->zero_point, dnnl_data_type_undef),
                    "dnnl_post_ops_append_sum");
            require(dnnl_primitive_attr_set_post_ops(result, post_ops), "set_post_ops");
        }
        return result;
    }

    std::vector<double> truth(const tensor_t &src, const tensor_t &dst) const {
        const auto src_values = src.values();
        const auto dst_values = dst.values();
        std::vector<double> result;
        for (size_t i = 0; i < src_values.size(); ++i) {
            const dims_t index = index_at(src.dims(), static_cast<int64_t>(i));
            const auto value_of = [&](const std::optional<quantization_t> &q, double neutral) {
                return q ? q->at(src.dims(), index) : neutral;
            };
            double value = value_of(src_scale, 1) * (src_values[i] - value_of(src_zero_point, 0));
            if (sum) value += double(sum->scale) * (dst_values[i] - sum->zero_point);
            result.push_back(value / value_of(dst_scale, 1) + value_of(dst_zero_point, 0));
        }
        return result;
    }

    /// Executes the descriptor's implementation on dst as it is.
    dnnl_status_t run(
            const primitive_desc_handle_t &pd, const tensor_t &src, const tensor_t &dst) const {
        const auto primitive = make_primitive(pd);
        arguments_t arguments = from_to(src, dst);
        std::vector<tensor_t> operands;
        operands.reserve(4);
        const auto add = [&](const std::optional<quantization_t> &q, int kind) {
            if (!q) return;
            operands.emplace_back(make_desc({static_cast<dnnl_dim_t>(q->values.size())}, q->type));
            operands.back().fill(q->values);
            arguments.add(kind | q->arg, operands.back().memory());
        };
        add(src_scale, DNNL_ARG_ATTR_SCALES);
        add(dst_scale, DNNL_ARG_ATTR_SCALES);
        add(src_zero_point, DNNL_ARG_ATTR_ZERO_POINTS);
        add(dst_zero_point, DNNL_ARG_ATTR_ZERO_POINTS);
        return arguments.execute(primitive);
    }

    dnnl_status_t run(const tensor_t &src, const tensor_t &dst) const {
        primitive_desc_handle_t pd;
        require(create_reorder(pd, src.desc(), dst.desc(), attr()), "reorder");
        return run(pd, src, dst);
    }
};

int64_t count_of(const dims_t &dims, int mask) {
    int64_t count = 1;
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> d & 1) count *= dims[d];
    return count;
}

/// Powers of two, so that the truth has no rounding but the last.
quantization_t scales(int arg, const dims_t &dims, int mask, dnnl_data_type_t type = dnnl_f32) {
    quantization_t result{arg, mask, type, {}};
    for (int64_t i = 0; i < count_of(dims, mask); ++i)
        result.values.push_back(std::ldexp(1, static_cast<int>(i % 5) - 3));
    return result;
}

quantization_t zero_points(
        int arg, const dims_t &dims, int mask, dnnl_data_type_t type = dnnl_s32) {
    quantization_t result{arg, mask, type, {}};
    for (int64_t i = 0; i < count_of(dims, mask); ++i)
        result.values.push_back(static_cast<double>(i % 11) + (type == dnnl_s32 ? -4 : 1));
    return result;
}

std::vector<double> whole_numbers(int64_t count, uint64_t seed) {
    auto values = random_values_t(seed).many(count, -130, 260);
    for (double &value : values) value = std::floor(value);
    return values;
}

/// Every implementation computes the truth.
void expect_true(const quantized_reorder_t &problem, const dims_t &dims, dnnl_data_type_t src_type,
        const std::string &src_format, dnnl_data_type_t dst_type, const std::string &dst_format) {
    SCOPED_TRACE(std::string(dnnl_dt2str(src_type)) + ":" + src_format + " to "
                 + dnnl_dt2str(dst_type) + ":" + dst_format + " " + to_string(dims));
    tensor_t src(make_desc(dims, src_type, src_format));
    tensor_t dst(make_desc(dims, dst_type, dst_format));
    src.fill(whole_numbers(src.elements(), 1));
    dst.fill(whole_numbers(dst.elements(), 2));
    const auto truth = problem.truth(src, dst);
    primitive_desc_handle_t pd;
    ASSERT_EQ(create_reorder(pd, src.desc(), dst.desc(), problem.attr()), dnnl_success);
    do {
        dst.fill(whole_numbers(dst.elements(), 2));
        ASSERT_EQ(problem.run(pd, src, dst), dnnl_success);
        EXPECT_TRUE(holds(dst, truth));
        EXPECT_TRUE(dst.is_tidy());
    } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
}

TEST(reorder_attr, combines_as_documented) {
    // (0.5 * (10 - 2) + 2 * 6) / 4 + 3
    quantized_reorder_t problem;
    problem.src_scale = {DNNL_ARG_FROM, 0, dnnl_f32, {.5}};
    problem.src_zero_point = {DNNL_ARG_FROM, 0, dnnl_s32, {2}};
    problem.sum = {2, 0};
    problem.dst_scale = {DNNL_ARG_TO, 0, dnnl_f32, {4}};
    problem.dst_zero_point = {DNNL_ARG_TO, 0, dnnl_s32, {3}};
    tensor_t src(make_desc({1}, dnnl_s8));
    tensor_t dst(make_desc({1}, dnnl_s8));
    src.fill({10});
    dst.fill({6});
    ASSERT_EQ(problem.run(src, dst), dnnl_success);
    EXPECT_EQ(dst.value({0}), 7);
}

// Of a blocked operand with one element along the blocked axis, only the first of each block
// counts.
TEST(reorder_attr, takes_operands_that_are_broadcast_along_their_blocks) {
    const dims_t dims = {2, 19, 3, 4}, operand_dims = {2, 1, 3, 4};
    for (const char *format : {"any", "aBcd16b", "ABcd8b8a", "ABcd4b16a4b", "aBCd2b4c2b"})
        for (const char *dst_format : {"aBcd16b", "abcd", "ABcd8b8a"}) {
            SCOPED_TRACE(std::string(format) + " for " + dst_format);
            post_ops_handle_t post_ops;
            require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
            require(dnnl_post_ops_append_binary(
                            post_ops, dnnl_binary_add, make_desc(operand_dims, dnnl_f32, format)),
                    "dnnl_post_ops_append_binary");
            const attr_handle_t attr = make_attr();
            require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "set_post_ops");
            tensor_t src(make_desc(dims, dnnl_f32, "acdb"));
            const auto src_values = whole_numbers(src.elements(), 1);
            src.fill(src_values);
            primitive_desc_handle_t pd;
            const auto dst_desc = make_desc(dims, dnnl_f32, dst_format);
            ASSERT_EQ(create_reorder(pd, src.desc(), dst_desc, attr), dnnl_success);
            const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
            tensor_t operand(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg));
            const auto operand_values = whole_numbers(operand.elements(), 2);
            operand.fill(operand_values);
            std::vector<double> truth;
            for_each_index(dims, [&](const dims_t &index) {
                const auto at = static_cast<size_t>((index[0] * 3 + index[2]) * 4 + index[3]);
                truth.push_back(src_values[truth.size()] + operand_values[at]);
            });
            do {
                const tensor_t dst(dst_desc);
                ASSERT_EQ(from_to(src, dst).add(arg, operand.memory()).execute(make_primitive(pd)),
                        dnnl_success);
                EXPECT_TRUE(holds(dst, truth));
                EXPECT_TRUE(dst.is_tidy());
            } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
        }
}

TEST(reorder_attr, scales_along_any_axes) {
    const dims_t dims = {3, 17, 2, 5};
    for (const int mask : {0, 1, 2, 3, 4, 8, 10, 12, 13, 15}) {
        SCOPED_TRACE(mask);
        quantized_reorder_t problem;
        problem.src_scale = scales(DNNL_ARG_FROM, dims, mask);
        expect_true(problem, dims, dnnl_f32, "abcd", dnnl_f32, "aBcd16b");
        expect_true(problem, dims, dnnl_s8, "acdb", dnnl_f16, "abcd+3");
        problem.dst_scale = scales(DNNL_ARG_TO, dims, 15 - mask);
        expect_true(problem, dims, dnnl_f32, "aBcd8b", dnnl_s8, "dcba");
        problem.src_scale.reset();
        expect_true(problem, dims, dnnl_bf16, "abcd", dnnl_u8, "abcd");
    }
}

TEST(reorder_attr, computes_between_any_layouts_in_generated_code) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    constexpr const char *formats[] = {
            "abcd", "acdb", "dcba", "aBcd16b", "ABcd8b8a", "ABcd4b16a4b", "abcd+3", "abcd*2"};
    for (const dims_t &dims : {dims_t{2, 16, 3, 4}, {3, 19, 2, 5}, {35, 70, 1, 2}})
        for (const char *src_format : formats)
            for (const char *dst_format : formats)
                for (const int mask : {0, 2, 3, 15}) {
                    quantized_reorder_t problem;
                    problem.src_scale = scales(DNNL_ARG_FROM, dims, mask);
                    problem.dst_zero_point = zero_points(DNNL_ARG_TO, dims, mask);
                    expect_true(problem, dims, dnnl_f32, src_format, dnnl_s8, dst_format);
                    primitive_desc_handle_t pd;
                    ASSERT_EQ(create_reorder(pd, make_desc(dims, dnnl_f32, src_format),
                                      make_desc(dims, dnnl_s8, dst_format), problem.attr()),
                            dnnl_success);
                    EXPECT_NE(implementation_names(std::move(pd)).front(), "ref:any")
                            << src_format << " " << dst_format << " " << mask;
                }
}

TEST(reorder_attr, takes_scales_of_narrow_types) {
    const dims_t dims = {5, 7};
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16}) {
        quantized_reorder_t problem;
        problem.src_scale = scales(DNNL_ARG_FROM, dims, 2, type);
        problem.dst_scale = scales(DNNL_ARG_TO, dims, 1, type);
        expect_true(problem, dims, dnnl_s8, "ab", dnnl_f32, "ba");
    }
}

TEST(reorder_attr, shifts_by_zero_points) {
    const dims_t dims = {3, 17, 2, 5};
    for (const auto src_type : {dnnl_s32, dnnl_s8, dnnl_u8})
        for (const int mask : {0, 2, 9, 15}) {
            SCOPED_TRACE(mask);
            quantized_reorder_t problem;
            problem.src_zero_point = zero_points(DNNL_ARG_FROM, dims, mask);
            expect_true(problem, dims, src_type, "acdb", dnnl_f32, "aBcd16b");
            problem.src_zero_point = zero_points(DNNL_ARG_FROM, dims, mask, dnnl_u8);
            problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
            expect_true(problem, dims, src_type, "abcd", dnnl_bf16, "dcba");
            problem.dst_zero_point = zero_points(DNNL_ARG_TO, dims, mask);
            problem.dst_scale = scales(DNNL_ARG_TO, dims, 0);
            expect_true(problem, dims, src_type, "abcd", dnnl_s8, "aBcd8b");
            expect_true(problem, dims, src_type, "abcd", dnnl_u8, "abcd");
        }
}

/// Every combination of attributes, between transposed, padded, blocked and strided layouts.
TEST(reorder_attr, combine_between_any_layouts) {
    const char *formats[] = {
            "abcd", "dcba", "acdb", "abcd*2", "aBcd16b", "ABcd8b8a", "ABcd4b16a4b"};
    for (const dims_t &dims : {dims_t{3, 17, 2, 5}, dims_t{2, 3, 19, 7}, dims_t{16, 32, 1, 3}})
        for (const char *from : formats)
            for (const char *to : formats) {
                quantized_reorder_t problem;
                problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
                problem.sum = {.5f, 1};
                problem.dst_scale = scales(DNNL_ARG_TO, dims, 13);
                expect_true(problem, dims, dnnl_f32, from, dnnl_f32, to);
                problem.src_zero_point = zero_points(DNNL_ARG_FROM, dims, 9);
                problem.dst_zero_point = zero_points(DNNL_ARG_TO, dims, 3);
                expect_true(problem, dims, dnnl_s8, from, dnnl_u8, to);
                problem.dst_zero_point.reset();
                expect_true(problem, dims, dnnl_u8, from, dnnl_f16, to);
            }
}

/// Rows and columns longer than a block of either.
TEST(reorder_attr, cut_transposed_tensors_into_blocks) {
    for (const dims_t &dims : {dims_t{1, 200, 333}, dims_t{3, 131, 70}, dims_t{1, 1, 1000},
                 dims_t{2, 3, 700}, dims_t{1, 700, 3}})
        for (const auto &[from, to] : {std::pair("abc", "acb"), {"acb", "abc"}, {"abc", "cba"},
                     {"abc*3", "acb"}, {"acb", "abc*2"}, {"aBc16b", "acb"}}) {
            quantized_reorder_t problem;
            problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
            problem.dst_scale = scales(DNNL_ARG_TO, dims, 4);
            expect_true(problem, dims, dnnl_f32, from, dnnl_f32, to);
            expect_true(problem, dims, dnnl_f16, from, dnnl_s8, to);
        }
}

TEST(reorder_attr, sums_with_what_dst_held) {
    const dims_t dims = {2, 19, 3, 4};
    for (const auto dst_type : {dnnl_f32, dnnl_bf16, dnnl_f64, dnnl_s32, dnnl_s8, dnnl_u8})
        for (const sum_t sum : {sum_t{1, 0}, sum_t{-.5f, 0}, sum_t{2, 7}, sum_t{0, 0}}) {
            quantized_reorder_t problem;
            problem.sum = sum;
            expect_true(problem, dims, dnnl_f32, "abcd", dst_type, "abcd");
            expect_true(problem, dims, dnnl_f32, "acdb", dst_type, "aBcd16b");
            problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
            problem.dst_scale = scales(DNNL_ARG_TO, dims, 8);
            expect_true(problem, dims, dnnl_s8, "abcd", dst_type, "dbca");
        }
}

TEST(reorder_attr, does_not_read_dst_for_a_sum_of_nothing) {
    quantized_reorder_t problem;
    problem.sum = {0, 0};
    tensor_t src(make_desc({3}, dnnl_f32));
    const tensor_t dst(make_desc({3}, dnnl_f32)); // NaN, as it was marked
    src.fill({1, 2, 3});
    ASSERT_EQ(problem.run(src, dst), dnnl_success);
    EXPECT_TRUE(holds(dst, {1, 2, 3}));
}

TEST(reorder_attr, works_in_place_with_scales) {
    const dims_t dims = {2, 19, 3, 4};
    for (const auto *format : {"abcd", "aBcd16b"}) {
        quantized_reorder_t problem;
        problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
        problem.sum = {3, 0};
        tensor_t tensor(make_desc(dims, dnnl_f32, format));
        tensor.fill(whole_numbers(tensor.elements(), 5));
        const auto truth = problem.truth(tensor, tensor);
        ASSERT_EQ(problem.run(tensor, tensor), dnnl_success);
        EXPECT_TRUE(holds(tensor, truth));
        EXPECT_TRUE(tensor.is_tidy());
    }
}

TEST(reorder_attr, keeps_integers_whole_between_the_ends_of_their_range) {
    quantized_reorder_t problem;
    problem.src_zero_point = {DNNL_ARG_FROM, 0, dnnl_s32, {-1}};
    tensor_t src(make_desc({3}, dnnl_s32));
    src.fill({2147483647., 2147483645., -2147483648.});
    const tensor_t wide(make_desc({3}, dnnl_f64));
    ASSERT_EQ(problem.run(src, wide), dnnl_success);
    EXPECT_TRUE(holds(wide, {2147483648., 2147483646., -2147483647.}));
    const tensor_t same(make_desc({3}, dnnl_s32));
    ASSERT_EQ(problem.run(src, same), dnnl_success);
    EXPECT_TRUE(holds(same, {2147483647., 2147483646., -2147483647.}));
}

TEST(reorder_attr, takes_a_scale_from_the_host) {
    const attr_handle_t attr = make_attr();
    ASSERT_EQ(dnnl_primitive_attr_set_scales_v2(attr, DNNL_ARG_FROM, 0, 0, nullptr, dnnl_f32, 1),
            dnnl_success);
    memory_desc_handle_t scale_desc;
    memory_handle_t scale;
    float value = .25f;
    ASSERT_EQ(dnnl_memory_desc_create_host_scalar(scale_desc.out(), dnnl_f32), dnnl_success);
    ASSERT_EQ(dnnl_memory_create_host_scalar(scale.out(), scale_desc, &value), dnnl_success);
    tensor_t src(make_desc({3}, dnnl_f32));
    const tensor_t dst(make_desc({3}, dnnl_f32));
    src.fill({4, -8, 1});
    ASSERT_EQ(from_to(src, dst)
                      .with(DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, scale)
                      .execute(make_reorder(src.desc(), dst.desc(), attr)),
            dnnl_success);
    EXPECT_TRUE(holds(dst, {1, -2, .25}));
}

TEST(reorder_attr, asks_for_the_values_it_was_promised) {
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_FROM, 2), "scales");
    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_TO, 0), "zero points");
    tensor_t src(make_desc({2, 3}, dnnl_s8));
    const tensor_t dst(make_desc({2, 3}, dnnl_s8));
    src.fill({1, 2, 3, 4, 5, 6});
    tensor_t scale(make_desc({3}, dnnl_f32));
    scale.fill({1, 2, 4});
    tensor_t short_scale(make_desc({2}, dnnl_f32));
    short_scale.fill({1, 2});
    tensor_t zero_point(make_desc({1}, dnnl_s32));
    zero_point.fill({100});
    const auto primitive = make_reorder(src.desc(), dst.desc(), attr);
    constexpr int scale_arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM;
    constexpr int zero_point_arg = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO;
    const arguments_t all = from_to(src, dst)
                                    .with(scale_arg, scale.memory())
                                    .with(zero_point_arg, zero_point.memory());
    EXPECT_EQ(all.without(scale_arg).execute(primitive), dnnl_invalid_arguments);
    EXPECT_EQ(all.without(zero_point_arg).execute(primitive), dnnl_invalid_arguments);
    EXPECT_EQ(all.with(scale_arg, short_scale.memory()).execute(primitive), dnnl_invalid_arguments);
    EXPECT_EQ(all.execute(primitive), dnnl_success);
    EXPECT_TRUE(holds(dst, {101, 104, 112, 104, 110, 124}));
}

TEST(reorder_desc, answers_queries) {
    const auto src = make_desc({2, 17, 3, 4}, dnnl_f32, "abcd");
    const auto dst = make_desc({2, 17, 3, 4}, dnnl_s8, "aBcd16b");
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_TO, 2), "scales");
    engine_handle_t other_engine;
    require(dnnl_engine_create(other_engine.out(), dnnl_cpu, 0), "dnnl_engine_create");
    primitive_desc_handle_t pd;
    ASSERT_EQ(dnnl_reorder_primitive_desc_create(
                      pd.out(), src, cpu_engine(), dst, other_engine, attr),
            dnnl_success);

    const auto md = [&](dnnl_query_t what, int index) {
        return dnnl_primitive_desc_query_md(pd, what, index);
    };
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_src_md, 0), src));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_dst_md, 0), dst));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_exec_arg_md, DNNL_ARG_FROM), src));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_exec_arg_md, DNNL_ARG_TO), dst));
    EXPECT_TRUE(
            dnnl_memory_desc_equal(md(dnnl_query_exec_arg_md, DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO),
                    make_desc({1, 17, 1, 1}, dnnl_f32)));
    EXPECT_EQ(layout_t(src).dims().size(), 4u);
    EXPECT_EQ(dnnl_memory_desc_get_size(md(dnnl_query_weights_md, 0)), 0u);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0), 1);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_outputs_s32, 0), 1);

    dnnl_engine_t engine = nullptr;
    EXPECT_EQ(
            dnnl_primitive_desc_query(pd, dnnl_query_reorder_src_engine, 0, &engine), dnnl_success);
    EXPECT_EQ(engine, cpu_engine());
    EXPECT_EQ(
            dnnl_primitive_desc_query(pd, dnnl_query_reorder_dst_engine, 0, &engine), dnnl_success);
    EXPECT_EQ(engine, static_cast<dnnl_engine_t>(other_engine));
    dnnl_primitive_kind_t kind = dnnl_undefined_primitive;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_primitive_kind, 0, &kind), dnnl_success);
    EXPECT_EQ(kind, dnnl_reorder);
    dnnl_prop_kind_t prop_kind;
    EXPECT_EQ(
            dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop_kind), dnnl_unimplemented);
    const char *name = nullptr;
    EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name), dnnl_success);
    EXPECT_STREQ(name, generates_kernels() ? "jit:strided_rows" : "ref:any");
    while (dnnl_primitive_desc_next_impl(pd) == dnnl_success) {
    }
    EXPECT_EQ(dnnl_primitive_desc_next_impl(pd), dnnl_last_impl_reached);
}

TEST(reorder_desc, refuses_null_pointers) {
    const auto md = make_desc({2, 3}, dnnl_f32);
    dnnl_primitive_desc_t pd = nullptr;
    const auto create = dnnl_reorder_primitive_desc_create;
    EXPECT_EQ(create(nullptr, md, cpu_engine(), md, cpu_engine(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(
            create(&pd, nullptr, cpu_engine(), md, cpu_engine(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(create(&pd, md, nullptr, md, cpu_engine(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(
            create(&pd, md, cpu_engine(), nullptr, cpu_engine(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(create(&pd, md, cpu_engine(), md, nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(pd, nullptr);
}

dnnl_status_t status_of_reorder(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst) {
    primitive_desc_handle_t pd;
    return create_reorder(pd, src, dst);
}

TEST(reorder_desc, refuses_tensors_that_do_not_fit) {
    const auto md = make_desc({2, 3}, dnnl_f32);
    EXPECT_EQ(status_of_reorder(md, make_desc({3, 2}, dnnl_f32)), dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(md, make_desc({2, 3, 1}, dnnl_f32)), dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(make_desc({2, 3}, dnnl_f32, "any"), md), dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(md, make_desc({2, 3}, dnnl_f32, "any")), dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(md, make_desc({2, 3}, dnnl_f32, dims_t{0, 1})),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(make_desc({2, 3}, dnnl_f32, dims_t{0, 1}), md), dnnl_success);

    const auto open = make_desc({DNNL_RUNTIME_DIM_VAL, 3}, dnnl_f32,
            dims_t{DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL});
    EXPECT_EQ(status_of_reorder(open, md), dnnl_invalid_arguments);

    EXPECT_EQ(status_of_reorder(make_desc({2, 3}, dnnl_e8m0), md), dnnl_unimplemented);
    memory_desc_handle_t packed, scalar;
    const dims_t dims = {2, 3};
    require(dnnl_memory_desc_create_with_packed_encoding(packed.out(), 2, dims.data(), dnnl_f32, 3),
            "dnnl_memory_desc_create_with_packed_encoding");
    EXPECT_EQ(status_of_reorder(md, packed), dnnl_unimplemented);
    require(dnnl_memory_desc_create_host_scalar(scalar.out(), dnnl_f32), "host scalar");
    EXPECT_EQ(status_of_reorder(scalar, make_desc({1}, dnnl_f32)), dnnl_unimplemented);
}

template <typename setter_t>
dnnl_status_t status_with(dnnl_data_type_t src_type, dnnl_data_type_t dst_type, setter_t &&set) {
    const attr_handle_t attr = make_attr();
    set(attr);
    primitive_desc_handle_t pd;
    return create_reorder(pd, make_desc({4, 6}, src_type), make_desc({4, 6}, dst_type), attr);
}

TEST(reorder_desc, refuses_zero_points_of_floats) {
    const auto set = [](int arg) {
        return [arg](dnnl_primitive_attr_t attr) {
            require(dnnl_primitive_attr_set_zero_points_mask(attr, arg, 0), "zero points");
        };
    };
    EXPECT_EQ(status_with(dnnl_f32, dnnl_s8, set(DNNL_ARG_FROM)), dnnl_invalid_arguments);
    EXPECT_EQ(status_with(dnnl_s8, dnnl_f32, set(DNNL_ARG_TO)), dnnl_invalid_arguments);
    EXPECT_EQ(status_with(dnnl_s8, dnnl_f32, set(DNNL_ARG_FROM)), dnnl_success);
    EXPECT_EQ(status_with(dnnl_f32, dnnl_s32, set(DNNL_ARG_TO)), dnnl_success);
}

TEST(reorder_desc, refuses_attributes_it_does_not_honour) {
    const auto refused = [](auto &&set) {
        return status_with(dnnl_s8, dnnl_f32, set) == dnnl_unimplemented;
    };
    const dnnl_dims_t groups = {1, 2};
    EXPECT_TRUE(refused([&](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_FROM, 3, 2, groups, dnnl_f32), "");
    }));
    EXPECT_TRUE(refused([&](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_FROM, 3, 2, groups, dnnl_s32),
                "");
    }));
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 0), "");
    }));
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_FROM, 4), "");
    }));
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_WEIGHTS, 0), "");
    }));
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic),
                "");
    }));
}

template <typename append_t> dnnl_status_t status_with_post_ops(append_t &&append) {
    return status_with(dnnl_s8, dnnl_f32, [&](dnnl_primitive_attr_t attr) {
        post_ops_handle_t post_ops;
        require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
        append(static_cast<dnnl_post_ops_t>(post_ops));
        require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "set_post_ops");
    });
}

TEST(reorder_desc, takes_sum_eltwise_and_binary_post_ops) {
    const auto sum = [](dnnl_post_ops_t post_ops, dnnl_data_type_t type) {
        require(dnnl_post_ops_append_sum(post_ops, 1, 0, type), "dnnl_post_ops_append_sum");
    };
    const auto eltwise = [](dnnl_post_ops_t post_ops) {
        require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), "relu");
    };
    EXPECT_EQ(
            status_with_post_ops([&](auto ops) { sum(ops, dnnl_data_type_undef); }), dnnl_success);
    EXPECT_EQ(status_with_post_ops([&](auto ops) { sum(ops, dnnl_f32); }), dnnl_success);
    EXPECT_EQ(status_with_post_ops([&](auto ops) { sum(ops, dnnl_s32); }), dnnl_unimplemented);
    EXPECT_EQ(status_with_post_ops([&](auto ops) {
        sum(ops, dnnl_f32);
        eltwise(ops);
        sum(ops, dnnl_f32);
    }),
            dnnl_success);
    EXPECT_EQ(status_with_post_ops(
                      [&](auto ops) { require(dnnl_post_ops_append_prelu(ops, 0), "prelu"); }),
            dnnl_success);
    EXPECT_EQ(status_with_post_ops([&](auto ops) {
        require(dnnl_post_ops_append_prelu(ops, 1 << DNNL_MAX_NDIMS), "prelu");
    }),
            dnnl_invalid_arguments);
}

} // namespace
} // namespace kiln::test

// SPDX-License-Identifier: Apache-2.0
// What kernels are told of a primitive descriptor's post-ops: the chain, its operands in order, and
// which layouts are refused.
#include "cpu/x64/post_op_operands.hpp"

#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.h"

namespace kiln::x64::test {

namespace {

using dims_t = std::vector<dim_t>;

struct destroy_t {
    void operator()(dnnl_memory_desc_t md) const { dnnl_memory_desc_destroy(md); }
    void operator()(dnnl_post_ops_t ops) const { dnnl_post_ops_destroy(ops); }
    void operator()(dnnl_primitive_attr_t attr) const { dnnl_primitive_attr_destroy(attr); }
    void operator()(dnnl_engine_t engine) const { dnnl_engine_destroy(engine); }
    void operator()(dnnl_primitive_desc_t pd) const { dnnl_primitive_desc_destroy(pd); }
};
template <typename T> using handle_t = std::unique_ptr<T, destroy_t>;

struct tensor_t {
    dims_t dims;
    data_type_t type = dnnl_f32;
    format_tag_t tag = dnnl_abc;
    dims_t strides = {}; // instead of the tag
};

handle_t<dnnl_memory_desc> make(const tensor_t &tensor) {
    dnnl_memory_desc_t md = nullptr;
    const int ndims = static_cast<int>(tensor.dims.size());
    EXPECT_EQ(tensor.strides.empty()
                      ? dnnl_memory_desc_create_with_tag(
                              &md, ndims, tensor.dims.data(), tensor.type, tensor.tag)
                      : dnnl_memory_desc_create_with_strides(
                              &md, ndims, tensor.dims.data(), tensor.type, tensor.strides.data()),
            dnnl_success);
    return handle_t<dnnl_memory_desc>(md);
}

/// What is read of a descriptor.
struct post_op_operands_t {
    std::vector<jit::post_op_link_t> chain;
    std::vector<const memory_desc_t *> mds;
    std::vector<int> slots;
};

refusal_t find_post_op_operands(const primitive_desc_t &pd, int axis, post_op_operands_t &found) {
    operand_layouts_t layouts(pd);
    const refusal_t refusal = add_post_ops_along(pd, axis, layouts, found.chain);
    found.mds.assign(layouts.mds().begin(), layouts.mds().end());
    for (size_t i = 0; i < found.mds.size(); ++i) found.slots.push_back(layouts.operands()[i].slot);
    return refusal;
}

/// A chain of post-ops of a layer normalization of a 4x6x32 tensor.
class chain_t {
public:
    chain_t() {
        dnnl_post_ops_t ops = nullptr;
        EXPECT_EQ(dnnl_post_ops_create(&ops), dnnl_success);
        ops_.reset(ops);
    }

    chain_t &eltwise(alg_kind_t alg, float alpha, float beta) {
        EXPECT_EQ(dnnl_post_ops_append_eltwise(ops_.get(), alg, alpha, beta), dnnl_success);
        return *this;
    }
    chain_t &binary(alg_kind_t alg, const tensor_t &src1) {
        EXPECT_EQ(dnnl_post_ops_append_binary(ops_.get(), alg, make(src1).get()), dnnl_success);
        return *this;
    }
    chain_t &select(const tensor_t &src1, const tensor_t &condition) {
        EXPECT_EQ(dnnl_post_ops_append_binary_v2(
                          ops_.get(), dnnl_binary_select, make(src1).get(), make(condition).get()),
                dnnl_success);
        return *this;
    }

    /// Makes the primitive descriptor and asks it.
    refusal_t find(int axis, post_op_operands_t &found) {
        dnnl_primitive_attr_t attr = nullptr;
        EXPECT_EQ(dnnl_primitive_attr_create(&attr), dnnl_success);
        const handle_t<dnnl_primitive_attr> attr_handle(attr);
        EXPECT_EQ(dnnl_primitive_attr_set_post_ops(attr, ops_.get()), dnnl_success);
        dnnl_engine_t engine = nullptr;
        EXPECT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 0), dnnl_success);
        const handle_t<dnnl_engine> engine_handle(engine);
        const auto src = make({{4, 6, 32}});
        dnnl_primitive_desc_t pd = nullptr;
        EXPECT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(&pd, engine,
                          dnnl_forward_inference, src.get(), src.get(), nullptr, 1e-5f,
                          dnnl_normalization_flags_none, attr),
                dnnl_success);
        pd_.reset(pd);
        return find_post_op_operands(*pd->pd, axis, found);
    }

    const primitive_desc_t &pd() const { return *pd_->pd; }

private:
    handle_t<dnnl_post_ops> ops_;
    handle_t<dnnl_primitive_desc> pd_;
};

constexpr int last = 2;

/// Whether an operand along `axis` is read element by element; nothing where it is refused.
std::optional<bool> is_per_lane(const tensor_t &operand, int axis) {
    post_op_operands_t found;
    if (chain_t().binary(dnnl_binary_add, operand).find(axis, found)) return std::nullopt;
    return found.chain.at(0).operands.at(0).per_lane;
}

const char *reason_against(const tensor_t &operand, int axis = last) {
    post_op_operands_t found;
    return chain_t().binary(dnnl_binary_add, operand).find(axis, found).reason;
}

TEST(post_op_operands, are_none_without_post_ops) {
    post_op_operands_t found;
    EXPECT_FALSE(chain_t().find(last, found));
    EXPECT_TRUE(found.chain.empty());
    EXPECT_TRUE(found.mds.empty());
    EXPECT_TRUE(found.slots.empty());
}

TEST(post_op_operands, follow_the_chain_in_order) {
    chain_t chain;
    chain.eltwise(dnnl_eltwise_linear, 2, 3)
            .binary(dnnl_binary_add, {{1, 1, 32}, dnnl_bf16})
            .select({{4, 6, 1}, dnnl_f16}, {{4, 6, 32}, dnnl_s8})
            .eltwise(dnnl_eltwise_relu, 0, 0)
            .binary(dnnl_binary_mul, {{1, 1, 1}, dnnl_s32});
    post_op_operands_t found;
    ASSERT_FALSE(chain.find(last, found));
    const std::vector<jit::post_op_link_t> expected{
            {.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 3},
            {.alg = dnnl_binary_add, .operands = {{dnnl_bf16, true}}},
            {.alg = dnnl_binary_select, .operands = {{dnnl_f16, false}, {dnnl_s8, true}}},
            {.alg = dnnl_eltwise_relu},
            {.alg = dnnl_binary_mul, .operands = {{dnnl_s32, false}}},
    };
    EXPECT_EQ(found.chain, expected);

    const int args[] = {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1,
            DNNL_ARG_ATTR_MULTIPLE_POST_OP(2) | DNNL_ARG_SRC_1,
            DNNL_ARG_ATTR_MULTIPLE_POST_OP(2) | DNNL_ARG_SRC_2,
            DNNL_ARG_ATTR_MULTIPLE_POST_OP(4) | DNNL_ARG_SRC_1};
    ASSERT_EQ(found.slots.size(), std::size(args));
    ASSERT_EQ(found.mds.size(), std::size(args));
    for (size_t i = 0; i < std::size(args); ++i) {
        const arg_slot_t &slot = chain.pd().slots().at(static_cast<size_t>(found.slots[i]));
        EXPECT_EQ(slot.arg, args[i]);
        EXPECT_EQ(slot.md, found.mds[i]);
    }
}

TEST(post_op_operands, are_per_lane_where_they_vary_along_the_axis) {
    EXPECT_EQ(is_per_lane({{4, 6, 32}}, last), true);
    EXPECT_EQ(is_per_lane({{1, 6, 32}}, last), true);
    EXPECT_EQ(is_per_lane({{4, 6, 1}}, last), false);
    EXPECT_EQ(is_per_lane({{1, 1, 1}}, last), false);
}

TEST(post_op_operands, of_vectors_along_another_axis) {
    EXPECT_EQ(is_per_lane({{4, 6, 32}, dnnl_f32, dnnl_acb}, 1), true);
    EXPECT_EQ(is_per_lane({{1, 6, 1}}, 1), true);
    EXPECT_EQ(is_per_lane({{4, 1, 32}}, 1), false);
    EXPECT_EQ(is_per_lane({{4, 6, 32}, dnnl_f32, dnnl_bca}, 0), true);
}

TEST(post_op_operands, may_lie_anyhow_along_other_axes) {
    EXPECT_EQ(is_per_lane({{4, 6, 32}, dnnl_f32, dnnl_bac}, last), true);
    EXPECT_EQ(is_per_lane({{4, 6, 32}, dnnl_f32, dnnl_abc, {40, 200, 1}}, last), true);
    EXPECT_EQ(is_per_lane({{4, 6, 1}, dnnl_f32, dnnl_abc, {7, 31, 5}}, last), false);
}

TEST(post_op_operands, of_stride_0_are_constant) {
    EXPECT_EQ(is_per_lane({{4, 6, 32}, dnnl_f32, dnnl_abc, {6, 1, 0}}, last), false);
}

TEST(post_op_operands, are_refused_with_gaps_along_the_axis) {
    constexpr auto reason = "a post-op's tensor is strided along the axis of vectors";
    EXPECT_STREQ(reason_against({{4, 6, 32}, dnnl_f32, dnnl_acb}), reason);
    EXPECT_STREQ(reason_against({{4, 6, 32}, dnnl_f32, dnnl_abc, {384, 64, 2}}), reason);
    EXPECT_STREQ(reason_against({{4, 6, 32}}, 1), reason);
}

TEST(post_op_operands, are_refused_in_blocked_layouts) {
    constexpr auto reason = "a post-op's tensor has a blocked layout";
    for (const format_tag_t tag : {dnnl_aBc4b, dnnl_aBc16b})
        EXPECT_STREQ(reason_against({{4, 6, 32}, dnnl_f32, tag}), reason);
    post_op_operands_t found;
    EXPECT_STREQ(chain_t()
                         .select({{4, 6, 32}}, {{4, 6, 32}, dnnl_s8, dnnl_aBc16b})
                         .find(last, found)
                         .reason,
            reason);
}

} // namespace

} // namespace kiln::x64::test

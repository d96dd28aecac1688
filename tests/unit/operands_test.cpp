// SPDX-License-Identifier: Apache-2.0
// The table of a driver's operands: what it says of each, pitches and addresses.
#include "cpu/x64/operands.hpp"

#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.h"

namespace kiln::x64::test {

namespace {

struct destroy_t {
    void operator()(dnnl_memory_desc_t md) const { dnnl_memory_desc_destroy(md); }
    void operator()(dnnl_primitive_attr_t attr) const { dnnl_primitive_attr_destroy(attr); }
    void operator()(dnnl_engine_t engine) const { dnnl_engine_destroy(engine); }
    void operator()(dnnl_primitive_desc_t pd) const { dnnl_primitive_desc_destroy(pd); }
};
template <typename T> using handle_t = std::unique_ptr<T, destroy_t>;

handle_t<dnnl_memory_desc> strided(data_type_t type, const dims_t &strides) {
    const dims_t dims{4, 6, 32};
    dnnl_memory_desc_t md = nullptr;
    EXPECT_EQ(dnnl_memory_desc_create_with_strides(&md, 3, dims, type, strides), dnnl_success);
    return handle_t<dnnl_memory_desc>(md);
}

enum operand : size_t { dst, src, src_scale, dst_scale, zero_point };

/// A reorder of 4x6x32 elements of f32 to bf16 in rows of 40, with a scale for each index of the
/// second axis of src.
class operands : public testing::Test {
protected:
    operands() {
        dnnl_engine_t engine = nullptr;
        EXPECT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 0), dnnl_success);
        const handle_t<dnnl_engine> engine_handle(engine);
        dnnl_primitive_attr_t attr = nullptr;
        EXPECT_EQ(dnnl_primitive_attr_create(&attr), dnnl_success);
        const handle_t<dnnl_primitive_attr> attr_handle(attr);
        EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 1 << 1), dnnl_success);
        EXPECT_EQ(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0), dnnl_success);
        const auto from = strided(dnnl_f32, {192, 32, 1}), to = strided(dnnl_bf16, {240, 40, 1});
        dnnl_primitive_desc_t pd = nullptr;
        EXPECT_EQ(
                dnnl_reorder_primitive_desc_create(&pd, from.get(), engine, to.get(), engine, attr),
                dnnl_success);
        pd_.reset(pd);
        layouts_.emplace(*pd->pd);
        layouts_->add(DNNL_ARG_TO);
        layouts_->add(DNNL_ARG_FROM);
        layouts_->add_attribute(DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM);
        layouts_->add_shared(DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO);
        layouts_->add(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM);
    }

    const primitive_desc_t &pd() const { return *pd_->pd; }
    const operands_t &table() const { return layouts_->operands(); }
    row_plan_t rows() const { return row_plan_t(2, layouts_->mds()); }

    handle_t<dnnl_primitive_desc> pd_;
    std::optional<operand_layouts_t> layouts_;
};

TEST_F(operands, have_the_slots_and_types_of_their_arguments) {
    ASSERT_EQ(table().count(), 5u);
    EXPECT_EQ(table()[dst].slot, pd().slot_of(DNNL_ARG_TO));
    EXPECT_EQ(table()[dst].type, dnnl_bf16);
    EXPECT_EQ(table()[dst].size, 2);
    EXPECT_EQ(table()[src].type, dnnl_f32);
    EXPECT_EQ(table()[src_scale].slot, pd().slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM));
    EXPECT_TRUE(table()[src_scale].broadcasts);
    EXPECT_EQ(table()[dst_scale].type, dnnl_f32);
    EXPECT_EQ(layouts_->bytes(), 4 * 6 * 32 * (2 + 4) + 6 * 4);
}

TEST_F(operands, that_are_absent_keep_their_index) {
    EXPECT_EQ(table()[zero_point].slot, -1);
    EXPECT_EQ(table()[zero_point].type, dnnl_data_type_undef);
    EXPECT_EQ(table()[zero_point].bytes(100), 0);
    EXPECT_EQ(table().rows_of(rows())[zero_point].pitch, 0);
}

TEST_F(operands, have_pitches_in_bytes) {
    const auto pitched = table().rows_of(rows());
    ASSERT_EQ(pitched.size(), 5u);
    const dim_t expected[] = {40 * 2, 32 * 4, 4, 0, 0};
    for (size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(pitched[i].pitch, expected[i]) << i;
        EXPECT_EQ(pitched[i].type, table()[i].type) << i;
        EXPECT_EQ(table().pitch_of(i, rows()), expected[i]) << i;
    }
}

TEST_F(operands, lie_where_the_row_begins) {
    std::byte buffers[2048]; // begin one byte apart
    exec_ctx_t ctx(pd());
    for (const size_t i : {dst, src, src_scale, dst_scale}) ctx.set(table()[i].slot, &buffers[i]);
    const addresses_t bases = table().bind(ctx);
    void *addresses[5] = {};
    table().locate(bases, rows().offsets_of(6 + 2), addresses);
    EXPECT_EQ(addresses[dst], buffers + dst + (240 + 2 * 40) * 2);
    EXPECT_EQ(addresses[src], buffers + src + (6 + 2) * 32 * 4);
    EXPECT_EQ(addresses[src_scale], buffers + src_scale + 2 * 4);
    EXPECT_EQ(addresses[dst_scale], buffers + dst_scale);
    EXPECT_EQ(addresses[zero_point], nullptr);
}

TEST_F(operands, are_aliases_where_they_have_one_buffer) {
    std::byte buffers[3];
    addresses_t bases{&buffers[0], &buffers[1], &buffers[0], &buffers[2], nullptr};
    EXPECT_TRUE(table().has_alias(bases, dst));
    EXPECT_FALSE(table().has_alias(bases, src));
    bases[src_scale] = nullptr;
    EXPECT_FALSE(table().has_alias(bases, dst));
    // Two absent operands are not in one buffer.
    EXPECT_FALSE(table().has_alias(bases, zero_point));
}

TEST(operand, of_bits_has_eight_elements_in_a_byte) {
    const operand_t mask{.slot = 0, .is_mask = true};
    EXPECT_EQ(mask.bytes(64), 8);
}

TEST(operand, of_another_type_has_its_size) {
    operands_t operands;
    operands.add({.slot = 3, .type = dnnl_s8, .size = 1});
    operands.set_type(0, dnnl_f32);
    EXPECT_EQ(operands[0].slot, 3);
    EXPECT_EQ(operands[0].bytes(5), 20);
}

} // namespace

} // namespace kiln::x64::test

// SPDX-License-Identifier: Apache-2.0
// What every operation gets from operation_pd_t: implementations that settle formats themselves,
// the sizes of arguments, and the descriptors of scales and zero points. The operation is the
// test's own: dst = src * weights.
#include "common/primitive/primitive_desc.hpp"

#include <gtest/gtest.h>

#include "support/handle.hpp"

namespace kiln::test {

namespace {

memory_desc_t tagged(const std::vector<dim_t> &dims, format_tag_t tag) {
    memory_desc_t md;
    EXPECT_EQ(init_by_tag(md, static_cast<int>(dims.size()), dims.data(), dnnl_f32, tag),
            dnnl_success);
    return md;
}

struct product_desc_t {
    using pd_t = class product_pd_t;

    memory_desc_t src;
    memory_desc_t weights;
    memory_desc_t dst;

    auto fields() const { return std::tie(src, weights, dst); }
};

class product_pd_t : public operation_pd_t<product_desc_t> {
public:
    product_pd_t(engine_t *engine, const product_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint)
        : operation_pd_t(dnnl_matmul, engine, desc, attr, std::move(hint))
        , weights_(desc.weights)
        , dst_(desc.dst) {}

    status_t init() {
        add_slot({DNNL_ARG_SRC, arg_use_t::input, &desc_.src, dnnl_query_src_md});
        add_slot({DNNL_ARG_WEIGHTS, arg_use_t::input, &weights_, dnnl_query_weights_md});
        add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_, dnnl_query_dst_md});
        add_attr_slots();
        return dnnl_success;
    }

    status_t resolve_formats() {
        for (memory_desc_t *md : {&weights_, &dst_})
            if (is_any(*md))
                KILN_TRY(init_by_strides(*md, md->ndims, md->dims, md->data_type, nullptr));
        return dnnl_success;
    }

    primitive_text_t text() const override { return {}; }
    static std::span<const implementation_t<product_pd_t>> implementations() { return list; }

    memory_desc_t &weights() { return weights_; }

    static inline std::vector<implementation_t<product_pd_t>> list;

private:
    memory_desc_t weights_, dst_;
};

class nothing_t : public primitive_impl_t {
public:
    explicit nothing_t(const product_pd_t &) {}
    status_t execute(const exec_ctx_t &) const override { return dnnl_success; }
};

memory_desc_t packed_weights() {
    const dims_t dims = {3, 20};
    memory_desc_t md;
    EXPECT_EQ(init_by_tag_name(md, 2, dims, dnnl_f32, "aB16b"), dnnl_success);
    return md;
}

const memory_desc_t packed = packed_weights();

refusal_t accept_and_pack(product_pd_t &pd, plan_ptr_t &plan) {
    if (!is_any(pd.weights())) return refused("the weights have a layout");
    pd.weights() = packed;
    return accepted_for<nothing_t>(pd, plan);
}

refusal_t pack_and_refuse(product_pd_t &pd, plan_ptr_t &) {
    pd.weights() = packed;
    return refused("packed in vain");
}

refusal_t accept_resolved(product_pd_t &pd, plan_ptr_t &plan) {
    for (const int arg : {DNNL_ARG_WEIGHTS, DNNL_ARG_DST})
        if (is_any(pd.md_of(arg))) return refused("the format is any");
    return accepted_for<nothing_t>(pd, plan);
}

refusal_t refuse(product_pd_t &, plan_ptr_t &) { return refused("never"); }

constexpr implementation_t<product_pd_t> packs{"packs", accept_and_pack, true};
constexpr implementation_t<product_pd_t> packs_in_vain{"packs_in_vain", pack_and_refuse, true};
constexpr implementation_t<product_pd_t> takes_resolved{"takes_resolved", accept_resolved};
constexpr implementation_t<product_pd_t> refuses{"refuses", refuse};

using list_t = std::vector<implementation_t<product_pd_t>>;

std::shared_ptr<const primitive_desc_t> find(const list_t &list,
        format_tag_t weights = dnnl_format_tag_any, const primitive_attr_t *attr = nullptr) {
    product_pd_t::list = list;
    const product_desc_t desc{tagged({5, 3}, dnnl_ab), tagged({3, 20}, weights),
            tagged({5, 20}, dnnl_format_tag_any)};
    std::shared_ptr<const primitive_desc_t> pd;
    EXPECT_EQ(product_pd_t::find(cpu_engine(), desc, attr, nullptr, 0, pd), dnnl_success);
    return pd;
}

const arg_slot_t &slot(const primitive_desc_t &pd, int arg) {
    return pd.slots()[static_cast<size_t>(pd.slot_of(arg))];
}

TEST(open_formats, are_settled_by_the_implementation_that_accepts) {
    const auto pd = find({packs, takes_resolved});
    EXPECT_STREQ(pd->implementation_name(), "packs");
    EXPECT_TRUE(pd->md_of(DNNL_ARG_WEIGHTS) == packed);
    // What the implementation left open has the default layout.
    EXPECT_TRUE(pd->md_of(DNNL_ARG_DST) == tagged({5, 20}, dnnl_ab));
    EXPECT_NE(pd->create(), nullptr);
}

TEST(open_formats, settled_late_give_the_sizes_of_arguments) {
    const auto pd = find({packs});
    EXPECT_EQ(slot(*pd, DNNL_ARG_WEIGHTS).bytes, 3 * 32 * sizeof(float));
    EXPECT_TRUE(slot(*pd, DNNL_ARG_WEIGHTS).padded);
    EXPECT_EQ(slot(*pd, DNNL_ARG_DST).bytes, 5 * 20 * sizeof(float));
    EXPECT_FALSE(slot(*pd, DNNL_ARG_DST).padded);
    EXPECT_FALSE(pd->pads_outputs());
}

TEST(open_formats, have_default_layouts_for_other_implementations) {
    const auto pd = find({takes_resolved, packs});
    EXPECT_STREQ(pd->implementation_name(), "takes_resolved");
    EXPECT_TRUE(pd->md_of(DNNL_ARG_WEIGHTS) == tagged({3, 20}, dnnl_ab));
}

TEST(open_formats, are_open_again_after_an_implementation_that_refuses) {
    for (const list_t &list :
            {list_t{packs_in_vain, takes_resolved}, list_t{packs_in_vain, refuses, takes_resolved}})
        EXPECT_TRUE(find(list)->md_of(DNNL_ARG_WEIGHTS) == tagged({3, 20}, dnnl_ab));
    for (const list_t &list : {list_t{packs_in_vain, packs}, list_t{refuses, packs}})
        EXPECT_TRUE(find(list)->md_of(DNNL_ARG_WEIGHTS) == packed);
}

TEST(open_formats, are_open_again_for_the_next_implementation) {
    const auto first = find({packs, takes_resolved});
    std::shared_ptr<const primitive_desc_t> second;
    ASSERT_EQ(first->next(second), dnnl_success);
    EXPECT_STREQ(second->implementation_name(), "takes_resolved");
    EXPECT_TRUE(second->md_of(DNNL_ARG_WEIGHTS) == tagged({3, 20}, dnnl_ab));
    EXPECT_FALSE(first->same_primitive(*second));
    EXPECT_EQ(second->next(second), dnnl_last_impl_reached);
}

TEST(given_formats, are_seen_as_they_are) {
    const auto pd = find({packs, takes_resolved}, dnnl_ba);
    EXPECT_STREQ(pd->implementation_name(), "takes_resolved");
    EXPECT_TRUE(pd->md_of(DNNL_ARG_WEIGHTS) == tagged({3, 20}, dnnl_ba));
}

TEST(quantization_slots, have_the_shape_that_mask_and_groups_give) {
    struct case_t {
        int mask;
        int group_ndims;
        dims_t groups;
        dims_t expected;
    };
    for (const case_t &c :
            {case_t{0, 0, {}, {1, 1}}, case_t{1, 0, {}, {3, 1}}, case_t{2, 0, {}, {1, 20}},
                    case_t{3, 0, {}, {3, 20}}, case_t{3, 2, {3, 1}, {1, 20}},
                    case_t{3, 2, {1, 5}, {3, 4}}, case_t{2, 2, {1, 10}, {1, 2}}}) {
        primitive_attr_t attr;
        ASSERT_EQ(dnnl_primitive_attr_set_scales(
                          &attr, DNNL_ARG_WEIGHTS, c.mask, c.group_ndims, c.groups, dnnl_bf16),
                dnnl_success);
        ASSERT_EQ(dnnl_primitive_attr_set_zero_points(
                          &attr, DNNL_ARG_WEIGHTS, c.mask, c.group_ndims, c.groups, dnnl_u8),
                dnnl_success);
        const auto pd = find({packs}, dnnl_format_tag_any, &attr);
        for (const auto &[kind, type] : {std::pair{DNNL_ARG_ATTR_SCALES, dnnl_bf16},
                     std::pair{DNNL_ARG_ATTR_ZERO_POINTS, dnnl_u8}}) {
            memory_desc_t expected;
            ASSERT_EQ(init_by_strides(expected, 2, c.expected, type, nullptr), dnnl_success);
            EXPECT_TRUE(pd->md_of(kind | DNNL_ARG_WEIGHTS) == expected)
                    << "mask " << c.mask << ", groups " << c.groups[0] << "x" << c.groups[1];
            EXPECT_EQ(slot(*pd, kind | DNNL_ARG_WEIGHTS).bytes,
                    static_cast<size_t>(c.expected[0] * c.expected[1])
                            * (type == dnnl_bf16 ? 2 : 1));
        }
    }
}

} // namespace

} // namespace kiln::test

// SPDX-License-Identifier: Apache-2.0
#include "common/memory/optional_memory_desc.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace kiln::test {
namespace {

TEST(optional_memory_desc, is_the_zero_descriptor_until_it_is_set) {
    optional_memory_desc_t md;
    EXPECT_EQ(&md.get(), &zero_md);
    md = zero_md;
    EXPECT_EQ(&md.get(), &zero_md);
    md = *make_desc({2, 3}, dnnl_f32, "ab");
    EXPECT_EQ(md.get(), *make_desc({2, 3}, dnnl_f32, "ab"));
    EXPECT_EQ(md->ndims, 2);
}

TEST(optional_memory_desc, stays_at_its_address_once_it_is_set) {
    optional_memory_desc_t md = *make_desc({2, 3}, dnnl_f32, "ab");
    const memory_desc_t *const at = &md.get();
    md = *make_desc({5}, dnnl_s8, "a");
    EXPECT_EQ(&md.get(), at);
    EXPECT_EQ(at->dims[0], 5);
    md.edit().dims[0] = 6;
    EXPECT_EQ(at->dims[0], 6);
    md = {};
    EXPECT_EQ(&md.get(), at);
    EXPECT_TRUE(is_zero(md));
}

TEST(optional_memory_desc, is_copied_with_what_it_holds) {
    optional_memory_desc_t md = *make_desc({2, 3}, dnnl_f32, "ab");
    const optional_memory_desc_t copy = md;
    md.edit().dims[0] = 7;
    EXPECT_EQ(copy->dims[0], 2);
    const memory_desc_t *const at = &md.get();
    const optional_memory_desc_t moved = std::move(md);
    EXPECT_EQ(&moved.get(), at);
}

TEST(optional_memory_desc, follows_a_layout_where_its_format_is_open) {
    const auto model = make_desc({2, 32, 3}, dnnl_f32, "aBc16b");
    optional_memory_desc_t none, given = *make_desc({2, 32, 3}, dnnl_f32, "abc"),
                                 open = *make_desc({2, 32, 3}, dnnl_s8, "any");
    for (optional_memory_desc_t *md : {&none, &given, &open})
        ASSERT_EQ(follow(*md, *model), dnnl_success);
    EXPECT_TRUE(is_zero(none));
    EXPECT_EQ(given.get(), *make_desc({2, 32, 3}, dnnl_f32, "abc"));
    EXPECT_EQ(open.get(), *make_desc({2, 32, 3}, dnnl_s8, "aBc16b"));
}

} // namespace
} // namespace kiln::test

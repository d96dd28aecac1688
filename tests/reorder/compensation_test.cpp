// SPDX-License-Identifier: Apache-2.0
// Reorders to s8 weights with sums behind them, as descriptors say whose bytes a program has
// written: the weights, the sums, zeros for padding, and what is refused.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "common/memory/memory_desc.hpp"
#include "reorder/reorder_call.hpp"
#include "support/guarded_buffer.hpp"

namespace kiln::test {
namespace {

constexpr uint64_t s8s8 = 1, adjusted = 2, zero_point = 8;

struct problem_t {
    dims_t dims;
    const char *src_format, *dst_format;
    int mask;
    uint64_t flags;
    const char *sums_format; // the layout of the sums, along the axes of the mask
};

memory_desc_handle_t weights_desc(const problem_t &problem) {
    memory_desc_handle_t desc = make_desc(problem.dims, dnnl_s8, problem.dst_format);
    auto &extra = static_cast<dnnl_memory_desc_t>(desc)->extra;
    extra.flags = problem.flags;
    extra.compensation_mask = extra.asymm_compensation_mask = problem.mask;
    extra.scale_adjust = 0.5f;
    return desc;
}

void expect_right(const problem_t &problem, dnnl_data_type_t src_type) {
    SCOPED_TRACE(std::string(problem.src_format) + " to " + problem.dst_format + " mask "
                 + std::to_string(problem.mask) + " flags " + std::to_string(problem.flags));
    tensor_t src(make_desc(problem.dims, src_type, problem.src_format));
    std::vector<double> values, weights;
    for (int64_t i = 0; i < src.elements(); ++i)
        values.push_back(static_cast<double>(i * 37 % 251 - 120));
    src.fill(values);
    for (const double value : src.values()) {
        const double scaled = (problem.flags & adjusted ? .5 : 1) * value;
        weights.push_back(std::clamp(std::nearbyint(scaled), -128., 127.));
    }

    const auto desc = weights_desc(problem);
    dims_t sums_dims = problem.dims;
    for (size_t d = 0; d < sums_dims.size(); ++d)
        if ((problem.mask >> d & 1) == 0) sums_dims[d] = 1;
    const auto sums_desc = make_desc(sums_dims, dnnl_s32, problem.sums_format);
    const size_t elements_bytes =
            (dnnl_memory_desc_get_size(make_desc(problem.dims, dnnl_s8, problem.dst_format)) + 3)
            / 4 * 4;
    const size_t sums_bytes = dnnl_memory_desc_get_size(sums_desc);
    const int kinds = ((problem.flags & s8s8) != 0) + ((problem.flags & zero_point) != 0);
    ASSERT_EQ(dnnl_memory_desc_get_size(desc), elements_bytes + size_t(kinds) * sums_bytes);

    guarded_buffer_t buffer(dnnl_memory_desc_get_size(desc), placement_t::ends_at_guard);
    std::memset(buffer.data(), 0x5a, buffer.size());
    memory_handle_t dst;
    require(dnnl_memory_create(dst.out(), desc, cpu_engine(), buffer.data()), "memory");
    ASSERT_EQ(arguments_t()
                      .add(DNNL_ARG_FROM, src.memory())
                      .add(DNNL_ARG_TO, dst)
                      .execute(make_reorder(src.desc(), desc)),
            dnnl_success);

    const layout_t layout(make_desc(problem.dims, dnnl_s8, problem.dst_format));
    const layout_t sums_layout(sums_desc);
    std::vector<int32_t> expected(sums_bytes / sizeof(int32_t), 0);
    size_t next = 0;
    for_each_index(problem.dims, [&](const dims_t &at) {
        const double weight = weights[next++];
        ASSERT_EQ(static_cast<int8_t>(buffer.data()[layout.offset(at)]), weight);
        dims_t place = at;
        for (size_t d = 0; d < place.size(); ++d)
            if (sums_dims[d] == 1) place[d] = 0;
        expected[static_cast<size_t>(sums_layout.offset(place))] -= static_cast<int32_t>(weight);
    });
    const std::byte *found = buffer.data() + elements_bytes;
    for (const auto &[flag, factor] : {std::pair(s8s8, 128), {zero_point, 1}}) {
        if ((problem.flags & flag) == 0) continue;
        for (size_t i = 0; i < expected.size(); ++i) {
            int32_t sum;
            std::memcpy(&sum, found + i * sizeof(sum), sizeof(sum));
            ASSERT_EQ(sum, factor * expected[i]) << "sum " << i << " of flag " << flag;
        }
        found += sums_bytes;
    }
}

TEST(reorder_compensation, stores_the_sums_behind_the_weights) {
    for (const uint64_t flags :
            {s8s8, zero_point, s8s8 | zero_point, s8s8 | adjusted, s8s8 | adjusted | zero_point})
        for (const auto src_type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const problem_t &problem : {
                         problem_t{{17, 5, 3}, "abc", "acb", 1, flags, "abc"},
                         {{17, 5, 3}, "abc", "cba", 1, flags, "abc"},
                         {{17, 5, 3}, "cba", "Abc16a", 1, flags, "Abc16a"},
                         {{17, 5, 3}, "abc", "ABc4b16a4b", 1, flags, "Abc16a"},
                         {{2, 17, 5, 3}, "abcd", "aBCd4c16b4c", 3, flags, "aBcd16b"},
                         {{2, 17, 5, 3}, "abcd", "dcba", 3, flags, "cdba"},
                         {{1, 1, 5}, "abc", "abc", 1, flags, "abc"},
                 })
                expect_right(problem, src_type);
}

/// Sums of src are not read; a dst of the same layout without them ends at an unmapped page.
TEST(reorder_compensation, takes_weights_with_sums_as_weights) {
    const problem_t with_sums{{17, 5, 3}, "abc", "ABc4b16a4b", 1, zero_point, "Abc16a"};
    tensor_t plain(make_desc(with_sums.dims, dnnl_s8, "abc"));
    std::vector<double> values;
    for (int64_t i = 0; i < plain.elements(); ++i)
        values.push_back(static_cast<double>(i * 37 % 247 - 120));
    plain.fill(values);
    tensor_t weights(weights_desc(with_sums));
    ASSERT_EQ(reorder(plain, weights), dnnl_success);
    for (const char *format : {"abc", "cba", "ABc4b16a4b"}) {
        tensor_t back(make_desc(with_sums.dims, dnnl_s8, format));
        ASSERT_EQ(reorder(weights, back), dnnl_success) << format;
        EXPECT_EQ(back.values(), values) << format;
        EXPECT_TRUE(back.is_tidy()) << format;
    }
}

TEST(reorder_compensation, is_refused_where_it_has_no_meaning) {
    const auto status = [](const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                                const_dnnl_primitive_attr_t attr = nullptr) {
        primitive_desc_handle_t pd;
        return create_reorder(pd, src, dst, attr);
    };
    const auto plain = make_desc({4, 5}, dnnl_f32);
    const problem_t right{{4, 5}, "ab", "ab", 1, s8s8, "ab"};
    EXPECT_EQ(status(plain, weights_desc(right)), dnnl_success);
    problem_t scaled = right;
    scaled.flags |= adjusted;
    EXPECT_EQ(status(weights_desc(scaled), plain), dnnl_unimplemented);
    problem_t unknown = right;
    unknown.flags = 4;
    EXPECT_EQ(status(plain, weights_desc(unknown)), dnnl_unimplemented);
    problem_t beyond = right;
    beyond.mask = 4;
    EXPECT_EQ(status(plain, weights_desc(beyond)), dnnl_unimplemented);
    const memory_desc_handle_t wide = make_desc({4, 5}, dnnl_f32);
    static_cast<dnnl_memory_desc_t>(wide)->extra.flags = s8s8;
    EXPECT_EQ(status(plain, wide), dnnl_unimplemented);
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_TO, 0), "zero points");
    EXPECT_EQ(status(plain, weights_desc(right), attr), dnnl_unimplemented);
}

TEST(reorder_compensation, tells_descriptors_apart) {
    problem_t one{{4, 5}, "ab", "ab", 1, s8s8, "ab"}, other = one;
    EXPECT_TRUE(dnnl_memory_desc_equal(weights_desc(one), weights_desc(other)));
    other.mask = 2;
    EXPECT_FALSE(dnnl_memory_desc_equal(weights_desc(one), weights_desc(other)));
    other = one;
    other.flags |= zero_point;
    EXPECT_FALSE(dnnl_memory_desc_equal(weights_desc(one), weights_desc(other)));
}

} // namespace
} // namespace kiln::test

// SPDX-License-Identifier: Apache-2.0
// Reorders of elements of half a byte against tables of their values: every value between which the
// types round, every layout, an odd number of elements, buffers between unmapped pages.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reorder/reorder_call.hpp"
#include "support/guarded_buffer.hpp"

namespace kiln::test {
namespace {

/// The values of the type by their codes.
std::vector<double> values_of(dnnl_data_type_t type) {
    switch (type) {
    case dnnl_s4: return {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};
    case dnnl_u4: return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    case dnnl_f4_e2m1: return {0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6};
    default: return {0, .25, .5, 1, 2, 4, 8, 16, -0., -.25, -.5, -1, -2, -4, -8, -16};
    }
}

constexpr dnnl_data_type_t half_byte_types[] = {dnnl_s4, dnnl_u4, dnnl_f4_e2m1, dnnl_f4_e3m0};

/// A tensor of half bytes.
class half_bytes_t {
public:
    half_bytes_t(const dims_t &dims, dnnl_data_type_t type, const std::string &format,
            placement_t placement)
        : layout_(make_desc(dims, type, format))
        , desc_(make_desc(dims, type, format))
        , buffer_(dnnl_memory_desc_get_size(desc_), placement) {
        std::fill_n(buffer_.data(), buffer_.size(), std::byte(0xa5));
        require(dnnl_memory_create(memory_.out(), desc_, cpu_engine(), buffer_.data()), "memory");
    }

    const_dnnl_memory_desc_t desc() const { return desc_; }
    dnnl_memory_t memory() const { return memory_; }

    size_t code(const dims_t &index) const {
        const auto offset = static_cast<size_t>(layout_.offset(index));
        return size_t(buffer_.data()[offset / 2]) >> (offset % 2 * 4) & 0xf;
    }

private:
    layout_t layout_;
    memory_desc_handle_t desc_;
    guarded_buffer_t buffer_;
    memory_handle_t memory_;
};

/// The codes whose values are nearest; more than one for a tie.
std::vector<size_t> nearest_codes(dnnl_data_type_t type, double x) {
    const std::vector<double> values = values_of(type);
    double least = std::numeric_limits<double>::infinity();
    for (const double value : values) least = std::min(least, std::fabs(value - x));
    std::vector<size_t> codes;
    for (size_t code = 0; code < values.size(); ++code)
        if (std::fabs(values[code] - x) == least
                && (x == 0 || values[code] != 0 || type == dnnl_s4 || type == dnnl_u4
                        || std::signbit(values[code]) == std::signbit(x)))
            codes.push_back(code);
    return codes;
}

TEST(half_byte_reorder, rounds_every_value_to_the_nearest_one) {
    for (const auto type : half_byte_types) {
        std::vector<double> wanted;
        for (double x = -20; x <= 20; x += 0.03125) wanted.push_back(x);
        const dims_t dims{static_cast<dnnl_dim_t>(wanted.size())};
        tensor_t src(make_desc(dims, dnnl_f32));
        src.fill(wanted);
        const half_bytes_t dst(dims, type, "a", placement_t::ends_at_guard);
        ASSERT_EQ(arguments_t()
                          .add(DNNL_ARG_FROM, src.memory())
                          .add(DNNL_ARG_TO, dst.memory())
                          .execute(make_reorder(src.desc(), dst.desc())),
                dnnl_success);
        for (size_t i = 0; i < wanted.size(); ++i) {
            const double x = wanted[i];
            const size_t code = dst.code({static_cast<dnnl_dim_t>(i)});
            const double value = values_of(type)[code];
            std::vector<size_t> codes = nearest_codes(type, x);
            EXPECT_NE(std::find_if(codes.begin(), codes.end(),
                              [&](size_t c) { return values_of(type)[c] == value; }),
                    codes.end())
                    << dnnl_dt2str(type) << " of " << x << " is " << value;
            if (codes.size() < 2 || x == 0) continue;
            // A tie: the even code; of powers of two the greater, but 0 for 0.125.
            if (type == dnnl_f4_e3m0)
                EXPECT_EQ(std::fabs(value), std::fabs(x) == .125 ? 0 : std::fabs(x) * 4 / 3) << x;
            else
                EXPECT_EQ(code % 2, 0u) << dnnl_dt2str(type) << " of " << x;
        }
    }
}

TEST(half_byte_reorder, saturates_what_is_no_number) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const struct {
        dnnl_data_type_t type;
        double above, below, of_nan;
    } rows[] = {{dnnl_s4, 7, -8, 0}, {dnnl_u4, 15, 0, 0}, {dnnl_f4_e2m1, 6, -6, 6},
            {dnnl_f4_e3m0, 16, -16, 16}};
    for (const auto &row : rows) {
        tensor_t src(make_desc({5}, dnnl_f32));
        src.fill({infinity, -infinity, nan, 1e30, -1e30});
        const half_bytes_t dst({5}, row.type, "a", placement_t::ends_at_guard);
        ASSERT_EQ(arguments_t()
                          .add(DNNL_ARG_FROM, src.memory())
                          .add(DNNL_ARG_TO, dst.memory())
                          .execute(make_reorder(src.desc(), dst.desc())),
                dnnl_success);
        const double expected[] = {row.above, row.below, row.of_nan, row.above, row.below};
        for (dnnl_dim_t i = 0; i < 5; ++i)
            EXPECT_EQ(values_of(row.type)[dst.code({i})], expected[i]) << dnnl_dt2str(row.type);
    }
}

TEST(half_byte_reorder, moves_elements_between_any_layouts) {
    for (const dims_t &dims : {dims_t{3, 17, 5, 3}, dims_t{2, 16, 4, 2}, dims_t{5, 33, 29, 1}})
        for (const auto type : half_byte_types)
            for (const char *from : {"abcd", "dcba", "aBcd16b"})
                for (const char *to : {"abcd", "acdb", "aBcd16b", "ABcd4b16a4b"})
                    for (const auto placement :
                            {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                        tensor_t src(make_desc(dims, dnnl_f32, from));
                        std::vector<double> wanted;
                        for (int64_t i = 0; i < src.elements(); ++i)
                            wanted.push_back(values_of(type)[size_t(i * 7 % 16)]);
                        src.fill(wanted);
                        const half_bytes_t one(dims, type, from, placement);
                        const half_bytes_t other(dims, type, to, placement);
                        const tensor_t dst(make_desc(dims, dnnl_f32, to));
                        const auto run = [&](const_dnnl_memory_desc_t a, dnnl_memory_t a_memory,
                                                 const_dnnl_memory_desc_t b,
                                                 dnnl_memory_t b_memory) {
                            ASSERT_EQ(arguments_t()
                                              .add(DNNL_ARG_FROM, a_memory)
                                              .add(DNNL_ARG_TO, b_memory)
                                              .execute(make_reorder(a, b)),
                                    dnnl_success);
                        };
                        run(src.desc(), src.memory(), one.desc(), one.memory());
                        run(one.desc(), one.memory(), other.desc(), other.memory());
                        run(other.desc(), other.memory(), dst.desc(), dst.memory());
                        EXPECT_TRUE(holds(dst, wanted)) << dnnl_dt2str(type) << from << " " << to;
                        EXPECT_TRUE(dst.is_tidy());
                        size_t i = 0;
                        for_each_index(dims, [&](const dims_t &at) {
                            ASSERT_EQ(values_of(type)[other.code(at)], wanted[i++]);
                        });
                    }
}

TEST(half_byte_reorder, takes_scales_and_zero_points) {
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_FROM, 2), "scales");
    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_FROM, 0), "zero points");
    const half_bytes_t src({2, 3}, dnnl_u4, "ab", placement_t::ends_at_guard);
    tensor_t values(make_desc({2, 3}, dnnl_f32));
    values.fill({0, 5, 15, 8, 9, 1});
    ASSERT_EQ(arguments_t()
                      .add(DNNL_ARG_FROM, values.memory())
                      .add(DNNL_ARG_TO, src.memory())
                      .execute(make_reorder(values.desc(), src.desc())),
            dnnl_success);
    tensor_t scale(make_desc({3}, dnnl_f32)), zero_point(make_desc({1}, dnnl_s32));
    scale.fill({.5, 1, 2});
    zero_point.fill({8});
    const tensor_t dst(make_desc({2, 3}, dnnl_f32, "ba"));
    ASSERT_EQ(arguments_t()
                      .add(DNNL_ARG_FROM, src.memory())
                      .add(DNNL_ARG_TO, dst.memory())
                      .add(DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, scale.memory())
                      .add(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM, zero_point.memory())
                      .execute(make_reorder(src.desc(), dst.desc(), attr)),
            dnnl_success);
    EXPECT_TRUE(holds(dst, {-4, -3, 14, 0, 1, -14}));
}

} // namespace
} // namespace kiln::test

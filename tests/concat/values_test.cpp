// SPDX-License-Identifier: Apache-2.0
// Concatenations against what they are made of: every implementation, axis, type and kind of
// layout; boundaries inside blocks, scales, sources that lie in dst, the same bits for any number
// of threads.
#include <array>
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/random_values.hpp"
#include "support/scale_attr.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::concat {

namespace {

struct problem_t {
    dims_t dims = {3, 0, 7}; // of sources; the axis' extents are:
    std::vector<dnnl_dim_t> extents = {5, 4};
    int axis = 1;
    dnnl_data_type_t type = dnnl_f32, dst_type = dnnl_f32;
    std::vector<std::string> formats = {"", ""};
    std::string dst_format = "any";
    std::vector<std::optional<scale_attr_t>> scales = {};

    size_t count() const { return extents.size(); }
    dims_t dims_of(dnnl_dim_t extent) const {
        dims_t result = dims;
        result[static_cast<size_t>(axis)] = extent;
        return result;
    }
    dims_t dst_dims() const {
        dnnl_dim_t sum = 0;
        for (const dnnl_dim_t extent : extents) sum += extent;
        return dims_of(sum);
    }
    const std::string &format(size_t i) const { return formats[i % formats.size()]; }
    std::optional<scale_attr_t> scale(size_t i) const {
        return i < scales.size() ? scales[i] : std::nullopt;
    }
};

std::string to_string(const problem_t &p) {
    std::string text;
    for (size_t i = 0; i < p.count(); ++i)
        text += test::to_string(p.dims_of(p.extents[i])) + ":" + p.format(i)
                + (p.scale(i) ? " scale " + test::to_string(*p.scale(i)) : "") + " ";
    return text + dnnl_dt2str(p.type) + " along " + std::to_string(p.axis) + " to "
           + dnnl_dt2str(p.dst_type) + ":" + p.dst_format;
}

primitive_desc_handle_t describe(const problem_t &p, size_t implementation = 0) {
    const attr_handle_t attr = make_attr();
    std::vector<memory_desc_handle_t> srcs;
    std::vector<const_dnnl_memory_desc_t> handles;
    for (size_t i = 0; i < p.count(); ++i) {
        handles.push_back(
                srcs.emplace_back(make_desc(p.dims_of(p.extents[i]), p.type, p.format(i))));
        set_scale(attr, DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), p.scale(i));
    }
    primitive_desc_handle_t pd;
    require(dnnl_concat_primitive_desc_create(pd.out(), cpu_engine(),
                    make_desc(p.dst_dims(), p.dst_type, p.dst_format), static_cast<int>(p.count()),
                    p.axis, handles.data(), attr),
            to_string(p));
    skip_implementations(pd, implementation);
    return pd;
}

std::vector<double> values_of(const dims_t &dims, dnnl_data_type_t type, uint64_t seed) {
    return random_elements(type, volume(dims), seed, 100, 100);
}

class case_t : public problem_case_t<problem_t> {
public:
    case_t(const problem_t &p, size_t implementation,
            placement_t placement = placement_t::ends_at_guard)
        : problem_case_t(p, implementation, placement) {
        for (size_t i = 0; i < p.count(); ++i) {
            const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
            add_input(arg, "src_" + std::to_string(i),
                    values_of(p.dims_of(p.extents[i]), p.type, i + 1));
            if (const auto scale = p.scale(i))
                bindings().add_scale(arg, scale->type, scale->value, scale->is_on_host);
        }
        add_output(DNNL_ARG_DST, "dst");
        bindings().add_scratchpad(primitive_desc());
    }

    std::vector<expected_t> expected() const override {
        const auto axis = static_cast<size_t>(p_.axis);
        std::vector<interval_t> truth;
        for_each_index(p_.dst_dims(), [&](const dims_t &index) {
            dims_t at = index;
            size_t i = 0;
            while (at[axis] >= p_.extents[i]) at[axis] -= p_.extents[i++];
            const double x = tensor(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i)).value(at);
            const auto scale = p_.scale(i);
            const long double scaled = scale ? static_cast<float>(x * factor_of(scale)) : x;
            truth.push_back(interval_t::exactly(scaled));
        });
        return {{DNNL_ARG_DST, "dst", truth}};
    }
};

void expect_right(const problem_t &p) { expect_right_everywhere<case_t>(p); }

constexpr dnnl_data_type_t types[]{
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_s32, dnnl_s8, dnnl_u8};

TEST(concat, is_right_for_every_pair_of_types) {
    for (const auto type : types)
        for (const auto dst_type : types)
            for (const char *format : {"", "acb", "aBc8b"})
                expect_right({.dims = {3, 0, 17},
                        .type = type,
                        .dst_type = dst_type,
                        .formats = {format}});
    expect_right({.type = dnnl_f64, .dst_type = dnnl_f64});
}

TEST(concat, joins_along_any_axis) {
    for (int axis = 0; axis < 4; ++axis)
        for (const auto &extents : {std::vector<dnnl_dim_t>{5, 4}, {1, 1, 1}, {16, 3, 32, 1}, {7},
                     {3, 0, 2}, {0, 4}, {0, 0}})
            for (const char *format : {"abcd", "acdb", "dcba", "aBcd8b", "aBcd16b", "ABcd4b16a4b"})
                expect_right({.dims = {2, 3, 5, 3},
                        .extents = extents,
                        .axis = axis,
                        .formats = {format},
                        .dst_format = format});
}

TEST(concat, cuts_blocks_at_any_place) {
    for (const dnnl_dim_t first : {1, 2, 7, 8, 15, 16, 17, 20, 31})
        for (const dnnl_dim_t second : {1, 2, 9, 15, 16, 21, 47})
            for (const char *format : {"aBc16b", "aBc8b", "ABc8b16a2b", "abc", "acb"})
                for (const char *dst_format : {"aBc16b", "aBc8b", "ABc8b16a2b"}) {
                    const auto type = std::array{
                            dnnl_f32, dnnl_bf16, dnnl_s8}[static_cast<size_t>(first + second) % 3];
                    expect_right({.dims = {2, 0, 3},
                            .extents = {first, second, 3},
                            .type = type,
                            .dst_type = type,
                            .formats = {format},
                            .dst_format = dst_format});
                }
}

TEST(concat, takes_any_layouts) {
    const char *formats[] = {"abcd", "acdb", "dcba", "abcd+3", "abcd*2", "aBcd8b", "aBcd16b"};
    for (const dnnl_dim_t channels : {5, 16})
        for (const int axis : {1, 2})
            for (const char *format_0 : formats)
                for (const char *format_1 : formats)
                    for (const char *dst_format : {"any", "abcd", "dcba", "abcd*2", "aBcd16b"})
                        expect_right({.dims = {2, channels, 4, 3},
                                .extents = {channels, 4},
                                .axis = axis,
                                .formats = {format_0, format_1},
                                .dst_format = dst_format});
}

TEST(concat, reads_elements_that_repeat) {
    for (const int axis : {1, 3})
        for (const char *format : {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "dcba/cd", "abcd/abcd"})
            for (const char *dst_format : {"any", "abcd", "dcba", "aBcd16b"})
                expect_right({.dims = {2, 16, 4, 16},
                        .extents = {16, 4},
                        .axis = axis,
                        .formats = {format, "abcd"},
                        .dst_format = dst_format});
}

TEST(concat, takes_parts_of_tensors) {
    for (const dnnl_dim_t channels : {1, 2, 11, 16, 32})
        for (const char *tag : {"abcd", "acdb", "aBcd8b", "aBcd16b"}) {
            const dims_t dims{2, channels, 5, 3}, both{2, 2 * channels, 5, 3};
            const auto formats = part_formats(dims, tag), dst_formats = part_formats(both, tag);
            for (size_t i = 0; i < formats.size(); ++i)
                expect_right({.dims = dims,
                        .extents = {channels, channels},
                        .formats = {formats[i], formats[(i + 1) % formats.size()]},
                        .dst_format = dst_formats[i % dst_formats.size()]});
        }
}

// Runs of 4 KiB and more, whose parts of dst are aligned or not, with and without a remainder.
TEST(concat, joins_long_runs) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        for (const auto &extents : {std::vector<dnnl_dim_t>{4096, 8192}, {40000, 4096, 5000}})
            for (const int axis : {0, 1})
                for (const char *format : {"ab", "ab+64"}) {
                    problem_t p{.dims = {0, 0},
                            .extents = extents,
                            .axis = axis,
                            .type = type,
                            .dst_type = type};
                    p.dims[size_t(1 - axis)] = 3;
                    p.formats = {format};
                    p.dst_format = format;
                    expect_right(p);
                }
}

TEST(concat, joins_many_sources) {
    for (const size_t count : {2, 40, 250}) {
        problem_t p{.dims = {3, 0, 5}, .extents = std::vector<dnnl_dim_t>(count, 2)};
        p.formats = {"abc"};
        expect_right(p);
    }
}

TEST(concat, scales_sources) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_u8})
        for (const auto dst_type : {dnnl_f32, dnnl_s8})
            for (const bool is_on_host : {false, true})
                for (const char *format : {"abc", "acb", "aBc8b"}) {
                    problem_t p{.dims = {3, 0, 21},
                            .type = type,
                            .dst_type = dst_type,
                            .formats = {format},
                            .dst_format = format};
                    p.scales = {scale_attr_t{0.5, dnnl_f32, is_on_host}};
                    expect_right(p);
                    p.scales = {std::nullopt, scale_attr_t{-1.25, dnnl_f32, is_on_host}};
                    expect_right(p);
                    p.scales[0] = scale_attr_t{2, dnnl_bf16, is_on_host};
                    expect_right(p);
                }
}

/// Descriptors of sources that are equal, since they differ along axes of one element alone, lead
/// to different layouts of dst, and to different primitives.
TEST(concat, follows_the_order_of_axes_of_one_element) {
    for (const char *format : {"abc", "bac", "cab", "abc"})
        expect_right({.dims = {3, 1, 1}, .extents = {2, 4}, .axis = 2, .formats = {format}});
}

TEST(concat, has_the_same_bits_for_any_number_of_threads) {
    for (const int axis : {0, 2})
        for (const auto &formats :
                {std::vector<std::string>{"abc"}, {"abc", "acb"}, {"aBc16b", "abc"}}) {
            expect_same_bits_for_any_number_of_threads([&] {
                return case_t({.dims = {40, 40, 40},
                                      .extents = {35, 31, 27},
                                      .axis = axis,
                                      .formats = formats},
                        0);
            });
        }
}

/// A tensor and the parts of it that are sources at the same time.
TEST(concat, leaves_sources_that_lie_in_dst) {
    struct {
        const char *format;
        int axis;
        std::vector<dnnl_dim_t> extents;
    } const rows[]{{"abc", 1, {5, 4, 3}}, {"abc", 0, {2, 1, 3}}, {"acb", 1, {16, 1, 7}},
            {"aBc16b", 1, {16, 32, 5}}, {"aBc8b", 1, {8, 8, 4}}, {"aBc16b", 2, {2, 3, 5}}};
    for (const auto &row : rows)
        for (unsigned in_place = 0; in_place < 8; ++in_place) {
            problem_t p{.dims = {3, 37, 9}, .extents = row.extents, .axis = row.axis};
            p.formats = {row.format};
            p.dst_format = row.format;
            const auto axis = static_cast<size_t>(row.axis);
            const dims_t dims = p.dst_dims();
            const auto whole = make_desc(dims, dnnl_f32, row.format);
            const auto values = values_of(dims, dnnl_f32, 9);
            tensor_t dst(whole);
            dst.fill(values);
            void *buffer;
            require(dnnl_memory_get_data_handle(dst.memory(), &buffer), "buffer");
            // What does not lie in place is copied from another tensor, and overwrites marks.
            tensor_t other(whole);
            other.fill(values);
            void *other_buffer;
            require(dnnl_memory_get_data_handle(other.memory(), &other_buffer), "buffer");
            std::vector<memory_desc_handle_t> descs;
            std::vector<const_dnnl_memory_desc_t> handles;
            std::vector<memory_handle_t> memories(p.count());
            arguments_t arguments;
            dims_t offsets(dims.size(), 0);
            std::vector<double> given = values;
            for (size_t i = 0; i < p.count(); ++i) {
                dnnl_dims_t part{}, begin{};
                const dims_t extents = p.dims_of(p.extents[i]);
                std::copy(extents.begin(), extents.end(), part);
                std::copy(offsets.begin(), offsets.end(), begin);
                handles.push_back(nullptr);
                descs.emplace_back();
                require(dnnl_memory_desc_create_submemory(descs.back().out(), whole, part, begin),
                        "submemory");
                handles.back() = descs.back();
                const bool is_in_place = (in_place >> i & 1) != 0;
                require(dnnl_memory_create(memories[i].out(), descs.back(), cpu_engine(),
                                is_in_place ? buffer : other_buffer),
                        "memory");
                if (!is_in_place) {
                    size_t place = 0;
                    for_each_index(dims, [&](const dims_t &index) {
                        if (index[axis] >= offsets[axis]
                                && index[axis] < offsets[axis] + extents[axis])
                            given[place] = -1000;
                        ++place;
                    });
                }
                arguments.add(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), memories[i]);
                offsets[axis] += p.extents[i];
            }
            dst.fill(given);
            arguments.add(DNNL_ARG_DST, dst.memory());
            primitive_desc_handle_t pd;
            require(dnnl_concat_primitive_desc_create(pd.out(), cpu_engine(), whole,
                            static_cast<int>(p.count()), p.axis, handles.data(), nullptr),
                    "concat");
            do {
                dst.fill(given);
                ASSERT_EQ(arguments.execute(make_primitive(pd)), dnnl_success);
                EXPECT_EQ(dst.values(), other.values())
                        << row.format << " " << row.axis << " " << in_place;
                EXPECT_TRUE(dst.is_tidy());
            } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
        }
}

TEST(concat, goes_by_nests_unless_types_or_scales_forbid_it) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](const problem_t &p) { return implementations(p).front(); };
    for (const char *format : {"abc", "acb", "abc*2", "aBc16b", "aBc8b"})
        for (const char *dst_format : {"any", "abc", "acb", "abc*2", "aBc16b"})
            EXPECT_EQ(best({.formats = {format}, .dst_format = dst_format}), "jit:nests")
                    << format << " " << dst_format;
    EXPECT_EQ(best({.type = dnnl_bf16, .dst_type = dnnl_s8}), "jit:nests");
    EXPECT_EQ(best({.scales = {scale_attr_t{0.5}}}), "jit:reorders");
    EXPECT_EQ(best({.type = dnnl_f64, .dst_type = dnnl_f64}), "ref:any");
}

} // namespace

} // namespace kiln::test::concat

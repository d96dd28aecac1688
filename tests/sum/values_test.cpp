// SPDX-License-Identifier: Apache-2.0
// Sums against long double: every implementation, number of sources, type and kind of layout; in
// place, padding, the same bits for any number of threads.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/random_values.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::sum {

namespace {

struct problem_t {
    dims_t dims = {3, 37};
    std::vector<dnnl_data_type_t> types = {dnnl_f32, dnnl_f32};
    std::vector<std::string> formats = {"", ""};
    std::vector<float> scales = {0.25f, 2};
    dnnl_data_type_t dst_type = dnnl_f32;
    std::string dst_format = "any";
    int in_place = -1; // the source whose memory dst takes
};

std::string to_string(const problem_t &p) {
    std::string text = test::to_string(p.dims) + ":";
    for (size_t i = 0; i < p.types.size(); ++i)
        text += std::string(" ") + dnnl_dt2str(p.types[i]) + ":" + p.formats[i] + "*"
                + std::to_string(p.scales[i]);
    text += std::string(" to ") + dnnl_dt2str(p.dst_type) + ":" + p.dst_format;
    return p.in_place < 0 ? text : text + " in place of src_" + std::to_string(p.in_place);
}

/// `count` sources of one type and format.
problem_t alike(size_t count, dnnl_data_type_t type = dnnl_f32, const std::string &format = "") {
    problem_t p;
    p.types.assign(count, type);
    p.formats.assign(count, format);
    p.scales.clear();
    for (size_t i = 0; i < count; ++i) p.scales.push_back(1.5f - static_cast<float>(i));
    p.dst_type = type;
    return p;
}

primitive_desc_handle_t describe(const problem_t &p, size_t implementation = 0) {
    std::vector<memory_desc_handle_t> srcs;
    std::vector<const_dnnl_memory_desc_t> handles;
    for (size_t i = 0; i < p.types.size(); ++i)
        handles.push_back(srcs.emplace_back(make_desc(p.dims, p.types[i], p.formats[i])));
    primitive_desc_handle_t pd;
    require(dnnl_sum_primitive_desc_create(pd.out(), cpu_engine(),
                    make_desc(p.dims, p.dst_type, p.dst_format), static_cast<int>(srcs.size()),
                    p.scales.data(), handles.data(), nullptr),
            to_string(p));
    skip_implementations(pd, implementation);
    return pd;
}

class case_t : public problem_case_t<problem_t> {
public:
    case_t(const problem_t &p, size_t implementation,
            placement_t placement = placement_t::ends_at_guard)
        : problem_case_t(p, implementation, placement) {
        for (size_t i = 0; i < p.types.size(); ++i) {
            const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
            add_input(arg, "src_" + std::to_string(i),
                    random_elements(p.types[i], volume(p.dims), i + 1, 20, 20));
            sources_.push_back(tensor(arg).values());
        }
        add_output(DNNL_ARG_DST, "dst", p.in_place >= 0, DNNL_ARG_MULTIPLE_SRC + p.in_place);
        bindings().add_scratchpad(primitive_desc());
    }

    /// A rounding of each partial sum.
    std::vector<expected_t> expected() const override {
        const bool has_f64 =
                std::find(p_.types.begin(), p_.types.end(), dnnl_f64) != p_.types.end();
        const double u = arithmetic_roundoff({has_f64 ? dnnl_f64 : dnnl_f32, p_.dst_type});
        std::vector<interval_t> truth;
        for (size_t at = 0; at < sources_.front().size(); ++at) {
            long double sum = 0, magnitude = 0;
            for (size_t i = 0; i < sources_.size(); ++i) {
                const long double term = static_cast<long double>(p_.scales[i]) * sources_[i][at];
                sum += term;
                magnitude += std::fabs(term);
            }
            const auto roundings = static_cast<long double>(sources_.size());
            truth.push_back(interval_t::around(sum, roundings * u * magnitude));
        }
        return {{DNNL_ARG_DST, "dst", truth}};
    }

private:
    std::vector<std::vector<double>> sources_;
};

void expect_right(const problem_t &p) { expect_right_everywhere<case_t>(p); }

constexpr dnnl_data_type_t types[]{
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_s32, dnnl_s8, dnnl_u8};

TEST(sum, is_right_for_every_triple_of_types) {
    for (const auto type_0 : types)
        for (const auto type_1 : types)
            for (const auto dst_type : types)
                expect_right({.types = {type_0, type_1}, .dst_type = dst_type});
    expect_right({.types = {dnnl_f64, dnnl_f32}, .dst_type = dnnl_f64});
}

TEST(sum, is_right_for_any_number_of_sources) {
    for (const size_t count : {1, 2, 3, 5, 7, 16, 23, 24, 47, 60, 100})
        for (const auto type : {dnnl_f32, dnnl_s8}) {
            problem_t p = alike(count, type);
            p.dst_type = dnnl_f32;
            expect_right(p);
        }
    expect_right(alike(318));
}

TEST(sum, is_right_for_many_sources_of_any_types_and_layouts) {
    const char *formats[] = {"abc", "acb", "aBc8b", "aBc16b", "abc+3", "abc*2"};
    for (const size_t count : {24, 47, 100})
        for (const auto type : types) {
            problem_t p = alike(count, type);
            p.dims = {2, 21, 3};
            for (const auto dst_type : {type, dnnl_f32}) {
                p.dst_type = dst_type;
                expect_right(p);
            }
            for (size_t i = 0; i < count; ++i) {
                p.types[i] = types[i % std::size(types)];
                p.formats[i] = formats[i % std::size(formats)];
                p.scales[i] = 0.125f * static_cast<float>(i % 5) - 0.25f;
            }
            for (const char *dst_format : {"any", "abc", "aBc16b"}) {
                p.dst_type = type;
                p.dst_format = dst_format;
                expect_right(p);
            }
        }
    problem_t doubles = alike(24);
    doubles.types[23] = dnnl_f64;
    expect_right(doubles);
}

TEST(sum, is_right_for_rows_of_any_length) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        for (dnnl_dim_t cols = 1; cols <= 150; cols += cols < 35 ? 1 : 13) {
            problem_t p = alike(3, type, "ab+3");
            p.dims = {2, cols};
            p.dst_format = "ab+3";
            expect_right(p);
        }
    expect_right({.dims = {2, 16385}});
    expect_right({.dims = {35000}});
}

TEST(sum, takes_any_layouts) {
    const char *formats[] = {"abcd", "acdb", "dcba", "abcd+3", "abcd*2", "aBcd8b", "aBcd16b"};
    for (const dnnl_dim_t channels : {1, 5, 16})
        for (const char *format_0 : formats)
            for (const char *format_1 : formats)
                for (const char *dst_format : {"any", "abcd", "aBcd16b"})
                    expect_right({.dims = {2, channels, 2, 3},
                            .formats = {format_0, format_1},
                            .dst_format = dst_format});
    expect_right({.dims = {2, 16, 2, 3},
            .types = {dnnl_f32, dnnl_s8, dnnl_bf16, dnnl_f32},
            .formats = {"abcd", "acdb", "aBcd8b", "dcba"},
            .scales = {1, 2, 3, 4}});
}

TEST(sum, takes_parts_of_tensors) {
    for (const dnnl_dim_t channels : {1, 2, 11, 16, 32}) {
        const dims_t dims{2, channels, 5, 3};
        for (const char *tag : {"abcd", "acdb", "aBcd8b", "aBcd16b"}) {
            const auto formats = part_formats(dims, tag);
            for (size_t i = 0; i < formats.size(); ++i)
                expect_right({.dims = dims,
                        .formats = {formats[i], formats[(i + 1) % formats.size()]},
                        .dst_format = formats[(i + 2) % formats.size()]});
        }
    }
}

TEST(sum, works_in_place_of_any_source) {
    for (const char *format : {"abc", "acb", "aBc16b", "abc+3"})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const int source : {0, 1, 2}) {
                problem_t p = alike(3, type, format);
                p.dims = {2, 21, 13};
                p.dst_format = format;
                p.in_place = source;
                expect_right(p);
            }
}

TEST(sum, of_many_sources_works_in_place_of_any) {
    for (const size_t count : {24, 47, 100})
        for (const auto type : types)
            for (const char *format : {"abc", "aBc16b"})
                for (const size_t source : {size_t(0), size_t(23), count - 1}) {
                    problem_t p = alike(count, type, format);
                    p.dims = {2, 21, 3};
                    p.dst_format = format;
                    p.in_place = static_cast<int>(source);
                    expect_right(p);
                }
}

TEST(sum, of_no_elements_does_nothing) {
    expect_right({.dims = {3, 0}});
    problem_t p = alike(24);
    p.dims = {3, 0};
    expect_right(p);
}

TEST(sum, has_the_same_bits_for_any_number_of_threads) {
    for (const dims_t &dims : {dims_t{150, 500}, dims_t{1, 70003}, dims_t{7003, 9}}) {
        for (const size_t count : {4, 24}) {
            problem_t p = alike(count, dnnl_f32);
            p.dims = dims;
            expect_same_bits_for_any_number_of_threads([&] { return case_t(p, 0); });
        }
    }
}

TEST(sum, reads_elements_that_repeat) {
    for (const char *format : {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "dcba/cd", "abcd/abcd"})
        for (const char *dst_format : {"any", "abcd", "acdb", "aBcd16b"})
            expect_right({.dims = {2, 16, 2, 3},
                    .formats = {format, "abcd", format},
                    .dst_format = dst_format});
}

TEST(sum, goes_by_rows_unless_layouts_types_or_sources_forbid_it) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](const problem_t &p) { return implementations(p).front(); };
    const dims_t dims{4, 21, 3, 5};
    for (const char *format : {"abcd", "acdb", "abcd+3", "aBcd8b", "ABcd16b16a"})
        EXPECT_EQ(best({.dims = dims, .formats = {format, format}}), "jit:rows") << format;
    EXPECT_EQ(best(alike(23)), "jit:rows");
    for (const size_t count : {24, 47, 100, 318})
        for (const auto type : types)
            EXPECT_EQ(best(alike(count, type)), "jit:passes") << count << dnnl_dt2str(type);
    for (const char *format : {"ab*2", "ba"}) {
        problem_t unlike = alike(24);
        unlike.formats[23] = format;
        EXPECT_EQ(best(unlike), "jit:passes") << format;
    }
    problem_t doubles = alike(24);
    doubles.types[23] = dnnl_f64;
    EXPECT_EQ(best(doubles), "ref:any");
    EXPECT_EQ(best({.types = {dnnl_f64, dnnl_f32}}), "ref:any");
    EXPECT_EQ(best({.dims = dims, .formats = {"abcd", "acdb"}}), "jit:rows");
    EXPECT_EQ(best({.dims = dims, .formats = {"abcd", "dcba"}}), "jit:relaid"); // runs of 4 rows
    EXPECT_EQ(best({.dims = dims, .formats = {"abcd", "abcd*2"}}), "jit:strided_rows");
    EXPECT_EQ(
            best({.dims = dims, .formats = {"dcba", "acdb"}, .dst_format = "abcd"}), "jit:relaid");
}

} // namespace

} // namespace kiln::test::sum

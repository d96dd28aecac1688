// SPDX-License-Identifier: Apache-2.0
// Reductions of vectors, on every ISA the machine has, with whole numbers, whose sums are exact in
// any order.
#include "cpu/x64/jit/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "unit/jit/block.hpp"

namespace kiln::x64::jit::test {

namespace {

class jit_reduction : public jit_block, public ::testing::WithParamInterface<isa_t> {
protected:
    jit_reduction()
        : jit_block(GetParam()) {}

    using reduce_t = void (*)(generator_t &, const Xbyak::Xmm &);
    using reduce_together_t = void (*)(generator_t &, std::span<const vec_t>);

    using result_t = std::function<float(std::span<const float> vec)>;

    /// Vectors side by side; `result` is what shall become of each.
    void check_together(reduce_together_t reduce, const result_t &result) const {
        for (const int count : {1, 2, 4}) {
            const auto code = compile([&](generator_t &g, const operands_t &o) {
                lanes_io_t io(g);
                std::vector<vec_t> vecs;
                for (int i = 0; i < count; ++i) {
                    vecs.push_back(g.vec("summed"));
                    io.load(vecs.back(), dnnl_f32, o.src + i * lanes() * int(sizeof(float)),
                            lanes());
                }
                reduce(g, vecs);
                io.store(vecs.front(), dnnl_f32, o.dst, lanes());
            });
            std::mt19937 generator(1);
            std::uniform_int_distribution<int> whole(-100000, 100000);
            for (int trial = 0; trial < 1000; ++trial) {
                std::vector<float> src, expected;
                for (int i = 0; i < count * lanes(); ++i)
                    src.push_back(static_cast<float>(whole(generator)));
                for (int i = 0; i < count; ++i)
                    expected.push_back(result(std::span(src).subspan(
                            static_cast<size_t>(i * lanes()), static_cast<size_t>(lanes()))));
                std::vector<float> dst = vector_of(0);
                run(code, src.data(), dst.data());
                dst.resize(static_cast<size_t>(count));
                ASSERT_EQ(dst, expected) << count;
            }
        }
    }

    void check(reduce_t reduce, const std::function<double(double, double)> &combine) const {
        for (const int in_use : register_pressures()) {
            const auto code = compile(
                    [&](generator_t &g, const operands_t &o) {
                        lanes_io_t io(g);
                        io.load(o.vec, dnnl_f32, o.src, lanes());
                        reduce(g, o.vec);
                        io.store(o.vec, dnnl_f32, o.dst, lanes());
                    },
                    in_use);
            std::mt19937 generator(1);
            std::uniform_int_distribution<int> whole(-100000, 100000);
            for (int trial = 0; trial < 1000; ++trial) {
                std::vector<float> src = vector_of(0);
                // First one lane after another alone, then all of them.
                for (int i = 0; i < lanes(); ++i)
                    src[size_t(i)] = trial < lanes() ? static_cast<float>(i == trial)
                                                     : static_cast<float>(whole(generator));
                const double expected =
                        std::accumulate(src.begin() + 1, src.end(), double(src[0]), combine);
                std::vector<float> dst = vector_of(0);
                run(code, src.data(), dst.data());
                for (const float found : dst) ASSERT_EQ(double(found), expected) << trial;
            }
        }
    }
};

TEST_P(jit_reduction, sums_all_lanes) { check(reduce_sum, std::plus<>()); }

TEST_P(jit_reduction, finds_the_greatest_and_the_least_lane) {
    check(reduce_max, [](double a, double b) { return std::max(a, b); });
    check(reduce_min, [](double a, double b) { return std::min(a, b); });
}

TEST_P(jit_reduction, finds_a_nan_in_any_lane_of_either_vector) {
    const auto code = compile([&](generator_t &g, const operands_t &o) {
        lanes_io_t io(g);
        lane_condition_t found(g);
        const vec_t other = g.vec("other");
        const int bytes = lanes() * int(sizeof(float));
        for (int pair = 0; pair < 2; ++pair) {
            io.load(o.vec, dnnl_f32, o.src + 2 * pair * bytes, lanes());
            io.load(other, dnnl_f32, o.src + (2 * pair + 1) * bytes, lanes());
            found.add({g, o.vec, comparison_t::unordered, *other});
        }
        io.load(o.vec, dnnl_f32, o.src, lanes());
        Xbyak::Label end;
        found.jump_if_none(end);
        g.broadcast(other, std::numeric_limits<float>::quiet_NaN());
        g.L(end);
        io.store(other, dnnl_f32, o.dst, lanes());
    });
    const auto count = static_cast<size_t>(4 * lanes());
    std::vector<float> src(count, std::numeric_limits<float>::infinity()), dst = vector_of(0);
    run(code, src.data(), dst.data());
    EXPECT_EQ(dst, std::vector<float>(src.begin(), src.begin() + lanes()));
    for (size_t at = 0; at < count; ++at) {
        src[at] = std::numeric_limits<float>::quiet_NaN();
        run(code, src.data(), dst.data());
        for (const float found : dst) EXPECT_TRUE(std::isnan(found)) << at;
        src[at] = -1;
    }
}

TEST_P(jit_reduction, sums_all_lanes_of_several_vectors) {
    check_together(reduce_sums, [](std::span<const float> vec) {
        return std::accumulate(vec.begin(), vec.end(), 0.f);
    });
}

TEST_P(jit_reduction, reduces_groups_of_adjacent_lanes) {
    using reduce_groups_t = void (*)(generator_t &, std::span<const vec_t>, int);
    using combine_t = float (*)(float, float);
    const std::pair<reduce_groups_t, combine_t> rows[] = {
            {reduce_sums_of_groups, [](float a, float b) { return a + b; }},
            {reduce_maxima_of_groups, [](float a, float b) { return std::max(a, b); }}};
    constexpr int count = 4;
    for (const auto &[reduce, combine] : rows)
        for (int group = 1; group <= 2 * lanes(); group *= 2) {
            const auto code = compile([&, reduce = reduce](generator_t &g, const operands_t &o) {
                lanes_io_t io(g);
                const auto at = [&](const Xbyak::Reg64 &base, int i) {
                    return base + i * lanes() * int(sizeof(float));
                };
                std::vector<vec_t> vecs;
                for (int i = 0; i < count; ++i)
                    io.load(vecs.emplace_back(g.vec("x")), dnnl_f32, at(o.src, i), lanes());
                reduce(g, vecs, group);
                for (int i = 0; i < count; ++i)
                    io.store(vecs[size_t(i)], dnnl_f32, at(o.dst, i), lanes());
            });
            std::vector<float> src(size_t(count * lanes())), dst(src.size()), expected;
            for (size_t i = 0; i < src.size(); ++i) src[i] = float(i * 37 % 101) - 50;
            for (size_t i = 0; i < src.size(); ++i) {
                const auto first = src.begin() + std::ptrdiff_t(i - i % size_t(group));
                expected.push_back(
                        std::accumulate(first + 1, first + group, float(*first), combine));
            }
            run(code, src.data(), dst.data());
            EXPECT_EQ(dst, expected) << group;
        }
}

TEST_P(jit_reduction, picks_from_the_lowest_four_lanes_of_several_vectors) {
    check_together(pick_from_quarters, [](std::span<const float> vec) {
        return std::min(std::max(vec[0], vec[2]), std::max(vec[1], vec[3]));
    });
}

INSTANTIATE_TEST_SUITE_P(each, jit_reduction, ::testing::ValuesIn(levels),
        [](const auto &info) { return std::string(isa_name(info.param)); });

} // namespace

} // namespace kiln::x64::jit::test

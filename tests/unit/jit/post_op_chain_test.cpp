// SPDX-License-Identifier: Apache-2.0
// Generated chains of post-ops on every ISA the machine has: each operand type, one element or one
// a lane, full and partial vectors, against scalar definitions.
#include "cpu/x64/jit/post_op_chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "common/attributes/alg_kind.hpp"
#include "cpu/x64/jit/math/eltwise.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "support/guarded_buffer.hpp"
#include "unit/jit/binary_model.hpp"
#include "unit/jit/block.hpp"
#include "unit/jit/element_model.hpp"
#include "unit/jit/post_op_links.hpp"

namespace kiln::x64::jit::test {

namespace {

constexpr placement_t placements[] = {placement_t::ends_at_guard, placement_t::begins_at_guard};
constexpr int max_operands = 8;

struct chain_arguments_t {
    const float *values;
    const void *operands[max_operands];
};

/// Ordinary values and those that need care; whole numbers often, so that some are equal.
std::vector<float> some_values(int count, std::mt19937 &generator) {
    const float specials[] = {std::numeric_limits<float>::infinity(),
            -std::numeric_limits<float>::infinity(), std::nanf(""), 1e-40f, 1e38f, 0.f, -0.f};
    std::vector<float> values;
    for (int i = 0; i < count; ++i) switch (generator() % 3) {
        case 0: values.push_back(specials[generator() % std::size(specials)]); break;
        case 1: values.push_back(float(int(generator() % 7) - 3)); break;
        default: values.push_back(std::uniform_real_distribution<float>(-300, 300)(generator));
        }
    return values;
}

/// An operand's elements at an unmapped page, no more of them than may be read.
class operand_t {
public:
    operand_t(post_op_operand_t spec, int lanes, placement_t placement)
        : spec_(spec)
        , count_(spec.per_lane ? lanes : 1)
        , size_(model_size(spec.type))
        , buffer_(size_t(count_) * size_t(size_), placement) {}

    void fill(std::mt19937 &generator) {
        const auto values = some_values(count_, generator);
        for (int i = 0; i < count_; ++i)
            write_code(
                    buffer_.data(), size_t(i), size_, model_store(spec_.type, values[size_t(i)]));
    }
    const void *data() const { return buffer_.data(); }
    float at(int lane) const {
        return model_load(
                spec_.type, read_code(buffer_.data(), spec_.per_lane ? size_t(lane) : 0, size_));
    }

private:
    post_op_operand_t spec_;
    int count_;
    int size_;
    guarded_buffer_t buffer_;
};

/// What makes a program differ from the plain one.
struct conditions_t {
    bool few_registers = false;
    std::vector<int> *asked = nullptr; // the operands in the order the address was asked for
};

class jit_post_op_chain : public jit_block, public ::testing::WithParamInterface<isa_t> {
protected:
    jit_post_op_chain()
        : jit_block(GetParam()) {}

    using links_t = std::vector<post_op_link_t>;

    /// Applies the chain to `count` values and stores the whole register.
    executable_code_t compile_chain(
            const links_t &links, int count, const conditions_t &conditions = {}) const {
        return compile([&](generator_t &g, const operands_t &o) {
            lanes_io_t io(g);
            if (count < lanes()) io.prepare_tail(count);
            const gpr_t at = g.gpr("address");
            g.mov(*at, g.ptr[o.src + offsetof(chain_arguments_t, values)]);
            io.load(o.vec, dnnl_f32, *at, count);
            std::vector<vec_t> vecs;
            std::vector<mask_t> masks;
            if (conditions.few_registers) {
                while (g.free_vecs() > post_op_temporaries(links)) vecs.push_back(g.vec("taken"));
                const int left = 7 - (count < lanes()) - max_post_op_masks;
                for (int i = 0; g.has_avx512() && i < left; ++i) masks.push_back(g.mask("taken"));
            }
            const int free_before = g.free_vecs();
            post_op_chain_t(g, io, links).apply(o.vec, count, [&](int operand) {
                if (conditions.asked) conditions.asked->push_back(operand);
                // One register serves all operands: an address holds until the next one.
                g.mov(*at, g.ptr[o.src + offsetof(chain_arguments_t, operands) + 8 * operand]);
                return Xbyak::RegExp(*at);
            });
            EXPECT_EQ(g.free_vecs(), free_before);
            io.store(o.vec, dnnl_f32, o.dst, lanes());
        });
    }

    /// Runs a chain of binary links on values of all sorts and compares each lane that means
    /// something.
    void check_binary_chain(
            const links_t &links, int count, const conditions_t &conditions = {}) const {
        const auto code = compile_chain(links, count, conditions);
        for (const placement_t placement : placements) {
            std::vector<operand_t> operands;
            for (const post_op_operand_t &operand : operands_of(links))
                operands.emplace_back(operand, count, placement);
            for (uint32_t seed = 0; seed < 8; ++seed) {
                std::mt19937 generator(seed);
                chain_arguments_t arguments{};
                const auto values = some_values(count, generator);
                arguments.values = values.data();
                for (size_t i = 0; i < operands.size(); ++i) {
                    operands[i].fill(generator);
                    arguments.operands[i] = operands[i].data();
                }
                std::vector<float> dst = vector_of(0);
                run(code, &arguments, dst.data());
                for (int lane = 0; lane < count; ++lane)
                    check_lane(links, operands, values[size_t(lane)], lane, dst[size_t(lane)]);
                if (HasFatalFailure()) FAIL() << "count " << count << ", seed " << seed;
            }
        }
    }

    static void check_lane(const links_t &links, const std::vector<operand_t> &operands,
            float value, int lane, float actual) {
        float expected = value;
        size_t index = 0;
        std::string text;
        for (const post_op_link_t &link : links) {
            const float src1 = operands[index].at(lane);
            const float condition = link.operands.size() == 2 ? operands[index + 1].at(lane) : 0;
            index += link.operands.size();
            text += link.is_prelu ? " prelu " : " " + binary_name(link.alg) + " ";
            text += std::to_string(src1);
            if (link.is_prelu && link.is_derivative)
                expected = expected > 0 ? 1 : src1;
            else if (!link.is_prelu || !(expected > 0))
                expected = model_binary(link.alg, expected, src1, condition);
        }
        ASSERT_TRUE(is_model_result(links.back().alg, actual, expected))
                << value << text << " gave " << actual << ", not " << expected << ", in lane "
                << lane;
    }

    std::vector<int> counts() const {
        std::vector<int> all(size_t(lanes()), 0);
        std::iota(all.begin(), all.end(), 1);
        return all;
    }
};

// --- One link -----------------------------------------------------------------------------------

TEST_P(jit_post_op_chain, applies_every_binary_algorithm_with_operands_of_every_type) {
    for (const auto alg : binary_algorithms())
        for (const auto type : types)
            for (const bool per_lane : {false, true})
                for (const int count : counts()) {
                    SCOPED_TRACE(binary_name(alg) + " " + dnnl_dt2str(type)
                                 + (per_lane ? " per lane" : " broadcast"));
                    ASSERT_NO_FATAL_FAILURE(
                            check_binary_chain({binary_link(alg, {type, per_lane})}, count));
                }
}

TEST_P(jit_post_op_chain, applies_slopes_of_every_type_below_zero_and_their_derivatives) {
    for (const auto type : types)
        for (const bool per_lane : {false, true})
            for (const bool is_derivative : {false, true})
                for (const int count : counts()) {
                    SCOPED_TRACE(std::string(dnnl_dt2str(type))
                                 + (per_lane ? " per lane" : " broadcast"));
                    post_op_link_t link = binary_link(dnnl_binary_mul, {type, per_lane});
                    link.is_prelu = true;
                    link.is_derivative = is_derivative;
                    ASSERT_NO_FATAL_FAILURE(check_binary_chain({link}, count));
                }
}

TEST_P(jit_post_op_chain, selects_by_conditions_of_every_type_whatever_the_source_is) {
    for (const auto type : types)
        for (const bool source_per_lane : {false, true})
            for (const bool condition_per_lane : {false, true})
                for (const int count : counts()) {
                    SCOPED_TRACE(dnnl_dt2str(type));
                    const post_op_link_t link{.alg = dnnl_binary_select,
                            .operands = {{dnnl_bf16, source_per_lane}, {type, condition_per_lane}}};
                    ASSERT_NO_FATAL_FAILURE(check_binary_chain({link}, count));
                }
}

TEST_P(jit_post_op_chain, applies_every_eltwise_algorithm_as_the_word_itself_does) {
    std::mt19937 generator(1);
    int known = 0;
    for (int value = 0; value < 0x100000; ++value) {
        const auto alg = static_cast<alg_kind_t>(value);
        if (!is_eltwise_alg(alg)) continue;
        ++known;
        const auto alone = compile([&](generator_t &g, const operands_t &o) {
            lanes_io_t io(g);
            io.load(o.vec, dnnl_f32, o.src, lanes());
            eltwise(g, alg, 0.3f, 1.7f, o.vec);
            io.store(o.vec, dnnl_f32, o.dst, lanes());
        });
        const auto values = some_values(lanes(), generator);
        std::vector<float> expected = vector_of(0);
        run(alone, values.data(), expected.data());
        for (const int count : counts()) {
            const auto chain = compile_chain({eltwise_link(alg, 0.3f, 1.7f)}, count);
            chain_arguments_t arguments{.values = values.data(), .operands = {}};
            std::vector<float> dst = vector_of(0);
            run(chain, &arguments, dst.data());
            ASSERT_EQ(std::memcmp(dst.data(), expected.data(), size_t(count) * sizeof(float)), 0)
                    << "algorithm " << std::hex << value << " of " << std::dec << count;
        }
    }
    EXPECT_GT(known, 0);
}

double long_chain_model(double x, const std::vector<operand_t> &operands, int lane) {
    x += operands[0].at(lane);
    if (x < 0) x *= 0.25;
    x = std::tanh(x * operands[1].at(lane));
    if (operands[3].at(lane) == 0) x = operands[2].at(lane);
    x = 2 * (x - operands[4].at(lane)) + 1;
    x = std::isnan(x) ? x : std::max(x, double(operands[5].at(lane)));
    return x * x;
}

TEST_P(jit_post_op_chain, applies_its_links_in_order) {
    for (const bool few_registers : {false, true})
        for (const int count : counts()) {
            std::vector<int> asked;
            const auto code = compile_chain(
                    long_chain(), count, {.few_registers = few_registers, .asked = &asked});
            EXPECT_EQ(asked, (std::vector{0, 1, 2, 3, 4, 5}));
            std::vector<operand_t> operands;
            for (const post_op_operand_t &operand : operands_of(long_chain()))
                operands.emplace_back(operand, count, placement_t::ends_at_guard);
            for (uint32_t seed = 0; seed < 50; ++seed) {
                std::mt19937 generator(seed);
                const auto values = some_values(count, generator);
                chain_arguments_t arguments{.values = values.data(), .operands = {}};
                for (size_t i = 0; i < operands.size(); ++i) {
                    operands[i].fill(generator);
                    arguments.operands[i] = operands[i].data();
                }
                std::vector<float> dst = vector_of(0);
                run(code, &arguments, dst.data());
                for (int lane = 0; lane < count; ++lane) {
                    const double truth = long_chain_model(values[size_t(lane)], operands, lane);
                    const float actual = dst[size_t(lane)];
                    if (std::isnan(truth) || std::isinf(truth) || truth > 3e38)
                        EXPECT_TRUE(std::isnan(truth) ? std::isnan(actual) : actual > 3e38f)
                                << actual << ", not " << truth;
                    else
                        EXPECT_NEAR(actual, truth, 1e-5 * (1 + truth)) << "seed " << seed;
                }
            }
        }
}

TEST_P(jit_post_op_chain, rounds_to_float_after_each_link) {
    // In wider arithmetic 2^24 + 1 - 2^24 is 1.
    const post_op_operand_t whole{dnnl_s32, false};
    const auto code = compile_chain(
            {binary_link(dnnl_binary_add, whole), binary_link(dnnl_binary_sub, whole)}, lanes());
    const auto values = vector_of(1);
    const int32_t large = 1 << 24;
    const chain_arguments_t arguments{values.data(), {&large, &large}};
    std::vector<float> dst = vector_of(5);
    run(code, &arguments, dst.data());
    EXPECT_EQ(dst, vector_of(0));
}

TEST_P(jit_post_op_chain, adds_a_sum_s_operand_scaled_behind_its_zero_point) {
    for (const auto type : types)
        for (const bool per_lane : {false, true}) {
            const post_op_link_t sum{.alg = dnnl_binary_add,
                    .alpha = 0.5f,
                    .beta = 3,
                    .operands = {{type, per_lane}},
                    .is_sum = true};
            EXPECT_FALSE(check_post_op(sum));
            const auto code = compile_chain({sum}, lanes(), {.few_registers = true});
            std::mt19937 generator(7);
            operand_t operand({type, per_lane}, lanes(), placement_t::ends_at_guard);
            operand.fill(generator);
            const auto values = vector_of(-1.5f);
            const chain_arguments_t arguments{values.data(), {operand.data()}};
            std::vector<float> dst = vector_of(0);
            run(code, &arguments, dst.data());
            for (int lane = 0; lane < lanes(); ++lane) {
                const float expected = -1.5f + 0.5f * (operand.at(lane) - 3);
                if (std::isnan(expected))
                    EXPECT_TRUE(std::isnan(dst[size_t(lane)]));
                else
                    EXPECT_EQ(dst[size_t(lane)], expected) << dnnl_dt2str(type);
            }
        }
}

TEST_P(jit_post_op_chain, takes_derivatives_where_a_link_says_so) {
    post_op_link_t link = eltwise_link(dnnl_eltwise_square);
    link.is_derivative = true;
    const auto code = compile_chain(
            {link, eltwise_link(dnnl_eltwise_linear, 1, 1)}, lanes(), {.few_registers = true});
    const auto values = vector_of(-1.5f);
    const chain_arguments_t arguments{values.data(), {}};
    std::vector<float> dst = vector_of(0);
    run(code, &arguments, dst.data());
    EXPECT_EQ(dst, vector_of(-2));
}

TEST_P(jit_post_op_chain, does_nothing_without_links) {
    const auto code = compile_chain({}, lanes());
    const auto values = vector_of(-1.5f);
    const chain_arguments_t arguments{values.data(), {}};
    std::vector<float> dst = vector_of(0);
    run(code, &arguments, dst.data());
    EXPECT_EQ(dst, values);
}

// --- Registers ----------------------------------------------------------------------------------

TEST_P(jit_post_op_chain, needs_no_more_registers_than_it_says) {
    for (const auto alg : binary_algorithms())
        for (const auto type : types)
            for (const int count : {1, lanes() - 1, lanes()})
                ASSERT_NO_FATAL_FAILURE(check_binary_chain(
                        {binary_link(alg, {type, true}), binary_link(alg, {type, false})}, count,
                        {.few_registers = true}))
                        << binary_name(alg) << " " << dnnl_dt2str(type);
}

INSTANTIATE_TEST_SUITE_P(each, jit_post_op_chain, ::testing::ValuesIn(levels),
        [](const auto &info) { return isa_name(info.param); });

} // namespace

} // namespace kiln::x64::jit::test

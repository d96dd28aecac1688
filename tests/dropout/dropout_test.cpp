// SPDX-License-Identifier: Apache-2.0
// The dropout attribute, in every operation that honours it: which elements are kept, their values,
// the mask, and what is refused.
#include <array>
#include <cmath>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "support/bindings.hpp"
#include "support/data_type.hpp"
#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/post_ops.hpp"
#include "support/random_values.hpp"

namespace kiln::test {
namespace {

// ---- the truth ----

using words_t = std::array<uint32_t, 4>;

/// Philox 4x32-10, from its definition.
words_t philox(words_t c, std::array<uint32_t, 2> k) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t p = 0xD2511F53ull * c[0], q = 0xCD9E8D57ull * c[2];
        c = {uint32_t(q >> 32) ^ c[1] ^ k[0], uint32_t(q), uint32_t(p >> 32) ^ c[3] ^ k[1],
                uint32_t(p)};
        k = {k[0] + 0x9E3779B9u, k[1] + 0xBB67AE85u};
    }
    return c;
}

struct dropout_t {
    float probability = 0.5f;
    int64_t seed = 12345678, offset = 0;
    bool use_offset = false;
    dnnl_data_type_t seed_type = dnnl_s64;
    bool on_host = false;
    std::string mask_format = "any"; // "none": the mask is not stored
};

/// With an offset, word index % 4 of counter {offset, index / 4 * 4} and key seed. Without, all
/// four neighbours take one word, as in oneDNN.
bool is_kept(const dropout_t &dropout, uint64_t index) {
    const auto seed = static_cast<uint64_t>(dropout.seed);
    const auto offset = dropout.use_offset ? static_cast<uint64_t>(dropout.offset) : 0;
    const uint64_t first = index / 4 * 4;
    const auto x = static_cast<uint32_t>(first), s = static_cast<uint32_t>(seed);
    const uint32_t random =
            offset == 0
                    ? philox({x, x + 1, x, x + 3}, {s, s})[2]
                    : philox({uint32_t(offset), uint32_t(offset >> 32), x, uint32_t(first >> 32)},
                            {s, uint32_t(seed >> 32)})[index % 4];
    return static_cast<double>(random) > 4294967295. * static_cast<double>(dropout.probability);
}

// ---- operations ----

struct problem_t {
    dims_t dims = {5, 37};
    dnnl_data_type_t type = dnnl_f32;
    std::string format = "";
    post_op_chain_t post_ops = {};
};

struct operation_t {
    const char *name;
    std::function<dnnl_status_t(primitive_desc_handle_t &, const problem_t &, dnnl_prop_kind_t,
            const_dnnl_primitive_attr_t)>
            create;
};

const operation_t operations[] = {
        {"eltwise",
                [](primitive_desc_handle_t &pd, const problem_t &p, dnnl_prop_kind_t kind,
                        const_dnnl_primitive_attr_t attr) {
                    const auto md = make_desc(p.dims, p.type, p.format);
                    if (kind == dnnl_backward_data)
                        return dnnl_eltwise_backward_primitive_desc_create(pd.out(), cpu_engine(),
                                dnnl_eltwise_linear, md, md, md, 2, 1, nullptr, attr);
                    return dnnl_eltwise_forward_primitive_desc_create(
                            pd.out(), cpu_engine(), kind, dnnl_eltwise_linear, md, md, 2, 1, attr);
                }},
        {"softmax",
                [](primitive_desc_handle_t &pd, const problem_t &p, dnnl_prop_kind_t kind,
                        const_dnnl_primitive_attr_t attr) {
                    const auto md = make_desc(p.dims, p.type, p.format);
                    if (kind == dnnl_backward_data)
                        return dnnl_softmax_backward_primitive_desc_create(pd.out(), cpu_engine(),
                                dnnl_softmax_log, md, md, md, 1, nullptr, attr);
                    return dnnl_softmax_forward_primitive_desc_create(
                            pd.out(), cpu_engine(), kind, dnnl_softmax_log, md, md, 1, attr);
                }},
};

attr_handle_t make_attr(const problem_t &p, const dropout_t *dropout) {
    attr_handle_t attr = test::make_attr();
    if (!p.post_ops.empty())
        require(dnnl_primitive_attr_set_post_ops(attr, make_post_ops(p.post_ops, p.dims)), "ops");
    if (dropout == nullptr) return attr;
    memory_desc_handle_t none;
    require(dnnl_memory_desc_create_with_strides(none.out(), 0, nullptr, dnnl_f32, nullptr), "md");
    const bool has_mask = dropout->mask_format != "none";
    const auto mask = make_desc(p.dims, dnnl_u8, has_mask ? dropout->mask_format : "");
    require(dnnl_primitive_attr_set_dropout_v2(attr, has_mask ? mask : none, dropout->seed_type,
                    dropout->use_offset, dropout->on_host),
            "dropout");
    return attr;
}

/// Memory of one integer or number in the host's memory or the engine's.
struct value_t {
    value_t(dnnl_data_type_t type, bool on_host, const void *value) {
        std::memcpy(bytes.data(), value, type == dnnl_s64 ? 8 : 4);
        memory_desc_handle_t desc;
        const dnnl_dim_t one = 1;
        if (on_host) {
            require(dnnl_memory_desc_create_host_scalar(desc.out(), type), "host scalar");
            require(dnnl_memory_create_host_scalar(memory.out(), desc, bytes.data()), "memory");
            return;
        }
        require(dnnl_memory_desc_create_with_strides(desc.out(), 1, &one, type, nullptr), "md");
        require(dnnl_memory_create(memory.out(), desc, cpu_engine(), bytes.data()), "memory");
    }
    alignas(8) std::array<std::byte, 8> bytes{};
    memory_handle_t memory;
};

struct values_t {
    explicit values_t(const dropout_t &d)
        : seed32(static_cast<int32_t>(d.seed))
        , probability(dnnl_f32, d.on_host, &d.probability)
        , seed(d.seed_type, d.on_host,
                  d.seed_type == dnnl_s64 ? static_cast<const void *>(&d.seed) : &seed32)
        , offset(dnnl_s64, d.on_host, &d.offset)
        , use_offset(d.use_offset) {}
    arguments_t &add_to(arguments_t &arguments) const {
        arguments.add(DNNL_ARG_ATTR_DROPOUT_PROBABILITY, probability.memory)
                .add(DNNL_ARG_ATTR_DROPOUT_SEED, seed.memory);
        return use_offset ? arguments.add(DNNL_ARG_ATTR_DROPOUT_OFFSET, offset.memory) : arguments;
    }
    int32_t seed32;
    value_t probability, seed, offset;
    bool use_offset;
};

struct result_t {
    std::vector<double> dst, mask;
};

/// What the reference computes, with dropout or without.
result_t execute(const operation_t &operation, const problem_t &p, const dropout_t *dropout) {
    const auto describe = [&] {
        primitive_desc_handle_t pd;
        require(operation.create(pd, p, dnnl_forward_training, make_attr(p, dropout)),
                operation.name);
        return pd;
    };
    const primitive_desc_handle_t pd = describe();
    skip_implementations(pd, implementation_names(describe()).size() - 1);
    bindings_t bindings(placement_t::ends_at_guard);
    bindings.add_input(DNNL_ARG_SRC, "src", chosen_desc(pd, DNNL_ARG_SRC),
            random_values_t(3).many(volume(p.dims), -4, 4));
    bindings.add_output(DNNL_ARG_DST, "dst", chosen_desc(pd, DNNL_ARG_DST));
    const bool has_mask = dropout && dropout->mask_format != "none";
    if (has_mask)
        bindings.add_output(
                DNNL_ARG_ATTR_DROPOUT_MASK, "mask", chosen_desc(pd, DNNL_ARG_ATTR_DROPOUT_MASK));
    bindings.add_scratchpad(pd);
    const post_op_operands_t operands(p.post_ops, pd, bindings, 5);
    arguments_t arguments = bindings.arguments();
    const values_t values(dropout ? *dropout : dropout_t());
    if (dropout) values.add_to(arguments);
    EXPECT_EQ(arguments.execute(make_primitive(pd)), dnnl_success);
    EXPECT_TRUE(bindings.are_intact());
    return {bindings[DNNL_ARG_DST].values(),
            has_mask ? bindings[DNNL_ARG_ATTR_DROPOUT_MASK].values() : std::vector<double>()};
}

std::string to_string(const operation_t &operation, const problem_t &p, const dropout_t &d) {
    return std::string(operation.name) + " " + dnnl_dt2str(p.type) + " " + p.format
           + " probability " + std::to_string(d.probability) + " seed " + std::to_string(d.seed)
           + " offset " + std::to_string(d.offset) + " mask " + d.mask_format;
}

void expect_right(const operation_t &operation, const problem_t &p, const dropout_t &dropout) {
    SCOPED_TRACE(to_string(operation, p, dropout));
    const std::vector<double> plain = execute(operation, p, nullptr).dst;
    const result_t got = execute(operation, p, &dropout);
    const float factor = dropout.probability == 1 ? 0 : 1.f / (1.f - dropout.probability);
    for (size_t i = 0; i < plain.size(); ++i) {
        const bool kept = is_kept(dropout, i);
        const double value = kept ? plain[i] * static_cast<double>(factor) : 0;
        // `plain` is rounded, what is scaled is not.
        ASSERT_NEAR(got.dst[i], value, 0x1p-23 * std::fabs(value)) << "element " << i;
        if (!got.mask.empty()) {
            ASSERT_EQ(got.mask[i], kept ? 1 : 0) << "element " << i;
        }
    }
}

// ---- tests ----

// The vectors that the authors of the generator publish (Random123, kat_vectors).
TEST(dropout, truth_knows_the_generator) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (words_t{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (words_t{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (words_t{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(dropout, keeps_and_scales_elements_for_every_probability_seed_and_offset) {
    for (const operation_t &operation : operations)
        for (const float probability : {0.f, 0.1f, 0.5f, 0.75f, 1.f})
            for (const int64_t seed : {int64_t{0}, int64_t{843921}, int64_t{-5}, int64_t{1} << 40})
                for (const int64_t offset :
                        {int64_t{0}, int64_t{1}, int64_t{1238976}, int64_t{1} << 45})
                    expect_right(operation, {},
                            {.probability = probability,
                                    .seed = seed,
                                    .offset = offset,
                                    .use_offset = offset != 0});
}

TEST(dropout, takes_its_values_from_any_memory) {
    for (const operation_t &operation : operations)
        for (const bool on_host : {false, true})
            for (const bool use_offset : {false, true})
                for (const dnnl_data_type_t type : {dnnl_s32, dnnl_s64})
                    for (const int64_t seed : {7, -7})
                        expect_right(operation, {},
                                {.seed = seed,
                                        .offset = 3,
                                        .use_offset = use_offset,
                                        .seed_type = type,
                                        .on_host = on_host});
}

TEST(dropout, numbers_elements_alike_in_every_layout) {
    for (const operation_t &operation : operations)
        for (const char *format : {"", "abcd", "acdb", "aBcd8b", "abcd+3"})
            for (const char *mask_format : {"any", "none", "abcd", "dcba", "aBcd16b"})
                for (const bool use_offset : {false, true})
                    expect_right(operation, {.dims = {2, 11, 3, 5}, .format = format},
                            {.offset = 9, .use_offset = use_offset, .mask_format = mask_format});
}

TEST(dropout, results_are_of_every_type) {
    for (const operation_t &operation : operations)
        for (const auto type : {dnnl_f64, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_s32}) {
            if (is_integer(type) && std::strcmp(operation.name, "eltwise") != 0) continue;
            const problem_t p{.type = type};
            const dropout_t dropout; // whose factor is 2, by which rounded values are multiplied
            const result_t got = execute(operation, p, &dropout);
            const std::vector<double> plain = execute(operation, p, nullptr).dst;
            for (size_t i = 0; i < plain.size(); ++i) {
                const double value = is_kept(dropout, i) ? 2 * plain[i] : 0;
                ASSERT_EQ(got.dst[i], rounded(type, value)) << operation.name << " " << i;
                ASSERT_EQ(got.mask[i], is_kept(dropout, i)) << operation.name << " " << i;
            }
        }
}

TEST(dropout, comes_before_post_ops) {
    const post_op_chain_t add{
            {.alg = dnnl_binary_add, .mask = 2}, {.alg = dnnl_binary_mul, .mask = 3}};
    const dropout_t dropout{.probability = 0.5f, .offset = 4, .use_offset = true};
    for (const operation_t &operation : operations) {
        const problem_t p{.post_ops = add};
        const result_t got = execute(operation, p, &dropout);
        const std::vector<double> plain = execute(operation, {}, nullptr).dst;
        // (x + a) b of x = plain, and a b, which is left where x is dropped.
        const std::vector<double> whole = execute(operation, p, nullptr).dst;
        const dropout_t all{.probability = 1};
        const std::vector<double> rest = execute(operation, p, &all).dst;
        for (size_t i = 0; i < plain.size(); ++i) {
            const double b = (whole[i] - rest[i]) / plain[i];
            const double expected = (is_kept(dropout, i) ? 2 * plain[i] * b : 0) + rest[i];
            EXPECT_NEAR(got.dst[i], expected, 1e-5 * (1 + std::fabs(expected))) << operation.name;
        }
    }
}

TEST(dropout, drops_about_as_many_elements_as_it_should) {
    const problem_t p{.dims = {64, 256}};
    for (const operation_t &operation : operations)
        for (const bool use_offset : {false, true})
            for (const float probability : {0.25f, 0.75f}) {
                const dropout_t dropout{
                        .probability = probability, .offset = 1, .use_offset = use_offset};
                double kept = 0;
                for (const double bit : execute(operation, p, &dropout).mask) kept += bit;
                EXPECT_NEAR(kept / (64 * 256), 1 - probability, 0.03) << operation.name;
            }
}

TEST(dropout, mask_has_the_layout_of_dst_unless_another_is_given) {
    for (const operation_t &operation : operations) {
        primitive_desc_handle_t pd;
        const problem_t p{.format = "ba"};
        for (const char *format : {"any", "ab", "ba"}) {
            const dropout_t dropout{.mask_format = format};
            ASSERT_EQ(operation.create(pd, p, dnnl_forward_training, make_attr(p, &dropout)),
                    dnnl_success);
            EXPECT_TRUE(dnnl_memory_desc_equal(chosen_desc(pd, DNNL_ARG_ATTR_DROPOUT_MASK),
                    make_desc(p.dims, dnnl_u8, std::strcmp(format, "any") == 0 ? "ba" : format)));
            EXPECT_EQ(implementation_names(std::move(pd)).size(), 1u);
            ASSERT_EQ(operation.create(pd, p, dnnl_forward_training, make_attr(p, &dropout)),
                    dnnl_success);
            expect_arguments(pd, 1, 1);
        }
    }
}

TEST(dropout, refuses_masks_of_other_shapes_and_gradients) {
    for (const operation_t &operation : operations) {
        primitive_desc_handle_t pd;
        const problem_t p, other{.dims = {37, 5}};
        const dropout_t dropout;
        EXPECT_EQ(operation.create(pd, p, dnnl_forward_training, make_attr(other, &dropout)),
                dnnl_unimplemented);
        EXPECT_EQ(operation.create(pd, p, dnnl_backward_data, make_attr(p, &dropout)),
                dnnl_unimplemented);
        EXPECT_EQ(operation.create(pd, p, dnnl_forward_inference, make_attr(p, &dropout)),
                dnnl_success);
    }
}

TEST(dropout, refuses_an_execution_without_its_values) {
    const dropout_t dropout{.offset = 1, .use_offset = true};
    const values_t values(dropout);
    for (const operation_t &operation : operations) {
        primitive_desc_handle_t pd;
        const problem_t p;
        require(operation.create(pd, p, dnnl_forward_training, make_attr(p, &dropout)), "pd");
        bindings_t bindings(placement_t::ends_at_guard);
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_ATTR_DROPOUT_MASK})
            bindings.add_input(
                    arg, "", chosen_desc(pd, arg), std::vector<double>(volume(p.dims), 1.));
        arguments_t arguments = bindings.arguments();
        values.add_to(arguments);
        const auto primitive = make_primitive(pd);
        EXPECT_EQ(arguments.execute(primitive), dnnl_success);
        for (const int arg : {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, DNNL_ARG_ATTR_DROPOUT_SEED,
                     DNNL_ARG_ATTR_DROPOUT_OFFSET, DNNL_ARG_ATTR_DROPOUT_MASK}) {
            EXPECT_EQ(arguments.without(arg).execute(primitive), dnnl_invalid_arguments) << arg;
            EXPECT_EQ(arguments.with(arg, bindings[DNNL_ARG_SRC].memory()).execute(primitive),
                    arg == DNNL_ARG_ATTR_DROPOUT_PROBABILITY ? dnnl_success
                                                             : dnnl_invalid_arguments)
                    << arg;
        }
    }
}

} // namespace
} // namespace kiln::test

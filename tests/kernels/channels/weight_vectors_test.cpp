// SPDX-License-Identifier: Apache-2.0
// Kernels on vectors of weights and of their gradients, executed on every ISA level of the machine
// between unmapped pages.
#include "cpu/x64/rows/weight_vectors.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/machine_levels.hpp"
#include "kernels/row_model.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::test {

namespace {

using namespace layer_normalization::test;
using kiln::test::placements;
using kiln::test::random_values_t;

constexpr dim_t lengths[]{1, 3, 8, 15, 16, 17, 64, 100, 257, 1030};
constexpr uint64_t seed = 9;

TEST(weight_vectors, conversion_to_floats_is_exact) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : {dnnl_bf16, dnnl_f16})
            for (const dim_t length : lengths)
                for (const auto placement : placements) {
                    row_tensor_t weights(type, 1, length, 0, placement);
                    const row_tensor_t converted(dnnl_f32, 1, length, 0, placement);
                    const auto values =
                            fill(weights, type, random_values_t(seed).many(length, -3, 3));
                    auto *const to = reinterpret_cast<float *>(converted.data());
                    EXPECT_EQ(weight_floats_t(isa, length, type).convert(weights.data(), to), to);
                    for (dim_t i = 0; i < length; ++i)
                        ASSERT_EQ(converted.get(0, i), values[static_cast<size_t>(i)])
                                << isa_name(isa) << " length " << length << " element " << i;
                    EXPECT_TRUE(converted.has_intact_gaps());
                }
}

TEST(weight_vectors, weights_that_are_absent_stay_so) {
    float to;
    for (const isa_t isa : machine_levels())
        EXPECT_EQ(weight_floats_t(isa, 1, dnnl_bf16).convert(nullptr, &to), nullptr);
}

TEST(weight_vectors, totals_of_chunks_are_rounded_once) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const dim_t length : lengths)
                for (const dim_t chunks : {1, 2, 7, 300})
                    for (const auto placement : placements) {
                        const dim_t pitch = length + 5;
                        row_tensor_t sums(
                                dnnl_f32, chunks, length, pitch * dim_t(sizeof(float)), placement);
                        const row_tensor_t totals(type, 1, length, 0, placement);
                        random_values_t random(seed);
                        std::vector<double> expected(static_cast<size_t>(length), 0);
                        for (dim_t chunk = 0; chunk < chunks; ++chunk)
                            for (dim_t i = 0; i < length; ++i) {
                                sums.set(chunk, i, random.between(-1, 1) * (chunk % 2 ? 100 : 1));
                                expected[static_cast<size_t>(i)] += sums.get(chunk, i);
                            }
                        chunk_totals_t(isa, length, type, chunks, pitch)
                                .store(reinterpret_cast<const float *>(sums.data()), totals.data());
                        for (dim_t i = 0; i < length; ++i) {
                            const double total = expected[static_cast<size_t>(i)];
                            const estimate_t near =
                                    stored(type, {total, unit * std::abs(total) * 1.01});
                            ASSERT_TRUE(is_near(totals.get(0, i), near))
                                    << isa_name(isa) << " length " << length << " chunks " << chunks
                                    << " element " << i << ": expected " << total << ", got "
                                    << totals.get(0, i);
                        }
                        EXPECT_TRUE(totals.has_intact_gaps() && sums.has_intact_gaps());
                    }
}

} // namespace
} // namespace kiln::x64::test

// SPDX-License-Identifier: Apache-2.0
// Code of the kernels of matrix products that does not grow with the shape.
#include <gtest/gtest.h>

#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matrix::test {
namespace {

class matrix_code_size : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
};

size_t size_of(const tile_spec_t &spec) { return tile_kernel_t(spec).finish().size(); }

/// The widest and the highest tiles of each step, with results that are stored and with a chain of
/// post-ops.
std::vector<tile_spec_t> specs_of(isa_t isa) {
    std::vector<tile_spec_t> specs;
    for (const step_t step : {step_t::f32, step_t::bf16, step_t::u8s8, step_t::s16})
        for (int vectors = 1; has_step(isa, step) && vectors <= most_vectors(isa, step, 1);
                ++vectors)
            for (const bool has_epilogue : {false, true}) {
                tile_spec_t spec{.isa = isa,
                        .rows = most_rows(isa, step, vectors),
                        .vectors = vectors,
                        .step = step,
                        .has_blocks = true};
                if (step == step_t::u8s8) spec.b_type = dnnl_s8;
                if (has_epilogue)
                    spec.epilogue = {
                            {.alg = dnnl_binary_add, .operands = {{dnnl_f32, true}}},
                            {.alg = dnnl_eltwise_relu},
                    };
                if (has_epilogue) spec.pitches = {64};
                specs.push_back(spec);
            }
    return specs;
}

/// What the shape decides: columns and elements along K that remain, distances of rows, and how
/// much of the next block is fetched. Panels, strips and steps are arguments.
TEST_P(matrix_code_size, does_not_grow_with_the_shape) {
    constexpr size_t most_bytes = 12 << 10, few_bytes = 256;
    for (const tile_spec_t &small : specs_of(GetParam())) {
        const size_t size = size_of(small);
        tile_spec_t large = small;
        large.lines_ahead = 16;
        EXPECT_LE(size_of(large), size + few_bytes) << large.name();
        for (dim_t &pitch : large.pitches) pitch = dim_t(1) << 36;
        EXPECT_LE(size_of(large), size + 2 * few_bytes) << large.name();
        // The last panel, and the last step of each panel, have code of their own.
        large.rest = depth_of(large.step) - 1;
        for (const int tail : {1, large.width() / 2, large.width() - 1}) {
            large.tail = tail;
            EXPECT_LE(size_of(large), 3 * size) << large.name() << " tail " << tail;
            EXPECT_LE(size_of(large), most_bytes) << large.name() << " tail " << tail;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_code_size, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace
} // namespace kiln::x64::matrix::test

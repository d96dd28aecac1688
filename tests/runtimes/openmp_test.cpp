// SPDX-License-Identifier: Apache-2.0
// The library that is built for OpenMP.

#include <gtest/gtest.h>
#include <omp.h>

#include "work.hpp"

namespace kiln::test {
namespace {

TEST(openmp, is_the_runtime) { EXPECT_EQ(dnnl_version()->cpu_runtime, DNNL_RUNTIME_OMP); }

TEST(openmp, executions_give_the_same_bits_for_any_number_of_threads) {
    const int before = omp_get_max_threads();
    std::vector<float> expected;
    for (const int threads : {1, 2, 3, 7, 16}) {
        omp_set_num_threads(threads);
        const work_t work;
        dnnl::stream stream(work.engine());
        const std::vector<float> result = work.run(stream);
        if (expected.empty()) expected = result;
        EXPECT_EQ(result, expected) << threads;
    }
    omp_set_num_threads(before);
}

TEST(openmp, executions_in_a_parallel_region_stay_on_their_threads) {
    const work_t work;
    dnnl::stream alone(work.engine());
    const std::vector<float> expected = work.run(alone);
    int differences = 0;
#pragma omp parallel for num_threads(4) reduction(+ : differences)
    for (int i = 0; i < 16; ++i) {
        dnnl::stream stream(work.engine());
        if (work.run(stream) != expected) ++differences;
    }
    EXPECT_EQ(differences, 0);
}

} // namespace
} // namespace kiln::test

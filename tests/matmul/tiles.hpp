// SPDX-License-Identifier: Apache-2.0
// What the tests of products by tiles share.
#pragma once

#include "kiln/plan.h"
#include "matmul/matmul_case.hpp"
#include "support/execution_checks.hpp"

namespace kiln::test::matmul {

inline constexpr const char *matrix_formats[] = {"ab", "ba", "any"};

inline problem_t of_type(problem_t p, dnnl_data_type_t type, dnnl_data_type_t dst_type) {
    p.src_type = p.weights_type = type;
    p.dst_type = dst_type;
    return p;
}

/// By generated code where there is some, and right.
inline void expect_right_by_kernels(const problem_t &p) {
    if (generates_kernels()) {
        EXPECT_NE(implementation_names(describe(p)).front(), "ref:any") << to_string(p);
    }
    expect_right(p);
}

/// By tiles where code is generated, and right.
inline void expect_right_by_tiles(const problem_t &p) {
    if (generates_kernels()) {
        EXPECT_EQ(implementation_names(describe(p)).front(), "jit:tiles") << to_string(p);
    }
    expect_right(p);
}

/// What the library says of its plan.
inline std::string plan_of(const problem_t &p) {
    char plan[1000] = "";
    kiln_plan_text(describe(p), plan, sizeof(plan));
    return plan;
}

} // namespace kiln::test::matmul

// SPDX-License-Identifier: Apache-2.0
// What the tests of normalizations in the C++ interface share: names, and a problem of a few rows.
#pragma once

#include <gtest/gtest.h>

#include "api/status_of.hpp"
#include "oneapi/dnnl/dnnl.hpp"

namespace kiln::test {

using desc = dnnl::memory::desc;
using dt = dnnl::memory::data_type;
using flags_t = dnnl::normalization_flags;
using forward_t = dnnl::layer_normalization_forward;
using backward_t = dnnl::layer_normalization_backward;
using tag = dnnl::memory::format_tag;

constexpr int rows = 4;
constexpr int cols = 7;
constexpr float epsilon = 1e-3f;
constexpr flags_t scale_and_shift = flags_t::use_scale | flags_t::use_shift;

class wrapper_rows : public testing::Test {
protected:
    forward_t::primitive_desc training(flags_t flags) const {
        return {cpu_, dnnl::prop_kind::forward_training, data_md_, data_md_, epsilon, flags};
    }

    const dnnl::engine cpu_{dnnl::engine::kind::cpu, 0};
    const desc data_md_{{rows, cols}, dt::f32, tag::ab};
    const desc stat_md_{{rows}, dt::f32, tag::a};
    const desc row_md_{{cols}, dt::f32, tag::a};
};

} // namespace kiln::test

// SPDX-License-Identifier: Apache-2.0
// A forward layer normalization as the example of a primitive.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "api/normalization_desc.hpp"

namespace kiln::test {

inline memory_handle_t memory_for(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index,
        void *handle = DNNL_MEMORY_ALLOCATE) {
    memory_handle_t memory;
    require(dnnl_memory_create(memory.out(), dnnl_primitive_desc_query_md(pd, what, index),
                    cpu_engine(), handle),
            "dnnl_memory_create");
    return memory;
}

inline float *values_of(const_dnnl_memory_t memory) {
    void *handle = nullptr;
    EXPECT_EQ(dnnl_memory_get_data_handle(memory, &handle), dnnl_success);
    return static_cast<float *>(handle);
}

/// Forward training of 2 rows of 4 with a scale: inputs src, scale; outputs dst, mean, variance.
struct forward_t {
    primitive_desc_handle_t pd = made_pd({dnnl_forward_training, dnnl_use_scale, {2, 4}, "", "any",
            dnnl_f32, dnnl_f32, 0x1p-40f});
    primitive_handle_t primitive = make_primitive(pd);
    memory_handle_t src = memory_for(pd, dnnl_query_src_md, 0);
    memory_handle_t dst = memory_for(pd, dnnl_query_dst_md, 0);
    memory_handle_t mean = memory_for(pd, dnnl_query_dst_md, 1);
    memory_handle_t variance = memory_for(pd, dnnl_query_dst_md, 2);
    memory_handle_t scale = memory_for(pd, dnnl_query_weights_md, 0);

    forward_t() {
        constexpr float src_values[] = {1, 3, 1, 3, -8, -4, -8, -4};
        for (int i = 0; i < 8; ++i) values_of(src)[i] = src_values[i];
        for (int i = 0; i < 4; ++i) values_of(scale)[i] = 1.f + static_cast<float>(i);
    }

    std::vector<dnnl_exec_arg_t> args() const {
        return {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_MEAN, mean},
                {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_SCALE, scale}};
    }

    dnnl_status_t execute(const std::vector<dnnl_exec_arg_t> &args) const {
        return dnnl_primitive_execute(
                primitive, cpu_stream(), static_cast<int>(args.size()), args.data());
    }

    void expect_result() const {
        constexpr float expected[] = {-1, 2, -3, 4, -1, 2, -3, 4};
        EXPECT_EQ(dnnl_stream_wait(cpu_stream()), dnnl_success);
        for (int i = 0; i < 8; ++i) EXPECT_EQ(values_of(dst)[i], expected[i]) << i;
        EXPECT_EQ(values_of(mean)[0], 2);
        EXPECT_EQ(values_of(mean)[1], -6);
        EXPECT_EQ(values_of(variance)[0], 1);
        EXPECT_EQ(values_of(variance)[1], 4);
    }
};

} // namespace kiln::test

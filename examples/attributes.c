/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes in C99: dst = max(src0 + src1, 0) in one pass, with a ReLU behind an addition; and the
 * memory that a primitive works with, provided by the program.
 */

#include "example.h"

enum { rows = 7, cols = 50 };

int main(void) {
    const dnnl_dim_t dims[] = {rows, cols}, vector_dims[] = {1, cols};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t chain = NULL;
    dnnl_primitive_desc_t pd = NULL;
    const_dnnl_memory_desc_t scratchpad_md = NULL;
    dnnl_memory_t scratchpad = NULL;
    tensor_t src, bias, dst;
    int i;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    src = make_tensor(engine, 2, dims, dnnl_ab);
    bias = make_tensor(engine, 2, vector_dims, dnnl_ab);
    dst = make_tensor(engine, 2, dims, dnnl_ab);
    fill(&src, 0.2f);
    fill(&bias, 0.9f);

    /* Post-ops are copied into the attributes, and these into the primitive descriptor. */
    CHECK(dnnl_post_ops_create(&chain));
    CHECK(dnnl_post_ops_append_eltwise(chain, dnnl_eltwise_relu, 0.f, 0.f));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, chain));
    CHECK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    CHECK(dnnl_post_ops_destroy(chain));
    CHECK(dnnl_binary_primitive_desc_create(
            &pd, engine, dnnl_binary_add, src.md, bias.md, dst.md, attr));
    CHECK(dnnl_primitive_attr_destroy(attr));

    /* The descriptor says how much the primitive needs; it may be nothing. */
    scratchpad_md = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    CHECK(dnnl_memory_create(&scratchpad, scratchpad_md, engine, DNNL_MEMORY_ALLOCATE));
    printf("the scratchpad has %d bytes\n", (int)dnnl_memory_desc_get_size(scratchpad_md));
    {
        dnnl_exec_arg_t arguments[4];
        arguments[0] = argument(DNNL_ARG_SRC_0, &src);
        arguments[1] = argument(DNNL_ARG_SRC_1, &bias);
        arguments[2] = argument(DNNL_ARG_DST, &dst);
        arguments[3].arg = DNNL_ARG_SCRATCHPAD;
        arguments[3].memory = scratchpad;
        execute(engine, pd, 4, arguments);
    }

    for (i = 0; i < dst.count; ++i) {
        const float sum = src.values[i] + bias.values[i % cols];
        expect_near("a value", dst.values[i], sum > 0 ? sum : 0, 1e-6);
    }
    printf("an addition with a ReLU behind it: right\n");
    dnnl_memory_destroy(scratchpad);
    free_tensor(&src);
    free_tensor(&bias);
    free_tensor(&dst);
    dnnl_engine_destroy(engine);
    return 0;
}

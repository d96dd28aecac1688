/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementwise and binary operations in C99: the gate of a language model's feed-forward block,
 * dst = swish(gate) * up, and the gradient of swish.
 */

#include "example.h"

enum { rows = 3, cols = 1000 };

int main(void) {
    const dnnl_dim_t dims[] = {rows, cols};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_desc_t pd = NULL;
    tensor_t gate, up, dst, diff_gate;
    int i;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    gate = make_tensor(engine, 2, dims, dnnl_ab);
    up = make_tensor(engine, 2, dims, dnnl_ab);
    dst = make_tensor(engine, 2, dims, dnnl_ab);
    diff_gate = make_tensor(engine, 2, dims, dnnl_ab);
    fill(&gate, 0.1f);
    fill(&up, 0.3f);

    /* swish(x) = x / (1 + exp(-alpha * x)), with alpha = 1; beta is not used. */
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_training,
            dnnl_eltwise_swish, gate.md, dst.md, 1.f, 0.f, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {
                argument(DNNL_ARG_SRC, &gate), argument(DNNL_ARG_DST, &dst)};
        execute(engine, pd, 2, arguments);
    }
    /* In place: dst is the first source, too. */
    CHECK(dnnl_binary_primitive_desc_create(
            &pd, engine, dnnl_binary_mul, dst.md, up.md, dst.md, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {argument(DNNL_ARG_SRC_0, &dst),
                argument(DNNL_ARG_SRC_1, &up), argument(DNNL_ARG_DST, &dst)};
        execute(engine, pd, 3, arguments);
    }
    /* The gradient of swish alone, with `up` as the gradient of its result. */
    CHECK(dnnl_eltwise_backward_primitive_desc_create(
            &pd, engine, dnnl_eltwise_swish, diff_gate.md, up.md, gate.md, 1.f, 0.f, NULL, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {argument(DNNL_ARG_SRC, &gate),
                argument(DNNL_ARG_DIFF_DST, &up), argument(DNNL_ARG_DIFF_SRC, &diff_gate)};
        execute(engine, pd, 3, arguments);
    }

    for (i = 0; i < dst.count; ++i) {
        const double x = gate.values[i], p = 1 / (1 + exp(-x));
        expect_near("dst", dst.values[i], x * p * up.values[i], 1e-5);
        expect_near("diff_gate", diff_gate.values[i], up.values[i] * p * (1 + x * (1 - p)), 1e-5);
    }
    printf("a gate of %d x %d: right\n", (int)rows, (int)cols);
    free_tensor(&gate);
    free_tensor(&up);
    free_tensor(&dst);
    free_tensor(&diff_gate);
    dnnl_engine_destroy(engine);
    return 0;
}

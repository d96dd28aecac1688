/* SPDX-License-Identifier: Apache-2.0 */
/* The probabilities of tokens in C99: softmax of scores, in place. */

#include "example.h"

enum { rows = 4, tokens = 100 };

int main(void) {
    const dnnl_dim_t dims[] = {rows, tokens};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_desc_t pd = NULL;
    tensor_t scores;
    double before[rows * tokens];
    int r, t;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    scores = make_tensor(engine, 2, dims, dnnl_ab);
    fill(&scores, 0.3f);
    for (t = 0; t < scores.count; ++t) before[t] = scores.values[t];

    /* Along axis 1. dst is src, so both are described alike. */
    CHECK(dnnl_softmax_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
            dnnl_softmax_accurate, scores.md, scores.md, 1, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {
                argument(DNNL_ARG_SRC, &scores), argument(DNNL_ARG_DST, &scores)};
        execute(engine, pd, 2, arguments);
    }

    for (r = 0; r < rows; ++r) {
        double sum = 0;
        for (t = 0; t < tokens; ++t) sum += exp(before[r * tokens + t]);
        for (t = 0; t < tokens; ++t)
            expect_near("a probability", scores.values[r * tokens + t],
                    exp(before[r * tokens + t]) / sum, 1e-7);
    }
    printf("softmax of %d rows: right\n", (int)rows);
    free_tensor(&scores);
    dnnl_engine_destroy(engine);
    return 0;
}

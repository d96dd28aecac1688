/* SPDX-License-Identifier: Apache-2.0 */
/* A product of matrices in C99: dst = src * weights + bias. */

#include "example.h"

enum { rows = 5, depth = 40, columns = 12 };

int main(void) {
    const dnnl_dim_t src_dims[] = {rows, depth}, weights_dims[] = {depth, columns};
    const dnnl_dim_t bias_dims[] = {1, columns}, dst_dims[] = {rows, columns};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_desc_t pd = NULL;
    tensor_t src, weights, bias, dst;
    int m, n, k;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    src = make_tensor(engine, 2, src_dims, dnnl_ab);
    weights = make_tensor(engine, 2, weights_dims, dnnl_ab);
    bias = make_tensor(engine, 2, bias_dims, dnnl_ab);
    dst = make_tensor(engine, 2, dst_dims, dnnl_ab);
    fill(&src, 0.3f);
    fill(&weights, 0.7f);
    fill(&bias, 1.1f);

    CHECK(dnnl_matmul_primitive_desc_create(
            &pd, engine, src.md, weights.md, bias.md, dst.md, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {argument(DNNL_ARG_SRC, &src),
                argument(DNNL_ARG_WEIGHTS, &weights), argument(DNNL_ARG_BIAS, &bias),
                argument(DNNL_ARG_DST, &dst)};
        execute(engine, pd, 4, arguments);
    }

    for (m = 0; m < rows; ++m)
        for (n = 0; n < columns; ++n) {
            double sum = bias.values[n];
            for (k = 0; k < depth; ++k)
                sum += (double)src.values[m * depth + k] * weights.values[k * columns + n];
            expect_near("an element of dst", dst.values[m * columns + n], sum, 1e-3);
        }
    printf("%d x %d times %d x %d: right\n", (int)rows, (int)depth, (int)depth, (int)columns);
    free_tensor(&src);
    free_tensor(&weights);
    free_tensor(&bias);
    free_tensor(&dst);
    dnnl_engine_destroy(engine);
    return 0;
}

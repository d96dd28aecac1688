/* SPDX-License-Identifier: Apache-2.0 */
/* Two branches of a network in C99: their weighted sum, and their channels one after the other. */

#include "example.h"

enum { images = 2, channels = 3, pixels = 10, image = channels * pixels };

int main(void) {
    const dnnl_dim_t dims[] = {images, channels, pixels},
                     joint_dims[] = {images, 2 * channels, pixels};
    const float scales[] = {0.5f, 2.f};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_desc_t pd = NULL;
    tensor_t first, second, total, joint;
    int n, i;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    first = make_tensor(engine, 3, dims, dnnl_abc);
    second = make_tensor(engine, 3, dims, dnnl_abc);
    total = make_tensor(engine, 3, dims, dnnl_abc);
    joint = make_tensor(engine, 3, joint_dims, dnnl_abc);
    fill(&first, 0.1f);
    fill(&second, 0.3f);

    {
        const const_dnnl_memory_desc_t sources[] = {first.md, second.md};
        const dnnl_exec_arg_t sum_arguments[] = {argument(DNNL_ARG_MULTIPLE_SRC, &first),
                argument(DNNL_ARG_MULTIPLE_SRC + 1, &second), argument(DNNL_ARG_DST, &total)};
        const dnnl_exec_arg_t concat_arguments[] = {argument(DNNL_ARG_MULTIPLE_SRC, &first),
                argument(DNNL_ARG_MULTIPLE_SRC + 1, &second), argument(DNNL_ARG_DST, &joint)};
        CHECK(dnnl_sum_primitive_desc_create(&pd, engine, total.md, 2, scales, sources, NULL));
        execute(engine, pd, 3, sum_arguments);
        CHECK(dnnl_concat_primitive_desc_create(&pd, engine, joint.md, 2, 1, sources, NULL));
        execute(engine, pd, 3, concat_arguments);
    }

    for (n = 0; n < images; ++n)
        for (i = 0; i < image; ++i) {
            const float a = first.values[n * image + i], b = second.values[n * image + i];
            expect_near("the sum", total.values[n * image + i], 0.5f * a + 2 * b, 1e-5);
            expect_near("the first half", joint.values[2 * n * image + i], a, 0);
            expect_near("the second half", joint.values[(2 * n + 1) * image + i], b, 0);
        }
    printf("two branches, added and joined: right\n");
    free_tensor(&first);
    free_tensor(&second);
    free_tensor(&total);
    free_tensor(&joint);
    dnnl_engine_destroy(engine);
    return 0;
}

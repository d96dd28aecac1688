/* SPDX-License-Identifier: Apache-2.0 */
/* PReLU with a slope for each channel, then a shuffle that mixes two groups of channels, in C99. */

#include "example.h"

enum { channels = 6, pixels = 4, groups = 2 };

int main(void) {
    const dnnl_dim_t dims[] = {1, channels, pixels}, slope_dims[] = {1, channels, 1};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_desc_t pd = NULL;
    tensor_t src, slopes, middle, dst;
    int c, p;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    src = make_tensor(engine, 3, dims, dnnl_abc);
    slopes = make_tensor(engine, 3, slope_dims, dnnl_abc);
    middle = make_tensor(engine, 3, dims, dnnl_abc);
    dst = make_tensor(engine, 3, dims, dnnl_abc);
    fill(&src, 0.8f);
    fill(&slopes, 1.7f);

    CHECK(dnnl_prelu_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, src.md, slopes.md, middle.md, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {argument(DNNL_ARG_SRC, &src),
                argument(DNNL_ARG_WEIGHTS, &slopes), argument(DNNL_ARG_DST, &middle)};
        execute(engine, pd, 3, arguments);
    }
    /* The channels are a matrix whose rows have the interface's group size; it is transposed. */
    CHECK(dnnl_shuffle_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, middle.md, dst.md, 1, channels / groups, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {
                argument(DNNL_ARG_SRC, &middle), argument(DNNL_ARG_DST, &dst)};
        execute(engine, pd, 2, arguments);
    }

    for (c = 0; c < channels; ++c)
        for (p = 0; p < pixels; ++p) {
            /* Channels of both groups take turns. */
            const int from = c % groups * (channels / groups) + c / groups;
            const float x = src.values[from * pixels + p];
            expect_near("a value", dst.values[c * pixels + p], x > 0 ? x : x * slopes.values[from],
                    1e-6);
        }
    printf("PReLU and a shuffle of %d channels: right\n", (int)channels);
    free_tensor(&src);
    free_tensor(&slopes);
    free_tensor(&middle);
    free_tensor(&dst);
    dnnl_engine_destroy(engine);
    return 0;
}

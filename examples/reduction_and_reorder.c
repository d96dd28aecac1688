/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reorder from channels-first to channels-last images, and the mean of each channel, in C99. The
 * axes that are reduced are those on which dst has extent 1.
 */

#include "example.h"

enum { images = 2, channels = 5, height = 4, width = 6, pixels = height * width };

int main(void) {
    const dnnl_dim_t dims[] = {images, channels, height, width}, mean_dims[] = {1, channels, 1, 1};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_desc_t pd = NULL;
    tensor_t first, last, means;
    int n, c, p;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    first = make_tensor(engine, 4, dims, dnnl_nchw);
    last = make_tensor(engine, 4, dims, dnnl_nhwc);
    means = make_tensor(engine, 4, mean_dims, dnnl_nchw);
    fill(&first, 0.4f);

    CHECK(dnnl_reorder_primitive_desc_create(&pd, first.md, engine, last.md, engine, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {
                argument(DNNL_ARG_FROM, &first), argument(DNNL_ARG_TO, &last)};
        execute(engine, pd, 2, arguments);
    }
    /* p and eps are parameters of norms; a mean has none. */
    CHECK(dnnl_reduction_primitive_desc_create(
            &pd, engine, dnnl_reduction_mean, last.md, means.md, 0.f, 0.f, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {
                argument(DNNL_ARG_SRC, &last), argument(DNNL_ARG_DST, &means)};
        execute(engine, pd, 2, arguments);
    }

    for (c = 0; c < channels; ++c) {
        double sum = 0;
        for (n = 0; n < images; ++n)
            for (p = 0; p < pixels; ++p) {
                const float value = first.values[(n * channels + c) * pixels + p];
                expect_near("a pixel", last.values[(n * pixels + p) * channels + c], value, 0);
                sum += value;
            }
        expect_near("a mean", means.values[c], sum / (images * pixels), 1e-6);
    }
    printf("%d images reordered, means of %d channels: right\n", (int)images, (int)channels);
    free_tensor(&first);
    free_tensor(&last);
    free_tensor(&means);
    dnnl_engine_destroy(engine);
    return 0;
}

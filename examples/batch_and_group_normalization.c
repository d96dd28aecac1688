/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch normalization in training and in inference, and instance normalization, in C99. Batch
 * normalization has statistics for each channel over all images; group normalization for each group
 * of channels of each image, and with one channel in a group it is instance normalization.
 */

#include "example.h"

enum { images = 4, channels = 6, height = 5, width = 7, pixels = height * width };
static const float epsilon = 1e-5f;

/* The value of image n, channel c, at pixel p; the layout is nchw. */
static double at(const tensor_t *x, int n, int c, int p) {
    return x->values[(n * channels + c) * pixels + p];
}

/* Fails unless each channel of images `first` to `last` has mean 0 and variance 1. */
static void expect_normalized(const char *what, const tensor_t *y, int first, int last) {
    int n, c, p;
    for (c = 0; c < channels; ++c) {
        double sum = 0, squares = 0;
        for (n = first; n <= last; ++n)
            for (p = 0; p < pixels; ++p) {
                sum += at(y, n, c, p);
                squares += at(y, n, c, p) * at(y, n, c, p);
            }
        expect_near(what, sum / ((last - first + 1) * pixels), 0, 1e-5);
        expect_near(what, squares / ((last - first + 1) * pixels), 1, 1e-3);
    }
}

int main(void) {
    const dnnl_dim_t dims[] = {images, channels, height, width}, channel_dims[] = {channels};
    const dnnl_dim_t instance_dims[] = {images, channels};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_desc_t pd = NULL;
    tensor_t src, dst, inference, mean, variance, instance_mean, instance_variance;
    int i;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    src = make_tensor(engine, 4, dims, dnnl_nchw);
    dst = make_tensor(engine, 4, dims, dnnl_nchw);
    inference = make_tensor(engine, 4, dims, dnnl_nchw);
    mean = make_tensor(engine, 1, channel_dims, dnnl_a);
    variance = make_tensor(engine, 1, channel_dims, dnnl_a);
    instance_mean = make_tensor(engine, 2, instance_dims, dnnl_ab);
    instance_variance = make_tensor(engine, 2, instance_dims, dnnl_ab);
    fill(&src, 0.7f);

    /* Training computes the statistics. */
    CHECK(dnnl_batch_normalization_forward_primitive_desc_create(&pd, engine, dnnl_forward_training,
            src.md, dst.md, epsilon, dnnl_normalization_flags_none, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {argument(DNNL_ARG_SRC, &src),
                argument(DNNL_ARG_DST, &dst), argument(DNNL_ARG_MEAN, &mean),
                argument(DNNL_ARG_VARIANCE, &variance)};
        execute(engine, pd, 4, arguments);
    }
    expect_normalized("batch normalization", &dst, 0, images - 1);

    /* Inference takes statistics as they are given; here, those of the batch. */
    CHECK(dnnl_batch_normalization_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_inference, src.md, inference.md, epsilon, dnnl_use_global_stats, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {argument(DNNL_ARG_SRC, &src),
                argument(DNNL_ARG_DST, &inference), argument(DNNL_ARG_MEAN, &mean),
                argument(DNNL_ARG_VARIANCE, &variance)};
        execute(engine, pd, 4, arguments);
    }
    for (i = 0; i < dst.count; ++i)
        expect_near("inference", inference.values[i], dst.values[i], 1e-5);

    CHECK(dnnl_group_normalization_forward_primitive_desc_create(&pd, engine, dnnl_forward_training,
            src.md, dst.md, channels, epsilon, dnnl_normalization_flags_none, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {argument(DNNL_ARG_SRC, &src),
                argument(DNNL_ARG_DST, &dst), argument(DNNL_ARG_MEAN, &instance_mean),
                argument(DNNL_ARG_VARIANCE, &instance_variance)};
        execute(engine, pd, 4, arguments);
    }
    for (i = 0; i < images; ++i) expect_normalized("instance normalization", &dst, i, i);

    printf("each channel has mean 0 and variance 1: over the batch, and in each image\n");
    free_tensor(&src);
    free_tensor(&dst);
    free_tensor(&inference);
    free_tensor(&mean);
    free_tensor(&variance);
    free_tensor(&instance_mean);
    free_tensor(&instance_variance);
    dnnl_engine_destroy(engine);
    return 0;
}

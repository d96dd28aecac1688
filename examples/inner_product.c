/* SPDX-License-Identifier: Apache-2.0 */
/* A fully connected layer on images in C99: dst(m, o) = sum over k of src(m, k) * weights(o, k) +
 * bias(o), where k goes over channels, rows and columns of an image. */

#include "example.h"

enum {
    images = 2,
    channels = 3,
    height = 4,
    width = 5,
    outputs = 7,
    pixels = channels * height * width
};

int main(void) {
    const dnnl_dim_t src_dims[] = {images, channels, height, width};
    const dnnl_dim_t weights_dims[] = {outputs, channels, height, width};
    const dnnl_dim_t bias_dims[] = {outputs}, dst_dims[] = {images, outputs};
    dnnl_engine_t engine = NULL;
    dnnl_primitive_desc_t pd = NULL;
    tensor_t src, weights, bias, dst;
    int m, o, k;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    src = make_tensor(engine, 4, src_dims, dnnl_nchw);
    weights = make_tensor(engine, 4, weights_dims, dnnl_oihw);
    bias = make_tensor(engine, 1, bias_dims, dnnl_a);
    dst = make_tensor(engine, 2, dst_dims, dnnl_nc);
    fill(&src, 0.3f);
    fill(&weights, 0.7f);
    fill(&bias, 1.1f);

    CHECK(dnnl_inner_product_forward_primitive_desc_create(
            &pd, engine, dnnl_forward_inference, src.md, weights.md, bias.md, dst.md, NULL));
    {
        const dnnl_exec_arg_t arguments[] = {argument(DNNL_ARG_SRC, &src),
                argument(DNNL_ARG_WEIGHTS, &weights), argument(DNNL_ARG_BIAS, &bias),
                argument(DNNL_ARG_DST, &dst)};
        execute(engine, pd, 4, arguments);
    }

    for (m = 0; m < images; ++m)
        for (o = 0; o < outputs; ++o) {
            double sum = bias.values[o];
            for (k = 0; k < pixels; ++k)
                sum += (double)src.values[m * pixels + k] * weights.values[o * pixels + k];
            expect_near("an element of dst", dst.values[m * outputs + o], sum, 1e-3);
        }
    printf("%d images of %d values, %d outputs: right\n", (int)images, (int)pixels, (int)outputs);
    free_tensor(&src);
    free_tensor(&weights);
    free_tensor(&bias);
    free_tensor(&dst);
    dnnl_engine_destroy(engine);
    return 0;
}

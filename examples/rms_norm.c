/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RMSNorm in C99: inference on bf16 data with f32 scale, as in language models. Each status is
 * checked and each object released. Prints the largest error relative to a computation in double.
 *
 *     cc -std=c99 rms_norm.c -ldnnl -lm && ./a.out
 */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "oneapi/dnnl/dnnl.h"

enum { rows = 16, cols = 96 };
static const float epsilon = 1e-6f;

/* Jumps to `release` in the enclosing function if a call fails. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != dnnl_success) {                                                              \
            fprintf(stderr, "%s:%d: status %d from %s\n", __FILE__, __LINE__, (int)status, #call); \
            goto release;                                                                          \
        }                                                                                          \
    } while (0)

/* bf16 is the upper half of an f32. The values here are exact in bf16. */
static uint16_t to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static float from_bf16(uint16_t value) {
    const uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

/* dst = scale * src / sqrt(mean(src * src) + epsilon), row by row. */
static dnnl_status_t rms_norm(const uint16_t *src, const float *scale, uint16_t *dst) {
    const dnnl_dims_t data_dims = {rows, cols}, scale_dims = {cols};
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_desc_t data_md = NULL, scale_md = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_memory_t src_memory = NULL, scale_memory = NULL, dst_memory = NULL;
    const char *implementation = NULL;
    dnnl_status_t status;

    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_memory_desc_create_with_tag(&data_md, 2, data_dims, dnnl_bf16, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&scale_md, 1, scale_dims, dnnl_f32, dnnl_a));

    /* RMSNorm is layer normalization without the mean. Inference stores no statistics. */
    CHECK(dnnl_layer_normalization_forward_primitive_desc_create(&pd, engine,
            dnnl_forward_inference, data_md, data_md, NULL, epsilon, dnnl_rms_norm | dnnl_use_scale,
            NULL));
    CHECK(dnnl_primitive_create(&primitive, pd));
    CHECK(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &implementation));
    printf("RMSNorm of %d x %d bf16 by %s\n", (int)rows, (int)cols, implementation);

    /* The interface takes pointers to non-const, but the primitive only reads its inputs. */
    CHECK(dnnl_memory_create(&src_memory, data_md, engine, (void *)(uintptr_t)src));
    CHECK(dnnl_memory_create(&scale_memory, scale_md, engine, (void *)(uintptr_t)scale));
    CHECK(dnnl_memory_create(&dst_memory, data_md, engine, dst));
    {
        dnnl_exec_arg_t arguments[3];
        arguments[0].arg = DNNL_ARG_SRC;
        arguments[0].memory = src_memory;
        arguments[1].arg = DNNL_ARG_SCALE;
        arguments[1].memory = scale_memory;
        arguments[2].arg = DNNL_ARG_DST;
        arguments[2].memory = dst_memory;
        CHECK(dnnl_primitive_execute(primitive, stream, 3, arguments));
    }
    CHECK(dnnl_stream_wait(stream));

release: /* Destroying a null handle has no effect. */
    dnnl_memory_destroy(dst_memory);
    dnnl_memory_destroy(scale_memory);
    dnnl_memory_destroy(src_memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(scale_md);
    dnnl_memory_desc_destroy(data_md);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
    return status;
}

/* The largest error of dst, in units of the largest bf16 rounding error (2^-8 of the value). */
static double largest_error(const uint16_t *src, const float *scale, const uint16_t *dst) {
    double largest = 0;
    int r, c;
    for (r = 0; r < rows; ++r) {
        double sum = 0;
        for (c = 0; c < cols; ++c) sum += pow(from_bf16(src[r * cols + c]), 2);
        for (c = 0; c < cols; ++c) {
            const double expected = scale[c] * (double)from_bf16(src[r * cols + c])
                                    / sqrt(sum / cols + (double)epsilon);
            const double error = fabs(from_bf16(dst[r * cols + c]) - expected);
            if (error > largest * fabs(expected) / 256) largest = error / (fabs(expected) / 256);
        }
    }
    return largest;
}

int main(void) {
    uint16_t src[rows * cols], dst[rows * cols];
    float scale[cols];
    double error;
    int i;
    for (i = 0; i < rows * cols; ++i) src[i] = to_bf16((float)(i * 37 % 101 - 50) / 16);
    for (i = 0; i < cols; ++i) scale[i] = 0.5f + (float)(i % 7) / 4;

    if (rms_norm(src, scale, dst) != dnnl_success) return 1;
    error = largest_error(src, scale, dst);
    printf("largest error: %.3f of a bf16 rounding\n", error);
    return error < 1.01 ? 0 : 1;
}

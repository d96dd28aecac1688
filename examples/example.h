/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C examples share: tensors of floats, and the execution of one primitive. A program that
 * lives longer than an example keeps its primitives and handles errors (rms_norm.c shows both).
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "oneapi/dnnl/dnnl.h"

/* Ends the program if a call fails. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        const dnnl_status_t status = (call);                                                       \
        if (status != dnnl_success) {                                                              \
            fprintf(stderr, "%s:%d: status %d from %s\n", __FILE__, __LINE__, (int)status, #call); \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Ends the program if a result is wrong; `what` says which. NaN is wrong. */
static inline void expect_near(const char *what, double got, double expected, double tolerance) {
    if (fabs(got - expected) <= tolerance) return;
    fprintf(stderr, "%s is %g instead of %g\n", what, got, expected);
    exit(1);
}

/* A dense tensor of floats. The memory object owns the values. */
typedef struct {
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    float *values;
    int count;
} tensor_t;

static inline tensor_t make_tensor(
        dnnl_engine_t engine, int ndims, const dnnl_dim_t *dims, dnnl_format_tag_t tag) {
    tensor_t tensor = {NULL, NULL, NULL, 1};
    void *values = NULL;
    int i;
    CHECK(dnnl_memory_desc_create_with_tag(&tensor.md, ndims, dims, dnnl_f32, tag));
    CHECK(dnnl_memory_create(&tensor.memory, tensor.md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_get_data_handle(tensor.memory, &values));
    tensor.values = (float *)values;
    for (i = 0; i < ndims; ++i) tensor.count *= (int)dims[i];
    return tensor;
}

static inline void free_tensor(tensor_t *tensor) {
    dnnl_memory_destroy(tensor->memory);
    dnnl_memory_desc_destroy(tensor->md);
}

/* Values from -3 to 3, others for each `rate`. */
static inline void fill(tensor_t *tensor, float rate) {
    int i;
    for (i = 0; i < tensor->count; ++i) tensor->values[i] = 3 * sinf(rate * (float)(i + 1));
}

static inline dnnl_exec_arg_t argument(int arg, const tensor_t *tensor) {
    dnnl_exec_arg_t result;
    result.arg = arg;
    result.memory = tensor->memory;
    return result;
}

/* Creates the primitive of a descriptor, executes it once and destroys both. */
static inline void execute(dnnl_engine_t engine, dnnl_primitive_desc_t pd, int count,
        const dnnl_exec_arg_t *arguments) {
    dnnl_stream_t stream = NULL;
    dnnl_primitive_t primitive = NULL;
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_primitive_create(&primitive, pd));
    CHECK(dnnl_primitive_execute(primitive, stream, count, arguments));
    CHECK(dnnl_stream_wait(stream));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_stream_destroy(stream);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 * A C99 program that uses the interface from the first engine to the last destroy: layer
 * normalization of a plain tensor, then reorders into a blocked layout and back. It ends with 0 if
 * all went well. */

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

enum { rows = 3, cols = 20 };

static int failures = 0;

static void check(dnnl_status_t status, const char *what) {
    if (status == dnnl_success) return;
    fprintf(stderr, "%s answered %s\n", what, dnnl_status2str(status));
    ++failures;
}

#define CHECK(CALL) check(CALL, #CALL)

static void expect_near(double found, double expected, const char *what, int index) {
    if (fabs(found - expected) <= 1e-5 * (1 + fabs(expected))) return;
    fprintf(stderr, "%s %d is %g, not %g\n", what, index, found, expected);
    ++failures;
}

static void normalize(dnnl_engine_t engine, dnnl_stream_t stream, const_dnnl_memory_desc_t md,
        dnnl_memory_t src, dnnl_memory_t dst) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_memory_t mean = NULL, variance = NULL;
    dnnl_exec_arg_t args[4];
    void *means = NULL;
    int row = 0;

    CHECK(dnnl_layer_normalization_forward_primitive_desc_create(&pd, engine, dnnl_forward_training,
            md, md, NULL, 1e-5f, dnnl_normalization_flags_none, NULL));
    CHECK(dnnl_primitive_create(&primitive, pd));
    CHECK(dnnl_memory_create(&mean, dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 1), engine,
            DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_create(&variance, dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 2),
            engine, DNNL_MEMORY_ALLOCATE));
    args[0].arg = DNNL_ARG_SRC, args[0].memory = src;
    args[1].arg = DNNL_ARG_DST, args[1].memory = dst;
    args[2].arg = DNNL_ARG_MEAN, args[2].memory = mean;
    args[3].arg = DNNL_ARG_VARIANCE, args[3].memory = variance;
    CHECK(dnnl_primitive_execute(primitive, stream, 4, args));
    CHECK(dnnl_stream_wait(stream));

    CHECK(dnnl_memory_map_data(mean, &means));
    for (row = 0; means != NULL && row < rows; ++row)
        expect_near(((float *)means)[row], 100.0 * row + (cols - 1) / 2.0, "mean", row);
    CHECK(dnnl_memory_unmap_data(mean, means));

    CHECK(dnnl_memory_destroy(mean));
    CHECK(dnnl_memory_destroy(variance));
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

static void reorder(dnnl_engine_t engine, dnnl_stream_t stream, const_dnnl_memory_desc_t from_md,
        const_dnnl_memory_desc_t to_md, dnnl_memory_t from, dnnl_memory_t to) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_exec_arg_t args[2];

    CHECK(dnnl_reorder_primitive_desc_create(&pd, from_md, engine, to_md, engine, NULL));
    CHECK(dnnl_primitive_create(&primitive, pd));
    args[0].arg = DNNL_ARG_FROM, args[0].memory = from;
    args[1].arg = DNNL_ARG_TO, args[1].memory = to;
    CHECK(dnnl_primitive_execute(primitive, stream, 2, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
}

int main(void) {
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_desc_t plain_md = NULL, blocked_md = NULL;
    dnnl_memory_t src = NULL, normalized = NULL, blocked = NULL, result = NULL;
    dnnl_dims_t dims = {rows, cols};
    float src_values[rows * cols], result_values[rows * cols];
    const double deviation = sqrt((cols * cols - 1) / 12.0 + 1e-5);
    int i;

    for (i = 0; i < rows * cols; ++i) {
        src_values[i] = 100.f * (float)(i / cols) + (float)(i % cols);
        result_values[i] = -1000.f;
    }
    if (dnnl_version()->major != DNNL_VERSION_MAJOR) {
        fprintf(stderr, "version %d\n", dnnl_version()->major);
        ++failures;
    }

    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_memory_desc_create_with_tag(&plain_md, 2, dims, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&blocked_md, 2, dims, dnnl_f32, dnnl_BA16a16b));
    CHECK(dnnl_memory_create(&src, plain_md, engine, src_values));
    CHECK(dnnl_memory_create(&normalized, plain_md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_create(&blocked, blocked_md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_create(&result, plain_md, engine, result_values));
    if (failures) return 1;

    normalize(engine, stream, plain_md, src, normalized);
    reorder(engine, stream, plain_md, blocked_md, normalized, blocked);
    reorder(engine, stream, blocked_md, plain_md, blocked, result);
    for (i = 0; i < rows * cols; ++i)
        expect_near(result_values[i], (i % cols - (cols - 1) / 2.0) / deviation, "element", i);

    CHECK(dnnl_memory_destroy(result));
    CHECK(dnnl_memory_destroy(blocked));
    CHECK(dnnl_memory_destroy(normalized));
    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_desc_destroy(blocked_md));
    CHECK(dnnl_memory_desc_destroy(plain_md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return failures ? 1 : 0;
}

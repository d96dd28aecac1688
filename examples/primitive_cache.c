/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The primitive cache in C99. Creating a primitive generates code; a second primitive for the same
 * problem is found in the cache. ONEDNN_VERBOSE=profile_create prints cache_miss and cache_hit.
 */

#define _POSIX_C_SOURCE 199309L
#include <time.h>

#include "example.h"

enum { rows = 16, cols = 1024, many = 20 };

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Creates a layer normalization `repeats` times and returns the mean time of one. */
static double creation_time(
        dnnl_engine_t engine, const tensor_t *src, const tensor_t *dst, int repeats) {
    const double begin = microseconds();
    int i;
    for (i = 0; i < repeats; ++i) {
        dnnl_primitive_desc_t pd = NULL;
        dnnl_primitive_t primitive = NULL;
        CHECK(dnnl_layer_normalization_forward_primitive_desc_create(&pd, engine,
                dnnl_forward_inference, src->md, dst->md, NULL, 1e-5f,
                dnnl_normalization_flags_none, NULL));
        CHECK(dnnl_primitive_create(&primitive, pd));
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(pd);
    }
    return (microseconds() - begin) / repeats;
}

int main(void) {
    const dnnl_dim_t dims[] = {rows, cols};
    dnnl_engine_t engine = NULL;
    tensor_t src, dst;
    int capacity = 0, now = -1;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    src = make_tensor(engine, 2, dims, dnnl_ab);
    dst = make_tensor(engine, 2, dims, dnnl_ab);

    /* The number of primitives that the cache keeps; the least recently used one leaves first. */
    CHECK(dnnl_get_primitive_cache_capacity(&capacity));
    printf("capacity %d: %.1f microseconds for the first primitive\n", capacity,
            creation_time(engine, &src, &dst, 1));
    printf("capacity %d: %.1f microseconds for one like it\n", capacity,
            creation_time(engine, &src, &dst, many));
    /* Primitives that leave the cache live on as long as the program holds them. */
    CHECK(dnnl_set_primitive_cache_capacity(0));
    printf("capacity 0: %.1f microseconds each\n", creation_time(engine, &src, &dst, many));
    CHECK(dnnl_get_primitive_cache_capacity(&now));
    expect_near("the capacity", now, 0, 0);
    CHECK(dnnl_set_primitive_cache_capacity(capacity));
    CHECK(dnnl_get_primitive_cache_capacity(&now));
    expect_near("the capacity", now, capacity, 0);

    free_tensor(&src);
    free_tensor(&dst);
    dnnl_engine_destroy(engine);
    return 0;
}

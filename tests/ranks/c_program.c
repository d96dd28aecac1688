/* SPDX-License-Identifier: Apache-2.0 */
/* kiln/mpi.h in C99: rank r has r + 1 samples of two channels; batch normalization gives each rank
 * mean and variance of all samples. Exits with 0 if they are right. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kiln/mpi.h"
#include "oneapi/dnnl/dnnl.h"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const dnnl_status_t status = (call);                                                       \
        if (status != dnnl_success) {                                                              \
            fprintf(stderr, "%s: status %d\n", #call, (int)status);                                \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

enum { channels = 2, most_samples = 64 };

/* Sample `index` of all ranks. */
static float element(int index, int channel) {
    return (float)(index * (channel + 1) + 10 * channel);
}

static void normalize(
        kiln_mpi_t *mpi, const float *src, int samples, float *mean, float *variance) {
    const kiln_ranks_t ranks = kiln_mpi_ranks(mpi, kiln_combine_statistics);
    const dnnl_dims_t dims = {samples, channels}, strides = {channels, 1};
    float dst[most_samples * channels];
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr;
    dnnl_memory_desc_t desc;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_memory_t memories[4];
    dnnl_exec_arg_t args[4] = {{DNNL_ARG_SRC, NULL}, {DNNL_ARG_DST, NULL}, {DNNL_ARG_MEAN, NULL},
            {DNNL_ARG_VARIANCE, NULL}};
    void *const buffers[4] = {(void *)src, dst, mean, variance};
    int i;

    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(kiln_primitive_attr_set_ranks(attr, &ranks));
    CHECK(dnnl_memory_desc_create_with_strides(&desc, 2, dims, dnnl_f32, strides));
    CHECK(dnnl_batch_normalization_forward_primitive_desc_create(&pd, engine, dnnl_forward_training,
            desc, desc, 1e-5f, dnnl_normalization_flags_none, attr));
    CHECK(dnnl_primitive_create(&primitive, pd));
    for (i = 0; i < 4; ++i) {
        const_dnnl_memory_desc_t of =
                dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, args[i].arg);
        CHECK(dnnl_memory_create(&memories[i], of, engine, buffers[i]));
        args[i].memory = memories[i];
    }
    CHECK(dnnl_primitive_execute(primitive, stream, 4, args));
    CHECK(dnnl_stream_wait(stream));
    for (i = 0; i < 4; ++i) CHECK(dnnl_memory_destroy(memories[i]));
    CHECK(dnnl_primitive_destroy(primitive));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_desc_destroy(desc));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
}

int main(int argc, char **argv) {
    float src[most_samples * channels] = {0}, mean[channels], variance[channels];
    kiln_mpi_t mpi;
    int i, c, first, all, samples, wrong = 0;
    MPI_Init(&argc, &argv);
    CHECK(kiln_mpi_create(&mpi, MPI_COMM_WORLD, 60.));
    samples = mpi.rank + 1;
    first = mpi.rank * (mpi.rank + 1) / 2;
    all = mpi.count * (mpi.count + 1) / 2;
    if (all > most_samples) MPI_Abort(MPI_COMM_WORLD, 1);
    for (i = 0; i < samples; ++i)
        for (c = 0; c < channels; ++c) src[i * channels + c] = element(first + i, c);
    normalize(&mpi, src, samples, mean, variance);
    for (c = 0; c < channels; ++c) {
        double expected = 0, squares = 0;
        for (i = 0; i < all; ++i) expected += element(i, c) / (double)all;
        for (i = 0; i < all; ++i) squares += pow(element(i, c) - expected, 2) / all;
        if (fabs(mean[c] - expected) > 1e-5 * expected
                || fabs(variance[c] - squares) > 1e-5 * squares) {
            fprintf(stderr, "rank %d, channel %d: %g %g instead of %g %g\n", mpi.rank, c, mean[c],
                    variance[c], expected, squares);
            wrong = 1;
        }
    }
    if (mpi.messages != (mpi.count > 1 ? 1u : 0u)) wrong = 1;
    CHECK(kiln_mpi_destroy(&mpi));
    MPI_Finalize();
    return wrong;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kiln_mpi: the callbacks of kiln/ranks.h over the processes of an MPI communicator.
 *
 *     kiln_mpi_t mpi;
 *     kiln_mpi_create(&mpi, MPI_COMM_WORLD, 60.);
 *     kiln_ranks_t ranks = kiln_mpi_ranks(&mpi, kiln_combine_statistics);
 *     kiln_primitive_attr_set_ranks(attr, &ranks);
 *
 * The CMake package has it as the component MPI, target kiln::mpi. The library itself needs no MPI.
 * C99 and C++11; kiln/mpi.hpp has the C++ form.
 */
#ifndef KILN_MPI_H
#define KILN_MPI_H

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "kiln/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A member of a group of processes. It is where it was created until it is destroyed: primitives
 * have its address. One thread uses it at a time; the messages of all primitives that use it are
 * in the order of their executions, which must be the same in all processes. */
typedef struct {
    MPI_Comm comm;  /* a duplicate of the program's */
    double timeout; /* seconds that a message may take; 0: any time */
    int rank, count;
    int is_broken; /* a message has failed; no other is tried */
    /* The message on the way; MPI keeps using the buffers of one that took too long. */
    MPI_Request request;
    double *buffer; /* of this rank, then of all */
    size_t capacity, length;
    double *all; /* where the library wants those of all */
    /* For the program to read: messages, doubles that this rank has sent, seconds between the start
     * of a message and its end. */
    unsigned long long messages, doubles;
    double seconds, started;
} kiln_mpi_t;

/* All processes of `comm` call it. An error of MPI in duplicating the communicator is treated as
 * the communicator says; those of messages become the status dnnl_runtime_error of the execution.
 */
static inline dnnl_status_t kiln_mpi_create(kiln_mpi_t *mpi, MPI_Comm comm, double timeout) {
    memset(mpi, 0, sizeof(*mpi));
    mpi->timeout = timeout;
    mpi->request = MPI_REQUEST_NULL;
    if (MPI_Comm_dup(comm, &mpi->comm) != MPI_SUCCESS) return dnnl_runtime_error;
    if (MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN) != MPI_SUCCESS
            || MPI_Comm_rank(mpi->comm, &mpi->rank) != MPI_SUCCESS
            || MPI_Comm_size(mpi->comm, &mpi->count) != MPI_SUCCESS)
        return dnnl_runtime_error;
    return dnnl_success;
}

/* All processes call it. After MPI_Finalize it frees the buffer alone. After a message has failed it
 * leaves the communicator and the buffers to MPI, since other processes may not answer; the program
 * should end by MPI_Abort then. */
static inline dnnl_status_t kiln_mpi_destroy(kiln_mpi_t *mpi) {
    int is_finalized = 0;
    if (mpi->is_broken) return dnnl_runtime_error;
    free(mpi->buffer);
    mpi->buffer = NULL;
    if (MPI_Finalized(&is_finalized) == MPI_SUCCESS && is_finalized) return dnnl_success;
    return MPI_Comm_free(&mpi->comm) == MPI_SUCCESS ? dnnl_success : dnnl_runtime_error;
}

/* Starts a message; the start function of kiln_ranks_t. */
static inline dnnl_status_t kiln_mpi_start(
        void *context, const double *local, size_t count, double *all, void **request) {
    kiln_mpi_t *mpi = (kiln_mpi_t *)context;
    const size_t needed = count * ((size_t)mpi->count + 1);
    if (mpi->is_broken || count > INT_MAX || mpi->request != MPI_REQUEST_NULL)
        return dnnl_runtime_error;
    if (needed > mpi->capacity) {
        double *const larger = (double *)realloc(mpi->buffer, needed * sizeof(double));
        if (!larger) return dnnl_out_of_memory;
        mpi->buffer = larger;
        mpi->capacity = needed;
    }
    mpi->started = MPI_Wtime();
    mpi->length = count;
    mpi->all = all;
    memcpy(mpi->buffer, local, count * sizeof(double));
    *request = mpi;
    if (MPI_Iallgather(mpi->buffer, (int)count, MPI_DOUBLE, mpi->buffer + count, (int)count,
                MPI_DOUBLE, mpi->comm, &mpi->request)
            == MPI_SUCCESS)
        return dnnl_success;
    mpi->is_broken = 1;
    return dnnl_runtime_error;
}

/* Waits for it, at most until the timeout; the wait function of kiln_ranks_t. Lets other processes
 * of the machine have the processor. */
static inline dnnl_status_t kiln_mpi_wait(void *context, void *request) {
    enum { tries = 64 };
    kiln_mpi_t *mpi = (kiln_mpi_t *)context;
    int is_done = 0, i;
    (void)request;
    while (!mpi->is_broken) {
        for (i = 0; i < tries && !is_done && !mpi->is_broken; ++i)
            mpi->is_broken = MPI_Test(&mpi->request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        if (is_done) break;
        if (mpi->timeout > 0 && MPI_Wtime() - mpi->started > mpi->timeout) mpi->is_broken = 1;
        sched_yield();
    }
    if (mpi->is_broken) return dnnl_runtime_error;
    memcpy(mpi->all, mpi->buffer + mpi->length, mpi->length * (size_t)mpi->count * sizeof(double));
    ++mpi->messages;
    mpi->doubles += mpi->length;
    mpi->seconds += MPI_Wtime() - mpi->started;
    return dnnl_success;
}

/* What kiln_primitive_attr_set_ranks() takes. `combined`: bits of kiln_ranks_t. */
static inline kiln_ranks_t kiln_mpi_ranks(kiln_mpi_t *mpi, unsigned combined) {
    kiln_ranks_t ranks;
    memset(&ranks, 0, sizeof(ranks));
    ranks.count = mpi->count;
    ranks.combined = combined;
    ranks.context = mpi;
    ranks.start = kiln_mpi_start;
    ranks.wait = kiln_mpi_wait;
    return ranks;
}

#ifdef __cplusplus
}
#endif

#endif

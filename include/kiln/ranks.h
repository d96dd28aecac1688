/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalizations over several processes ("ranks"): batch, group, layer and RMS normalization whose
 * tensors are split among ranks. An attribute says what is combined over them, and how a small
 * buffer gets from each rank to all others; kiln/mpi.h has that for MPI.
 *
 *     local sums  ->  gather  ->  combined in rank order  ->  applied
 *
 * What is gathered is in double: (count, mean, sum of squares about the mean), or sums. The result
 * is bit-identical on all ranks and from run to run. A rank may have more of the split axis than
 * another one, or none of it; then its tensors have an axis of extent 0.
 *
 * It needs no library but dnnl. C99 and C++11; kiln/ranks.hpp has the C++ form.
 */
#ifndef KILN_RANKS_H
#define KILN_RANKS_H

#include <stddef.h>

#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is combined over all ranks; bits of kiln_ranks_t::combined. */
enum {
    /* Mean and variance; backward, the sums that diff_src takes from all elements which share
     * statistics. For tensors that are split along an axis that statistics are over: batch
     * normalization's samples or spatial axes, group normalization's channels of a group or spatial
     * axes, layer normalization's last axis. */
    kiln_combine_statistics = 1,
    /* diff_scale and diff_shift. For tensors that are split along an axis that these are summed
     * over: samples and spatial axes, the rows of layer normalization. Without this bit they are
     * those of the rank's own elements. */
    kiln_combine_weight_gradients = 2
};

/* How ranks reach each other. All ranks make the same executions in the same order, with the same
 * kinds of arguments; each execution makes one call of `gather`, or of `start` and then `wait`, on
 * the thread that executes. A status other than dnnl_success becomes that of the execution, whose
 * outputs are undefined then. With one rank nothing is called. */
typedef struct {
    int count;         /* of ranks; at least 1 */
    unsigned combined; /* bits of the enum above */
    /* Passed to the functions. It outlives the executions of every primitive that is made with it;
     * the library neither copies nor frees what it points to. */
    void *context;
    /* Sets all[r * count + i] to local[i] of rank r, for each rank r, this one included. `count`
     * is the same on all ranks. The buffers are not used after it returns. */
    dnnl_status_t (*gather)(void *context, const double *local, size_t count, double *all);
    /* The same in two parts, for which `gather` is null: the buffers are in use until wait()
     * returns, which gets the request that start() has set. Between the two the execution does what
     * does not depend on the message: diff_src of batch and group normalization that combine
     * gradients of scale and shift alone. */
    dnnl_status_t (*start)(
            void *context, const double *local, size_t count, double *all, void **request);
    dnnl_status_t (*wait)(void *context, void *request);
} kiln_ranks_t;

/* Sets the ranks that primitives made with `attr` combine their results with; NULL: none, as in a
 * new attribute. Operations other than normalizations refuse the attribute. A primitive is found in
 * the primitive cache by all fields of `ranks`. */
dnnl_status_t DNNL_API kiln_primitive_attr_set_ranks(
        dnnl_primitive_attr_t attr, const kiln_ranks_t *ranks);

/* Gives the ranks that are set; a count of 1 and nothing combined if there are none. */
dnnl_status_t DNNL_API kiln_primitive_attr_get_ranks(
        const_dnnl_primitive_attr_t attr, kiln_ranks_t *ranks);

#ifdef __cplusplus
}
#endif

#endif

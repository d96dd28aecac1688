/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kiln_layer_norm_grad: the gradients of a layer normalization in the terms of the operator
 * LayerNormGrad. With N elements in a row, and one row for each index of the axes A1..Ai:
 *
 *     rstd     = 1 / sqrt(variance + epsilon)          xhat = (x - mean) * rstd
 *     g        = dy * gamma
 *     pd_x     = rstd * (g - sum(g) / N - xhat * sum(g * xhat) / N)    sums over R1..Rj
 *     pd_gamma = sum(dy * xhat)      pd_beta = sum(dy)                 sums over A1..Ai
 *
 * All tensors are dense and row-major. It needs no library but dnnl. C99 and C++11.
 */
#ifndef KILN_LAYER_NORM_GRAD_H
#define KILN_LAYER_NORM_GRAD_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "oneapi/dnnl/dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of an output mask: the gradients that are wanted. */
enum { kiln_pd_x = 1, kiln_pd_gamma = 2, kiln_pd_beta = 4 };

/* What is given with the mean. */
typedef enum { kiln_given_variance, kiln_given_rstd } kiln_given_t;

typedef struct {
    int ndims;
    const dnnl_dim_t *dims; /* of dy, x and pd_x: A1..Ai, R1..Rj; read at creation only */
    int begin_norm_axis;    /* the axis of R1; negative ones count from the last */
    /* f32, bf16 or f16 each; or f64, if all are. */
    dnnl_data_type_t x_type;     /* of dy, x and pd_x */
    dnnl_data_type_t stat_type;  /* of variance (or rstd) and mean, which have A1..Ai elements */
    dnnl_data_type_t gamma_type; /* of gamma, pd_gamma and pd_beta, R1..Rj; undef: no gamma */
    unsigned output_mask;        /* 0: all gradients */
    kiln_given_t given;
    float epsilon; /* added to the variance; positive. Not used if rstd is given */
} kiln_layer_norm_grad_desc_t;

typedef struct {
    dnnl_primitive_t primitive;
    dnnl_engine_t engine; /* it outlives the gradient */
    size_t rows;
    unsigned output_mask;
    kiln_given_t given;
    dnnl_data_type_t stat_type;
} kiln_layer_norm_grad_t;

/* The value of an element of f64, f32, bf16 or f16. */
static inline double kiln_value_at(dnnl_data_type_t type, const void *data, size_t i) {
    uint32_t bits;
    float value;
    if (type == dnnl_f64) return ((const double *)data)[i];
    if (type == dnnl_f32) return (double)((const float *)data)[i];
    bits = ((const uint16_t *)data)[i];
    if (type == dnnl_f16) {
        /* The exponent is moved by a multiplication, which subnormal numbers survive. */
        const uint32_t is_special = (bits & 0x7c00u) == 0x7c00u;
        const float scale = is_special ? 1.f : 5.192296858534828e33f; /* 2^112 */
        const uint32_t exponent = is_special ? 0x7f800000u : 0;
        bits = (bits & 0x8000u) << 16 | exponent | (bits & 0x7fffu) << 13;
        memcpy(&value, &bits, sizeof(value));
        return (double)(value * scale);
    }
    bits <<= 16;
    memcpy(&value, &bits, sizeof(value));
    return (double)value;
}

/* Creates a gradient. dnnl_unimplemented or dnnl_invalid_arguments if the library refuses the
 * problem; ONEDNN_VERBOSE=all prints the reason. */
static inline dnnl_status_t kiln_layer_norm_grad_create(kiln_layer_norm_grad_t *grad,
        dnnl_engine_t engine, const kiln_layer_norm_grad_desc_t *desc) {
    const int is_rstd = desc->given == kiln_given_rstd;
    const int has_gamma = desc->gamma_type != dnnl_data_type_undef;
    const int axis = desc->begin_norm_axis + (desc->begin_norm_axis < 0 ? desc->ndims : 0);
    const dnnl_data_type_t weight_type = has_gamma                  ? desc->gamma_type
                                         : desc->x_type == dnnl_f64 ? dnnl_f64
                                                                    : dnnl_f32;
    const dnnl_data_type_t stat_type =
            is_rstd && desc->stat_type != dnnl_f64 ? dnnl_f32 : desc->stat_type;
    const unsigned flags = (has_gamma ? (unsigned)dnnl_use_scale : 0u) | (unsigned)dnnl_use_shift;
    dnnl_dims_t dims = {1, 1};
    dnnl_memory_desc_t x = NULL, stat = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status;
    int d;

    memset(grad, 0, sizeof(*grad));
    if (axis < 0 || axis >= desc->ndims) return dnnl_invalid_arguments;
    grad->output_mask = desc->output_mask ? desc->output_mask : 7;
    if (!has_gamma && desc->output_mask == 0) grad->output_mask = kiln_pd_x;
    if (!has_gamma && (grad->output_mask & kiln_pd_gamma)) return dnnl_invalid_arguments;
    for (d = 0; d < desc->ndims; ++d) dims[d >= axis] *= desc->dims[d];
    grad->engine = engine;
    grad->rows = (size_t)dims[0];
    grad->given = desc->given;
    grad->stat_type = desc->stat_type;

    status = dnnl_memory_desc_create_with_tag(&x, 2, dims, desc->x_type, dnnl_ab);
    if (status == dnnl_success)
        status = dnnl_memory_desc_create_with_tag(&stat, 1, dims, stat_type, dnnl_a);
    if (status == dnnl_success)
        status = dnnl_layer_normalization_backward_primitive_desc_create_v2(&pd, engine,
                dnnl_backward, x, x, x, stat, weight_type, weight_type,
                is_rstd ? FLT_MIN : desc->epsilon, flags, NULL, NULL);
    if (status == dnnl_success) status = dnnl_primitive_create(&grad->primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(stat);
    dnnl_memory_desc_destroy(x);
    return status;
}

/* Computes the gradients. Inputs are in the order of LayerNormGrad: VARIANCE (or rstd) comes before
 * MEAN. Outputs that the mask leaves away are not written and may be null; pd_x may be dy. Several
 * threads may execute one gradient. Returns when the gradients are computed. */
static inline dnnl_status_t kiln_layer_norm_grad_execute(const kiln_layer_norm_grad_t *grad,
        dnnl_stream_t stream, const void *dy, const void *x, const void *variance, const void *mean,
        const void *gamma, void *pd_x, void *pd_gamma, void *pd_beta) {
    enum { count = 8 };
    static const int kinds[count] = {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_VARIANCE,
            DNNL_ARG_MEAN, DNNL_ARG_SCALE, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SCALE,
            DNNL_ARG_DIFF_SHIFT};
    /* Handles are pointers to non-const, but inputs are only read. */
    void *data[count];
    const void *inputs[5];
    dnnl_exec_arg_t args[count];
    const_dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_success;
    double *doubles = NULL; /* variance and mean, if rstd is given; f64 or f32 */
    int i, used = 0;
    size_t row;

    inputs[0] = dy, inputs[1] = x, inputs[2] = variance, inputs[3] = mean, inputs[4] = gamma;
    memcpy(data, inputs, sizeof(inputs));
    data[5] = grad->output_mask & kiln_pd_x ? pd_x : NULL;
    data[6] = grad->output_mask & kiln_pd_gamma ? pd_gamma : NULL;
    data[7] = grad->output_mask & kiln_pd_beta ? pd_beta : NULL;
    if (grad->given == kiln_given_rstd && variance && mean) {
        /* variance = 1 / rstd^2 without an epsilon. */
        doubles = (double *)malloc((2 * grad->rows + 1) * sizeof(double));
        if (!doubles) return dnnl_out_of_memory;
        data[2] = doubles;
        data[3] = doubles + grad->rows;
        for (row = 0; row < grad->rows; ++row) {
            const double rstd = kiln_value_at(grad->stat_type, variance, row);
            const double given[2] = {1 / (rstd * rstd), kiln_value_at(grad->stat_type, mean, row)};
            for (i = 0; i < 2; ++i) {
                if (grad->stat_type == dnnl_f64)
                    ((double *)data[2 + i])[row] = given[i];
                else
                    ((float *)data[2 + i])[row] = (float)given[i];
            }
        }
    }
    status = dnnl_primitive_get_primitive_desc(grad->primitive, &pd);
    for (i = 0; i < count && status == dnnl_success; ++i) {
        if (!data[i]) continue; /* the library refuses the execution if it is required */
        args[used].arg = kinds[i];
        status = dnnl_memory_create(&args[used].memory,
                dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, kinds[i]), grad->engine,
                data[i]);
        if (status == dnnl_success) ++used;
    }
    if (status == dnnl_success)
        status = dnnl_primitive_execute(grad->primitive, stream, used, args);
    if (status == dnnl_success) status = dnnl_stream_wait(stream);
    while (used > 0) dnnl_memory_destroy(args[--used].memory);
    free(doubles);
    return status;
}

static inline dnnl_status_t kiln_layer_norm_grad_destroy(kiln_layer_norm_grad_t *grad) {
    const dnnl_status_t status =
            grad->primitive ? dnnl_primitive_destroy(grad->primitive) : dnnl_success;
    grad->primitive = NULL;
    return status;
}

#ifdef __cplusplus
}
#endif

#endif

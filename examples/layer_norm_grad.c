/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LayerNormGrad in C99: x of 2x3x4x5, normalized from axis 2 on, with every output mask, f32 and
 * bf16 data and statistics, variance or rstd given. Each gradient is compared with its formula.
 *
 *     cc -std=c99 layer_norm_grad.c -ldnnl -lm && ./a.out
 */
#include <math.h>
#include <stdio.h>

#include "kiln/layer_norm_grad.h"

enum { rows = 2 * 3, cols = 4 * 5, count = rows * cols };
static const dnnl_dim_t dims[] = {2, 3, 4, 5};
static const float epsilon = 1e-5f;

/* Tensors of f32 or bf16: the largest one has `count` elements of 4 bytes. */
typedef struct {
    dnnl_data_type_t type;
    float data[count];
} tensor_t;

static double at(const tensor_t *t, int i) { return kiln_value_at(t->type, t->data, (size_t)i); }

static void set(tensor_t *t, int i, double value) {
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof(bits));
    if (t->type == dnnl_f32)
        t->data[i] = rounded;
    else
        ((uint16_t *)t->data)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static tensor_t dy, x, variance, mean, weight, pd_x, pd_gamma, pd_beta;

/* Data, and what a forward pass stores. */
static void fill(kiln_given_t given) {
    int i, r, c;
    for (c = 0; c < cols; ++c) set(&weight, c, 1 + 0.5 * sin(c));
    for (i = 0; i < count; ++i) set(&x, i, sin(1.7 * i) + 0.3), set(&dy, i, cos(2.9 * i));
    for (r = 0; r < rows; ++r) {
        double sum = 0, squares = 0;
        for (c = 0; c < cols; ++c) sum += at(&x, r * cols + c);
        for (c = 0; c < cols; ++c) squares += pow(at(&x, r * cols + c) - sum / cols, 2);
        set(&mean, r, sum / cols);
        set(&variance, r,
                given == kiln_given_rstd ? 1 / sqrt(squares / cols + epsilon) : squares / cols);
    }
}

/* NaN is larger than any number. */
static double larger(double a, double b) { return b > a || b != b ? b : a; }

/* The largest error of the gradients in the mask. */
static double largest_error(kiln_given_t given, unsigned mask) {
    double want_gamma[cols] = {0}, want_beta[cols] = {0}, error = 0;
    int r, c;
    for (r = 0; r < rows; ++r) {
        const double v = at(&variance, r), m = at(&mean, r);
        const double rstd = given == kiln_given_rstd ? v : 1 / sqrt(v + epsilon);
        double g = 0, g_xhat = 0;
        for (c = 0; c < cols; ++c) {
            const double dy_c = at(&dy, r * cols + c), xhat = (at(&x, r * cols + c) - m) * rstd;
            g += dy_c * at(&weight, c) / cols;
            g_xhat += dy_c * at(&weight, c) * xhat / cols;
            want_gamma[c] += dy_c * xhat;
            want_beta[c] += dy_c;
        }
        for (c = 0; c < cols && mask & kiln_pd_x; ++c) {
            const double xhat = (at(&x, r * cols + c) - m) * rstd;
            const double want = rstd * (at(&dy, r * cols + c) * at(&weight, c) - g - xhat * g_xhat);
            error = larger(error, fabs(want - at(&pd_x, r * cols + c)));
        }
    }
    for (c = 0; c < cols; ++c) {
        if (mask & kiln_pd_gamma) error = larger(error, fabs(want_gamma[c] - at(&pd_gamma, c)));
        if (mask & kiln_pd_beta) error = larger(error, fabs(want_beta[c] - at(&pd_beta, c)));
    }
    return error;
}

static int is_right(dnnl_engine_t engine, dnnl_stream_t stream, dnnl_data_type_t type,
        kiln_given_t given, unsigned mask) {
    const kiln_layer_norm_grad_desc_t desc = {4, dims, 2, type, type, type, mask, given, epsilon};
    kiln_layer_norm_grad_t grad;
    dnnl_status_t status = kiln_layer_norm_grad_create(&grad, engine, &desc);
    if (status == dnnl_success)
        status = kiln_layer_norm_grad_execute(&grad, stream, dy.data, x.data, variance.data,
                mean.data, weight.data, pd_x.data, pd_gamma.data, pd_beta.data);
    kiln_layer_norm_grad_destroy(&grad);
    if (status != dnnl_success) printf("status %d\n", (int)status);
    return status == dnnl_success && largest_error(given, mask) < (type == dnnl_f32 ? 1e-5 : 0.03);
}

int main(void) {
    const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16};
    tensor_t *const tensors[] = {&dy, &x, &variance, &mean, &weight, &pd_x, &pd_gamma, &pd_beta};
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    unsigned mask, wrong = 0;
    int t, given, i;
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return 1;
    if (dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) != dnnl_success) return 1;
    for (t = 0; t < 2; ++t)
        for (given = kiln_given_variance; given <= kiln_given_rstd; ++given)
            for (mask = 1; mask < 8; ++mask) {
                for (i = 0; i < 8; ++i) tensors[i]->type = types[t];
                fill((kiln_given_t)given);
                wrong += !is_right(engine, stream, types[t], (kiln_given_t)given, mask);
            }
    printf("%u of 28 gradients are wrong\n", wrong);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
    return wrong != 0;
}

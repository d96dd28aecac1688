/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalizations of a pre-norm transformer block as graphs, in C99. Forward: residual addition and
 * LayerNorm. Backward: LayerNormBackward and addition of the residual's gradient. Each pair is
 * fused into one primitive. The example makes one step of gradient descent on gamma and beta and
 * compares a gradient with a finite difference of the loss. Simple functions replace attention and
 * MLP.
 *
 *     cc -std=c99 graph_pre_norm_block.c -ldnnl -lm && ./a.out
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "oneapi/dnnl/dnnl_graph.h"

enum { tokens = 16, features = 32, count = tokens * features };

/* Returns the status of a failing call from the enclosing function. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const dnnl_status_t status_ = (call);                                                      \
        if (status_ != dnnl_success) {                                                             \
            fprintf(stderr, "%s:%d: status %d from %s\n", __FILE__, __LINE__, (int)status_,        \
                    #call);                                                                        \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

/* -- The graphs -------------------------------------------------------------------------------- */

/* The edges of both graphs. Their values are the ids of logical tensors. */
enum {
    BRANCH,
    RESIDUAL,
    SUM,
    GAMMA,
    BETA,
    DST,
    MEAN,
    VARIANCE,
    DIFF_DST,
    DIFF_RESIDUAL,
    DIFF_NORM,
    DIFF_SUM,
    DIFF_GAMMA,
    DIFF_BETA,
    edges
};

/* A list of edges. */
typedef struct {
    size_t length;
    size_t edge[8];
} edges_t;

typedef struct {
    dnnl_graph_compiled_partition_t compiled;
    edges_t inputs, outputs; /* in the order of execution */
} step_t;

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static dnnl_graph_logical_tensor_t described[edges];
static dnnl_graph_tensor_t tensors[edges];
static step_t forward_step, backward_step;

static dnnl_status_t describe_edges(void) {
    size_t edge;
    for (edge = 0; edge < edges; ++edge) {
        const int is_of_tokens = edge == MEAN || edge == VARIANCE;
        const int is_of_features =
                edge == GAMMA || edge == BETA || edge == DIFF_GAMMA || edge == DIFF_BETA;
        dnnl_dim_t dims[2] = {tokens, features};
        if (is_of_features) dims[0] = features;
        TRY(dnnl_graph_logical_tensor_init_with_dims(&described[edge], edge, dnnl_f32,
                is_of_tokens || is_of_features ? 1 : 2, dims, dnnl_graph_layout_type_strided,
                dnnl_graph_tensor_property_undef));
        TRY(dnnl_graph_tensor_create(&tensors[edge], &described[edge], engine, DNNL_MEMORY_NONE));
    }
    return dnnl_success;
}

static dnnl_status_t add_op(dnnl_graph_graph_t graph, size_t id, dnnl_graph_op_kind_t kind,
        const char *name, edges_t inputs, edges_t outputs) {
    dnnl_graph_op_t op;
    dnnl_status_t status;
    size_t i;
    TRY(dnnl_graph_op_create(&op, id, kind, name));
    status = dnnl_success;
    for (i = 0; i < inputs.length && status == dnnl_success; ++i)
        status = dnnl_graph_op_add_input(op, &described[inputs.edge[i]]);
    for (i = 0; i < outputs.length && status == dnnl_success; ++i)
        status = dnnl_graph_op_add_output(op, &described[outputs.edge[i]]);
    if (status == dnnl_success) status = dnnl_graph_add_op(graph, op); /* adds a copy */
    dnnl_graph_op_destroy(op);
    return status;
}

/* sum = branch + residual; dst = LayerNorm(sum). The End makes sum an output, since its only other
 * consumer is inside the graph. */
static dnnl_status_t add_forward_ops(dnnl_graph_graph_t graph) {
    const edges_t addends = {2, {BRANCH, RESIDUAL}}, sum = {1, {SUM}}, none = {0, {0}};
    const edges_t norm_inputs = {3, {SUM, GAMMA, BETA}}, norm_outputs = {3, {DST, MEAN, VARIANCE}};
    TRY(add_op(graph, 0, dnnl_graph_op_add, "add", addends, sum));
    TRY(add_op(graph, 1, dnnl_graph_op_layer_norm, "norm", norm_inputs, norm_outputs));
    TRY(add_op(graph, 2, dnnl_graph_op_end, "keep_sum", sum, none));
    return dnnl_success;
}

/* diff_sum = LayerNormBackward(sum, diff_dst) + diff_residual, the residual path's gradient. */
static dnnl_status_t add_backward_ops(dnnl_graph_graph_t graph) {
    const edges_t norm_inputs = {6, {SUM, DIFF_DST, MEAN, VARIANCE, GAMMA, BETA}};
    const edges_t norm_outputs = {3, {DIFF_NORM, DIFF_GAMMA, DIFF_BETA}};
    const edges_t addends = {2, {DIFF_NORM, DIFF_RESIDUAL}}, sum = {1, {DIFF_SUM}};
    TRY(add_op(graph, 0, dnnl_graph_op_layer_norm_backward, "norm", norm_inputs, norm_outputs));
    TRY(add_op(graph, 1, dnnl_graph_op_add, "add", addends, sum));
    return dnnl_success;
}

static void point_at(const edges_t *list, const dnnl_graph_logical_tensor_t **pointers) {
    size_t i;
    for (i = 0; i < list->length; ++i) pointers[i] = &described[list->edge[i]];
}

static dnnl_status_t compile_partition(dnnl_graph_partition_t partition, step_t *step) {
    const dnnl_graph_logical_tensor_t *inputs[8], *outputs[8];
    point_at(&step->inputs, inputs);
    point_at(&step->outputs, outputs);
    TRY(dnnl_graph_compiled_partition_create(&step->compiled, partition));
    TRY(dnnl_graph_partition_compile(partition, step->compiled, step->inputs.length, inputs,
            step->outputs.length, outputs, engine));
    return dnnl_success;
}

/* Compiles the partition of the normalization and the addition. */
static dnnl_status_t compile_fused(dnnl_graph_graph_t graph, step_t *step) {
    dnnl_graph_partition_t partitions[3];
    dnnl_status_t status = dnnl_unimplemented;
    size_t num, i;
    TRY(dnnl_graph_graph_finalize(graph));
    TRY(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
    TRY(dnnl_graph_graph_get_partition_num(graph, &num));
    if (num > sizeof(partitions) / sizeof(*partitions)) return dnnl_runtime_error;
    TRY(dnnl_graph_graph_get_partitions(graph, num, partitions));
    for (i = 0; i < num; ++i) {
        uint8_t is_supported = 0;
        size_t ops = 0;
        dnnl_graph_partition_is_supported(partitions[i], &is_supported);
        dnnl_graph_partition_get_op_num(partitions[i], &ops);
        if (is_supported && ops == 2) status = compile_partition(partitions[i], step);
        dnnl_graph_partition_destroy(partitions[i]);
    }
    return status;
}

static dnnl_status_t make_step(dnnl_status_t (*add_ops)(dnnl_graph_graph_t), step_t *step) {
    dnnl_graph_graph_t graph;
    dnnl_status_t status;
    TRY(dnnl_graph_graph_create(&graph, dnnl_cpu));
    status = add_ops(graph);
    if (status == dnnl_success) status = compile_fused(graph, step);
    dnnl_graph_graph_destroy(graph);
    return status;
}

static dnnl_status_t set_up(void) {
    const edges_t forward_inputs = {4, {BRANCH, RESIDUAL, GAMMA, BETA}};
    const edges_t forward_outputs = {4, {SUM, DST, MEAN, VARIANCE}};
    const edges_t backward_inputs = {
            7, {SUM, DIFF_DST, MEAN, VARIANCE, GAMMA, BETA, DIFF_RESIDUAL}};
    const edges_t backward_outputs = {3, {DIFF_SUM, DIFF_GAMMA, DIFF_BETA}};
    TRY(dnnl_engine_create(&engine, dnnl_cpu, 0));
    TRY(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    TRY(describe_edges());
    forward_step.inputs = forward_inputs;
    forward_step.outputs = forward_outputs;
    TRY(make_step(add_forward_ops, &forward_step));
    backward_step.inputs = backward_inputs;
    backward_step.outputs = backward_outputs;
    TRY(make_step(add_backward_ops, &backward_step));
    return dnnl_success;
}

static void tear_down(void) {
    size_t edge;
    if (backward_step.compiled) dnnl_graph_compiled_partition_destroy(backward_step.compiled);
    if (forward_step.compiled) dnnl_graph_compiled_partition_destroy(forward_step.compiled);
    for (edge = 0; edge < edges; ++edge)
        if (tensors[edge]) dnnl_graph_tensor_destroy(tensors[edge]);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
}

/* -- A normalization with its residual addition ------------------------------------------------ */

/* The parameters of a normalization, and the tensors that its backward pass needs. */
typedef struct {
    float gamma[features], beta[features];
    float sum[count], dst[count], mean[tokens], variance[tokens];
    float diff_gamma[features], diff_beta[features];
} norm_t;

/* Handles are pointers to non-const, but inputs are only read. */
static dnnl_status_t bind(size_t edge, const float *values) {
    return dnnl_graph_tensor_set_data_handle(tensors[edge], (void *)(uintptr_t)values);
}

static dnnl_status_t bind_norm(const norm_t *norm) {
    TRY(bind(SUM, norm->sum));
    TRY(bind(GAMMA, norm->gamma));
    TRY(bind(BETA, norm->beta));
    TRY(bind(DST, norm->dst));
    TRY(bind(MEAN, norm->mean));
    TRY(bind(VARIANCE, norm->variance));
    TRY(bind(DIFF_GAMMA, norm->diff_gamma));
    TRY(bind(DIFF_BETA, norm->diff_beta));
    return dnnl_success;
}

static dnnl_status_t execute(const step_t *step) {
    const_dnnl_graph_tensor_t inputs[8], outputs[8];
    size_t i;
    for (i = 0; i < step->inputs.length; ++i) inputs[i] = tensors[step->inputs.edge[i]];
    for (i = 0; i < step->outputs.length; ++i) outputs[i] = tensors[step->outputs.edge[i]];
    TRY(dnnl_graph_compiled_partition_execute(
            step->compiled, stream, step->inputs.length, inputs, step->outputs.length, outputs));
    return dnnl_stream_wait(stream);
}

static dnnl_status_t normalize(const norm_t *norm, const float *branch, const float *residual) {
    TRY(bind_norm(norm));
    TRY(bind(BRANCH, branch));
    TRY(bind(RESIDUAL, residual));
    return execute(&forward_step);
}

static dnnl_status_t normalize_backward(const norm_t *norm, const float *diff_dst,
        const float *diff_residual, const float *diff_sum) {
    TRY(bind_norm(norm));
    TRY(bind(DIFF_DST, diff_dst));
    TRY(bind(DIFF_RESIDUAL, diff_residual));
    TRY(bind(DIFF_SUM, diff_sum));
    return execute(&backward_step);
}

/* -- The block --------------------------------------------------------------------------------- */

static norm_t before_attention, before_mlp;
static float branch[count], residual[count], target[count];
static float diff_result[count]; /* gradient of the loss with respect to the block's result */

static void fill(void) {
    int i;
    for (i = 0; i < count; ++i) {
        branch[i] = (float)(i * 37 % 101 - 50) / 50;
        residual[i] = (float)(i * 53 % 97 - 48) / 48;
        target[i] = (float)(i * 71 % 89 - 44) / 44;
    }
    for (i = 0; i < features; ++i) before_attention.gamma[i] = before_mlp.gamma[i] = 1;
}

/* Replaces attention: each token becomes the mean of itself and the token before. */
static void attend(const float *src, float *dst) {
    int i;
    for (i = 0; i < count; ++i) dst[i] = (src[i] + (i < features ? 0 : src[i - features])) / 2;
}

static void attend_backward(const float *diff_dst, float *diff_src) {
    int i;
    for (i = 0; i < count; ++i)
        diff_src[i] = (diff_dst[i] + (i + features < count ? diff_dst[i + features] : 0)) / 2;
}

/* Half the mean squared error of the block's result. tanh replaces the MLP. */
static dnnl_status_t forward(double *loss) {
    static float attention[count];
    int i;
    TRY(normalize(&before_attention, branch, residual));
    attend(before_attention.dst, attention);
    TRY(normalize(&before_mlp, attention, before_attention.sum));
    *loss = 0;
    for (i = 0; i < count; ++i) {
        const double off = before_mlp.sum[i] + tanh(before_mlp.dst[i]) - target[i];
        diff_result[i] = (float)(off / count);
        *loss += off * off / (2. * count);
    }
    return dnnl_success;
}

/* Computes the gradients of gamma and beta from diff_result. */
static dnnl_status_t backward(void) {
    static float diff_mlp[count], diff_attention[count], diff_sum[count], diff_src[count];
    int i;
    for (i = 0; i < count; ++i)
        diff_mlp[i] = diff_result[i] * (float)(1 - pow(tanh(before_mlp.dst[i]), 2));
    TRY(normalize_backward(&before_mlp, diff_mlp, diff_result, diff_sum));
    attend_backward(diff_sum, diff_attention);
    return normalize_backward(&before_attention, diff_attention, diff_sum, diff_src);
}

/* Compares the largest element of the gradient of gamma with a finite difference of the loss. */
static dnnl_status_t check_gradient(int *agrees) {
    const float step = 1.f / 64, *diff_gamma = before_attention.diff_gamma;
    float *gamma = before_attention.gamma, value;
    double above, below, slope;
    int i, at = 0;
    for (i = 0; i < features; ++i)
        if (fabsf(diff_gamma[i]) > fabsf(diff_gamma[at])) at = i;
    value = gamma[at];
    gamma[at] = value + step;
    TRY(forward(&above));
    gamma[at] = value - step;
    TRY(forward(&below));
    gamma[at] = value;

    slope = (above - below) / (2 * (double)step);
    *agrees = fabs(slope - diff_gamma[at]) < 1e-2 * fabs(diff_gamma[at]);
    printf("gamma[%d]: gradient %.6f, measured slope %.6f: %s\n", at, diff_gamma[at], slope,
            *agrees ? "agrees" : "DIFFERS");
    return dnnl_success;
}

static void descend(norm_t *norm) {
    const float rate = 4;
    int i;
    for (i = 0; i < features; ++i) {
        norm->gamma[i] -= rate * norm->diff_gamma[i];
        norm->beta[i] -= rate * norm->diff_beta[i];
    }
}

static dnnl_status_t train(int *is_right) {
    double before, after;
    int agrees;
    TRY(set_up());
    fill();
    TRY(forward(&before));
    TRY(backward());
    TRY(check_gradient(&agrees));
    descend(&before_attention);
    descend(&before_mlp);
    TRY(forward(&after));
    printf("loss before the step %.6f, after it %.6f\n", before, after);
    *is_right = agrees && after < before;
    return dnnl_success;
}

int main(void) {
    int is_right = 0;
    const dnnl_status_t status = train(&is_right);
    tear_down();
    return status == dnnl_success && is_right ? 0 : 1;
}

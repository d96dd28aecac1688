// SPDX-License-Identifier: Apache-2.0
// The types of the graph interface: logical tensors, operations, partitions.

#ifndef ONEAPI_DNNL_DNNL_GRAPH_TYPES_H
#define ONEAPI_DNNL_DNNL_GRAPH_TYPES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_common_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Logical tensors ------------------------------------------------------------------------------

/// An unknown number of dimensions.
#define DNNL_GRAPH_UNKNOWN_NDIMS (-1)

/// An unknown dimension.
#define DNNL_GRAPH_UNKNOWN_DIM INT64_MIN

/// The kind of a logical tensor's layout.
typedef enum {
    dnnl_graph_layout_type_undef = 0,   ///< Unknown.
    dnnl_graph_layout_type_any = 1,     ///< Chosen by compilation.
    dnnl_graph_layout_type_strided = 2, ///< Described by strides.
    dnnl_graph_layout_type_opaque = 3,  ///< Described by an id from compilation.
} dnnl_graph_layout_type_t;

/// The property of a logical tensor's data.
typedef enum {
    dnnl_graph_tensor_property_undef = 0,    ///< Unknown.
    dnnl_graph_tensor_property_variable = 1, ///< May change between executions.
    /// Does not change between executions; the library may cache what it computes from it.
    dnnl_graph_tensor_property_constant = 2,
    dnnl_graph_tensor_property_host_scalar = 3, ///< One value in host memory.
} dnnl_graph_tensor_property_t;

/// An edge of a graph: a tensor without data. Logical tensors with one id are the same edge.
typedef struct {
    size_t id;        ///< Unique within the graph.
    int ndims;        ///< 0 to DNNL_MAX_NDIMS, or DNNL_GRAPH_UNKNOWN_NDIMS.
    dnnl_dims_t dims; ///< Each may be DNNL_GRAPH_UNKNOWN_DIM.
    dnnl_data_type_t data_type;
    dnnl_graph_tensor_property_t property;
    dnnl_graph_layout_type_t layout_type; ///< Selects the member of `layout`.
    union {
        dnnl_dims_t strides; ///< In elements, of a strided layout.
        size_t layout_id;    ///< Of an opaque layout.
    } layout;
} dnnl_graph_logical_tensor_t;

// -- Graphs and partitions ------------------------------------------------------------------------

/// How a graph is divided into partitions.
typedef enum {
    dnnl_graph_partition_policy_fusion = 1, ///< Fused operations form one partition.
    dnnl_graph_partition_policy_debug = 2,  ///< Each operation is a partition.
} dnnl_graph_partition_policy_t;

/// What is dumped to files; a combination of flags.
typedef enum {
    dnnl_graph_dump_mode_none = 0x0,     ///< Nothing.
    dnnl_graph_dump_mode_subgraph = 0x1, ///< Partitions when they are compiled.
    dnnl_graph_dump_mode_graph = 0x2,    ///< Graphs when they are partitioned.
} dnnl_graph_dump_mode_t;

/// A graph: operations and the logical tensors between them. Opaque.
struct dnnl_graph_graph;
typedef struct dnnl_graph_graph *dnnl_graph_graph_t;
typedef const struct dnnl_graph_graph *const_dnnl_graph_graph_t;

/// A partition: operations of a graph that are compiled together. Opaque.
struct dnnl_graph_partition;
typedef struct dnnl_graph_partition *dnnl_graph_partition_t;
typedef const struct dnnl_graph_partition *const_dnnl_graph_partition_t;

/// A compiled partition: a partition compiled for given shapes and layouts. Opaque.
struct dnnl_graph_compiled_partition;
typedef struct dnnl_graph_compiled_partition *dnnl_graph_compiled_partition_t;
typedef const struct dnnl_graph_compiled_partition *const_dnnl_graph_compiled_partition_t;

/// The ids of an input and an output that may share a buffer.
typedef struct {
    size_t input_id;
    size_t output_id;
} dnnl_graph_inplace_pair_t;

// -- Tensors and allocators -----------------------------------------------------------------------

/// A tensor: a logical tensor, an engine and a buffer with the data. Opaque.
struct dnnl_graph_tensor;
typedef struct dnnl_graph_tensor *dnnl_graph_tensor_t;
typedef const struct dnnl_graph_tensor *const_dnnl_graph_tensor_t;

/// Returns a buffer of `size` bytes with this alignment, or NULL.
typedef void *(*dnnl_graph_host_allocate_f)(size_t size, size_t alignment);

/// Frees a buffer that the function above returned.
typedef void (*dnnl_graph_host_deallocate_f)(void *);

/// An allocator: the functions with which graphs allocate memory. Opaque.
struct dnnl_graph_allocator;
typedef struct dnnl_graph_allocator *dnnl_graph_allocator_t;
typedef const struct dnnl_graph_allocator *const_dnnl_graph_allocator_t;

// -- Operations -----------------------------------------------------------------------------------

/// The kind of an operation.
typedef enum {
    dnnl_graph_op_abs = 0,
    dnnl_graph_op_abs_backward = 1,
    dnnl_graph_op_add = 2,
    dnnl_graph_op_avg_pool = 3,
    dnnl_graph_op_avg_pool_backward = 4,
    dnnl_graph_op_batch_norm_backward = 5,
    dnnl_graph_op_batch_norm_forward_training = 6,
    dnnl_graph_op_batch_norm_inference = 7,
    dnnl_graph_op_bias_add = 8,
    dnnl_graph_op_bias_add_backward = 9,
    dnnl_graph_op_clamp = 10,
    dnnl_graph_op_clamp_backward = 11,
    dnnl_graph_op_concat = 12,
    dnnl_graph_op_convolution = 13,
    dnnl_graph_op_convolution_backward_data = 14,
    dnnl_graph_op_convolution_backward_weights = 15,
    dnnl_graph_op_conv_transpose = 16,
    dnnl_graph_op_conv_transpose_backward_data = 17,
    dnnl_graph_op_conv_transpose_backward_weights = 18,
    dnnl_graph_op_dequantize = 19,
    dnnl_graph_op_divide = 20,
    dnnl_graph_op_dynamic_dequantize = 21,
    dnnl_graph_op_dynamic_quantize = 22,
    dnnl_graph_op_elu = 23,
    dnnl_graph_op_elu_backward = 24,
    dnnl_graph_op_end = 25, ///< Makes its input an output of the graph.
    dnnl_graph_op_exp = 26,
    dnnl_graph_op_gelu = 27,
    dnnl_graph_op_gelu_backward = 28,
    dnnl_graph_op_hard_swish = 29,
    dnnl_graph_op_hard_swish_backward = 30,
    dnnl_graph_op_interpolate = 31,
    dnnl_graph_op_interpolate_backward = 32,
    dnnl_graph_op_layer_norm = 33,
    /// Inputs: src, diff_dst, mean, variance, gamma, beta. Their number, with use_affine, says
    /// which are left away; without mean and variance (use_stats=false) these are computed from
    /// src.
    dnnl_graph_op_layer_norm_backward = 34,
    dnnl_graph_op_leaky_relu = 35,
    dnnl_graph_op_log = 36,
    dnnl_graph_op_log_softmax = 37,
    dnnl_graph_op_log_softmax_backward = 38,
    dnnl_graph_op_matmul = 39,
    dnnl_graph_op_maximum = 40,
    dnnl_graph_op_max_pool = 41,
    dnnl_graph_op_max_pool_backward = 42,
    dnnl_graph_op_minimum = 43,
    dnnl_graph_op_mish = 44,
    dnnl_graph_op_mish_backward = 45,
    dnnl_graph_op_multiply = 46,
    dnnl_graph_op_prelu = 47,
    dnnl_graph_op_prelu_backward = 48,
    dnnl_graph_op_quantize = 49,
    dnnl_graph_op_reciprocal = 50,
    dnnl_graph_op_reduce_l1 = 51,
    dnnl_graph_op_reduce_l2 = 52,
    dnnl_graph_op_reduce_max = 53,
    dnnl_graph_op_reduce_mean = 54,
    dnnl_graph_op_reduce_min = 55,
    dnnl_graph_op_reduce_prod = 56,
    dnnl_graph_op_reduce_sum = 57,
    dnnl_graph_op_relu = 58,
    dnnl_graph_op_relu_backward = 59,
    dnnl_graph_op_reorder = 60,
    dnnl_graph_op_round = 61,
    dnnl_graph_op_sigmoid = 62,
    dnnl_graph_op_sigmoid_backward = 63,
    dnnl_graph_op_softmax = 64,
    dnnl_graph_op_softmax_backward = 65,
    dnnl_graph_op_softplus = 66,
    dnnl_graph_op_softplus_backward = 67,
    dnnl_graph_op_sqrt = 68,
    dnnl_graph_op_sqrt_backward = 69,
    dnnl_graph_op_square = 70,
    dnnl_graph_op_squared_difference = 71,
    dnnl_graph_op_static_reshape = 72,
    dnnl_graph_op_static_transpose = 73,
    dnnl_graph_op_subtract = 74,
    dnnl_graph_op_tanh = 75,
    dnnl_graph_op_tanh_backward = 76,
    dnnl_graph_op_type_cast = 77,
    /// An operation that the library does not know; never part of a supported partition.
    dnnl_graph_op_wildcard = 78,
    dnnl_graph_op_hard_sigmoid = 79,
    dnnl_graph_op_hard_sigmoid_backward = 80,
    dnnl_graph_op_select = 81,
    dnnl_graph_op_pow = 82,
    dnnl_graph_op_group_norm = 83,
    dnnl_graph_op_gen_index = 84,
    dnnl_graph_op_greater_equal = 85,
    dnnl_graph_op_rms_norm = 86,
    dnnl_graph_op_dropout = 87,

    dnnl_graph_op_last_symbol = 88, ///< The number of kinds.
} dnnl_graph_op_kind_t;

/// An attribute of an operation. The schema of each kind defines its required and optional
/// attributes.
typedef enum {
    dnnl_graph_op_attr_undef = 0x0, ///< None.

    // One f32.
    dnnl_graph_op_attr_alpha = 0x1,
    dnnl_graph_op_attr_beta = 0x2,
    dnnl_graph_op_attr_epsilon = 0x3,
    dnnl_graph_op_attr_max = 0x4,
    dnnl_graph_op_attr_min = 0x5,
    dnnl_graph_op_attr_momentum = 0x6,

    // A list of f32.
    dnnl_graph_op_attr_scales = 0x20,

    // One s64.
    dnnl_graph_op_attr_axis = 0x30,
    dnnl_graph_op_attr_begin_norm_axis = 0x31,
    dnnl_graph_op_attr_groups = 0x32,

    // A list of s64.
    dnnl_graph_op_attr_axes = 0x40,
    dnnl_graph_op_attr_dilations = 0x41,
    dnnl_graph_op_attr_dst_shape = 0x42,
    dnnl_graph_op_attr_kernel = 0x43,
    dnnl_graph_op_attr_order = 0x44,
    dnnl_graph_op_attr_output_padding = 0x45,
    dnnl_graph_op_attr_pads_begin = 0x46,
    dnnl_graph_op_attr_pads_end = 0x47,
    dnnl_graph_op_attr_shape = 0x48,
    dnnl_graph_op_attr_sizes = 0x49,
    dnnl_graph_op_attr_src_shape = 0x4a,
    dnnl_graph_op_attr_strides = 0x4b,
    dnnl_graph_op_attr_weights_shape = 0x4c,
    dnnl_graph_op_attr_zps = 0x4d,
    dnnl_graph_op_attr_group_shape = 0x4e,

    // One boolean.
    dnnl_graph_op_attr_exclude_pad = 0x60,
    dnnl_graph_op_attr_keep_dims = 0x61,
    dnnl_graph_op_attr_keep_stats = 0x62,
    dnnl_graph_op_attr_per_channel_broadcast = 0x63,
    dnnl_graph_op_attr_special_zero = 0x64,
    dnnl_graph_op_attr_transpose_a = 0x65,
    dnnl_graph_op_attr_transpose_b = 0x66,
    dnnl_graph_op_attr_use_affine = 0x67, ///< True: gamma is required. False: it is not used.
    dnnl_graph_op_attr_use_dst = 0x68,

    // One string.
    dnnl_graph_op_attr_auto_broadcast = 0x80, ///< "none" or "numpy"
    dnnl_graph_op_attr_auto_pad = 0x81,       ///< "none", "same_upper", "same_lower" or "valid"
    dnnl_graph_op_attr_coordinate_transformation_mode = 0x82, ///< "half_pixel" or "align_corners"
    dnnl_graph_op_attr_data_format = 0x83,                    ///< "NCX" or "NXC"
    /// Interpolate: "nearest", "linear", "bilinear", "trilinear". SoftMax: "none", "inf_as_zero".
    /// GELU: "gelu_erf", "gelu_tanh".
    dnnl_graph_op_attr_mode = 0x84,
    dnnl_graph_op_attr_qtype = 0x85,          ///< "per_tensor" or "per_channel"
    dnnl_graph_op_attr_rounding_type = 0x86,  ///< "floor" or "ceil"
    dnnl_graph_op_attr_weights_format = 0x87, ///< "OIX", "XIO", "IOX" or "XOI"
    /// "strict", "relaxed", "any", "f32", "s32" or "f16"
    dnnl_graph_op_attr_accumulation_mode = 0x88,

    dnnl_graph_op_attr_end = 0xff, ///< Beyond the last attribute.
} dnnl_graph_op_attr_t;

/// An operation: a node of a graph. Opaque.
struct dnnl_graph_op;
typedef struct dnnl_graph_op *dnnl_graph_op_t;
typedef const struct dnnl_graph_op *const_dnnl_graph_op_t;

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_GRAPH_TYPES_H

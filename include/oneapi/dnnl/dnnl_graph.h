// SPDX-License-Identifier: Apache-2.0
// The C functions of the graph interface.

#ifndef ONEAPI_DNNL_DNNL_GRAPH_H
#define ONEAPI_DNNL_DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_graph_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The conventions of dnnl.h apply: statuses, ownership, lifetimes, threads. A graph is used in this
// order: add operations, finalize, filter, get the partitions, compile each for known shapes,
// execute. Logical tensors are plain structs that belong to the caller; the graph copies
// operations.

// -- Allocators and engines -----------------------------------------------------------------------

/// Creates an allocator from two functions. If either is NULL, the library's allocation is used.
dnnl_status_t DNNL_API dnnl_graph_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free);

/// Destroys an allocator. dnnl_invalid_arguments if it is NULL.
dnnl_status_t DNNL_API dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator);

/// Creates an engine that allocates with `alloc`, which must outlive it. Returns the statuses of
/// dnnl_engine_create().
dnnl_status_t DNNL_API dnnl_graph_make_engine_with_allocator(dnnl_engine_t *engine,
        dnnl_engine_kind_t kind, size_t index, const_dnnl_graph_allocator_t alloc);

// -- Logical tensors ------------------------------------------------------------------------------

/// Initializes a logical tensor with unknown dimensions; `ndims` may be
/// DNNL_GRAPH_UNKNOWN_NDIMS. `tid` is its id. dnnl_invalid_arguments if `ndims` exceeds
/// DNNL_MAX_NDIMS, or a host scalar has dimensions or is not f32, s32 or s64.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init(dnnl_graph_logical_tensor_t *logical_tensor,
        size_t tid, dnnl_data_type_t dtype, int32_t ndims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype);

/// The same with `ndims` dimensions, each of which may be DNNL_GRAPH_UNKNOWN_DIM. If the layout is
/// strided and all dimensions are known, the strides are dense row-major.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init_with_dims(
        dnnl_graph_logical_tensor_t *logical_tensor, size_t tid, dnnl_data_type_t dtype,
        int32_t ndims, const dnnl_dim_t *dims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype);

/// The same with `ndims` strides in elements. The layout is strided.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init_with_strides(
        dnnl_graph_logical_tensor_t *logical_tensor, size_t tid, dnnl_data_type_t dtype,
        int32_t ndims, const dnnl_dim_t *dims, const dnnl_dim_t *strides,
        dnnl_graph_tensor_property_t ptype);

/// Returns the bytes of a buffer for the tensor; SIZE_MAX if dimensions or layout are unknown.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_get_mem_size(
        const dnnl_graph_logical_tensor_t *logical_tensor, size_t *size);

/// Returns 1 if id, data type, property, dimensions and layout of both are equal, else 0.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_is_equal(const dnnl_graph_logical_tensor_t *lt1,
        const dnnl_graph_logical_tensor_t *lt2, uint8_t *is_equal);

// -- Tensors --------------------------------------------------------------------------------------

/// Creates a tensor. `handle` is the caller's buffer, DNNL_MEMORY_ALLOCATE or DNNL_MEMORY_NONE.
/// dnnl_invalid_arguments for a host scalar.
dnnl_status_t DNNL_API dnnl_graph_tensor_create(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, dnnl_engine_t engine, void *handle);

/// Creates a tensor of a host scalar with a copy of the value at `handle`. dnnl_invalid_arguments
/// for other logical tensors, and if `handle` is not the address of a value.
dnnl_status_t DNNL_API dnnl_graph_tensor_create_scalar(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, void *handle);

/// Destroys a tensor, with its buffer if the library allocated it.
dnnl_status_t DNNL_API dnnl_graph_tensor_destroy(dnnl_graph_tensor_t tensor);

/// Returns the address of the buffer; NULL for a host scalar.
dnnl_status_t DNNL_API dnnl_graph_tensor_get_data_handle(
        const_dnnl_graph_tensor_t tensor, void **handle);

/// Replaces the buffer by the caller's. dnnl_invalid_arguments for a host scalar.
dnnl_status_t DNNL_API dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor, void *handle);

/// Returns the engine of a tensor; NULL for a host scalar.
dnnl_status_t DNNL_API dnnl_graph_tensor_get_engine(
        const_dnnl_graph_tensor_t tensor, dnnl_engine_t *engine);

/// Returns the logical tensor of a tensor.
dnnl_status_t DNNL_API dnnl_graph_tensor_get_logical_tensor(
        const_dnnl_graph_tensor_t tensor, dnnl_graph_logical_tensor_t *logical_tensor);

// -- Operations -----------------------------------------------------------------------------------

/// Creates an operation without inputs, outputs or attributes. `id` must be unique within its
/// graph. `verbose_name` is copied; verbose lines and dumps show it.
dnnl_status_t DNNL_API dnnl_graph_op_create(
        dnnl_graph_op_t *op, size_t id, dnnl_graph_op_kind_t kind, const char *verbose_name);

/// Destroys an operation. Graphs to which it was added keep their copies.
dnnl_status_t DNNL_API dnnl_graph_op_destroy(dnnl_graph_op_t op);

/// Appends an input. Inputs are in the order of the operation's schema.
dnnl_status_t DNNL_API dnnl_graph_op_add_input(
        dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *input);

/// Appends an output. Outputs are in the order of the operation's schema.
dnnl_status_t DNNL_API dnnl_graph_op_add_output(
        dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *output);

/// Sets an attribute of f32: one value, for which `value_len` is ignored, or a list of `value_len`
/// values. The values are copied. `value` may be NULL for an empty list.
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_f32(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const float *value, size_t value_len);

/// Sets a boolean attribute to 0 or 1. `value_len` must be 1. The value is copied.
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_bool(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const uint8_t *value, size_t value_len);

/// Sets an attribute of s64: one value, for which `value_len` is ignored, or a list of `value_len`
/// values. The values are copied. `value` may be NULL for an empty list.
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_s64(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const int64_t *value, size_t value_len);

/// Sets a string attribute. `value` ends with a null character and is copied. `value_len` must not
/// be 0 and is ignored otherwise.
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_str(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const char *value, size_t value_len);

/// Returns the id of an operation.
dnnl_status_t DNNL_API dnnl_graph_op_get_id(const_dnnl_graph_op_t op, size_t *id);

/// Returns the kind of an operation.
dnnl_status_t DNNL_API dnnl_graph_op_get_kind(const_dnnl_graph_op_t op, dnnl_graph_op_kind_t *kind);

// -- Graphs ---------------------------------------------------------------------------------------

/// Creates an empty graph for engines of this kind.
dnnl_status_t DNNL_API dnnl_graph_graph_create(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind);

/// The same with a floating-point math mode.
dnnl_status_t DNNL_API dnnl_graph_graph_create_with_fpmath_mode(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind, dnnl_fpmath_mode_t mode);

/// Destroys a graph. Its partitions remain valid.
dnnl_status_t DNNL_API dnnl_graph_graph_destroy(dnnl_graph_graph_t graph);

/// Sets the floating-point math mode. If `apply_to_int` is not 0, integer inputs may be converted
/// to its types, too.
dnnl_status_t DNNL_API dnnl_graph_graph_set_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t mode, int apply_to_int);

/// Returns the floating-point math mode. Output pointers may be NULL.
dnnl_status_t DNNL_API dnnl_graph_graph_get_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t *mode, int *apply_to_int);

/// Adds a copy of an operation. dnnl_invalid_graph if the graph is finalized,
/// dnnl_invalid_graph_op if the operation does not match its schema.
dnnl_status_t DNNL_API dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op);

/// Completes the graph and checks it as a whole. dnnl_invalid_graph if its tensors are inconsistent
/// or its operations form a cycle.
dnnl_status_t DNNL_API dnnl_graph_graph_finalize(dnnl_graph_graph_t graph);

/// Returns 1 if the graph is finalized, else 0.
dnnl_status_t DNNL_API dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph, uint8_t *finalized);

/// Divides the graph into partitions. dnnl_invalid_graph if it is not finalized.
dnnl_status_t DNNL_API dnnl_graph_graph_filter(
        dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy);

/// Returns the number of partitions.
dnnl_status_t DNNL_API dnnl_graph_graph_get_partition_num(
        const_dnnl_graph_graph_t graph, size_t *num);

/// Creates the partitions, in an execution order. `partitions` has room for `num`, which must be
/// the number of partitions. The caller destroys each of them.
dnnl_status_t DNNL_API dnnl_graph_graph_get_partitions(
        dnnl_graph_graph_t graph, size_t num, dnnl_graph_partition_t *partitions);

// -- Partitions -----------------------------------------------------------------------------------

/// Creates a partition of a single operation without a graph.
dnnl_status_t DNNL_API dnnl_graph_partition_create_with_op(
        dnnl_graph_partition_t *partition, const_dnnl_graph_op_t op, dnnl_engine_kind_t ekind);

/// Destroys a partition.
dnnl_status_t DNNL_API dnnl_graph_partition_destroy(dnnl_graph_partition_t partition);

/// Returns the number of operations of a partition.
dnnl_status_t DNNL_API dnnl_graph_partition_get_op_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Returns their ids. `num`, the size of `ids`, must be the number of operations.
dnnl_status_t DNNL_API dnnl_graph_partition_get_ops(
        dnnl_graph_partition_t partition, size_t num, size_t *ids);

/// Returns the id of a partition, which is unique within the process.
dnnl_status_t DNNL_API dnnl_graph_partition_get_id(
        const_dnnl_graph_partition_t partition, size_t *id);

/// Compiles a partition into `compiled_partition`, which was created from it. Inputs and outputs
/// are matched with ports by id. Inputs have known dimensions and strided or opaque layouts;
/// outputs may have unknown dimensions and layout any. dnnl_invalid_arguments if the partition is
/// not supported or a tensor is missing, dnnl_invalid_shape if shapes contradict each other,
/// dnnl_unimplemented if no implementation supports them.
dnnl_status_t DNNL_API dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
        dnnl_graph_compiled_partition_t compiled_partition, size_t in_num,
        const dnnl_graph_logical_tensor_t **inputs, size_t out_num,
        const dnnl_graph_logical_tensor_t **outputs, dnnl_engine_t engine);

/// Returns the number of inputs of a partition.
dnnl_status_t DNNL_API dnnl_graph_partition_get_input_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Returns the inputs. dnnl_invalid_arguments if `num` is not their number.
dnnl_status_t DNNL_API dnnl_graph_partition_get_input_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *inputs);

/// Returns the number of outputs of a partition.
dnnl_status_t DNNL_API dnnl_graph_partition_get_output_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Returns the outputs. dnnl_invalid_arguments if `num` is not their number.
dnnl_status_t DNNL_API dnnl_graph_partition_get_output_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *outputs);

/// Returns 1 if the library can compile the partition, else 0. The caller has to compute
/// unsupported partitions.
dnnl_status_t DNNL_API dnnl_graph_partition_is_supported(
        const_dnnl_graph_partition_t partition, uint8_t *is_supported);

/// Returns the kind of engine of the partition.
dnnl_status_t DNNL_API dnnl_graph_partition_get_engine_kind(
        const_dnnl_graph_partition_t partition, dnnl_engine_kind_t *kind);

// -- Compiled partitions --------------------------------------------------------------------------

/// Creates an empty compiled partition for dnnl_graph_partition_compile().
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_create(
        dnnl_graph_compiled_partition_t *compiled_partition, dnnl_graph_partition_t partition);

/// Executes a compiled partition with tensors in the order of its compilation. On a CPU the
/// execution is complete when the function returns.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs);

/// The same with the caller's scratchpad, as described by
/// dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(). If it is NULL, the library
/// allocates one.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad);

/// Destroys a compiled partition. Its executions must be complete.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_destroy(
        dnnl_graph_compiled_partition_t compiled_partition);

/// Returns the logical tensor with this id, with the dimensions and layout of the compilation.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_query_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid,
        dnnl_graph_logical_tensor_t *lt);

/// Returns the pairs of an input and an output that may share a buffer.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_get_inplace_ports(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
        const dnnl_graph_inplace_pair_t **inplace_pairs);

/// Returns the scratchpad of an execution: a vector of u8 whose length is its size in bytes.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_graph_logical_tensor_t *lt);

// -- Caches and debugging -------------------------------------------------------------------------

/// Returns the capacity of the compiled partition cache.
dnnl_status_t DNNL_API dnnl_graph_get_compiled_partition_cache_capacity(int *capacity);

/// Sets the capacity and evicts what exceeds it; 0 disables the cache. dnnl_invalid_arguments if it
/// is negative.
dnnl_status_t DNNL_API dnnl_graph_set_compiled_partition_cache_capacity(int capacity);

/// Enables the constant tensor cache if `flag` is positive, disables it if it is 0.
/// dnnl_invalid_arguments if it is negative. Deprecated: set the capacity instead.
dnnl_status_t DNNL_API dnnl_graph_set_constant_tensor_cache(int flag);

/// Returns 1 if the constant tensor cache is enabled, else 0. Deprecated: get the capacity instead.
dnnl_status_t DNNL_API dnnl_graph_get_constant_tensor_cache(int *flag);

/// Sets the capacity of the constant tensor cache for engines of this kind in MiB; 0 disables it.
dnnl_status_t DNNL_API dnnl_graph_set_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t size);

/// Returns that capacity in MiB.
dnnl_status_t DNNL_API dnnl_graph_get_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t *size);

/// Selects what is dumped to files: a combination of dnnl_graph_dump_mode_t values.
/// dnnl_invalid_arguments for other bits.
dnnl_status_t DNNL_API dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_GRAPH_H

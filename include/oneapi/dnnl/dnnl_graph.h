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

// The conventions of dnnl.h hold here: statuses, ownership, lifetimes, threads. A graph is used in
// this order: add operations, finalize, filter, get the partitions, compile each for the shapes at
// hand, execute. Logical tensors are plain structs and belong to the caller; operations are copied
// into the graph.

// -- Allocators and engines -----------------------------------------------------------------------

/// Creates an allocator from a pair of functions; with either NULL, the library's own.
dnnl_status_t DNNL_API dnnl_graph_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free);

/// Destroys an allocator. NULL is dnnl_invalid_arguments here.
dnnl_status_t DNNL_API dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator);

/// Creates an engine that takes memory from an allocator, which must outlive it. Statuses as
/// dnnl_engine_create().
dnnl_status_t DNNL_API dnnl_graph_make_engine_with_allocator(dnnl_engine_t *engine,
        dnnl_engine_kind_t kind, size_t index, const_dnnl_graph_allocator_t alloc);

// -- Logical tensors ------------------------------------------------------------------------------

/// Fills in a logical tensor whose dimensions are not known yet; `ndims` may be
/// DNNL_GRAPH_UNKNOWN_NDIMS. `tid` is its id. dnnl_invalid_arguments: more than DNNL_MAX_NDIMS, or
/// a host scalar that has dimensions or is not f32, s32 or s64.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init(dnnl_graph_logical_tensor_t *logical_tensor,
        size_t tid, dnnl_data_type_t dtype, int32_t ndims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype);

/// The same with `ndims` dimensions, each of which may be DNNL_GRAPH_UNKNOWN_DIM. A strided layout
/// of known dimensions becomes dense row-major.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init_with_dims(
        dnnl_graph_logical_tensor_t *logical_tensor, size_t tid, dnnl_data_type_t dtype,
        int32_t ndims, const dnnl_dim_t *dims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype);

/// The same with `ndims` strides, in elements; the layout is strided.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_init_with_strides(
        dnnl_graph_logical_tensor_t *logical_tensor, size_t tid, dnnl_data_type_t dtype,
        int32_t ndims, const dnnl_dim_t *dims, const dnnl_dim_t *strides,
        dnnl_graph_tensor_property_t ptype);

/// Tells the bytes of a buffer for the tensor; SIZE_MAX if dimensions or layout are unknown.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_get_mem_size(
        const dnnl_graph_logical_tensor_t *logical_tensor, size_t *size);

/// Tells whether both have the same id, type, property, dimensions and layout: 1 or 0.
dnnl_status_t DNNL_API dnnl_graph_logical_tensor_is_equal(const dnnl_graph_logical_tensor_t *lt1,
        const dnnl_graph_logical_tensor_t *lt2, uint8_t *is_equal);

// -- Tensors --------------------------------------------------------------------------------------

/// Creates a tensor: `handle` is the caller's buffer, DNNL_MEMORY_ALLOCATE or DNNL_MEMORY_NONE. A
/// host scalar is dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_graph_tensor_create(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, dnnl_engine_t engine, void *handle);

/// Creates a tensor of a host scalar around the caller's value at `handle`. Anything but a host
/// scalar, and a handle without a value, is dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_graph_tensor_create_scalar(dnnl_graph_tensor_t *tensor,
        const dnnl_graph_logical_tensor_t *logical_tensor, void *handle);

/// Destroys a tensor, with its buffer if the library allocated it.
dnnl_status_t DNNL_API dnnl_graph_tensor_destroy(dnnl_graph_tensor_t tensor);

/// Tells the buffer, which remains its owner's; NULL for a host scalar.
dnnl_status_t DNNL_API dnnl_graph_tensor_get_data_handle(
        const_dnnl_graph_tensor_t tensor, void **handle);

/// Changes the buffer to one of the caller's. A host scalar is dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor, void *handle);

/// Tells the engine of a tensor; NULL for a host scalar.
dnnl_status_t DNNL_API dnnl_graph_tensor_get_engine(
        const_dnnl_graph_tensor_t tensor, dnnl_engine_t *engine);

/// Tells the logical tensor of a tensor.
dnnl_status_t DNNL_API dnnl_graph_tensor_get_logical_tensor(
        const_dnnl_graph_tensor_t tensor, dnnl_graph_logical_tensor_t *logical_tensor);

// -- Operations -----------------------------------------------------------------------------------

/// Creates an operation without inputs, outputs or attributes. `id` is unique within its graph;
/// `verbose_name` shows in verbose lines and is copied.
dnnl_status_t DNNL_API dnnl_graph_op_create(
        dnnl_graph_op_t *op, size_t id, dnnl_graph_op_kind_t kind, const char *verbose_name);

/// Destroys an operation; a graph it was added to keeps its copy.
dnnl_status_t DNNL_API dnnl_graph_op_destroy(dnnl_graph_op_t op);

/// Appends an input. The order is that of the operation's schema.
dnnl_status_t DNNL_API dnnl_graph_op_add_input(
        dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *input);

/// Appends an output. The order is that of the operation's schema.
dnnl_status_t DNNL_API dnnl_graph_op_add_output(
        dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *output);

/// Sets an attribute of f32: one value, whatever `value_len` is, or a list of that length. The
/// values are copied.
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_f32(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const float *value, size_t value_len);

/// Sets an attribute of bool, 0 or 1; `value_len` is 1. The value is copied.
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_bool(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const uint8_t *value, size_t value_len);

/// Sets an attribute of s64: one value, whatever `value_len` is, or a list of that length. The
/// values are copied.
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_s64(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const int64_t *value, size_t value_len);

/// Sets an attribute of string. It ends with a null character; `value_len` must not be 0, but is not
/// looked at otherwise. The string is copied.
dnnl_status_t DNNL_API dnnl_graph_op_set_attr_str(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const char *value, size_t value_len);

/// Tells the id of an operation.
dnnl_status_t DNNL_API dnnl_graph_op_get_id(const_dnnl_graph_op_t op, size_t *id);

/// Tells the kind of an operation.
dnnl_status_t DNNL_API dnnl_graph_op_get_kind(const_dnnl_graph_op_t op, dnnl_graph_op_kind_t *kind);

// -- Graphs ---------------------------------------------------------------------------------------

/// Creates an empty graph for an engine of this kind.
dnnl_status_t DNNL_API dnnl_graph_graph_create(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind);

/// The same with a floating-point math mode.
dnnl_status_t DNNL_API dnnl_graph_graph_create_with_fpmath_mode(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind, dnnl_fpmath_mode_t mode);

/// Destroys a graph. Its partitions go on.
dnnl_status_t DNNL_API dnnl_graph_graph_destroy(dnnl_graph_graph_t graph);

/// Sets the floating-point math mode; `apply_to_int` other than 0 allows integer inputs to be
/// converted to it too.
dnnl_status_t DNNL_API dnnl_graph_graph_set_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t mode, int apply_to_int);

/// Tells the floating-point math mode. Output pointers may be NULL.
dnnl_status_t DNNL_API dnnl_graph_graph_get_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t *mode, int *apply_to_int);

/// Adds a copy of an operation. dnnl_invalid_graph once the graph is finalized;
/// dnnl_invalid_graph_op if the operation breaks its schema.
dnnl_status_t DNNL_API dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op);

/// Ends the adding of operations and checks the whole: dnnl_invalid_graph if it does not hold
/// together.
dnnl_status_t DNNL_API dnnl_graph_graph_finalize(dnnl_graph_graph_t graph);

/// Tells whether that has happened: 1 or 0.
dnnl_status_t DNNL_API dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph, uint8_t *finalized);

/// Cuts the graph into partitions. dnnl_invalid_graph if it is not finalized.
dnnl_status_t DNNL_API dnnl_graph_graph_filter(
        dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy);

/// Tells how many partitions there are.
dnnl_status_t DNNL_API dnnl_graph_graph_get_partition_num(
        const_dnnl_graph_graph_t graph, size_t *num);

/// Creates the partitions, in an order in which they can be executed. `partitions` has room for
/// `num`, the number told above; each is the caller's to destroy.
dnnl_status_t DNNL_API dnnl_graph_graph_get_partitions(
        dnnl_graph_graph_t graph, size_t num, dnnl_graph_partition_t *partitions);

// -- Partitions -----------------------------------------------------------------------------------

/// Creates a partition of one operation, without a graph.
dnnl_status_t DNNL_API dnnl_graph_partition_create_with_op(
        dnnl_graph_partition_t *partition, const_dnnl_graph_op_t op, dnnl_engine_kind_t ekind);

/// Destroys a partition.
dnnl_status_t DNNL_API dnnl_graph_partition_destroy(dnnl_graph_partition_t partition);

/// Tells how many operations a partition has.
dnnl_status_t DNNL_API dnnl_graph_partition_get_op_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Tells their ids; `ids` has room for `num`, the number told above.
dnnl_status_t DNNL_API dnnl_graph_partition_get_ops(
        dnnl_graph_partition_t partition, size_t num, size_t *ids);

/// Tells the id of a partition, unique within the process.
dnnl_status_t DNNL_API dnnl_graph_partition_get_id(
        const_dnnl_graph_partition_t partition, size_t *id);

/// Compiles a partition for these inputs and outputs, matched by id, into `compiled_partition`,
/// which was created from it. Inputs have known dimensions and strided or opaque layouts; outputs
/// may have unknown ones and layout any. dnnl_invalid_arguments if the library does not support the
/// partition or a tensor is missing, dnnl_invalid_shape if shapes do not fit, dnnl_unimplemented if
/// nothing takes them.
dnnl_status_t DNNL_API dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
        dnnl_graph_compiled_partition_t compiled_partition, size_t in_num,
        const dnnl_graph_logical_tensor_t **inputs, size_t out_num,
        const dnnl_graph_logical_tensor_t **outputs, dnnl_engine_t engine);

/// Tells how many inputs a partition has.
dnnl_status_t DNNL_API dnnl_graph_partition_get_input_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Tells its inputs. `num` must be the number told above, else dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_graph_partition_get_input_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *inputs);

/// Tells how many outputs a partition has.
dnnl_status_t DNNL_API dnnl_graph_partition_get_output_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num);

/// Tells its outputs. `num` must be the number told above, else dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_graph_partition_get_output_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *outputs);

/// Tells whether the library can compile the partition: 1 or 0. What it cannot is the caller's to
/// compute.
dnnl_status_t DNNL_API dnnl_graph_partition_is_supported(
        const_dnnl_graph_partition_t partition, uint8_t *is_supported);

/// Tells the kind of engine the partition is for.
dnnl_status_t DNNL_API dnnl_graph_partition_get_engine_kind(
        const_dnnl_graph_partition_t partition, dnnl_engine_kind_t *kind);

// -- Compiled partitions --------------------------------------------------------------------------

/// Creates an empty compiled partition, for dnnl_graph_partition_compile() to fill.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_create(
        dnnl_graph_compiled_partition_t *compiled_partition, dnnl_graph_partition_t partition);

/// Executes a compiled partition with tensors in the order of its compilation. A CPU stream is done
/// when this returns.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs);

/// The same with the caller's scratchpad, as described by
/// dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(); with NULL the library takes its
/// own.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad);

/// Destroys a compiled partition. Executions of it must be over.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_destroy(
        dnnl_graph_compiled_partition_t compiled_partition);

/// Tells what compilation made of the logical tensor with this id: its dimensions and layout.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_query_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid,
        dnnl_graph_logical_tensor_t *lt);

/// Tells which outputs may use the buffer of which input. It is a permission, not a demand.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_get_inplace_ports(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
        const dnnl_graph_inplace_pair_t **inplace_pairs);

/// Tells the scratchpad execution needs: one dimension of u8, its length in bytes.
dnnl_status_t DNNL_API dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_graph_logical_tensor_t *lt);

// -- Caches and debugging -------------------------------------------------------------------------

/// Tells how many compiled partitions the cache may keep.
dnnl_status_t DNNL_API dnnl_graph_get_compiled_partition_cache_capacity(int *capacity);

/// Changes that number, dropping what is beyond; 0 turns the cache off. dnnl_invalid_arguments for
/// a negative number.
dnnl_status_t DNNL_API dnnl_graph_set_compiled_partition_cache_capacity(int capacity);

/// Turns the cache of what is made of constant tensors on, with a positive flag, or off, with 0.
/// dnnl_invalid_arguments for a negative one. Deprecated: set the capacity instead.
dnnl_status_t DNNL_API dnnl_graph_set_constant_tensor_cache(int flag);

/// Tells whether that cache is on. Deprecated: ask for the capacity instead.
dnnl_status_t DNNL_API dnnl_graph_get_constant_tensor_cache(int *flag);

/// Limits that cache, for engines of this kind, to `size` MiB; 0 turns it off.
dnnl_status_t DNNL_API dnnl_graph_set_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t size);

/// Tells that limit, in MiB.
dnnl_status_t DNNL_API dnnl_graph_get_constant_tensor_cache_capacity(
        dnnl_engine_kind_t eng_kind, size_t *size);

/// Says which graphs are written to files: a sum of dnnl_graph_dump_mode_t values.
/// dnnl_invalid_arguments for other bits.
dnnl_status_t DNNL_API dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_GRAPH_H

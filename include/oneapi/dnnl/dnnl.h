// SPDX-License-Identifier: Apache-2.0
// The C functions of the primitive interface.

#ifndef ONEAPI_DNNL_DNNL_H
#define ONEAPI_DNNL_DNNL_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

// Conventions of all functions below:
//
// - A function that returns a status other than dnnl_success does not change its outputs. A null
//   pointer is dnnl_invalid_arguments unless its argument is optional. Functions that create or
//   change an object may return dnnl_out_of_memory.
// - The caller owns the object that a *_create or *_clone function stores in its first argument,
//   and destroys it with the *_destroy function of the same kind. Destroying NULL succeeds and has
//   no effect.
// - A pointer to const that a getter or a query returns belongs to the queried object. It is valid
//   until that object is changed or destroyed.
// - Descriptors, attributes and arrays that are passed are copied. The buffers of memory objects
//   must outlive their uses. An engine may be destroyed while objects that were created on it
//   exist: they keep it alive.
// - Objects have no locks. Threads may share an object as long as none changes it. Several threads
//   may execute one primitive at once.

// -- Memory descriptors ---------------------------------------------------------------------------

/// Describes a tensor by its strides. `dims` and `strides` have `ndims` values, in elements; either
/// may be DNNL_RUNTIME_DIM_VAL. `strides` may be NULL for a dense row-major tensor. `ndims` of 0
/// gives the zero descriptor, which describes no tensor.
/// dnnl_invalid_arguments: more than DNNL_MAX_NDIMS dimensions, a negative one, sizes that
/// overflow, or elements with the same offset (except by a stride of 0, which broadcasts).
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dim_t *dims, dnnl_data_type_t data_type, const dnnl_dim_t *strides);

/// Describes a dense tensor by a format tag; `dims` has `ndims` values, which may be
/// DNNL_RUNTIME_DIM_VAL. dnnl_format_tag_any leaves the layout to the implementation;
/// dnnl_format_tag_undef gives the zero descriptor.
/// dnnl_invalid_arguments: a tag with another number of axes, or dimensions as above.
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dim_t *dims, dnnl_data_type_t data_type, dnnl_format_tag_t tag);

/// Describes a box inside a tensor by its extents `dims` and its first element `offsets`; both have
/// the parent's number of dimensions. Its memory has the parent's handle.
/// dnnl_invalid_arguments if it exceeds the parent; dnnl_unimplemented if it cuts a block, for
/// layouts without strides, and for dimensions known only at execution.
dnnl_status_t DNNL_API dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t parent_memory_desc, const dnnl_dim_t *dims,
        const dnnl_dim_t *offsets);

/// Describes the same buffer with other dimensions, the elements staying in row-major order.
/// Dimensions of 1 may be added or removed, and adjacent ones may be joined or split.
/// dnnl_invalid_arguments if the number of elements changes, or the layout does not allow it:
/// joined axes must be dense and without blocks.
dnnl_status_t DNNL_API dnnl_memory_desc_reshape(dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, int ndims, const dnnl_dim_t *dims);

/// Describes the same buffer with its logical axes renamed: axis i of the input is axis
/// permutation[i] of the output. `permutation` has each of 0 to ndims - 1 once, else
/// dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_memory_desc_permute_axes(dnnl_memory_desc_t *out_memory_desc,
        const_dnnl_memory_desc_t in_memory_desc, const int *permutation);

/// Describes one value in host memory: the descriptor for dnnl_memory_create_host_scalar().
dnnl_status_t DNNL_API dnnl_memory_desc_create_host_scalar(
        dnnl_memory_desc_t *memory_desc, dnnl_data_type_t data_type);

/// Describes a sparse matrix in compressed rows: `nnz` values, as many column indices, and rows + 1
/// pointers. Its memory has three buffers, in that order. dnnl_unimplemented beyond two dimensions.
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dim_t *dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt, dnnl_data_type_t pointers_dt);

/// Describes a sparse matrix by coordinates: `nnz` values, then `nnz` indices for each dimension.
/// Its memory has ndims + 1 buffers, in that order. dnnl_unimplemented beyond two dimensions.
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dim_t *dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt);

/// Describes a sparse matrix of `nnz` values in a layout of the library; a reorder
/// fills it. dnnl_unimplemented beyond two dimensions.
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dim_t *dims, dnnl_data_type_t data_type, dnnl_dim_t nnz);

/// Creates a descriptor from the bytes of dnnl_memory_desc_get_blob() of the same version of the
/// library.
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_blob(
        dnnl_memory_desc_t *memory_desc, const uint8_t *blob);

/// Serializes a descriptor. If `blob` is NULL, only the number of bytes is stored in `size`;
/// otherwise `size` is the number of bytes that `blob` has room for, and too few are
/// dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc);

/// Copies a descriptor.
dnnl_status_t DNNL_API dnnl_memory_desc_clone(
        dnnl_memory_desc_t *memory_desc, const_dnnl_memory_desc_t existing_memory_desc);

/// Destroys a descriptor.
dnnl_status_t DNNL_API dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc);

/// Answers a dnnl_query_t of memory descriptors; `result` points to the type of the
/// answer. Strides and blocks of a layout without them are dnnl_invalid_arguments; any other
/// query is dnnl_unimplemented.
dnnl_status_t DNNL_API dnnl_memory_desc_query(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result);

/// The same for the buffer with this index, for sparse tensors. For other tensors `index` must
/// be 0.
dnnl_status_t DNNL_API dnnl_memory_desc_query_v2(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index, void *result);

/// Returns 1 if both describe the same tensor in the same layout, else 0.
int DNNL_API dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs);

/// Returns the bytes of a buffer for the tensor with its padding; 0 if it has no elements or its
/// layout is unknown; DNNL_RUNTIME_SIZE_VAL if the size is known only at execution.
size_t DNNL_API dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc);

/// The same for the buffer with this index, for sparse tensors.
size_t DNNL_API dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index);

/// Returns the bytes of one element; 0 for dnnl_data_type_undef. It is 1 for 4-bit types, of which
/// a byte has two.
size_t DNNL_API dnnl_data_type_size(dnnl_data_type_t data_type);

// -- Memory ---------------------------------------------------------------------------------------

/// Creates a memory object. `handle` is the caller's buffer of dnnl_memory_desc_get_size() bytes,
/// DNNL_MEMORY_ALLOCATE or DNNL_MEMORY_NONE. Primitives expect zeros in the padding of a blocked
/// layout: an allocated buffer has them, the caller's must. A NULL `memory_desc` is the zero
/// descriptor.
/// dnnl_invalid_arguments for format any, dimensions known only at execution, and host scalars.
dnnl_status_t DNNL_API dnnl_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, void *handle);

/// The same with `nhandles` buffers, the number of dnnl_query_num_handles_s32 of the descriptor.
dnnl_status_t DNNL_API dnnl_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, int nhandles, void **handles);

/// Creates a memory object with a copy of the value at `scalar_ptr`. dnnl_invalid_arguments unless
/// the descriptor is of a host scalar. The memory object has no engine.
dnnl_status_t DNNL_API dnnl_memory_create_host_scalar(
        dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc, void *scalar_ptr);

/// Destroys a memory object, with its buffer if the library allocated it.
dnnl_status_t DNNL_API dnnl_memory_destroy(dnnl_memory_t memory);

/// Returns the descriptor of a memory object.
dnnl_status_t DNNL_API dnnl_memory_get_memory_desc(
        const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc);

/// Returns the engine of a memory object; NULL for a host scalar.
dnnl_status_t DNNL_API dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine);

/// Maps the data for the host; NULL if there is no buffer. No primitive may use the memory until it
/// is unmapped.
dnnl_status_t DNNL_API dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr);

/// The same for the buffer with this index; dnnl_invalid_arguments if it does not exist.
dnnl_status_t DNNL_API dnnl_memory_map_data_v2(
        const_dnnl_memory_t memory, void **mapped_ptr, int index);

/// Unmaps data that dnnl_memory_map_data() mapped.
dnnl_status_t DNNL_API dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *mapped_ptr);

/// The same for the buffer with this index.
dnnl_status_t DNNL_API dnnl_memory_unmap_data_v2(
        const_dnnl_memory_t memory, void *mapped_ptr, int index);

/// Returns the address of the buffer; NULL if there is none, and for a NULL memory.
/// dnnl_invalid_arguments for a host scalar.
dnnl_status_t DNNL_API dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle);

/// The same for the buffer with this index; dnnl_invalid_arguments if it does not exist.
dnnl_status_t DNNL_API dnnl_memory_get_data_handle_v2(
        const_dnnl_memory_t memory, void **handle, int index);

/// Replaces the buffer by the caller's; NULL removes it. A buffer that the library allocated
/// remains until the object is destroyed. dnnl_invalid_arguments for a host scalar.
dnnl_status_t DNNL_API dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle);

/// The same for the buffer with this index.
dnnl_status_t DNNL_API dnnl_memory_set_data_handle_v2(
        dnnl_memory_t memory, void *handle, int index);

/// Copies the value of a host scalar to `value`, which points to its data type.
/// dnnl_invalid_arguments for other memory.
dnnl_status_t DNNL_API dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void *value);

/// Sets the value of a host scalar; `value` points to its data type. dnnl_invalid_arguments for
/// other memory.
dnnl_status_t DNNL_API dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void *value);

// -- Post-ops -------------------------------------------------------------------------------------

/// Creates an empty list of post-ops. It may have 32 entries; more are dnnl_out_of_memory.
dnnl_status_t DNNL_API dnnl_post_ops_create(dnnl_post_ops_t *post_ops);

/// Copies a list.
dnnl_status_t DNNL_API dnnl_post_ops_clone(
        dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops);

/// Destroys a list.
dnnl_status_t DNNL_API dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);

/// Returns the number of entries; 0 for NULL.
int DNNL_API dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);

/// Returns the kind of the entry at `index`, from 0; dnnl_undefined_primitive if there is none. A
/// depthwise convolution is dnnl_convolution.
dnnl_primitive_kind_t DNNL_API dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index);

/// Appends dst = result + scale * (dst - zero_point), where dst on the right is its previous value,
/// read as `data_type` (dnnl_data_type_undef: its own type).
dnnl_status_t DNNL_API dnnl_post_ops_append_sum(
        dnnl_post_ops_t post_ops, float scale, int32_t zero_point, dnnl_data_type_t data_type);

/// Returns the parameters of a sum. Output pointers may be NULL. dnnl_invalid_arguments if there is
/// no such entry at `index`.
dnnl_status_t DNNL_API dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index,
        float *scale, int32_t *zero_point, dnnl_data_type_t *data_type);

/// Appends an elementwise function of dnnl_alg_kind_t. dnnl_invalid_arguments for another algorithm
/// or invalid parameters.
dnnl_status_t DNNL_API dnnl_post_ops_append_eltwise(
        dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha, float beta);

/// Returns the parameters of an elementwise function. Output pointers may be NULL.
/// dnnl_invalid_arguments if there is no such entry at `index`.
dnnl_status_t DNNL_API dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, float *alpha, float *beta);

/// Appends a depthwise convolution of kernel_size x kernel_size with one stride and one left
/// padding for both dimensions. Weights and bias are execution arguments under
/// DNNL_ARG_ATTR_POST_OP_DW; a bias type of dnnl_data_type_undef means no bias.
/// dnnl_invalid_arguments unless sizes are positive and the padding is below the kernel's size.
dnnl_status_t DNNL_API dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops,
        dnnl_data_type_t weights_data_type, dnnl_data_type_t bias_data_type,
        dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size, dnnl_dim_t stride_size,
        dnnl_dim_t padding_l_size);

/// Returns the parameters of a depthwise convolution. Output pointers may be NULL.
/// dnnl_invalid_arguments if there is no such entry at `index`.
dnnl_status_t DNNL_API dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
        dnnl_data_type_t *weights_data_type, dnnl_data_type_t *bias_data_type,
        dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size, dnnl_dim_t *stride_size,
        dnnl_dim_t *padding_l_size);

/// Appends a binary operation with the result as its first operand. The second is an execution
/// argument, DNNL_ARG_ATTR_MULTIPLE_POST_OP(entry) | DNNL_ARG_SRC_1; each of its dimensions is that
/// of dst, or 1 and broadcast. dnnl_invalid_arguments for another algorithm or a descriptor without
/// dimensions.
dnnl_status_t DNNL_API dnnl_post_ops_append_binary(
        dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc);

/// The same, for dnnl_binary_select too: the condition is passed under DNNL_ARG_SRC_2. `src2_desc`
/// may be NULL for the algorithms that have no third operand.
dnnl_status_t DNNL_API dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc,
        const_dnnl_memory_desc_t src2_desc);

/// Returns the parameters of a binary operation. Output pointers may be NULL.
/// dnnl_invalid_arguments if there is no such entry at `index`.
dnnl_status_t DNNL_API dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc);

/// The same, with the descriptor of the third operand. Output pointers may be NULL.
/// dnnl_invalid_arguments if there is no such entry at `index`.
dnnl_status_t DNNL_API dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc,
        const_dnnl_memory_desc_t *src2_desc);

/// Appends a leaky ReLU whose slopes are an execution argument,
/// DNNL_ARG_ATTR_MULTIPLE_POST_OP(entry) | DNNL_ARG_WEIGHTS, in f32. Bit i of `mask` means that
/// they vary along axis i of dst.
dnnl_status_t DNNL_API dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask);

/// Returns the mask of a leaky ReLU. Output pointers may be NULL. dnnl_invalid_arguments if there
/// is no such entry at `index`.
dnnl_status_t DNNL_API dnnl_post_ops_get_params_prelu(
        const_dnnl_post_ops_t post_ops, int index, int *mask);

// -- Attributes -----------------------------------------------------------------------------------

/// Creates default attributes. Whether an implementation supports attributes is decided when a
/// primitive descriptor is created.
dnnl_status_t DNNL_API dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);

/// Copies attributes.
dnnl_status_t DNNL_API dnnl_primitive_attr_clone(
        dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr);

/// Destroys attributes.
dnnl_status_t DNNL_API dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/// Returns the post-ops.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_post_ops(
        const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops);

/// Sets the post-ops, which run on the result before it is stored.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_post_ops(
        dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops);

/// Returns the scratchpad mode.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_scratchpad_mode(
        const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode);

/// Sets the scratchpad mode.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scratchpad_mode(
        dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode);

/// Returns the floating-point math mode.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_fpmath_mode(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode);

/// Sets the floating-point math mode, not applied to integers.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_fpmath_mode(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode);

/// Returns the floating-point math mode and whether it is applied to integers. Output pointers may
/// be NULL.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_fpmath_mode_v2(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode, int *apply_to_int);

/// Sets the floating-point math mode. If `apply_to_int` is not 0, integer inputs may be converted
/// to its types, too.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_fpmath_mode_v2(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int);

/// Returns the accumulation mode.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_accumulation_mode(
        const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode);

/// Sets the accumulation mode.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_accumulation_mode(
        dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode);

/// Returns whether results must be the same in every run.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_deterministic(
        const_dnnl_primitive_attr_t attr, int *value);

/// A value other than 0 requires bit-identical results from the same inputs in every run on one
/// machine.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value);

/// Returns the rounding mode of the result for `arg`.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode);

/// Sets the rounding mode of the result for `arg`, the DNNL_ARG_ value of an output.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode);

/// Returns the descriptor of the dropout mask. The output pointer may be NULL.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_dropout(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc);

/// Returns all settings of dropout. Output pointers may be NULL.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t *mask_desc, dnnl_data_type_t *seed_dt, int *use_offset,
        int *use_host_scalars);

/// Enables dropout. Execution takes DNNL_ARG_ATTR_DROPOUT_PROBABILITY (f32) and _SEED (s32), and
/// writes the mask of the elements that are kept to _MASK. The mask is u8; with the zero
/// descriptor none is written. dnnl_invalid_arguments for another type.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_dropout(
        dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc);

/// The same with a seed of type s32 or s64, an offset into the random sequence as
/// DNNL_ARG_ATTR_DROPOUT_OFFSET if `use_offset`, and these scalars passed as host scalars if
/// `use_host_scalars`.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt, int use_offset,
        int use_host_scalars);

// -- Attributes: quantization ---------------------------------------------------------------------

/// Gives the argument `arg` f32 scales, passed at execution as DNNL_ARG_ATTR_SCALES | arg. Bit i of
/// `mask` means that they vary along axis i; 0 is one scale for the tensor. dnnl_invalid_arguments
/// for a negative mask or argument.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales_mask(
        dnnl_primitive_attr_t attr, int arg, int mask);

/// The same with a data type (f32, bf16, f16, e8m0, f8_e4m3) and groups: with `group_ndims` of 2, a
/// scale serves a block of group_dims[0] x group_dims[1] elements of the last two axes; with 0
/// there are no groups. dnnl_invalid_arguments for other numbers, or groups with a mask of 0.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask,
        int group_ndims, const dnnl_dim_t *group_dims, dnnl_data_type_t data_type);

/// The same; if `is_on_host` is not 0, there is one scale for the tensor, a host scalar.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg,
        int mask, int ndims, const dnnl_dim_t *group_dims, dnnl_data_type_t data_type,
        int is_on_host);

/// The same with a quantization mode: whether the scales are given or, for an output, computed and
/// written.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg,
        int mask, int ndims, const dnnl_dim_t *group_dims, dnnl_data_type_t data_type,
        int is_on_host, dnnl_quantization_mode_t qmode);

/// Gives the argument `arg` s32 zero points, passed at execution as DNNL_ARG_ATTR_ZERO_POINTS |
/// arg. Bit i of `mask` means that they vary along axis i; 0 is one for the tensor.
/// dnnl_invalid_arguments for a negative mask.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_zero_points_mask(
        dnnl_primitive_attr_t attr, int arg, int mask);

/// The same with a data type (s32, s8, u8, s4, u4) and groups, as for scales. Groups and other
/// types than s32 are for source and weights only, else dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg,
        int mask, int group_ndims, const dnnl_dim_t *group_dims, dnnl_data_type_t data_type);

/// The same; if `is_on_host` is not 0, there is one zero point for the tensor, a host
/// scalar.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg,
        int mask, int ndims, const dnnl_dim_t *group_dims, dnnl_data_type_t data_type,
        int is_on_host);

/// Sums over groups of the source or the weights (`arg`) are passed at execution as
/// DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | arg in s32, for the use of zero points. Mask
/// and groups as for scales; dnnl_invalid_arguments for another argument or type.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr,
        int arg, int mask, int group_ndims, const dnnl_dim_t *group_dims,
        dnnl_data_type_t data_type);

/// Sets how recurrent primitives quantize states and layer data to u8: scale * x + shift.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rnn_data_qparams(
        dnnl_primitive_attr_t attr, const float scale, const float shift);

/// Returns that scale and shift. Output pointers may be NULL.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rnn_data_qparams(
        const_dnnl_primitive_attr_t attr, float *scale, float *shift);

/// Sets the scales of weights that are given as s8: `count` values, which vary along the axes in
/// `mask` of the logical dimensions (l, d, i, g, o). dnnl_invalid_arguments for a count below 1 or
/// a negative mask.
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rnn_weights_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales);

/// Returns these scales. Output pointers may be NULL.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rnn_weights_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);

/// Sets the scales of the projection's weights in the same way; their dimensions are (l, d, i, o).
dnnl_status_t DNNL_API dnnl_primitive_attr_set_rnn_weights_projection_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales);

/// Returns these scales. Output pointers may be NULL.
dnnl_status_t DNNL_API dnnl_primitive_attr_get_rnn_weights_projection_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);

// -- Primitive descriptors ------------------------------------------------------------------------

/// Selects the next implementation that accepts the problem. If there is none, the descriptor is
/// not changed and the status is dnnl_last_impl_reached.
dnnl_status_t DNNL_API dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc);

/// Copies a primitive descriptor.
dnnl_status_t DNNL_API dnnl_primitive_desc_clone(
        dnnl_primitive_desc_t *primitive_desc, const_dnnl_primitive_desc_t existing_primitive_desc);

/// Destroys a primitive descriptor. Primitives that were created from it remain valid.
dnnl_status_t DNNL_API dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc);

/// Returns the attributes the primitive descriptor was created with.
dnnl_status_t DNNL_API dnnl_primitive_desc_get_attr(
        const_dnnl_primitive_desc_t primitive_desc, const_dnnl_primitive_attr_t *attr);

/// Answers a dnnl_query_t of primitive descriptors; `result` points to the type of the answer.
/// `index` selects one of several answers and is 0 otherwise. If the operation has no answer, the
/// status is dnnl_unimplemented; a query of a memory descriptor returns the zero descriptor.
dnnl_status_t DNNL_API dnnl_primitive_desc_query(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index, void *result);

/// Returns the answer to a query of a memory descriptor; NULL for other queries.
const_dnnl_memory_desc_t DNNL_API dnnl_primitive_desc_query_md(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

/// Returns the answer to a query of an int; 0 for other queries.
int DNNL_API dnnl_primitive_desc_query_s32(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

// -- Primitives -----------------------------------------------------------------------------------

/// Creates a primitive or finds it in the primitive cache. The descriptor may be destroyed
/// afterwards.
dnnl_status_t DNNL_API dnnl_primitive_create(
        dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc);

/// Creates a primitive from a blob of dnnl_primitive_get_cache_blob(). The CPU engine does not
/// support blobs and returns dnnl_unimplemented.
dnnl_status_t DNNL_API dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
        const_dnnl_primitive_desc_t primitive_desc, size_t size, const uint8_t *cache_blob);

/// Executes a primitive on a stream of its engine, with `nargs` arguments. On a CPU the
/// execution is complete when the function returns.
/// Arguments that the primitive does not use, and null memory, are ignored. dnnl_invalid_arguments
/// if an argument is missing or given twice, or the stream belongs to another engine.
dnnl_status_t DNNL_API dnnl_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args);

/// Returns the primitive descriptor of a primitive.
dnnl_status_t DNNL_API dnnl_primitive_get_primitive_desc(
        const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t *primitive_desc);

/// Serializes a primitive. The CPU engine does not support it and returns dnnl_unimplemented.
dnnl_status_t DNNL_API dnnl_primitive_get_cache_blob(
        const_dnnl_primitive_t primitive, size_t *size, uint8_t *cache_blob);

/// Destroys a primitive. Its executions must be complete.
dnnl_status_t DNNL_API dnnl_primitive_destroy(dnnl_primitive_t primitive);

// -- Operations -----------------------------------------------------------------------------------

// The functions below create primitive descriptors: they check the problem and choose the first
// implementation that accepts it. The implementation chooses the layouts of format any.
// `hint_fwd_pd` is the descriptor of the forward primitive to which a backward one belongs. `attr`
// may be NULL for default attributes. Statuses: dnnl_invalid_arguments if the problem is
// inconsistent, dnnl_unimplemented if no implementation accepts it. dnnl_config.h lists the
// operations that this library implements.

// -- Normalization --------------------------------------------------------------------------------

// Normalization subtracts the mean, divides by sqrt(variance + epsilon), multiplies by scale and
// adds shift; dnnl_normalization_flags_t selects the steps. Mean, variance, scale and shift are
// execution arguments. Statistics are outputs of forward training, and inputs of backward and with
// dnnl_use_global_stats; otherwise forward inference computes them internally. dst may be src, and
// diff_src may be diff_dst, if their types and layouts are equal.
//
// The library chooses the layouts of format any. Status of creation: dnnl_invalid_arguments for
// inconsistent shapes, a propagation kind of the other direction or incompatible flags;
// dnnl_unimplemented if no implementation supports the problem with these
// attributes.

/// Describes layer normalization, forward: over the last logical axis, of extent C. src and dst
/// have the same dimensions, at least two, and may differ in type and layout. `stat_desc` describes
/// mean and variance, the dimensions of src without the last; with NULL or format any the library
/// chooses the layout. scale and shift are f32 vectors of C.
dnnl_status_t DNNL_API dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr);

/// The same with the type of scale and shift: f32, bf16 or f16.
dnnl_status_t DNNL_API dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t scale_shift_data_type, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr);

/// Describes layer normalization, backward. prop_kind is dnnl_backward, or dnnl_backward_data for
/// diff_src alone. diff_src, diff_dst and src have the same dimensions; statistics are inputs as
/// described by `stat_desc`. diff_scale and diff_shift are f32 vectors of C.
dnnl_status_t DNNL_API dnnl_layer_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc, float epsilon,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// The same with the types of the gradients of scale and shift, and of scale itself: f32, bf16 or
/// f16.
dnnl_status_t DNNL_API dnnl_layer_normalization_backward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc,
        dnnl_data_type_t diff_scale_shift_data_type, dnnl_data_type_t scale_shift_data_type,
        float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Describes batch normalization, forward: src is (n, c, spatial...), and each channel is
/// normalized over all other axes. mean, variance, scale and shift are f32 vectors of c. A
/// workspace exists if ReLU is fused in training.
dnnl_status_t DNNL_API dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr);

/// Describes batch normalization, backward. prop_kind is dnnl_backward, or dnnl_backward_data for
/// diff_src alone. diff_src, diff_dst and src have the same dimensions.
dnnl_status_t DNNL_API dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes group normalization, forward: src is (n, c, spatial...), and each of the `groups` of
/// adjacent channels is normalized separately in each image; `groups` divides c, with one
/// group per channel it is instance normalization. mean and variance are f32 (n, groups), scale and
/// shift f32 vectors of c.
dnnl_status_t DNNL_API dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Describes group normalization, backward. prop_kind is dnnl_backward, or dnnl_backward_data for
/// diff_src alone. diff_src, diff_dst and src have the same dimensions.
dnnl_status_t DNNL_API dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

// -- Reorder, concat, sum -------------------------------------------------------------------------

/// Describes a copy from one layout and data type to another, of equal dimensions, possibly between
/// engines. Values are rounded to nearest even and saturated to integer types; the padding of dst
/// is written as zeros.
dnnl_status_t DNNL_API dnnl_reorder_primitive_desc_create(
        dnnl_primitive_desc_t *reorder_primitive_desc, const_dnnl_memory_desc_t src_desc,
        dnnl_engine_t src_engine, const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
        const_dnnl_primitive_attr_t attr);

/// Describes the concatenation of `n` tensors along the axis `concat_dimension`; `src_descs` has n
/// descriptors, equal in every other dimension. `dst_desc` may be NULL: the implementation then
/// chooses it.
dnnl_status_t DNNL_API dnnl_concat_primitive_desc_create(
        dnnl_primitive_desc_t *concat_primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
        const const_dnnl_memory_desc_t *src_descs, const_dnnl_primitive_attr_t attr);

/// Describes dst = sum of scales[i] * src[i] over `n` tensors of equal dimensions. `dst_desc` may
/// be NULL: the implementation then chooses it.
dnnl_status_t DNNL_API dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *sum_primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
        const const_dnnl_memory_desc_t *src_descs, const_dnnl_primitive_attr_t attr);

// -- Elementwise operations and reductions --------------------------------------------------------

/// Describes dst = src0 op src1. Each dimension of src1 is that of src0, or 1 and broadcast; src0
/// may be broadcast likewise.
dnnl_status_t DNNL_API dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/// The same, for dnnl_binary_select too: `src2_desc` describes the condition. It may be NULL for
/// the algorithms that have no third operand.
dnnl_status_t DNNL_API dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Describes a shuffle, forward: transposes the axis as a matrix with rows of `group_size`.
dnnl_status_t DNNL_API dnnl_shuffle_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int axis,
        dnnl_dim_t group_size, const_dnnl_primitive_attr_t attr);

/// Describes a shuffle, backward: the inverse permutation.
dnnl_status_t DNNL_API dnnl_shuffle_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, int axis,
        dnnl_dim_t group_size, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Describes an elementwise function, forward; dst may be src. dnnl_alg_kind_t documents alpha and
/// beta.
dnnl_status_t DNNL_API dnnl_eltwise_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float alpha, float beta,
        const_dnnl_primitive_attr_t attr);

/// Describes an elementwise function, backward. `data_desc` describes src, or dst for the
/// algorithms that use it.
dnnl_status_t DNNL_API dnnl_eltwise_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t data_desc, float alpha, float beta,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes a softmax along `softmax_axis`, forward; dst may be src.
dnnl_status_t DNNL_API dnnl_softmax_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, int softmax_axis, const_dnnl_primitive_attr_t attr);

/// Describes a softmax, backward. It needs dst, not src.
dnnl_status_t DNNL_API dnnl_softmax_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t dst_desc, int softmax_axis,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes a leaky ReLU with a learned slope, forward. Each dimension of the slopes (weights) is
/// that of src, or 1 and broadcast.
dnnl_status_t DNNL_API dnnl_prelu_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Describes a leaky ReLU, backward: the gradients of src and of the slopes.
dnnl_status_t DNNL_API dnnl_prelu_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Describes a reduction along the axes on which dst has extent 1 and src has not; other dimensions
/// are equal. `p` and `eps` are parameters of norms.
dnnl_status_t DNNL_API dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float p, float eps, const_dnnl_primitive_attr_t attr);

// -- Spatial operations ---------------------------------------------------------------------------

/// Describes pooling, forward. src and dst are (n, c, spatial...); the arrays have one value for
/// each spatial dimension. A dilation of 0 means none. padding_r may be NULL when it equals
/// padding_l. Maximum pooling in training stores the positions of the maxima in a workspace.
dnnl_status_t DNNL_API dnnl_pooling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const dnnl_dim_t *strides, const dnnl_dim_t *kernel,
        const dnnl_dim_t *dilation, const dnnl_dim_t *padding_l, const dnnl_dim_t *padding_r,
        const_dnnl_primitive_attr_t attr);

/// Describes pooling, backward.
dnnl_status_t DNNL_API dnnl_pooling_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dim_t *strides, const dnnl_dim_t *kernel, const dnnl_dim_t *dilation,
        const dnnl_dim_t *padding_l, const dnnl_dim_t *padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes local response normalization, forward: each value is divided by (k + alpha * mean of
/// squares)^beta, the mean taken over `local_size` neighbours.
dnnl_status_t DNNL_API dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
        float alpha, float beta, float k, const_dnnl_primitive_attr_t attr);

/// Describes local response normalization, backward.
dnnl_status_t DNNL_API dnnl_lrn_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_dim_t local_size, float alpha, float beta, float k,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes resampling, forward: (n, c, spatial...) to other spatial dimensions. `factors` has one
/// ratio of dst to src for each spatial dimension, or is NULL if dst_desc has the dimensions.
dnnl_status_t DNNL_API dnnl_resampling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const float *factors, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Describes resampling, backward.
dnnl_status_t DNNL_API dnnl_resampling_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const float *factors, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

// -- Convolution, deconvolution, inner product, matmul --------------------------------------------

// Spatial arrays (strides, dilates, padding) have one value for each spatial dimension, in the
// order depth, height, width. A dilation of 0 means none. padding_r may be NULL when it equals
// padding_l. bias_desc may be NULL or the zero descriptor for none.

/// Describes a convolution, forward: src (n, ic, spatial...), weights (o, i, spatial...), or (g, o,
/// i, spatial...) in groups, bias (oc), dst (n, oc, spatial...).
dnnl_status_t DNNL_API dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_desc, const dnnl_dim_t *strides, const dnnl_dim_t *dilates,
        const dnnl_dim_t *padding_l, const dnnl_dim_t *padding_r, const_dnnl_primitive_attr_t attr);

/// Describes a convolution's gradient of src.
dnnl_status_t DNNL_API dnnl_convolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dim_t *strides,
        const dnnl_dim_t *dilates, const dnnl_dim_t *padding_l, const dnnl_dim_t *padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes a convolution's gradients of weights and bias.
dnnl_status_t DNNL_API dnnl_convolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dim_t *strides, const dnnl_dim_t *dilates, const dnnl_dim_t *padding_l,
        const dnnl_dim_t *padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Describes a deconvolution, forward: src (n, ic, spatial...), weights (o, i, spatial...), or (g,
/// o, i, spatial...) in groups, bias (oc), dst (n, oc, spatial...).
dnnl_status_t DNNL_API dnnl_deconvolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_desc, const dnnl_dim_t *strides, const dnnl_dim_t *dilates,
        const dnnl_dim_t *padding_l, const dnnl_dim_t *padding_r, const_dnnl_primitive_attr_t attr);

/// Describes a deconvolution's gradient of src.
dnnl_status_t DNNL_API dnnl_deconvolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dim_t *strides,
        const dnnl_dim_t *dilates, const dnnl_dim_t *padding_l, const dnnl_dim_t *padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes a deconvolution's gradients of weights and bias.
dnnl_status_t DNNL_API dnnl_deconvolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dim_t *strides, const dnnl_dim_t *dilates, const dnnl_dim_t *padding_l,
        const dnnl_dim_t *padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Describes a fully connected layer, forward: src (n, ic, spatial...), weights (oc, ic,
/// spatial...), bias (oc), dst (n, oc).
dnnl_status_t DNNL_API dnnl_inner_product_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr);

/// Describes a fully connected layer's gradient of src.
dnnl_status_t DNNL_API dnnl_inner_product_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Describes a fully connected layer's gradients of weights and bias.
dnnl_status_t DNNL_API dnnl_inner_product_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes dst = src * weights + bias: (..., m, k) times (..., k, n) gives (..., m, n). Batch
/// dimensions are equal, or 1 and broadcast, as are those of the bias.
dnnl_status_t DNNL_API dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

// -- Recurrent cells ------------------------------------------------------------------------------

// Shapes: layer inputs and outputs (t, n, c); hidden and cell states (l, d, n, c); weights (l, d,
// i, g, o) with the gates in g; peephole weights (l, d, g, o); projection weights (l, d, i, o);
// bias (l, d, g, o); attention (t, n, 1). States, bias, peephole and projection weights may be
// NULL or the zero descriptor: states are then initially zero and not returned. Backward takes
// the forward descriptors again, then one for each gradient.

/// Describes a plain recurrent layer, forward. `activation` is relu (alpha its slope), tanh or
/// logistic; beta is not used. One gate.
dnnl_status_t DNNL_API dnnl_vanilla_rnn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, float alpha, float beta,
        const_dnnl_primitive_attr_t attr);

/// Describes a plain recurrent layer, backward. prop_kind is dnnl_backward; `flags` are
/// dnnl_rnn_flags_t.
dnnl_status_t DNNL_API dnnl_vanilla_rnn_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

/// Describes a layer of LSTM cells, forward. Cell states are src_iter_c and dst_iter_c. Four
/// gates: input, forget, candidate, output.
dnnl_status_t DNNL_API dnnl_lstm_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Describes a layer of LSTM cells, backward. prop_kind is dnnl_backward; `flags` are
/// dnnl_rnn_flags_t.
dnnl_status_t DNNL_API dnnl_lstm_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_weights_peephole_desc,
        const_dnnl_memory_desc_t diff_weights_projection_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, const_dnnl_memory_desc_t diff_dst_iter_c_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes a layer of GRU cells, forward. Three gates: update, reset, candidate.
dnnl_status_t DNNL_API dnnl_gru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Describes a layer of GRU cells, backward. prop_kind is dnnl_backward; `flags` are
/// dnnl_rnn_flags_t.
dnnl_status_t DNNL_API dnnl_gru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes a layer of GRU cells with linear before reset, forward. Three gates, and a fourth
/// bias.
dnnl_status_t DNNL_API dnnl_lbr_gru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        unsigned flags, const_dnnl_primitive_attr_t attr);

/// Describes a layer of GRU cells with linear before reset, backward. prop_kind is dnnl_backward;
/// `flags` are dnnl_rnn_flags_t.
dnnl_status_t DNNL_API dnnl_lbr_gru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes a layer of GRU cells with attention, forward. Attention scales the update gate at each
/// time.
dnnl_status_t DNNL_API dnnl_augru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Describes a layer of GRU cells with attention, backward. prop_kind is dnnl_backward; `flags` are
/// dnnl_rnn_flags_t.
dnnl_status_t DNNL_API dnnl_augru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Describes a layer of GRU cells with attention and linear before reset, forward. Attention scales
/// the update gate at each time.
dnnl_status_t DNNL_API dnnl_lbr_augru_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Describes a layer of GRU cells with attention and linear before reset, backward. prop_kind is
/// dnnl_backward; `flags` are dnnl_rnn_flags_t.
dnnl_status_t DNNL_API dnnl_lbr_augru_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

// -- Primitive cache ------------------------------------------------------------------------------

/// Returns the capacity of the primitive cache: 1024 unless the environment variable
/// ONEDNN_PRIMITIVE_CACHE_CAPACITY or the function below sets it.
dnnl_status_t DNNL_API dnnl_get_primitive_cache_capacity(int *capacity);

/// Sets the capacity and evicts the least recently used primitives; 0 disables the cache.
/// Primitives in use remain valid. dnnl_invalid_arguments if it is negative.
dnnl_status_t DNNL_API dnnl_set_primitive_cache_capacity(int capacity);

// -- Generated code -------------------------------------------------------------------------------

/// Enables dumps of generated code to files in the working directory, or disables them with 0.
/// Overrides the environment variable ONEDNN_JIT_DUMP.
dnnl_status_t DNNL_API dnnl_set_jit_dump(int enable);

/// Selects the profilers that are informed of generated code: a combination of DNNL_JIT_PROFILE_
/// values. dnnl_invalid_arguments for other bits. Call it before the first primitive is created.
dnnl_status_t DNNL_API dnnl_set_jit_profiling_flags(unsigned flags);

/// Sets the directory of perf's dump files. The string is copied; NULL selects the directory of the
/// environment. Call it before the first primitive is created.
dnnl_status_t DNNL_API dnnl_set_jit_profiling_jitdumpdir(const char *dir);

/// Limits generated code to an instruction set. dnnl_invalid_arguments for an unknown value, and
/// after the first creation of a primitive descriptor, which fixes the instruction set. Overrides
/// the environment variable ONEDNN_MAX_CPU_ISA.
dnnl_status_t DNNL_API dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);

/// Returns the best instruction set of the machine within the limit. Afterwards the limit cannot be
/// changed.
dnnl_cpu_isa_t DNNL_API dnnl_get_effective_cpu_isa(void);

/// Sets the hints. dnnl_runtime_error if the library has used them already. Overrides the
/// environment variable ONEDNN_CPU_ISA_HINTS.
dnnl_status_t DNNL_API dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints);

/// Returns the hints. Afterwards they cannot be changed.
dnnl_cpu_isa_hints_t DNNL_API dnnl_get_cpu_isa_hints(void);

// -- Matrix multiplication on plain pointers ------------------------------------------------------

// Row-major: element (i, j) of a matrix is at [i * ld + j]. op(X) is X for 'N' or 'n', its
// transpose for 'T' or 't'. op(A) is M x K, op(B) is K x N, C is M x N. Statuses:
// dnnl_invalid_arguments for an unknown letter, a negative size or a leading dimension below the
// row's length.

/// C = alpha * op(A) * op(B) + beta * C, in f32.
dnnl_status_t DNNL_API dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb,
        float beta, float *C, dnnl_dim_t ldc);

/// C = alpha * (op(A) - ao) * (op(B) - bo) + beta * C + co, with A of u8, B of s8, C of s32.
/// offsetc gives the shape of co: 'F' one value, 'C' a column of M, 'R' a row of N.
dnnl_status_t DNNL_API dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao,
        const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
        const int32_t *co);

/// The same with A of s8.
dnnl_status_t DNNL_API dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao,
        const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
        const int32_t *co);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_H

// SPDX-License-Identifier: Apache-2.0
// dnnl::memory, the data of a tensor, and dnnl::memory::desc, its shape, data type and layout.

#ifndef ONEAPI_DNNL_CPP_MEMORY_HPP
#define ONEAPI_DNNL_CPP_MEMORY_HPP

#include "oneapi/dnnl/cpp/enums.hpp"

namespace dnnl {

/// Throws dnnl_invalid_arguments with this message unless min_size <= v.size() <= max_size. A
/// negative max_size means no upper bound.
template <typename T>
void validate_container_size(const T &v, const char *message, int min_size = 1, int max_size = -1) {
    const int size = static_cast<int>(v.size());
    if (size < min_size || (max_size >= 0 && size > max_size))
        DNNL_THROW_ERROR(dnnl_invalid_arguments, message);
}

template <>
struct handle_traits<dnnl_memory_desc_t>
    : public detail::destroyed_by<dnnl_memory_desc_t, dnnl_memory_desc_destroy> {};

template <>
struct handle_traits<dnnl_memory_t>
    : public detail::destroyed_by<dnnl_memory_t, dnnl_memory_destroy> {};

namespace detail {

/// A copy of a descriptor that a C object owns.
inline dnnl_memory_desc_t cloned(const_dnnl_memory_desc_t md) {
    dnnl_memory_desc_t result = nullptr;
    error::wrap_c_api(dnnl_memory_desc_clone(&result, md), "cannot copy a memory descriptor");
    return result;
}

} // namespace detail

/// A memory descriptor, an engine and buffers: the caller's, the library's, or none. Copies of the
/// object share the buffers.
struct memory : public handle<dnnl_memory_t> {
    using handle::handle;

    using dim = dnnl_dim_t;
    /// A number for each axis: extents, strides or offsets in elements.
    using dims = std::vector<dim>;

    /// Throws unless v has from min_size to DNNL_MAX_NDIMS entries.
    template <typename T> static void validate_dims(const std::vector<T> &v, int min_size = 0) {
        validate_container_size(v, "wrong number of axes", min_size, DNNL_MAX_NDIMS);
    }

    enum class data_type {
        undef = dnnl_data_type_undef,
        f4_e3m0 = dnnl_f4_e3m0,
        f4_e2m1 = dnnl_f4_e2m1,
        e8m0 = dnnl_e8m0,
        f8_e5m2 = dnnl_f8_e5m2,
        f8_e4m3 = dnnl_f8_e4m3,
        f16 = dnnl_f16,
        bf16 = dnnl_bf16,
        f32 = dnnl_f32,
        f64 = dnnl_f64,
        s64 = dnnl_s64,
        s32 = dnnl_s32,
        s8 = dnnl_s8,
        u8 = dnnl_u8,
        s4 = dnnl_s4,
        u4 = dnnl_u4,
    };

    /// Bytes of one element; 1 for types of less than a byte.
    static size_t data_type_size(data_type adata_type) {
        return dnnl_data_type_size(convert_to_c(adata_type));
    }

    enum class format_kind {
        undef = dnnl_format_kind_undef,
        /// Chosen by the implementation.
        any = dnnl_format_kind_any,
        /// Strides and inner blocks.
        blocked = dnnl_blocked,
        sparse = dnnl_format_kind_sparse,
        /// One value in the memory object itself.
        host_scalar = dnnl_format_kind_host_scalar,
        /// A layout that only the library knows.
        opaque = dnnl_format_kind_opaque,
    };

    enum class sparse_encoding {
        undef = dnnl_sparse_encoding_undef,
        csr = dnnl_csr,
        packed = dnnl_packed,
        coo = dnnl_coo,
    };

    /// Named layouts. The letters of a name are the axes in memory order, outermost first; `a` is
    /// the first logical axis. An upper-case axis is divided into the blocks at the end: aBcd16b.
    /// Names with other letters are aliases: nchw is abcd.
    enum class format_tag {
#include "oneapi/dnnl/cpp/memory_format_tags.inc"
    };

    /// Shape, data type and layout of a tensor. With allow_empty, factories and constructors return
    /// an empty object where they would throw.
    struct desc : public handle<dnnl_memory_desc_t> {
        friend struct memory;
        using handle<dnnl_memory_desc_t>::handle;

        /// The zero descriptor, which describes no tensor.
        desc()
            : handle<dnnl_memory_desc_t>() {
            dnnl_memory_desc_t md = nullptr;
            error::wrap_c_api(dnnl_memory_desc_create_with_tag(
                                      &md, 0, nullptr, dnnl_data_type_undef, dnnl_format_tag_undef),
                    "cannot make the zero memory descriptor; ONEDNN_VERBOSE=all says why");
            reset(md);
        }

        /// Takes ownership of a C descriptor.
        desc(dnnl_memory_desc_t md)
            : handle<dnnl_memory_desc_t>(md) {}

        /// Extents adims, data type adata_type and the named layout aformat_tag. Throws if the tag
        /// has another number of axes, or an extent is negative and not DNNL_RUNTIME_DIM_VAL.
        desc(const dims &adims, data_type adata_type, format_tag aformat_tag,
                bool allow_empty = false) {
            validate_dims(adims);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_tag(&md, ndims_of(adims),
                    adims.data(), convert_to_c(adata_type), convert_to_c(aformat_tag));
            accept(status, md, allow_empty,
                    "cannot make a memory descriptor from a tag; ONEDNN_VERBOSE=all says why");
        }

        /// Extents adims, data type adata_type and strides in elements; without strides the layout
        /// is dense row-major.
        desc(const dims &adims, data_type adata_type, const dims &strides,
                bool allow_empty = false) {
            validate_dims(adims);
            if (!strides.empty()) validate_dims(strides, ndims_of(adims));
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                    dnnl_memory_desc_create_with_strides(&md, ndims_of(adims), adims.data(),
                            convert_to_c(adata_type), strides.empty() ? nullptr : strides.data());
            accept(status, md, allow_empty,
                    "cannot make a memory descriptor from strides; ONEDNN_VERBOSE=all says why");
        }

        /// The descriptor of a blob that get_blob() of the same library version returned.
        desc(const std::vector<uint8_t> &blob) {
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_blob(&md, blob.data());
            accept(status, md, false,
                    "cannot make a memory descriptor from a blob; ONEDNN_VERBOSE=all says why");
        }

        /// Compressed sparse rows: nnz values, their columns, and the first value of each row.
        static desc csr(const dims &adims, data_type adata_type, dim nnz, data_type index_dt,
                data_type pointer_dt, bool allow_empty = false) {
            validate_dims(adims);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_csr_encoding(&md,
                    ndims_of(adims), adims.data(), convert_to_c(adata_type), nnz,
                    convert_to_c(index_dt), convert_to_c(pointer_dt));
            return made(status, md, allow_empty,
                    "cannot make a CSR memory descriptor; ONEDNN_VERBOSE=all says why");
        }

        /// Coordinates: nnz values and, for each axis, their indices.
        static desc coo(const dims &adims, data_type adata_type, dim nnz, data_type index_dt,
                bool allow_empty = false) {
            validate_dims(adims);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                    dnnl_memory_desc_create_with_coo_encoding(&md, ndims_of(adims), adims.data(),
                            convert_to_c(adata_type), nnz, convert_to_c(index_dt));
            return made(status, md, allow_empty,
                    "cannot make a COO memory descriptor; ONEDNN_VERBOSE=all says why");
        }

        /// nnz values in a sparse encoding of the library.
        static desc packed(
                const dims &adims, data_type adata_type, dim nnz, bool allow_empty = false) {
            validate_dims(adims);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_packed_encoding(
                    &md, ndims_of(adims), adims.data(), convert_to_c(adata_type), nnz);
            return made(status, md, allow_empty,
                    "cannot make a packed memory descriptor; ONEDNN_VERBOSE=all says why");
        }

        /// One value in host memory.
        static desc host_scalar(data_type adata_type) {
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                    dnnl_memory_desc_create_host_scalar(&md, convert_to_c(adata_type));
            return made(status, md, false,
                    "cannot make a host scalar memory descriptor; ONEDNN_VERBOSE=all says why");
        }

        /// The box with extents adims and first element offsets, with the strides of this tensor.
        /// Throws if it exceeds the tensor or cuts a block.
        desc submemory_desc(
                const dims &adims, const dims &offsets, bool allow_empty = false) const {
            validate_dims(adims, get_ndims());
            validate_dims(offsets, get_ndims());
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                    dnnl_memory_desc_create_submemory(&md, get(), adims.data(), offsets.data());
            return made(status, md, allow_empty,
                    "cannot describe a part of a memory; ONEDNN_VERBOSE=all says why");
        }

        /// The same elements with extents adims. Throws if the number of elements differs or the
        /// layout does not allow it: axes can be split, and joined if they are dense.
        desc reshape(const dims &adims, bool allow_empty = false) const {
            if (!is_zero()) validate_dims(adims, 1);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                    dnnl_memory_desc_reshape(&md, get(), ndims_of(adims), adims.data());
            return made(status, md, allow_empty, "cannot reshape a memory descriptor");
        }

        /// The same elements with the axes renamed: axis i becomes axis permutation[i].
        desc permute_axes(const std::vector<int> &permutation, bool allow_empty = false) const {
            validate_dims(permutation, get_ndims());
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                    dnnl_memory_desc_permute_axes(&md, get(), permutation.data());
            return made(status, md, allow_empty, "cannot permute a memory descriptor");
        }

        int get_ndims() const { return value_of(query::ndims_s32, 0); }
        memory::dims get_dims() const { return dims_of(query::dims, get_ndims()); }
        /// Extents rounded up to whole blocks.
        memory::dims get_padded_dims() const { return dims_of(query::padded_dims, get_ndims()); }
        /// The position of the first element within the padded extents.
        memory::dims get_padded_offsets() const {
            return dims_of(query::padded_offsets, get_ndims());
        }
        /// The offset of the first element from the data handle, in elements.
        memory::dim get_submemory_offset() const {
            return value_of<dim>(query::submemory_offset_s64, 0);
        }

        /// Strides of the outer axes in elements. Like the blocks below, empty unless the format
        /// kind is blocked.
        memory::dims get_strides() const { return dims_of(query::strides, get_ndims()); }
        int get_inner_nblks() const { return value_of(query::inner_nblks_s32, 0); }
        /// Sizes of the inner blocks, outermost first.
        memory::dims get_inner_blks() const {
            return dims_of(query::inner_blks, get_inner_nblks());
        }
        /// The axes of the inner blocks.
        memory::dims get_inner_idxs() const {
            return dims_of(query::inner_idxs, get_inner_nblks());
        }

        /// The number of buffers of a memory object: 1 unless sparse.
        int get_num_handles() const { return value_of(query::num_handles_s32, 0); }
        /// The number of stored values; 0 unless sparse.
        dim get_nnz() const { return value_of<dim>(query::nnz_s64, 0); }
        memory::sparse_encoding get_sparse_encoding() const {
            return static_cast<memory::sparse_encoding>(
                    value_of(query::sparse_encoding, dnnl_sparse_encoding_undef));
        }

        /// The data type; of a sparse tensor that of its index-th buffer.
        memory::data_type get_data_type(int index = 0) const {
            return static_cast<memory::data_type>(
                    value_of(query::data_type, dnnl_data_type_undef, index));
        }
        memory::format_kind get_format_kind() const {
            return static_cast<memory::format_kind>(
                    value_of(query::format_kind, dnnl_format_kind_undef));
        }

        /// Bytes of the index-th buffer with padding; 0 for the zero descriptor and for format any,
        /// DNNL_RUNTIME_SIZE_VAL if an extent or a stride is known only at execution.
        size_t get_size(int index = 0) const { return dnnl_memory_desc_get_size_v2(get(), index); }

        /// The serialized descriptor, for the constructor above.
        std::vector<uint8_t> get_blob() const {
            size_t size = 0;
            error::wrap_c_api(dnnl_memory_desc_get_blob(nullptr, &size, get()),
                    "cannot get the size of a memory descriptor's blob");
            std::vector<uint8_t> blob(size);
            error::wrap_c_api(dnnl_memory_desc_get_blob(blob.data(), &size, get()),
                    "cannot get a memory descriptor's blob");
            return blob;
        }

        /// True for the zero descriptor.
        bool is_zero() const { return get_ndims() == 0; }

        /// Whether shape, data type and layout are equal.
        bool operator==(const desc &other) const {
            return dnnl_memory_desc_equal(get(), other.get()) != 0;
        }
        bool operator!=(const desc &other) const { return !(*this == other); }

    private:
        static int ndims_of(const memory::dims &adims) { return static_cast<int>(adims.size()); }

        void accept(dnnl_status_t status, dnnl_memory_desc_t md, bool allow_empty,
                const char *message) {
            if (!allow_empty) error::wrap_c_api(status, message);
            reset(status == dnnl_success ? md : nullptr);
        }

        static desc made(dnnl_status_t status, dnnl_memory_desc_t md, bool allow_empty,
                const char *message) {
            desc result(nullptr);
            result.accept(status, md, allow_empty, message);
            return result;
        }

        template <typename T> T value_of(query what, T otherwise, int index = 0) const {
            T result = otherwise;
            const dnnl_status_t status =
                    dnnl_memory_desc_query_v2(get(), dnnl::convert_to_c(what), index, &result);
            return status == dnnl_success ? result : otherwise;
        }

        memory::dims dims_of(query what, int count) const {
            const dnnl_dims_t *values = value_of<const dnnl_dims_t *>(what, nullptr);
            return values ? memory::dims(*values, *values + count) : memory::dims();
        }
    };

    /// An empty object.
    memory() = default;

    /// With descriptor md on aengine. handle is the caller's buffer, DNNL_MEMORY_ALLOCATE (the
    /// library allocates it) or DNNL_MEMORY_NONE (no buffer).
    memory(const desc &md, const engine &aengine, void *data)
        : memory(md, aengine, std::vector<void *>(1, data)) {}

    /// The same with a handle for each buffer of md, which may be sparse.
    memory(const desc &md, const engine &aengine, std::vector<void *> handles) {
        dnnl_memory_t result = nullptr;
        error::wrap_c_api(dnnl_memory_create_v2(&result, md.get(), aengine.get(),
                                  static_cast<int>(handles.size()), handles.data()),
                "cannot make a memory; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// With buffers that the library allocates.
    memory(const desc &md, const engine &aengine)
        : memory(md, aengine,
                std::vector<void *>(
                        static_cast<size_t>(md.get_num_handles()), DNNL_MEMORY_ALLOCATE)) {}

    /// A host scalar with this value. Throws unless T has the size of the data type of md.
    template <typename T> memory(const desc &md, const T value) {
        check_scalar_size<T>(md.get());
        T copy = value;
        dnnl_memory_t result = nullptr;
        error::wrap_c_api(dnnl_memory_create_host_scalar(&result, md.get(), &copy),
                "cannot make a host scalar; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// A copy of the descriptor.
    desc get_desc() const { return desc(detail::cloned(c_desc())); }

    /// The engine of the memory, without ownership: it must outlive the result.
    engine get_engine() const {
        dnnl_engine_t result;
        error::wrap_c_api(
                dnnl_memory_get_engine(get(), &result), "cannot get the engine of a memory");
        return engine(result, true);
    }

    /// The address of the index-th buffer; null if there is none.
    void *get_data_handle(int index = 0) const {
        void *result;
        error::wrap_c_api(dnnl_memory_get_data_handle_v2(get(), &result, index),
                "cannot get the data handle of a memory");
        return result;
    }

    /// Replaces the index-th buffer by the caller's.
    void set_data_handle(void *data, int index = 0) const {
        error::wrap_c_api(dnnl_memory_set_data_handle_v2(get(), data, index),
                "cannot set the data handle of a memory; ONEDNN_VERBOSE=all says why");
    }

    /// The value of a host scalar. Throws unless T has the size of the data type.
    template <typename T> T get_host_scalar_value() const {
        check_scalar_size<T>(c_desc());
        T value;
        error::wrap_c_api(dnnl_memory_get_host_scalar_value(get(), &value),
                "cannot get the value of a host scalar");
        return value;
    }

    /// Sets the value of a host scalar. Throws unless T has the size of the data type.
    template <typename T> void set_host_scalar_value(const T value) const {
        check_scalar_size<T>(c_desc());
        error::wrap_c_api(dnnl_memory_set_host_scalar_value(get(), &value),
                "cannot set the value of a host scalar; ONEDNN_VERBOSE=all says why");
    }

    /// Maps the index-th buffer for the host. No primitive may use the memory until unmap_data().
    template <typename T = void> T *map_data(int index = 0) const {
        void *mapped;
        error::wrap_c_api(dnnl_memory_map_data_v2(get(), &mapped, index),
                "cannot map the data of a memory; ONEDNN_VERBOSE=all says why");
        return static_cast<T *>(mapped);
    }

    /// Unmaps the address that map_data() returned.
    void unmap_data(void *mapped_ptr, int index = 0) const {
        error::wrap_c_api(dnnl_memory_unmap_data_v2(get(), mapped_ptr, index),
                "cannot unmap the data of a memory");
    }

    static dnnl_data_type_t convert_to_c(data_type adata_type) {
        return static_cast<dnnl_data_type_t>(adata_type);
    }

    static dnnl_format_tag_t convert_to_c(format_tag format) {
        return static_cast<dnnl_format_tag_t>(format);
    }

private:
    const_dnnl_memory_desc_t c_desc() const {
        const_dnnl_memory_desc_t result;
        error::wrap_c_api(dnnl_memory_get_memory_desc(get(), &result),
                "cannot get the descriptor of a memory");
        return result;
    }

    template <typename T> static void check_scalar_size(const_dnnl_memory_desc_t md) {
        if (sizeof(T) != dnnl_memory_desc_get_size_v2(md, 0))
            DNNL_THROW_ERROR(
                    dnnl_invalid_arguments, "a host scalar has another size than its data type");
    }
};

inline bool operator==(dnnl_data_type_t a, memory::data_type b) {
    return a == memory::convert_to_c(b);
}
inline bool operator!=(dnnl_data_type_t a, memory::data_type b) { return !(a == b); }
inline bool operator==(memory::data_type a, dnnl_data_type_t b) { return b == a; }
inline bool operator!=(memory::data_type a, dnnl_data_type_t b) { return !(a == b); }

inline bool operator==(dnnl_format_tag_t a, memory::format_tag b) {
    return a == memory::convert_to_c(b);
}
inline bool operator!=(dnnl_format_tag_t a, memory::format_tag b) { return !(a == b); }
inline bool operator==(memory::format_tag a, dnnl_format_tag_t b) { return b == a; }
inline bool operator!=(memory::format_tag a, dnnl_format_tag_t b) { return !(a == b); }

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_MEMORY_HPP

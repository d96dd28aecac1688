// SPDX-License-Identifier: Apache-2.0
// dnnl::primitive_desc, a computation with its implementation, and its queries.

#ifndef ONEAPI_DNNL_CPP_PRIMITIVE_DESC_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVE_DESC_HPP

#include <initializer_list>

#include "oneapi/dnnl/cpp/primitive_attr.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_primitive_desc_t>
    : public detail::destroyed_by<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy> {};

/// Base of all primitive descriptors. A query that does not apply to the operation returns the
/// default that its comment states. Queries of an empty object throw.
struct primitive_desc_base : public handle<dnnl_primitive_desc_t> {
    using handle<dnnl_primitive_desc_t>::handle;

    /// An empty descriptor.
    primitive_desc_base() = default;

    /// The engine, without ownership: it must outlive the result.
    engine get_engine() const { return query_engine(query::engine); }

    /// The name of the implementation, owned by the descriptor.
    const char *impl_info_str() const {
        const char *result;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_impl_info_str, 0, &result),
                "cannot get the name of an implementation");
        return result;
    }

    dnnl::primitive::kind get_kind() const {
        dnnl_primitive_kind_t result;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_primitive_kind, 0, &result),
                "cannot tell what kind of primitive this describes");
        return static_cast<dnnl::primitive::kind>(result);
    }

    /// undef if the operation has no propagation kind.
    dnnl::prop_kind get_prop_kind() const {
        return static_cast<dnnl::prop_kind>(value_of(query::prop_kind, dnnl_prop_kind_undef));
    }

    /// A 64-bit query, such as memory_consumption_s64; 0 by default.
    memory::dim query_s64(query what) const { return value_of<memory::dim>(what, 0); }

    /// A number for each spatial axis; empty by default.
    memory::dims get_strides() const { return query_dims(query::strides); }
    memory::dims get_dilations() const { return query_dims(query::dilations); }
    memory::dims get_padding_l() const { return query_dims(query::padding_l); }
    memory::dims get_padding_r() const { return query_dims(query::padding_r); }
    memory::dims get_kernel() const { return query_dims(query::kernel); }

    /// A factor for each spatial axis; empty by default.
    std::vector<float> get_factors() const {
        const float *factors = value_of<const float *>(query::factors, nullptr);
        return factors ? std::vector<float>(factors, factors + spatial_axes())
                       : std::vector<float>();
    }

    /// 0 by default.
    float get_epsilon() const { return query_f32(query::epsilon_f32); }
    float get_alpha() const { return query_f32(query::alpha_f32); }
    float get_beta() const { return query_f32(query::beta_f32); }
    float get_k() const { return query_f32(query::k_f32); }
    float get_p() const { return query_f32(query::p_f32); }
    memory::dim get_local_size() const { return query_s64(query::local_size_s64); }
    memory::dim get_group_size() const { return query_s64(query::group_size_s64); }

    /// The flags as the enumeration of the operation or as a number; 0 by default.
    template <typename T = unsigned> T get_flags() const {
        return static_cast<T>(value_of(query::flags, 0U));
    }

    /// -1 by default.
    int get_axis() const { return value_of(query::axis_s32, -1); }

    /// undef by default.
    dnnl::algorithm get_algorithm() const { return query_alg(query::alg_kind); }
    dnnl::algorithm get_cell_kind() const { return query_alg(query::cell_kind); }
    dnnl::algorithm get_activation_kind() const { return query_alg(query::activation_kind); }
    dnnl::rnn_direction get_direction() const {
        return static_cast<dnnl::rnn_direction>(
                value_of(query::direction, dnnl_rnn_direction_undef));
    }

    /// A memory descriptor by kind (a query that ends in _md) and index; for exec_arg_md the index
    /// is a DNNL_ARG_ value. The zero descriptor by default; throws for other kinds of queries.
    memory::desc query_md(query what, int idx = 0) const {
        if (!asks_for_md(what))
            DNNL_THROW_ERROR(
                    dnnl_invalid_arguments, "this query does not ask for a memory descriptor");
        const_dnnl_memory_desc_t md =
                dnnl_primitive_desc_query_md(get(), dnnl::convert_to_c(what), idx);
        return md ? memory::desc(detail::cloned(md)) : memory::desc();
    }

    memory::desc src_desc(int idx) const { return query_md(query::src_md, idx); }
    memory::desc dst_desc(int idx) const { return query_md(query::dst_md, idx); }
    memory::desc weights_desc(int idx) const { return query_md(query::weights_md, idx); }
    memory::desc diff_src_desc(int idx) const { return query_md(query::diff_src_md, idx); }
    memory::desc diff_dst_desc(int idx) const { return query_md(query::diff_dst_md, idx); }
    memory::desc diff_weights_desc(int idx) const { return query_md(query::diff_weights_md, idx); }

    memory::desc src_desc() const { return src_desc(0); }
    memory::desc dst_desc() const { return dst_desc(0); }
    memory::desc weights_desc() const { return weights_desc(0); }
    memory::desc diff_src_desc() const { return diff_src_desc(0); }
    memory::desc diff_dst_desc() const { return diff_dst_desc(0); }
    memory::desc diff_weights_desc() const { return diff_weights_desc(0); }

    /// The workspace, which forward training writes and backward reads.
    memory::desc workspace_desc() const { return query_md(query::workspace_md); }
    /// The scratchpad, DNNL_ARG_SCRATCHPAD, in scratchpad_mode::user; otherwise the zero
    /// descriptor.
    memory::desc scratchpad_desc() const { return query_md(query::scratchpad_md); }

    /// The engine of the scratchpad, without ownership.
    engine scratchpad_engine() const { return query_engine(query::scratchpad_engine); }

    /// A copy of the attributes.
    primitive_attr get_primitive_attr() const {
        const_dnnl_primitive_attr_t kept;
        error::wrap_c_api(dnnl_primitive_desc_get_attr(get(), &kept),
                "cannot get the attributes of a primitive descriptor");
        dnnl_primitive_attr_t copy = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_clone(&copy, kept), "cannot copy attributes");
        return primitive_attr(copy);
    }

    /// The id of the cache blob. Throws dnnl_unimplemented if the library does not support blobs.
    std::vector<uint8_t> get_cache_blob_id() const {
        memory::dim size;
        const uint8_t *id;
        error::wrap_c_api(
                dnnl_primitive_desc_query(get(), dnnl_query_cache_blob_id_size_s64, 0, &size),
                "cannot get the size of a cache blob ID");
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_cache_blob_id, 0, &id),
                "cannot get a cache blob ID");
        return std::vector<uint8_t>(id, id + size);
    }

protected:
    /// A copy of pd, which must have the given kind and one of the propagation kinds; undef means
    /// that it has none. Throws dnnl_invalid_arguments otherwise. Empty if pd is null.
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind,
            dnnl::prop_kind prop_kind1, dnnl::prop_kind prop_kind2) {
        if (pd == nullptr) return;
        const primitive_desc_base given(pd, true);
        if (given.get_kind() != prim_kind)
            DNNL_THROW_ERROR(
                    dnnl_invalid_arguments, "a primitive descriptor has another kind of primitive");
        const dnnl::prop_kind direction = given.get_prop_kind();
        if (direction != prop_kind1 && direction != prop_kind2)
            DNNL_THROW_ERROR(
                    dnnl_invalid_arguments, "a primitive descriptor has another propagation kind");
        reset_with_clone(pd);
    }

    primitive_desc_base(
            dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind, dnnl::prop_kind aprop_kind)
        : primitive_desc_base(pd, prim_kind, aprop_kind, aprop_kind) {}

    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind prim_kind)
        : primitive_desc_base(pd, prim_kind, dnnl::prop_kind::undef) {}

    /// Takes ownership of the result of a C function that creates a descriptor. If the function
    /// failed, throws, or with allow_empty stays empty.
    void accept(
            dnnl_status_t status, dnnl_primitive_desc_t pd, bool allow_empty, const char *message) {
        if (!allow_empty) error::wrap_c_api(status, message);
        reset(status == dnnl_success ? pd : nullptr);
    }

    /// Calls a C function that creates a descriptor from args. If it fails, throws an error with
    /// the message, or with allow_empty stays empty.
    template <typename function_t, typename... args_t>
    void describe_with(
            bool allow_empty, const char *message, function_t create, const args_t &...args) {
        dnnl_primitive_desc_t pd = nullptr;
        const dnnl_status_t status = create(&pd, args...);
        accept(status, pd, allow_empty, message);
    }

    /// Throws dnnl_invalid_arguments unless each vector has an entry for each spatial axis of md,
    /// at least; null pointers are passed over.
    template <typename T>
    static void require_spatial(
            const memory::desc &md, std::initializer_list<const std::vector<T> *> vectors) {
        for (const std::vector<T> *v : vectors)
            if (v) memory::validate_dims(*v, md.get_ndims() - 2);
    }

    void reset_with_clone(const_dnnl_primitive_desc_t pd) {
        dnnl_primitive_desc_t copy = nullptr;
        error::wrap_c_api(
                dnnl_primitive_desc_clone(&copy, pd), "cannot copy a primitive descriptor");
        reset(copy);
    }

    float query_f32(query what) const { return value_of(what, 0.f); }

    algorithm query_alg(query what) const {
        return static_cast<algorithm>(value_of(what, dnnl_alg_kind_undef));
    }

    memory::dims query_dims(query what) const {
        const dnnl_dims_t *values = value_of<const dnnl_dims_t *>(what, nullptr);
        return values ? memory::dims(*values, *values + spatial_axes()) : memory::dims();
    }

    engine query_engine(query what) const {
        dnnl_engine_t result;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl::convert_to_c(what), 0, &result),
                "cannot get an engine of a primitive descriptor");
        return engine(result, true);
    }

    /// Default attributes, for default arguments. They are never destroyed: static objects of the
    /// program may describe primitives in their destructors.
    static const primitive_attr &default_attr() {
        static const primitive_attr &attr = *new primitive_attr;
        return attr;
    }

    static const_dnnl_memory_desc_t optional_arg(const memory::desc *md) {
        return md ? md->get() : nullptr;
    }

    template <typename T> static const T *optional_arg(const std::vector<T> *v) {
        return v ? v->data() : nullptr;
    }

    static std::vector<const_dnnl_memory_desc_t> handles_of(const std::vector<memory::desc> &mds) {
        std::vector<const_dnnl_memory_desc_t> handles;
        handles.reserve(mds.size());
        for (const memory::desc &md : mds) handles.push_back(md.get());
        return handles;
    }

    using base = primitive_desc_base;

private:
    template <typename T> T value_of(query what, T otherwise) const {
        T result = otherwise;
        const dnnl_status_t status =
                dnnl_primitive_desc_query(get(), dnnl::convert_to_c(what), 0, &result);
        return status == dnnl_success ? result : otherwise;
    }

    /// The number of spatial axes of the result.
    int spatial_axes() const {
        const dnnl::prop_kind direction = get_prop_kind();
        const bool is_forward = direction == dnnl::prop_kind::forward_training
                                || direction == dnnl::prop_kind::forward_inference;
        const int ndims = query_md(is_forward ? query::dst_md : query::diff_dst_md).get_ndims();
        return std::max(ndims - 2, 0);
    }

    static bool asks_for_md(query what) {
        switch (what) {
        case query::src_md:
        case query::diff_src_md:
        case query::weights_md:
        case query::diff_weights_md:
        case query::dst_md:
        case query::diff_dst_md:
        case query::workspace_md:
        case query::scratchpad_md:
        case query::exec_arg_md: return true;
        default: return false;
        }
    }
};

/// Base of the descriptors of operations with several implementations.
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;

    /// An empty descriptor.
    primitive_desc() = default;

    /// Selects the next implementation that accepts the computation; false if there is none.
    bool next_impl() {
        const dnnl_status_t status = dnnl_primitive_desc_next_impl(get());
        if (status == dnnl_last_impl_reached) return false;
        error::wrap_c_api(
                status, "cannot move on to the next implementation; ONEDNN_VERBOSE=all says why");
        return true;
    }
};

inline primitive::primitive(const primitive_desc &pd)
    : primitive(pd.get()) {}

inline primitive::primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
    : primitive(pd.get(), cache_blob) {}

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_PRIMITIVE_DESC_HPP

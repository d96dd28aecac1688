// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::logical_tensor, an edge of a graph: id, data type, shape and layout of a tensor
// without its data.

#ifndef ONEAPI_DNNL_CPP_GRAPH_LOGICAL_TENSOR_HPP
#define ONEAPI_DNNL_CPP_GRAPH_LOGICAL_TENSOR_HPP

#include "oneapi/dnnl/cpp/graph/status.hpp"

namespace dnnl {
namespace graph {

class logical_tensor;

namespace detail {

/// The C struct of a logical tensor; valid until the logical tensor changes or is destroyed.
const dnnl_graph_logical_tensor_t *c_struct_of(const logical_tensor &lt);

} // namespace detail

/// A value type. Logical tensors with one id are the same edge of the graph. Shape and layout may
/// be unknown until the partition that computes the tensor is compiled. In constructors tid is the
/// id, dtype the data type, ltype the layout type and ptype the property. They throw
/// dnnl_invalid_arguments for more than DNNL_MAX_NDIMS dims, and for a host scalar with dims.
class logical_tensor {
public:
    using dim = dnnl_dim_t;
    /// A number for each axis: dims, or strides in elements.
    using dims = std::vector<dim>;

    enum class data_type {
        /// Unknown; as an optional output of an operation: not wanted.
        undef = dnnl_data_type_undef,
        f16 = dnnl_f16,
        bf16 = dnnl_bf16,
        f32 = dnnl_f32,
        s32 = dnnl_s32,
        s8 = dnnl_s8,
        u8 = dnnl_u8,
        /// A byte of value 0 or 1.
        boolean = dnnl_boolean,
        f8_e5m2 = dnnl_f8_e5m2,
        f8_e4m3 = dnnl_f8_e4m3,
        s4 = dnnl_s4,
        u4 = dnnl_u4,
        s64 = dnnl_s64,
    };

    enum class layout_type {
        undef = dnnl_graph_layout_type_undef,
        /// Chosen by compilation.
        any = dnnl_graph_layout_type_any,
        /// Described by strides.
        strided = dnnl_graph_layout_type_strided,
        /// Described by an id from compilation.
        opaque = dnnl_graph_layout_type_opaque,
    };

    enum class property_type {
        undef = dnnl_graph_tensor_property_undef,
        variable = dnnl_graph_tensor_property_variable,
        /// Does not change between executions; the library may cache what it computes from it.
        constant = dnnl_graph_tensor_property_constant,
        /// One value in host memory.
        host_scalar = dnnl_graph_tensor_property_host_scalar,
    };

    /// An unknown tensor with id 0.
    logical_tensor() = default;

    /// A copy of a C struct.
    explicit logical_tensor(const dnnl_graph_logical_tensor_t &c_data)
        : data_(c_data) {}

    /// With ndims unknown dims; ndims may be DNNL_GRAPH_UNKNOWN_NDIMS.
    logical_tensor(size_t tid, data_type dtype, int32_t ndims, layout_type ltype,
            property_type ptype = property_type::undef) {
        init(tid, dtype, ndims, ltype, ptype);
    }

    /// With an unknown number of dims.
    logical_tensor(size_t tid, data_type dtype, layout_type ltype = layout_type::undef)
        : logical_tensor(tid, dtype, DNNL_GRAPH_UNKNOWN_NDIMS, ltype) {}

    /// With dims adims, each of which may be DNNL_GRAPH_UNKNOWN_DIM; without dims a scalar. A
    /// strided layout is dense row-major.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, layout_type ltype,
            property_type ptype = property_type::undef) {
        init(tid, dtype, adims, ltype, ptype);
    }

    /// With dims adims and strides in elements, one for each dim.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, const dims &strides,
            property_type ptype = property_type::undef) {
        if (adims.size() != strides.size())
            DNNL_THROW_ERROR(
                    dnnl_invalid_arguments, "a logical tensor needs as many strides as dims");
        if (adims.empty()) {
            init(tid, dtype, 0, layout_type::strided, ptype);
            return;
        }
        error::wrap_c_api(dnnl_graph_logical_tensor_init_with_strides(&data_, tid, to_c(dtype),
                                  static_cast<int32_t>(adims.size()), adims.data(), strides.data(),
                                  to_c(ptype)),
                "cannot make a logical tensor from strides; ONEDNN_VERBOSE=all says why");
    }

    /// With dims adims and the opaque layout lid, the layout id of a logical tensor that
    /// compiled_partition::query_logical_tensor() returned.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, size_t lid,
            property_type ptype = property_type::undef) {
        init(tid, dtype, adims, layout_type::opaque, ptype);
        data_.layout.layout_id = lid;
    }

    size_t get_id() const { return data_.id; }
    data_type get_data_type() const { return static_cast<data_type>(data_.data_type); }
    property_type get_property_type() const { return static_cast<property_type>(data_.property); }
    layout_type get_layout_type() const { return static_cast<layout_type>(data_.layout_type); }

    /// The dims, each of which may be DNNL_GRAPH_UNKNOWN_DIM. Throws if their number is
    /// unknown.
    dims get_dims() const { return axes(data_.dims); }

    /// Throws unless the layout is strided and the number of dims is known.
    dims get_strides() const {
        expect_layout(
                layout_type::strided, "a logical tensor has strides in a strided layout only");
        return axes(data_.layout.strides);
    }

    /// Throws unless the layout is opaque.
    size_t get_layout_id() const {
        expect_layout(layout_type::opaque, "only an opaque layout has an id");
        return data_.layout.layout_id;
    }

    /// Bytes of a buffer for the tensor; SIZE_MAX if dims or layout are unknown.
    size_t get_mem_size() const {
        size_t size = 0;
        error::wrap_c_api(dnnl_graph_logical_tensor_get_mem_size(&data_, &size),
                "cannot tell the size of a logical tensor");
        return size;
    }

    /// Whether id, data type, property, shape and layout are equal. A strided and an opaque layout
    /// may be equal.
    bool is_equal(const logical_tensor &lt) const {
        uint8_t equal = 0;
        error::wrap_c_api(dnnl_graph_logical_tensor_is_equal(&data_, &lt.data_, &equal),
                "cannot compare logical tensors");
        return equal != 0;
    }

private:
    friend const dnnl_graph_logical_tensor_t *detail::c_struct_of(const logical_tensor &lt);

    static dnnl_data_type_t to_c(data_type dtype) { return static_cast<dnnl_data_type_t>(dtype); }
    static dnnl_graph_layout_type_t to_c(layout_type ltype) {
        return static_cast<dnnl_graph_layout_type_t>(ltype);
    }
    static dnnl_graph_tensor_property_t to_c(property_type ptype) {
        return static_cast<dnnl_graph_tensor_property_t>(ptype);
    }

    void init(size_t tid, data_type dtype, int32_t ndims, layout_type ltype, property_type ptype) {
        error::wrap_c_api(dnnl_graph_logical_tensor_init(
                                  &data_, tid, to_c(dtype), ndims, to_c(ltype), to_c(ptype)),
                "cannot make a logical tensor; ONEDNN_VERBOSE=all says why");
    }

    void init(size_t tid, data_type dtype, const dims &adims, layout_type ltype,
            property_type ptype) {
        if (adims.empty()) {
            init(tid, dtype, 0, ltype, ptype);
            return;
        }
        error::wrap_c_api(
                dnnl_graph_logical_tensor_init_with_dims(&data_, tid, to_c(dtype),
                        static_cast<int32_t>(adims.size()), adims.data(), to_c(ltype), to_c(ptype)),
                "cannot make a logical tensor from dims; ONEDNN_VERBOSE=all says why");
    }

    /// The first ndims of these values.
    dims axes(const dnnl_dims_t &values) const {
        if (data_.ndims < 0)
            DNNL_THROW_ERROR(
                    dnnl_invalid_arguments, "the number of dims of a logical tensor is not known");
        return dims(values, values + data_.ndims);
    }

    void expect_layout(layout_type ltype, const char *message) const {
        if (get_layout_type() != ltype) DNNL_THROW_ERROR(dnnl_invalid_arguments, message);
    }

    dnnl_graph_logical_tensor_t data_{};
};

namespace detail {

inline const dnnl_graph_logical_tensor_t *c_struct_of(const logical_tensor &lt) {
    return &lt.data_;
}

/// The C structs in the same order; valid as long as the vector does not change.
inline std::vector<const dnnl_graph_logical_tensor_t *> c_structs_of(
        const std::vector<logical_tensor> &lts) {
    std::vector<const dnnl_graph_logical_tensor_t *> result;
    result.reserve(lts.size());
    for (const logical_tensor &lt : lts) result.push_back(c_struct_of(lt));
    return result;
}

} // namespace detail
} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_LOGICAL_TENSOR_HPP

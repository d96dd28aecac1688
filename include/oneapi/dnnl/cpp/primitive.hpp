// SPDX-License-Identifier: Apache-2.0
// dnnl::primitive, an executable computation, and the base class of all operations.

#ifndef ONEAPI_DNNL_CPP_PRIMITIVE_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVE_HPP

#include "oneapi/dnnl/cpp/memory.hpp"

namespace dnnl {

struct primitive_desc;

template <>
struct handle_traits<dnnl_primitive_t>
    : public detail::destroyed_by<dnnl_primitive_t, dnnl_primitive_destroy> {};

/// A computation on memory with given descriptors. Several threads may execute it at once.
struct primitive : public handle<dnnl_primitive_t> {
    enum class kind {
        undef = dnnl_undefined_primitive,
        reorder = dnnl_reorder,
        shuffle = dnnl_shuffle,
        concat = dnnl_concat,
        sum = dnnl_sum,
        convolution = dnnl_convolution,
        deconvolution = dnnl_deconvolution,
        eltwise = dnnl_eltwise,
        lrn = dnnl_lrn,
        batch_normalization = dnnl_batch_normalization,
        inner_product = dnnl_inner_product,
        rnn = dnnl_rnn,
        binary = dnnl_binary,
        matmul = dnnl_matmul,
        resampling = dnnl_resampling,
        pooling = dnnl_pooling,
        reduction = dnnl_reduction,
        prelu = dnnl_prelu,
        softmax = dnnl_softmax,
        layer_normalization = dnnl_layer_normalization,
        group_normalization = dnnl_group_normalization,
    };

    using handle::handle;

    /// An empty primitive.
    primitive() = default;

    primitive(const_dnnl_primitive_desc_t c_pd) {
        dnnl_primitive_t result = nullptr;
        error::wrap_c_api(dnnl_primitive_create(&result, c_pd),
                "cannot make a primitive; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// The same with the result of get_cache_blob(), which saves time.
    primitive(const_dnnl_primitive_desc_t c_pd, const std::vector<uint8_t> &cache_blob) {
        dnnl_primitive_t result = nullptr;
        error::wrap_c_api(dnnl_primitive_create_from_cache_blob(
                                  &result, c_pd, cache_blob.size(), cache_blob.data()),
                "cannot make a primitive from a cache blob; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    primitive(const primitive_desc &pd);
    primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob);

    /// The primitive descriptor, owned by the primitive.
    const_dnnl_primitive_desc_t get_primitive_desc() const {
        const_dnnl_primitive_desc_t result;
        error::wrap_c_api(dnnl_primitive_get_primitive_desc(get(), &result),
                "cannot get the descriptor of a primitive");
        return result;
    }

    kind get_kind() const {
        dnnl_primitive_kind_t result;
        error::wrap_c_api(dnnl_primitive_desc_query(
                                  get_primitive_desc(), dnnl_query_primitive_kind, 0, &result),
                "cannot tell what kind of primitive this is");
        return static_cast<kind>(result);
    }

    /// A blob from which another process can create the same primitive. Throws dnnl_unimplemented
    /// if the library does not support blobs.
    std::vector<uint8_t> get_cache_blob() const {
        size_t size = 0;
        error::wrap_c_api(dnnl_primitive_get_cache_blob(get(), &size, nullptr),
                "cannot get the size of a primitive's cache blob");
        std::vector<uint8_t> blob(size);
        error::wrap_c_api(dnnl_primitive_get_cache_blob(get(), &size, blob.data()),
                "cannot get a primitive's cache blob");
        return blob;
    }

    /// Executes the primitive on astream. args has the memory of each DNNL_ARG_ value; empty memory
    /// and unused arguments are ignored. Throws dnnl_invalid_arguments if an argument is missing.
    void execute(const stream &astream, const std::unordered_map<int, memory> &args) const {
        // No allocation for the numbers of arguments that most primitives have.
        const size_t ordinary = 16;
        dnnl_exec_arg_t on_stack[ordinary];
        std::vector<dnnl_exec_arg_t> on_heap(args.size() > ordinary ? args.size() : 0);
        dnnl_exec_arg_t *const begin = on_heap.empty() ? on_stack : on_heap.data();

        dnnl_exec_arg_t *next = begin;
        for (const auto &arg : args) {
            next->arg = arg.first;
            next->memory = arg.second.get(true);
            ++next;
        }
        error::wrap_c_api(
                dnnl_primitive_execute(get(), astream.get(), static_cast<int>(next - begin), begin),
                "cannot execute a primitive; ONEDNN_VERBOSE=all says why");
    }
};

inline dnnl_primitive_kind_t convert_to_c(primitive::kind kind) {
    return static_cast<dnnl_primitive_kind_t>(kind);
}

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_PRIMITIVE_HPP

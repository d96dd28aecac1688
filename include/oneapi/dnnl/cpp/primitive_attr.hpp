// SPDX-License-Identifier: Apache-2.0
// dnnl::primitive_attr, the optional properties of a primitive. A primitive descriptor checks
// whether the implementation supports them.

#ifndef ONEAPI_DNNL_CPP_PRIMITIVE_ATTR_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVE_ATTR_HPP

#include "oneapi/dnnl/cpp/post_ops.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_primitive_attr_t>
    : public detail::destroyed_by<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy> {};

/// Quantization, post-ops and modes of a primitive. `arg` is a DNNL_ARG_ value. A quantization
/// parameter varies along axis i if bit i of its mask is set. Groups are the extents of blocks of
/// the last two axes that share a value; 1 by default. Setters throw if values are invalid. The
/// creation of a primitive descriptor checks whether the implementation supports them.
struct primitive_attr : public handle<dnnl_primitive_attr_t> {
    using handle<dnnl_primitive_attr_t>::handle;

    /// Default attributes.
    primitive_attr() {
        dnnl_primitive_attr_t result = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_create(&result),
                "cannot make attributes; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// Takes over C attributes.
    primitive_attr(dnnl_primitive_attr_t attr)
        : handle<dnnl_primitive_attr_t>(attr) {}

    /// The descriptor of the dropout mask; the zero descriptor if the mask is not stored, or if
    /// there is no dropout.
    void get_dropout(memory::desc &mask_desc) const {
        const_dnnl_memory_desc_t mask;
        error::wrap_c_api(
                dnnl_primitive_attr_get_dropout(get(), &mask), "cannot get the dropout attribute");
        mask_desc = memory::desc(detail::cloned(mask));
    }

    void get_dropout(memory::desc &mask_desc, memory::data_type &seed_dt, bool &use_offset,
            bool &use_host_scalars) const {
        const_dnnl_memory_desc_t mask;
        dnnl_data_type_t c_seed_dt;
        int c_use_offset, c_use_host_scalars;
        error::wrap_c_api(dnnl_primitive_attr_get_dropout_v2(
                                  get(), &mask, &c_seed_dt, &c_use_offset, &c_use_host_scalars),
                "cannot get the dropout attribute");
        mask_desc = memory::desc(detail::cloned(mask));
        seed_dt = static_cast<memory::data_type>(c_seed_dt);
        use_offset = c_use_offset != 0;
        use_host_scalars = c_use_host_scalars != 0;
    }

    /// Enables dropout: random elements become zero, the others are scaled up. The seed is s32 in
    /// device memory.
    void set_dropout(const memory::desc &mask_desc) {
        error::wrap_c_api(dnnl_primitive_attr_set_dropout(get(), mask_desc.get()),
                "cannot set the dropout attribute; ONEDNN_VERBOSE=all says why");
    }

    /// The same with the type of the seed. use_offset: an offset into the random sequence is
    /// passed; use_host_scalars: seed, offset and probability are host scalars.
    void set_dropout(const memory::desc &mask_desc, memory::data_type seed_dt, bool use_offset,
            bool use_host_scalars) {
        error::wrap_c_api(dnnl_primitive_attr_set_dropout_v2(get(), mask_desc.get(),
                                  memory::convert_to_c(seed_dt), use_offset, use_host_scalars),
                "cannot set the dropout attribute; ONEDNN_VERBOSE=all says why");
    }

    fpmath_mode get_fpmath_mode() const {
        dnnl_fpmath_mode_t result;
        error::wrap_c_api(dnnl_primitive_attr_get_fpmath_mode(get(), &result),
                "cannot get the fpmath mode attribute");
        return static_cast<fpmath_mode>(result);
    }

    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        dnnl_fpmath_mode_t c_mode;
        int c_apply_to_int;
        error::wrap_c_api(dnnl_primitive_attr_get_fpmath_mode_v2(get(), &c_mode, &c_apply_to_int),
                "cannot get the fpmath mode attribute");
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = c_apply_to_int != 0;
    }

    /// With apply_to_int, integer inputs may be converted to the types of the mode, too.
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        error::wrap_c_api(dnnl_primitive_attr_set_fpmath_mode_v2(
                                  get(), dnnl::convert_to_c(mode), apply_to_int),
                "cannot set the fpmath mode attribute; ONEDNN_VERBOSE=all says why");
    }

    accumulation_mode get_accumulation_mode() const {
        dnnl_accumulation_mode_t result;
        error::wrap_c_api(dnnl_primitive_attr_get_accumulation_mode(get(), &result),
                "cannot get the accumulation mode attribute");
        return static_cast<accumulation_mode>(result);
    }

    void set_accumulation_mode(accumulation_mode mode) {
        error::wrap_c_api(
                dnnl_primitive_attr_set_accumulation_mode(get(), dnnl::convert_to_c(mode)),
                "cannot set the accumulation mode attribute; ONEDNN_VERBOSE=all says why");
    }

    bool get_deterministic() const {
        int result;
        error::wrap_c_api(dnnl_primitive_attr_get_deterministic(get(), &result),
                "cannot get the deterministic attribute");
        return result != 0;
    }

    /// Requires bit-identical results in every run.
    void set_deterministic(bool value) {
        error::wrap_c_api(dnnl_primitive_attr_set_deterministic(get(), value),
                "cannot set the deterministic attribute; ONEDNN_VERBOSE=all says why");
    }

    rounding_mode get_rounding_mode(int arg) const {
        dnnl_rounding_mode_t result;
        error::wrap_c_api(dnnl_primitive_attr_get_rounding(get(), arg, &result),
                "cannot get the rounding mode attribute");
        return static_cast<rounding_mode>(result);
    }

    void set_rounding_mode(int arg, rounding_mode mode) {
        error::wrap_c_api(dnnl_primitive_attr_set_rounding(get(), arg, convert_to_c(mode)),
                "cannot set the rounding mode attribute; ONEDNN_VERBOSE=all says why");
    }

    scratchpad_mode get_scratchpad_mode() const {
        dnnl_scratchpad_mode_t result;
        error::wrap_c_api(dnnl_primitive_attr_get_scratchpad_mode(get(), &result),
                "cannot get the scratchpad mode attribute");
        return static_cast<scratchpad_mode>(result);
    }

    void set_scratchpad_mode(scratchpad_mode mode) {
        error::wrap_c_api(dnnl_primitive_attr_set_scratchpad_mode(get(), dnnl::convert_to_c(mode)),
                "cannot set the scratchpad mode attribute; ONEDNN_VERBOSE=all says why");
    }

    /// f32 scales, passed at execution as DNNL_ARG_ATTR_SCALES | arg.
    void set_scales_mask(int arg, int mask) {
        error::wrap_c_api(dnnl_primitive_attr_set_scales_mask(get(), arg, mask),
                "cannot set the scales attribute; ONEDNN_VERBOSE=all says why");
    }

    /// Scales of data_type for groups; is_on_host: a host scalar; qmode: given or computed by the
    /// primitive.
    void set_scales(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::f32, bool is_on_host = false,
            quantization_mode qmode = quantization_mode::static_sazp) {
        set_scales_v3(arg, mask, static_cast<int>(groups.size()), groups.data(), data_type,
                is_on_host, qmode);
    }

    /// One scale for the tensor, a host scalar of data_type.
    void set_host_scale(int arg, memory::data_type data_type = memory::data_type::f32) {
        set_scales_v3(arg, 0, 0, nullptr, data_type, true, quantization_mode::static_sazp);
    }

    /// s32 zero points, passed at execution as DNNL_ARG_ATTR_ZERO_POINTS | arg.
    void set_zero_points_mask(int arg, int mask) {
        error::wrap_c_api(dnnl_primitive_attr_set_zero_points_mask(get(), arg, mask),
                "cannot set the zero points attribute; ONEDNN_VERBOSE=all says why");
    }

    /// Zero points of data_type for groups; is_on_host: a host scalar.
    void set_zero_points(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32, bool is_on_host = false) {
        set_zero_points_v2(
                arg, mask, static_cast<int>(groups.size()), groups.data(), data_type, is_on_host);
    }

    /// One zero point for the tensor, a host scalar of data_type.
    void set_host_zero_point(int arg, memory::data_type data_type = memory::data_type::s32) {
        set_zero_points_v2(arg, 0, 0, nullptr, data_type, true);
    }

    /// Sums over groups of a quantized operand, passed at execution as
    /// DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | arg.
    void set_precomputed_reductions(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32) {
        error::wrap_c_api(dnnl_primitive_attr_set_precomputed_reductions(get(), arg, mask,
                                  static_cast<int>(groups.size()), groups.data(),
                                  memory::convert_to_c(data_type)),
                "cannot set the precomputed reductions attribute; ONEDNN_VERBOSE=all says why");
    }

    /// A copy of the post-ops.
    post_ops get_post_ops() const {
        const_dnnl_post_ops_t kept;
        error::wrap_c_api(dnnl_primitive_attr_get_post_ops(get(), &kept),
                "cannot get the post-ops attribute");
        dnnl_post_ops_t copy = nullptr;
        error::wrap_c_api(dnnl_post_ops_clone(&copy, kept), "cannot copy post-ops");
        return post_ops(copy);
    }

    /// Copies ops into the attributes.
    void set_post_ops(const post_ops &ops) {
        error::wrap_c_api(dnnl_primitive_attr_set_post_ops(get(), ops.get()),
                "cannot set the post-ops attribute; ONEDNN_VERBOSE=all says why");
    }

    /// Quantization of activations in recurrent operations: x * scale + shift as u8 or s8.
    void set_rnn_data_qparams(float scale, float shift) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_data_qparams(get(), scale, shift),
                "cannot set the RNN data quantization attribute; ONEDNN_VERBOSE=all says why");
    }

    void get_rnn_data_qparams(float &scale, float &shift) const {
        error::wrap_c_api(dnnl_primitive_attr_get_rnn_data_qparams(get(), &scale, &shift),
                "cannot get the RNN data quantization attribute");
    }

    /// Scales of weights of recurrent operations.
    void set_rnn_weights_qparams(int mask, const std::vector<float> &scales) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_weights_qparams(get(),
                                  static_cast<memory::dim>(scales.size()), mask, scales.data()),
                "cannot set the RNN weights quantization attribute; ONEDNN_VERBOSE=all says why");
    }

    void get_rnn_weights_qparams(int &mask, std::vector<float> &scales) const {
        memory::dim count;
        const float *values;
        error::wrap_c_api(
                dnnl_primitive_attr_get_rnn_weights_qparams(get(), &count, &mask, &values),
                "cannot get the RNN weights quantization attribute");
        scales.assign(values, values + count);
    }

    /// Scales of projection weights of recurrent operations.
    void set_rnn_weights_projection_qparams(int mask, const std::vector<float> &scales) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_weights_projection_qparams(get(),
                                  static_cast<memory::dim>(scales.size()), mask, scales.data()),
                "cannot set the RNN projection quantization attribute; ONEDNN_VERBOSE=all says "
                "why");
    }

    void get_rnn_weights_projection_qparams(int &mask, std::vector<float> &scales) const {
        memory::dim count;
        const float *values;
        error::wrap_c_api(dnnl_primitive_attr_get_rnn_weights_projection_qparams(
                                  get(), &count, &mask, &values),
                "cannot get the RNN projection quantization attribute");
        scales.assign(values, values + count);
    }

private:
    void set_scales_v3(int arg, int mask, int ndims, const dnnl_dim_t *groups,
            memory::data_type data_type, bool is_on_host, quantization_mode qmode) {
        error::wrap_c_api(dnnl_primitive_attr_set_scales_v3(get(), arg, mask, ndims, groups,
                                  memory::convert_to_c(data_type), is_on_host, convert_to_c(qmode)),
                "cannot set the scales attribute; ONEDNN_VERBOSE=all says why");
    }

    void set_zero_points_v2(int arg, int mask, int ndims, const dnnl_dim_t *groups,
            memory::data_type data_type, bool is_on_host) {
        error::wrap_c_api(dnnl_primitive_attr_set_zero_points_v2(get(), arg, mask, ndims, groups,
                                  memory::convert_to_c(data_type), is_on_host),
                "cannot set the zero points attribute; ONEDNN_VERBOSE=all says why");
    }
};

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_PRIMITIVE_ATTR_HPP

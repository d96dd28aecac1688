// SPDX-License-Identifier: Apache-2.0
// The C functions that name enumerators. Scripts read these names in verbose lines, so each is
// spelled as oneDNN spells it, its gaps included.
#include "oneapi/dnnl/dnnl_debug.h"

#include <cstddef>

#include "common/memory/format_tag_name.hpp"

namespace {

template <typename value_t> struct named_t {
    value_t value;
    const char *name;
};

// Of values that share a number, the first row names them all.
template <typename value_t, std::size_t count>
const char *name_of(const named_t<value_t> (&table)[count], value_t value, const char *unknown) {
    for (const auto &row : table)
        if (row.value == value) return row.name;
    return unknown;
}

} // namespace

// A row whose name is its enumerator's without the prefix.
#define NAMED(name)                                                                                \
    { dnnl_##name, #name }

const char *dnnl_status2str(dnnl_status_t v) {
    static constexpr named_t<dnnl_status_t> table[] = {NAMED(success), NAMED(out_of_memory),
            NAMED(invalid_arguments), NAMED(unimplemented), NAMED(last_impl_reached),
            NAMED(runtime_error), NAMED(not_required), NAMED(invalid_graph),
            NAMED(invalid_graph_op), NAMED(invalid_shape), NAMED(invalid_data_type)};
    return name_of(table, v, "unknown status");
}

const char *dnnl_dt2str(dnnl_data_type_t v) {
    // dnnl_f4_e3m0 is deprecated and has no name.
    static constexpr named_t<dnnl_data_type_t> table[] = {{dnnl_data_type_undef, "undef"},
            NAMED(f16), NAMED(bf16), NAMED(f32), NAMED(s32), NAMED(s8), NAMED(u8), NAMED(f64),
            NAMED(boolean), NAMED(f8_e5m2), NAMED(f8_e4m3), NAMED(s4), NAMED(u4), NAMED(e8m0),
            NAMED(f4_e2m1), NAMED(s64), NAMED(data_type_max)};
    return name_of(table, v, "unknown dt");
}

const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v) {
    static constexpr named_t<dnnl_fpmath_mode_t> table[] = {{dnnl_fpmath_mode_strict, "strict"},
            {dnnl_fpmath_mode_bf16, "bf16"}, {dnnl_fpmath_mode_f16, "f16"},
            {dnnl_fpmath_mode_any, "any"}, {dnnl_fpmath_mode_tf32, "tf32"}};
    return name_of(table, v, "unknown fpmath_mode");
}

const char *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v) {
    static constexpr named_t<dnnl_accumulation_mode_t> table[] = {
            {dnnl_accumulation_mode_strict, "strict"}, {dnnl_accumulation_mode_relaxed, "relaxed"},
            {dnnl_accumulation_mode_any, "any"}, {dnnl_accumulation_mode_s32, "s32"},
            {dnnl_accumulation_mode_f32, "f32"}, {dnnl_accumulation_mode_f16, "f16"}};
    return name_of(table, v, "unknown accumulation_mode");
}

const char *dnnl_engine_kind2str(dnnl_engine_kind_t v) {
    static constexpr named_t<dnnl_engine_kind_t> table[] = {
            {dnnl_any_engine, "any"}, NAMED(cpu), NAMED(gpu)};
    return name_of(table, v, "unknown engine_kind");
}

const char *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v) {
    static constexpr named_t<dnnl_sparse_encoding_t> table[] = {
            {dnnl_sparse_encoding_undef, "undef"}, NAMED(csr), NAMED(packed), NAMED(coo)};
    return name_of(table, v, "unknown sparse_encoding");
}

const char *dnnl_fmt_tag2str(dnnl_format_tag_t v) {
    if (v == dnnl_format_tag_last) return "format_tag_last";
    const char *name = kiln::format_tag_name(v);
    return name != nullptr ? name : "unknown fmt_tag";
}

const char *dnnl_prop_kind2str(dnnl_prop_kind_t v) {
    static constexpr named_t<dnnl_prop_kind_t> table[] = {{dnnl_prop_kind_undef, "undef"},
            NAMED(forward_training), NAMED(forward_inference), NAMED(backward),
            NAMED(backward_data), NAMED(backward_weights), NAMED(backward_bias)};
    return name_of(table, v, "unknown prop_kind");
}

const char *dnnl_prim_kind2str(dnnl_primitive_kind_t v) {
    static constexpr named_t<dnnl_primitive_kind_t> table[] = {{dnnl_undefined_primitive, "undef"},
            NAMED(reorder), NAMED(shuffle), NAMED(concat), NAMED(sum), NAMED(convolution),
            NAMED(deconvolution), NAMED(eltwise), NAMED(lrn), NAMED(batch_normalization),
            NAMED(inner_product), NAMED(rnn), NAMED(gemm), NAMED(binary), NAMED(matmul),
            NAMED(resampling), NAMED(pooling), NAMED(reduction), NAMED(prelu), NAMED(softmax),
            NAMED(layer_normalization), NAMED(group_normalization), NAMED(primitive_kind_max)};
    return name_of(table, v, "unknown prim_kind");
}

const char *dnnl_alg_kind2str(dnnl_alg_kind_t v) {
    static constexpr named_t<dnnl_alg_kind_t> table[] = {{dnnl_alg_kind_undef, "undef"},
            NAMED(convolution_direct), NAMED(convolution_winograd), NAMED(convolution_auto),
            NAMED(deconvolution_direct), NAMED(deconvolution_winograd), NAMED(eltwise_relu),
            NAMED(eltwise_tanh), NAMED(eltwise_elu), NAMED(eltwise_square), NAMED(eltwise_abs),
            NAMED(eltwise_sqrt), NAMED(eltwise_linear), NAMED(eltwise_soft_relu),
            NAMED(eltwise_hardsigmoid), NAMED(eltwise_logistic), NAMED(eltwise_exp),
            NAMED(eltwise_gelu_tanh), NAMED(eltwise_swish), NAMED(eltwise_log), NAMED(eltwise_clip),
            NAMED(eltwise_clip_v2), NAMED(eltwise_pow), NAMED(eltwise_gelu_erf),
            NAMED(eltwise_round), NAMED(eltwise_mish), NAMED(eltwise_hardswish),
            NAMED(eltwise_relu_use_dst_for_bwd), NAMED(eltwise_tanh_use_dst_for_bwd),
            NAMED(eltwise_elu_use_dst_for_bwd), NAMED(eltwise_sqrt_use_dst_for_bwd),
            NAMED(eltwise_logistic_use_dst_for_bwd), NAMED(eltwise_exp_use_dst_for_bwd),
            NAMED(eltwise_clip_v2_use_dst_for_bwd), NAMED(pooling_max),
            NAMED(pooling_avg_include_padding), NAMED(pooling_avg_exclude_padding),
            NAMED(lrn_across_channels), NAMED(lrn_within_channel), NAMED(vanilla_rnn),
            NAMED(vanilla_lstm), NAMED(vanilla_gru), NAMED(lbr_gru), NAMED(vanilla_augru),
            NAMED(lbr_augru), NAMED(binary_add), NAMED(binary_mul), NAMED(binary_max),
            NAMED(binary_min), NAMED(binary_div), NAMED(binary_sub), NAMED(binary_ge),
            NAMED(binary_gt), NAMED(binary_le), NAMED(binary_lt), NAMED(binary_eq),
            NAMED(binary_ne), NAMED(binary_select), NAMED(resampling_nearest),
            NAMED(resampling_linear), NAMED(reduction_max), NAMED(reduction_min),
            NAMED(reduction_sum), NAMED(reduction_mul), NAMED(reduction_mean),
            NAMED(reduction_norm_lp_max), NAMED(reduction_norm_lp_sum),
            NAMED(reduction_norm_lp_power_p_max), NAMED(reduction_norm_lp_power_p_sum),
            NAMED(softmax_accurate), NAMED(softmax_log)};
    return name_of(table, v, "unknown alg_kind");
}

const char *dnnl_rnn_flags2str(dnnl_rnn_flags_t v) {
    static constexpr named_t<dnnl_rnn_flags_t> table[] = {
            {dnnl_rnn_flags_undef, "undef"}, NAMED(rnn_flags_diff_weights_overwrite)};
    return name_of(table, v, "unknown rnn_flags");
}

const char *dnnl_rnn_direction2str(dnnl_rnn_direction_t v) {
    static constexpr named_t<dnnl_rnn_direction_t> table[] = {{dnnl_rnn_direction_undef, "undef"},
            NAMED(unidirectional_left2right), NAMED(unidirectional_right2left),
            NAMED(bidirectional_concat), NAMED(bidirectional_sum)};
    return name_of(table, v, "unknown rnn_direction");
}

const char *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v) {
    static constexpr named_t<dnnl_scratchpad_mode_t> table[] = {
            {dnnl_scratchpad_mode_library, "library"}, {dnnl_scratchpad_mode_user, "user"}};
    return name_of(table, v, "unknown scratchpad_mode");
}

const char *dnnl_rounding_mode2str(dnnl_rounding_mode_t v) {
    static constexpr named_t<dnnl_rounding_mode_t> table[] = {
            {dnnl_rounding_mode_environment, "environment"},
            {dnnl_rounding_mode_stochastic, "stochastic"}};
    return name_of(table, v, "unknown rounding_mode");
}

const char *dnnl_quantization_mode2str(dnnl_quantization_mode_t v) {
    static constexpr named_t<dnnl_quantization_mode_t> table[] = {
            {dnnl_quantization_mode_undef, "undef"},
            {dnnl_quantization_mode_static_sazp, "static_sazp"},
            {dnnl_quantization_mode_dynamic_mx, "dynamic_mx"},
            {dnnl_quantization_mode_dynamic_fp, "dynamic_fp"}};
    return name_of(table, v, "unknown quantization_mode");
}

const char *dnnl_cpu_isa2str(dnnl_cpu_isa_t v) {
    // The avx512_core_fp16 and amx names, and the avx10_2_512 ones, share their numbers with these.
    static constexpr named_t<dnnl_cpu_isa_t> table[] = {NAMED(cpu_isa_default),
            NAMED(cpu_isa_sse41), NAMED(cpu_isa_avx), NAMED(cpu_isa_avx2), NAMED(cpu_isa_avx2_vnni),
            NAMED(cpu_isa_avx2_vnni_2), NAMED(cpu_isa_avx512_core), NAMED(cpu_isa_avx512_core_vnni),
            NAMED(cpu_isa_avx512_core_bf16), NAMED(cpu_isa_avx10_1_512),
            NAMED(cpu_isa_avx10_1_512_amx), NAMED(cpu_isa_avx10_1_512_amx_fp16),
            NAMED(cpu_isa_avx10_2), NAMED(cpu_isa_avx10_2_amx_2)};
    return name_of(table, v, "unknown cpu_isa");
}

const char *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v) {
    static constexpr named_t<dnnl_cpu_isa_hints_t> table[] = {
            NAMED(cpu_isa_no_hints), NAMED(cpu_isa_prefer_ymm)};
    return name_of(table, v, "unknown cpu_isa_hints");
}

const char *dnnl_runtime2str(unsigned v) {
    static constexpr named_t<unsigned> table[] = {{DNNL_RUNTIME_NONE, "none"},
            {DNNL_RUNTIME_SEQ, "sequential"}, {DNNL_RUNTIME_OMP, "OpenMP"},
            {DNNL_RUNTIME_TBB, "TBB"}, {DNNL_RUNTIME_THREADPOOL, "threadpool"},
            {DNNL_RUNTIME_OCL, "OpenCL"}, {DNNL_RUNTIME_SYCL, "SYCL"},
            {DNNL_RUNTIME_ZE, "Level Zero"}};
    return name_of(table, v, "unknown");
}

const char *dnnl_fmt_kind2str(dnnl_format_kind_t v) {
    // oneDNN's opaque and host-scalar kinds go without a name.
    static constexpr named_t<dnnl_format_kind_t> table[] = {{dnnl_format_kind_undef, "undef"},
            {dnnl_format_kind_any, "any"}, NAMED(blocked), {dnnl_format_kind_sparse, "sparse"},
            {dnnl_format_kind_max, "max"}};
    return name_of(table, v, "unknown fmt_kind");
}

#undef NAMED

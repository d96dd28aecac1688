// SPDX-License-Identifier: Apache-2.0
// Normalizations, reorder, reduction: each from its descriptors to its results.
#include "faults/primitive_case.hpp"

namespace kiln::test {

namespace {

using namespace fault_cases;

// ---- layer normalization

constexpr unsigned scale_and_shift = dnnl_use_scale | dnnl_use_shift;

dnnl_status_t add_post_ops(primitive_case_t &of) {
    post_ops_handle_t chain;
    TRY(dnnl_post_ops_create(chain.out()));
    TRY(dnnl_post_ops_append_binary(chain, dnnl_binary_add, of.md(binary_arg)));
    TRY(dnnl_post_ops_append_eltwise(chain, dnnl_eltwise_tanh, 0, 0));
    return dnnl_primitive_attr_set_post_ops(of.attr, chain);
}

dnnl_status_t describe_layer_norm(primitive_case_t &of) {
    TRY(add_post_ops(of));
    return dnnl_layer_normalization_forward_primitive_desc_create(of.pd.out(), of.device.engine,
            dnnl_forward_training, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST), of.md(DNNL_ARG_MEAN),
            1e-5f, scale_and_shift, of.attr);
}

constexpr operand_t layer_norm[] = {
        {DNNL_ARG_SRC, 2, {4, 24}},
        {DNNL_ARG_DST, 2, {4, 24}, rows, dnnl_f32, output},
        {DNNL_ARG_MEAN, 1, {4}, rows, dnnl_f32, output},
        {DNNL_ARG_VARIANCE, 1, {4}, rows, dnnl_f32, output},
        {DNNL_ARG_SCALE, 1, {24}},
        {DNNL_ARG_SHIFT, 1, {24}},
        {binary_arg, 2, {1, 24}},
};

dnnl_status_t run_layer_norm(results_t &results) {
    return run(results, layer_norm, describe_layer_norm);
}

dnnl_status_t run_cached(results_t &results) {
    return run(results, layer_norm, describe_layer_norm, 4);
}

/// Copies the descriptor and walks to the last implementation.
dnnl_status_t run_walk(results_t &results) {
    return run(results, layer_norm, [](primitive_case_t &of) {
        TRY(describe_layer_norm(of));
        TRY(dnnl_primitive_desc_clone(of.hint.out(), of.pd));
        for (;;) {
            const dnnl_status_t status = dnnl_primitive_desc_next_impl(of.hint);
            if (status == dnnl_last_impl_reached) break;
            TRY(status);
        }
        const char *name = nullptr;
        return dnnl_primitive_desc_query(of.hint, dnnl_query_impl_info_str, 0, &name);
    });
}

dnnl_status_t run_layer_norm_columns(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 2, {40, 24}, dnnl_ba},
            {DNNL_ARG_DST, 2, {40, 24}, dnnl_ba, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_layer_normalization_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_inference, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST), nullptr, 1e-5f,
                dnnl_normalization_flags_none, of.attr);
    });
}

dnnl_status_t run_rms_norm_to_s8(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 2, {4, 24}},
            {DNNL_ARG_DST, 2, {4, 24}, rows, dnnl_s8, output},
            {DNNL_ARG_SCALE, 1, {24}},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, 1, {1}},
    };
    return run(results, operands, [](primitive_case_t &of) {
        TRY(dnnl_primitive_attr_set_scales_mask(of.attr, DNNL_ARG_DST, 0));
        return dnnl_layer_normalization_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_inference, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST), nullptr, 1e-5f,
                dnnl_use_scale | dnnl_rms_norm, of.attr);
    });
}

template <dnnl_scratchpad_mode_t mode, dnnl_data_type_t type>
dnnl_status_t run_layer_norm_backward(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 2, {40, 24}, rows, type},
            {DNNL_ARG_DIFF_DST, 2, {40, 24}, rows, type},
            {DNNL_ARG_DIFF_SRC, 2, {40, 24}, rows, type, output},
            {DNNL_ARG_MEAN, 1, {40}},
            {DNNL_ARG_VARIANCE, 1, {40}},
            {DNNL_ARG_SCALE, 1, {24}},
            {DNNL_ARG_DIFF_SCALE, 1, {24}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        const auto src = of.md(DNNL_ARG_SRC), stat = of.md(DNNL_ARG_MEAN);
        TRY(dnnl_primitive_attr_set_scratchpad_mode(of.attr, mode));
        TRY(dnnl_layer_normalization_forward_primitive_desc_create(of.hint.out(), of.device.engine,
                dnnl_forward_training, src, src, stat, 1e-5f, dnnl_use_scale, nullptr));
        return dnnl_layer_normalization_backward_primitive_desc_create(of.pd.out(),
                of.device.engine, dnnl_backward, of.md(DNNL_ARG_DIFF_SRC), of.md(DNNL_ARG_DIFF_DST),
                src, stat, 1e-5f, dnnl_use_scale, of.hint, of.attr);
    });
}

// ---- batch and group normalization

template <dnnl_format_tag_t tag> dnnl_status_t run_batch_norm(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 4, {2, 20, 3, 4}, tag},
            {DNNL_ARG_DST, 4, {2, 20, 3, 4}, tag, dnnl_f32, output},
            {DNNL_ARG_MEAN, 1, {20}, rows, dnnl_f32, output},
            {DNNL_ARG_VARIANCE, 1, {20}, rows, dnnl_f32, output},
            {DNNL_ARG_SCALE, 1, {20}},
            {DNNL_ARG_SHIFT, 1, {20}},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_batch_normalization_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_training, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST), 1e-5f,
                scale_and_shift | dnnl_fuse_norm_relu, of.attr);
    });
}

template <dnnl_format_tag_t tag> dnnl_status_t run_batch_norm_backward(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 4, {2, 20, 3, 4}, tag},
            {DNNL_ARG_DIFF_DST, 4, {2, 20, 3, 4}, tag},
            {DNNL_ARG_DIFF_SRC, 4, {2, 20, 3, 4}, tag, dnnl_f32, output},
            {DNNL_ARG_MEAN, 1, {20}},
            {DNNL_ARG_VARIANCE, 1, {20}},
            {DNNL_ARG_SCALE, 1, {20}},
            {DNNL_ARG_DIFF_SCALE, 1, {20}, rows, dnnl_f32, output},
    };
    constexpr unsigned flags = dnnl_use_scale | dnnl_fuse_norm_relu;
    return run(results, operands, [](primitive_case_t &of) {
        const auto src = of.md(DNNL_ARG_SRC);
        TRY(dnnl_batch_normalization_forward_primitive_desc_create(of.hint.out(), of.device.engine,
                dnnl_forward_training, src, src, 1e-5f, flags, nullptr));
        return dnnl_batch_normalization_backward_primitive_desc_create(of.pd.out(),
                of.device.engine, dnnl_backward, of.md(DNNL_ARG_DIFF_SRC), of.md(DNNL_ARG_DIFF_DST),
                src, 1e-5f, flags, of.hint, of.attr);
    });
}

dnnl_status_t run_group_norm(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 4, {2, 8, 3, 4}},
            {DNNL_ARG_DST, 4, {2, 8, 3, 4}, rows, dnnl_f32, output},
            {DNNL_ARG_MEAN, 2, {2, 4}, rows, dnnl_f32, output},
            {DNNL_ARG_VARIANCE, 2, {2, 4}, rows, dnnl_f32, output},
            {DNNL_ARG_SCALE, 1, {8}},
            {DNNL_ARG_SHIFT, 1, {8}},
            {binary_arg, 4, {1, 8, 1, 1}},
    };
    return run(results, operands, [](primitive_case_t &of) {
        TRY(add_post_ops(of));
        return dnnl_group_normalization_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_training, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST), 4, 1e-5f,
                scale_and_shift, of.attr);
    });
}

dnnl_status_t run_group_norm_backward(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 4, {2, 8, 3, 4}},
            {DNNL_ARG_DIFF_DST, 4, {2, 8, 3, 4}},
            {DNNL_ARG_DIFF_SRC, 4, {2, 8, 3, 4}, rows, dnnl_f32, output},
            {DNNL_ARG_MEAN, 2, {2, 4}},
            {DNNL_ARG_VARIANCE, 2, {2, 4}},
            {DNNL_ARG_SCALE, 1, {8}},
            {DNNL_ARG_DIFF_SCALE, 1, {8}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        const auto src = of.md(DNNL_ARG_SRC);
        TRY(dnnl_group_normalization_forward_primitive_desc_create(of.hint.out(), of.device.engine,
                dnnl_forward_training, src, src, 4, 1e-5f, dnnl_use_scale, nullptr));
        return dnnl_group_normalization_backward_primitive_desc_create(of.pd.out(),
                of.device.engine, dnnl_backward, of.md(DNNL_ARG_DIFF_SRC), of.md(DNNL_ARG_DIFF_DST),
                src, 4, 1e-5f, dnnl_use_scale, of.hint, of.attr);
    });
}

// ---- reorder, reduction

dnnl_status_t describe_reorder(primitive_case_t &of) {
    return dnnl_reorder_primitive_desc_create(of.pd.out(), of.md(DNNL_ARG_FROM), of.device.engine,
            of.md(DNNL_ARG_TO), of.device.engine, of.attr);
}

template <dnnl_format_tag_t from, dnnl_format_tag_t to>
dnnl_status_t run_reorder(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_FROM, 3, {3, 20, 5}, from},
            {DNNL_ARG_TO, 3, {3, 20, 5}, to, dnnl_f32, output},
    };
    return run(results, operands, describe_reorder);
}

dnnl_status_t run_quantizing_reorder(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_FROM, 2, {6, 20}},
            {DNNL_ARG_TO, 2, {6, 20}, rows, dnnl_s8, output},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO, 1, {20}},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO, 1, {1}, rows, dnnl_s32},
    };
    return run(results, operands, [](primitive_case_t &of) {
        TRY(dnnl_primitive_attr_set_scales_mask(of.attr, DNNL_ARG_TO, 1 << 1));
        TRY(dnnl_primitive_attr_set_zero_points_mask(of.attr, DNNL_ARG_TO, 0));
        return describe_reorder(of);
    });
}

dnnl_status_t run_reduction(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_DST, 3, {1, 20, 1}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_reduction_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_reduction_mean, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST), 0, 0, of.attr);
    });
}

constexpr auto library = dnnl_scratchpad_mode_library, user = dnnl_scratchpad_mode_user;
constexpr fault_case_t cases[] = {
        {"layer normalization", run_layer_norm},
        {"layer normalization, cached", run_cached},
        {"layer normalization, every implementation", run_walk},
        {"layer normalization of columns", run_layer_norm_columns},
        {"RMS normalization to s8", run_rms_norm_to_s8},
        {"layer normalization backward", run_layer_norm_backward<library, dnnl_f32>},
        {"layer normalization backward, user's scratchpad",
                run_layer_norm_backward<user, dnnl_f32>},
        {"layer normalization backward, reference", run_layer_norm_backward<library, dnnl_f64>},
        {"batch normalization nhwc", run_batch_norm<dnnl_nhwc>},
        {"batch normalization nchw", run_batch_norm<dnnl_nchw>},
        {"batch normalization nChw16c", run_batch_norm<dnnl_nChw16c>},
        {"batch normalization backward nhwc", run_batch_norm_backward<dnnl_nhwc>},
        {"batch normalization backward nchw", run_batch_norm_backward<dnnl_nchw>},
        {"group normalization", run_group_norm},
        {"group normalization backward", run_group_norm_backward},
        {"reorder to a blocked layout", run_reorder<dnnl_abc, dnnl_aBc16b>},
        {"transposing reorder", run_reorder<dnnl_abc, dnnl_cba>},
        {"quantizing reorder", run_quantizing_reorder},
        {"reduction", run_reduction},
};

} // namespace

std::span<const fault_case_t> primitive_cases() { return cases; }

} // namespace kiln::test

// SPDX-License-Identifier: Apache-2.0
// Primitives: each operation from its descriptors to its results.
#include <algorithm>
#include <array>
#include <cstring>

#include "faults/cases.hpp"

namespace kiln::test {

namespace {

/// A memory of an execution. Outputs are among the results of the case.
struct operand_t {
    int arg;
    int ndims;
    dnnl_dims_t dims;
    dnnl_format_tag_t tag = dnnl_format_tag_undef; ///< undef: row-major
    dnnl_data_type_t type = dnnl_f32;
    bool is_output = false;
};

constexpr size_t most_operands = 10;

/// The objects of a case.
struct primitive_case_t {
    device_t device;
    std::array<memory_desc_handle_t, most_operands> mds;
    std::array<memory_handle_t, most_operands> memories;
    attr_handle_t attr;
    primitive_desc_handle_t hint, pd;
    primitive_handle_t primitive;
    std::span<const operand_t> operands;

    dnnl_memory_desc_t md(int arg) const {
        for (size_t i = 0; i < operands.size(); ++i)
            if (operands[i].arg == arg) return mds[i];
        return nullptr;
    }
    dnnl_status_t create_descriptors() {
        TRY(device.create());
        TRY(dnnl_primitive_attr_create(attr.out()));
        for (size_t i = 0; i < operands.size(); ++i) {
            const auto &[arg, ndims, dims, tag, type, is_output] = operands[i];
            TRY(tag == dnnl_format_tag_undef ? dnnl_memory_desc_create_with_strides(
                        mds[i].out(), ndims, dims, type, nullptr)
                                             : dnnl_memory_desc_create_with_tag(
                                                     mds[i].out(), ndims, dims, type, tag));
        }
        return dnnl_success;
    }
    /// What the descriptor asks for besides the operands: workspace, scratchpad.
    dnnl_status_t add(int arg, dnnl_query_t query, size_t &count, dnnl_exec_arg_t *args) {
        const_dnnl_memory_desc_t wanted = dnnl_primitive_desc_query_md(pd, query, 0);
        if (wanted == nullptr || dnnl_memory_desc_get_size(wanted) == 0) return dnnl_success;
        TRY(dnnl_memory_create(memories[count].out(), wanted, device.engine, DNNL_MEMORY_ALLOCATE));
        if (void *data = nullptr; dnnl_memory_get_data_handle(memories[count], &data) == 0)
            std::memset(data, 1, dnnl_memory_desc_get_size(wanted));
        args[count] = {arg, memories[count]};
        ++count;
        return dnnl_success;
    }
    dnnl_status_t execute(results_t &results);
};

void fill(void *data, size_t bytes, dnnl_data_type_t type) {
    for (size_t i = 0; type == dnnl_f32 && i < bytes / sizeof(float); ++i)
        static_cast<float *>(data)[i] = static_cast<float>(i * 7 % 13) / 4 + 0.25f;
    for (size_t i = 0; type == dnnl_f64 && i < bytes / sizeof(double); ++i)
        static_cast<double *>(data)[i] = static_cast<double>(i * 7 % 13) / 4 + 0.25;
    for (size_t i = 0; type != dnnl_f32 && type != dnnl_f64 && i < bytes; ++i)
        static_cast<uint8_t *>(data)[i] = static_cast<uint8_t>(i * 7 % 13);
}

dnnl_status_t primitive_case_t::execute(results_t &results) {
    TRY(dnnl_primitive_create(primitive.out(), pd));
    dnnl_exec_arg_t args[most_operands];
    size_t count = operands.size();
    for (size_t i = 0; i < count; ++i) {
        TRY(dnnl_memory_create(memories[i].out(), mds[i], device.engine, DNNL_MEMORY_ALLOCATE));
        void *data = nullptr;
        TRY(dnnl_memory_get_data_handle(memories[i], &data));
        fill(data, dnnl_memory_desc_get_size(mds[i]), operands[i].type);
        args[i] = {operands[i].arg, memories[i]};
    }
    TRY(add(DNNL_ARG_WORKSPACE, dnnl_query_workspace_md, count, args));
    TRY(add(DNNL_ARG_SCRATCHPAD, dnnl_query_scratchpad_md, count, args));
    for (int i = 0; i < 2; ++i)
        TRY(dnnl_primitive_execute(primitive, device.stream, static_cast<int>(count), args));
    TRY(dnnl_stream_wait(device.stream));
    for (size_t i = 0; i < operands.size(); ++i) {
        void *data = nullptr;
        TRY(dnnl_memory_get_data_handle(memories[i], &data));
        if (operands[i].is_output) results.add(data, dnnl_memory_desc_get_size(mds[i]));
    }
    return dnnl_success;
}

/// Makes descriptors, then the primitive descriptor by `make(objects)`, then executes.
template <typename make_t>
dnnl_status_t run(results_t &results, std::span<const operand_t> operands, const make_t &make,
        int cache_capacity = 0) {
    primitive_case_t objects;
    objects.device.cache_capacity = cache_capacity;
    objects.operands = operands;
    TRY(objects.create_descriptors());
    TRY(make(objects));
    return objects.execute(results);
}

constexpr bool output = true;
constexpr auto rows = dnnl_format_tag_undef;

// ---- layer normalization

constexpr int binary_arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
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

// ---- elementwise operations, softmax, sum, concatenation, shuffle

dnnl_status_t run_eltwise(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_DST, 3, {3, 20, 5}, rows, dnnl_f32, output},
            {binary_arg, 3, {1, 20, 1}},
    };
    return run(results, operands, [](primitive_case_t &of) {
        post_ops_handle_t chain;
        TRY(dnnl_post_ops_create(chain.out()));
        TRY(dnnl_post_ops_append_binary(chain, dnnl_binary_add, of.md(binary_arg)));
        TRY(dnnl_primitive_attr_set_post_ops(of.attr, chain));
        return dnnl_eltwise_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_training, dnnl_eltwise_tanh, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST),
                0, 0, of.attr);
    });
}

dnnl_status_t run_eltwise_backward(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_DIFF_DST, 3, {3, 20, 5}, dnnl_cba}, // copied to diff_src's layout
            {DNNL_ARG_DIFF_SRC, 3, {3, 20, 5}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_eltwise_backward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_eltwise_gelu_erf, of.md(DNNL_ARG_DIFF_SRC), of.md(DNNL_ARG_DIFF_DST),
                of.md(DNNL_ARG_SRC), 0, 0, nullptr, of.attr);
    });
}

dnnl_status_t run_binary(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC_0, 3, {3, 20, 5}},
            {DNNL_ARG_SRC_1, 3, {3, 1, 5}, dnnl_cba},
            {DNNL_ARG_DST, 3, {3, 20, 5}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_binary_primitive_desc_create(of.pd.out(), of.device.engine, dnnl_binary_mul,
                of.md(DNNL_ARG_SRC_0), of.md(DNNL_ARG_SRC_1), of.md(DNNL_ARG_DST), of.attr);
    });
}

dnnl_status_t run_prelu_backward(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_WEIGHTS, 3, {1, 20, 1}},
            {DNNL_ARG_DIFF_DST, 3, {3, 20, 5}},
            {DNNL_ARG_DIFF_SRC, 3, {3, 20, 5}, rows, dnnl_f32, output},
            {DNNL_ARG_DIFF_WEIGHTS, 3, {1, 20, 1}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_prelu_backward_primitive_desc_create(of.pd.out(), of.device.engine,
                of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_WEIGHTS), of.md(DNNL_ARG_DIFF_SRC),
                of.md(DNNL_ARG_DIFF_WEIGHTS), of.md(DNNL_ARG_DIFF_DST), nullptr, of.attr);
    });
}

template <int axis> dnnl_status_t run_softmax(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_DST, 3, {3, 20, 5}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_softmax_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_training, dnnl_softmax_log, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST),
                axis, of.attr);
    });
}

dnnl_status_t run_sum(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_MULTIPLE_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_MULTIPLE_SRC + 1, 3, {3, 20, 5}, dnnl_cba},
            {DNNL_ARG_DST, 3, {3, 20, 5}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        const float scales[] = {1, 2};
        const const_dnnl_memory_desc_t srcs[] = {
                of.md(DNNL_ARG_MULTIPLE_SRC), of.md(DNNL_ARG_MULTIPLE_SRC + 1)};
        return dnnl_sum_primitive_desc_create(
                of.pd.out(), of.device.engine, of.md(DNNL_ARG_DST), 2, scales, srcs, of.attr);
    });
}

template <dnnl_format_tag_t to> dnnl_status_t run_concat(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_MULTIPLE_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_MULTIPLE_SRC + 1, 3, {3, 7, 5}},
            {DNNL_ARG_DST, 3, {3, 27, 5}, to, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        const const_dnnl_memory_desc_t srcs[] = {
                of.md(DNNL_ARG_MULTIPLE_SRC), of.md(DNNL_ARG_MULTIPLE_SRC + 1)};
        return dnnl_concat_primitive_desc_create(
                of.pd.out(), of.device.engine, of.md(DNNL_ARG_DST), 2, 1, srcs, of.attr);
    });
}

template <dnnl_format_tag_t tag> dnnl_status_t run_shuffle(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 32, 5}, tag},
            {DNNL_ARG_DST, 3, {3, 32, 5}, tag, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_shuffle_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_training, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST), 1, 4, of.attr);
    });
}

dnnl_status_t run_matmul(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_WEIGHTS, 3, {1, 5, 40}},
            {DNNL_ARG_BIAS, 3, {1, 1, 40}},
            {DNNL_ARG_DST, 3, {3, 20, 40}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_matmul_primitive_desc_create(of.pd.out(), of.device.engine,
                of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_WEIGHTS), of.md(DNNL_ARG_BIAS),
                of.md(DNNL_ARG_DST), of.attr);
    });
}

dnnl_status_t run_inner_product_gradient(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 2, {6, 20}, dnnl_ab},
            {DNNL_ARG_DIFF_WEIGHTS, 2, {9, 20}, dnnl_ab, dnnl_f32, output},
            {DNNL_ARG_DIFF_BIAS, 1, {9}, dnnl_a, dnnl_f32, output},
            {DNNL_ARG_DIFF_DST, 2, {6, 9}, dnnl_ab},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_inner_product_backward_weights_primitive_desc_create(of.pd.out(),
                of.device.engine, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DIFF_WEIGHTS),
                of.md(DNNL_ARG_DIFF_BIAS), of.md(DNNL_ARG_DIFF_DST), nullptr, of.attr);
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
        {"reorder to a blocked layout", run_reorder<dnnl_abc, dnnl_aBc16b>},
        {"transposing reorder", run_reorder<dnnl_abc, dnnl_cba>},
        {"quantizing reorder", run_quantizing_reorder},
        {"reduction", run_reduction},
        {"eltwise", run_eltwise},
        {"eltwise backward, a copied gradient", run_eltwise_backward},
        {"binary, a copied source", run_binary},
        {"prelu backward", run_prelu_backward},
        {"softmax of rows", run_softmax<2>},
        {"softmax of columns", run_softmax<1>},
        {"sum", run_sum},
        {"concatenation", run_concat<dnnl_abc>},
        {"concatenation in blocks", run_concat<dnnl_aBc16b>},
        {"shuffle", run_shuffle<dnnl_abc>},
        {"shuffle in blocks", run_shuffle<dnnl_aBc16b>},
        {"matmul", run_matmul},
        {"inner product, gradients of weights", run_inner_product_gradient},
};

} // namespace

std::span<const fault_case_t> primitive_cases() { return cases; }

} // namespace kiln::test

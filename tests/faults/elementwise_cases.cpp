// SPDX-License-Identifier: Apache-2.0
// Elementwise operations, PReLU, softmax, sum, concatenation, shuffle, dropout.
#include "faults/primitive_case.hpp"

namespace kiln::test {

namespace {

using namespace fault_cases;

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

dnnl_status_t run_dropout(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_DST, 3, {3, 20, 5}, rows, dnnl_f32, output},
            {DNNL_ARG_ATTR_DROPOUT_MASK, 3, {3, 20, 5}, rows, dnnl_u8, output},
            {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, 1, {1}},
            {DNNL_ARG_ATTR_DROPOUT_SEED, 1, {1}, rows, dnnl_s32},
    };
    return run(results, operands, [](primitive_case_t &of) {
        TRY(dnnl_primitive_attr_set_dropout(of.attr, of.md(DNNL_ARG_ATTR_DROPOUT_MASK)));
        return dnnl_eltwise_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_training, dnnl_eltwise_relu, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DST),
                0, 0, of.attr);
    });
}

dnnl_status_t run_prelu(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_WEIGHTS, 3, {1, 20, 1}},
            {DNNL_ARG_DST, 3, {3, 20, 5}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_prelu_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_inference, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_WEIGHTS),
                of.md(DNNL_ARG_DST), of.attr);
    });
}

dnnl_status_t run_softmax_backward(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_DST, 3, {3, 20, 5}},
            {DNNL_ARG_DIFF_DST, 3, {3, 20, 5}},
            {DNNL_ARG_DIFF_SRC, 3, {3, 20, 5}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_softmax_backward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_softmax_accurate, of.md(DNNL_ARG_DIFF_SRC), of.md(DNNL_ARG_DIFF_DST),
                of.md(DNNL_ARG_DST), 1, nullptr, of.attr);
    });
}

dnnl_status_t run_shuffle_backward(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_DIFF_DST, 3, {3, 32, 5}},
            {DNNL_ARG_DIFF_SRC, 3, {3, 32, 5}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_shuffle_backward_primitive_desc_create(of.pd.out(), of.device.engine,
                of.md(DNNL_ARG_DIFF_SRC), of.md(DNNL_ARG_DIFF_DST), 1, 4, nullptr, of.attr);
    });
}

constexpr fault_case_t cases[] = {
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
        {"dropout", run_dropout},
        {"prelu", run_prelu},
        {"softmax backward", run_softmax_backward},
        {"shuffle backward", run_shuffle_backward},
};

} // namespace

std::span<const fault_case_t> elementwise_cases() { return cases; }

} // namespace kiln::test

// SPDX-License-Identifier: Apache-2.0
// Operations: describes a reorder, reduction, normalization, product or elementwise operation that
// is legal or nearly so, and executes it on buffers that end at unmapped pages, since generated
// code is not instrumented.
#include "support/target.hpp"

#include <array>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "operations/elementwise.hpp"
#include "operations/execution.hpp"
#include "operations/products.hpp"
#include "operations/readers.hpp"
#include "support/caches.hpp"
#include "support/expect.hpp"
#include "support/guarded.hpp"

namespace kiln::fuzz {

namespace {

constexpr dnnl_data_type_t float_types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};
constexpr dnnl_data_type_t norm_types[] = {
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8, dnnl_f64};

class session_t {
public:
    session_t(const uint8_t *data, size_t size)
        : input_(data, size) {}

    void reorder();
    void reduction();
    void layer_normalization();
    void batch_normalization();
    void group_normalization();
    void elementwise() { run_elementwise(input_); }
    void product() { run_product(input_); }
    void gemm() { run_gemm(input_); }

    void run() {
        using call_t = void (session_t::*)();
        constexpr call_t calls[] = {&session_t::reorder, &session_t::reduction,
                &session_t::layer_normalization, &session_t::batch_normalization,
                &session_t::group_normalization, &session_t::elementwise, &session_t::elementwise,
                &session_t::elementwise, &session_t::product, &session_t::product,
                &session_t::gemm};
        (this->*input_.pick(calls))();
    }

private:
    unsigned read_flags(unsigned legal);

    /// What all normalizations have.
    struct norm_t {
        dims_t dims;
        dnnl_data_type_t type;
        memory_desc_handle_t src, dst, diff_src, diff_dst;
        bool is_backward;
        dnnl_prop_kind_t prop_kind;
        float epsilon;
        unsigned flags;
        test::attr_handle_t attr;
    };
    norm_t read_norm(int most_ndims, unsigned legal_flags, bool has_mixed_types);
    /// `forward(out, norm, prop_kind)` and `backward(out, norm, hint)` describe.
    template <typename forward_t, typename backward_t>
    void run_norm(norm_t &norm, const forward_t &forward, const backward_t &backward);

    input_t input_;
};

unsigned session_t::read_flags(unsigned legal) {
    const auto flags = static_cast<unsigned>(input_.bits(1));
    return input_.one_in(64) ? flags : flags & legal;
}

void session_t::reorder() {
    const dims_t dims = read_dims(input_, 1, input_.one_in(16) ? 12 : 5, most_elements);
    const auto src_type = read_type(input_, element_types());
    const auto dst_type = input_.one_in(2) ? read_type(input_, element_types()) : src_type;
    const auto src = read_tensor(input_, dims, src_type, role_t::input);
    const auto dst = read_tensor(input_, dims, dst_type, role_t::output);
    const auto attr = read_attr(input_, dims);
    test::primitive_desc_handle_t described;
    if (succeeded(dnnl_reorder_primitive_desc_create(
                          described.out(), src, test::cpu_engine(), dst, test::cpu_engine(), attr),
                "reorder"))
        execute(input_, described);
}

void session_t::reduction() {
    constexpr dnnl_alg_kind_t algs[] = {dnnl_reduction_sum, dnnl_reduction_max, dnnl_reduction_min,
            dnnl_reduction_mul, dnnl_reduction_mean, dnnl_reduction_norm_lp_max,
            dnnl_reduction_norm_lp_sum, dnnl_reduction_norm_lp_power_p_max,
            dnnl_reduction_norm_lp_power_p_sum};
    const dims_t dims = read_dims(input_, 1, input_.one_in(16) ? 12 : 5, most_elements);
    const int64_t kept = input_.between(0, 255);
    dims_t dst_dims(dims);
    for (size_t d = 0; d < dims.size(); ++d)
        if (!(kept >> (d % 8) & 1)) dst_dims[d] = 1;
    const auto src_type = read_type(input_, element_types());
    const auto dst_type = input_.one_in(2) ? read_type(input_, element_types()) : src_type;
    const auto src = read_tensor(input_, dims, src_type, role_t::input);
    const auto dst = read_tensor(input_, dst_dims, dst_type, role_t::input);
    const auto attr = read_attr(input_, dst_dims);
    const dnnl_alg_kind_t alg = input_.pick(algs);
    const float p = input_.pick({1.f, 2.f, 3.f, 0.5f, 1.5f}), epsilon = input_.number();
    test::primitive_desc_handle_t described;
    if (succeeded(dnnl_reduction_primitive_desc_create(
                          described.out(), test::cpu_engine(), alg, src, dst, p, epsilon, attr),
                "reduction"))
        execute(input_, described);
}

session_t::norm_t session_t::read_norm(int most_ndims, unsigned legal_flags, bool has_mixed_types) {
    norm_t norm;
    norm.is_backward = input_.one_in(2);
    norm.dims = read_dims(input_, 2, input_.one_in(16) ? most_ndims : 5, most_elements);
    const auto read_norm_type = [&] {
        return norm.is_backward ? read_type(input_, float_types) : read_type(input_, norm_types);
    };
    norm.type = read_norm_type();
    const auto other_type = [&] {
        return has_mixed_types && input_.one_in(2) ? read_norm_type() : norm.type;
    };
    norm.src = read_tensor(input_, norm.dims, norm.type, role_t::input);
    const auto dst_type = other_type();
    const auto read_like = [&](dnnl_data_type_t type, role_t role) {
        if (!input_.one_in(3)) return read_tensor(input_, norm.dims, type, role);
        memory_desc_handle_t copy = test::clone_desc(norm.src); // in place, then
        if (norm.type == type) return copy;
        return read_tensor(input_, norm.dims, type, role);
    };
    norm.dst = read_like(dst_type, role_t::output);
    if (norm.is_backward) {
        norm.diff_dst = read_like(other_type(), role_t::input);
        norm.diff_src = input_.one_in(3) ? test::clone_desc(norm.diff_dst)
                                         : read_like(other_type(), role_t::output);
    }
    constexpr dnnl_prop_kind_t forward[] = {dnnl_forward_training, dnnl_forward_inference};
    constexpr dnnl_prop_kind_t backward[] = {dnnl_backward, dnnl_backward_data};
    norm.prop_kind = norm.is_backward ? input_.pick(backward) : input_.pick(forward);
    norm.epsilon = input_.number();
    norm.flags = read_flags(legal_flags);
    norm.attr = read_attr(input_, norm.dims);
    return norm;
}

template <typename forward_t, typename backward_t>
void session_t::run_norm(norm_t &norm, const forward_t &forward, const backward_t &backward) {
    test::primitive_desc_handle_t described;
    if (!norm.is_backward) {
        if (succeeded(forward(described.out(), norm.prop_kind), "a forward normalization"))
            execute(input_, described, {DNNL_ARG_DST, DNNL_ARG_SRC});
        return;
    }
    test::primitive_desc_handle_t hint;
    norm.attr = {};
    if (!input_.one_in(4) && forward(hint.out(), dnnl_forward_training) != dnnl_success) hint = {};
    if (succeeded(backward(described.out(), hint), "a backward normalization"))
        execute(input_, described, {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST});
}

void session_t::layer_normalization() {
    norm_t n = read_norm(
            12, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm, true);
    const dims_t stat_dims(n.dims.begin(), n.dims.end() - 1);
    memory_desc_handle_t stat;
    if (input_.one_in(2)) {
        const auto type = n.type == dnnl_f64 && input_.one_in(2) ? dnnl_f64 : dnnl_f32;
        stat = read_tensor(input_, stat_dims, type, role_t::output);
    }
    constexpr dnnl_data_type_t parameter_types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    const auto type = read_type(input_, parameter_types),
               diff_type = read_type(input_, parameter_types);
    run_norm(
            n,
            [&](dnnl_primitive_desc_t *out, dnnl_prop_kind_t prop_kind) {
                return dnnl_layer_normalization_forward_primitive_desc_create_v2(out,
                        test::cpu_engine(), prop_kind, n.src, n.dst, stat, type, n.epsilon, n.flags,
                        n.attr);
            },
            [&](dnnl_primitive_desc_t *out, const_dnnl_primitive_desc_t hint) {
                return dnnl_layer_normalization_backward_primitive_desc_create_v2(out,
                        test::cpu_engine(), n.prop_kind, n.diff_src, n.diff_dst, n.src, stat,
                        diff_type, type, n.epsilon, n.flags, hint, n.attr);
            });
}

void session_t::batch_normalization() {
    norm_t n = read_norm(6,
            dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_fuse_norm_relu
                    | dnnl_fuse_norm_add_relu,
            false);
    run_norm(
            n,
            [&](dnnl_primitive_desc_t *out, dnnl_prop_kind_t prop_kind) {
                return dnnl_batch_normalization_forward_primitive_desc_create(out,
                        test::cpu_engine(), prop_kind, n.src, n.dst, n.epsilon, n.flags, n.attr);
            },
            [&](dnnl_primitive_desc_t *out, const_dnnl_primitive_desc_t hint) {
                return dnnl_batch_normalization_backward_primitive_desc_create(out,
                        test::cpu_engine(), n.prop_kind, n.diff_src, n.diff_dst, n.src, n.epsilon,
                        n.flags, hint, n.attr);
            });
}

void session_t::group_normalization() {
    norm_t n = read_norm(6, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift, true);
    // A divisor of the channels, seldom not.
    dnnl_dim_t groups = 1 + static_cast<dnnl_dim_t>(input_.below(16));
    if (!input_.one_in(32))
        while (n.dims[1] > 0 && n.dims[1] % groups != 0) --groups;
    run_norm(
            n,
            [&](dnnl_primitive_desc_t *out, dnnl_prop_kind_t prop_kind) {
                return dnnl_group_normalization_forward_primitive_desc_create(out,
                        test::cpu_engine(), prop_kind, n.src, n.dst, groups, n.epsilon, n.flags,
                        n.attr);
            },
            [&](dnnl_primitive_desc_t *out, const_dnnl_primitive_desc_t hint) {
                return dnnl_group_normalization_backward_primitive_desc_create(out,
                        test::cpu_engine(), n.prop_kind, n.diff_src, n.diff_dst, n.src, groups,
                        n.epsilon, n.flags, hint, n.attr);
            });
}

} // namespace

} // namespace kiln::fuzz

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace kiln::fuzz;
    static tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
    static tbb::task_arena arenas[] = {tbb::task_arena(1), tbb::task_arena(2)};
    if (size == 0) return 0;
    // One input in eight runs on two threads.
    arenas[data[size - 1] % 8 == 7].execute([&] { session_t(data, size - 1).run(); });
    empty_caches();
    return 0;
}

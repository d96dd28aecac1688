// SPDX-License-Identifier: Apache-2.0
// Random normalizations: parameters and types.
#include "differential/random_normalization.hpp"

#include "differential/layouts.hpp"
#include "differential/problem.hpp"

namespace kiln::test::differential {
namespace {

namespace norm = test::normalization;

dnnl_data_type_t float_type(random_t &random) {
    return random.pick({dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16});
}

void choose_operation(norm::problem_t &what, random_t &random) {
    what.operation = random.pick({norm::operation_t::layer, norm::operation_t::layer,
            norm::operation_t::batch, norm::operation_t::group});
    what.prop_kind = random.pick({dnnl_forward_training, dnnl_forward_training,
            dnnl_forward_inference, dnnl_backward, dnnl_backward, dnnl_backward_data});
    what.epsilon = random.pick({1e-5f, 1e-5f, 1e-3f, 0.5f});
    for (const unsigned flag : {norm::global_stats, norm::scale, norm::shift})
        if (random.chance(flag == norm::global_stats ? 0.25 : 0.5)) what.flags |= flag;
    const int64_t most = random.chance(0.01) ? 20000 : random.chance(0.1) ? 4000 : 700;
    if (what.is_layer()) {
        if (random.chance(0.3)) what.flags |= norm::rms;
        what.dims =
                random_dims(random, static_cast<size_t>(random.pick({2, 2, 3, 3, 4, 5, 8})), most);
        return;
    }
    what.dims = random_dims(random, static_cast<size_t>(random.pick({2, 3, 3, 4, 4, 4, 5})), most);
    if (what.operation == norm::operation_t::batch) {
        const double fused = random.between(0, 1);
        if (fused < 0.35) what.flags |= fused < 0.2 ? norm::relu : norm::add_relu;
        return;
    }
    const int64_t channels = what.dims[1];
    do
        what.groups = random.chance(0.5) ? 1 + random.below(channels)
                                         : random.pick({int64_t(1), channels});
    while (channels % what.groups != 0);
}

void choose_types(norm::problem_t &what, random_t &random) {
    const bool is_batch = what.operation == norm::operation_t::batch;
    what.src_type = random.chance(0.04) ? dnnl_f64 : float_type(random);
    what.dst_type = random.chance(0.6) ? what.src_type : float_type(random);
    what.diff_src_type = random.chance(0.6) ? what.src_type : float_type(random);
    if (what.is_forward() && !is_batch) {
        if (random.chance(0.12)) what.src_type = random.pick({dnnl_s8, dnnl_u8});
        if (random.chance(0.15)) what.dst_type = random.pick({dnnl_s8, dnnl_u8});
    }
    if (is_batch && what.is_forward() && random.chance(0.1)) {
        what.src_type = dnnl_s8;
        what.flags |= norm::global_stats;
    }
    if (is_batch) what.set_types(what.src_type);
    if (!what.is_layer()) return;
    if (what.src_type == dnnl_f64 && random.chance(0.5)) what.stat_type = dnnl_f64;
    what.scale_shift_type = float_type(random);
    what.diff_scale_shift_type = float_type(random);
}

} // namespace

norm::problem_t random_normalization(random_t &random) {
    norm::problem_t what;
    choose_operation(what, random);
    choose_types(what, random);
    return what;
}

} // namespace kiln::test::differential

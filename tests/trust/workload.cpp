// SPDX-License-Identifier: Apache-2.0
// Normalizations, reorder and reduction; the list of all problems.
#include "trust/workload.hpp"

#include <array>

#include "trust/workload_problems.hpp"

namespace kiln::test {
namespace workload {
namespace {

using flags_t = dnnl::normalization_flags;

/// Images: small ones, and some that several threads share.
dims_t image(random_t &random, int64_t channels) {
    const int64_t width = random.next() % 8 == 0 ? 56 : random.between(1, 15);
    return {random.between(1, 3), channels, width, random.between(1, width)};
}

memory::desc image_desc(random_t &random, const dims_t &dims, type_t type) {
    return {dims, type, random.one_of({tag_t::nchw, tag_t::nhwc, tag_t::nChw16c})};
}

template <bool is_backward> uint64_t layer_normalization(const engine &engine, random_t &random) {
    const dims_t dims = random.next() % 8 == 0
                                ? dims_t{random.between(100, 300), random.between(500, 800)}
                                : dims_t{random.between(1, 40), random.between(1, 200)};
    const memory::desc tensor(dims, float_type(random), random.one_of({tag_t::ab, tag_t::ba}));
    const auto flags = random.one_of({flags_t::none, flags_t::use_scale,
            flags_t::use_scale | flags_t::use_shift, flags_t::use_scale | flags_t::rms_norm});
    const dnnl::layer_normalization_forward::primitive_desc forward(
            engine, prop_kind::forward_training, tensor, tensor, 1e-5f, flags);
    if (!is_backward)
        return execute(engine, forward, dnnl::layer_normalization_forward(forward), random);
    const dnnl::layer_normalization_backward::primitive_desc backward(
            engine, prop_kind::backward, tensor, tensor, tensor, 1e-5f, flags, forward);
    return execute(engine, backward, dnnl::layer_normalization_backward(backward), random);
}

template <bool is_backward> uint64_t batch_normalization(const engine &engine, random_t &random) {
    const memory::desc tensor =
            image_desc(random, image(random, random.between(1, 70)), float_type(random));
    const auto flags = random.one_of({flags_t::none, flags_t::use_scale | flags_t::use_shift,
            flags_t::use_scale | flags_t::fuse_norm_relu, flags_t::use_global_stats});
    const dnnl::batch_normalization_forward::primitive_desc forward(
            engine, prop_kind::forward_training, tensor, tensor, 1e-5f, flags);
    if (!is_backward)
        return execute(engine, forward, dnnl::batch_normalization_forward(forward), random);
    const dnnl::batch_normalization_backward::primitive_desc backward(
            engine, prop_kind::backward, tensor, tensor, tensor, 1e-5f, flags, forward);
    return execute(engine, backward, dnnl::batch_normalization_backward(backward), random);
}

primitive_attr attributes(random_t &random, const dims_t &dims) {
    primitive_attr attr;
    dnnl::post_ops chain;
    const int64_t kinds = random.between(0, 3);
    if (kinds & 1)
        chain.append_binary(dnnl::algorithm::binary_add,
                memory::desc({1, dims[1], 1, 1}, type_t::f32, tag_t::nchw));
    if (kinds & 2) chain.append_eltwise(dnnl::algorithm::eltwise_tanh, 0.f, 0.f);
    attr.set_post_ops(chain);
    if (random.next() % 2) attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attr;
}

template <bool is_backward> uint64_t group_normalization(const engine &engine, random_t &random) {
    const int64_t groups = random.between(1, 5);
    const dims_t dims = image(random, groups * random.between(1, 9));
    const memory::desc tensor = image_desc(random, dims, float_type(random));
    const auto flags = flags_t::use_scale | flags_t::use_shift;
    if (!is_backward) {
        const dnnl::group_normalization_forward::primitive_desc inference(engine,
                prop_kind::forward_inference, tensor, tensor, groups, 1e-5f, flags,
                attributes(random, dims));
        return execute(engine, inference, dnnl::group_normalization_forward(inference), random);
    }
    const dnnl::group_normalization_forward::primitive_desc forward(
            engine, prop_kind::forward_training, tensor, tensor, groups, 1e-5f, flags);
    const dnnl::group_normalization_backward::primitive_desc backward(
            engine, prop_kind::backward, tensor, tensor, tensor, groups, 1e-5f, flags, forward);
    return execute(engine, backward, dnnl::group_normalization_backward(backward), random);
}

uint64_t reorder(const engine &engine, random_t &random) {
    const dims_t dims = image(random, random.between(1, 70));
    const auto any_type = [&] { return random.one_of({type_t::f32, type_t::bf16, type_t::s8}); };
    const memory::desc from = image_desc(random, dims, any_type());
    const memory::desc to = image_desc(random, dims, any_type());
    const dnnl::reorder::primitive_desc desc(engine, from, engine, to);
    return execute(engine, desc, dnnl::reorder(desc), random);
}

uint64_t reduction(const engine &engine, random_t &random) {
    const dims_t dims = image(random, random.between(2, 40));
    const auto axis = static_cast<size_t>(random.between(0, 3));
    dims_t reduced = dims;
    reduced[dims[axis] > 1 ? axis : 1] = 1;
    const auto algorithm = random.one_of({dnnl::algorithm::reduction_sum,
            dnnl::algorithm::reduction_max, dnnl::algorithm::reduction_mean});
    const dnnl::reduction::primitive_desc desc(engine, algorithm,
            memory::desc(dims, float_type(random), tag_t::nchw),
            memory::desc(reduced, type_t::f32, tag_t::nchw), 0.f, 0.f);
    return execute(engine, desc, dnnl::reduction(desc), random);
}

/// A number is a problem of the operation at its remainder.
constexpr problem_t problems[] = {layer_normalization<false>, layer_normalization<true>,
        batch_normalization<false>, batch_normalization<true>, group_normalization<false>,
        group_normalization<true>, reorder, reduction, graph, elementwise, elementwise, product};
static_assert(std::size(problems) == workload_kinds);

} // namespace
} // namespace workload

uint64_t run_problem(const dnnl::engine &engine, uint64_t number) {
    workload::random_t random(number);
    return workload::problems[number % workload_kinds](engine, random);
}

} // namespace kiln::test

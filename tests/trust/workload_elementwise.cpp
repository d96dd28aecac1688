// SPDX-License-Identifier: Apache-2.0
// Elementwise functions, binary operations, PReLU, softmax, sum, concatenation, shuffle.
#include <array>
#include <vector>

#include "trust/workload_problems.hpp"

namespace kiln::test::workload {
namespace {

using dnnl::algorithm;

/// Images of up to 70 channels, in one of the layouts that have kernels.
struct image_t {
    type_t type;
    dims_t dims;
    tag_t tag;
    explicit image_t(random_t &random)
        : type(float_type(random))
        , dims{random.between(1, 3), random.between(1, 70), random.between(1, 15),
                  random.next() % 8 == 0 ? 100 : random.between(1, 15)}
        , tag(random.one_of({tag_t::nchw, tag_t::nhwc, tag_t::nChw16c})) {}
    memory::desc desc() const { return {dims, type, tag}; }
    /// One value for each channel.
    memory::desc channels() const { return {{1, dims[1], 1, 1}, type, tag_t::nchw}; }
};

/// Dropout in some.
primitive_attr dropout(random_t &random, const image_t &image) {
    primitive_attr attr;
    if (random.next() % 4 == 0) attr.set_dropout({image.dims, type_t::u8, image.tag});
    return attr;
}

template <bool is_backward> uint64_t eltwise(const engine &engine, random_t &random) {
    const image_t image(random);
    const auto alg = random.one_of({algorithm::eltwise_relu, algorithm::eltwise_gelu_erf,
            algorithm::eltwise_exp, algorithm::eltwise_log, algorithm::eltwise_mish});
    const dnnl::eltwise_forward::primitive_desc forward(engine, prop_kind::forward_training, alg,
            image.desc(), image.desc(), is_backward ? primitive_attr() : dropout(random, image));
    if (!is_backward) return execute(engine, forward, dnnl::eltwise_forward(forward), random);
    const dnnl::eltwise_backward::primitive_desc backward(
            engine, alg, image.desc(), image.desc(), image.desc(), forward);
    return execute(engine, backward, dnnl::eltwise_backward(backward), random);
}

uint64_t binary(const engine &engine, random_t &random) {
    const image_t image(random);
    const auto alg = random.one_of({algorithm::binary_add, algorithm::binary_div,
            algorithm::binary_max, algorithm::binary_ge});
    const memory::desc other = random.next() % 2 ? image.channels() : image.desc();
    const dnnl::binary::primitive_desc desc(engine, alg, image.desc(), other, image.desc());
    return execute(engine, desc, dnnl::binary(desc), random);
}

template <bool is_backward> uint64_t prelu(const engine &engine, random_t &random) {
    const image_t image(random);
    const dnnl::prelu_forward::primitive_desc forward(
            engine, prop_kind::forward_training, image.desc(), image.channels(), image.desc());
    if (!is_backward) return execute(engine, forward, dnnl::prelu_forward(forward), random);
    const dnnl::prelu_backward::primitive_desc backward(engine, image.desc(), image.channels(),
            image.desc(), image.channels(), image.desc(), forward);
    return execute(engine, backward, dnnl::prelu_backward(backward), random);
}

template <bool is_backward> uint64_t softmax(const engine &engine, random_t &random) {
    const image_t image(random);
    const auto alg = random.one_of({algorithm::softmax_accurate, algorithm::softmax_log});
    const auto axis = static_cast<int>(random.between(0, 3));
    const dnnl::softmax_forward::primitive_desc forward(
            engine, prop_kind::forward_training, alg, image.desc(), image.desc(), axis);
    if (!is_backward) return execute(engine, forward, dnnl::softmax_forward(forward), random);
    const dnnl::softmax_backward::primitive_desc backward(
            engine, alg, image.desc(), image.desc(), image.desc(), axis, forward);
    return execute(engine, backward, dnnl::softmax_backward(backward), random);
}

template <bool is_backward> uint64_t shuffle(const engine &engine, random_t &random) {
    image_t image(random);
    const int groups = static_cast<int>(random.between(1, 5));
    image.dims[1] = groups * random.between(1, 9);
    const dnnl::shuffle_forward::primitive_desc forward(
            engine, prop_kind::forward_training, image.desc(), image.desc(), 1, groups);
    if (!is_backward) return execute(engine, forward, dnnl::shuffle_forward(forward), random);
    const dnnl::shuffle_backward::primitive_desc backward(
            engine, image.desc(), image.desc(), 1, groups, forward);
    return execute(engine, backward, dnnl::shuffle_backward(backward), random);
}

uint64_t sum(const engine &engine, random_t &random) {
    const image_t image(random);
    const dnnl::sum::primitive_desc desc(
            engine, {0.5f, 2.f, 1.f}, {image.desc(), image.desc(), image.desc()});
    return execute(engine, desc, dnnl::sum(desc), random);
}

uint64_t concat(const engine &engine, random_t &random) {
    image_t first(random), second(first);
    second.dims[1] = random.between(1, 40);
    const dnnl::concat::primitive_desc desc(engine, 1, {first.desc(), second.desc()});
    return execute(engine, desc, dnnl::concat(desc), random);
}

constexpr problem_t problems[] = {eltwise<false>, eltwise<true>, binary, prelu<false>, prelu<true>,
        softmax<false>, softmax<true>, shuffle<false>, shuffle<true>, sum, concat};

} // namespace

uint64_t elementwise(const engine &engine, random_t &random) {
    return problems[random.next() % std::size(problems)](engine, random);
}

} // namespace kiln::test::workload

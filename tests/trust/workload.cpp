// SPDX-License-Identifier: Apache-2.0
#include "trust/workload.hpp"

#include <cstring>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl_graph.hpp"

namespace kiln::test {
namespace {

using dnnl::engine;
using dnnl::memory;
using dnnl::primitive_attr;
using dnnl::prop_kind;
using flags_t = dnnl::normalization_flags;
using type_t = memory::data_type;
using tag_t = memory::format_tag;
using dims_t = memory::dims;

/// Pseudo-random numbers (splitmix64).
class random_t {
public:
    explicit random_t(uint64_t seed)
        : state_(seed) {}
    uint64_t next() {
        uint64_t value = state_ += 0x9e3779b97f4a7c15;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
        value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
        return value ^ (value >> 31);
    }
    /// A number of [low, high].
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
    }
    template <typename value_t> value_t one_of(std::initializer_list<value_t> values) {
        return values.begin()[next() % values.size()];
    }

private:
    uint64_t state_;
};

/// Values from 0.5 to 2 in floating-point types, any in integers.
void fill(std::byte *data, size_t size, type_t type, random_t &random) {
    const auto put = [&](auto value, size_t at) { std::memcpy(data + at, &value, sizeof(value)); };
    const size_t step = memory::data_type_size(type);
    for (size_t at = 0; at + step <= size; at += step) {
        const uint64_t bits = random.next();
        switch (type) {
        case type_t::f32: put(0.5f + static_cast<float>(bits >> 40) * 0x1p-24f, at); break;
        case type_t::bf16: put(static_cast<uint16_t>(0x3f00 | (bits & 0x7f)), at); break;
        case type_t::f16: put(static_cast<uint16_t>(0x3800 | (bits & 0x3ff)), at); break;
        case type_t::s8:
        case type_t::u8: put(static_cast<uint8_t>(bits), at); break;
        default: put(static_cast<int32_t>(bits & 0xff), at); break;
        }
    }
}

/// FNV-1a, on words.
uint64_t hash(uint64_t state, const std::byte *data, size_t size) {
    constexpr uint64_t prime = 0x100000001b3;
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t word;
        std::memcpy(&word, data, 8);
        state = (state ^ word) * prime;
    }
    for (; size > 0; ++data, --size) state = (state ^ static_cast<uint64_t>(*data)) * prime;
    return state;
}
constexpr uint64_t first_hash = 0xcbf29ce484222325;

/// Executes a primitive with tensors for each argument that its descriptor has.
uint64_t execute(const engine &engine, const dnnl::primitive_desc_base &desc,
        const dnnl::primitive &primitive, random_t &random) {
    std::vector<int> known{DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_DST, DNNL_ARG_MEAN,
            DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_WORKSPACE,
            DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SCALE,
            DNNL_ARG_DIFF_SHIFT, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1};
    std::vector<std::vector<std::byte>> buffers;
    std::unordered_map<int, memory> arguments;
    for (const int arg : known) {
        const memory::desc tensor = desc.query_md(dnnl::query::exec_arg_md, arg);
        if (tensor.get_size() == 0) continue;
        buffers.emplace_back(tensor.get_size());
        fill(buffers.back().data(), buffers.back().size(), tensor.get_data_type(), random);
        arguments.emplace(arg, memory(tensor, engine, buffers.back().data()));
    }
    const memory::desc scratchpad = desc.scratchpad_desc();
    if (scratchpad.get_size() != 0)
        arguments.emplace(DNNL_ARG_SCRATCHPAD, memory(scratchpad, engine));
    dnnl::stream stream(engine);
    primitive.execute(stream, arguments);
    stream.wait();
    uint64_t result = first_hash;
    for (const auto &buffer : buffers) result = hash(result, buffer.data(), buffer.size());
    return result;
}

type_t float_type(random_t &random) {
    return random.one_of({type_t::f32, type_t::bf16, type_t::f16});
}

/// Images: small ones, and some that several threads share.
dims_t image(random_t &random, int64_t channels) {
    const int64_t width = random.next() % 8 == 0 ? 56 : random.between(1, 15);
    return {random.between(1, 3), channels, width, random.between(1, width)};
}

memory::desc image_desc(random_t &random, const dims_t &dims, type_t type) {
    return {dims, type, random.one_of({tag_t::nchw, tag_t::nhwc, tag_t::nChw16c})};
}

uint64_t layer_normalization(const engine &engine, random_t &random, bool is_backward) {
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

uint64_t batch_normalization(const engine &engine, random_t &random, bool is_backward) {
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

uint64_t group_normalization(const engine &engine, random_t &random, bool is_backward) {
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

/// A residual addition and a layer normalization: one partition.
uint64_t graph(const engine &engine, random_t &random) {
    namespace g = dnnl::graph;
    const auto type =
            random.one_of({g::logical_tensor::data_type::f32, g::logical_tensor::data_type::bf16});
    const g::logical_tensor::dims dims{random.between(1, 40), random.between(1, 200)};
    constexpr auto strided = g::logical_tensor::layout_type::strided;
    std::vector<g::logical_tensor> tensors;
    for (const size_t id : {0, 1, 2, 5}) tensors.emplace_back(id, type, dims, strided);
    const g::logical_tensor::dims channels{dims[1]};
    const g::logical_tensor gamma(3, g::logical_tensor::data_type::f32, channels, strided);
    const g::logical_tensor beta(4, g::logical_tensor::data_type::f32, channels, strided);
    const g::logical_tensor &branch = tensors[0], &residual = tensors[1], &sum = tensors[2];
    const g::logical_tensor &dst = tensors[3];

    g::graph whole(dnnl::engine::kind::cpu);
    whole.add_op(g::op(0, g::op::kind::Add, {branch, residual}, {sum}));
    g::op norm(1, g::op::kind::LayerNorm, {sum, gamma, beta}, {dst});
    norm.set_attr<bool>(g::op::attr::keep_stats, false);
    whole.add_op(norm);
    whole.finalize();

    uint64_t result = first_hash;
    for (const g::partition &part : whole.get_partitions()) {
        const std::vector<g::logical_tensor> inputs = part.get_input_ports();
        const std::vector<g::logical_tensor> outputs = part.get_output_ports();
        const g::compiled_partition compiled = part.compile(inputs, outputs, engine);
        std::vector<std::vector<std::byte>> buffers;
        const auto tensors_of = [&](const std::vector<g::logical_tensor> &described) {
            std::vector<g::tensor> made;
            for (const g::logical_tensor &one : described) {
                buffers.emplace_back(compiled.query_logical_tensor(one.get_id()).get_mem_size());
                fill(buffers.back().data(), buffers.back().size(),
                        static_cast<type_t>(one.get_data_type()), random);
                made.emplace_back(one, engine, buffers.back().data());
            }
            return made;
        };
        const std::vector<g::tensor> from = tensors_of(inputs), to = tensors_of(outputs);
        dnnl::stream stream(engine);
        compiled.execute(stream, from, to);
        stream.wait();
        for (const auto &buffer : buffers) result = hash(result, buffer.data(), buffer.size());
    }
    return result;
}

} // namespace

uint64_t run_problem(const engine &engine, uint64_t number) {
    random_t random(number);
    switch (number % 9) {
    case 0: return layer_normalization(engine, random, false);
    case 1: return layer_normalization(engine, random, true);
    case 2: return batch_normalization(engine, random, false);
    case 3: return batch_normalization(engine, random, true);
    case 4: return group_normalization(engine, random, false);
    case 5: return group_normalization(engine, random, true);
    case 6: return reorder(engine, random);
    case 7: return reduction(engine, random);
    default: return graph(engine, random);
    }
}

} // namespace kiln::test

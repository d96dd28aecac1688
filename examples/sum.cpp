// SPDX-License-Identifier: Apache-2.0
// The mean of the gradients of four workers, which send bf16 in two layouts, is added to a momentum
// in f32, in place:
//     momentum = 0.9 * momentum + (gradient_0 + ... + gradient_3) / 4

#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim outputs = 64, inputs = 300;
constexpr int workers = 4;
constexpr float decay = 0.9f;

/// Small integers, which bf16 holds exactly.
float gradient_of(size_t worker, size_t output, size_t input) {
    return static_cast<float>((7 * worker + 3 * output + input) % 33) - 16;
}

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::dims dims{outputs, inputs};
    const auto f32 = memory::data_type::f32, bf16 = memory::data_type::bf16;
    const memory::desc momentum_md(dims, f32, memory::format_tag::ab);

    std::vector<float> momentum(outputs * inputs);
    for (size_t i = 0; i < momentum.size(); ++i)
        momentum[i] = std::sin(0.1f * static_cast<float>(i));
    const std::vector<float> given = momentum;
    const memory momentum_memory(momentum_md, cpu, momentum.data());

    // What the workers send; a reorder converts it to bf16 in the worker's layout.
    std::vector<memory::desc> mds{momentum_md};
    std::vector<float> scales{decay};
    std::unordered_map<int, memory> args{
            {DNNL_ARG_MULTIPLE_SRC, momentum_memory}, {DNNL_ARG_DST, momentum_memory}};
    for (int w = 0; w < workers; ++w) {
        std::vector<float> values;
        for (size_t o = 0; o < outputs; ++o)
            for (size_t i = 0; i < inputs; ++i)
                values.push_back(gradient_of(static_cast<size_t>(w), o, i));
        memory plain(momentum_md, cpu, values.data());
        const auto layout = w % 2 == 0 ? memory::format_tag::ab : memory::format_tag::ba;
        memory sent({dims, bf16, layout}, cpu);
        reorder(plain, sent).execute(s, plain, sent);
        s.wait();
        mds.push_back(sent.get_desc());
        scales.push_back(1.f / workers);
        args.emplace(DNNL_ARG_MULTIPLE_SRC + 1 + w, sent);
    }

    const sum::primitive_desc pd(cpu, momentum_md, scales, mds);
    sum(pd).execute(s, args);
    s.wait();

    bool is_right = true;
    for (size_t i = 0; i < momentum.size(); ++i) {
        float total = 0;
        for (size_t w = 0; w < workers; ++w) total += gradient_of(w, i / inputs, i % inputs);
        is_right =
                is_right && std::fabs(momentum[i] - (decay * given[i] + total / workers)) < 1e-5f;
    }
    std::printf("the gradients of %d workers in a momentum of %d x %d: %s\n", workers,
            static_cast<int>(outputs), static_cast<int>(inputs), is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
}

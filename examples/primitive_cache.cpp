// SPDX-License-Identifier: Apache-2.0
// Primitives that serve several threads and inputs of changing length: the program keeps no table
// of primitives, because creating one that exists finds it in the library's cache.

#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim features = 128;

/// Normalizes `tokens` rows in place. The engine and the cache are shared by all threads; memory
/// objects and streams belong to one thread each.
void normalize(const engine &cpu, std::vector<float> &values, memory::dim tokens) {
    stream s(cpu);
    const memory::desc md({tokens, features}, memory::data_type::f32, memory::format_tag::ab);
    const layer_normalization_forward::primitive_desc pd(
            cpu, prop_kind::forward_inference, md, md, 1e-5f, normalization_flags::none);
    const memory data(md, cpu, values.data());
    layer_normalization_forward(pd).execute(s, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}});
    s.wait();
}

bool is_normalized(const std::vector<float> &values) {
    for (size_t begin = 0; begin < values.size(); begin += features) {
        double sum = 0, squares = 0;
        for (size_t i = begin; i < begin + features; ++i) {
            sum += static_cast<double>(values[i]);
            squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
        }
        if (!(std::fabs(sum / features) < 1e-5 && std::fabs(squares / features - 1) < 1e-3))
            return false;
    }
    return true;
}

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    std::atomic<int> wrong{0};
    const auto work = [&](size_t seed) {
        for (size_t request = 0; request < 40; ++request) {
            const auto tokens = static_cast<memory::dim>(1 + (seed + request) % 8);
            std::vector<float> values(static_cast<size_t>(tokens * features));
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = 5 + std::sin(static_cast<float>(i * (seed + 1)));
            normalize(cpu, values, tokens);
            if (!is_normalized(values)) ++wrong;
        }
    };
    std::vector<std::thread> threads;
    for (size_t seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
    for (std::thread &thread : threads) thread.join();
    std::printf("160 requests of 8 lengths in 4 threads, capacity %d: %d wrong\n",
            get_primitive_cache_capacity(), wrong.load());
    return wrong == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// How much of a message's time is hidden by the callbacks `start` and `wait`. The message is
// simulated: it needs a known time to arrive, and no process. Backward batch normalization that
// combines gradients of scale and shift alone computes diff_src meanwhile.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "kiln/ranks.hpp"

namespace {

using dnnl::memory;
using clock_type = std::chrono::steady_clock;
constexpr int repeats = 31;

/// A network in which a message takes `latency` microseconds; the other rank has what this one has.
struct network_t {
    double latency;
    clock_type::time_point arrival;
    const double *local;
    double *all;
    size_t count;
};

dnnl_status_t start(void *context, const double *local, size_t count, double *all, void **request) {
    auto &network = *static_cast<network_t *>(context);
    const std::chrono::duration<double, std::micro> latency(network.latency);
    network.arrival = clock_type::now() + std::chrono::duration_cast<clock_type::duration>(latency);
    network.local = local, network.all = all, network.count = count;
    *request = context;
    return dnnl_success;
}

dnnl_status_t wait(void *, void *request) {
    const auto &network = *static_cast<network_t *>(request);
    while (clock_type::now() < network.arrival) {
    }
    for (size_t rank = 0; rank < 2; ++rank)
        std::copy_n(network.local, network.count, network.all + rank * network.count);
    return dnnl_success;
}

dnnl_status_t gather(void *context, const double *local, size_t count, double *all) {
    void *request = nullptr;
    start(context, local, count, all, &request);
    return wait(context, request);
}

/// Median microseconds of an execution.
double time_of(const memory::dims &dims, const kiln::ranks *ranks) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    dnnl::primitive_attr attr;
    if (ranks) kiln::set_ranks(attr, *ranks);
    const memory::desc data(dims, memory::data_type::f32, memory::format_tag::nhwc);
    const memory::desc channel({dims[1]}, memory::data_type::f32, memory::format_tag::a);
    const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    const dnnl::batch_normalization_forward::primitive_desc forward(
            engine, dnnl::prop_kind::forward_training, data, data, 1e-5f, flags, attr);
    const dnnl::batch_normalization_backward backward(
            {engine, dnnl::prop_kind::backward, data, data, data, 1e-5f, flags, forward, attr});
    std::unordered_map<int, memory> args;
    const auto add = [&](int arg, const memory::desc &desc) {
        memory buffer(desc, engine);
        auto *const values = static_cast<float *>(buffer.get_data_handle());
        for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i)
            values[i] = static_cast<float>(1 + i % 61) / 61.f;
        args[arg] = buffer;
    };
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC}) add(arg, data);
    for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_DIFF_SCALE,
                 DNNL_ARG_DIFF_SHIFT})
        add(arg, channel);
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = clock_type::now();
        backward.execute(stream, args);
        times.push_back(
                std::chrono::duration<double, std::micro>(clock_type::now() - begin).count());
    }
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    return times[repeats / 2];
}

} // namespace

int main() {
    std::printf("microseconds of a backward execution\n%-18s %8s %8s %8s %11s %7s\n", "layer, nhwc",
            "message", "plain", "gather", "start, wait", "hidden");
    const std::vector<memory::dims> layers{{2, 512, 7, 7}, {8, 256, 14, 14}, {16, 64, 56, 56}};
    for (const auto &dims : layers)
        for (const double latency : {50., 200., 1000.}) {
            network_t network{latency, {}, nullptr, nullptr, 0};
            kiln::ranks ranks{2, kiln_combine_weight_gradients, &network, gather, nullptr, nullptr};
            const double plain = time_of(dims, nullptr),
                         one_after_the_other = time_of(dims, &ranks);
            ranks.gather = nullptr, ranks.start = start, ranks.wait = wait;
            const double overlapped = time_of(dims, &ranks);
            const std::string name = std::to_string(dims[0]) + 'x' + std::to_string(dims[1]) + 'x'
                                     + std::to_string(dims[2]) + 'x' + std::to_string(dims[3]);
            std::printf("%-18s %8.0f %8.1f %8.1f %11.1f %7.1f\n", name.c_str(), latency, plain,
                    one_after_the_other, overlapped, one_after_the_other - overlapped);
        }
    return 0;
}

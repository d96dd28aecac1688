// SPDX-License-Identifier: Apache-2.0
// What a normalization over ranks fetches of its tensors, which exceed the cache, beside what the
// same normalization of one process fetches.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include <tbb/task_arena.h>

#include "kiln/ranks.hpp"
#include "ranks/page_counter.hpp"
#include "support/implementations.hpp"

namespace kiln::test {
namespace {

using dnnl::memory;
using dnnl::normalization_flags;
using dnnl::prop_kind;
constexpr size_t cached_pages = 24;

enum class operation_t { batch, group, layer, rms };

struct problem_t {
    operation_t operation;
    memory::dims dims;
    memory::format_tag tag;
    unsigned combined;
    memory::dim groups = 0;
    size_t more = 0; ///< often the inputs are fetched over ranks
};

dnnl_status_t copy(void *, const double *local, size_t count, double *all) {
    for (int rank = 0; rank < 2; ++rank) std::copy_n(local, count, all + size_t(rank) * count);
    return dnnl_success;
}

/// Of each tensor, by its argument: how often its pages are fetched and written, in the mean.
using traffic_t = std::map<int, std::pair<double, double>>;

class execution_t {
public:
    execution_t(const problem_t &problem, bool is_forward, memory::data_type type, bool over_ranks)
        : problem_(problem)
        , data_(problem.dims, type, problem.tag)
        , is_forward_(is_forward) {
        if (over_ranks) set_ranks(attr_, {2, problem.combined, nullptr, copy, nullptr, nullptr});
        const bool is_layer =
                problem.operation == operation_t::layer || problem.operation == operation_t::rms;
        if (is_layer)
            create_layer();
        else if (problem.operation == operation_t::batch)
            create_batch();
        else
            create_group();
    }

    traffic_t traffic() {
        page_counter_t counter(cached_pages);
        std::map<int, std::byte *> tensors;
        for (const int arg :
                {DNNL_ARG_SRC, is_forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC}) {
            if (is_forward_ && arg == DNNL_ARG_DIFF_SRC) continue;
            tensors[arg] = counter.add(data_.get_size());
            fill(tensors[arg]);
            args_[arg] = memory(data_, engine_, tensors[arg]);
        }
        const auto execute = [&] { primitive_.execute(stream_, args_); };
        traffic_t result;
        tbb::task_arena(1).execute([&] {
            counter.start();
            execute();
            counter.stop();
        });
        for (const auto &[arg, tensor] : tensors) {
            const auto pages = double(data_.get_size()) / page_counter_t::page_size;
            const auto count = counter.count(tensor);
            result[arg] = {double(count.fetched) / pages, double(count.written) / pages};
        }
        return result;
    }

private:
    void fill(std::byte *tensor) const {
        const bool is_f32 = data_.get_data_type() == memory::data_type::f32;
        uint32_t random = 1;
        for (size_t i = 0; i < data_.get_size() / sizeof(float); ++i) {
            random = random * 1664525u + 1013904223u;
            // One value, or two of bf16, from 1 to 2.
            const uint32_t bits =
                    is_f32 ? 0x3f800000u | random >> 9 : 0x3f803f80u | (random & 0x7f007fu);
            std::memcpy(tensor + i * sizeof bits, &bits, sizeof bits);
        }
    }

    /// Creates both directions, of which one is executed, and the operands beside the tensors.
    template <typename forward_t, typename backward_t, typename... parameters_t>
    void create(unsigned flags, const memory::desc &statistics, parameters_t... parameters) {
        const auto kind = static_cast<normalization_flags>(flags);
        const typename forward_t::primitive_desc forward(
                engine_, prop_kind::forward_training, data_, data_, parameters..., kind, attr_);
        if (is_forward_)
            primitive_ = forward_t(forward);
        else
            primitive_ = backward_t({engine_, prop_kind::backward, data_, data_, data_,
                    parameters..., kind, forward, attr_});
        for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}) add(arg, statistics, 1);
        const bool is_layer = problem_.groups == 0 && problem_.operation != operation_t::batch;
        const memory::desc weights({is_layer ? problem_.dims.back() : problem_.dims[1]},
                memory::data_type::f32, memory::format_tag::a);
        for (const int arg :
                {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
            add(arg, weights, 1);
    }
    void create_batch() {
        create<dnnl::batch_normalization_forward, dnnl::batch_normalization_backward>(
                dnnl_use_scale | dnnl_use_shift,
                {{problem_.dims[1]}, memory::data_type::f32, memory::format_tag::a}, 1e-5f);
    }
    void create_group() {
        create<dnnl::group_normalization_forward, dnnl::group_normalization_backward>(
                dnnl_use_scale | dnnl_use_shift,
                {{problem_.dims[0], problem_.groups}, memory::data_type::f32,
                        memory::format_tag::ab},
                problem_.groups, 1e-5f);
    }
    void create_layer() {
        const bool is_rms = problem_.operation == operation_t::rms;
        create<dnnl::layer_normalization_forward, dnnl::layer_normalization_backward>(
                is_rms ? dnnl_use_scale | dnnl_rms_norm : dnnl_use_scale | dnnl_use_shift,
                {{problem_.dims[0]}, memory::data_type::f32, memory::format_tag::a}, 1e-5f);
    }
    void add(int arg, const memory::desc &desc, float value) {
        memory buffer(desc, engine_);
        std::fill_n(static_cast<float *>(buffer.get_data_handle()), desc.get_size() / sizeof(float),
                value);
        args_[arg] = buffer;
    }

    const problem_t problem_;
    const memory::desc data_;
    const bool is_forward_;
    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    dnnl::primitive_attr attr_;
    dnnl::primitive primitive_;
    std::unordered_map<int, memory> args_;
};

using tag = memory::format_tag;
constexpr unsigned statistics = kiln_combine_statistics;
constexpr unsigned weights = kiln_combine_weight_gradients;
const std::vector<problem_t> problems{
        {operation_t::batch, {4, 64, 32, 32}, tag::nhwc, statistics | weights},
        {operation_t::batch, {4, 64, 32, 32}, tag::nhwc, weights},
        // Blocks of channels beyond the second-level cache: smaller ones are columns in one
        // process.
        {operation_t::batch, {16, 16, 64, 64}, tag::nChw16c, statistics | weights},
        {operation_t::batch, {2, 2, 256, 256}, tag::nchw, statistics | weights},
        {operation_t::batch, {2, 2, 256, 256}, tag::nchw, weights},
        {operation_t::group, {2, 16, 96, 96}, tag::nhwc, statistics | weights, 2},
        {operation_t::group, {2, 16, 96, 96}, tag::nchw, statistics | weights, 2},
        {operation_t::layer, {1024, 256}, tag::ab, weights},
        {operation_t::rms, {1024, 256}, tag::ab, weights},
        // Planes that fit the cache.
        {operation_t::batch, {2, 64, 48, 48}, tag::nchw, statistics | weights},
        {operation_t::group, {2, 64, 48, 48}, tag::nchw, statistics, 32},
        // The statistics of split rows are known after the message.
        {operation_t::layer, {1024, 256}, tag::ab, statistics, 0, 1},
        {operation_t::rms, {1024, 256}, tag::ab, statistics, 0, 1},
};

/// An input is fetched `more` times more often. One process sweeps over a few groups, as many as
/// its second-level cache holds, and then over them again: a part of an input is still in the cache
/// that is counted here, so its fetches are rounded up to whole sweeps.
void expect_traffic(
        const traffic_t &plain, const traffic_t &over_ranks, size_t more, bool is_forward) {
    const int output = is_forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    for (const auto &[arg, traffic] : plain) {
        const auto &[fetched, written] = over_ranks.at(arg);
        constexpr double tolerance = 0.3;
        const double alike = fetched - (arg == output ? 0. : double(more));
        EXPECT_GE(alike, traffic.first - tolerance) << arg;
        EXPECT_LE(alike, std::ceil(traffic.first - tolerance) + tolerance) << arg;
        EXPECT_NEAR(written, arg == output ? 1. : 0., 0.15) << arg;
    }
}

TEST(normalizations_over_ranks, fetch_their_tensors_as_often_as_those_of_one_process) {
    if (!generates_kernels()) GTEST_SKIP() << "the reference";
    const unsigned runtime = dnnl_version()->cpu_runtime;
    if (runtime != DNNL_RUNTIME_TBB && runtime != DNNL_RUNTIME_SEQ)
        GTEST_SKIP() << "pages are counted on one thread";
    for (const auto &problem : problems)
        for (const bool is_forward : {true, false})
            for (const auto type : {memory::data_type::f32, memory::data_type::bf16}) {
                if (is_forward && problem.combined == weights) continue; // sends nothing
                SCOPED_TRACE("problem " + std::to_string(&problem - problems.data())
                             + (is_forward ? " forward " : " backward ")
                             + (type == memory::data_type::f32 ? "f32" : "bf16"));
                expect_traffic(execution_t(problem, is_forward, type, false).traffic(),
                        execution_t(problem, is_forward, type, true).traffic(), problem.more,
                        is_forward);
            }
}

} // namespace
} // namespace kiln::test

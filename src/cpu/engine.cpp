// SPDX-License-Identifier: Apache-2.0
// The CPU engine: which implementations there are, and what common may ask about the processor.

#include "common/primitive/engine.hpp"

#include <tbb/task_arena.h>

#include "common/cpu_facts.hpp"
#include "cpu/batch_normalization_list.hpp"
#include "cpu/group_normalization_list.hpp"
#include "cpu/layer_normalization_list.hpp"
#include "cpu/reduction_list.hpp"
#include "cpu/reorder_list.hpp"

namespace kiln {
namespace {

class cpu_engine_t : public engine_t {
public:
    explicit cpu_engine_t(size_t index)
        : engine_t(dnnl_cpu, index) {}

    int thread_count() const override { return cpu_thread_count(); }

    std::span<const implementation_t<batch_normalization_pd_t>> implementations(
            const batch_normalization_pd_t *) const override {
        return cpu::batch_normalization_list();
    }
    std::span<const implementation_t<group_normalization_pd_t>> implementations(
            const group_normalization_pd_t *) const override {
        return cpu::group_normalization_list();
    }
    std::span<const implementation_t<layer_normalization_pd_t>> implementations(
            const layer_normalization_pd_t *) const override {
        return cpu::layer_normalization_list();
    }
    std::span<const implementation_t<reduction_pd_t>> implementations(
            const reduction_pd_t *) const override {
        return cpu::reduction_list();
    }
    std::span<const implementation_t<reorder_pd_t>> implementations(
            const reorder_pd_t *) const override {
        return cpu::reorder_list();
    }
};

} // namespace

engine_t *create_cpu_engine(size_t index) { return new cpu_engine_t(index); }

int cpu_thread_count() { return tbb::this_task_arena::max_concurrency(); }

} // namespace kiln

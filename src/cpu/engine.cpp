// SPDX-License-Identifier: Apache-2.0
// The CPU engine.

#include "common/primitive/engine.hpp"

#include "common/cpu_facts.hpp"

namespace kiln {
namespace {

class cpu_engine_t : public engine_t {
public:
    explicit cpu_engine_t(size_t index)
        : engine_t(dnnl_cpu, index) {}

    int thread_count() const override { return cpu_thread_count(); }
};

} // namespace

engine_t *create_cpu_engine(size_t index) { return new cpu_engine_t(index); }

} // namespace kiln

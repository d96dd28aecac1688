// SPDX-License-Identifier: Apache-2.0
// The engine: a device.
#pragma once

#include <atomic>

#include "common/types.hpp"

struct dnnl_graph_allocator;

/// Reference counted: streams, memories and primitives keep their engine alive.
struct dnnl_engine {
    dnnl_engine(kiln::engine_kind_t kind, size_t index)
        : kind_(kind)
        , index_(index) {}
    virtual ~dnnl_engine() = default;
    dnnl_engine(const dnnl_engine &) = delete;
    dnnl_engine &operator=(const dnnl_engine &) = delete;

    kiln::engine_kind_t kind() const { return kind_; }
    size_t index() const { return index_; }

    void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    /// The allocator that the program has set for graphs; null for the library's own.
    const dnnl_graph_allocator *allocator() const { return allocator_; }
    void set_allocator(const dnnl_graph_allocator *allocator) { allocator_ = allocator; }

    /// How many threads an execution would use now; part of what identifies a cached primitive.
    virtual int thread_count() const = 0;

private:
    kiln::engine_kind_t kind_;
    size_t index_;
    const dnnl_graph_allocator *allocator_ = nullptr;
    std::atomic<int> references_{1};
};

namespace kiln {

/// Owns one reference to an engine.
class engine_ref_t {
public:
    engine_ref_t() = default;
    explicit engine_ref_t(engine_t *engine)
        : engine_(engine) {
        if (engine_) engine_->retain();
    }
    engine_ref_t(const engine_ref_t &other)
        : engine_ref_t(other.engine_) {}
    engine_ref_t &operator=(const engine_ref_t &) = delete;
    ~engine_ref_t() {
        if (engine_) engine_->release();
    }
    engine_t *get() const { return engine_; }
    engine_t *operator->() const { return engine_; }

private:
    engine_t *engine_ = nullptr;
};

/// The only device there is; defined by the CPU engine.
engine_t *create_cpu_engine(size_t index);
/// Whether two handles are of one device.
inline bool same_device(const engine_t &a, const engine_t &b) {
    return a.kind() == b.kind() && a.index() == b.index();
}

} // namespace kiln

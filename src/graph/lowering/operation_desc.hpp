// SPDX-License-Identifier: Apache-2.0
// The plain descriptor of a primitive (reorder_desc_t and so on), whatever its operation is.
#pragma once

#include <cassert>
#include <memory>

#include "graph/lowering/program_builder.hpp"

namespace kiln::graph {

class operation_desc_t {
public:
    template <typename desc_t> operation_desc_t &operator=(const desc_t &desc) {
        held_ = std::make_unique<of_operation_t<desc_t>>(desc);
        return *this;
    }

    /// The descriptor if it is of this type, else null.
    template <typename desc_t> desc_t *get_if() {
        auto *const held = dynamic_cast<of_operation_t<desc_t> *>(held_.get());
        return held ? &held->desc : nullptr;
    }
    /// The descriptor, which is of this type.
    template <typename desc_t> desc_t &get() {
        assert(get_if<desc_t>());
        return static_cast<of_operation_t<desc_t> &>(*held_).desc;
    }

    bool is_set() const { return held_ != nullptr; }

    /// The memory descriptor of DNNL_ARG_SRC, _DST, _DIFF_SRC or _DIFF_DST; null if the operation
    /// has none.
    memory_desc_t *find_tensor(int arg) { return held_->tensor(arg); }
    /// The same; there has to be one.
    memory_desc_t &tensor(int arg) { return *find_tensor(arg); }

    /// Whether the result may lie in the buffer of a source with the same descriptor.
    bool allows_in_place() const { return held_->allows_in_place(); }

    /// Asks the implementations.
    status_t find(engine_t *engine, const primitive_attr_t &attr,
            std::shared_ptr<const primitive_desc_t> &pd) const {
        return held_->find(engine, attr, pd);
    }

private:
    static memory_desc_t &edited(memory_desc_t &md) { return md; }
    static memory_desc_t &edited(optional_memory_desc_t &md) { return md.edit(); }

    struct held_t {
        virtual ~held_t() = default;
        virtual memory_desc_t *tensor(int arg) = 0;
        virtual bool allows_in_place() const = 0;
        virtual status_t find(engine_t *engine, const primitive_attr_t &attr,
                std::shared_ptr<const primitive_desc_t> &pd) const = 0;
    };

    template <typename desc_t> struct of_operation_t : held_t {
        explicit of_operation_t(const desc_t &value)
            : desc(value) {}

        memory_desc_t *tensor(int arg) override {
            if constexpr (requires { desc.src; })
                if (arg == DNNL_ARG_SRC) return &edited(desc.src);
            if (arg == DNNL_ARG_DST) return &edited(desc.dst);
            if constexpr (requires { desc.diff_src; }) {
                if (arg == DNNL_ARG_DIFF_SRC) return &edited(desc.diff_src);
                if (arg == DNNL_ARG_DIFF_DST) return &edited(desc.diff_dst);
            }
            return nullptr;
        }

        bool allows_in_place() const override {
            if constexpr (requires { desc_t::allows_in_place; }) return desc_t::allows_in_place;
            return true;
        }

        status_t find(engine_t *engine, const primitive_attr_t &attr,
                std::shared_ptr<const primitive_desc_t> &pd) const override {
            return operation_pd_t<desc_t>::find(engine, desc, &attr, nullptr, 0, pd);
        }

        desc_t desc;
    };

    std::unique_ptr<held_t> held_;
};

} // namespace kiln::graph

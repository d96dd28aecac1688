// SPDX-License-Identifier: Apache-2.0
// Asks the library's own table of arguments which there are; everything else goes through the C
// interface.
#include "operations/execution.hpp"

#include "common/primitive/primitive_desc.hpp"
#include "support/arguments.hpp"
#include "support/expect.hpp"
#include "support/guarded.hpp"

namespace kiln::fuzz {

namespace {

/// Goes on to a later implementation, or stays.
void choose_implementation(input_t &input, dnnl_primitive_desc_t primitive_desc) {
    for (auto steps = input.one_in(2) ? input.between(1, 3) : 0; steps > 0; --steps)
        if (dnnl_primitive_desc_next_impl(primitive_desc) != dnnl_success) return;
}

class execution_t {
public:
    execution_t(input_t &input, const test::primitive_desc_handle_t &primitive_desc,
            const open_tensors_t &open_tensors)
        : input_(input)
        , primitive_desc_(primitive_desc)
        , slots_((*primitive_desc).pd->slots())
        , open_tensors_(open_tensors)
        , buffers_(input) {}

    bool is_small() const {
        size_t total = 0;
        for (const arg_slot_t &slot : slots_) total = std::max(total, bytes_of(desc_of(slot)));
        return total <= most_bytes;
    }

    void run(in_place_t in_place) {
        const test::primitive_handle_t primitive = test::make_primitive(primitive_desc_);
        bind(in_place);
        if (input_.one_in(16) && !required_.empty()) {
            const int missing = required_[input_.below(required_.size())];
            succeeded(arguments_.without(missing).execute(primitive), "execute without an argument",
                    verdict_t::refusal);
        }
        // Twice: a primitive keeps nothing of an execution.
        for (int i = input_.one_in(8) ? 0 : 1; i < 2; ++i)
            if (!succeeded(arguments_.execute(primitive), "execute", verdict())) break;
        buffers_.expect_intact();
    }

private:
    struct bound_t {
        int arg;
        const_dnnl_memory_desc_t desc;
        std::byte *data;
    };

    /// The descriptor of the memory.
    const_dnnl_memory_desc_t desc_of(const arg_slot_t &slot) const {
        for (const auto &[arg, desc] : open_tensors_)
            if (arg == slot.arg) return desc;
        return slot.md;
    }
    /// What an execution may return. Dims and strides that are known only at execution may make
    /// shapes that do not match each other, which an execution refuses.
    verdict_t verdict() const {
        return open_tensors_.empty() ? verdict_t::success : verdict_t::unknown;
    }
    void bind(in_place_t in_place);
    void bind_host_scalar(const arg_slot_t &slot);
    std::byte *find_in_place(const arg_slot_t &slot, in_place_t in_place);

    input_t &input_;
    const test::primitive_desc_handle_t &primitive_desc_;
    const std::vector<arg_slot_t> &slots_;
    const open_tensors_t &open_tensors_;
    buffers_t buffers_;
    std::vector<test::memory_handle_t> memories_;
    std::vector<bound_t> bound_;
    std::vector<int> required_;
    test::arguments_t arguments_;
};

/// The buffer of the input that the output may overwrite, in some executions.
std::byte *execution_t::find_in_place(const arg_slot_t &slot, in_place_t in_place) {
    if (slot.arg != in_place.output) return nullptr;
    for (const bound_t &other : bound_)
        if (other.arg == in_place.input && dnnl_memory_desc_equal(other.desc, slot.md)
                && input_.one_in(3)) {
            buffers_.overwrite(other.data, slot.md);
            return other.data;
        }
    return nullptr;
}

void execution_t::bind_host_scalar(const arg_slot_t &slot) {
    uint64_t value = input_.bits(8); // as many bytes as the type has
    memories_.emplace_back();
    succeeded(dnnl_memory_create_host_scalar(memories_.back().out(), slot.md, &value),
            "memory_create_host_scalar", verdict_t::success);
    arguments_.add(slot.arg, memories_.back());
    if (!slot.optional) required_.push_back(slot.arg);
}

void execution_t::bind(in_place_t in_place) {
    for (const arg_slot_t &slot : slots_) {
        if (slot.use == arg_use_t::unused) continue;
        if (slot.optional && input_.one_in(4)) continue;
        if (is_host_scalar(*slot.md)) {
            bind_host_scalar(slot);
            continue;
        }
        const_dnnl_memory_desc_t desc = desc_of(slot);
        const bool is_input = slot.use == arg_use_t::input;
        const size_t bytes = bytes_of(desc);
        const bool may_overwrite = !is_input && slot.arg != DNNL_ARG_SCRATCHPAD;
        std::byte *data = may_overwrite ? find_in_place(slot, in_place) : nullptr;
        if (data == nullptr)
            data = is_input ? buffers_.add_input(bytes, slot.md->data_type)
                            : buffers_.add_output(bytes, desc);
        bound_.push_back({slot.arg, desc, data});
        memories_.emplace_back();
        succeeded(dnnl_memory_create(memories_.back().out(), desc, test::cpu_engine(), data),
                "memory_create", verdict_t::success);
        arguments_.add(slot.arg, memories_.back());
        if (!slot.optional && bytes != 0) required_.push_back(slot.arg);
    }
}

} // namespace

void execute(input_t &input, const test::primitive_desc_handle_t &primitive_desc,
        in_place_t in_place, const open_tensors_t &open_tensors) {
    choose_implementation(input, primitive_desc);
    execution_t execution(input, primitive_desc, open_tensors);
    if (execution.is_small()) execution.run(in_place);
}

} // namespace kiln::fuzz

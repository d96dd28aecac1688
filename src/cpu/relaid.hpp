// SPDX-License-Identifier: Apache-2.0
// An implementation for tensors that lie unlike each other, or in a way that no kernel walks:
// tensors are copied to the layout of one of them, or all go by row-major copies; then one of the
// operation's implementations, mostly from jit:rows up to jit:relaid, takes the problem.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/operations/reorder_pd.hpp"
#include "common/primitive/primitive.hpp"

namespace kiln::cpu {

/// A tensor of an operation: its argument, and where its descriptor says what it is.
template <typename desc_t> struct described_arg_t {
    int arg;
    std::variant<memory_desc_t desc_t::*, optional_memory_desc_t desc_t::*,
            std::vector<memory_desc_t> desc_t::*>
            field;
    size_t index = 0; // of this tensor, where the field describes any number of them

    memory_desc_t &of(desc_t &desc) const {
        return std::visit(
                [&](auto member) -> memory_desc_t & {
                    auto &described = desc.*member;
                    if constexpr (requires { described.edit(); })
                        return described.edit();
                    else if constexpr (requires { described[index]; })
                        return described[index];
                    else
                        return described;
                },
                field);
    }
    /// Whether both arguments are described by one descriptor.
    bool shares(const described_arg_t &other) const {
        return field == other.field && index == other.index;
    }
};

/// Whether a sum post-op adds what dst holds, which a copy of the result would not.
inline bool adds_to_dst(const primitive_attr_t &attr) {
    return std::any_of(attr.post_ops.entries.begin(), attr.post_ops.entries.end(),
            [](const post_op_t &entry) { return kind_of(entry) == dnnl_sum; });
}

/// The primitives that take the place of one, and where their scratchpads and the copies begin.
struct relaid_plan_t {
    struct copy_t {
        int arg;        // of the tensor that is copied
        bool is_result; // it is copied from the scratchpad, after the operation
        std::shared_ptr<const primitive_desc_t> reorder;
        size_t place, reorder_place;
    };
    std::vector<copy_t> copies;
    std::shared_ptr<const primitive_desc_t> operation;
    size_t operation_place = 0;

    /// Finds the reorder between a tensor in its own layout and its copy. Refuses copies element by
    /// element unless `may_be_slow`.
    status_t add_copy(engine_t *engine, int arg, const memory_desc_t &own,
            const memory_desc_t &copied, bool is_result, bool may_be_slow);
    std::string text() const;
    size_t scratchpad_size() const { return operation_place + operation->scratchpad_size(); }
};

class relaid_t final : public primitive_impl_t {
public:
    explicit relaid_t(const relaid_plan_t &plan);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    const relaid_plan_t &plan_;
    std::vector<cached_primitive_t> reorders_;
    const cached_primitive_t operation_;
};

/// The row of an operation's list with this name.
template <typename pd_t> size_t row_named(std::string_view name) {
    const auto list = pd_t::implementations();
    const auto row = std::find_if(
            list.begin(), list.end(), [&](const auto &each) { return each.name == name; });
    assert(row != list.end());
    return static_cast<size_t>(row - list.begin());
}

/// The layouts that tensors are copied to: the first tensor's, or the row-major one where that is
/// not enough.
enum class relaid_to_t { first, first_or_row_major };

/// Tries copies for a request with these tensors. The others are copied to the layout of the first
/// one, mostly dst. Those that executions do not take may be among them. The operation's
/// implementations begin with the row `first_row`.
template <typename desc_t> class relaid_search_t {
public:
    using tensor_t = described_arg_t<desc_t>;
    using tensors_t = std::vector<tensor_t>;

    relaid_search_t(typename desc_t::pd_t &pd, std::span<const tensor_t> tensors,
            std::string_view first_row = "jit:rows")
        : pd_(pd)
        , desc_(pd.desc())
        , attr_(pd.attr())
        , first_row_(row_named<typename desc_t::pd_t>(first_row)) {
        for (const tensor_t &tensor : tensors)
            if (use_of(tensor) != arg_use_t::unused) tensors_.push_back(tensor);
        for (const tensor_t &tensor : tensors_) tensor.of(desc_) = pd.md_of(tensor.arg);
        attr_.scratchpad_mode = dnnl_scratchpad_mode_library;
    }

    memory_desc_t first() { return tensors_.front().of(desc_); }

    /// The tensors from number `first` on that can be copied and do not lie like `model`.
    tensors_t unlike(const memory_desc_t &model, size_t first) {
        tensors_t found;
        for (const tensor_t &tensor : std::span(tensors_).subspan(first)) {
            const memory_desc_t &own = tensor.of(desc_);
            memory_desc_t copy;
            if (!is_zero(own) && lay_like(copy, own, model) && copy != own) found.push_back(tensor);
        }
        return found;
    }

    bool is_result(const tensor_t &tensor) const { return use_of(tensor) == arg_use_t::output; }

    /// Whether an implementation takes the problem with copies of these tensors that lie like
    /// `model`.
    bool accept(std::span<const tensor_t> copied, const memory_desc_t &model, plan_ptr_t &plan) {
        if (copied.empty()) return false; // the same problem again
        for (const tensor_t &tensor : copied)
            if (is_result(tensor) && adds_to_dst(attr_)) return false;
        const auto found = std::make_shared<plan_of_t<relaid_t, relaid_plan_t>>();
        desc_t relaid = desc_;
        for (const tensor_t &tensor : copied) lay_like(tensor.of(relaid), tensor.of(desc_), model);
        using pd_t = typename desc_t::pd_t;
        static const size_t end = row_named<pd_t>("jit:relaid");
        // Copies element by element pay only where the reference would follow.
        static const bool may_be_slow =
                std::string_view(pd_t::implementations()[end + 1].name).starts_with("ref:");
        if (operation_pd_t<desc_t>::find(pd_.engine(), relaid, &attr_, pd_.hint(), first_row_,
                    found->work.operation, end)
                != dnnl_success)
            return false;
        for (const tensor_t &tensor : copied)
            if (found->work.add_copy(pd_.engine(), tensor.arg, tensor.of(desc_), tensor.of(relaid),
                        is_result(tensor), may_be_slow)
                    != dnnl_success)
                return false;
        pd_.set_scratchpad_size(found->work.scratchpad_size());
        plan = found;
        return true;
    }

private:
    arg_use_t use_of(const tensor_t &tensor) const {
        const int slot = pd_.slot_of(tensor.arg);
        return slot < 0 ? arg_use_t::unused : pd_.slots()[static_cast<size_t>(slot)].use;
    }
    static bool lay_like(memory_desc_t &md, const memory_desc_t &own, const memory_desc_t &model) {
        return init_like(md, own.ndims, own.dims, own.data_type, model) == dnnl_success;
    }

    typename desc_t::pd_t &pd_;
    tensors_t tensors_;
    desc_t desc_;
    primitive_attr_t attr_;
    const size_t first_row_;
};

/// `tensors` as relaid_search_t takes them. One descriptor's tensors are copied if that is enough;
/// otherwise all that lie unlike the first (these at once where a result is among them); otherwise,
/// where `to` says so, all go by row-major copies.
template <typename desc_t>
refusal_t relaid_accept(typename desc_t::pd_t &pd, plan_ptr_t &plan,
        std::span<const described_arg_t<desc_t>> tensors, relaid_to_t to = relaid_to_t::first,
        std::string_view first_row = "jit:rows") {
    relaid_search_t<desc_t> search(pd, tensors, first_row);
    const memory_desc_t model = search.first();
    if (has_zero_dim(model)) return refused("there are no elements");
    const auto unlike = search.unlike(model, 1);
    const bool has_results = std::any_of(unlike.begin(), unlike.end(),
            [&](const auto &tensor) { return search.is_result(tensor); });
    if (has_results && search.accept(unlike, model, plan)) return accepted();
    for (auto begin = unlike.begin(); begin != unlike.end();) {
        const auto end = std::find_if(
                begin, unlike.end(), [&](const auto &tensor) { return !tensor.shares(*begin); });
        if (search.accept({begin, end}, model, plan)) return accepted();
        begin = end;
    }
    if (unlike.size() > 1 && !has_results && search.accept(unlike, model, plan)) return accepted();
    if (to == relaid_to_t::first)
        return refused("no kernel takes the problem with tensors copied to one layout either");
    memory_desc_t row_major;
    if (init_by_strides(row_major, model.ndims, model.dims, model.data_type, nullptr)
                    == dnnl_success
            && search.accept(search.unlike(row_major, 0), row_major, plan))
        return accepted();
    return refused("no kernel takes row-major copies of the tensors either");
}

} // namespace kiln::cpu

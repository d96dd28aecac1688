// SPDX-License-Identifier: Apache-2.0
// An implementation of elementwise work on tensors that lie unlike each other: sources are copied
// to dst's layout, then the operation's implementation jit:rows, which walks all tensors together,
// takes the problem.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/operations/reorder_pd.hpp"
#include "common/primitive/primitive.hpp"

namespace kiln::cpu {

/// A tensor of an operation: its argument, and where its descriptor says what it is.
template <typename desc_t> struct described_arg_t {
    int arg;
    memory_desc_t desc_t::*md;
    std::vector<memory_desc_t> desc_t::*mds = nullptr; // of any number of tensors, instead of md:
    size_t index = 0;                                  // that of this tensor
    bool is_result = false;                            // beside dst; it stays where it is

    memory_desc_t &of(desc_t &desc) const { return mds ? (desc.*mds)[index] : desc.*md; }
};

/// The primitives that take the place of one, and where their scratchpads and the copies begin.
struct relaid_plan_t {
    struct copy_t {
        int arg; // of the source that is copied
        std::shared_ptr<const primitive_desc_t> reorder;
        size_t place, reorder_place;
    };
    std::vector<copy_t> copies;
    std::shared_ptr<const primitive_desc_t> operation;
    size_t operation_place = 0;

    /// Finds the reorder of a source from its layout to `to`.
    status_t add_copy(
            engine_t *engine, int arg, const memory_desc_t &from, const memory_desc_t &to);
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

/// The row of an operation's list whose implementation walks tensors that lie alike.
template <typename pd_t> size_t row_for_like_layouts() {
    const auto list = pd_t::implementations();
    const auto row = std::find_if(list.begin(), list.end(),
            [](const auto &each) { return std::string_view(each.name) == "jit:rows"; });
    assert(row != list.end());
    return static_cast<size_t>(row - list.begin());
}

/// `tensors`: dst first, then sources and other results. One source is copied if that is enough for
/// the implementation named jit:rows; otherwise all that lie unlike dst.
template <typename desc_t>
refusal_t relaid_accept(typename desc_t::pd_t &pd, plan_ptr_t &plan,
        std::span<const described_arg_t<desc_t>> tensors) {
    const size_t fast = row_for_like_layouts<typename desc_t::pd_t>();
    desc_t desc = pd.desc();
    for (const auto &tensor : tensors) tensor.of(desc) = pd.md_of(tensor.arg);
    const memory_desc_t &dst = tensors.front().of(desc);
    if (has_zero_dim(dst)) return refused("dst has no elements");
    const auto lay_like_dst = [&](memory_desc_t &md, const memory_desc_t &source) {
        return init_like(md, source.ndims, source.dims, source.data_type, dst) == dnnl_success;
    };
    std::vector<described_arg_t<desc_t>> unlike;
    for (const auto &tensor : tensors.subspan(1)) {
        const memory_desc_t &source = tensor.of(desc);
        memory_desc_t copy;
        if (!tensor.is_result && !is_zero(source) && lay_like_dst(copy, source) && copy != source)
            unlike.push_back(tensor);
    }
    primitive_attr_t attr = pd.attr();
    attr.scratchpad_mode = dnnl_scratchpad_mode_library;
    const auto accept = [&](std::span<const described_arg_t<desc_t>> copied) {
        const auto found = std::make_shared<plan_of_t<relaid_t, relaid_plan_t>>();
        desc_t relaid = desc;
        for (const auto &tensor : copied) lay_like_dst(tensor.of(relaid), tensor.of(desc));
        if (operation_pd_t<desc_t>::find(
                    pd.engine(), relaid, &attr, nullptr, fast, found->work.operation, fast + 1)
                != dnnl_success)
            return false;
        for (const auto &tensor : copied)
            if (found->work.add_copy(pd.engine(), tensor.arg, tensor.of(desc), tensor.of(relaid))
                    != dnnl_success)
                return false;
        pd.set_scratchpad_size(found->work.scratchpad_size());
        plan = found;
        return true;
    };
    for (size_t i = 0; i < unlike.size(); ++i)
        if (accept(std::span(unlike).subspan(i, 1))) return accepted();
    if (unlike.size() > 1 && accept(unlike)) return accepted();
    return refused("copies of sources in dst's layout do not help");
}

} // namespace kiln::cpu

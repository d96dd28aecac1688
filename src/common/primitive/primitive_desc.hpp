// SPDX-License-Identifier: Apache-2.0
// The primitive descriptor: one problem, the implementation found for it, and its table of
// arguments, which lists the inputs and outputs of its operation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/attributes/attr.hpp"
#include "common/fields.hpp"
#include "common/function_ref.hpp"
#include "common/primitive/engine.hpp"
#include "common/primitive/implementation.hpp"

namespace kiln {

/// Where a scratchpad begins, whoever provides it.
constexpr size_t scratchpad_alignment = 64;

/// More slots than any operation with a full chain of ternary post-ops can have. Operations on any
/// number of sources refuse what needs more.
constexpr size_t max_slots = 2 * post_ops_t::capacity + 256;

enum class arg_use_t : uint8_t { unused, input, output };

/// One execution argument. Queries are answered from the table too, so it may hold arguments that
/// an execution does not use.
struct arg_slot_t {
    int arg;
    arg_use_t use;
    const memory_desc_t *md;
    query_t query = dnnl_query_undef; // the query that returns md,
    int query_index = 0;              // at this index
    bool optional = false;            // may be absent at execution
    bool counted = true;              // included in num_of_inputs or num_of_outputs
    // Set once the implementation is found: what an execution checks and pads.
    size_t bytes = 0;                        // the least size of the argument's buffer
    data_type_t type = dnnl_data_type_undef; // undef: not checked
    bool padded = false;                     // the layout has elements beyond the tensor
};

/// Whether an execution cannot do without the argument.
inline bool is_required(const arg_slot_t &slot) {
    return slot.use != arg_use_t::unused && !slot.optional;
}

/// The fields of verbose lines that differ by operation.
struct primitive_text_t {
    std::string tensors;   // "src:f32::blocked:ab::f0 dst:..."
    std::string auxiliary; // flags, algorithms
    std::string problem;   // shapes
};

class primitive_desc_t {
public:
    virtual ~primitive_desc_t() = default;
    primitive_desc_t(const primitive_desc_t &) = delete;
    primitive_desc_t &operator=(const primitive_desc_t &) = delete;

    primitive_kind_t kind() const { return kind_; }
    engine_t *engine() const { return engine_.get(); }
    const primitive_attr_t &attr() const { return attr_; }
    /// The forward descriptor that a backward one was made with, or null.
    const std::shared_ptr<const primitive_desc_t> &hint() const { return hint_; }
    /// The hint, if there is one, is a forward descriptor of the same operation. `component` is the
    /// operation's name in the line of a refusal, or null for that of the primitive kind.
    status_t check_hint(const char *component) const;
    virtual prop_kind_t prop_kind() const { return dnnl_prop_kind_undef; }
    const char *implementation_name() const { return implementation_name_; }
    /// Whether the implementation is scalar code.
    bool is_reference() const { return std::string_view(implementation_name_).starts_with("ref:"); }

    const std::vector<arg_slot_t> &slots() const { return slots_; }
    /// Index of an argument's slot; -1 for an argument that is not in the table. The search begins
    /// at slot `first`.
    int slot_of(int arg, size_t first = 0) const;
    /// How many arguments an execution cannot do without.
    int required_count() const { return required_count_; }
    /// The descriptor of an argument; the zero descriptor for one that is not in the table.
    const memory_desc_t &md_of(int arg) const;

    /// Whether dims or strides of an argument are known only at execution.
    bool has_runtime_values() const;

    /// Whether padding of outputs must be set to zero after the implementation has run.
    bool pads_outputs() const { return pads_outputs_ && !implementation_pads_; }
    /// For implementations, while they accept: the implementation sets padding to zero itself.
    void set_implementation_pads() { implementation_pads_ = true; }

    size_t scratchpad_size() const { return scratchpad_size_; }
    /// For implementations, while they accept: bytes that one execution needs.
    void set_scratchpad_size(size_t bytes) { scratchpad_size_ = bytes; }

    virtual status_t query(query_t what, int index, void *result) const;
    virtual primitive_text_t text() const = 0;
    /// The text of verbose lines; made when it is asked for.
    const std::string &info() const;

    /// Whether a primitive made for `other` serves this one as well; with `hash`, the cache's key.
    bool same_primitive(const primitive_desc_t &other) const;
    size_t hash() const { return hash_; }

    /// The plan that it accepted with, in words.
    std::string plan_text() const { return plan_->text(); }
    /// Makes the implementation, from the plan it accepted with.
    std::unique_ptr<primitive_impl_t> create() const { return plan_->create(*this); }
    /// The next implementation in the list that accepts.
    virtual status_t next(std::shared_ptr<const primitive_desc_t> &pd) const = 0;

protected:
    primitive_desc_t(primitive_kind_t kind, engine_t *engine, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);

    /// What hash() is, of a problem and what it is to be solved with.
    static size_t hash_with(size_t problem_hash, const engine_t &engine,
            const primitive_attr_t &attr, const primitive_desc_t *hint);
    bool is_made_with(const engine_t &engine, const primitive_attr_t &attr,
            const primitive_desc_t *hint) const;

    virtual size_t problem_hash() const = 0;
    virtual bool same_problem(const primitive_desc_t &other) const = 0;

    /// The descriptor behind the slot stays where it is; its format may still be `any`.
    void add_slot(const arg_slot_t &slot);
    /// Adds the arguments of attributes: scales, zero points, precomputed reductions, operands of
    /// post-ops, those of dropout, the seed of stochastic rounding.
    void add_attr_slots();
    /// Gives tensors of attributes whose format is `any` a layout, once dst has one.
    status_t resolve_attr_formats(const memory_desc_t &dst);
    /// Called before an implementation is asked: discards what an earlier one has set.
    void offer_to(const char *implementation_name);
    /// Called once an implementation has accepted: sizes of arguments, scratchpad, hash.
    void finish();

    plan_ptr_t plan_; // of the implementation that accepted
    primitive_attr_t attr_;
    const std::shared_ptr<const primitive_desc_t> hint_;

private:
    const memory_desc_t *md_at(query_t what, int index) const;
    int count(arg_use_t use) const;
    /// An argument of the attributes, which is not counted among the operation's.
    void add_attr_tensor(int arg, const memory_desc_t &md, arg_use_t use = arg_use_t::input);
    void add_dropout_slots();
    void add_rounding_slots();

    const primitive_kind_t kind_;
    const engine_ref_t engine_;
    const char *implementation_name_ = "";
    int thread_count_ = 0;
    size_t scratchpad_size_ = 0;
    size_t hash_ = 0;
    int required_count_ = 0;
    bool pads_outputs_ = false; // there is padding
    bool implementation_pads_ = false;
    optional_memory_desc_t scratchpad_md_;
    std::vector<std::unique_ptr<memory_desc_t>> attr_mds_; // of slots
    std::vector<arg_slot_t> slots_;
    mutable std::once_flag info_once_;
    mutable std::string info_;
};

/// Refuses a tensor of more than 2^48 elements or 2^52 bytes, which no memory holds.
/// Implementations may multiply and add up the sizes of a few tensors in 64 bits.
status_t check_size(const memory_desc_t &md);
/// The same for several tensors.
status_t check_size(const std::vector<memory_desc_t> &mds);
/// The same for the tensors of attributes.
status_t check_sizes(const primitive_attr_t &attr);

/// Whether tensors of descriptors that are the same have the same strides along axes of one
/// element, too: layouts that an implementation chooses follow them.
inline bool has_same_strides(const memory_desc_t &lhs, const memory_desc_t &rhs) {
    const auto &a = lhs.format_desc.blocking.strides, &b = rhs.format_desc.blocking.strides;
    return !is_blocked(lhs) || std::equal(a, a + lhs.ndims, b);
}
inline bool has_same_strides(
        const std::vector<memory_desc_t> &lhs, const std::vector<memory_desc_t> &rhs) {
    return std::ranges::equal(lhs, rhs,
            [](const memory_desc_t &a, const memory_desc_t &b) { return has_same_strides(a, b); });
}
template <typename T> bool has_same_strides(const T &lhs, const T &rhs) {
    if constexpr (has_fields<T>) return [&]<size_t... I>(std::index_sequence<I...>) {
            const auto a = lhs.fields();
            const auto b = rhs.fields();
            return (has_same_strides(std::get<I>(a), std::get<I>(b)) && ...);
        }
    (std::make_index_sequence<std::tuple_size_v<decltype(lhs.fields())>>());
    else return true;
}

/// A descriptor that somebody asks for.
struct pd_request_t {
    size_t hash; // as primitive_desc_t::hash()
    function_ref_t<bool(const primitive_desc_t &)> is_answered_by;
};
/// The descriptor, if the primitive cache has a primitive that was made with it; else null.
std::shared_ptr<const primitive_desc_t> find_cached(const pd_request_t &request);

/// What is the same for every operation once the type of its plain descriptor is known. That type
/// names the operation's class, `desc_t::pd_t`, which has
///     status_t init();             // fills the table of arguments
///     status_t resolve_formats();  // gives descriptors whose format is `any` a default layout
///     static std::span<const implementation_t<pd_t>> implementations();
/// `desc_t::component` is the operation's name in lines of checks, where that is a shorter one than
/// the primitive kind's.
template <typename desc_t> class operation_pd_t : public primitive_desc_t {
public:
    using pd_t = typename desc_t::pd_t;

    const desc_t &desc() const { return desc_; }

    /// Asks the implementations from number `first` on and before number `end`; `found` is for the
    /// first that accepts.
    static status_t find(engine_t *engine, const desc_t &desc, const primitive_attr_t *attr,
            const std::shared_ptr<const primitive_desc_t> &hint, size_t first,
            std::shared_ptr<const primitive_desc_t> &found, size_t end = SIZE_MAX) {
        const bool asks_all = first == 0 && end == SIZE_MAX;
        if (asks_all && (found = find_cached(engine, desc, attr, hint.get()))) return dnnl_success;
        status_t status = attr ? check_sizes(*attr) : dnnl_success;
        for_each_field(desc, [&](const auto &field) {
            if constexpr (requires { check_size(field); })
                if (status == dnnl_success) status = check_size(field);
        });
        KILN_TRY(status);
        const char *component = nullptr;
        if constexpr (requires { desc_t::component; }) component = desc_t::component;
        const auto list = pd_t::implementations();
        std::shared_ptr<pd_t> pd;
        bool is_resolved = false;
        for (size_t i = first; i < std::min(end, list.size()); ++i) {
            const bool settles = list[i].settles_formats;
            if (pd == nullptr || (settles && is_resolved)) {
                pd = std::make_shared<pd_t>(engine, desc, attr, hint);
                is_resolved = false;
                KILN_TRY(pd->check_hint(component));
                KILN_TRY(pd->init());
            }
            if (pd->has_runtime_values() != list[i].is_for_runtime_values) continue;
            if (!settles && !is_resolved) KILN_TRY(pd->resolve_formats());
            is_resolved |= !settles;
            operation_pd_t &candidate = *pd;
            candidate.row_ = i;
            candidate.asked_all_ = asks_all;
            candidate.offer_to(list[i].name);
            const refusal_t refusal = list[i].accept(*pd, candidate.plan_);
            if (!refusal) {
                if (settles) KILN_TRY(pd->resolve_formats());
                candidate.finish();
                found = std::move(pd);
                return dnnl_success;
            }
            report_refusal(candidate, refusal);
            if (settles) pd.reset(); // it may have settled formats before it refused
        }
        return first == 0 ? dnnl_unimplemented : dnnl_last_impl_reached;
    }

    status_t next(std::shared_ptr<const primitive_desc_t> &pd) const override {
        return find(engine(), desc_, &attr(), hint_, row_ + 1, pd);
    }

protected:
    operation_pd_t(primitive_kind_t kind, engine_t *engine, const desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
        : primitive_desc_t(kind, engine, attr, std::move(hint))
        , desc_(desc) {}

    size_t problem_hash() const override { return hash_of(desc_); }
    bool same_problem(const primitive_desc_t &other) const override {
        const auto &same_kind = static_cast<const operation_pd_t &>(other);
        return row_ == same_kind.row_ && same(desc_, same_kind.desc_);
    }

    const desc_t desc_;

private:
    static std::shared_ptr<const primitive_desc_t> find_cached(engine_t *engine, const desc_t &desc,
            const primitive_attr_t *attr, const primitive_desc_t *hint) {
        const std::optional<primitive_attr_t> usual =
                attr ? std::nullopt : std::optional<primitive_attr_t>(std::in_place);
        const primitive_attr_t &given = attr ? *attr : *usual;
        const auto is_the_same = [&](const primitive_desc_t &pd) {
            const auto *const other = dynamic_cast<const operation_pd_t *>(&pd);
            return other && other->asked_all_ && other->is_made_with(*engine, given, hint)
                   && same(other->desc_, desc) && has_same_strides(other->desc_, desc);
        };
        return kiln::find_cached({hash_with(hash_of(desc), *engine, given, hint), is_the_same});
    }

    size_t row_ = 0;
    bool asked_all_ = false; // the first implementation that accepts was looked for
};

/// Prints why an implementation refused, in verbose=dispatch.
void report_refusal(const primitive_desc_t &pd, const refusal_t &refusal);

} // namespace kiln

/// The C interface's handle: descriptors are immutable and shared, a handle can go on to the next.
struct dnnl_primitive_desc {
    std::shared_ptr<const kiln::primitive_desc_t> pd;
};

namespace kiln {

/// Gives a found descriptor to the caller of a creating C function.
template <typename desc_t>
status_t create_primitive_desc(dnnl_primitive_desc_t *out, engine_t *engine, const desc_t &desc,
        const primitive_attr_t *attr, const dnnl_primitive_desc *hint) {
    auto handle = std::make_unique<dnnl_primitive_desc>();
    KILN_TRY(operation_pd_t<desc_t>::find(
            engine, desc, attr, hint ? hint->pd : nullptr, 0, handle->pd));
    *out = handle.release();
    return dnnl_success;
}

} // namespace kiln

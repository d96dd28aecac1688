// SPDX-License-Identifier: Apache-2.0
// The primitive descriptor's table of arguments, its queries, and its C entries.

#include "common/primitive/primitive_desc.hpp"

#include <algorithm>
#include <cassert>

#include "common/one_of.hpp"
#include "common/out_parameter.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/describe.hpp"
#include "common/verbose/verbose.hpp"
#include "kiln/plan.h"

namespace kiln {

primitive_desc_t::primitive_desc_t(primitive_kind_t kind, engine_t *engine,
        const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
    : hint_(std::move(hint))
    , kind_(kind)
    , engine_(engine)
    , thread_count_(engine->thread_count()) {
    constexpr size_t usual_slots = 12;
    slots_.reserve(usual_slots);
    if (attr) attr_ = *attr;
}

status_t primitive_desc_t::check_hint(const char *component) const {
    if (hint_ == nullptr) return dnnl_success;
    if (component == nullptr) component = dnnl_prim_kind2str(kind_);
    KILN_REQUIRE(
            hint_->kind() == kind_
                    && one_of(hint_->prop_kind(), {dnnl_forward_training, dnnl_forward_inference}),
            dnnl_invalid_arguments, component,
            "the hint is a descriptor of %s %s; it must be one of a forward %s",
            dnnl_prop_kind2str(hint_->prop_kind()), dnnl_prim_kind2str(hint_->kind()),
            dnnl_prim_kind2str(kind_));
    return dnnl_success;
}

int primitive_desc_t::slot_of(int arg, size_t first) const {
    for (size_t i = first; i < slots_.size(); ++i)
        if (slots_[i].arg == arg) return static_cast<int>(i);
    return first == 0 ? -1 : slot_of(arg);
}

const memory_desc_t &primitive_desc_t::md_of(int arg) const {
    const int slot = slot_of(arg);
    return slot < 0 ? zero_md : *slots_[static_cast<size_t>(slot)].md;
}

bool primitive_desc_t::has_runtime_values() const {
    return std::any_of(slots_.begin(), slots_.end(),
            [](const arg_slot_t &slot) { return kiln::has_runtime_values(*slot.md); });
}

void primitive_desc_t::add_slot(const arg_slot_t &slot) {
    assert(slots_.size() < max_slots);
    slots_.push_back(slot);
}

status_t check_size(const memory_desc_t &md) {
    constexpr dim_t most_elements = dim_t(1) << 48;
    constexpr size_t most_bytes = size_t(1) << 52;
    if (is_zero(md) || has_runtime_values(md)) return dnnl_success;
    KILN_REQUIRE(element_count(md, true) <= most_elements, dnnl_unimplemented, "primitive",
            "a tensor has %lld elements with padding; at most 2^48 are supported",
            static_cast<long long>(element_count(md, true)));
    KILN_REQUIRE(offset0_bytes(md) <= most_bytes && byte_size(md) <= most_bytes, dnnl_unimplemented,
            "primitive", "a tensor spans %zu bytes from byte %zu on; at most 2^52 are supported",
            byte_size(md), offset0_bytes(md));
    return dnnl_success;
}

status_t check_size(const std::vector<memory_desc_t> &mds) {
    for (const memory_desc_t &md : mds) KILN_TRY(check_size(md));
    return dnnl_success;
}

status_t check_sizes(const primitive_attr_t &attr) {
    KILN_TRY(check_size(attr.dropout.mask));
    for (const post_op_t &entry : attr.post_ops.entries)
        if (const auto *binary = std::get_if<binary_post_op_t>(&entry)) {
            KILN_TRY(check_size(binary->src1));
            KILN_TRY(check_size(binary->src2));
        }
    return dnnl_success;
}

namespace {

/// The values that quantize a tensor: along an axis of the mask one for each index, or for each
/// group of indices; groups are of the last axes. Along other axes the extent is 1.
memory_desc_t quantization_md(const quantization_t &quantization, const memory_desc_t &tensor) {
    const int ndims = std::max(tensor.ndims, 1);
    const int ungrouped = ndims - quantization.group_ndims;
    dims_t dims;
    for (int d = 0; d < ndims; ++d) {
        dims[d] = quantization.mask >> d & 1 ? tensor.dims[d] : 1;
        if (d >= ungrouped && dims[d] > 1) // DNNL_RUNTIME_DIM_VAL is less
            dims[d] /= quantization.group_dims[static_cast<size_t>(d - ungrouped)];
    }
    memory_desc_t md = zero_md;
    init_by_strides(md, ndims, dims, quantization.data_type, nullptr);
    return md;
}

} // namespace

void primitive_desc_t::add_attr_tensor(int arg, const memory_desc_t &md, arg_use_t use) {
    attr_mds_.push_back(std::make_unique<memory_desc_t>(md));
    add_slot({.arg = arg, .use = use, .md = attr_mds_.back().get(), .counted = false});
}

void primitive_desc_t::add_dropout_slots() {
    const dropout_t &dropout = attr_.dropout;
    if (!dropout.requested) return;
    const auto add_value = [this](int arg, data_type_t type) {
        constexpr dim_t one = 1;
        memory_desc_t md = zero_md;
        init_by_strides(md, 1, &one, type, nullptr);
        add_attr_tensor(arg, md);
    };
    add_value(DNNL_ARG_ATTR_DROPOUT_PROBABILITY, dnnl_f32);
    add_value(DNNL_ARG_ATTR_DROPOUT_SEED, dropout.seed_type);
    if (dropout.use_offset) add_value(DNNL_ARG_ATTR_DROPOUT_OFFSET, dnnl_s64);
    if (!is_zero(dropout.mask))
        add_slot({.arg = DNNL_ARG_ATTR_DROPOUT_MASK,
                .use = arg_use_t::output,
                .md = &attr_.dropout.mask.get(),
                .counted = false});
}

void primitive_desc_t::add_rounding_slots() {
    if (attr_.rounding.empty()) return;
    constexpr dim_t one = 1;
    auto md = std::make_unique<memory_desc_t>(zero_md);
    init_by_strides(*md, 1, &one, dnnl_s32, nullptr);
    add_slot({.arg = DNNL_ARG_ATTR_ROUNDING_SEED,
            .use = arg_use_t::input,
            .md = md.get(),
            .optional = true, // 0
            .counted = false});
    attr_mds_.push_back(std::move(md));
}

status_t primitive_desc_t::resolve_attr_formats(const memory_desc_t &dst) {
    KILN_TRY(follow(attr_.dropout.mask, dst));
    return attr_.post_ops.resolve_formats(dst);
}

void primitive_desc_t::add_attr_slots() {
    const auto add_quantization = [this](const quantization_map_t &quantized, int kind) {
        for (const auto &[arg, quantization] : quantized)
            add_attr_tensor(kind | arg, quantization_md(quantization, md_of(arg)),
                    quantization.mode == dnnl_quantization_mode_static_sazp ? arg_use_t::input
                                                                            : arg_use_t::output);
    };
    add_quantization(attr_.scales, DNNL_ARG_ATTR_SCALES);
    add_quantization(attr_.zero_points, DNNL_ARG_ATTR_ZERO_POINTS);
    add_quantization(attr_.precomputed_reductions, DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS);
    for (size_t i = 0; i < attr_.post_ops.entries.size(); ++i) {
        const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i));
        for_each_operand(attr_.post_ops.entries[i], [&](int role, const memory_desc_t &md) {
            add_slot({.arg = base | role, .use = arg_use_t::input, .md = &md});
        });
    }
    add_dropout_slots();
    add_rounding_slots();
}

namespace {

/// Memory whose data type says nothing of its contents.
bool holds_bytes(int arg) { return arg == DNNL_ARG_SCRATCHPAD || arg == DNNL_ARG_WORKSPACE; }

} // namespace

void primitive_desc_t::offer_to(const char *implementation_name) {
    implementation_name_ = implementation_name;
    scratchpad_size_ = 0;
    implementation_pads_ = false;
    plan_.reset();
}

void primitive_desc_t::finish() {
    assert(plan_);
    if (scratchpad_size_ != 0 && attr_.scratchpad_mode == dnnl_scratchpad_mode_user) {
        // The user's buffer may begin at any address; the size includes room for alignment.
        const auto bytes = static_cast<dim_t>(scratchpad_size_ + scratchpad_alignment - 1);
        init_by_strides(scratchpad_md_.edit(), 1, &bytes, dnnl_u8, nullptr);
        add_slot({.arg = DNNL_ARG_SCRATCHPAD,
                .use = arg_use_t::output,
                .md = &scratchpad_md_.get(),
                .query = dnnl_query_scratchpad_md,
                .counted = false});
    }
    required_count_ = 0;
    for (arg_slot_t &slot : slots_) {
        required_count_ += is_required(slot);
        if (kiln::has_runtime_values(*slot.md)) continue; // the implementation checks and pads
        slot.bytes = reached_bytes(*slot.md);
        slot.type = slot.bytes == 0 || holds_bytes(slot.arg) ? dnnl_data_type_undef
                                                             : slot.md->data_type;
        slot.padded = has_padding(*slot.md);
        pads_outputs_ |= slot.padded && slot.use == arg_use_t::output;
    }
    hash_ = hash_with(problem_hash(), *engine(), attr_, hint_.get());
}

size_t primitive_desc_t::hash_with(size_t problem_hash, const engine_t &engine,
        const primitive_attr_t &attr, const primitive_desc_t *hint) {
    hasher_t hash;
    hash(problem_hash), hash(attr), hash(engine.thread_count());
    hash(engine.kind()), hash(engine.index());
    if (hint) hash(hint->hash());
    return hash.value();
}

bool primitive_desc_t::is_made_with(
        const engine_t &engine, const primitive_attr_t &attr, const primitive_desc_t *hint) const {
    return engine_.get() == &engine && thread_count_ == engine.thread_count() && same(attr_, attr)
           && !hint_ == !hint && (!hint || hint_->same_primitive(*hint));
}

bool primitive_desc_t::same_primitive(const primitive_desc_t &other) const {
    if (this == &other) return true;
    return hash_ == other.hash_ && kind_ == other.kind_ && thread_count_ == other.thread_count_
           && same_device(*engine(), *other.engine()) && same_problem(other)
           && same(attr_, other.attr_) && !hint_ == !other.hint_
           && (!hint_ || hint_->same_primitive(*other.hint_));
}

const memory_desc_t *primitive_desc_t::md_at(query_t what, int index) const {
    for (const arg_slot_t &slot : slots_)
        if (slot.query == what && slot.query_index == index) return slot.md;
    return &zero_md;
}

int primitive_desc_t::count(arg_use_t use) const {
    int result = 0;
    for (const arg_slot_t &slot : slots_) result += slot.use == use && slot.counted;
    return result;
}

const std::string &primitive_desc_t::info() const {
    std::call_once(info_once_, [this] { info_ = describe(*this); });
    return info_;
}

status_t primitive_desc_t::query(query_t what, int index, void *result) const {
    switch (what) {
    case dnnl_query_engine:
    case dnnl_query_scratchpad_engine: return answer(result, engine());
    case dnnl_query_primitive_kind: return answer(result, kind_);
    case dnnl_query_prop_kind:
        return prop_kind() == dnnl_prop_kind_undef ? dnnl_unimplemented
                                                   : answer(result, prop_kind());
    case dnnl_query_num_of_inputs_s32: return answer(result, count(arg_use_t::input));
    case dnnl_query_num_of_outputs_s32: return answer(result, count(arg_use_t::output));
    case dnnl_query_memory_consumption_s64: {
        const bool library = attr_.scratchpad_mode == dnnl_scratchpad_mode_library;
        return answer(result, library ? static_cast<dim_t>(scratchpad_size_) : dim_t(0));
    }
    case dnnl_query_impl_info_str: return answer(result, implementation_name_);
    case dnnl_query_cache_blob_id_size_s64: return answer(result, dim_t(0));
    case dnnl_query_cache_blob_id: return answer(result, static_cast<const uint8_t *>(nullptr));
    case dnnl_query_exec_arg_md: return answer(result, &md_of(index));
    case dnnl_query_workspace_md:
    case dnnl_query_scratchpad_md:
        if (index != 0) return dnnl_invalid_arguments;
        [[fallthrough]];
    case dnnl_query_src_md:
    case dnnl_query_diff_src_md:
    case dnnl_query_weights_md:
    case dnnl_query_diff_weights_md:
    case dnnl_query_dst_md:
    case dnnl_query_diff_dst_md: return answer(result, md_at(what, index));
    default: return dnnl_unimplemented;
    }
}

// If memory runs out, the line is dropped and the next implementation is asked.
void report_refusal(const primitive_desc_t &pd, const refusal_t &refusal) try {
    verbose::keep_refusal(
            {dnnl_prim_kind2str(pd.kind()), " ", pd.implementation_name(), ": ", refusal.reason});
    if (!verbose::enabled(verbose::create_dispatch, pd.kind())) return;
    verbose::report(verbose::create_dispatch, dnnl_prim_kind2str(pd.kind()), refusal.file,
            refusal.line, "%s,%s", describe(pd).c_str(), refusal.reason);
} catch (...) {
}

} // namespace kiln

using namespace kiln;

status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc *primitive_desc) {
    if (primitive_desc == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        std::shared_ptr<const primitive_desc_t> next;
        KILN_TRY(primitive_desc->pd->next(next));
        primitive_desc->pd = std::move(next);
        return dnnl_success;
    });
}

status_t dnnl_primitive_desc_clone(
        dnnl_primitive_desc_t *primitive_desc, const dnnl_primitive_desc *existing_primitive_desc) {
    if (primitive_desc == nullptr || existing_primitive_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&] {
        *primitive_desc = new dnnl_primitive_desc(*existing_primitive_desc);
        return dnnl_success;
    });
}

status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc *primitive_desc) {
    delete primitive_desc;
    return dnnl_success;
}

status_t dnnl_primitive_desc_get_attr(
        const dnnl_primitive_desc *primitive_desc, const primitive_attr_t **attr) {
    if (primitive_desc == nullptr || attr == nullptr) return dnnl_invalid_arguments;
    *attr = &primitive_desc->pd->attr();
    return dnnl_success;
}

status_t dnnl_primitive_desc_query(
        const dnnl_primitive_desc *primitive_desc, query_t what, int index, void *result) {
    if (primitive_desc == nullptr || result == nullptr) return dnnl_invalid_arguments;
    return guarded([&] { return primitive_desc->pd->query(what, index, result); });
}

const memory_desc_t *dnnl_primitive_desc_query_md(
        const dnnl_primitive_desc *primitive_desc, query_t what, int index) {
    const bool is_md =
            (what & dnnl_query_some_md) == dnnl_query_some_md && what != dnnl_query_some_md;
    const memory_desc_t *md = nullptr;
    if (!is_md) return nullptr;
    return dnnl_primitive_desc_query(primitive_desc, what, index, &md) == dnnl_success ? md
                                                                                       : nullptr;
}

int dnnl_primitive_desc_query_s32(
        const dnnl_primitive_desc *primitive_desc, query_t what, int index) {
    const bool is_s32 =
            what == dnnl_query_num_of_inputs_s32 || what == dnnl_query_num_of_outputs_s32;
    int value = 0;
    if (!is_s32) return 0;
    return dnnl_primitive_desc_query(primitive_desc, what, index, &value) == dnnl_success ? value
                                                                                          : 0;
}

size_t kiln_plan_text(const dnnl_primitive_desc *primitive_desc, char *text, size_t size) {
    size_t length = 0;
    if (text == nullptr) size = 0;
    if (size > 0) text[0] = '\0';
    if (primitive_desc == nullptr) return length;
    (void)guarded([&] {
        const std::string whole = primitive_desc->pd->plan_text();
        length = whole.size();
        if (size > 0) text[whole.copy(text, size - 1)] = '\0';
        return dnnl_success;
    });
    return length;
}

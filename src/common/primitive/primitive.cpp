// SPDX-License-Identifier: Apache-2.0
// Making and executing primitives: the C entries of dnnl_primitive_t.

#include "common/primitive/primitive.hpp"

#include "common/memory/data_type.hpp"
#include "common/primitive/primitive_cache.hpp"
#include "common/primitive/scratchpad.hpp"
#include "common/primitive/threadpool.hpp"
#include "common/settings.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/describe.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

namespace {

/// The elements' size, since programs made for oneDNN may pass the bits of another data type.
bool has_elements_of(const memory_desc_t &md, data_type_t type) {
    return data_type_size(md.data_type) == data_type_size(type)
           && is_half_byte(md.data_type) == is_half_byte(type);
}

/// The sizes of elements and of the buffer; data type and layout may be others.
status_t check_memory(const arg_slot_t &slot, const memory_t &memory) {
    KILN_REQUIRE_EXEC(slot.bytes == 0 || memory.handle() != nullptr, dnnl_invalid_arguments,
            "primitive", "the memory of %s has no buffer; its data handle must be set",
            arg_name(slot.arg).c_str());
    KILN_REQUIRE_EXEC(memory.capacity() >= slot.bytes, dnnl_invalid_arguments, "primitive",
            "the memory of %s holds %zu bytes; it must hold %zu", arg_name(slot.arg).c_str(),
            memory.capacity(), slot.bytes);
    KILN_REQUIRE_EXEC(slot.type == dnnl_data_type_undef || has_elements_of(memory.md(), slot.type),
            dnnl_invalid_arguments, "primitive",
            "the memory of %s is of data type %s; it must be of %s", arg_name(slot.arg).c_str(),
            dnnl_dt2str(memory.md().data_type), dnnl_dt2str(slot.type));
    return dnnl_success;
}

/// Reports a memory whose data type or layout is not the one that the primitive was made for;
/// refuses it if the environment asks for that.
status_t check_layout(const arg_slot_t &slot, const memory_t &memory) {
    const bool is_checked = slot.type != dnnl_data_type_undef && !is_host_scalar(memory.md());
    if (!is_checked || memory.md() == *slot.md) return dnnl_success;
    const auto text = [](const memory_desc_t &md, const char *name) {
        return describe(name, md) + " " + describe_dims(md);
    };
    const bool is_refused = refuses_other_layouts();
    (is_refused ? verbose::refuse : verbose::report)(verbose::exec_check, "primitive", __FILE__,
            __LINE__,
            "the memory of %s has another data type, shape or layout than the descriptor: %s; %s",
            arg_name(slot.arg).c_str(), text(memory.md(), "got").c_str(),
            text(*slot.md, "described").c_str());
    return is_refused ? dnnl_invalid_arguments : dnnl_success;
}

bool checks_layouts(primitive_kind_t kind) {
    return verbose::enabled(verbose::exec_check, kind) || refuses_other_layouts();
}

} // namespace

status_t exec_ctx_t::bind(int nargs, const dnnl_exec_arg_t *args) {
    const auto &slots = pd_.slots();
    const bool with_layouts = checks_layouts(pd_.kind());
    int required = 0;
    size_t next = 0; // most programs pass arguments in the order of the table
    for (int i = 0; i < nargs; ++i) {
        const int index = args[i].memory ? pd_.slot_of(args[i].arg, next) : -1;
        if (index < 0) continue;
        next = static_cast<size_t>(index) + 1;
        const arg_slot_t &slot = slots[static_cast<size_t>(index)];
        if (slot.use == arg_use_t::unused) continue;
        KILN_REQUIRE_EXEC(!has(index), dnnl_invalid_arguments, "primitive",
                "%s is passed more than once", arg_name(args[i].arg).c_str());
        KILN_TRY(check_memory(slot, *args[i].memory));
        if (with_layouts) KILN_TRY(check_layout(slot, *args[i].memory));
        required += is_required(slot);
        set(index, args[i].memory->handle(), args[i].memory->md());
    }
    return required == pd_.required_count() ? dnnl_success : refuse_incomplete();
}

status_t exec_ctx_t::refuse_incomplete() const {
    for (size_t i = 0; i < pd_.slots().size(); ++i) {
        const arg_slot_t &slot = pd_.slots()[i];
        KILN_REQUIRE_EXEC(!is_required(slot) || places_[i].md, dnnl_invalid_arguments, "primitive",
                "%s is missing; the execution needs it", arg_name(slot.arg).c_str());
    }
    return dnnl_invalid_arguments;
}

namespace {

/// Sets the padding of outputs to zero.
void pad_outputs(const exec_ctx_t &ctx) {
    const auto &slots = ctx.pd().slots();
    for (size_t i = 0; i < slots.size(); ++i)
        if (slots[i].use == arg_use_t::output && slots[i].padded)
            if (void *data = ctx.output(static_cast<int>(i))) zero_pad(*slots[i].md, data);
}

status_t run(const primitive_impl_t &impl, const exec_ctx_t &ctx) {
    KILN_TRY(impl.execute(ctx));
    if (ctx.pd().pads_outputs()) pad_outputs(ctx);
    return dnnl_success;
}

void *aligned(void *buffer) {
    const auto address = reinterpret_cast<uintptr_t>(buffer);
    return static_cast<std::byte *>(buffer) + (-address & (scratchpad_alignment - 1));
}

status_t execute(const dnnl_primitive &primitive, int nargs, const dnnl_exec_arg_t *args) {
    const primitive_desc_t &pd = *primitive.desc.pd;
    exec_ctx_t ctx(pd);
    KILN_TRY(ctx.bind(nargs, args));
    scratchpad_lease_t lease;
    if (pd.scratchpad_size() != 0)
        ctx.set_scratchpad(pd.attr().scratchpad_mode == dnnl_scratchpad_mode_user
                                   ? aligned(ctx.output(pd.slot_of(DNNL_ARG_SCRATCHPAD)))
                                   : lease.take(pd.scratchpad_size()));
    return primitive.shared->execute(ctx);
}

status_t create(dnnl_primitive **primitive, const dnnl_primitive_desc &desc) {
    const bool timed = verbose::enabled(verbose::create_profile, desc.pd->kind());
    const double start = timed ? verbose::now_ms() : 0;
    auto made = std::make_unique<dnnl_primitive>();
    made->desc = desc;
    bool hit = false;
    KILN_TRY(primitive_cache().get(desc.pd, made->shared, hit));
    if (timed) {
        const double end = verbose::now_ms();
        const char *event = hit ? "create:cache_hit" : "create:cache_miss";
        verbose::print_profile(event, desc.pd->info(), start, end);
    }
    *primitive = made.release();
    return dnnl_success;
}

} // namespace

status_t cached_primitive_t::execute(const exec_ctx_t &ctx) const {
    if (!verbose::enabled(verbose::exec_profile, ctx.pd().kind())) return run(*impl, ctx);
    const double start = verbose::now_ms();
    KILN_TRY(run(*impl, ctx));
    const double end = verbose::now_ms(); // describing a primitive is not part of its execution
    verbose::print_profile("exec", ctx.pd().info(), start, end);
    return dnnl_success;
}

} // namespace kiln

using namespace kiln;

status_t dnnl_primitive_create(
        dnnl_primitive **primitive, const dnnl_primitive_desc *primitive_desc) {
    if (primitive == nullptr || primitive_desc == nullptr) return dnnl_invalid_arguments;
    return guarded([&] { return create(primitive, *primitive_desc); });
}

status_t dnnl_primitive_execute(
        const dnnl_primitive *primitive, stream_t *stream, int nargs, const dnnl_exec_arg_t *args) {
    if (primitive == nullptr || stream == nullptr || nargs < 0 || (nargs > 0 && args == nullptr))
        return dnnl_invalid_arguments;
    const primitive_desc_t &pd = *primitive->desc.pd;
    KILN_REQUIRE_EXEC(same_device(*stream->engine(), *pd.engine()), dnnl_invalid_arguments,
            "primitive", "the stream belongs to another engine than the primitive");
    return guarded([&] {
        const threadpool_use_t threads(*stream);
        return execute(*primitive, nargs, args);
    });
}

status_t dnnl_primitive_get_primitive_desc(
        const dnnl_primitive *primitive, const dnnl_primitive_desc **primitive_desc) {
    if (primitive == nullptr || primitive_desc == nullptr) return dnnl_invalid_arguments;
    *primitive_desc = &primitive->desc;
    return dnnl_success;
}

status_t dnnl_primitive_destroy(dnnl_primitive *primitive) {
    delete primitive;
    return dnnl_success;
}

status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive **primitive,
        const dnnl_primitive_desc *primitive_desc, size_t size, const uint8_t *cache_blob) {
    if (primitive == nullptr || primitive_desc == nullptr || cache_blob == nullptr || size == 0)
        return dnnl_invalid_arguments;
    KILN_REQUIRE(
            false, dnnl_unimplemented, "primitive", "cache blobs are not supported on the CPU");
}

status_t dnnl_primitive_get_cache_blob(const dnnl_primitive *primitive, size_t *size, uint8_t *) {
    if (primitive == nullptr || size == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(
            false, dnnl_unimplemented, "primitive", "cache blobs are not supported on the CPU");
}

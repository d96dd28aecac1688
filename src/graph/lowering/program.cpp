// SPDX-License-Identifier: Apache-2.0
#include "graph/lowering/program.hpp"

#include "graph/memory/constant_cache.hpp"
#include "graph/op/unique_id.hpp"

namespace kiln::graph {

program_t::program_t()
    : id(next_id<program_t>()) {}

program_t::~program_t() {
    if (constant_bytes != 0) constant_cache().drop(id);
}

status_t program_t::execute_constants(std::span<void *const> bases) const {
    return execute(constant_steps, bases);
}

status_t program_t::execute(std::span<void *const> bases) const { return execute(steps, bases); }

status_t program_t::execute(
        const std::vector<step_t> &sequence, std::span<void *const> bases) const {
    const auto at = [&](const place_t &place) -> void * {
        auto *const base = static_cast<std::byte *>(bases[place.base]);
        return base ? base + place.offset : nullptr;
    };
    void *const scratchpad = at({scratchpad_base(), temporary_bytes + constant_bytes});
    for (const step_t &step : sequence) {
        exec_ctx_t ctx(*step.primitive->pd);
        for (const argument_t &argument : step.arguments)
            ctx.set(argument.slot, at(argument.place));
        ctx.set_scratchpad(scratchpad);
        KILN_TRY(step.primitive->execute(ctx));
    }
    return dnnl_success;
}

} // namespace kiln::graph

// SPDX-License-Identifier: Apache-2.0
// Concatenation by nests: each source is moved to its part of dst, all in one parallel loop. Share
// i of N copies the i-th N-th of every source, so that neighbours in dst are written at about the
// same time.

#include "cpu/x64/concat/nests_concat.hpp"

#include <algorithm>

#include "common/memory/memory.hpp"
#include "common/primitive/primitive.hpp"
#include "common/verbose/arg_name.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/instructions.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/nests/nest_pass.hpp"

namespace kiln::x64 {
namespace {

/// A source that has elements.
struct source_work_t {
    int arg, slot;
    nests_t nests;
    nests::element_types_t types;
    bool may_lie_in_dst;          // its elements are arranged as their part of dst
    dim_t src_offset, dst_offset; // of the first element in both, in bytes
};

struct concat_work_t {
    isa_t isa;
    std::vector<source_work_t> sources;
    memory_desc_t dst;
    int dst_slot;

    std::string text() const {
        std::string text;
        for (const source_work_t &source : sources)
            text += std::string(arg_name(source.arg).c_str()) + ": " + source.nests.text();
        return text;
    }
};

class nests_concat_t final : public primitive_impl_t {
public:
    explicit nests_concat_t(const concat_work_t &work)
        : work_(work) {
        jit::code_batch_t batch;
        for (const source_work_t &source : work.sources) {
            passes_of_t &added = sources_.emplace_back(passes_of_t{source, {}});
            for (const nest_t &nest : source.nests.nests) {
                nests::add_passes(added.passes, work.isa, nest, source.types, pads_);
                if (run_bytes(nest, source.types) < long_run) shares_at_once_ = few_shares;
            }
            pads_ = pads_ && source.nests.have_all_padding;
            for (const auto &pass : added.passes) bytes_ += pass->bytes();
        }
        batch.finish();
        shares_ = std::max(dim_t(1), bytes_ / cpu::least_items_per_task(1)); // items are bytes
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        std::byte *const dst = static_cast<std::byte *>(ctx.output(work_.dst_slot));
        cpu::parallel_shares(cpu::shares_of(shares_, bytes_ / shares_),
                [this, &ctx, dst](
                        dim_t begin, dim_t end) { execute_shares(ctx, dst, begin, end); });
        if (!pads_ || has_one_in_place(ctx, dst)) zero_pad(work_.dst, dst);
        return dnnl_success;
    }

private:
    struct passes_of_t {
        const source_work_t &work;
        nests::passes_t passes;

        bool is_in_place(const std::byte *src, const std::byte *dst) const {
            return work.may_lie_in_dst && src + work.src_offset == dst + work.dst_offset;
        }
    };

    /// Of adjacent elements of dst.
    static dim_t run_bytes(const nest_t &nest, const nests::element_types_t &types) {
        const auto run = std::ranges::find(nest.loops, 1, &loop_t::dst_stride);
        return types.dst_size * (run == nest.loops.end() ? 1 : run->extent);
    }

    static const std::byte *src_of(const exec_ctx_t &ctx, const passes_of_t &source) {
        return static_cast<const std::byte *>(ctx.input(source.work.slot));
    }

    bool has_one_in_place(const exec_ctx_t &ctx, const std::byte *dst) const {
        return std::ranges::any_of(sources_, [&](const passes_of_t &source) {
            return source.is_in_place(src_of(ctx, source), dst);
        });
    }

    void execute_shares(const exec_ctx_t &ctx, std::byte *dst, dim_t begin, dim_t end) const {
        bool needs_fence = false;
        for (dim_t next; begin < end; begin = next) {
            next = std::min(begin + shares_at_once_, end);
            for (const passes_of_t &source : sources_) {
                const std::byte *src = src_of(ctx, source);
                if (source.is_in_place(src, dst)) continue;
                needs_fence |= nests::execute_share(
                        source.passes, {src, dst}, {begin, next, shares_}, bytes_, true);
            }
        }
        if (needs_fence) fence_non_temporal_stores();
    }

    const concat_work_t &work_; // the plan's
    std::vector<passes_of_t> sources_;
    bool pads_ = true; // whether passes write all padding
    dim_t bytes_ = 0;  // that they read and write
    dim_t shares_ = 1;
    /// Of a source, before those of the next one. Many, so that memory is read in long streams; few
    /// where sources share many lines of dst, which stay in the L2 cache then.
    static constexpr dim_t many_shares = 32, few_shares = 4, long_run = 512;
    dim_t shares_at_once_ = many_shares;
};

/// Whether elements lie alike from the first one on.
bool are_arranged_alike(const memory_desc_t &src, const memory_desc_t &part) {
    const blocking_t &a = src.format_desc.blocking, &b = part.format_desc.blocking;
    if (src.data_type != part.data_type || a.inner_nblks != b.inner_nblks
            || !std::equal(a.inner_blks, a.inner_blks + a.inner_nblks, b.inner_blks)
            || !std::equal(a.inner_idxs, a.inner_idxs + a.inner_nblks, b.inner_idxs))
        return false;
    for (int d = 0; d < src.ndims; ++d)
        if (part.padded_offsets[d] != 0 || (src.dims[d] > 1 && a.strides[d] != b.strides[d]))
            return false;
    return true;
}

refusal_t plan_source(const concat_pd_t &pd, size_t index, isa_t isa, concat_work_t &work) {
    const memory_desc_t &src = pd.srcs()[index];
    const memory_desc_t part = pd.part_of_dst(index);
    const nests::element_types_t types = nests::types_of(src, part);
    if (!types.have_kernels()) return refused("no kernels between the data types of src and dst");
    std::optional<nests_t> nests = make_nests(src, part, jit::lanes_of(isa));
    if (!nests) return refused("blocks of a source and of dst do not divide each other");
    for (nest_t &nest : nests->nests) nests::split_into_elements(nest);
    const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(index);
    work.sources.push_back({.arg = arg,
            .slot = pd.slot_of(arg),
            .nests = *std::move(nests),
            .types = types,
            .may_lie_in_dst = are_arranged_alike(src, part),
            .src_offset = src.offset0 * types.src_size,
            .dst_offset = part.offset0 * types.dst_size});
    return accepted();
}

} // namespace

refusal_t nests_concat_accept(concat_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (!pd.attr().scales.empty()) return refused("attributes have scales");
    if (has_zero_dim(pd.dst())) return refused("dst has no elements");
    if (has_front_padding(pd.dst()) || std::ranges::any_of(pd.srcs(), has_front_padding))
        return refused("a tensor has padding in front");
    const auto found = std::make_shared<plan_of_t<nests_concat_t, concat_work_t>>();
    concat_work_t &work = found->work;
    work.isa = isa;
    work.dst = pd.dst();
    work.dst_slot = pd.slot_of(DNNL_ARG_DST);
    for (size_t i = 0; i < pd.srcs().size(); ++i)
        if (!has_zero_dim(pd.srcs()[i]))
            if (const refusal_t refusal = plan_source(pd, i, isa, work)) return refusal;
    plan = found;
    pd.set_implementation_pads();
    return accepted();
}

} // namespace kiln::x64

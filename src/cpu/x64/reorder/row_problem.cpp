// SPDX-License-Identifier: Apache-2.0
// A reorder with its attributes as rows.

#include "cpu/x64/reorder/row_problem.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

#include "common/memory/data_type.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/reorder/row_fold.hpp"
#include "cpu/x64/rows/row_execution.hpp"

namespace kiln::x64::reorder {
namespace {

using jit::post_op_operand_t;

/// Values for the axes in the mask, row-major.
memory_desc_t values_md(const quantization_t &values, const memory_desc_t &dst) {
    dims_t dims;
    for (int d = 0; d < dst.ndims; ++d) dims[d] = values.mask >> d & 1 ? dst.dims[d] : 1;
    memory_desc_t md = zero_md;
    init_by_strides(md, dst.ndims, dims, values.data_type, nullptr);
    return md;
}

/// Collects the tensors of a problem.
class tensor_list_t {
public:
    explicit tensor_list_t(const reorder_pd_t &pd)
        : pd_(pd) {
        add(pd.dst(), pd.slot_of(DNNL_ARG_TO));
        add(pd.src(), pd.slot_of(DNNL_ARG_FROM));
    }

    void add(const memory_desc_t &md, int slot) {
        mds_.push_back(&md);
        slots_.push_back(slot);
    }

    std::optional<post_op_operand_t> add(const quantization_map_t &map, int kind, int arg) {
        const auto found = map.find(arg);
        if (found == map.end()) return std::nullopt;
        own_mds_.push_back(values_md(found->second, pd_.dst()));
        add(own_mds_.back(), pd_.slot_of(kind | arg));
        return post_op_operand_t{found->second.data_type, false};
    }

    const std::vector<const memory_desc_t *> &mds() const { return mds_; }
    int slot(size_t place) const { return slots_[place]; }

private:
    const reorder_pd_t &pd_;
    std::vector<const memory_desc_t *> mds_;
    std::vector<int> slots_;
    std::deque<memory_desc_t> own_mds_;
};

/// Floats hold what is loaded, or it saturates before they do not.
refusal_t check_types(const reorder_pd_t &pd) {
    const data_type_t src = pd.src().data_type, dst = pd.dst().data_type;
    if (!one_of(dst, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8}))
        return refused("a data type of dst without generated code");
    if (!jit::lanes_io_t::can_load(src))
        return refused("a data type of src without generated code");
    const bool is_exact = src != dnnl_s32
                          || (one_of(dst, {dnnl_f32, dnnl_s8, dnnl_u8})
                                  && !pd.attr().zero_points.contains(DNNL_ARG_FROM));
    if (!is_exact) return refused("32-bit integers that would be rounded twice");
    for (const auto *map : {&pd.attr().scales, &pd.attr().zero_points})
        for (const auto &[arg, values] : *map)
            if (!jit::lanes_io_t::can_load(values.data_type))
                return refused("a data type of scales or zero points without generated code");
    return accepted();
}

/// The loop along dst's neighbours, and all that continues it, taken out of the loops.
refusal_t take_line(std::vector<row_mode_t> &loops, size_t tensors, row_mode_t &line) {
    line = {1, {}};
    if (loops.empty()) return accepted();
    const auto innermost = std::find_if(loops.begin(), loops.end(),
            [](const row_mode_t &loop) { return loop.strides[dst_operand] == 1; });
    if (innermost == loops.end()) return refused("elements of dst do not lie side by side");
    line = *innermost;
    loops.erase(innermost);
    for (size_t i = 0; i < tensors; ++i)
        if (line.strides[i] != 0 && line.strides[i] != 1)
            return refused("neighbours in dst are not neighbours in each tensor");
    const auto next = [&] {
        return std::find_if(loops.begin(), loops.end(),
                [&](const row_mode_t &loop) { return continues(loop, line, tensors); });
    };
    for (auto loop = next(); loop != loops.end(); loop = next()) {
        line.extent *= loop->extent;
        loops.erase(loop);
    }
    return accepted();
}

row_tensor_t tensor_of(const memory_desc_t &md, int slot, dim_t stride) {
    return {slot, size_of(md), stride, element_count(md) * size_of(md)};
}

/// The kernel reads floats then, from the beginning of a copy.
void add_copies(const row_fold_t &fold, row_problem_t &problem, row_offsets_t &origin) {
    constexpr dim_t alignment = 64;
    problem.spec.for_each_operand([&](size_t place, jit::post_op_operand_t &operand) {
        if (std::find(fold.copied.begin(), fold.copied.end(), place) == fold.copied.end()) return;
        row_tensor_t &tensor = problem.tensors[place];
        const bool per_lane = fold.line.strides[place] != 0;
        problem.copies.push_back({place,
                {.isa = problem.spec.isa,
                        .line = fold.line.extent,
                        .dst_type = dnnl_f32,
                        .src = {operand.type, per_lane}},
                fold.rows, origin[place], fold.strides[place] * tensor.size});
        operand.type = dnnl_f32;
        origin[place] = 0;
        tensor.size = data_type_size(dnnl_f32);
        tensor.copy = problem.scratchpad_size;
        const dim_t bytes = problem.spec.line * tensor.size;
        problem.scratchpad_size += (bytes + alignment - 1) / alignment * alignment;
    });
}

} // namespace

dim_t row_problem_t::bytes() const {
    return std::accumulate(tensors.begin(), tensors.end(), dim_t(0),
            [](dim_t sum, const row_tensor_t &tensor) { return sum + tensor.bytes; });
}

refusal_t find_rows(const reorder_pd_t &pd, row_problem_t &problem) {
    if (const refusal_t refusal = check_types(pd)) return refusal;
    post_op_operands_t post_ops;
    if (const refusal_t refusal = find_post_op_chain(pd, post_ops)) return refusal;

    row_spec_t &spec = problem.spec;
    const primitive_attr_t &attr = pd.attr();
    tensor_list_t list(pd);
    spec = {best_isa(), 1, pd.dst().data_type, {pd.src().data_type, false},
            list.add(attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_FROM),
            list.add(attr.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_FROM),
            list.add(attr.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_TO),
            list.add(attr.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_TO),
            std::move(post_ops.chain), false};
    for (size_t i = 0; i < post_ops.mds.size(); ++i) list.add(*post_ops.mds[i], post_ops.slots[i]);
    const size_t tensors = list.mds().size();
    if (tensors > max_row_operands) return refused("more tensors than a kernel has addresses for");

    auto loops = make_loops(list.mds());
    if (!loops) return refused("padding, or blocks that do not go into each other");
    row_mode_t line;
    if (const refusal_t refusal = take_line(*loops, tensors, line)) return refusal;
    const auto fold = fold_rows(*loops, line, tensors, first_quantization_operand);
    spec.line = line.extent;
    row_offsets_t origin{};
    for (size_t i = 0; i < tensors; ++i) {
        const memory_desc_t &md = *list.mds()[i];
        origin[i] = md.offset0;
        problem.tensors.push_back(tensor_of(md, list.slot(i), line.strides[i]));
    }
    spec.for_each_operand([&](size_t place, jit::post_op_operand_t &operand) {
        operand.per_lane = line.strides[place] != 0;
    });
    if (fold) add_copies(*fold, problem, origin);
    problem.plan.emplace(tensors, std::move(*loops), origin);
    return accepted();
}

} // namespace kiln::x64::reorder

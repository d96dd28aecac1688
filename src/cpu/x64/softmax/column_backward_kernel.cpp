// SPDX-License-Identifier: Apache-2.0
// The kernel of softmax and logsoftmax backward on columns.

#include "cpu/x64/softmax/column_backward_kernel.hpp"

#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::softmax {

using jit::store_t;
using jit::vec_t;

column_backward_kernel_t::column_backward_kernel_t(const column_spec_t &spec)
    : column_kernel_t(spec, spec.name, column_spec_t::needs_many_registers, operand_t::stepped)
    , spec_(spec) {}

void column_backward_kernel_t::write_tile(const tile_t &tile) {
    const vecs_t sums = vecs("sum", tile);
    find_sums(sums, tile);
    for_each_store(operand_t::diff_src, [&](store_t how) { store_results(sums, tile, how); });
}

void column_backward_kernel_t::find_sums(const vecs_t &sums, const tile_t &tile) {
    const vec_t y = vec("dst"), gradient = vec("diff_dst");
    std::vector<size_t> walked{operand_t::diff_dst};
    if (!spec_.is_log) walked.push_back(operand_t::dst);
    sum_over_steps({&sums}, walked, [&] {
        for (int i = 0; i < tile.vectors; ++i) {
            const Xbyak::Xmm &sum = *sums[i];
            load(gradient, operand_t::diff_dst, i, tile);
            if (spec_.is_log) {
                vaddps(sum, sum, *gradient);
            } else {
                load(y, operand_t::dst, i, tile);
                vfmadd231ps(sum, *y, *gradient);
            }
        }
    });
    jit::reduce_sums_of_groups(*this, sums, spec_.block);
}

void column_backward_kernel_t::store_results(const vecs_t &sums, const tile_t &tile, store_t how) {
    const vec_t y = vec("dst"), gradient = vec("diff_dst");
    for_each_step({operand_t::dst, operand_t::diff_dst, operand_t::diff_src}, [&] {
        for (int i = 0; i < tile.vectors; ++i) {
            load(y, operand_t::dst, i, tile);
            load(gradient, operand_t::diff_dst, i, tile);
            find_gradient(*this, gradient, y, sums[i], spec_.is_log);
            store(gradient, operand_t::diff_src, i, tile, how);
        }
    });
}

} // namespace kiln::x64::softmax

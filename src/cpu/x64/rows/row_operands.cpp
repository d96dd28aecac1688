// SPDX-License-Identifier: Apache-2.0
// Registers that hold the addresses of a kernel's operands.

#include "cpu/x64/rows/row_operands.hpp"

namespace kiln::x64 {

row_operands_t::row_operands_t(jit::generator_t &g, const row_walk_t &walk,
        const Xbyak::RegExp &arguments, std::span<const row_operand_t> operands, size_t paired)
    : walk_(walk)
    , operands_(operands.begin(), operands.end())
    , bases_(operands.size()) {
    Xbyak::CodeGenerator &a = g.assembler();
    for (size_t i = 0; i < operands_.size(); ++i) {
        if (operands_[i].type == dnnl_data_type_undef) continue;
        for (const bool is_odd : {false, true}) {
            if (is_odd && i >= paired) continue;
            const jit::gpr_t &base = bases_[i].emplace_back(g.gpr("operand"));
            a.mov(*base, a.ptr[operand_argument(arguments, i)]);
            if (is_odd) walk.advance(*base, operands_[i].pitch);
        }
    }
}

pitched_rows_t row_operands_t::rows(size_t operand, int first) const {
    const auto [type, pitch] = operands_[operand];
    return {*bases_[operand].front() + static_cast<int>(first * pitch), type, pitch};
}

Xbyak::RegExp row_operands_t::at(size_t operand, int row, int copy) const {
    const auto &bases = bases_[operand];
    const auto count = static_cast<int>(bases.size());
    const auto [type, pitch] = operands_[operand];
    return walk_.at(
            *bases[static_cast<size_t>(row % count)], type, copy, row / count * count * pitch);
}

void row_operands_t::advance(int rows) const {
    for (size_t i = 0; i < operands_.size(); ++i)
        if (operands_[i].pitch != 0)
            for (const jit::gpr_t &base : bases_[i]) walk_.advance(*base, rows * operands_[i].pitch);
}

} // namespace kiln::x64

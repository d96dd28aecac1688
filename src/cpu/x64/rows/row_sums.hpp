// SPDX-License-Identifier: Apache-2.0
// Sums over rows that go together: accumulators in registers, then a lane for each row. It must not
// know what is added.
#pragma once

#include <utility>
#include <vector>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::normalization {

class row_sums_t {
public:
    /// 1, 2 or 4 rows of so many accumulators each, a power of two; they begin as zeros.
    row_sums_t(jit::generator_t &g, int rows, int accumulators)
        : g_(g)
        , rows_(rows)
        , accumulators_(accumulators) {
        for (int i = 0; i < rows * accumulators; ++i) {
            sums_.push_back(g.vec("sum"));
            g.set_zero(sums_.back());
        }
    }

    /// What the row's vector `copy` is added to.
    const Xbyak::Xmm &of(int row, int copy) const { return *sums_[index(row, copy)]; }

    /// Lane i = the sum of row i, every lane where there is one row. The accumulators are given
    /// back. The order of additions does not depend on how many rows there are.
    jit::vec_t fold() {
        for (int step = accumulators_ / 2; step > 0; step /= 2)
            for (int row = 0; row < rows_; ++row)
                for (int i = 0; i < step; ++i)
                    g_.assembler().vaddps(of(row, i), of(row, i), of(row, i + step));
        std::vector<jit::vec_t> rows;
        for (int row = 0; row < rows_; ++row) rows.push_back(std::move(sums_[index(row, 0)]));
        sums_.clear();
        jit::reduce_sums(g_, rows);
        return std::move(rows.front());
    }

private:
    size_t index(int row, int copy) const {
        return static_cast<size_t>(row * accumulators_ + copy % accumulators_);
    }

    jit::generator_t &g_;
    int rows_;
    int accumulators_;
    std::vector<jit::vec_t> sums_;
};

} // namespace kiln::x64::normalization

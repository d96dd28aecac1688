// SPDX-License-Identifier: Apache-2.0
// A sum for each row of a row block: accumulators in registers, then one lane for each row.
#pragma once

#include <utility>
#include <vector>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64 {

class row_sums_t {
public:
    /// `rows`: 1, 2 or 4. `accumulators`: vectors of partial sums for each row, a power of two.
    /// They are zero at first.
    row_sums_t(jit::generator_t &g, int rows, int accumulators)
        : g_(g)
        , rows_(rows)
        , accumulators_(accumulators) {
        for (int i = 0; i < rows * accumulators; ++i) {
            sums_.push_back(g.vec("sum"));
            g.set_zero(sums_.back());
        }
    }

    /// The accumulator for vector `copy` of a row.
    const Xbyak::Xmm &of(int row, int copy) const { return *sums_[index(row, copy)]; }

    /// Lane i = the sum of row i; every lane if there is one row. Releases the accumulators. The
    /// order of additions does not depend on the number of rows.
    jit::vec_t reduce() {
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

} // namespace kiln::x64

// SPDX-License-Identifier: Apache-2.0
// --flags of the normalization drivers, one letter for each flag.
#pragma once

#include <string>

#include "common/command_line/usage_error.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn::normalization {

class flags_t {
public:
    flags_t() = default;
    // known: the letters of the flags that the operation has.
    flags_t(const std::string &letters, const std::string &known) {
        for (const char letter : letters) {
            if (known.find(letter) == std::string::npos)
                throw bad_value_t(letters, std::string("there is no flag ") + letter);
            for (const row_t &row : rows)
                if (row.letter == letter) bits_ |= row.bit;
        }
    }

    bool global_stats() const { return bits_ & dnnl_use_global_stats; }
    bool scale() const { return bits_ & dnnl_use_scale; }
    bool shift() const { return bits_ & dnnl_use_shift; }
    bool rms() const { return bits_ & dnnl_rms_norm; }
    // A ReLU follows the normalization, with or without an addition before it.
    bool relu() const { return bits_ & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu); }
    bool add() const { return bits_ & dnnl_fuse_norm_add_relu; }
    unsigned bits() const { return bits_; }

    std::string letters() const {
        std::string letters;
        for (const row_t &row : rows)
            if (bits_ & row.bit) letters += row.letter;
        return letters;
    }

private:
    struct row_t {
        char letter;
        unsigned bit;
    };
    static constexpr row_t rows[] = {
            {'G', dnnl_use_global_stats},
            {'C', dnnl_use_scale},
            {'H', dnnl_use_shift},
            {'R', dnnl_fuse_norm_relu},
            {'A', dnnl_fuse_norm_add_relu},
            {'M', dnnl_rms_norm},
    };

    unsigned bits_ = 0;
};

} // namespace benchdnn::normalization

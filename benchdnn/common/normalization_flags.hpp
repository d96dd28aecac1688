// SPDX-License-Identifier: Apache-2.0
// --flags of the normalization drivers, one letter a flag.
#pragma once

#include <string>

#include "common/usage_error.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn {

class normalization_flags_t {
public:
    normalization_flags_t() = default;
    explicit normalization_flags_t(const std::string &letters) {
        for (char letter : letters) bits_ |= bit_of(letter, letters);
    }

    bool global_stats() const { return bits_ & dnnl_use_global_stats; }
    bool scale() const { return bits_ & dnnl_use_scale; }
    bool shift() const { return bits_ & dnnl_use_shift; }
    bool rms() const { return bits_ & dnnl_rms_norm; }
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
            {'M', dnnl_rms_norm},
    };
    static unsigned bit_of(char letter, const std::string &all) {
        for (const row_t &row : rows)
            if (row.letter == letter) return row.bit;
        throw bad_value_t(all, std::string("no flag is called ") + letter);
    }

    unsigned bits_ = 0;
};

inline normalization_flags_t parse_normalization_flags(const std::string &letters) {
    return normalization_flags_t(letters);
}

} // namespace benchdnn

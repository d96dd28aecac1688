// SPDX-License-Identifier: Apache-2.0
// The outputs of an execution, for a bit by bit comparison with another execution.
#pragma once

#include <map>
#include <string>

#include "common/tensor/arguments.hpp"

namespace benchdnn {

class output_bits_t {
public:
    output_bits_t() = default;
    explicit output_bits_t(const arguments_t &arguments);

    // A checksum of the bytes of each output: "dst:0123456789abcdef mean:...".
    static std::string checksums(const arguments_t &arguments);

    bool empty() const { return outputs_.empty(); }
    // The first difference between the outputs, "dst: element 12 (0:12) was 0.5 and is 0.25", or
    // "".
    std::string difference(const arguments_t &arguments) const;

private:
    std::map<int, tensor_t> outputs_;
};

} // namespace benchdnn

// SPDX-License-Identifier: Apache-2.0
// The outputs of an execution, for a bit by bit comparison with another execution.
#include "common/run/output_bits.hpp"

#include <cstring>

#include "common/command_line/text.hpp"
#include "common/tensor/dims.hpp"

namespace benchdnn {

namespace {

std::string difference_of(const std::string &name, const tensor_t &before, const tensor_t &now) {
    if (std::memcmp(before.data(), now.data(), before.buffer().bytes()) == 0) return "";
    for (dim_t index = 0; index < before.layout().elements(); ++index) {
        const double was = before.load(index), is = now.load(index);
        if (std::memcmp(&was, &is, sizeof(was)) == 0) continue;
        std::vector<std::string> position;
        for (dim_t p : position_of(index, before.layout().dims()))
            position.push_back(std::to_string(p));
        return formatted("%s: element %lld (%s) was %.17g and is %.17g", name.c_str(),
                static_cast<long long>(index), join(position, ":").c_str(), was, is);
    }
    return name + ": bits that no element's value shows differ";
}

} // namespace

output_bits_t::output_bits_t(const arguments_t &arguments) {
    for (const int id : arguments.output_ids()) outputs_[id] = arguments.at(id).copy();
}

std::string output_bits_t::checksums(const arguments_t &arguments) {
    std::vector<std::string> pieces;
    for (const int id : arguments.output_ids())
        pieces.push_back(arguments.name(id)
                         + formatted(":%016llx", static_cast<unsigned long long>(
                                                         arguments.at(id).buffer().digest())));
    return join(pieces, " ");
}

std::string output_bits_t::difference(const arguments_t &arguments) const {
    for (const auto &[id, before] : outputs_) {
        const std::string found = difference_of(arguments.name(id), before, arguments.at(id));
        if (!found.empty()) return found;
    }
    return "";
}

} // namespace benchdnn

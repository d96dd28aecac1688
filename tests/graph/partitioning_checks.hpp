// SPDX-License-Identifier: Apache-2.0
// Whether a network is one partition.
#pragma once

#include "graph/networks.hpp"

namespace kiln::test {

using parts_t = std::vector<std::vector<size_t>>;
using kinds_t = std::vector<kind_t>;

inline const kinds_t row_norms{kind_t::LayerNorm, kind_t::RMSNorm};
inline const kinds_t norms{kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm};
inline const kinds_t all_norms{kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm,
        kind_t::BatchNormInference, kind_t::BatchNormForwardTraining};

inline bool is_whole(const network_t &network) { return network.partition_ops().size() == 1; }

/// Checks for each kind of normalization whether the network that `describe` builds is one
/// partition.
template <typename describe_t>
inline void expect_whole(const kinds_t &kinds, bool expected, const describe_t &describe) {
    for (const kind_t kind : kinds) {
        network_t network;
        describe(network, kind);
        EXPECT_EQ(is_whole(network), expected) << name_of(kind);
    }
}

} // namespace kiln::test

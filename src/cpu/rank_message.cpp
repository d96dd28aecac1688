// SPDX-License-Identifier: Apache-2.0
// What the ranks of a normalization send each other, and how it is combined.

#include "cpu/rank_message.hpp"

#include <algorithm>

namespace kiln::cpu {
namespace {

/// Doubles of one message.
size_t length_of(rank_message_size_t size) {
    return 1 + 2 * static_cast<size_t>(size.statistics + size.weights);
}

} // namespace

size_t rank_message_t::bytes(const ranks_t &ranks, rank_message_size_t size) {
    if (size.is_empty()) return 0;
    return (1 + static_cast<size_t>(ranks.count)) * length_of(size) * sizeof(double);
}

rank_message_t::~rank_message_t() {
    if (is_started_ && ranks_.wait) ranks_.wait(ranks_.context, request_);
}

status_t rank_message_t::start() {
    const size_t length = length_of(size_);
    if (ranks_.start)
        KILN_TRY(ranks_.start(ranks_.context, local_, length, local_ + length, &request_));
    is_started_ = true;
    return dnnl_success;
}

status_t rank_message_t::gather() {
    const size_t length = length_of(size_);
    if (!is_started_) KILN_TRY(start());
    is_started_ = false;
    KILN_TRY(ranks_.gather ? ranks_.gather(ranks_.context, local_, length, local_ + length)
                           : ranks_.wait(ranks_.context, request_));
    std::fill_n(local_, length, 0.);
    return dnnl_success;
}

status_t rank_message_t::combine_sums() {
    KILN_TRY(gather());
    const size_t length = length_of(size_);
    const double *all = local_ + length;
    for (int rank = 0; rank < ranks_.count; ++rank, all += length)
        for (size_t i = 0; i < length; ++i) local_[i] += all[i];
    return dnnl_success;
}

status_t rank_message_t::combine_moments() {
    KILN_TRY(gather());
    const size_t length = length_of(size_);
    const auto statistics = static_cast<size_t>(size_.statistics);
    double *const means = first(), *const squares = second();
    const double *all = local_ + length;
    for (int rank = 0; rank < ranks_.count; ++rank, all += length) {
        const double *const more_means = all + 1, *const more_squares = more_means + statistics;
        const double more = all[0], before = count();
        if (!(more > 0)) continue;
        count() += more;
        if (before == 0) {
            std::copy_n(more_means, statistics, means);
            std::copy_n(more_squares, statistics, squares);
            continue;
        }
        const double share = more / count();
        for (size_t i = 0; i < statistics; ++i) {
            const double distance = more_means[i] - means[i];
            means[i] += distance * share;
            squares[i] += more_squares[i] + distance * distance * (before * share);
        }
    }
    return dnnl_success;
}

} // namespace kiln::cpu

// SPDX-License-Identifier: Apache-2.0
// What the ranks of a normalization send each other (kiln/ranks.h), and how it is combined.
#pragma once

#include <cstddef>

#include "common/attributes/ranks.hpp"
#include "common/status.hpp"

namespace kiln::cpu {

/// One message of an execution, in a buffer of doubles: the number of elements behind each
/// statistic, then two arrays for statistics, then two for the weights' gradients. The same layout
/// on all ranks, whatever implementation each of them uses. Behind it is place for the messages of
/// all ranks. Combining is in rank order, so the results are the same bits on all ranks.
class rank_message_t {
public:
    /// Bytes of the buffer; 0 if nothing is sent.
    static size_t bytes(const ranks_t &ranks, rank_message_size_t size);

    rank_message_t(const ranks_t &ranks, rank_message_size_t size, double *buffer)
        : ranks_(ranks)
        , size_(size)
        , local_(buffer) {}
    rank_message_t(const rank_message_t &) = delete;
    rank_message_t &operator=(const rank_message_t &) = delete;
    /// Waits for what is on the way: it uses the buffer.
    ~rank_message_t();

    rank_message_size_t size() const { return size_; }
    /// What is sent, and afterwards what was combined. A rank without elements has a count of 0;
    /// its sums must be 0.
    double &count() { return local_[0]; }
    double *first() { return local_ + 1; }
    double *second() { return first() + size_.statistics; }
    double *first_weights() { return second() + size_.statistics; }
    double *second_weights() { return first_weights() + size_.weights; }

    /// Starts to send what the buffer has, where the ranks have a callback for that; the functions
    /// below do what is left. Until then the buffer is not touched.
    status_t start();
    bool is_started() const { return is_started_; }
    /// Gathers; adds up all counts and sums.
    status_t combine_sums();
    /// Gathers; the first of a statistic is a mean, the second sum((x - mean)^2). By Chan's
    /// formula; ranks with a count of 0 do not take part. What one rank alone has keeps its bits.
    status_t combine_moments();

private:
    /// Gets the messages of all ranks, and clears the one that was sent.
    status_t gather();

    const ranks_t &ranks_;
    const rank_message_size_t size_;
    double *const local_;
    bool is_started_ = false;
    void *request_ = nullptr; // of what was started
};

} // namespace kiln::cpu

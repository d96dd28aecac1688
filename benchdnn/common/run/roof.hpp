// SPDX-License-Identifier: Apache-2.0
// How fast this machine moves bytes at all: a copy or a triad of the same footprint on as many
// threads as a problem has. It knows amounts of bytes, not operations.
#pragma once

#include <map>
#include <tuple>

#include "common/tensor/arguments.hpp"

namespace benchdnn {

class roof_t {
public:
    // copy: one array into another; triad: the sum of two arrays into a third. In place, the result
    // goes into the last input's memory.
    enum class kind_t { copy, triad, copy_in_place, triad_in_place };
    struct key_t {
        kind_t kind;
        size_t footprint; // bytes of all arrays
        int threads;
        bool operator<(const key_t &other) const {
            return std::tie(kind, footprint, threads)
                   < std::tie(other.kind, other.footprint, other.threads);
        }
    };

    // A triad where half as much again is read as is written, or more. With from_memory, the
    // footprint is one that no cache holds.
    static key_t key_of(const arguments_t::traffic_t &traffic, bool from_memory, int threads);

    bool is_known(const key_t &key) const { return speeds_.count(key) != 0; }
    // One turn: each way of storing, a few times. Later turns can only raise the speed.
    void measure(const key_t &key);
    // The best so far, every byte read and every byte written counted once; 0 without a turn.
    double bytes_per_second(const key_t &key) const;

    static constexpr int turns = 5;

private:
    std::map<key_t, double> speeds_;
};

const char *roof_kind_name(roof_t::kind_t kind);

} // namespace benchdnn

// SPDX-License-Identifier: Apache-2.0
// The memory bandwidth of this machine: a copy, a triad or a read with the footprint and the number
// of threads of a problem.
#pragma once

#include <map>
#include <tuple>

#include "common/tensor/arguments.hpp"

namespace benchdnn {

class roof_t {
public:
    // copy: one array into another; triad: the sum of two arrays into a third. In place, the result
    // is stored in the last input. read: one array is read.
    enum class kind_t { copy, triad, copy_in_place, triad_in_place, read };
    struct key_t {
        kind_t kind;
        size_t footprint; // bytes of all arrays
        int threads;
        bool operator<(const key_t &other) const {
            return std::tie(kind, footprint, threads)
                   < std::tie(other.kind, other.footprint, other.threads);
        }
    };

    // A read if at least 8 times as many bytes are read as written, a triad if at least 1.5 times
    // as many are. With from_memory, the footprint is larger than all caches.
    static key_t key_of(const arguments_t::traffic_t &traffic, bool from_memory, int threads);

    bool is_known(const key_t &key) const { return speeds_.count(key) != 0; }
    // One turn: each kind of store, a few times. Later turns can only raise the result.
    void measure(const key_t &key);
    // The highest bandwidth so far, counting every byte read and every byte written once; 0 before
    // the first turn.
    double bytes_per_second(const key_t &key) const;

    static constexpr int turns = 5;

private:
    std::map<key_t, double> speeds_;
};

const char *roof_kind_name(roof_t::kind_t kind);

} // namespace benchdnn

// SPDX-License-Identifier: Apache-2.0
// The memory bandwidth of this machine: a copy, a triad or a read with the footprint of a problem.
// Loops that store use SSE2: wider vectors are not faster for memory and the outer caches, and for
// the inner caches the C library's memcpy uses the widest vectors. Loops that only read use the
// widest vectors themselves.
#include "common/run/roof.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <immintrin.h>

#include "common/run/timing.hpp"
#include "common/tensor/parallel.hpp"

namespace benchdnn {

namespace {

using kind_t = roof_t::kind_t;

// Larger than any cache, for problems that are measured with cold caches.
constexpr size_t beyond_caches = size_t(256) << 20;
// The least duration of a sample, so that the time for starting threads is negligible.
constexpr double least_sample_ms = 1;
// The least duration of one loop's samples in a turn, after which the caches no longer hold the
// data of other loops.
constexpr double least_loop_ms = 15;
constexpr int least_samples = 3;
constexpr size_t step = 16; // floats of one iteration: a cache line

struct share_t {
    const float *first, *second;
    float *result;
    size_t count; // floats, a multiple of step
};

using loop_t = void (*)(const share_t &);

template <bool past_caches> void store(float *to, __m128 value) {
    if constexpr (past_caches)
        _mm_stream_ps(to, value);
    else
        _mm_store_ps(to, value);
}

// Members are copied to locals, because the compiler assumes that stores may change them.
template <bool past_caches> void copy(const share_t &s) {
    const float *const first = s.first;
    float *const result = s.result;
    for (size_t i = 0, count = s.count; i < count; i += step)
        for (size_t k = 0; k < step; k += 4)
            store<past_caches>(result + i + k, _mm_load_ps(first + i + k));
    if constexpr (past_caches) _mm_sfence();
}

template <bool past_caches> void triad(const share_t &s) {
    const float *const first = s.first, *const second = s.second;
    float *const result = s.result;
    for (size_t i = 0, count = s.count; i < count; i += step)
        for (size_t k = 0; k < step; k += 4)
            store<past_caches>(result + i + k,
                    _mm_add_ps(_mm_load_ps(first + i + k), _mm_load_ps(second + i + k)));
    if constexpr (past_caches) _mm_sfence();
}

// Reads a page and then writes one with non-temporal stores: some memories are faster if the
// direction changes rarely.
template <loop_t loop> void by_turns(const share_t &s) {
    constexpr size_t turn = 1024; // floats
    alignas(64) float page[turn];
    const bool is_triad = s.second != s.first;
    for (size_t i = 0; i < s.count; i += turn) {
        const size_t count = std::min(turn, s.count - i);
        std::memcpy(page, s.first + i, count * sizeof(float));
        // Prefetches the other input.
        for (size_t k = 0; is_triad && k < count; k += step)
            _mm_prefetch(s.second + i + k, _MM_HINT_T0);
        loop({page, is_triad ? s.second + i : page, s.result + i, count});
    }
}

void copy_by_library(const share_t &s) { std::memcpy(s.result, s.first, s.count * sizeof(float)); }

// Parts of the array that a loop reads side by side, so that several pages are prefetched.
constexpr size_t several = 4;

// The bitwise or of all elements, whose latency of one cycle does not limit the bandwidth. The
// compiler must not remove it.
#define READ(name, isa, vector, zero, load, either)                                                \
    template <size_t streams> __attribute__((target(isa))) void name(const share_t &s) {           \
        constexpr size_t width = sizeof(vector) / sizeof(float);                                   \
        const float *const first = s.first;                                                        \
        const size_t part = s.count / streams / step * step;                                       \
        vector all[streams];                                                                       \
        for (vector & some : all) some = zero();                                                   \
        for (size_t i = 0; i < part; i += step)                                                    \
            for (size_t k = 0; k < streams; ++k)                                                   \
                for (size_t l = 0; l < step; l += width)                                           \
                    all[k] = either(all[k], load(first + k * part + i + l));                       \
        for (size_t i = streams * part; i < s.count; i += width)                                   \
            all[0] = either(all[0], load(first + i));                                              \
        for (const vector &some : all) asm volatile("" ::"x"(some));                               \
    }
#define LOAD_256(from) _mm256_load_si256(reinterpret_cast<const __m256i *>(from))
READ(read_128, "sse2", __m128, _mm_setzero_ps, _mm_load_ps, _mm_or_ps)
READ(read_256, "avx2", __m256i, _mm256_setzero_si256, LOAD_256, _mm256_or_si256)
READ(read_512, "avx512f", __m512i, _mm512_setzero_si512, _mm512_load_si512, _mm512_or_si512)
#undef LOAD_256
#undef READ

std::vector<loop_t> reading_loops() {
    std::vector<loop_t> loops{read_128<1>, read_128<several>};
    if (__builtin_cpu_supports("avx2")) loops.insert(loops.end(), {read_256<1>, read_256<several>});
    if (__builtin_cpu_supports("avx512f"))
        loops.insert(loops.end(), {read_512<1>, read_512<several>});
    return loops;
}

bool is_in_place(kind_t kind) {
    return kind == kind_t::copy_in_place || kind == kind_t::triad_in_place;
}
bool is_triad(kind_t kind) { return kind == kind_t::triad || kind == kind_t::triad_in_place; }
bool has_result(kind_t kind) { return kind != kind_t::read && !is_in_place(kind); }

// The arrays of one measurement, divided among threads.
class arrays_t {
public:
    arrays_t(kind_t kind, size_t footprint)
        : kind_(kind) {
        const size_t inputs = is_triad(kind) ? 2 : 1;
        const size_t arrays = inputs + (has_result(kind) ? 1 : 0);
        count_ = std::max<size_t>(1, footprint / arrays / (step * sizeof(float))) * step;
        for (size_t i = 0; i < arrays; ++i) {
            buffers_.emplace_back(count_ * sizeof(float));
            // Not zeros, which some memory moves 1.5 times as fast.
            float *const values = array(i);
            uint32_t noise = 1;
            for (size_t k = 0; k < count_; ++k) {
                noise = noise * 1664525u + 1013904223u;
                values[k] = 1 + static_cast<float>(noise >> 9) * 0x1p-23f;
            }
        }
    }

    share_t share(int thread, int threads) const {
        const size_t steps = count_ / step;
        const size_t begin = steps * thread / threads * step;
        const size_t end = steps * (thread + 1) / threads * step;
        const size_t second = is_triad(kind_) ? 1 : 0;
        return {array(0) + begin, array(second) + begin, array(buffers_.size() - 1) + begin,
                end - begin};
    }

    double bytes_moved() const {
        const int accesses = kind_ == kind_t::read ? 1 : is_triad(kind_) ? 3 : 2;
        return static_cast<double>(count_ * sizeof(float)) * accesses;
    }

private:
    float *array(size_t index) const { return reinterpret_cast<float *>(buffers_[index].data()); }

    kind_t kind_;
    size_t count_;
    std::vector<buffer_t> buffers_;
};

void wait(int &turns) {
    // If there are more threads than processors, waiting threads must yield.
    if (++turns % 64 == 0) std::this_thread::yield();
    _mm_pause();
}

// Milliseconds from a common start until the last thread has passed over its share so many times.
double time_passes(loop_t loop, const arrays_t &arrays, int threads, int64_t passes) {
    std::atomic<int> ready{0}, done{0};
    std::atomic<bool> go{false};
    const auto work = [&](int thread) {
        const share_t share = arrays.share(thread, threads);
        for (int64_t i = 0; i < passes; ++i) {
            loop(share);
            // Keeps the compiler from merging passes.
            asm volatile("" ::: "memory");
        }
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread)
        others.emplace_back([&, thread] {
            ++ready;
            for (int turns = 0; !go;) wait(turns);
            work(thread);
            ++done;
        });
    for (int turns = 0; ready < threads - 1;) wait(turns);
    const stopwatch_t watch;
    go = true;
    work(0);
    for (int turns = 0; done < threads - 1;) wait(turns);
    const double ms = watch.ms();
    for (std::thread &other : others) other.join();
    return ms;
}

double best_speed(loop_t loop, const arrays_t &arrays, int threads) {
    const stopwatch_t watch;
    int64_t passes = 1;
    double ms = time_passes(loop, arrays, threads, passes);
    while (ms < least_sample_ms) {
        passes = static_cast<int64_t>(
                static_cast<double>(passes) * std::min(100., 1 + 1.5 * least_sample_ms / ms));
        ms = time_passes(loop, arrays, threads, passes);
    }
    for (int sample = 1; sample < least_samples || watch.ms() < least_loop_ms; ++sample)
        ms = std::min(ms, time_passes(loop, arrays, threads, passes));
    return arrays.bytes_moved() * static_cast<double>(passes) / (ms * 1e-3);
}

double best_of(const std::vector<loop_t> &loops, kind_t kind, size_t footprint, int threads) {
    const arrays_t arrays(kind, footprint);
    double best = 0;
    for (const loop_t loop : loops) best = std::max(best, best_speed(loop, arrays, threads));
    return best;
}

double turn(const roof_t::key_t &key) {
    const auto best = [&](kind_t kind, const std::vector<loop_t> &loops) {
        return best_of(loops, kind, key.footprint, key.threads);
    };
    switch (key.kind) {
    case kind_t::copy:
        return best(key.kind, {copy<false>, copy<true>, by_turns<copy<true>>, copy_by_library});
    case kind_t::copy_in_place: return best(key.kind, {copy<false>});
    case kind_t::read: return best(key.kind, reading_loops());
    // Reading costs less than writing, so a triad is expected to reach at least the bandwidth of a
    // copy.
    default:
        return std::max(best(key.kind, {triad<false>, triad<true>, by_turns<triad<true>>}),
                best(kind_t::copy, {copy_by_library}));
    }
}

} // namespace

roof_t::key_t roof_t::key_of(const arguments_t::traffic_t &traffic, bool from_memory, int threads) {
    const bool is_in_place = traffic.is_in_place();
    const size_t read = traffic.read + traffic.read_again;
    const bool is_triad = 2 * read >= 3 * traffic.written;
    const kind_t kind = read >= 8 * traffic.written ? kind_t::read
                        : is_triad ? (is_in_place ? kind_t::triad_in_place : kind_t::triad)
                                   : (is_in_place ? kind_t::copy_in_place : kind_t::copy);
    const size_t footprint =
            from_memory ? std::max(traffic.footprint, beyond_caches) : traffic.footprint;
    // More threads than processors do not increase the bandwidth.
    return {kind, footprint, std::clamp(threads, 1, worker_count())};
}

void roof_t::measure(const key_t &key) {
    double &speed = speeds_[key];
    speed = std::max(speed, turn(key));
}

double roof_t::bytes_per_second(const key_t &key) const {
    const auto found = speeds_.find(key);
    return found == speeds_.end() ? 0 : found->second;
}

const char *roof_kind_name(roof_t::kind_t kind) {
    switch (kind) {
    case kind_t::copy: return "copy";
    case kind_t::triad: return "triad";
    case kind_t::copy_in_place: return "copy in place";
    case kind_t::read: return "read";
    default: return "triad in place";
    }
}

} // namespace benchdnn

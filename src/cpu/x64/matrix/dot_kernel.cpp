// SPDX-License-Identifier: Apache-2.0
// The kernel of scalar products.

#include "cpu/x64/matrix/dot_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::matrix {

namespace {

/// Columns that share a register for their addresses, likewise rows.
constexpr int lines_of_base = 3;

/// Whether sums, rows or columns, an element of the others, and temporaries fit into the registers.
bool fits_transposed(isa_t isa, int rows, int columns, int temporaries) {
    return rows * columns + std::min(rows, columns) + 1 + temporaries <= jit::vectors_of(isa);
}

/// What a shift takes, sums of rows and ones, or products of integers of 16 bits.
int temporaries_of(step_t step, int rows, bool shifts) {
    if (shifts) return rows + 1;
    return step == step_t::s16 ? 1 : 0;
}

} // namespace

int most_transposed_rows(isa_t isa, step_t step, bool shifts) {
    int rows = 1;
    while (rows < jit::lanes_of(isa)
            && fits_transposed(isa, rows + 1, 1, temporaries_of(step, rows + 1, shifts)))
        ++rows;
    return rows;
}

int dot_columns(const dot_spec_t &spec) {
    constexpr int most = 8;
    if (spec.is_transposed) {
        int columns = 1;
        const int temporaries = temporaries_of(spec.step, spec.rows, spec.shifts_b());
        while (columns < most && fits_transposed(spec.isa, spec.rows, columns + 1, temporaries))
            ++columns;
        return columns;
    }
    // Accumulators, elements of A, and an element of B each; with groups, their own accumulators.
    const int sums = jit::vectors_of(spec.isa) / (spec.has_groups() ? 4 : 2);
    // Adjacent columns may be pages apart: their lines share few sets of the first-level cache.
    const int most_streams = spec.has_groups() ? 4 : most;
    return std::min(most_streams, sums / spec.rows);
}

dim_t dot_spec_t::set_length(dim_t k) {
    const int lanes = jit::lanes_of(isa), depth = depth_of(step);
    const dim_t vectors = k / (lanes * depth);
    const auto rest = static_cast<int>(k - vectors * lanes * depth);
    tail = divide_up(rest, depth);
    const bool loads_bytes = rest % depth != 0 || step == step_t::s16;
    tail_bytes = loads_bytes ? rest * jit::generator_t::size_of(b_type) : 0;
    return vectors;
}

std::string dot_spec_t::name() const {
    return jit::kernel_name(
            "matrix_dot_" + prefix_of(step) + std::to_string(rows) + (has_groups() ? "_groups" : "")
                    + (is_transposed ? "_transposed" : "") + (has_gaps ? "_gaps" : ""),
            {b_type}, isa);
}

/// Lines at a pitch: the addresses of each three are in a register. Vectors that alternate need
/// one.
struct dot_kernel_t::walk_t {
    walk_t(dot_kernel_t &k, size_t address) {
        bases.push_back(k.gpr("lines", k.argument(address)));
    }
    walk_t(dot_kernel_t &k, int count, size_t address, size_t pitch_argument)
        : pitch(k.gpr("pitch", k.argument(pitch_argument))) {
        for (int line = 0; line < count; line += lines_of_base) {
            const gpr_t &base = bases.emplace_back(k.gpr("lines"));
            if (line == 0) {
                k.mov(*base, k.argument(address));
            } else {
                k.lea(*base, k.ptr[*bases[bases.size() - 2] + **pitch * 2]);
                k.add(*base, **pitch);
            }
        }
    }
    RegExp line(const dot_kernel_t &k, int index) const {
        if (!pitch) return *bases.front() + index * k.lanes() * 4;
        const gpr_t &base = bases[index / lines_of_base];
        const int place = index % lines_of_base;
        return place == 0 ? RegExp(*base) : *base + **pitch * place;
    }
    void advance(dot_kernel_t &k, int bytes) const {
        for (const gpr_t &base : bases) k.add(*base, bytes);
    }
    std::optional<gpr_t> pitch;
    jit::list_t<gpr_t> bases;
};

dot_kernel_t::dot_kernel_t(const dot_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , io_(*this)
    , sums_io_(*this) {}

void dot_kernel_t::generate() {
    const auto copy = [&](size_t to, size_t from) {
        const gpr_t value = gpr("value", argument(from));
        mov(argument(to), *value);
    };
    const auto advance = [&](size_t address, size_t distance) {
        const gpr_t value = gpr("distance", argument(distance));
        add(argument(address), *value);
    };
    const auto columns = [&](int count, size_t left, bool is_last) {
        const auto write = [&] {
            write_columns(count);
            if (is_last) {
                advance(offsetof(dot_args_t, b), offsetof(dot_args_t, b_pitch));
                spec_.is_transposed
                        ? advance(offsetof(dot_args_t, sums), offsetof(dot_args_t, sums_pitch))
                        : add(argument(offsetof(dot_args_t, sums)), 4);
            } else {
                advance(offsetof(dot_args_t, b), offsetof(dot_args_t, b_next));
                advance(offsetof(dot_args_t, sums), offsetof(dot_args_t, sums_next));
            }
            for (const auto &[operand, offset] :
                    {std::pair(spec_.scale, offsetof(dot_args_t, scales)),
                            {spec_.zero, offsetof(dot_args_t, zeros)}})
                if (operand.per_lane) add(argument(offset), count * size_of(operand.type));
        };
        unless_zero(argument(left), [&] { repeat(argument(left), write); });
    };
    if (spec_.tail % lanes() != 0) io_.prepare_tail(spec_.tail);
    if (spec_.is_transposed && spec_.rows < lanes()) sums_io_.prepare_tail(spec_.rows);
    if (spec_.tail_bytes != 0 && has_avx512())
        tail_bytes_.emplace(mask("bytes of the tail", (uint64_t{1} << spec_.tail_bytes) - 1));
    columns(dot_columns(spec_), offsetof(dot_args_t, times), false);
    copy(offsetof(dot_args_t, b), offsetof(dot_args_t, b_rest));
    copy(offsetof(dot_args_t, sums), offsetof(dot_args_t, sums_rest));
    columns(1, offsetof(dot_args_t, rest), true);
    tail_bytes_.reset();
    sums_io_.release();
    io_.release();
}

void dot_kernel_t::write_columns(int columns) {
    vecs_t sums;
    for (int i = 0; i < spec_.rows * columns; ++i) set_zero(*sums.emplace_back(vec("sum")));
    {
        const walk_t a = spec_.is_transposed ? walk_t(*this, offsetof(dot_args_t, a))
                                             : walk_t(*this, spec_.rows, offsetof(dot_args_t, a),
                                                     offsetof(dot_args_t, a_pitch));
        const walk_t b(*this, columns, offsetof(dot_args_t, b), offsetof(dot_args_t, b_stream));
        spec_.has_groups() ? write_groups(sums, a, b) : write_vectors(sums, a, b);
    }
    spec_.is_transposed ? write_transposed_sums(sums, columns) : write_sums(sums, columns);
}

/// Sums += lanes of rows of A times those of columns of B, whole vectors or the tail; `of_a`, if
/// there are any, += those of A.
void dot_kernel_t::add_products(
        const vecs_t &sums, const walk_t &a, const walk_t &b, const vecs_t &of_a, bool is_tail) {
    const int columns = static_cast<int>(sums.size()) / spec_.rows;
    const int count = is_tail ? spec_.tail : lanes();
    const auto load_a = [&](const vec_t &elements, int row) {
        io_.load(elements, dnnl_f32, a.line(*this, row), count);
        if (of_a.empty()) return;
        const vec_t &sum = of_a[row];
        if (spec_.step == step_t::u8s8) {
            const vec_t ones = vec("ones");
            broadcast(ones, std::bit_cast<float>(0x01010101));
            spec_.a_is_signed ? vpdpbusd(*sum, *ones, *elements) : vpdpbusd(*sum, *elements, *ones);
        } else {
            vaddps(*sum, *sum, *elements);
        }
    };
    const auto sum_at = [&](int row, int column) -> const vec_t & {
        return sums[row * columns + column];
    };
    if (spec_.rows > columns) {
        vecs_t y;
        for (int column = 0; column < columns; ++column)
            load_b(y.emplace_back(vec("B")), b.line(*this, column), is_tail);
        const vec_t x = vec("A");
        for (int row = 0; row < spec_.rows; ++row) {
            load_a(x, row);
            for (int column = 0; column < columns; ++column)
                multiply(sum_at(row, column), x, *y[column]);
        }
        return;
    }
    vecs_t x;
    for (int row = 0; row < spec_.rows; ++row) load_a(x.emplace_back(vec("A")), row);
    const bool is_read_once = spec_.rows == 1 && !is_tail && takes_b_from_memory();
    const vec_t y = vec("B");
    for (int column = 0; column < columns; ++column) {
        if (is_read_once) {
            multiply(sum_at(0, column), x.front(), ptr[b.line(*this, column)]);
            continue;
        }
        load_b(y, b.line(*this, column), is_tail);
        for (int row = 0; row < spec_.rows; ++row) multiply(sum_at(row, column), x[row], *y);
    }
}

bool dot_kernel_t::takes_b_from_memory() const {
    switch (spec_.step) {
    case step_t::f32: return spec_.b_type == dnnl_f32;
    case step_t::u8s8: return !spec_.a_is_signed && !spec_.shifts_b();
    case step_t::s16: return false;
    default: return true;
    }
}

void dot_kernel_t::multiply(const vec_t &sum, const vec_t &a, const Xbyak::Operand &b) {
    switch (spec_.step) {
    case step_t::bf16: vdpbf16ps(*sum, *a, b); break;
    case step_t::u8s8: // the unsigned operand first
        spec_.a_is_signed ? vpdpbusd(*sum, static_cast<const Xmm &>(b), *a) : vpdpbusd(*sum, *a, b);
        break;
    case step_t::s16: {
        const vec_t products = vec("products");
        vpmaddwd(*products, *a, b);
        vpaddd(*sum, *sum, *products);
        break;
    }
    default: vfmadd231ps(*sum, *a, b);
    }
}

void dot_kernel_t::load_b(const vec_t &to, const RegExp &at, bool is_tail) {
    const bool are_words = spec_.step != step_t::f32; // lanes are loaded as they are
    const int count = is_tail ? spec_.tail : lanes();
    if (spec_.step == step_t::s16)
        load_bytes_as_words(to, at, is_tail);
    else if (is_tail && spec_.tail_bytes != 0)
        load_tail_bytes(to, at);
    else
        io_.load(to, are_words ? dnnl_f32 : spec_.b_type, at, count);
    if (spec_.shifts_b()) vxorps(*to, *to, constant_bits(0x80808080));
}

void dot_kernel_t::load_bytes_as_words(const vec_t &to, const RegExp &at, bool is_tail) {
    const auto widen = [&](const Xmm &words, const Xbyak::Operand &bytes) {
        spec_.b_type == dnnl_s8 ? vpmovsxbw(words, bytes) : vpmovzxbw(words, bytes);
    };
    if (!is_tail) return widen(*to, ptr[at]);
    if (tail_bytes_) return widen(*to | **tail_bytes_ | T_z, ptr[at]);
    load_tail_bytes(to, at);
    widen(*to, xmm(to));
}

/// Without masks of bytes, a half of the vector is put together lane by lane.
void dot_kernel_t::load_tail_bytes(const vec_t &to, const RegExp &at) {
    if (tail_bytes_) return vmovdqu8(*to | **tail_bytes_ | T_z, ptr[at]);
    constexpr int half_bytes = 16;
    const bool has_low_half = spec_.tail_bytes > half_bytes;
    const int bytes = spec_.tail_bytes - (has_low_half ? half_bytes : 0), lane = bytes / 4;
    const RegExp half = at + (has_low_half ? half_bytes : 0);
    set_zero(*to);
    for (int i = 0; i < lane; ++i) vpinsrd(xmm(to), xmm(to), dword[half + i * 4], i);
    if (bytes % 4 != 0) {
        const gpr_t last = gpr("last lane");
        load_last_bytes(*last, half + lane * 4, bytes % 4);
        vpinsrd(xmm(to), xmm(to), (*last).cvt32(), lane);
    }
    if (!has_low_half) return;
    constexpr uint8_t low_to_high = 0x08; // zeros in the lower half
    vperm2f128(ymm(to), ymm(to), ymm(to), low_to_high);
    vinsertf128(ymm(to), ymm(to), ptr[at], 0);
}

void dot_kernel_t::write_vectors(const vecs_t &sums, const walk_t &a, const walk_t &b) {
    vecs_t of_a;
    for (int row = 0; spec_.shifts_b() && row < spec_.rows; ++row)
        set_zero(*of_a.emplace_back(vec("sum of A")));
    const gpr_t left = gpr("vectors left", argument(offsetof(dot_args_t, vectors)));
    repeat_if_any(*left, [&] {
        fetch_columns(b, static_cast<int>(sums.size()) / spec_.rows);
        add_products(sums, a, b, of_a, false);
        a.advance(*this, (spec_.is_transposed ? spec_.rows : 1) * lanes() * 4);
        b.advance(*this, lanes() * spec_.lane_bytes());
    });
    if (spec_.tail != 0) {
        Xbyak::Label end;
        if (spec_.is_transposed) {
            cmp(argument(offsetof(dot_args_t, omits_tail)), 0);
            jne(end, T_NEAR);
        }
        add_products(sums, a, b, of_a, true);
        L(end);
    }
    if (spec_.shifts_b()) take_back_shift(sums, of_a);
}

void dot_kernel_t::fetch_columns(const walk_t &b, int columns) {
    if (!spec_.has_gaps) {
        for (int column = 0; column < columns; ++column)
            prefetcht0(ptr[b.line(*this, column) + dot_bytes_ahead]);
        return;
    }
    const gpr_t ahead = gpr("columns ahead");
    for (int column = 0; column < columns; ++column) {
        const int place = column % lines_of_base;
        if (place == 0) {
            mov(*ahead, *b.bases[column / lines_of_base]);
            add(*ahead, argument(offsetof(dot_args_t, b_ahead)));
        }
        prefetcht0(place == 0 ? ptr[*ahead] : ptr[*ahead + **b.pitch * place]);
    }
}

/// Sums -= what columns were shifted by, times the sums of rows.
void dot_kernel_t::take_back_shift(const vecs_t &sums, const vecs_t &of_a) {
    const int columns = static_cast<int>(sums.size()) / spec_.rows;
    constexpr uint8_t times_128 = 7;
    for (int row = 0; row < spec_.rows; ++row) {
        const vec_t &shift = of_a[row];
        vpslld(*shift, *shift, times_128);
        for (int column = 0; column < columns; ++column) {
            const vec_t &sum = sums[row * columns + column];
            spec_.a_is_signed ? vpsubd(*sum, *sum, *shift) : vpaddd(*sum, *sum, *shift);
        }
    }
}

/// The columns of the next time are fetched, which follow those of this one.
void dot_kernel_t::write_groups(const vecs_t &sums, const walk_t &a, const walk_t &b) {
    const int columns = static_cast<int>(sums.size()) / spec_.rows;
    const gpr_t left = gpr("vectors left"), ahead = gpr("columns ahead");
    const gpr_t scales = gpr("scales", argument(offsetof(dot_args_t, scales)));
    const gpr_t zeros = gpr("zero points", argument(offsetof(dot_args_t, zeros)));
    const gpr_t groups = gpr("groups left", argument(offsetof(dot_args_t, groups)));
    mov(*ahead, argument(offsetof(dot_args_t, b)));
    add(*ahead, argument(offsetof(dot_args_t, b_next)));
    Xbyak::Label next_group;
    L(next_group);
    vecs_t of_group, of_a;
    for (size_t i = 0; i < sums.size(); ++i) set_zero(*of_group.emplace_back(vec("group's sum")));
    for (int row = 0; spec_.zero.exists() && row < spec_.rows; ++row)
        set_zero(*of_a.emplace_back(vec("sum of A")));
    mov(*left, argument(offsetof(dot_args_t, group_vectors)));
    repeat(*left, [&] {
        const int bytes = columns * lanes() * size_of(spec_.b_type);
        for (int at = 0; at < bytes; at += cache_line_bytes) prefetcht1(ptr[*ahead + at]);
        add(*ahead, bytes);
        add_products(of_group, a, b, of_a, false);
        a.advance(*this, lanes() * 4);
        b.advance(*this, lanes() * spec_.lane_bytes());
    });
    for (int column = 0; column < columns; ++column) {
        const auto value = [&](const group_operand_t &operand, const gpr_t &at) {
            vec_t x = vec("value of a group");
            io_.load_broadcast(
                    x, operand.type, *at + (operand.per_lane ? column * size_of(operand.type) : 0));
            return x;
        };
        const auto sum_of = [&](const vecs_t &list, int row) -> const vec_t & {
            return list[row * columns + column];
        };
        if (spec_.zero.exists()) {
            const vec_t zero = value(spec_.zero, zeros);
            for (int row = 0; row < spec_.rows; ++row)
                vfnmadd231ps(*sum_of(of_group, row), *of_a[row], *zero);
        }
        std::optional<vec_t> scale;
        if (spec_.scale.exists()) scale.emplace(value(spec_.scale, scales));
        for (int row = 0; row < spec_.rows; ++row) {
            const vec_t &sum = sum_of(sums, row), &x = sum_of(of_group, row);
            scale ? vfmadd231ps(*sum, *x, **scale) : vaddps(*sum, *sum, *x);
        }
    }
    add(*scales, argument(offsetof(dot_args_t, scale_pitch)));
    add(*zeros, argument(offsetof(dot_args_t, zero_pitch)));
    dec(*groups);
    jnz(next_group, T_NEAR);
}

} // namespace kiln::x64::matrix

// SPDX-License-Identifier: Apache-2.0
// The operands of a driver's kernels, described once: which arguments they are, what elements they
// have, and where their rows lie.
//
// A driver names its operands by an enum, in the kernel's order, and uses the table in three steps:
// 1. `accept` adds the arguments to an operand_layouts_t in this order, and plans over mds().
//    Absent arguments keep their index.
// 2. The plan keeps the table, operands(); the kernel's spec gets types and pitches, rows_of().
// 3. An execution finds the buffers once, bind(), and the addresses of each run's first row,
//    locate().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <initializer_list>
#include <span>
#include <vector>

#include "common/memory/data_type.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/reciprocal.hpp"

namespace kiln::x64 {

/// The address `bytes` behind `base`; null stays null.
inline void *moved(const void *base, dim_t bytes) {
    if (base == nullptr) return nullptr;
    return static_cast<std::byte *>(const_cast<void *>(base)) + bytes;
}

constexpr int bits_per_byte = 8;

/// One operand of a kernel. That of an absent argument has the data type undef and size 0.
struct operand_t {
    int slot = -1; // in the primitive's table of arguments; -1: none
    data_type_t type = dnnl_data_type_undef;
    dim_t size = 0;          // bytes of an element
    bool is_mask = false;    // elements are bits, eight in a byte
    bool is_half = false;    // two elements in a byte
    bool broadcasts = false; // may have extents of 1 where the first operand has others
    // A part of the reciprocal of the argument's one element, of this type: its rest, or `high`.
    data_type_t divisor_type = dnnl_data_type_undef;
    bool is_rest = false;

    bool is_absent() const { return type == dnnl_data_type_undef && !is_mask; }
    /// Bytes of `elements` elements.
    dim_t bytes(dim_t elements) const {
        return is_mask ? elements / bits_per_byte : is_half ? elements / 2 : elements * size;
    }
};

/// What a kernel's spec says of an operand.
struct row_operand_t {
    data_type_t type = dnnl_data_type_undef; // undef: the operand is absent, or a mask
    dim_t pitch = 0;                         // bytes from a row to the next
    dim_t block_pitch = 0;                   // columns: bytes from a block of them to the next
    bool is_mask = false;                    // elements are bits, eight in a byte
};

/// An address for each operand, by its index; null where the argument is absent.
using addresses_t = std::array<void *, max_row_operands>;

/// The table of a driver's operands. A plan keeps it: it refers to no descriptor.
class operands_t {
public:
    size_t count() const { return operands_.size(); }
    const operand_t &operator[](size_t index) const { return operands_[index]; }
    void reserve(size_t count);
    void add(const operand_t &operand);
    /// Replaces the elements of an operand, for a kernel that reads a converted copy of it.
    void set_type(size_t index, data_type_t type);

    /// Bytes from a row to the next one in an operand, for kernels on the runs of `plan`.
    dim_t pitch_of(size_t index, const row_plan_t &plan) const {
        return operands_[index].bytes(plan.pitches()[index]);
    }
    /// Type and pitch of each operand.
    std::vector<row_operand_t> rows_of(const row_plan_t &plan) const;

    /// Where the operands' buffers begin, in front of offset0.
    addresses_t bind(const exec_ctx_t &ctx) const;
    /// The same; those that are parts of a reciprocal begin in `reciprocal`, which is set.
    addresses_t bind(const exec_ctx_t &ctx, reciprocal_t &reciprocal) const;
    /// The address of one operand's element at an offset that includes offset0.
    void *locate(const addresses_t &bases, size_t index, dim_t offset) const {
        return moved(bases[index], operands_[index].bytes(offset));
    }
    /// The addresses of a row: each buffer moved by the row's offset. Those of absent operands are
    /// not set.
    void locate(const addresses_t &bases, const row_offsets_t &offsets,
            std::span<void *> addresses) const {
        for (const uint8_t i : present_) addresses[i] = locate(bases, i, offsets[i]);
    }
    /// Whether another operand has the same buffer.
    bool has_alias(const addresses_t &bases, size_t index) const;
    /// Whether non-temporal stores may write an operand whose rows are aligned if the first one of
    /// `rows` is: this one is, and no other operand has the buffer.
    bool may_bypass_caches(
            const addresses_t &bases, size_t index, const row_plan_t &rows, size_t alignment) const;

private:
    std::vector<operand_t> operands_;
    std::vector<uint8_t> present_; // the indices of arguments that executions take
};

/// Refuses where one of the tensors, absent ones aside, is neither a float nor an integer of 8
/// bits.
refusal_t check_tensor_types(std::initializer_list<const memory_desc_t *> tensors);

/// The table while it is built, with the operands' layouts.
class operand_layouts_t {
public:
    explicit operand_layouts_t(const primitive_desc_t &pd);

    const operands_t &operands() const { return operands_; }
    /// A descriptor for each operand. That of an absent or shared operand is the zero descriptor,
    /// which moves from row to row by nothing.
    std::span<const memory_desc_t *const> mds() const { return mds_; }

    /// An argument in its own layout. One that executions do not take is absent.
    void add(int arg);
    /// The same of several.
    void add(std::initializer_list<int> args) {
        for (const int arg : args) add(arg);
    }
    /// An argument whose elements are arranged as `md`, which outlives this object, says.
    void add(int arg, const memory_desc_t &md);
    /// The same with a copy of `md`.
    void add_own(int arg, const memory_desc_t &md) { add(arg, own_mds_.emplace_front(md)); }
    /// A bit for each element; offsets in `md` count bits.
    void add_mask(int arg, const memory_desc_t &md);
    /// An argument that may be broadcast along some axes of the first operand.
    void add_broadcast(int arg, const memory_desc_t &md);
    /// The same where the elements are read as `type`, which has the size of theirs.
    void add_broadcast(int arg, const memory_desc_t &md, data_type_t type);
    /// An argument whose address is the same for all rows.
    void add_shared(int arg);
    void add_shared(std::initializer_list<int> args) {
        for (const int arg : args) add_shared(arg);
    }
    /// An attribute's values: one for each index, or for each group of indices, of some axes.
    void add_attribute(int arg) { add_broadcast(arg, pd_.md_of(arg)); }

    /// The reciprocal of an attribute's one value: `high`, then `low`.
    void add_reciprocal(int arg);

    /// Bytes of all elements.
    dim_t bytes() const;

private:
    /// The zero descriptor for an argument that executions do not take.
    const memory_desc_t &md_at(int slot) const;
    static operand_t operand_at(int slot, data_type_t type);
    void add(const operand_t &operand, const memory_desc_t &md);

    const primitive_desc_t &pd_;
    operands_t operands_;
    std::vector<const memory_desc_t *> mds_;
    std::forward_list<memory_desc_t> own_mds_;
};

} // namespace kiln::x64

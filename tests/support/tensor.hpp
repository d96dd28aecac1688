// SPDX-License-Identifier: Apache-2.0
// A tensor in guarded memory, filled and read in row-major order of its logical index through any
// layout. It knows no operation.
#pragma once

#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "support/data_type.hpp"
#include "support/guarded_buffer.hpp"
#include "support/handle.hpp"
#include "support/layout.hpp"

namespace kiln::test {

/// Whether sums follow the `bytes` bytes of the elements of weights in blocks.
bool has_sums_behind(const_dnnl_memory_desc_t desc, size_t bytes);
/// Stores such weights by a reorder of the library, which knows how the sums lie.
void store_with_sums(dnnl_memory_t weights, const std::vector<double> &values);

/// Its buffer ends with its last element, padding included: even the elements that a row pitch
/// adds after the last row are missing. Every byte, elements too, is a mark at first, so that what
/// is never written shows: in floating-point types the mark is NaN.
class tensor_t {
public:
    explicit tensor_t(
            const_dnnl_memory_desc_t desc, placement_t placement = placement_t::ends_at_guard);

    const layout_t &layout() const { return layout_; }
    dnnl_data_type_t type() const { return layout_.type(); }
    const dims_t &dims() const { return layout_.dims(); }
    int64_t elements() const { return volume(layout_.dims()); }

    dnnl_memory_t memory() const { return memory_; }
    const_dnnl_memory_desc_t desc() const { return desc_; }

    /// Writes the elements, rounded to the tensor's type, zeros into the padding, and what the
    /// library wants behind weights.
    void fill(const std::vector<double> &values);
    std::vector<double> values() const;
    double value(const dims_t &index) const;

    /// The bytes of the elements only, in logical order: equal bytes mean bitwise equal tensors.
    std::vector<std::byte> bits() const;
    /// bits() == `bits`.
    bool has_bits(const std::vector<std::byte> &bits) const;

    /// All bytes of the buffer, those between elements too.
    std::span<const std::byte> bytes() const { return {buffer_.data(), buffer_.size()}; }

    /// Marks every byte again.
    void mark();
    /// Marks the padding, in which a caller may leave anything if the tensor is an output.
    void mark_padding();

    /// Padding is zero, and nothing beside elements and padding was written.
    testing::AssertionResult is_tidy() const;

private:
    /// The byte where an element at an offset begins.
    size_t byte_of(int64_t offset) const {
        return static_cast<size_t>(offset) * size_ / (is_half_byte_ ? 2 : 1);
    }
    /// Whether the elements are all bytes of the buffer.
    bool is_dense() const;
    /// Whether the bytes of the elements are adjacent and in logical order.
    bool has_bytes_in_order() const { return is_row_major_ && !is_half_byte_; }
    void store(int64_t offset, double value);
    double load(int64_t offset) const;
    /// Visits the offsets of the elements in row-major order.
    template <typename visitor_t> void for_each_offset(visitor_t visit) const;
    template <typename visitor_t> void for_each_padding(visitor_t visit) const;

    memory_desc_handle_t desc_;
    layout_t layout_;
    size_t size_; // of an element, or of the byte of two
    bool is_half_byte_;
    bool is_sparse_; // so large a buffer that it is open only where elements lie
    bool is_row_major_;
    std::vector<int64_t> offsets_; // of the elements of other layouts, in row-major order
    bool has_sums_;                // the buffer goes on behind the elements of blocks
    guarded_buffer_t buffer_;
    memory_handle_t memory_;
};

/// "[1,0,4]": how messages name an element.
std::string index_text(const dims_t &index);

} // namespace kiln::test

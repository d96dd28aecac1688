// SPDX-License-Identifier: Apache-2.0
// An argument of an execution: its elements, in a buffer whose other bytes nobody may write. Inputs
// may be of s4 and u4, two elements to a byte.
#pragma once

#include <string>
#include <vector>

#include "differential/regions.hpp"
#include "support/layout.hpp"

namespace kiln::test::differential {

class operand_t {
public:
    operand_t(int arg, std::string name, const_dnnl_memory_desc_t desc, regions_t &regions,
            random_t &random);

    int arg() const { return arg_; }
    const std::string &name() const { return name_; }
    dnnl_memory_t memory() const { return memory_; }
    const_dnnl_memory_desc_t desc() const { return desc_; }
    dnnl_data_type_t type() const { return type_; }
    const dims_t &dims() const { return dims_; }
    size_t elements() const { return elements_.size(); }

    /// Stores the elements in row-major order, rounded to the type, and zeros in the padding.
    void fill(const std::vector<double> &values);
    /// Stores the bytes of another operand of the same size.
    void copy(const operand_t &from);
    std::vector<double> values() const;
    std::vector<std::byte> bits() const;

    /// Makes all bytes what they were when the operand was filled; a mark if it never was.
    void restore();
    /// Whether all bytes are what they were when it was filled.
    bool is_unchanged() const;
    /// What was written beside the elements, or what padding is not zero; empty if nothing.
    std::string damage() const;

private:
    std::byte *at(size_t element) const { return place_.data + elements_[element]; }
    void put_half(size_t place, int code) const;
    int half(size_t place) const;
    void keep() { image_.assign(place_.begin, place_.end); }

    int arg_;
    std::string name_;
    memory_desc_handle_t desc_;
    dnnl_data_type_t type_;
    dims_t dims_;
    bool has_halves_;              // elements are half bytes
    bool has_sums_;                // the sums of weights lie behind them
    size_t size_;                  // of an element
    std::vector<size_t> elements_; // where they lie, in (half) bytes from the buffer's beginning
    std::vector<size_t> padding_;  // the same of positions beyond the tensor
    place_t place_;
    std::vector<std::byte> image_;
    memory_handle_t memory_;
};

/// The bytes between two bounds that differ: how messages name a place.
std::string place_text(const dims_t &dims, size_t element);

} // namespace kiln::test::differential

// SPDX-License-Identifier: Apache-2.0
// What the tests of the reorders' two copying kernels have in common: a case with operands in
// marked buffers, which a model computes byte by byte. A case has `spec`, the sizes of both
// operands, `details()`, `args(src, dst)` and `model(src, dst)`, which fills a buffer of marks.
#pragma once

#include <algorithm>
#include <random>
#include <sstream>

#include "kernels/kernel_failure.hpp"
#include "kernels/reorder/reorder_elements.hpp"
#include "unit/jit/element_model.hpp"
#include "unit/jit/marked_buffer.hpp"

namespace kiln::x64::nests::test {

using kiln::test::kernel_failure_t;
using kiln::test::marked_buffer_t;
using kiln::test::placement_t;
using kiln::test::placements;
using kiln::test::read_code;
using kiln::test::write_code;

template <typename spec_t> struct copy_case_t {
    spec_t spec;
    dim_t gap = 0; // bytes between lines of src; in dst there are others
    placement_t placement = placement_t::ends_at_guard;

protected:
    /// Non-temporal stores need aligned lines.
    dim_t aligned(dim_t size) const {
        constexpr dim_t alignment = 64;
        return spec.is_non_temporal ? (size + alignment - 1) / alignment * alignment : size;
    }
    /// Converts an element and stores its bits that are in the mask.
    void move(const std::byte *from, dim_t from_index, std::byte *to, dim_t to_index,
            uint32_t mask = ~0u) const {
        const auto code = read_code(from, static_cast<size_t>(from_index), size_of(spec.src_type));
        const uint32_t moved = spec.clamp != dnnl_data_type_undef
                                       ? clamped(spec.clamp, code)
                                       : reordered({spec.src_type, spec.dst_type}, code);
        write_code(to, static_cast<size_t>(to_index), size_of(spec.dst_type), moved & mask);
    }
};

/// Runs the kernel of a case and compares dst with the model.
template <typename kernel_t, typename case_t>
::testing::AssertionResult gives_what_it_should(const case_t &tested) {
    const marked_buffer_t src(tested.src_bytes(), tested.placement);
    const marked_buffer_t dst(tested.dst_bytes(), tested.placement);
    const auto src_size = static_cast<size_t>(size_of(tested.spec.src_type));
    const auto seed = static_cast<uint32_t>(src.size());
    const auto elements = tricky_elements(tested.spec.src_type, src.size() / src_size + 1, seed);
    std::copy_n(elements.begin(), src.size(), src.data());
    auto args = tested.args(src.data(), dst.data());
    const jit::executable_code_t code = kernel_t(tested.spec).finish();
    std::ostringstream details;
    details << tested.details() << ", gap " << tested.gap
            << (tested.spec.is_non_temporal ? ", non-temporal" : "")
            << (tested.placement == placement_t::ends_at_guard ? ", ends" : ", begins")
            << " at guard";
    const kernel_failure_t failure(
            tested.spec.name(), details.str(), seed, {code.data(), code.size()});
    code.entry<void (*)(decltype(args) *)>()(&args);
    if (!src.slack_is_untouched() || !dst.slack_is_untouched())
        return failure("wrote outside its tensors");
    std::vector<std::byte> expected(tested.dst_bytes(), marked_buffer_t::mark);
    tested.model(src.data(), expected.data());
    const auto [one, other] = std::mismatch(expected.begin(), expected.end(), dst.data());
    if (one == expected.end()) return ::testing::AssertionSuccess();
    return failure.at(one - expected.begin(), int(*one), int(*other));
}

/// What is drawn of a case: whole numbers, gaps and a placement.
class copy_draw_t {
public:
    explicit copy_draw_t(uint32_t seed)
        : engine_(seed) {}

    int up_to(int most) { return static_cast<int>(below(static_cast<size_t>(most) + 1)); }

protected:
    size_t below(size_t bound) { return engine_() % bound; }
    template <typename case_t> void place(case_t &tested) {
        tested.gap = static_cast<dim_t>(below(2) * below(20));
        tested.placement = placements[below(2)];
    }

private:
    std::mt19937 engine_;
};

} // namespace kiln::x64::nests::test

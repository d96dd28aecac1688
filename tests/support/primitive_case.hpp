// SPDX-License-Identifier: Apache-2.0
// One problem of any operation with its primitive and tensors, ready to be executed and judged. An
// operation's case binds its operands and says what is true.
#pragma once

#include "support/bindings.hpp"
#include "support/implementations.hpp"
#include "support/interval.hpp"

namespace kiln::test {

/// What an output should be.
struct expected_t {
    int arg;
    std::string name;
    std::vector<interval_t> values;
};

class primitive_case_t {
public:
    primitive_case_t(
            std::string name, primitive_desc_handle_t &&primitive_desc, placement_t placement)
        : name_(std::move(name))
        , primitive_desc_(std::move(primitive_desc))
        , primitive_(make_primitive(primitive_desc_))
        , bindings_(placement) {}
    primitive_case_t(primitive_case_t &&) = default;
    virtual ~primitive_case_t() = default;

    /// The problem as a text.
    const std::string &name() const { return name_; }
    const_dnnl_primitive_desc_t primitive_desc() const { return primitive_desc_; }
    const_dnnl_primitive_t primitive() const { return primitive_; }
    bindings_t &bindings() { return bindings_; }
    const bindings_t &bindings() const { return bindings_; }
    bool has(int arg) const { return bindings_.has(arg); }
    tensor_t &tensor(int arg) { return bindings_[arg]; }
    const tensor_t &tensor(int arg) const { return bindings_[arg]; }
    arguments_t arguments() const { return bindings_.arguments(); }
    std::vector<int> outputs() const { return bindings_.outputs(); }

    /// Replaces the elements of an input.
    virtual void refill(int arg, const std::vector<double> &values) {
        bindings_.refill(arg, values);
    }

    dnnl_status_t execute() const { return arguments().execute(primitive_); }

    /// The truth, as far as it is known; to be asked after an execution.
    virtual std::vector<expected_t> expected() const = 0;

    /// Judges an execution that was asked for these outputs only: they are right, and nothing else
    /// was written.
    testing::AssertionResult is_right(const std::vector<int> &outputs) const {
        return is_right(expected(), outputs);
    }
    testing::AssertionResult is_right() const { return is_right(outputs()); }
    testing::AssertionResult is_right(
            const std::vector<expected_t> &expected, const std::vector<int> &outputs) const;

    /// The bits of the elements of all outputs.
    std::vector<std::vector<std::byte>> output_bits() const;

    /// Makes every byte of outputs a mark again.
    void mark_outputs();

protected:
    /// Binds arguments in the layouts that the descriptor has.
    void add_input(int arg, const std::string &name, const std::vector<double> &values) {
        bindings_.add_input(arg, name, chosen_desc(primitive_desc_, arg), values);
    }
    void add_output(int arg, const std::string &name) {
        bindings_.add_output(arg, name, chosen_desc(primitive_desc_, arg));
    }
    /// The same, or in the buffer of an input.
    void add_output(int arg, const std::string &name, bool in_place, int input) {
        in_place ? bindings_.add_in_place(arg, input) : add_output(arg, name);
    }

private:
    std::string name_;
    primitive_desc_handle_t primitive_desc_;
    primitive_handle_t primitive_;
    bindings_t bindings_;
};

/// The case of a problem, by the implementation at a place among those that accept it, which
/// to_string(problem) and describe(problem, implementation) beside the problem's type tell of.
template <typename problem_t> class problem_case_t : public primitive_case_t {
protected:
    problem_case_t(const problem_t &p, size_t implementation, placement_t placement)
        : primitive_case_t(to_string(p), describe(p, implementation), placement)
        , p_(p) {}

    const problem_t p_;
};

} // namespace kiln::test

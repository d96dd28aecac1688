// SPDX-License-Identifier: Apache-2.0
// Walks the list of implementations and reads the refusals that the library keeps.
#include "common/run/implementations.hpp"

#include <algorithm>

#include "common/command_line/text.hpp"
#include "common/run/optional_function.hpp"
#include "kiln/refusals.h"
#include "oneapi/dnnl/dnnl_debug.h"

namespace benchdnn {

namespace {

// The refusals of this thread's calls while the object lives.
class refusal_reader_t {
public:
    refusal_reader_t() {
        if (is_available()) record_(1);
    }
    ~refusal_reader_t() {
        if (is_available()) record_(0);
    }
    refusal_reader_t(const refusal_reader_t &) = delete;
    refusal_reader_t &operator=(const refusal_reader_t &) = delete;

    bool is_available() const { return record_ != nullptr && recorded_ != nullptr; }

    // Adds those that came since the last call.
    void move_to(answers_t &all) {
        if (!is_available()) return;
        for (const std::string &line : split(recorded_(), '\n')) {
            if (line == "(more)") all.has_refusals = false; // than the library keeps
            const size_t end = line.find(": ");
            if (end == std::string::npos) continue;
            // "OPERATION NAME", or the kind of object that was wrong.
            const size_t space = std::min(line.find(' '), end);
            const size_t name = space == end ? 0 : space + 1;
            all.answers.push_back({line.substr(name, end - name), line.substr(end + 2),
                    line.substr(0, space == end ? 0 : space)});
        }
        record_(1); // forgets them
    }

private:
    decltype(&kiln_record_refusals) record_ = BENCHDNN_OPTIONAL_FUNCTION(kiln_record_refusals);
    decltype(&kiln_recorded_refusals) recorded_ =
            BENCHDNN_OPTIONAL_FUNCTION(kiln_recorded_refusals);
};

// Keeps an answer of each implementation of the operation: that it accepts, or its first refusal.
// Others come from operations that serve this one, from the forward hint of a backward problem, and
// from copies of the problem in other layouts.
void keep_answers_of(const std::string &operation, std::vector<answer_t> &answers) {
    std::vector<answer_t> kept;
    for (const answer_t &answer : answers) {
        if (!answer.operation.empty() && answer.operation != operation) continue;
        const auto known = std::find_if(kept.begin(), kept.end(),
                [&](const answer_t &earlier) { return earlier.name == answer.name; });
        if (known == kept.end())
            kept.push_back(answer);
        else if (answer.refusal.empty())
            *known = answer;
    }
    answers = std::move(kept);
}

} // namespace

std::string implementation_name(const primitive_desc_t &descriptor) {
    const char *name = nullptr;
    require_success(dnnl_primitive_desc_query(descriptor.get(), dnnl_query_impl_info_str, 0, &name),
            "dnnl_primitive_desc_query(impl_info_str)");
    return name ? name : "";
}

std::vector<std::string> answers_t::names() const {
    std::vector<std::string> names;
    for (const answer_t &answer : answers) names.push_back(answer.name);
    return names;
}

std::vector<std::string> answers_t::unknown_parts(const impl_filter_t &filter) const {
    std::vector<std::string> unknown;
    if (!has_refusals || filter.is_skip_list) return unknown;
    std::copy_if(filter.pieces.begin(), filter.pieces.end(), std::back_inserter(unknown),
            [&](const std::string &piece) {
                return std::none_of(answers.begin(), answers.end(), [&](const answer_t &answer) {
                    return answer.name.find(piece) != std::string::npos;
                });
            });
    return unknown;
}

answers_t ask_implementations(const primitive_problem_t &problem, const engine_t &engine,
        const_dnnl_primitive_attr_t attr) {
    answers_t all;
    refusal_reader_t reader;
    all.has_refusals = reader.is_available();
    primitive_desc_t descriptor;
    all.status = problem.create(engine.get(), attr, descriptor);
    reader.move_to(all);
    if (all.status != dnnl_success) return all;
    dnnl_primitive_kind_t kind = dnnl_undefined_primitive;
    dnnl_primitive_desc_query(descriptor.get(), dnnl_query_primitive_kind, 0, &kind);
    do {
        all.answers.push_back({implementation_name(descriptor), ""});
    } while ([&] {
        const dnnl_status_t status = dnnl_primitive_desc_next_impl(descriptor.get());
        reader.move_to(all);
        return status == dnnl_success;
    }());
    keep_answers_of(dnnl_prim_kind2str(kind), all.answers);
    return all;
}

} // namespace benchdnn

// SPDX-License-Identifier: Apache-2.0
// Parsing of ONEDNN_VERBOSE.

#include "common/verbose/verbose_options.hpp"

#include <regex>
#include <string_view>

#include "common/environment.hpp"

namespace kiln::verbose {

namespace {

struct keyword_t {
    const char *name;
    unsigned flags;
};

// Keywords add up; "0" and "none" are handled apart, because they drop the keywords before them.
constexpr keyword_t keywords[] = {
        {"1", level_1},
        {"2", level_2},
        {"-1", all_flags},
        {"all", all_flags},
        {"error", error},
        {"warn", warning},
        {"check", create_check | exec_check},
        {"dispatch", create_dispatch},
        {"profile", create_profile | exec_profile},
        {"profile_create", create_profile},
        {"profile_exec", exec_profile},
        // Of oneDNN, without a meaning here.
        {"profile_externals", none},
};
constexpr std::string_view debug_info = "debuginfo=", filter = "filter=";

struct component_name_t {
    const char *name;
    int bit;
};

// The order is that of the notice; graph and what follows have no primitive kind.
constexpr component_name_t component_names[] = {
        {"primitive", 0},
        {"reorder", dnnl_reorder},
        {"shuffle", dnnl_shuffle},
        {"concat", dnnl_concat},
        {"sum", dnnl_sum},
        {"convolution", dnnl_convolution},
        {"deconvolution", dnnl_deconvolution},
        {"eltwise", dnnl_eltwise},
        {"lrn", dnnl_lrn},
        {"batch_normalization", dnnl_batch_normalization},
        {"inner_product", dnnl_inner_product},
        {"rnn", dnnl_rnn},
        {"binary", dnnl_binary},
        {"matmul", dnnl_matmul},
        {"resampling", dnnl_resampling},
        {"pooling", dnnl_pooling},
        {"reduction", dnnl_reduction},
        {"prelu", dnnl_prelu},
        {"softmax", dnnl_softmax},
        {"layer_normalization", dnnl_layer_normalization},
        {"group_normalization", dnnl_group_normalization},
        {"graph", 22},
        {"gemm_api", 23},
        {"ukernel", 24},
};
static_assert(dnnl_group_normalization < 22, "a primitive kind needs the bit of a component");

void apply_keyword(const std::string &word, options_t &options) {
    if (word.empty() || word.starts_with(debug_info)) return;
    if (word == "0" || word == "none") {
        options.flags = none;
        return;
    }
    for (const keyword_t &keyword : keywords) {
        if (word != keyword.name) continue;
        options.flags |= keyword.flags;
        return;
    }
    options.unknown_words += " " + quoted(word);
}

std::string not_applied(const std::string &why) {
    return "common,error,filter format is ill-formed and is not applied, error: " + why;
}

/// Why a pattern is refused before it is compiled; empty for none. std::regex calls itself for each
/// element and each level of a pattern, and makes a copy of what a count repeats: without these
/// bounds a pattern can exhaust the stack.
std::string beyond_bounds(const std::string &pattern) {
    constexpr size_t most_characters = 512;
    constexpr int most_levels = 32;
    if (pattern.size() > most_characters)
        return "the pattern has " + std::to_string(pattern.size()) + " characters; at most "
               + std::to_string(most_characters) + " are supported";
    if (pattern.find('{') != std::string::npos) return "repetition by a count ({) is not supported";
    int level = 0;
    for (const char c : pattern) {
        level += (c == '(') - (c == ')');
        if (level > most_levels)
            return "groups are nested; at most " + std::to_string(most_levels)
                   + " levels are supported";
    }
    return "";
}

/// Matching takes a time that is polynomial in the length of the pattern where the library of C++
/// offers it; back-references are then refused.
std::regex::flag_type pattern_flags() {
#ifdef __GLIBCXX__
    return std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
    return std::regex::ECMAScript;
#endif
}

void apply_filter(const std::string &pattern, options_t &options) {
    if (const std::string why = beyond_bounds(pattern); !why.empty()) {
        options.filter_notice = not_applied(why);
        return;
    }
    components_t hits = 0;
    std::string names;
    try {
        const std::regex regex(pattern, pattern_flags());
        for (const component_name_t &component : component_names) {
            if (!std::regex_search(component.name, regex)) continue;
            hits |= components_t{1} << component.bit;
            names += (names.empty() ? "" : ",") + std::string(component.name);
        }
    } catch (const std::regex_error &failure) {
        options.filter_notice = not_applied(failure.what());
        return;
    }
    if (hits == 0) {
        options.filter_notice = not_applied("component with name '" + pattern + "' not found");
        return;
    }
    options.components = hits;
    options.filter_notice = "common,info,filter format is enabled, hit components: " + names;
}

} // namespace

components_t components_of(primitive_kind_t kind) {
    if (kind <= dnnl_undefined_primitive || kind > dnnl_group_normalization) return all_components;
    return components_t{1} | components_t{1} << kind;
}

options_t parse_options(const std::string &value) {
    options_t options;
    for (size_t begin = 0; begin <= value.size();) {
        const size_t end = std::min(value.find(',', begin), value.size());
        const std::string word = value.substr(begin, end - begin);
        if (!word.starts_with(filter))
            apply_keyword(word, options);
        else if (word.size() > filter.size())
            apply_filter(word.substr(filter.size()), options);
        begin = end + 1;
    }
    return options;
}

} // namespace kiln::verbose

// SPDX-License-Identifier: Apache-2.0
// Asks for everything that the interface tells of a primitive before it runs.
#include "common/run/explanation.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "common/command_line/text.hpp"
#include "common/run/implementations.hpp"
#include "common/run/optional_function.hpp"
#include "kiln/plan.h"

namespace benchdnn {

namespace {

namespace files = std::filesystem;

// A folder in which the library writes its kernels: the working directory while the object lives.
class kernel_folder_t {
public:
    kernel_folder_t()
        : before_(files::current_path()) {
        std::string name = (files::temp_directory_path() / "benchdnn.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(),
                    "the folder for kernels, " + name + ", cannot be made");
        folder_ = name;
        files::current_path(folder_);
        dnnl_set_jit_dump(1);
    }
    ~kernel_folder_t() {
        dnnl_set_jit_dump(0);
        std::error_code ignored;
        files::current_path(before_, ignored);
        files::remove_all(folder_, ignored);
    }
    kernel_folder_t(const kernel_folder_t &) = delete;
    kernel_folder_t &operator=(const kernel_folder_t &) = delete;

    std::vector<files::path> kernels() const {
        std::vector<files::path> found;
        for (const auto &entry : files::directory_iterator(folder_)) found.push_back(entry.path());
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    files::path before_, folder_;
};

// While the object lives, primitives are not taken from the cache, so kernels are generated.
class no_cache_t {
public:
    no_cache_t() {
        dnnl_get_primitive_cache_capacity(&capacity_);
        dnnl_set_primitive_cache_capacity(0);
    }
    ~no_cache_t() { dnnl_set_primitive_cache_capacity(capacity_); }
    no_cache_t(const no_cache_t &) = delete;
    no_cache_t &operator=(const no_cache_t &) = delete;

private:
    int capacity_ = 0;
};

// "dnnl_dump_cpu_NAME.INDEX.bin": NAME.
std::string kernel_name(const files::path &file) {
    const std::string text = file.stem().stem().string();
    const std::string prefix = "dnnl_dump_cpu_";
    return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : text;
}

std::string plan_text(const primitive_desc_t &descriptor) {
    const auto get = BENCHDNN_OPTIONAL_FUNCTION(kiln_plan_text);
    if (get == nullptr) return "";
    std::string text(get(descriptor.get(), nullptr, 0) + 1, ' ');
    text.resize(get(descriptor.get(), text.data(), text.size()));
    return text;
}

std::vector<std::string> instructions(const files::path &file) {
    const std::string command =
            "objdump -D -b binary -m i386:x86-64 -M intel '" + file.string() + "' 2>/dev/null";
    std::vector<std::string> lines;
    FILE *pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return lines;
    char *line = nullptr;
    size_t size = 0;
    while (getline(&line, &size, pipe) > 0) {
        std::string text = line;
        while (!text.empty() && text.back() == '\n') text.pop_back();
        // An instruction begins with its address: "   0:\t...".
        const size_t colon = text.find(":\t");
        if (colon != std::string::npos) lines.push_back("      " + text);
    }
    std::free(line);
    pclose(pipe);
    return lines;
}

class explainer_t {
public:
    explainer_t(const primitive_problem_t &problem, const creation_request_t &request)
        : problem_(problem)
        , request_(request)
        , attr_(make_attr(problem.settings.attributes, problem.attribute_target())) {}

    std::vector<std::string> lines() {
        const answers_t asked = ask_implementations(problem_, request_.engine, attr_.get());
        add("implementations asked:");
        size_t width = 0;
        for (const answer_t &answer : asked.answers) width = std::max(width, answer.name.size());
        for (const answer_t &answer : asked.answers)
            add("  " + answer.name + std::string(width - answer.name.size() + 2, ' ')
                    + (answer.refusal.empty() ? "accepts" : "refuses: " + answer.refusal));
        if (!asked.has_refusals)
            add("  (the library does not say why others refuse; ONEDNN_VERBOSE=dispatch may)");
        if (asked.status != dnnl_success)
            add(std::string("no primitive: ") + dnnl_status2str(asked.status));
        else
            add_used();
        return std::move(lines_);
    }

private:
    void add(const std::string &line) { lines_.push_back(line); }

    // The first implementation that the filters accept.
    void add_used() {
        primitive_desc_t descriptor;
        require_success(problem_.create(request_.engine.get(), attr_.get(), descriptor),
                "creating the primitive descriptor");
        const impl_filter_t &filter = problem_.filter(request_.options);
        while (!filter.accepts(implementation_name(descriptor)))
            if (dnnl_primitive_desc_next_impl(descriptor.get()) != dnnl_success)
                return add("no implementation passes the filter");
        add("used: " + implementation_name(descriptor));
        dnnl_dim_t scratchpad = 0;
        dnnl_primitive_desc_query(
                descriptor.get(), dnnl_query_memory_consumption_s64, 0, &scratchpad);
        add("scratchpad: " + std::to_string(scratchpad) + " bytes");
        for (const std::string &line : split(plan_text(descriptor), '\n'))
            if (!line.empty()) add("plan: " + line);
        add_kernels(descriptor);
    }

    void add_kernels(const primitive_desc_t &descriptor) {
        const no_cache_t no_cache;
        const kernel_folder_t folder;
        primitive_t primitive;
        require_success(
                dnnl_primitive_create(primitive.out(), descriptor.get()), "dnnl_primitive_create");
        const std::vector<files::path> kernels = folder.kernels();
        add(kernels.empty() ? "kernels: none, no code was generated" : "kernels:");
        for (const files::path &kernel : kernels) {
            add("  " + kernel_name(kernel) + ", " + std::to_string(files::file_size(kernel))
                    + " bytes");
            if (!request_.options.disassemble) continue;
            const std::vector<std::string> listing = instructions(kernel);
            lines_.insert(lines_.end(), listing.begin(), listing.end());
            if (listing.empty())
                add("      (no listing: objdump, of the package binutils, failed)");
        }
    }

    const primitive_problem_t &problem_;
    const creation_request_t &request_;
    const attr_t attr_;
    std::vector<std::string> lines_;
};

} // namespace

std::vector<std::string> explain(
        const primitive_problem_t &problem, const creation_request_t &request) {
    return explainer_t(problem, request).lines();
}

} // namespace benchdnn

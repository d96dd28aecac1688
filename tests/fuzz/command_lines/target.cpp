// SPDX-License-Identifier: Apache-2.0
// benchdnn's command lines, batch files and graph files: parses them, and lists the problems.
// Nothing is executed. A problem's reproduction line gives the same problem again.
#include "support/target.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/command_line/batch.hpp"
#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"
#include "common/driver/command_line.hpp"
#include "common/run/runner.hpp"
#include "graph/model/deserialize.hpp"
#include "support/expect.hpp"

namespace kiln::fuzz {

namespace {

using words_t = std::vector<std::string>;
namespace fs = std::filesystem;

constexpr size_t most_tasks = 256;
/// Ends the command line in an input; a file's text follows, which the line may name.
constexpr char end_of_line = '\x01';
constexpr const char *file_name = "f";

/// A working directory without files, which is removed at the end.
class working_directory_t {
public:
    working_directory_t() {
        std::string path = (fs::temp_directory_path() / "fuzz_command_lines_XXXXXX").string();
        EXPECT_THAT(mkdtemp(path.data()) != nullptr, "no directory %s", path.c_str());
        path_ = path;
        fs::current_path(path_);
    }
    ~working_directory_t() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }

private:
    fs::path path_;
};

bool begins_with(const std::string &word, const char *beginning) {
    return word.rfind(beginning, 0) == 0;
}

/// Whether a word asks for files outside the working directory, for a regular expression that the C
/// library cannot compile in bounded time (repetition counts multiply), or is a list of many.
bool is_allowed(const std::string &word, size_t &combinations) {
    const bool names_file = begins_with(word, "--batch=") || begins_with(word, "--case=");
    if (names_file && word.find('/') != std::string::npos) return false;
    if (begins_with(word, "--match=") && word.find('{') != std::string::npos) return false;
    combinations *= 1 + static_cast<size_t>(std::count(word.begin(), word.end(), ','));
    return combinations <= most_tasks;
}

/// The problems; nothing if the words are refused with a reason.
std::vector<benchdnn::task_t> tasks_of(const words_t &words) {
    try {
        benchdnn::command_line_t command_line;
        command_line.read(words);
        return command_line.tasks();
    } catch (const benchdnn::usage_error_t &error) {
        EXPECT_THAT(*error.what() != '\0', "a refusal without a reason");
    } catch (const benchdnn::help_request_t &help) {
        EXPECT_THAT(!help.text.empty(), "no help");
    }
    return {};
}

void expect_reproduction(const benchdnn::task_t &task) {
    const std::string line = task.reproduction();
    words_t words;
    for (const std::string &word : benchdnn::split(line, ' '))
        if (!word.empty()) words.push_back(word);
    const auto again = tasks_of(words);
    EXPECT_THAT(again.size() == 1, "the line '%s' gives %zu problems", line.c_str(), again.size());
    const std::string second = again[0].reproduction();
    EXPECT_THAT(second == line, "'%s' becomes '%s'", line.c_str(), second.c_str());
}

void list(std::vector<benchdnn::task_t> tasks) {
    for (const benchdnn::task_t &task : tasks)
        if (!task.options->mode.list || task.options->repeats > 2) return;
    benchdnn::console_t console;
    benchdnn::runner_t runner(console);
    runner.run(tasks);
    EXPECT_THAT(!runner.statistics().has_failures(), "listing a problem failed");
}

void run(const std::string &text) {
    const size_t end = std::min(text.find(end_of_line), text.size());
    const std::string file = end < text.size() ? text.substr(end + 1) : "";
    words_t words = benchdnn::words_of(text.substr(0, end));
    size_t combinations = 1;
    for (const auto &list : {words, benchdnn::words_of(file)})
        for (const std::string &word : list)
            if (!is_allowed(word, combinations)) return;
    std::ofstream(file_name) << file;
    const auto tasks = tasks_of(words);
    if (tasks.size() > most_tasks) return;
    for (const benchdnn::task_t &task : tasks) {
        task.problem->skip_reason();
        for (const char *field : {"dir", "dt", "tag", "flags", "sdt", "ddt", "name"})
            task.problem->field(field);
        expect_reproduction(task);
    }
    list(tasks);
    if (!file.empty() && file[0] == '{') {
        try {
            benchdnn::graph::parse_graph(file);
        } catch (const benchdnn::bad_value_t &) { // which says where the text is wrong
        }
    }
}

} // namespace

} // namespace kiln::fuzz

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const kiln::fuzz::working_directory_t directory;
    static std::FILE *const silent = std::freopen("/dev/null", "w", stdout);
    (void)silent;
    kiln::fuzz::run(std::string(reinterpret_cast<const char *>(data), size));
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Properties of every knob, of the run and of all drivers.
#include <map>

#include <gtest/gtest.h>

#include "common/command_line/usage_error.hpp"
#include "common/driver/command_line.hpp"
#include "common/run/threads.hpp"

namespace benchdnn {

namespace {

struct subject_t {
    std::string driver; // "" for knobs of the run
    knob_t knob;
    std::vector<std::string> words(const std::string &word) const {
        if (driver.empty()) return {word};
        return {"--" + driver, word};
    }
};

std::vector<subject_t> every_knob() {
    std::vector<subject_t> subjects;
    static options_t options;
    knob_set_t of_the_run;
    add_run_knobs(of_the_run, options);
    for (const knob_t &knob : of_the_run.all()) subjects.push_back({"", knob});
    static const auto drivers = make_drivers();
    for (const auto &driver : drivers)
        for (const knob_t &knob : driver->knobs().all()) subjects.push_back({driver->name(), knob});
    return subjects;
}

std::string refusal(const std::vector<std::string> &words) {
    try {
        command_line_t().read(words);
    } catch (const usage_error_t &error) {
        return error.what();
    }
    return "nothing";
}

void expect_said(const std::string &said, const std::string &piece, const std::string &word) {
    EXPECT_NE(said.find(piece), std::string::npos) << word << ": " << piece << " not in: " << said;
}

TEST(every_knob, has_an_example_that_is_understood) {
    for (const subject_t &subject : every_knob()) {
        const std::string &example = subject.knob.example;
        EXPECT_EQ(refusal(subject.words(example)), "nothing") << example;
        EXPECT_TRUE(example.find("--" + subject.knob.name) == 0 || example[1] == 'v') << example;
    }
}

TEST(every_knob, needs_a_value_or_stands_for_true) {
    for (const subject_t &subject : every_knob()) {
        const std::string word = "--" + subject.knob.name;
        const std::string said = refusal(subject.words(word));
        if (subject.knob.value_optional)
            EXPECT_EQ(said, "nothing") << word;
        else
            expect_said(said, word + " needs a value: it takes " + subject.knob.takes, word);
    }
}

TEST(every_knob, refuses_a_bad_value_and_says_what_it_takes) {
    // Any text is a part of a name, or a prefix.
    const std::map<std::string, std::string> special = {{"impl", ""}, {"skip-impl", ""},
            {"global-impl", ""}, {"global-skip-impl", ""}, {"buffer-prefix", ""}, {"match", "\\("},
            {"perf-template", "%?!%"}};
    for (const subject_t &subject : every_knob()) {
        const auto found = special.find(subject.knob.name);
        const std::string value = found == special.end() ? "?!" : found->second;
        if (value.empty()) continue;
        const std::string word = "--" + subject.knob.name + "=" + value;
        const std::string said = refusal(subject.words(word));
        expect_said(said, "--" + subject.knob.name + ": '", word);
        expect_said(said, "it takes " + subject.knob.takes, word);
        expect_said(said, "for example " + subject.knob.example, word);
    }
}

TEST(every_knob, is_suggested_where_it_is_misspelled) {
    for (const subject_t &subject : every_knob()) {
        const std::string &name = subject.knob.name;
        std::vector<std::string> wrong = {name + "z", name + "z=1"};
        if (name.size() > 5) {
            std::string swapped = name;
            std::swap(swapped[name.size() / 2], swapped[name.size() / 2 + 1]);
            if (swapped != name) wrong.push_back(swapped);
            wrong.push_back(name.substr(1));
        }
        for (const std::string &word : wrong)
            expect_said(refusal(subject.words("--" + word)), "did you mean --" + name + "?", word);
    }
}

TEST(values, that_are_misspelled_are_met_with_a_suggestion) {
    const std::pair<std::vector<std::string>, std::string> cases[] = {
            {{"--lnorm", "--dt=bf61"}, "did you mean bf16?"},
            {{"--lnorm", "--dir=FDW_I"}, "did you mean FWD_I?"},
            {{"--lnorm", "--attr-scratchpad=usr"}, "did you mean user?"},
            {{"--lnorm", "--attr-scales=scr:common:2"}, "did you mean src?"},
            {{"--lnorm", "--perf-template=%tme%"}, "did you mean time?"},
            {{"--summary=failure"}, "did you mean failures?"},
            {{"--stream-kind=inorder"}, "did you mean in_order?"},
            {{"--memory-kind=usm_shard"}, "did you mean usm_shared?"},
            {{"--cold-cache=al"}, "did you mean all?"},
            {{"--roof=ture"}, "did you mean true?"},
    };
    for (const auto &[words, said] : cases) expect_said(refusal(words), said, words.back());
}

// The names of all knobs of oneDNN's benchdnn, common ones and those of lnorm.
TEST(every_knob, of_onednn_is_known) {
    std::vector<std::string> known;
    for (const subject_t &subject : every_knob()) known.push_back(subject.knob.name);
    for (const char *name : {"allow-enum-tags-only", "attr-same-pd-check", "canonical",
                 "check-ref-impl", "cold-cache", "cpu-isa-hints", "engine", "fast-ref",
                 "fix-times-per-prb", "global-impl", "global-skip-impl", "max-ms-per-prb",
                 "num-streams", "repeats-per-prb", "mem-check", "memory-kind", "mode",
                 "mode-modifier", "start", "stream-kind", "summary", "verbose", "execution-mode",
                 "buffer-prefix", "attr-scales", "attr-zero-points", "attr-precomputed-reductions",
                 "attr-post-ops", "attr-dropout", "attr-scratchpad", "attr-fpmath", "attr-acc-mode",
                 "attr-deterministic", "attr-rounding-mode", "ctx-init", "ctx-exe", "match", "impl",
                 "skip-impl", "perf-template", "dir", "dt", "tag", "stat_tag", "ss_dt", "flags",
                 "inplace"})
        EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << name;
}

TEST(modes, are_combinations_of_letters) {
    const std::pair<const char *, const char *> cases[] = {{"cp", "CP"}, {"PC", "CP"}, {"rp", "RP"},
            {"B", "B"}, {"CBF", "CBF"}, {"s", "S"}, {"RCBP", "RCBP"}, {"I", "I"}, {"L", "L"}};
    for (const auto &[given, letters] : cases) EXPECT_EQ(parse_mode(given).letters(), letters);
    for (const char *wrong : {"", "LI", "LC", "IP", "FS", "CS", "BS", "X"})
        EXPECT_THROW(parse_mode(wrong), bad_value_t) << wrong;
}

TEST(thread_contexts, come_back_as_they_were_given) {
    for (const char *text : {"auto", "4", "4:0", "auto:1", "2:auto:1", "auto:auto:2"})
        EXPECT_EQ(parse_thread_context(text).text(), text);
    for (const char *wrong : {"", "0", "-1", "2:x", "2:0:0", "1:1:1:1", "5000"})
        EXPECT_THROW(parse_thread_context(wrong), bad_value_t) << wrong;
}

TEST(thread_contexts, are_what_the_library_finds) {
    for (const int count : {1, 2, 5}) {
        thread_context_t context;
        context.concurrency = count;
        int found = 0;
        in_thread_context(context, [&] { found = thread_count(); });
        EXPECT_EQ(found, count);
    }
}

TEST(cold_caches, have_modes_and_extensions) {
    EXPECT_EQ(parse_cold_cache("all+tlb").tlb_bytes, size_t(1) << 30);
    EXPECT_EQ(parse_cold_cache("wei+tlb:1.5M").tlb_bytes, size_t(3) << 19);
    for (const char *wrong : {"", "some", "none+tlb", "all+tlb:", "all+tlb:5", "all+lru", "all+"})
        EXPECT_THROW(parse_cold_cache(wrong), bad_value_t) << wrong;
}

} // namespace

} // namespace benchdnn

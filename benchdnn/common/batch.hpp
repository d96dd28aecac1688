// SPDX-License-Identifier: Apache-2.0
// Batch files: where they are found and the words they hold.
#pragma once

#include <string>
#include <vector>

namespace benchdnn {

class batch_files_t {
public:
    // Looks for the file as given, then in the directories of files used before, then in
    // inputs/<driver> beside the program. A usage_error_t names all places when it is in none.
    std::vector<std::string> read(const std::string &file, const std::string &driver);

private:
    std::vector<std::string> directories_;
};

// Words of a batch file's text: separated by white space; a word that begins with # starts a
// comment; a word that ends in \ continues with the next one.
std::vector<std::string> words_of(const std::string &text);

} // namespace benchdnn

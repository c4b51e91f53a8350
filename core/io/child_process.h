#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace ts::io {

struct ChildCommand {
  std::vector<std::string> words;  // the program, looked for in PATH, and its arguments
  std::vector<std::pair<std::string, std::string>> environment = {};  // beside this process's own
  std::filesystem::path log;  // gets what it writes to standard output and error
};

// Runs a program to its end and returns its exit code, 128 and the signal's number if one ended it.
// A cancelled one is ended, with the programs that it started, within a second. Errors: the program
// cannot be started; cancelled, with the sentence "Cancelled".
base::Result<int> run_child(const ChildCommand& command, const base::CancelToken& cancel);

}  // namespace ts::io

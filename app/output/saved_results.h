#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/document.h"

namespace ts::app {

enum class ResultKind : std::uint8_t { run, prediction, sweep, hunt, comparison };
const char* to_string(ResultKind kind);  // run prediction sweep hunt comparison

// A result that was saved by a command or by the window.
struct SavedResult {
  ResultKind kind = ResultKind::run;
  std::filesystem::path folder;
  nlohmann::json document;  // run.json, prediction.json, ...
};
// The error names the folder and what makes it one.
base::Result<SavedResult> read_saved_result(const std::filesystem::path& folder);

// Writes its settings into a folder: spec.json, of a comparison a.json and b.json. Returns the
// names.
base::Result<std::vector<std::string>> write_settings(const SavedResult& result,
                                                      const std::filesystem::path& to);
// Copies its files and settings into `to`, which is made: spec.json (of a comparison a.json and
// b.json) and every file of the folder, without folders, hidden files and a report of its own.
// Returns the names, sorted.
base::Result<std::vector<std::string>> copy_result(const SavedResult& result,
                                                   const std::filesystem::path& to);

// The part of a report about one result: what it says, its numbers, tables, figures, files, and the
// command that does it again. `where`: its files, relative to the report.
std::vector<io::Block> blocks_of(const SavedResult& result, const std::string& where,
                                 std::span<const std::string> files, const text::Texts& texts);

// Where the results were measured; once if all are of one machine. Dates are not told apart.
std::vector<io::Block> environments_of(std::span<const SavedResult> results,
                                       const text::Texts& texts);

// "tensorscope run --spec WHERE/spec.json --steps 10".
std::string command_of(const SavedResult& result, const std::string& where);

}  // namespace ts::app

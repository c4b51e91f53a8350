#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/report/checks.h"
#include "core/report/training_summary.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/text.h"

namespace ts::app {

// Prints to standard error why a command cannot do its work, and returns the exit code. Quoted
// parts of arguments and files are made printable, because the terminal must not interpret them.
inline int report(const std::string& sentence, int code) {
  std::fprintf(stderr, "tensorscope: %s\n", text::printable(sentence).c_str());
  return code;
}

inline int report(const base::Message& message, int code) {
  return report(message.sentence, code);
}

// Prints remarks beside the result, on standard error.
inline void note(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    std::fprintf(stderr, "tensorscope: note: %s\n", text::printable(sentence).c_str());
  }
}

// The title of a row for a key of a JSON document: "gpu_busy_us" becomes "gpu busy". The value has
// its own unit.
inline std::string title_of(std::string key) {
  for (const std::string_view unit : {"_us", "_ms"})
    if (key.ends_with(unit)) key.erase(key.size() - unit.size());
  std::ranges::replace(key, '_', ' ');
  return key;
}

// The same for the summary of a trace, whose busy time is a mean where it has several GPUs.
inline std::string title_of(const std::string& key, const nlohmann::json& summary) {
  const bool mean = key == "gpu_busy_us" && summary["gpu_busy_by_device"].size() > 1;
  return mean ? "gpu busy, mean" : title_of(key);
}

// Prints the result as JSON on standard output.
inline void print_json(const nlohmann::json& json) {
  std::fputs(io::json_text(json).c_str(), stdout);
}

// Prints the result on standard output, or writes it to a file that is named; the exit code.
inline int print_or_write(const std::string& words, const std::filesystem::path& path) {
  if (path.empty()) {
    std::fputs(words.c_str(), stdout);
    return 0;
  }
  const auto written = io::write_file(path, words);
  return written ? 0 : report(written.error(), 1);
}

// Tells on standard error where the results are.
inline void print_written(const std::filesystem::path& path) {
  std::fprintf(stderr, "Wrote %s\n", text::printable(path.string()).c_str());
}

// Calculators, steppers or simulations: their titles, their inputs with their start values, and
// where `about` is a key what each is about. The ids follow both keys.
template <class All>
std::string list_of(const All& all, const std::string& title, const std::string& about,
                    const text::Texts& texts) {
  std::string list;
  for (const auto& one : all) {
    list += std::string(one.id) + "  " + texts(title + one.id) + "\n   ";
    for (const auto& input : one.inputs)
      list += " " + std::string(input.name) + "=" + std::to_string(input.start);
    list += "\n";
    if (!about.empty()) list += "    " + std::string(texts(about + one.id)) + "\n";
  }
  return list;
}

// Prints one line of the result on standard output.
inline void print_row(const char* title, const std::string& value) {
  std::printf("  %-22s %s\n", title, value.c_str());
}

// Prints the types in which a step computes, if there is more than one.
inline void print_types(const std::vector<run::NamedType>& types) {
  if (!report::mixes_types(types)) return;
  for (const run::NamedType& type : types)
    print_row(&type == types.data() ? "Types" : "", type.name + " " + type.type);
}

// Prints one line for each check on standard output.
inline void print_checks(const std::vector<report::CheckResult>& checks) {
  for (const report::CheckResult& one : checks)
    std::printf("%s %s: %s\n", one.id, report::to_string(one.state), one.found.sentence.c_str());
}

inline std::string size_as_text(std::int64_t bytes) {
  return text::bytes(bytes).joined();
}

// How far a command is: one line of standard error that rewrites itself. A file or a pipe gets
// nothing.
class ProgressLine {
 public:
  [[nodiscard]] bool is_shown_here() const { return terminal_; }
  void show(const std::string& line) {
    if (!terminal_) return;
    std::fprintf(stderr, "\r\033[K%s", text::printable(line).c_str());
    shown_ = true;
  }
  // Before anything else is printed.
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

}  // namespace ts::app

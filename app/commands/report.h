#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"

namespace ts::app {

// What a command says when it cannot do what was asked, on standard error; gives the exit code.
// What the sentence quotes of arguments and files is not trusted with the terminal.
inline int report(const std::string& sentence, int code) {
  std::fprintf(stderr, "tensorscope: %s\n", text::printable(sentence).c_str());
  return code;
}

inline int report(const base::Message& message, int code) {
  return report(message.sentence, code);
}

// What a command says beside its result.
inline void note(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    std::fprintf(stderr, "tensorscope: note: %s\n", text::printable(sentence).c_str());
  }
}

// A key of a JSON document as the title of a row: "gpu_busy_us" is "gpu busy"; its value has a
// unit.
inline std::string title_of(std::string key) {
  for (const std::string_view unit : {"_us", "_ms"})
    if (key.ends_with(unit)) key.erase(key.size() - unit.size());
  std::ranges::replace(key, '_', ' ');
  return key;
}

// A line of what a command found, on standard output.
inline void print_row(const char* title, const std::string& value) {
  std::printf("  %-22s %s\n", title, value.c_str());
}

inline std::string size_in_words(std::int64_t bytes) {
  return text::bytes(bytes).joined();
}

}  // namespace ts::app

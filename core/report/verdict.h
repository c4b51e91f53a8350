#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.h"
#include "core/text/text.h"

namespace ts::report {

// A sentence in English, and as a key of the locale files with its arguments.
struct Message {
  std::string sentence;
  std::string key;
  std::vector<text::Argument> arguments;
};

// The verdict in two parts: "Does not fit in 24.0 GiB" and "aten::bmm in blocks.3.attn needs
// 512 MiB, 128 MiB free". The detail is empty when the headline says it all. A detail that an
// engine wrote has no key. While the run goes on the headline says what it is doing.
struct VerdictText {
  Message headline;
  Message detail;
};
VerdictText verdict_text(const run::Run& run);

// Headline and detail as one plain sentence in English.
std::string verdict_sentence(const run::Run& run);

}  // namespace ts::report

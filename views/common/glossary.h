#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/text/text.h"

namespace ts::views {

// The terms that the window explains, in the order of the glossary: sizes of a workload by their
// names in the settings, then words of memory, of time and of the program.
std::span<const char* const> glossary_terms();
// What a term means, in a sentence or two; empty for what is no term.
std::string meaning(const text::Texts& texts, std::string_view term);

}  // namespace ts::views

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/text/text.h"

namespace ts::views {

// The terms that the window explains, in glossary order: sizes of a workload by their names in the
// settings, then words for memory, for time and for the program.
std::span<const char* const> glossary_terms();
// The meaning of a term in one or two sentences. Empty if it is not a term.
std::string meaning(const text::Texts& texts, std::string_view term);

}  // namespace ts::views

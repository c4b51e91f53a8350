#pragma once

#include <string>
#include <string_view>

namespace ts::text {

// Makes a sentence safe for a terminal, whatever names and arguments it quotes: control characters,
// bytes that are not UTF-8 and marks that change the direction of writing become escapes such as
// \x1B and \u202E. The middle of a very long sentence is left out.
std::string printable(std::string_view sentence);

}  // namespace ts::text

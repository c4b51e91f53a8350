#pragma once

#include <string>
#include <string_view>

namespace ts::text {

// A sentence as it may stand on a terminal, whatever names and arguments it quotes: control
// characters, bytes that are no UTF-8 and marks that turn the direction of writing become escapes
// such as \x1B and \u202E, and of a very long one the middle is left out.
std::string printable(std::string_view sentence);

}  // namespace ts::text

#pragma once

#include <string>
#include <string_view>

namespace ts::text {

// Makes a sentence safe for a terminal, whatever names and arguments it quotes: control characters,
// bytes that are not UTF-8 and marks that change the direction of writing become escapes such as
// \x1B and \u202E. The middle of a very long sentence is left out.
std::string printable(std::string_view sentence);

// For HTML, XML and SVG, as text or as the value of an attribute. Control characters that XML does
// not allow are left out.
std::string xml_escaped(std::string_view text);

// As one word for a POSIX shell, whatever it contains.
std::string shell_quoted(std::string_view text);

}  // namespace ts::text

#pragma once

#include <array>

#include "core/text/text.h"

namespace ts::app {

// Each language is named in itself, so that its readers can find it.
inline constexpr std::array<const char*, text::kLanguageCount> kLanguageNames = {
    "English", "\xe7\xae\x80\xe4\xbd\x93\xe4\xb8\xad\xe6\x96\x87",
    "\xe7\xb9\x81\xe9\xab\x94\xe4\xb8\xad\xe6\x96\x87"};

// In English, to be found by those who do not read them.
inline constexpr std::array<const char*, text::kLanguageCount> kEnglishLanguageNames = {
    "English", "Simplified Chinese", "Traditional Chinese"};

// The three built-in languages, of which one is chosen.
text::Texts built_in_texts(text::Language language = text::Language::en);
// The same by the code of a language: "zh-CN".
base::Result<text::Texts> built_in_texts(std::string_view code);

}  // namespace ts::app

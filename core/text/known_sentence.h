#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/text/text.h"

namespace ts::text {

// A sentence as the program says it below the window, in English, and the key of its translations.
struct KnownSentence {
  std::string_view english;  // with placeholders, as the texts
  const char* key;
};

// The sentence in the language that is shown where it is one of these, what stands in its
// placeholders as it is; else the sentence itself.
std::string known_words(const Texts& texts, std::span<const KnownSentence> known,
                        std::string_view sentence);
// The same where the reason in it is such a sentence, too.
std::string known_words_and_reason(const Texts& texts, std::span<const KnownSentence> known,
                                   std::string_view sentence);

}  // namespace ts::text

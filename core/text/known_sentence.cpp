#include "core/text/known_sentence.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ts::text {
namespace {

// What stands in a sentence where its pattern has placeholders; nothing when it is another one. A
// placeholder ends where what follows it in the pattern begins first.
std::optional<std::vector<Argument>> matched(std::string_view pattern, std::string_view sentence) {
  std::vector<Argument> arguments;
  while (true) {
    const std::size_t open = std::min(pattern.find('{'), pattern.size());
    if (!sentence.starts_with(pattern.substr(0, open))) return std::nullopt;
    sentence.remove_prefix(open);
    pattern.remove_prefix(open);
    if (pattern.empty())
      return sentence.empty() ? std::optional(std::move(arguments)) : std::nullopt;
    const std::size_t close = pattern.find('}');
    const std::string_view name = pattern.substr(1, close - 1);
    pattern.remove_prefix(close + 1);
    const std::string_view next = pattern.substr(0, pattern.find('{'));
    const std::size_t end = next.empty() ? sentence.size() : sentence.find(next);
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    arguments.push_back({name, std::string(sentence.substr(0, end))});
    sentence.remove_prefix(end);
  }
}

}  // namespace

std::string known_words(const Texts& texts, std::span<const KnownSentence> known,
                        std::string_view sentence) {
  for (const KnownSentence& one : known) {
    if (const auto arguments = matched(one.english, sentence)) return texts(one.key, *arguments);
  }
  return std::string(sentence);
}

std::string known_words_and_reason(const Texts& texts, std::span<const KnownSentence> known,
                                   std::string_view sentence) {
  for (const KnownSentence& one : known) {
    auto arguments = matched(one.english, sentence);
    if (!arguments) continue;
    for (Argument& argument : *arguments)
      if (argument.name == "reason") argument.value = known_words(texts, known, argument.value);
    return texts(one.key, *arguments);
  }
  return std::string(sentence);
}

}  // namespace ts::text

#include "views/common/wrapping.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

namespace ts::views {
namespace {

constexpr const char* kCut = "\xe2\x80\xa6";

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The character that begins at `at`. 0 at the end and if no character begins there.
char32_t character_at(std::string_view words, std::size_t at) {
  if (at >= words.size()) return 0;
  unsigned character = 0;
  ImTextCharFromUtf8(&character, words.data() + at, words.data() + words.size());
  return static_cast<char32_t>(character);
}

// The character that ends before `at`. `at` is not 0.
char32_t character_before(std::string_view words, std::size_t at) {
  --at;
  while (at > 0 && continues(words[at])) --at;
  return character_at(words, at);
}

bool is_han(char32_t character) {
  return (character >= 0x3400 && character <= 0x9FFF) ||
         (character >= 0xF900 && character <= 0xFAFF);
}

// A line may break on both sides of it, as with Chinese characters and punctuation.
bool is_wide(char32_t character) {
  return is_han(character) || (character >= 0x3000 && character <= 0x30FF) ||
         (character >= 0xFF00 && character <= 0xFFEF);
}

bool is_one_of(char32_t character, std::u32string_view marks) {
  return marks.find(character) != std::u32string_view::npos;
}

// Whether a line may end between two characters that follow each other.
bool may_break(char32_t before, char32_t after) {
  if (before == ' ') return after != ' ';
  if (after == ' ' || after == 0xA0 || before == 0xA0) return false;
  if (!is_wide(before) && !is_wide(after)) return false;
  constexpr std::u32string_view kNeverFirst =
      U"\u3001\u3002\u300D\u300F\u300B\u3011\uFF01\uFF05\uFF09"
      U"\uFF0C\uFF1A\uFF1B\uFF1F,.;:!?)]%\u2026\u201D";
  constexpr std::u32string_view kNeverLast = U"\u300C\u300E\u300A\u3010\uFF08([\u201C";
  return !is_one_of(after, kNeverFirst) && !is_one_of(before, kNeverLast);
}

// The offset of the end of the character that begins at `at`.
std::size_t end_of_character(std::string_view words, std::size_t at) {
  ++at;
  while (at < words.size() && (static_cast<unsigned char>(words[at]) & 0xC0U) == 0x80U) ++at;
  return at;
}

// The longest prefix of a word that is not wider than `width`, at least one character; of a path up
// to a slash, so that names of folders and files stay whole.
std::size_t cut_of_word(std::string_view word, float width,
                        const std::function<float(std::string_view)>& measure) {
  std::size_t end = end_of_character(word, 0);
  while (end < word.size()) {
    const std::size_t next = end_of_character(word, end);
    if (measure(word.substr(0, next)) > width) break;
    end = next;
  }
  const std::size_t slash = end < word.size() ? word.find_last_of("/\\", end - 1) : word.npos;
  return slash == word.npos || slash == 0 ? end : slash + 1;
}

// The end of the first line of words without a line feed: at most `width` wide, at least one
// character. Spaces at the end of a line take no width.
std::size_t end_of_line(std::string_view words, float width,
                        const std::function<float(std::string_view)>& measure) {
  float used = 0;
  std::size_t at = 0;
  while (at < words.size()) {
    std::size_t next = at;
    do {
      next = end_of_character(words, next);
    } while (next < words.size() &&
             !may_break(character_before(words, next), character_at(words, next)));
    std::size_t inked = next;
    while (inked > at && words[inked - 1] == ' ') --inked;
    if (used + measure(words.substr(at, inked - at)) > width)
      return at > 0 ? at : cut_of_word(words.substr(0, next), width, measure);
    used += measure(words.substr(at, next - at));
    at = next;
  }
  return at;
}

}  // namespace

std::string kept_together(std::string_view words) {
  constexpr std::string_view kUnits[] = {"B",     "KiB",   "MiB",      "GiB",     "TiB",     "ns",
                                         "µs",    "ms",    "s",        "%",       "k",       "M",
                                         "B/s",   "kB/s",  "MB/s",     "GB/s",    "TB/s",    "FLOP",
                                         "GFLOP", "TFLOP", "MFLOP/s",  "GFLOP/s", "TFLOP/s", "W",
                                         "MHz",   "°C",    "tokens/s", "字节",    "位元組",  "秒"};
  constexpr std::string_view kNoBreak = "\xc2\xa0";
  // Also before a character of a script that puts no space there: "452 MiB，".
  const auto ends_word = [&](std::size_t at) {
    return at >= words.size() || static_cast<unsigned char>(words[at]) >= 0x80U ||
           std::string_view(" .,;:)").find(words[at]) != std::string_view::npos;
  };
  const auto begins_unit = [&](std::size_t at) {
    return std::ranges::any_of(kUnits, [&](std::string_view unit) {
      return words.substr(at).starts_with(unit) && ends_word(at + unit.size());
    });
  };
  std::string kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool inside = words[i] == ' ' && i > 0 && i + 1 < words.size();
    const bool equals = inside && (words[i - 1] == '=' || words[i + 1] == '=');
    const bool digit = inside && words[i - 1] >= '0' && words[i - 1] <= '9';
    // A Chinese character after a number is a measure word or a unit.
    const bool counted = digit && is_han(character_at(words, i + 1));
    if (equals || counted || (digit && begins_unit(i + 1))) {
      kept += kNoBreak;
    } else {
      kept += words[i];
    }
  }
  return kept;
}

std::vector<std::string_view> lines_within(std::string_view words, float width,
                                           const std::function<float(std::string_view)>& measure) {
  std::vector<std::string_view> lines;
  std::size_t at = 0;
  do {
    const std::size_t line_end = std::min(words.find('\n', at), words.size());
    std::size_t stop = line_end;
    if (at != line_end) stop = at + end_of_line(words.substr(at, line_end - at), width, measure);
    std::size_t inked = stop;
    while (inked > at && words[inked - 1] == ' ') --inked;
    lines.push_back(words.substr(at, inked - at));
    at = stop;
    while (at != line_end && words[at] == ' ') ++at;
    if (at == line_end && at != words.size()) ++at;
  } while (at != words.size());
  return lines;
}

std::string cut_in_the_middle(std::string_view words, float width,
                              const std::function<float(std::string_view)>& measure) {
  if (measure(words) <= width) return std::string(words);
  std::vector<std::size_t> begins;  // of code points, and the end
  for (std::size_t i = 0; i < words.size(); ++i)
    if (!continues(words[i])) begins.push_back(i);
  begins.push_back(words.size());
  // With `kept` code points: more of them after the ellipsis, where names differ.
  const auto cut_to = [&](std::size_t kept) {
    const std::size_t head = kept * 2 / 5;
    return std::string(words.substr(0, begins[head])) + kCut +
           std::string(words.substr(begins[begins.size() - 1 - (kept - head)]));
  };
  std::size_t low = 0;
  std::size_t high = begins.size() - 1;  // all of them do not fit
  while (low + 1 < high) {
    const std::size_t half = (low + high) / 2;
    (measure(cut_to(half)) <= width ? low : high) = half;
  }
  return cut_to(low);
}

std::vector<std::string> wrapped(const DrawSink& sink, TextStyle style, std::string_view words,
                                 float width) {
  const std::string kept = kept_together(words);
  std::vector<std::string> lines;
  for (const std::string_view line : lines_within(
           kept, width, [&](std::string_view part) { return sink.text_width(style, part); })) {
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace ts::views

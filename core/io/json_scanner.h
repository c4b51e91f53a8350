#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ts::io {

// Walks through JSON text from left to right without building anything, at about a gigabyte a
// second. It forgives what traces in the wild contain: raw control characters inside strings, and
// an end that is missing. Numbers and literals are only delimited; whoever reads them checks them.
// Nothing recurses, so depth costs nothing. Values are views into the text.
class JsonScanner {
 public:
  // Bytes behind the text that may be read, whatever they are; see padded().
  static constexpr std::size_t kPadding = 16;

  // `text` is followed by kPadding readable bytes.
  explicit JsonScanner(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  struct String {
    std::string_view raw;  // between the quotes
    bool escaped = false;  // it has backslashes: see unescaped()
  };

  // The first character of what comes next, blanks skipped; 0 at the end.
  char peek() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ < end_ ? *at_ : '\0';
  }
  // Steps over that character if it is next.
  bool take(char wanted) {
    if (peek() != wanted || at_ == end_) return false;
    ++at_;
    return true;
  }
  // These step over a value. False, and the scanner stands at the fault, when there is none of that
  // kind or the text ends before it does.
  bool string(String& to);
  bool scalar(std::string_view& to);  // a number or a literal: what stands before the next , ] }
  bool skip();                        // anything
  bool raw(std::string_view& to);     // anything, as it is written

  // Visits the entries of an object, which is next: `visit(String key)` steps over the value and
  // says whether it could. False where the object does not end well.
  template <class Visit>
  bool object(Visit&& visit) {
    if (!take('{')) return false;
    if (take('}')) return true;
    String key;
    do {
      if (peek() == '}') break;  // a comma too many
      if (!string(key) || !take(':') || !visit(key)) return false;
    } while (take(','));
    return take('}');
  }
  // The same for the items of a list; `visit()` steps over one.
  template <class Visit>
  bool list(Visit&& visit) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (peek() == ']') break;
      if (!visit()) return false;
    } while (take(','));
    return take(']');
  }

  [[nodiscard]] bool at_end() { return peek() == '\0' && at_ == end_; }
  // What could not be stepped over would go on behind the end.
  [[nodiscard]] bool cut_off() { return cut_off_ || at_end(); }
  [[nodiscard]] std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  bool skip_container();
  bool fail_at_end() {
    cut_off_ = true;
    return false;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  bool cut_off_ = false;
};

// With room behind it for a scanner; takes the text's own bytes. The view is of the text alone.
std::string_view padded(std::string& text);

// What a string stands for. A broken escape stands for itself, half a surrogate for U+FFFD.
std::string unescaped(std::string_view raw);

}  // namespace ts::io

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ts::io {

// Scans JSON text from left to right without building anything, at about a gigabyte a second. It
// accepts the common faults of real traces: raw control characters inside strings, and a missing
// end. Numbers and literals are only delimited; the caller checks them. Nothing recurses, so depth
// costs nothing. Values are views into the text.
class JsonScanner {
 public:
  // Bytes behind the text that may be read, whatever they are; see padded().
  static constexpr std::size_t kPadding = 16;

  // `text` is followed by kPadding readable bytes.
  explicit JsonScanner(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // Goes on at the beginning of another text.
  void go_on(std::string_view text) { *this = JsonScanner(text); }

  struct String {
    std::string_view raw;  // between the quotes
    bool escaped = false;  // it has backslashes: see unescaped()
  };

  // The first character of the next token, blanks skipped; 0 at the end.
  char peek() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ < end_ ? *at_ : '\0';
  }
  // Skips that character if it is next.
  bool take(char wanted) {
    if (peek() != wanted || at_ == end_) return false;
    ++at_;
    return true;
  }
  // These skip a value. They return false, with the scanner at the fault, if there is no value of
  // that kind or the text ends inside it.
  bool string(String& to);
  bool scalar(std::string_view& to);  // a number or a literal: the text before the next , ] }
  bool skip();                        // anything
  bool raw(std::string_view& to);     // any value, as written

  // Visits the entries of an object, which must be next: `visit(String key)` skips the value and
  // returns true on success. Returns false if the object does not end correctly.
  template <class Visit>
  bool object(Visit&& visit) {
    if (!take('{')) return false;
    if (take('}')) return true;
    String key;
    do {
      if (peek() == '}') break;  // a trailing comma
      if (!string(key) || !take(':') || !visit(key)) return false;
    } while (take(','));
    return take('}');
  }
  // The same for the items of a list; `visit()` skips one.
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
  // True if the value that failed continues after the end of the text.
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

// Adds padding for a scanner, reusing the text's own buffer. The view does not include the padding.
std::string_view padded(std::string& text);

// The value of a string. A broken escape stays as it is, half a surrogate becomes U+FFFD.
std::string unescaped(std::string_view raw);

}  // namespace ts::io

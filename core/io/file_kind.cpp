#include "core/io/file_kind.h"

#include "core/io/json_scanner.h"

namespace ts::io {
namespace {

FileKind kind_by(std::string_view key) {
  if (key == "traceEvents" || key == "ph") return FileKind::trace;
  if (key == "segments" || key == "device_traces" || key == "total_size") return FileKind::snapshot;
  return FileKind::other;
}

// Judged by the keys of an object, which must be next.
FileKind kind_of_object(JsonScanner& scanner) {
  FileKind kind = FileKind::other;
  scanner.object([&](const JsonScanner::String& key) {
    kind = kind_by(key.raw);
    return kind == FileKind::other && scanner.skip();
  });
  return kind;
}

// Protocol 0 begins with a mark and a letter for the container, 1 with the empty container and what
// is done with it. No JSON begins so.
bool is_old_pickle(std::string_view content) {
  constexpr std::size_t kLeast = 2;
  if (content.size() < kLeast) return false;
  const char first = content[0];
  const char second = content[1];
  if (first == '(') return second == 'd' || second == 'l';
  return (first == '}' || first == ']') && (second == 'q' || second == 'r' || second == '(');
}

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

FileKind kind_of(std::string_view content) {
  constexpr std::string_view kRecording = "tensorscope recording ";
  constexpr char kPickle = '\x80';
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kPickle) || is_old_pickle(content)) return FileKind::snapshot;
  if (content.starts_with(kRecording)) return FileKind::recording;
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  JsonScanner scanner(content);
  if (scanner.peek() == '{') return kind_of_object(scanner);
  FileKind kind = FileKind::other;
  scanner.list([&] {
    kind = kind_of_object(scanner);
    return false;  // only the first item is checked
  });
  return kind;
}

FileKind kind_of_content(std::string& content) {
  const std::string_view text = padded(content);
  const FileKind kind = kind_of(text);
  content.resize(text.size());
  return kind;
}

FileKind kind_of(Input& input) {
  constexpr std::size_t kLeast = 64;
  while (input.text().size() < kLeast && input.more(0)) {
  }
  // A key may come after much else: metadata of a trace. What is packed may have no end.
  constexpr std::size_t kMostSearched = std::size_t{16} << 20U;
  FileKind kind = kind_of(input.text());
  while (kind == FileKind::other && is_json(input.text()) && input.text().size() < kMostSearched &&
         input.more(0))
    kind = kind_of(input.text());
  return kind;
}

}  // namespace ts::io

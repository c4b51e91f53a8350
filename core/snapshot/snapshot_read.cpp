#include "core/snapshot/snapshot_read.h"

#include <utility>

#include "core/io/file.h"
#include "core/io/file_kind.h"
#include "core/snapshot/document.h"
#include "core/snapshot/json_document.h"
#include "core/snapshot/pickle.h"
#include "core/snapshot/snapshot_convert.h"
#include "core/text/message.h"

namespace ts::snapshot {
namespace {

// The share of opening a file up to the conversion; then its blocks are laid out.
constexpr float kConverted = 0.7F;

bool is_pickle(std::string_view content) {
  constexpr unsigned char kProto = 0x80;
  return !content.empty() && static_cast<unsigned char>(content.front()) == kProto;
}

base::Result<ParsedContent> parse(io::Input& input, Document& document, base::Progress* progress,
                                  const base::FileRange& range) {
  if (is_pickle(input.text())) return read_pickle(input, document, EventForm::events, range);
  const bool known = io::kind_of(input.text()) == io::FileKind::snapshot;
  if (known && input.text().find_first_of("(}]") == 0)
    return text::fail("file_error.reason.old_pickle");
  const std::string content = input.rest();
  if (input.problem()) return tl::unexpected(*input.problem());
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t text = content.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t first = content.find_first_not_of(" \t\r\n", text);
  if (first != std::string_view::npos && (content[first] == '{' || content[first] == '[')) {
    document.set_file_bytes(content.size());
    return read_json(content, document, progress);
  }
  return text::fail(content.empty() ? "file_error.reason.empty" : "file_error.reason.format");
}

}  // namespace

base::Result<SnapshotFile> parse_snapshot(io::Input& input, base::Progress* progress,
                                          const base::FileRange& range) {
  // Check this before the parser stores all of it.
  if (!is_pickle(input.text()) && io::kind_of(input) == io::FileKind::trace)
    return text::fail("file_error.reason.is_trace");
  Document document(static_cast<std::size_t>(input.expected()));
  const std::string_view text = input.text();
  const int protocol = is_pickle(text) && text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0;
  TS_TRY(auto parsed, parse(input, document, progress, range));
  if (protocol > 0) document.set_file_bytes(static_cast<std::size_t>(parsed.end));
  if (progress != nullptr) progress->part(kConverted);
  SnapshotFile file = convert_snapshot(document, parsed.root);
  if (progress != nullptr && progress->cancelled()) return text::fail("file_error.stopped");
  file.bytes = document.file_bytes();
  file.packed = input.packed();
  file.pickle_protocol = protocol;
  file.starts = std::move(parsed.starts);
  // A fault of the parser explains missing values, so it takes precedence; one of the input
  // explains that of the parser.
  if (!parsed.fault.empty()) file.fault = std::move(parsed.fault);
  if (!input.fault().empty()) file.fault = input.fault();
  const allocator::Snapshot& snapshot = file.snapshot;
  if (!file.fault.empty() && snapshot.segments.empty() && snapshot.entry_count() == 0) {
    return tl::unexpected(file.fault);
  }
  return file;
}

base::Result<SnapshotFile> parse_snapshot(std::string content) {
  io::Input input = io::Input::of(std::move(content));
  return parse_snapshot(input);
}

base::Result<SnapshotFile> read_snapshot(const std::filesystem::path& path) {
  TS_TRY(auto input, io::Input::open(path));
  return read_snapshot(path, input);
}

base::Result<SnapshotFile> read_snapshot(const std::filesystem::path& path, io::Input& input,
                                         base::Progress* progress, const base::FileRange& range) {
  auto file = parse_snapshot(input, progress, range);
  if (input.problem()) return tl::unexpected(*input.problem());
  if (!file) {
    return text::fail("file_error.snapshot",
                      {{"path", path.string()}, text::argument("reason", std::move(file.error()))});
  }
  if (!range.is_all() && file->fault.empty()) file->fault = io::only_range(range);
  if (!file->fault.empty()) {
    file->fault = io::read_in_part(path, std::move(file->fault));
  }
  return file;
}

}  // namespace ts::snapshot

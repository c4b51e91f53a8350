#include "core/snapshot/snapshot_read.h"

#include <utility>

#include "core/io/file.h"
#include "core/io/file_kind.h"
#include "core/io/json_scanner.h"
#include "core/io/unpack.h"
#include "core/snapshot/document.h"
#include "core/snapshot/json_document.h"
#include "core/snapshot/pickle.h"
#include "core/snapshot/snapshot_convert.h"
#include "core/text/message.h"

namespace ts::snapshot {
namespace {

// Parts of opening a file; before them it is read, after them its blocks are laid out.
constexpr float kParsed = 0.6F;
constexpr float kConverted = 0.7F;

bool is_pickle(std::string_view content) {
  constexpr unsigned char kProto = 0x80;
  return !content.empty() && static_cast<unsigned char>(content.front()) == kProto;
}

base::Result<ParsedContent> parse(std::string content, Document& document,
                                  base::Progress* progress) {
  if (is_pickle(content)) return read_pickle(std::move(content), document, progress);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t text = content.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t first = content.find_first_not_of(" \t\r\n", text);
  if (first != std::string_view::npos && (content[first] == '{' || content[first] == '[')) {
    return read_json(content, document, progress);
  }
  return text::fail(content.empty() ? "file_error.reason.empty" : "file_error.reason.format");
}

}  // namespace

base::Result<SnapshotFile> parse_snapshot(std::string content, base::Progress* progress) {
  if (!is_pickle(content)) {
    // Check this before the parser stores all of it.
    if (io::kind_of_content(content) == io::FileKind::trace)
      return text::fail("file_error.reason.is_trace");
  }
  Document document(content.size());
  const int protocol =
      is_pickle(content) && content.size() > 1 ? static_cast<unsigned char>(content[1]) : 0;
  if (progress != nullptr) progress->part(kParsed);
  auto parsed = parse(std::move(content), document, progress);
  if (!parsed) return tl::unexpected(parsed.error());
  if (progress != nullptr) progress->part(kConverted);
  SnapshotFile file = convert_snapshot(document, parsed->root);
  if (progress != nullptr && progress->cancelled()) return text::fail("file_error.stopped");
  file.bytes = document.file_bytes();
  file.pickle_protocol = protocol;
  // A fault of the parser explains missing values, so it takes precedence.
  if (!parsed->fault.empty()) file.fault = std::move(parsed->fault);
  const allocator::Snapshot& snapshot = file.snapshot;
  if (!file.fault.empty() && snapshot.segments.empty() && snapshot.entry_count() == 0) {
    return tl::unexpected(file.fault);
  }
  return file;
}

base::Result<SnapshotFile> read_snapshot(const std::filesystem::path& path) {
  auto unpacked = io::read_unpacked(path);
  if (!unpacked) return tl::unexpected(unpacked.error());
  return read_snapshot(path, std::move(*unpacked));
}

base::Result<SnapshotFile> read_snapshot(const std::filesystem::path& path,
                                         io::UnpackedFile&& unpacked, base::Progress* progress) {
  auto file = parse_snapshot(std::move(unpacked.content), progress);
  if (!file) {
    return text::fail("file_error.snapshot",
                      {{"path", path.string()}, text::argument("reason", std::move(file.error()))});
  }
  file->packed = unpacked.packed;
  if (!unpacked.fault.empty()) file->fault = std::move(unpacked.fault);
  if (!file->fault.empty()) {
    file->fault = io::read_in_part(path, std::move(file->fault));
  }
  return file;
}

}  // namespace ts::snapshot

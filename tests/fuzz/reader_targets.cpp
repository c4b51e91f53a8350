#include "tests/fuzz/reader_targets.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "assets/assets.h"
#include "core/base/check.h"
#include "core/capture/gpu_buffer_file.h"
#include "core/exported/model_file.h"
#include "core/files/saved_session.h"
#include "core/io/input.h"
#include "core/io/json_parse.h"
#include "core/io/unpack.h"
#include "core/lessons/lesson.h"
#include "core/run/recording.h"
#include "core/run/recording_format.h"
#include "core/run/recording_stream.h"
#include "core/snapshot/snapshot_read.h"
#include "core/spec/model_config.h"
#include "core/sweep/sweep_journal.h"
#include "core/trace_file/trace_read.h"
#include "tests/exported/pt2_bytes.h"
#include "tests/files/made_session.h"
#include "tests/fuzz/snapshot_target.h"

namespace ts::fuzz {
namespace {

// Whether it was read; a refusal has a sentence.
template <class Read>
bool is_read(const Read& read) {
  TS_CHECK(read || !read.error().sentence.empty());
  return read.has_value();
}

bool is_archive(const std::string& bytes) {
  return bytes.starts_with("PK");
}

void read_stream(const std::string& bytes) {
  base::StringTable strings;
  run::RecordingStreamReader reader(1, strings);
  std::vector<run::Update> updates;
  is_read(reader.feed(bytes, updates));
}

const spec::GpuCatalogue& cards() {
  static const spec::GpuCatalogue all = *spec::GpuCatalogue::parse(assets::gpus());
  return all;
}

// Files come in pieces; small ones part every value somewhere. A packed one has a thread for each.
io::Input in_pieces(const std::string& bytes) {
  constexpr std::size_t kMostBytes = 97;
  constexpr std::size_t kUnpacked = std::size_t{1} << 16U;
  const bool packed = bytes.starts_with("\x1F\x8B");
  return io::Input::in_pieces(bytes, packed ? kUnpacked : 2 + bytes.size() % kMostBytes);
}

}  // namespace

void read_snapshot(std::string bytes) {
  io::Input pieces = in_pieces(bytes);
  const auto file = snapshot::parse_snapshot(pieces);
  is_read(file);
  if (pieces.packed() > 0) return;
  const auto whole = snapshot::parse_snapshot(std::move(bytes));
  // An event that does not fit a piece is read as a dictionary.
  if (whole && is_fault_of_event(whole->fault.sentence)) return;
  TS_CHECK(is_read(whole) == file.has_value());
  if (!whole) return;
  TS_CHECK(whole->fault.sentence == file->fault.sentence && whole->bytes == file->bytes);
  TS_CHECK(whole->snapshot.entry_count() == file->snapshot.entry_count());
  TS_CHECK(whole->snapshot.segments.size() == file->snapshot.segments.size());
}

void read_trace(std::string bytes) {
  io::Input pieces = in_pieces(bytes);
  const auto file = trace_file::parse_trace(pieces);
  is_read(file);
  if (pieces.packed() > 0) return;
  const auto whole = trace_file::parse_trace(std::move(bytes));
  TS_CHECK(is_read(whole) == file.has_value());
  if (!whole) return;
  TS_CHECK(whole->fault.sentence == file->fault.sentence && whole->bytes == file->bytes);
  TS_CHECK(whole->event_count == file->event_count && whole->tracks.size() == file->tracks.size());
  TS_CHECK(whole->events.size() == file->events.size());
}

void read_packed(std::string bytes) {
  io::Input pieces = in_pieces(bytes);
  const std::string content = pieces.rest();
  const auto whole = io::unpack(std::move(bytes));
  if (!is_read(whole)) return;
  TS_CHECK(!pieces.problem() && content == whole->content);
  TS_CHECK(whole->packed == 0 || pieces.fault().empty() == whole->fault.empty());
}

void read_recording(std::string bytes) {
  if (!bytes.starts_with(run::recording_format::kMagic)) {
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    const std::string header = bytes.substr(0, end);
    bytes = run::recording_format::framed(header, bytes.substr(std::min(end + 1, bytes.size())));
  }
  base::StringTable strings;
  is_read(run::read_recording(bytes, 1, strings));
  read_stream(bytes);
}

void read_session(std::string bytes) {
  if (!is_archive(bytes)) bytes = files::testing::archive_of({{"session.json", bytes}});
  const auto session = files::parse_session(std::move(bytes));
  if (is_read(session)) TS_CHECK(files::session_bytes(*session));
}

void read_model(std::string bytes) {
  if (!is_archive(bytes)) bytes = exported::testing::zip_of({{"net/models/model.json", bytes}});
  is_read(exported::ModelFile::of_bytes(std::move(bytes), "net.pt2"));
}

void read_config(std::string bytes) {
  const auto json = io::parse_json(bytes);
  if (!is_read(json)) return;
  spec::WorkloadSpec spec;
  is_read(spec::apply_model_config(*json, spec));
}

void read_lesson(std::string bytes) {
  is_read(lessons::read_lesson(bytes, "a.json", cards()));
}

void read_sweep(std::string bytes) {
  const auto journal = sweep::parse_journal(bytes, "sweep.jsonl");
  if (!is_read(journal)) return;
  sweep::Sweep sweep(journal->spec);
  is_read(sweep::restore(sweep, *journal, "sweep.jsonl"));
}

void read_gpu_records(std::string bytes) {
  const auto file = capture::GpuBufferFile::parse(bytes);
  if (is_read(file)) TS_CHECK(capture::GpuBufferFile::parse(file->bytes()));
}

}  // namespace ts::fuzz

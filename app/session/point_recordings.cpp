#include "app/session/point_recordings.h"

#include <system_error>

#include "app/session/is_ready.h"
#include "core/io/file.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

std::uintmax_t bytes_of_recordings(const std::filesystem::path& folder) {
  std::uintmax_t sum = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == kRecordingEnding) sum += entry.file_size(error);
  }
  return sum;
}

// Writes the recording. Returns an empty message, or the reason why there is no file.
base::Message write(const std::filesystem::path& folder, const std::string& name,
                    const run::RecordingWriter& writer, const run::Run& run) {
  if (writer.too_large()) {
    return text::message(
        "recording_error.large",
        {{"name", name}, {"most", text::bytes(run::kMostRecordingBytes).joined()}});
  }
  const std::string file = writer.file(run);
  if (!leaves_room(folder, file.size())) {
    return text::message("recording_error.no_room", {{"name", name}});
  }
  if (bytes_of_recordings(folder) + file.size() > kMostRecordings) {
    return text::message(
        "recording_error.many",
        {{"name", name},
         {"most", text::bytes(static_cast<std::int64_t>(kMostRecordings)).joined()}});
  }
  const auto written = io::write_file(recording_path(folder, name), file);
  return written ? base::Message() : written.error();
}

base::Result<std::shared_ptr<run::Run>> read(const std::filesystem::path& path, run::RunId id,
                                             base::StringTable& strings) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return text::fail("recording_error.missing", {{"path", path.string()}});
  }
  TS_TRY(const auto file, io::read_file(path));
  auto run = run::read_recording(file, id, strings);
  if (!run) {
    return text::fail("recording_error.not_shown",
                      {{"path", path.string()}, text::argument("reason", std::move(run.error()))});
  }
  return run;
}

}  // namespace

bool leaves_room(const std::filesystem::path& folder, std::uintmax_t bytes) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  return error || space.available >= kLeftFree + bytes;
}

std::filesystem::path recording_path(const std::filesystem::path& folder, const std::string& name) {
  return folder / (name + kRecordingEnding);
}

RecordingSaver::~RecordingSaver() {
  if (saving_.valid()) saving_.wait();
}

void RecordingSaver::save(const std::filesystem::path& folder, const std::string& name,
                          std::unique_ptr<run::RecordingWriter> writer,
                          std::shared_ptr<const run::Run> run) {
  saving_ = std::async(std::launch::async,
                       [folder, name, run = std::move(run),
                        writer = std::shared_ptr<run::RecordingWriter>(std::move(writer))] {
                         std::error_code ignored;
                         std::filesystem::create_directories(folder, ignored);
                         // An older recording of the point does not belong to this run.
                         std::filesystem::remove(recording_path(folder, name), ignored);
                         return write(folder, name, *writer, *run);
                       });
}

bool RecordingSaver::ready() {
  if (!saving_.valid()) return true;
  if (!is_ready(saving_)) return false;
  problem_ = saving_.get();
  return true;
}

RecordingOpener::~RecordingOpener() {
  if (opening_.valid()) opening_.wait();
}

void RecordingOpener::open(const std::filesystem::path& path, base::StringTable& strings) {
  opening_ = std::async(std::launch::async,
                        [path, id = ++last_id_, &strings] { return read(path, id, strings); });
}

std::optional<base::Result<std::shared_ptr<run::Run>>> RecordingOpener::take() {
  if (!opening_.valid() || !is_ready(opening_)) return std::nullopt;
  return opening_.get();
}

}  // namespace ts::app

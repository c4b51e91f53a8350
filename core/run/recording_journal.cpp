#include "core/run/recording_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/clock.h"
#include "core/run/recording_parts.h"

namespace ts::run {
namespace {

constexpr std::int64_t kEvery = 100'000'000;  // ns
constexpr mode_t kMode = 0666;                // less what the user's mask takes

}  // namespace

std::filesystem::path RecordingJournal::path_of(const std::filesystem::path& recording) {
  std::filesystem::path path = recording;
  path += ".part";
  return path;
}

RecordingJournal::RecordingJournal(std::filesystem::path path, const Run& run)
    : path_(std::move(path)) {
  ::unlink(path_.c_str());
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kMode);
  made_ = file_ >= 0;
  append(recording_parts::piece_of(recording_parts::run_header(run), {}));
}

RecordingJournal::~RecordingJournal() {
  if (file_ >= 0) ::close(file_);
}

void RecordingJournal::step(const StepTimes& times) {
  const std::lock_guard lock(mutex_);
  steps_.push_back(times);
}

void RecordingJournal::update(RecordingWriter& writer, std::uint64_t dropped,
                              std::int64_t clock_drift_ns, std::int64_t peak) {
  if (base::now_ns() - written_ns_ >= kEvery) flush(writer, dropped, clock_drift_ns, peak);
}

bool RecordingJournal::flush(RecordingWriter& writer, std::uint64_t dropped,
                             std::int64_t clock_drift_ns, std::int64_t peak) {
  if (file_ < 0) return made_;
  written_ns_ = base::now_ns();
  RecordingProgress progress{{}, dropped, clock_drift_ns, peak};
  {
    const std::lock_guard lock(mutex_);
    progress.steps = std::exchange(steps_, {});
  }
  append(writer.next_piece(std::move(progress)));
  return true;
}

void RecordingJournal::append(std::string_view bytes) {
  while (file_ >= 0 && !bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      ::close(std::exchange(file_, -1));
    }
  }
}

void RecordingJournal::remove() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  ::unlink(path_.c_str());
}

}  // namespace ts::run

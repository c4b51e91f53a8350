#include "core/run/recording_journal.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
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
  file_ = io::Descriptor(
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kMode));
  made_ = file_.is_open();
  append(recording_parts::piece_of(recording_parts::run_header(run), {}));
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
  if (!file_.is_open()) return made_;
  written_ns_ = base::now_ns();
  RecordingProgress progress{{}, dropped, clock_drift_ns, peak};
  {
    const std::lock_guard lock(mutex_);
    progress.steps = std::exchange(steps_, {});
  }
  const RecordingWriter::Piece piece = writer.next_piece(std::move(progress));
  append(piece.begin, piece.records);
  return true;
}

void RecordingJournal::append(std::string_view begin, std::string_view rest) {
  const auto part = [](std::string_view bytes) {
    return iovec{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  };
  while (file_.is_open() && !(begin.empty() && rest.empty())) {
    const std::array<iovec, 2> parts = {part(begin), part(rest)};
    const ssize_t count = ::writev(file_.number(), parts.data(), static_cast<int>(parts.size()));
    if (count > 0) {
      const auto written = static_cast<std::size_t>(count);
      const std::size_t of_begin = std::min(written, begin.size());
      begin.remove_prefix(of_begin);
      rest.remove_prefix(written - of_begin);
    } else if (errno != EINTR) {
      file_.close();
    }
  }
}

void RecordingJournal::remove() {
  file_.close();
  ::unlink(path_.c_str());
}

}  // namespace ts::run

#include "app/session/kept_runs.h"

#include <atomic>
#include <utility>

namespace ts::app {
namespace {

std::size_t bytes_of(const KeptRuns::Kept& kept) {
  return kept.run->trace.bytes() + kept.run->memory.bytes() +
         (kept.file != nullptr ? kept.file->size() : 0);
}

}  // namespace

std::shared_ptr<const std::string> KeptRuns::Kept::recording() const {
  return file != nullptr ? file : std::make_shared<const std::string>(writer->file(*run));
}

void KeptRuns::follow(run::RunId id, const base::StringTable& strings) {
  // A recording that is too long is kept up to there, and counts what it lacks.
  writer_ =
      std::make_shared<run::RecordingWriter>(id, strings, run::RecordingWriter::WhenFull::keep);
}

void KeptRuns::add(run::RunId id, const capture::Batch& batch) {
  if (writer_ != nullptr && writer_->id() == id) writer_->add(batch);
}

void KeptRuns::finish(const std::shared_ptr<run::Run>& run) {
  if (writer_ == nullptr || run == nullptr || writer_->id() != run->id) return;
  const bool result = run->verdict == run::Verdict::ok || run->verdict == run::Verdict::oom;
  if (result) add({.run = run, .writer = std::move(writer_), .file = nullptr});
  writer_.reset();
}

void KeptRuns::add(Kept kept) {
  all_.push_back(std::move(kept));
  std::size_t bytes = 0;
  for (const Kept& one : all_) bytes += bytes_of(one);
  while (all_.size() > 1 && (all_.size() > kMost || bytes > kMostBytes)) {
    bytes -= bytes_of(all_.front());
    all_.pop_front();
  }
}

run::RunId KeptRuns::next_id() {
  static std::atomic<run::RunId> last{run::RunId{1} << 49};
  return ++last;
}

}  // namespace ts::app

#include "core/capture/gpu_capture.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "core/base/clock.h"

namespace ts::capture {
namespace {

std::uint8_t* take_buffer(void* user, std::size_t* bytes) {
  auto& pool = *static_cast<BufferPool*>(user);
  *bytes = pool.buffer_bytes();
  return pool.take();
}

void fill_buffer(void* user, std::uint8_t* buffer, std::size_t bytes, std::uint64_t lost) {
  static_cast<BufferPool*>(user)->fill(buffer, bytes, lost);
}

}  // namespace

GpuCapture::GpuCapture(const GpuSource& source) : source_(source), thread_([this] { run(); }) {}

GpuCapture::~GpuCapture() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

base::StringId GpuCapture::intern(void* user, const char* text, std::size_t length) {
  return static_cast<GpuCapture*>(user)->recorder_->strings().intern({text, length});
}

void GpuCapture::take(void* user, const GpuRecord& record) {
  static_cast<GpuCapture*>(user)->read_.push_back(record);
}

void GpuCapture::keep_record(void* user, const void* record, std::size_t bytes) {
  static_cast<GpuCapture*>(user)->kept_->add_record(record, bytes);
}

void GpuCapture::keep_text(void* user, const char* text) {
  static_cast<GpuCapture*>(user)->kept_->add_text(text);
}

// How far the source's clock is ahead of ours: the shortest of a few readings, which was
// interrupted least.
std::int64_t GpuCapture::clock_ahead_ns() const {
  if (source_.clock == nullptr) return 0;
  constexpr int kReadings = 5;
  std::int64_t ahead = 0;
  auto shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t before = base::now_ns();
    const std::int64_t theirs = source_.clock();
    const std::int64_t took = base::now_ns() - before;
    if (took >= shortest) continue;
    shortest = took;
    ahead = theirs - before - took / 2;
  }
  return ahead;
}

std::string GpuCapture::begin(Recorder& recorder) {
  if (const char* why = source_.prepare({&pool_, take_buffer, fill_buffer})) return why;
  {
    // The thread may still be finishing the previous recording.
    const std::lock_guard lock(reading_);
    const bool kept = kept_ != nullptr;
    const GpuSink sink{.user = this,
                       .intern = intern,
                       .take = take,
                       .keep_record = kept ? keep_record : nullptr,
                       .keep_text = kept ? keep_text : nullptr};
    if (const char* why = source_.begin(sink)) return why;
    recorder_ = &recorder;
    GpuRecord began;
    began.kind = GpuKind::began;
    began.begin_ns = base::now_ns();
    recorder.gpu().push({&began, 1});
    counted_dropped_ = pool_.lost() + pool_.refused();
    ahead_at_begin_ns_ = clock_ahead_ns();
  }
  {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }
  wake_.notify_one();
  return {};
}

void GpuCapture::end() {
  {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  const std::int64_t drift_ns = clock_ahead_ns() - ahead_at_begin_ns_;
  source_.end();
  read_filled();
  const std::lock_guard lock(reading_);
  if (recorder_ != nullptr) recorder_->gpu().note_drift(drift_ns);
  recorder_ = nullptr;
}

void GpuCapture::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wake_.wait(lock, [this] { return stop_ || open_; });
    while (open_ && !stop_) {
      lock.unlock();
      source_.flush();
      read_filled();
      lock.lock();
      wake_.wait_for(lock, std::chrono::milliseconds(kFlushMs), [this] { return stop_ || !open_; });
    }
  }
}

void GpuCapture::read_filled() {
  const std::lock_guard lock(reading_);
  while (const auto filled = pool_.next()) {
    if (recorder_ != nullptr) {
      if (kept_ != nullptr) kept_->begin_buffer();
      source_.read(filled->data, filled->bytes);
    }
    pool_.recycle(filled->data);
    if (recorder_ != nullptr) recorder_->gpu().push(read_);
    read_.clear();
  }
  const std::uint64_t dropped = pool_.lost() + pool_.refused();
  if (recorder_ != nullptr && dropped > counted_dropped_)
    recorder_->gpu().add_dropped(dropped - std::exchange(counted_dropped_, dropped));
}

std::string GpuCapture::self_test(int device) {
  base::StringTable strings;
  Recorder recorder(strings);
  if (std::string why = begin(recorder); !why.empty()) return why;
  std::string problem;
  if (const char* why = source_.touch(device)) problem = why;
  bool seen = false;
  std::vector<GpuRecord> records;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (problem.empty() && !seen && std::chrono::steady_clock::now() < until) {
    source_.flush();
    read_filled();
    recorder.gpu().take(records);
    seen = std::any_of(records.begin(), records.end(), [](const GpuRecord& record) {
      return record.kind == GpuKind::fill && record.end_ns > 0;
    });
    if (!seen) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  end();
  if (!problem.empty() || seen) return problem;
  return "CUPTI answers, but brought no record of a write on the device within 500 ms, as happens "
         "in WSL and in some containers";
}

}  // namespace ts::capture

#include "core/capture/event_recorder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/clock.h"

namespace ts::capture {

EventRecorder::Open& EventRecorder::open() noexcept {
  thread_local Open one;
  return one;
}

const char* EventRecorder::begin(const GpuSink& sink) {
  const std::lock_guard bringing(bringing_);
  sink_ = sink;
  base_ = events_.record();
  if (base_ == nullptr) return "CUDA events cannot be made";
  events_.synchronize();
  base_ns_ = base::now_ns();
  const std::lock_guard lock(mutex_);
  recording_ = true;
  return nullptr;
}

void EventRecorder::end() {
  const std::lock_guard bringing(bringing_);
  {
    const std::lock_guard lock(mutex_);
    recording_ = false;
  }
  if (base_ == nullptr) return;
  bring();
  const std::lock_guard lock(mutex_);
  for (const Timed& one : std::exchange(waiting_, {})) {
    events_.release(one.begin);
    events_.release(one.end);
  }
  events_.release(std::exchange(base_, nullptr));
}

void EventRecorder::flush() {
  const std::lock_guard bringing(bringing_);
  if (base_ != nullptr) bring();
}

void EventRecorder::push(std::uint64_t id) noexcept {
  Open& mine = open();
  if (mine.depth++ > 0) return;
  mine.timed = {};
  mine.timed.id = id;
  mine.timed.begin = events_.record();
}

void EventRecorder::pop() noexcept {
  Open& mine = open();
  if (mine.depth == 0) return;
  --mine.depth;
  if (mine.depth == 0 && mine.timed.begin != nullptr) close(mine.timed);
}

void EventRecorder::close(Timed timed) {
  timed.end = events_.record();
  timed.device = events_.device();
  timed.stream = events_.stream();
  const std::lock_guard lock(mutex_);
  if (timed.end != nullptr && recording_) {
    waiting_.push_back(timed);
    return;
  }
  events_.release(timed.begin);
  if (timed.end != nullptr) events_.release(timed.end);
}

void EventRecorder::bring() {
  std::vector<Timed> done;
  {
    const std::lock_guard lock(mutex_);
    const auto rest = std::stable_partition(
        waiting_.begin(), waiting_.end(), [&](const Timed& one) { return !events_.done(one.end); });
    done.assign(rest, waiting_.end());
    waiting_.erase(rest, waiting_.end());
  }
  write(done);
  for (const Timed& one : done) {
    events_.release(one.begin);
    events_.release(one.end);
  }
}

void EventRecorder::write(const std::vector<Timed>& done) {
  std::vector<GpuRecord> records;
  for (const Timed& one : done) {
    GpuRecord link;
    link.kind = GpuKind::correlation;
    link.correlation = ++last_number_;
    link.op = op_of(one.id);
    link.module = module_of(one.id);
    records.push_back(link);
    GpuRecord record;
    record.kind = one.kind;
    record.correlation = last_number_;
    record.name = link.op;
    record.device = one.device;
    record.stream = one.stream;
    record.begin_ns = base_ns_ + events_.nanoseconds(base_, one.begin);
    record.end_ns = base_ns_ + events_.nanoseconds(base_, one.end);
    records.push_back(record);
  }
  for (std::size_t written = 0; written < records.size();) {
    std::size_t bytes = 0;
    std::uint8_t* const buffer = buffers_.take(buffers_.user, &bytes);
    if (buffer == nullptr) return;  // the pool counts refused requests
    const std::size_t count = std::min(bytes / sizeof(GpuRecord), records.size() - written);
    std::memcpy(buffer, static_cast<const void*>(records.data() + written),
                count * sizeof(GpuRecord));
    buffers_.fill(buffers_.user, buffer, count * sizeof(GpuRecord), 0);
    written += std::max<std::size_t>(count, 1);
  }
}

void EventRecorder::read(const std::uint8_t* buffer, std::size_t bytes) const {
  for (std::size_t at = 0; at + sizeof(GpuRecord) <= bytes; at += sizeof(GpuRecord)) {
    GpuRecord record;
    std::memcpy(static_cast<void*>(&record), buffer + at, sizeof(record));
    sink_.take(sink_.user, record);
  }
}

const char* EventRecorder::touch() {
  Timed nothing;
  nothing.kind = GpuKind::fill;
  nothing.begin = events_.record();
  if (nothing.begin == nullptr) return "CUDA events cannot be made";
  close(nothing);
  events_.synchronize();
  return nullptr;
}

}  // namespace ts::capture

#include "core/capture/collector.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/base/check.h"
#include "core/base/tick_clock.h"
#include "core/capture/decoder.h"
#include "core/capture/gpu_timeline.h"
#include "core/capture/memory_merge.h"

namespace ts::capture {

namespace {

// The collector takes a core from the threads of a recorded step. These wait for each other after
// every operator, so one stopped thread stops all. The collector therefore runs rarely; a ring of
// 65,536 holds two records a microsecond for that time, five times the rate of thousands of small
// operators.
constexpr std::chrono::milliseconds kPeriod{30};

}  // namespace

struct Collector::Impl {
  Impl(Recorder& recorder_to_drain, Sink batch_sink)
      : recorder(recorder_to_drain),
        sink(std::move(batch_sink)),
        decoder(recorder.strings()),
        gpu(recorder.strings(),
            [this](trace::Track track) { return decoder.add_track(std::move(track)); }),
        thread([this] { run(); }) {}
  ~Impl();

  void run();
  void flush();
  void collect(bool all);
  void drain();
  void drain_thread(std::size_t index, ThreadLog& log);

  Recorder& recorder;
  // A name that the full table has no room for leaves its record without one: it counts as lost.
  const std::uint64_t nameless_before = recorder.strings().overflowed();
  const Sink sink;
  Decoder decoder;
  GpuTimeline gpu;
  std::vector<GpuRecord> gpu_records;
  MemoryMerge memory;
  Batch batch;  // keeps its room from one time to the next where the sink only reads it

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable flushed;
  bool stop = false;
  std::uint64_t flushes_asked = 0;
  std::uint64_t flushes_done = 0;
  std::thread thread;  // last: it uses all members above
};

Collector::Impl::~Impl() {
  {
    const std::lock_guard lock(mutex);
    stop = true;
  }
  wake.notify_one();
  thread.join();
}

void Collector::Impl::run() {
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait_for(lock, kPeriod, [this] { return stop || flushes_asked > flushes_done; });
    if (stop) return;
    const std::uint64_t asked = flushes_asked;
    const bool all = asked > flushes_done;
    lock.unlock();
    collect(all);
    lock.lock();
    flushes_done = asked;
    if (all) flushed.notify_all();
  }
}

void Collector::Impl::flush() {
  TS_CHECK(std::this_thread::get_id() != thread.get_id());
  std::unique_lock lock(mutex);
  const std::uint64_t ticket = ++flushes_asked;
  wake.notify_one();
  flushed.wait(lock, [this, ticket] { return flushes_done >= ticket; });
}

void Collector::Impl::collect(bool all) {
  base::record_clock.follow();
  drain();
  const std::int64_t until_ns = memory.latest_ns();
  // A thread may have freed memory that another one allocated after the other's ring was drained.
  // Everything that the records of the first drain depend on was pushed before them, so the second
  // drain finds it; its own later records wait.
  if (decoder.thread_count() > 1) drain();

  recorder.gpu().take(gpu_records);
  for (const GpuRecord& record : gpu_records) gpu.take(record);

  batch.tracks.clear();
  batch.slices.clear();
  batch.memory.clear();
  batch.launches.clear();
  memory.hand_over(until_ns, batch.memory);
  gpu.hand_over(all, batch);      // may create tracks,
  decoder.hand_over(all, batch);  // which this call reports
  batch.dropped =
      recorder.dropped() + gpu.without_time() + recorder.strings().overflowed() - nameless_before;
  batch.clock_drift_ns = recorder.gpu().drift_ns();
  if (!batch.empty()) sink(std::move(batch));
}

void Collector::Impl::drain() {
  const std::vector<ThreadLog*> logs = recorder.threads();
  for (std::size_t index = 0; index < logs.size(); ++index) {
    if (index == decoder.thread_count()) decoder.add_thread(logs[index]->kind, logs[index]->name);
    drain_thread(index, *logs[index]);
  }
}

void Collector::Impl::drain_thread(std::size_t index, ThreadLog& log) {
  const auto take = [&](const RawRecord& record) {
    if (record.kind == RawKind::memory) {
      memory.take(index, record.memory);
    } else {
      decoder.take(index, record);
    }
  };
  // At most one full ring: a fast producer must not make the others wait.
  for (std::size_t taken = 0; taken < log.ring.capacity();) {
    const std::size_t count = log.ring.drain(take);
    if (count == 0) return;
    taken += count;
  }
}

Collector::Collector(Recorder& recorder, Sink sink)
    : impl_(std::make_unique<Impl>(recorder, std::move(sink))) {}
Collector::~Collector() = default;

void Collector::flush() {
  impl_->flush();
}

}  // namespace ts::capture

#include "kernels/record/script_recorder.h"

#include <atomic>
#include <cstdlib>
#include <utility>

#include "core/base/clock.h"
#include "core/capture/collector.h"
#include "core/io/file.h"
#include "core/run/recording.h"
#include "kernels/observe/cpu_allocator.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/recording.h"
#include "kernels/record/python_place.h"

namespace ts::kernels {
namespace {

using base::Phase;

constexpr run::RunId kRun = 1;
// A ring holds what a thread records in 30 ms, so that a loop of tiny operators loses nothing.
constexpr std::size_t kRingRecords = std::size_t{1} << 16;

run::StartedUpdate started(std::int64_t limit) {
  run::StartedUpdate update;
  update.id = kRun;
  update.limit = limit;
  if (limit > 0) update.limit_source = "memory_limit";
  update.begin_ns = base::now_ns();
  return update;
}

}  // namespace

struct ScriptRecorder::Impl {
  Impl(std::string script, std::int64_t limit)
      : account(CpuAllocator::install().open_account(limit > 0 ? limit : INT64_MAX)),
        run(started(limit)) {
    run.script = std::move(script);
    run.facts.memory_limit = limit;
    collector.emplace(recorder, [this](capture::Batch&& batch) {
      writer.add(batch);
      dropped = batch.dropped;
      if (writer.too_large()) full.store(true, std::memory_order_relaxed);
    });
    recording.emplace(recorder, &python_place);
    begin_phase(Phase::setup, false);
  }
  ~Impl() {
    stop();
    CpuAllocator::install().close_account(account);
  }

  void stop() {
    recording.reset();
    if (!collector) return;
    collector->flush();
    collector.reset();
  }

  void begin_phase(Phase next, bool graph_kept) {
    phase = next;
    phase_begin_ns = base::now_ns();
    if (recording && next != Phase::idle) recording->begin_phase(next, graph_kept);
  }
  void end_phase() {
    if (phase == Phase::idle) return;
    const std::int64_t now = base::now_ns();
    if (recording) {
      const std::uint8_t depth = phase == Phase::setup ? 0 : 1;
      recording->push_span(capture::RawKind::phase, strings.intern(base::phase_name(phase)), depth,
                           phase_begin_ns);
      recording->end_phase();
    }
    const std::int64_t took = now - phase_begin_ns;
    if (phase == Phase::forward) times.forward_ns += took;
    if (phase == Phase::backward) times.backward_ns += took;
    if (phase == Phase::optimizer) times.optimizer_ns += took;
    phase = Phase::idle;
  }
  void begin_step(std::int32_t number) {
    step = number;
    times = {};
    times.begin_ns = base::now_ns();
    if (recording) recording->set_step(number);
  }
  // At the end of a step, so that a recording that is full is one of whole steps and a part.
  void stop_when_full() {
    if (full.load(std::memory_order_relaxed)) recording.reset();
  }

  base::StringTable strings;
  capture::Recorder recorder{strings, kRingRecords};
  CpuAllocator::Account& account;
  run::Run run;
  run::RecordingWriter writer{kRun, strings, run::RecordingWriter::WhenFull::keep};
  std::uint64_t dropped = 0;  // written by the collector's thread, read when it has ended
  std::atomic<bool> full{false};
  std::optional<capture::Collector> collector;
  std::optional<Recording> recording;

  Phase phase = Phase::idle;
  std::int64_t phase_begin_ns = 0;
  std::int32_t step = -1;
  run::StepTimes times;
};

ScriptRecorder::ScriptRecorder(std::string script, std::int64_t limit)
    : impl_(std::make_unique<Impl>(std::move(script), limit)) {}
ScriptRecorder::~ScriptRecorder() = default;

base::StringTable& ScriptRecorder::strings() noexcept {
  return impl_->strings;
}

void ScriptRecorder::phase(Phase phase, bool graph_kept) {
  impl_->end_phase();
  if (phase == Phase::forward && impl_->step < 0) impl_->begin_step(0);
  impl_->begin_phase(phase, graph_kept);
}

void ScriptRecorder::step() {
  Impl& impl = *impl_;
  impl.end_phase();
  if (impl.step >= 0) {
    impl.times.total_ns = base::now_ns() - impl.times.begin_ns;
    impl.run.apply(run::SampleUpdate{kRun, impl.times, run::SampleUpdate::Kind::recorded});
    if (impl.recording) {
      impl.recording->push_span(capture::RawKind::step,
                                impl.strings.intern("step " + std::to_string(impl.step)), 0,
                                impl.times.begin_ns);
    }
  }
  impl.stop_when_full();
  impl.begin_step(impl.step + 1);
}

void ScriptRecorder::owner(const void* address, memory::Category category, std::string_view name) {
  if (impl_->recording) impl_->recording->owner(address, category, name);
}

base::Result<ScriptRecorder::Summary> ScriptRecorder::finish(const std::filesystem::path& path,
                                                             std::optional<run::Failure> failure) {
  Impl& impl = *impl_;
  impl.end_phase();
  impl.stop();
  run::FinishedUpdate end;
  end.id = kRun;
  end.end_ns = base::now_ns();
  if (failure) {
    end.verdict = failure->verdict;
    end.failure = std::move(*failure);
    if (auto refused = swallowed_refusal(); end.verdict == run::Verdict::oom && refused)
      end.failure = std::move(*refused);
  }
  impl.run.allocator_peak = impl.account.peak.load();
  impl.run.dropped = impl.dropped;
  impl.run.apply(std::move(end));
  const std::string file = impl.writer.file(impl.run);
  if (auto written = io::write_file(path, file); !written) return tl::unexpected(written.error());
  return Summary{.steps = static_cast<std::int64_t>(impl.run.recorded_steps.size()),
                 .peak_bytes = impl.run.allocator_peak,
                 .file_bytes = static_cast<std::int64_t>(file.size()),
                 .lost = impl.dropped + impl.writer.lost()};
}

void ScriptRecorder::abandon(std::unique_ptr<ScriptRecorder> recorder) {
  if (recorder == nullptr) return;
  Impl* const impl = recorder->impl_.release();
  // The collector's thread is not in this process: it must not be waited for.
  impl->recording.reset();
}

}  // namespace ts::kernels

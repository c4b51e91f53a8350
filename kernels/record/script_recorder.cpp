#include "kernels/record/script_recorder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "core/base/clock.h"
#include "core/base/tick_clock.h"
#include "core/capture/collector.h"
#include "core/io/file.h"
#include "core/live/meeting_place.h"
#include "core/live/outgoing.h"
#include "core/run/recording.h"
#include "core/run/recording_journal.h"
#include "core/text/message.h"
#include "kernels/observe/cpu_allocator.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/recording.h"
#include "kernels/record/crash_watch.h"
#include "kernels/record/python_place.h"
#include "kernels/record/script_cuda.h"

namespace ts::kernels {
namespace {

using base::Phase;

constexpr run::RunId kRun = 1;
// A ring holds what a loop of tiny operators records while the collector waits for a core or the
// disk, for some tenths of a second.
constexpr std::size_t kRingRecords = std::size_t{1} << 18;

// A window that takes nothing for so long does not get the end.
constexpr std::chrono::seconds kPatience{2};

run::StartedUpdate started(std::int64_t limit, bool on_cuda) {
  run::StartedUpdate update;
  update.id = kRun;
  if (on_cuda) update.spec.device = spec::DeviceKind::cuda;
  update.limit = limit;
  if (limit > 0) update.limit_source = "memory_limit";
  update.begin_ns = base::now_ns();
  return update;
}

}  // namespace

struct ScriptRecorder::Impl {
  explicit Impl(Options asked)
      : options(std::move(asked)), run(started(options.limit, options.on_cuda)) {
    if (options.on_cuda) {
      cuda.emplace(options.limit);
    } else {
      account =
          &CpuAllocator::install().open_account(options.limit > 0 ? options.limit : INT64_MAX);
    }
    run.script = options.script;
    run.facts.memory_limit = options.limit;
    if (options.live) call_window();
    // Beside a device or a pipe there is none.
    if (!options.path.empty() && !io::reason_no_file(options.path))
      journal.emplace(run::RecordingJournal::path_of(options.path), run);
    collector.emplace(recorder, [this](capture::Batch&& batch) { take(batch); });
    if (journal) crash.emplace([this] { save(); });
    if (options.first == 0) begin_recording();
    begin_phase(Phase::setup, false);
  }
  ~Impl() {
    stop();
    if (account != nullptr) CpuAllocator::install().close_account(*account);
  }

  // The collector's thread. What the file has no room for, the window does not get either.
  void take(const capture::Batch& batch) {
    const std::lock_guard lock(writing);
    const bool kept = !writer.too_large();
    writer.add(batch);
    dropped = batch.dropped;
    clock_drift_ns = batch.clock_drift_ns;
    if (writer.too_large()) full.store(true, std::memory_order_relaxed);
    const std::int64_t peak = this->peak();
    if (outgoing && kept) outgoing->add(batch, peak);
    if (journal) journal->update(writer, batch.dropped, batch.clock_drift_ns, peak);
  }

  // A thread of CrashWatch's.
  void save() {
    collector->flush();
    const std::lock_guard lock(writing);
    journal->flush(writer, dropped, clock_drift_ns, peak());
  }

  void call_window() {
    if (auto socket = live::call_window(live::meeting_folder())) {
      outgoing.emplace(std::move(*socket), strings, run);
    } else {
      live_problem = std::move(socket.error());
    }
  }

  void begin_recording() {
    recording.emplace(recorder, &python_place, cuda ? c10::DeviceType::CUDA : c10::DeviceType::CPU);
    if (cuda) cuda->begin(recorder, *recording);
  }
  void end_recording() {
    if (cuda) cuda->end();
    recording.reset();
  }
  // The most bytes of tensors so far. Any thread.
  [[nodiscard]] std::int64_t peak() const {
    return cuda ? cuda->peak() : account->peak.load(std::memory_order_relaxed);
  }

  void stop() {
    end_recording();
    crash.reset();
    if (!collector) return;
    collector->flush();
    collector.reset();
  }

  // After end_recording(): until then it is not known which one it is.
  void name_card() {
    run.device_name = cuda->name();
    if (run.limit > 0 || cuda->capacity() == 0) return;
    run.limit = cuda->capacity();
    run.limit_source = cuda->name();
  }

  // Beside the recording, in PyTorch's own format; adds where it is, or why it is not.
  void write_snapshot(const std::filesystem::path& recording_path,
                      std::vector<base::Message>& remarks) const {
    std::filesystem::path path = recording_path;
    path.replace_extension(".snapshot.pickle");
    if (const auto written = cuda->write_snapshot(path, strings); !written) {
      remarks.push_back(text::message("record.snapshot_not_written",
                                      {text::argument("reason", written.error())}));
      return;
    }
    remarks.push_back(text::message("record.snapshot_written", {{"path", path.string()}}));
    if (const std::uint64_t count = cuda->events_left_out(); count > 0) {
      remarks.push_back(
          text::message("record.events_left_out", {{"count", std::to_string(count)}}));
    }
  }

  // After the collector has ended. Records that only the window lost.
  std::uint64_t end_live(const std::string& file) {
    if (!outgoing) return 0;
    run.dropped = dropped + writer.lost();
    outgoing->end(run, file, kPatience);
    look_for_window();
    return outgoing->lost();
  }

  // Why the file was not written, and what there is in its place.
  base::Message with_journal(base::Message problem) {
    if (!journal || !journal->flush(writer, dropped, clock_drift_ns, run.allocator_peak))
      return problem;
    return text::message("error.kept_part", {text::argument("problem", std::move(problem)),
                                             {"path", journal->path().string()}});
  }

  // At the end of a step and of the script.
  void look_for_window() {
    if (window_gone < 0 && outgoing && outgoing->gone())
      window_gone = std::max<std::int64_t>(steps - 1, 0);
  }

  void begin_phase(Phase next, bool graph_kept) {
    phase = next;
    phase_begin_ns = base::record_clock.now();
    if (recording && next != Phase::idle) recording->begin_phase(next, graph_kept);
  }
  void end_phase() {
    if (phase == Phase::idle) return;
    const std::int64_t now = base::record_clock.now();
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
    times.begin_ns = base::record_clock.now();
    if (number == options.end) end_recording();
    if (number == options.first && number > 0) begin_recording();
    if (recording) recording->set_step(number);
  }
  [[nodiscard]] bool in_range(std::int32_t number) const {
    return number >= options.first && number < options.end;
  }
  // At the end of a step, so that a recording that is full is one of whole steps and a part.
  void stop_when_full() {
    if (full.load(std::memory_order_relaxed)) end_recording();
  }

  const Options options;
  base::StringTable strings;
  capture::Recorder recorder{strings, kRingRecords};
  CpuAllocator::Account* account = nullptr;  // on the CPU
  std::optional<ScriptCuda> cuda;            // on a card
  run::Run run;
  run::RecordingWriter writer{kRun, strings, run::RecordingWriter::WhenFull::keep};
  // Written by the collector's thread, read when it has ended.
  std::uint64_t dropped = 0;
  std::int64_t clock_drift_ns = 0;  // of a GPU's records, the largest
  std::atomic<bool> full{false};
  std::optional<live::Outgoing> outgoing;
  std::optional<run::RecordingJournal> journal;
  base::Message live_problem;
  std::int64_t window_gone = -1;  // see Summary
  std::mutex writing;  // `writer` and `journal`, between the collector's thread and save()
  std::optional<capture::Collector> collector;
  std::optional<CrashWatch> crash;
  std::optional<Recording> recording;

  Phase phase = Phase::idle;
  std::int64_t phase_begin_ns = 0;
  std::int32_t step = -1;
  std::int64_t steps = 0;  // complete ones
  run::StepTimes times;
};

ScriptRecorder::ScriptRecorder(Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
ScriptRecorder::~ScriptRecorder() = default;

base::StringTable& ScriptRecorder::strings() noexcept {
  return impl_->strings;
}

const base::Message& ScriptRecorder::live_problem() const noexcept {
  return impl_->live_problem;
}

void ScriptRecorder::cuda_started() {
  if (impl_->cuda) impl_->cuda->start();
}

void ScriptRecorder::enter(base::StringId module) {
  if (Recording* const recording = Recording::active()) recording->open_module(module);
}

void ScriptRecorder::leave(base::StringId module) {
  if (Recording* const recording = Recording::active()) recording->close_module_named(module);
}

void ScriptRecorder::phase(Phase phase, bool graph_kept) {
  impl_->end_phase();
  if (impl_->cuda) impl_->cuda->look();
  if (phase == Phase::forward && impl_->step < 0) impl_->begin_step(0);
  impl_->begin_phase(phase, graph_kept);
}

void ScriptRecorder::step() {
  Impl& impl = *impl_;
  impl.end_phase();
  if (impl.step >= 0) {
    ++impl.steps;
    impl.times.total_ns = base::record_clock.now() - impl.times.begin_ns;
    if (impl.in_range(impl.step)) {
      impl.run.apply(run::SampleUpdate{kRun, impl.times, run::SampleUpdate::Kind::recorded});
      if (impl.outgoing) impl.outgoing->step(impl.times);
      if (impl.journal) impl.journal->step(impl.times);
    }
    if (impl.recording) {
      impl.recording->push_span(capture::RawKind::step,
                                impl.strings.intern("step " + std::to_string(impl.step)), 0,
                                impl.times.begin_ns);
    }
  }
  if (impl.cuda) impl.cuda->look();
  impl.stop_when_full();
  impl.look_for_window();
  impl.begin_step(impl.step + 1);
}

void ScriptRecorder::owner(const void* address, memory::Category category, base::StringId name) {
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
  end.notes = std::move(notes);
  if (failure) {
    end.verdict = failure->verdict;
    end.failure = std::move(*failure);
    if (auto refused = swallowed_refusal(); end.verdict == run::Verdict::oom && refused)
      end.failure = std::move(*refused);
  }
  impl.run.allocator_peak = impl.peak();
  if (impl.cuda) {
    impl.name_card();
    remarks = impl.cuda->missing();
    if (end.verdict == run::Verdict::oom && !io::reason_no_file(path))
      impl.write_snapshot(path, remarks);
  }
  impl.run.dropped = impl.dropped;
  impl.run.clock_drift_ns = impl.clock_drift_ns;
  impl.run.apply(std::move(end));
  const std::string file = impl.writer.file(impl.run);
  const auto written = io::write_file(path, file);
  const std::uint64_t lost_live = impl.end_live(written ? path.string() : std::string());
  if (!written) return tl::unexpected(impl.with_journal(written.error()));
  if (impl.journal) impl.journal->remove();
  return Summary{.steps = impl.steps,
                 .recorded = static_cast<std::int64_t>(impl.run.recorded_steps.size()),
                 .peak_bytes = impl.run.allocator_peak,
                 .file_bytes = static_cast<std::int64_t>(file.size()),
                 .lost = impl.dropped + impl.writer.lost(),
                 .lost_live = lost_live,
                 .window_gone = impl.window_gone};
}

void ScriptRecorder::leave_in_child() noexcept {
  // The collector's thread is not in this process: it must not be waited for.
  impl_->recording.reset();
  if (impl_->outgoing) impl_->outgoing->leave_in_child();
}

std::unique_ptr<ProcessRecorder> make_process_recorder(ProcessRecorder::Options options) {
  return std::make_unique<ScriptRecorder>(std::move(options));
}

}  // namespace ts::kernels

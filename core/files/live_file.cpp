#include "core/files/live_file.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace ts::files {
namespace {

using State = live::Incoming::State;

// For the figures of delays; of a run of hours the first ones are kept.
constexpr std::size_t kMostDelays = 100'000;

}  // namespace

LiveFile::LiveFile(std::shared_ptr<live::Incoming> incoming) : incoming_(std::move(incoming)) {}

LiveFile::~LiveFile() {
  incoming_->leave();
}

bool LiveFile::update(std::int64_t budget_ns) {
  if (complete_) return false;
  if (forms_.valid()) {
    if (forms_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    take_forms();
    return true;
  }
  const std::int64_t begin_ns = base::now_ns();
  const live::Incoming::Ending ending = incoming_->ending();  // before what it ended with
  if (applied_ == waiting_.size()) {
    incoming_->updates.take(waiting_);
    applied_ = 0;
  }
  const bool news = applied_ < waiting_.size();
  while (applied_ < waiting_.size()) {
    apply(std::move(waiting_[applied_++]));
    if (base::now_ns() - begin_ns >= budget_ns) break;
  }
  if (ending.state == State::live || applied_ < waiting_.size() || opened_ == nullptr) return news;
  finish(ending);
  return true;
}

void LiveFile::apply(run::Update&& update) {
  if (const auto* started = std::get_if<run::StartedUpdate>(&update)) {
    opened_ = std::make_shared<OpenedFile>();
    opened_->path = incoming_->script;
    opened_->trace = std::make_unique<OpenedTrace>(OpenedTrace{.path = incoming_->script,
                                                               .run = run::Run(*started),
                                                               .about = {},
                                                               .summary = {},
                                                               .recording = true});
    opened_->trace->run.stage = run::Stage::recording;
    opened_->trace->run.script = incoming_->script;
    opened_->trace->about.strings =
        std::shared_ptr<base::StringTable>(incoming_, &incoming_->strings);
    return;
  }
  if (opened_ == nullptr) return;
  if (const auto* batch = std::get_if<run::BatchUpdate>(&update)) note_delay(batch->batch);
  OpenedTrace& trace = *opened_->trace;
  trace.run.apply(std::move(update));
  trace.about.event_count =
      static_cast<std::size_t>(trace.run.trace.slice_count()) + trace.run.memory.events().size();
  const base::TimeRange range = trace.run.trace.range();
  trace.summary.span_ns = range.length();
}

void LiveFile::note_delay(const capture::Batch& batch) {
  std::int64_t oldest_ns = INT64_MAX;
  for (const auto& row : batch.slices) {
    const std::int64_t end_ns = row.slice.begin_ns + row.slice.duration_ns;
    oldest_ns = std::min(oldest_ns, end_ns);
    newest_ns_ = std::max(newest_ns_, end_ns);
  }
  for (const memory::Record& record : batch.memory) {
    oldest_ns = std::min(oldest_ns, record.time_ns);
    newest_ns_ = std::max(newest_ns_, record.time_ns);
  }
  if (oldest_ns != INT64_MAX && delays_.size() < kMostDelays)
    delays_.push_back(base::now_ns() - oldest_ns);
}

// A script that did not say how it ended has failed.
void LiveFile::finish(const live::Incoming::Ending& ending) {
  state_ = ending.state;
  file_ = ending.file;
  run::Run& run = opened_->trace->run;
  if (!run.finished) {
    if (state_ == State::ended) state_ = State::cut;
    run::FinishedUpdate end;
    end.id = run.id;
    end.verdict = run::Verdict::failed;
    end.failure = run::Failure(ending.why);
    end.end_ns = newest_ns_;
    run.apply(std::move(end));
  }
  forms_ = std::async(std::launch::async, [opened = opened_] {
    const OpenedTrace& trace = *opened->trace;
    return forms_of(trace.run, trace.about.strings);
  });
}

void LiveFile::take_forms() {
  opened_->take(forms_.get());
  complete_ = true;
}

base::TimeRange LiveFile::newest_step() const {
  if (opened_ == nullptr) return {};
  const run::Run& run = opened_->trace->run;
  if (run.recorded_steps.empty()) return {};
  return {run.recorded_steps.back().begin_ns, newest_ns_};
}

}  // namespace ts::files

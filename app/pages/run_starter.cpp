#include "app/pages/run_starter.h"

#include <optional>

#include "core/base/clock.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

// Nanoseconds for which a slider rests before Live starts the run.
constexpr std::int64_t kDebounce = 250'000'000;

run::Protocol protocol_for(bool live) {
  run::Protocol protocol;
  if (live) {
    // Live answers soon: fewer samples, the other rules stay.
    protocol.budget_s = 1;
    protocol.hard_budget_s = 10;
    protocol.max_warmup_s = 1;
    protocol.min_warmup_s = 0.05;
  }
  return protocol;
}

}  // namespace

bool RunStarter::measures_sweep() const {
  return state_->sweeps->sweep() != nullptr && state_->sweeps->sweep()->running().has_value();
}

void RunStarter::open_settings(const spec::WorkloadSpec& spec) {
  state_->history.set(spec);
  run_spec_ = seen_spec_ = state_->history.spec();
}

bool RunStarter::live_pending() const {
  const bool shows_file = session_->files().current_index().has_value();
  return state_->preferences.live && !shows_file && state_->history.spec() != run_spec_;
}

void RunStarter::start(bool live) {
  if (measures_sweep()) {
    // Live waits until the sweep is paused or has ended.
    if (!live) notices_->add(text::message("note.sweep_measures"));
    return;
  }
  run_spec_ = state_->history.spec();
  if (!session_->engine_problem().empty()) {
    notices_->add(session_->engine_problem());
    return;
  }
  const auto problems = spec::validate(run_spec_);
  if (!problems.empty()) {
    if (!live) notices_->add(problems.front());
    return;
  }
  session_->show(nullptr);
  session_->files().choose(std::nullopt);
  run::Protocol protocol = protocol_for(live);
  protocol.check_values = !live && state_->preferences.check_values;
  session_->start(run_spec_, protocol);
  state_->own_run = session_->asked();
  session_->kept_runs().follow(session_->asked(), session_->strings());
}

void RunStarter::keep_result() {
  const run::RunId asked = session_->asked();
  if (asked == settled_) return;
  if (session_->busy()) {
    // A run that goes on is seen.
    const bool kept = result_ != nullptr && session_->share_shown() == result_;
    if (kept && !session_->comparing()) session_->show(nullptr);
    return;
  }
  settled_ = asked;
  const std::shared_ptr<run::Run> ended = session_->share_current();
  if (ended == nullptr || !ended->finished) return;
  const bool own = ended->id == state_->own_run;
  if (own && (ended->verdict == run::Verdict::ok || ended->verdict == run::Verdict::oom)) {
    result_ = ended;
    return;
  }
  const bool replaced = result_ != nullptr && (!own || same_work(ended->spec, result_->spec));
  if (replaced && session_->run() == ended.get()) session_->show(result_);
}

void RunStarter::follow_live() {
  const spec::WorkloadSpec& spec = state_->history.spec();
  if (spec != seen_spec_) {
    seen_spec_ = spec;
    changed_ns_ = base::now_ns();
  }
  // A comparison starts only on request.
  if (state_->page == Page::compare) run_spec_ = spec;
  if (live_pending() && base::now_ns() - changed_ns_ > kDebounce) start(true);
}

}  // namespace ts::app

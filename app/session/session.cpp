#include "app/session/session.h"

#include <thread>
#include <variant>

#include "app/session/catalogue.h"
#include "app/session/interrupt.h"
#include "core/base/clock.h"

namespace ts::app {

Session::Session(run::EngineLoader engine, predict::DryRunnerLoader dry_runner)
    : gpus_(built_in_gpus()),
      dry_runner_(std::move(dry_runner)),
      predictions_(dry_runner_, gpus_, strings_),
      worker_(std::move(engine), strings_, updates_) {}

std::int64_t Session::capacity_for(const spec::WorkloadSpec& spec) const {
  const spec::Gpu* gpu = gpus_.find(spec.target_gpu);
  return gpu != nullptr ? gpu->memory_bytes : 0;
}

bool Session::start(const spec::WorkloadSpec& spec, const run::Protocol& protocol) {
  if (!spec::validate(spec).empty()) return false;
  run::RunRequest request;
  request.spec = spec;
  request.protocol = protocol;
  request.wants_roof = wants_roof_;
  request.world = world_;
  request.target_capacity = capacity_for(spec);
  asked_ = worker_.submit(std::move(request));
  busy_ = true;
  compares_ = false;
  hidden_ = false;
  return true;
}

bool Session::start_comparison(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b,
                               const run::Protocol& protocol) {
  if (!spec::validate(a).empty() || !spec::validate(b).empty()) return false;
  run::CompareRequest request{.sides = {{{a, capacity_for(a)}, {b, capacity_for(b)}}},
                              .protocol = protocol,
                              .own_instructions = own_instructions_};
  comparison_.reset();
  comparison_problem_ = {};
  asked_ = worker_.submit(std::move(request));
  busy_ = true;
  compares_ = true;
  return true;
}

void Session::show_comparison(std::shared_ptr<const run::Comparison> comparison) {
  if (busy_) return;
  comparison_ = std::move(comparison);
  comparison_problem_ = {};
}

bool Session::update(std::int64_t budget_ns) {
  const std::int64_t begin_ns = base::now_ns();
  if (!behind()) {
    updates_.take(waiting_);
    applied_ = 0;
  }
  const bool told = behind();
  while (behind()) {
    apply(std::move(waiting_[applied_++]));
    if (base::now_ns() - begin_ns >= budget_ns) break;
  }
  if (reception_ != nullptr) {
    for (auto& incoming : reception_->take_new()) files_.follow(std::move(incoming));
  }
  const bool read = files_.update();
  return read || told;
}

base::Result<void> Session::listen(const std::filesystem::path& folder) {
  TS_TRY(reception_, live::Reception::open(folder));
  return {};
}

void Session::apply(run::Update&& update) {
  if (auto* engine = std::get_if<run::EngineUpdate>(&update)) {
    engine_ = std::move(engine->info);
    engine_problem_ = std::move(engine->error);
    return;
  }
  if (auto* started = std::get_if<run::StartedUpdate>(&update)) {
    run_ = std::make_shared<run::Run>(*started);
    if (run_->spec.device == spec::DeviceKind::cuda) {
      if (const auto card = gpus_.require(run_->device_name)) run_->card = **card;
    }
    return;
  }
  if (auto* compared = std::get_if<run::ComparisonUpdate>(&update)) {
    if (compared->id == asked_) comparison_ = std::move(compared->comparison);
    return;
  }
  if (auto* batch = std::get_if<run::BatchUpdate>(&update); batch != nullptr) {
    if (on_batch) on_batch(batch->id, batch->batch);
    kept_runs_.add(batch->id, batch->batch);
  }
  const bool ends = std::holds_alternative<run::FinishedUpdate>(update);
  if (auto* finished = std::get_if<run::FinishedUpdate>(&update)) {
    if (finished->id == asked_) {
      busy_ = false;
      if (compares_ && comparison_ == nullptr) comparison_problem_ = finished->failure;
    }
  }
  if (const auto* roof = std::get_if<run::RoofUpdate>(&update); roof != nullptr && run_)
    roofs_[run::roof_key(run_->spec)] = roof->roof;
  if (run_) run_->apply(std::move(update));
  if (ends && run_ && run_->finished) kept_runs_.finish(run_);
}

const run::Roof* Session::roof_of(const spec::WorkloadSpec& spec) const {
  const auto known = roofs_.find(run::roof_key(spec));
  return known == roofs_.end() ? nullptr : &known->second;
}

void wait_for_engine(Session& session, std::chrono::steady_clock::time_point latest) {
  using namespace std::chrono_literals;
  while (session.engine() == nullptr && session.engine_problem().empty() &&
         !InterruptGuard::interrupted() && std::chrono::steady_clock::now() < latest) {
    if (!session.update()) std::this_thread::sleep_for(2ms);
  }
}

namespace {

// Waits until nothing runs any more. Control-C cancels.
void wait_to_end(Session& session, const std::function<void()>& progress) {
  using namespace std::chrono_literals;
  auto next_report = std::chrono::steady_clock::now();
  while (session.busy()) {
    if (InterruptGuard::interrupted()) session.cancel();
    const bool news = session.update();
    if (std::chrono::steady_clock::now() >= next_report) {
      progress();
      next_report = std::chrono::steady_clock::now() + 100ms;
    }
    if (!news) std::this_thread::sleep_for(2ms);
  }
}

}  // namespace

void run_to_end(Session& session, const spec::WorkloadSpec& spec, const run::Protocol& protocol,
                const std::function<void(const run::Run&)>& progress) {
  const InterruptGuard guard;
  if (!session.start(spec, protocol)) return;
  wait_to_end(session, [&] {
    if (session.run() != nullptr) progress(*session.run());
  });
}

void compare_to_end(Session& session, const spec::WorkloadSpec& a, const spec::WorkloadSpec& b,
                    const run::Protocol& protocol,
                    const std::function<void(const run::Comparison&)>& progress) {
  const InterruptGuard guard;
  if (!session.start_comparison(a, b, protocol)) return;
  wait_to_end(session, [&] {
    if (session.comparison() != nullptr) progress(*session.comparison());
  });
}

base::Result<const run::Comparison*> whole_comparison(
    Session& session, const spec::WorkloadSpec& a, const spec::WorkloadSpec& b,
    const run::Protocol& protocol, const std::function<void(const run::Comparison&)>& progress) {
  compare_to_end(session, a, b, protocol, progress);
  const run::Comparison* const comparison = session.comparison();
  if (comparison == nullptr) return tl::unexpected(base::Error(session.comparison_problem()));
  if (comparison->failure) return tl::unexpected(base::Error(*comparison->failure));
  return comparison;
}

base::Result<report::Roofs> measured_roofs(Session& session, const spec::WorkloadSpec& spec) {
  session.want_roof();
  run_to_end(session, spec, {.max_warmup_s = 0, .max_samples = 10, .budget_s = 0},
             [](const run::Run&) {});
  if (session.run() == nullptr) return tl::unexpected(base::Error(session.engine_problem()));
  if (session.roof_of(spec) == nullptr) return tl::unexpected(base::Error(session.run()->failure));
  return report::roofs_of_run(*session.run());
}

}  // namespace ts::app

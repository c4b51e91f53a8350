#include "app/session.h"

#include <chrono>
#include <thread>
#include <variant>

#include "app/catalogue.h"
#include "app/interrupt.h"

namespace ts::app {
namespace {}  // namespace

Session::Session(run::EngineLoader engine, run::DryRunnerLoader dry_runner)
    : gpus_(built_in_gpus()),
      dry_runner_(std::move(dry_runner)),
      predictions_(dry_runner_, gpus_, strings_),
      worker_(std::move(engine), strings_, updates_) {}

bool Session::start(const run::WorkloadSpec& spec, const run::Protocol& protocol) {
  if (!run::validate(spec).empty()) return false;
  run::RunRequest request;
  request.spec = spec;
  request.protocol = protocol;
  request.wants_roof = wants_roof_;
  if (const run::Gpu* gpu = gpus_.find(spec.target_gpu)) {
    request.target_capacity = gpu->memory_bytes;
  }
  asked_ = worker_.submit(std::move(request));
  busy_ = true;
  return true;
}

bool Session::update() {
  updates_.take(waiting_);
  for (run::Update& update : waiting_) apply(std::move(update));
  const bool read = files_.update();
  return read || !waiting_.empty();
}

void Session::apply(run::Update&& update) {
  if (auto* engine = std::get_if<run::EngineUpdate>(&update)) {
    engine_ = std::move(engine->info);
    engine_problem_ = std::move(engine->error);
    return;
  }
  if (auto* started = std::get_if<run::StartedUpdate>(&update)) {
    run_ = std::make_shared<run::Run>(*started);
    if (run_->spec.device == run::DeviceKind::cuda) {
      if (const auto card = gpus_.require(run_->device_name)) run_->card = **card;
    }
    return;
  }
  if (auto* finished = std::get_if<run::FinishedUpdate>(&update)) {
    if (finished->id == asked_) busy_ = false;
  }
  if (run_) run_->apply(std::move(update));
}

void run_to_end(Session& session, const run::WorkloadSpec& spec, const run::Protocol& protocol,
                const std::function<void(const run::Run&)>& progress) {
  using namespace std::chrono_literals;
  const InterruptGuard guard;
  if (!session.start(spec, protocol)) return;
  auto next_report = std::chrono::steady_clock::now();
  while (session.busy()) {
    if (InterruptGuard::interrupted()) session.cancel();
    const bool news = session.update();
    if (session.run() != nullptr && std::chrono::steady_clock::now() >= next_report) {
      progress(*session.run());
      next_report = std::chrono::steady_clock::now() + 100ms;
    }
    if (!news) std::this_thread::sleep_for(2ms);
  }
}

}  // namespace ts::app

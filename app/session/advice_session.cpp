#include "app/session/advice_session.h"

#include <map>
#include <utility>

#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

// The roofs that runs measured here, for the types that were run.
std::map<spec::DataType, report::Roofs> known_roofs(const Session& session,
                                                    const spec::WorkloadSpec& spec) {
  std::map<spec::DataType, report::Roofs> known;
  spec::WorkloadSpec asked = spec;
  asked.autocast = spec::Autocast::off;
  asked.device = spec::DeviceKind::cpu;
  for (const spec::DataType type :
       {spec::DataType::fp32, spec::DataType::bf16, spec::DataType::fp16}) {
    asked.dtype = type;
    const run::Roof* const roof = session.roof_of(asked);
    if (roof == nullptr) continue;
    run::StartedUpdate started;
    started.spec = asked;
    run::Run run(started);
    run.roof = *roof;
    known[type] = report::roofs_of_run(run);
  }
  return known;
}

}  // namespace

base::Message AdviceSession::problem(const Session& session, const spec::WorkloadSpec& spec,
                                     const Question& question) {
  if (session.engine() == nullptr) {
    return session.engine_problem().empty() ? text::message("advice.problem.loading")
                                            : session.engine_problem();
  }
  if (!session.dry_runner() || session.gpus().find(spec.target_gpu) == nullptr) {
    return text::message("advice.problem.loading");
  }
  if (question.here && known_roofs(session, spec).empty()) {
    return text::message("advice.problem.no_roof");
  }
  return {};
}

std::optional<advice::AdviceRequest> AdviceSession::request_of(Session& session,
                                                               const spec::WorkloadSpec& spec,
                                                               const Question& question) {
  if (!problem(session, spec, question).empty()) return std::nullopt;
  if (advisor_ == nullptr) advisor_ = std::make_unique<advice::Advisor>(session.dry_runner());
  advice::AdviceRequest request;
  request.settings = spec;
  request.target = target_of_spec(spec, question.here, session.gpus());
  request.space = question.space;
  request.large_model = question.large_model;
  request.scratch = std::make_shared<const predict::CudaScratch>(built_in_scratch());
  if (question.here) {
    request.roofs = [known = known_roofs(session, spec)](spec::DataType type) {
      const auto found = known.find(type);
      return found == known.end() ? report::Roofs{} : found->second;
    };
  }
  return request;
}

void AdviceSession::ask(Session& session, const spec::WorkloadSpec& spec,
                        const Question& question) {
  auto request = request_of(session, spec, question);
  if (!request) return;
  advice_.reset();
  advisor_->ask(std::move(*request));
}

void AdviceSession::ask_ladder(Session& session, const spec::WorkloadSpec& spec,
                               const Question& question) {
  auto request = request_of(session, spec, question);
  if (!request) return;
  ladder_.reset();
  timed_.reset();
  advisor_->ask_ladder(std::move(*request));
}

bool AdviceSession::can_measure(const Session& session) const {
  return ladder_ != nullptr && !ladder_->running && !ladder_->rungs.empty() &&
         ladder_->request.target.kind == spec::DeviceKind::cpu && !busy() && !session.busy();
}

void AdviceSession::measure() {
  timed_ = std::make_shared<advice::Ladder>(*ladder_);
  measuring_ = Measuring{};
}

const advice::Rung* AdviceSession::measuring() const {
  return measuring_ && measuring_->rung < timed_->rungs.size() ? &timed_->rungs[measuring_->rung]
                                                               : nullptr;
}

void AdviceSession::go_on_measuring(Session& session) {
  if (!measuring_) return;
  if (measuring_->id != 0) {
    if (session.asked() != measuring_->id) return measuring_.reset();
    if (std::exchange(measuring_->cancelled, false)) session.cancel();
    if (session.busy() || session.current() == nullptr) return;
    advice::take_run(*session.current(), timed_->rungs[measuring_->rung]);
    if (session.current()->verdict == run::Verdict::cancelled) return measuring_.reset();
    measuring_ = {.rung = measuring_->rung + 1};
  }
  while (measuring() != nullptr && !advice::can_run_here(*measuring())) ++measuring_->rung;
  if (measuring() == nullptr) return measuring_.reset();
  session.start(measuring()->asked.spec, run::Protocol());
  measuring_->id = session.asked();
}

void AdviceSession::cancel() {
  if (advisor_ != nullptr) advisor_->cancel();
  if (measuring_) measuring_->cancelled = true;
}

void AdviceSession::update(Session& session) {
  if (advisor_ == nullptr) return;
  advice_ = advisor_->latest();
  ladder_ = advisor_->latest_ladder();
  go_on_measuring(session);
}

}  // namespace ts::app

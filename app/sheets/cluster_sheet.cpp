#include "app/sheets/cluster_sheet.h"

#include <utility>

#include "app/session/advice_session.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"

namespace ts::app {

void ClusterSheet::ask(Session& session, const spec::WorkloadSpec& spec) {
  auto request = cluster::cluster_request(spec, target_of_spec(spec, false, session.gpus()),
                                          built_in_links(), view_.wiring(), view_.most());
  refused_ = request ? base::Message() : request.error();
  if (!request) return;
  if (hunter_ == nullptr) {
    hunter_ = std::make_unique<cluster::ClusterHunter>(session.dry_runner(), built_in_scratch());
  }
  hunter_->ask(std::move(*request));
}

void ClusterSheet::cancel() {
  if (hunter_ != nullptr) hunter_->cancel();
}

void ClusterSheet::draw(const views::Ui& ui, Session& session, const WorkspaceState& state,
                        const views::ControlsContext& controls) {
  const spec::WorkloadSpec& settings = state.history.spec();
  const auto known = hunter_ == nullptr ? nullptr : hunter_->latest();
  const base::Message problem = AdviceSession::problem(session, settings, {});
  const views::ClusterView::Answer answer = view_.draw(
      ui, {.links = built_in_links(),
           .card = settings.target_gpu,
           .hunt = known.get(),
           .busy = busy(),
           .problem = problem.empty() ? refused_ : problem,
           .settings = settings,
           .draw_select = [&](float width) { views::draw_target_select(controls, width); }});
  if (answer.cancel) cancel();
  if (answer.ask) ask(session, settings);
}

}  // namespace ts::app

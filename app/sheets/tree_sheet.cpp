#include "app/sheets/tree_sheet.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "app/lessons/tree_sources.h"
#include "app/output/file_summary.h"
#include "app/session/catalogue.h"
#include "app/session/is_ready.h"
#include "app/session/run_files.h"
#include "core/checks/comparison_checks.h"
#include "core/report/compare_report.h"
#include "core/spec/spec_values.h"
#include "core/sweep/sweep_checks.h"
#include "core/sweep/sweep_json.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

const files::OpenedTrace* shown_trace(const Session& session) {
  const OpenedFiles::Entry* const file = session.files().current();
  if (file == nullptr || file->opened == nullptr) return nullptr;
  return file->opened->trace_shown(file->device);
}

const run::Comparison* ended_comparison(const Session& session) {
  const run::Comparison* const comparison = session.comparison();
  const bool ended = comparison != nullptr && !session.comparing() && !comparison->failure &&
                     comparison->total.pairs > 0;
  return ended ? comparison : nullptr;
}

// The settings with those of a conclusion; unset where a value cannot be taken.
std::optional<spec::WorkloadSpec> with_settings(spec::WorkloadSpec spec,
                                                const std::vector<std::string>& settings) {
  for (const std::string& one : settings) {
    if (!spec::set_setting(spec, one)) return std::nullopt;
  }
  return spec;
}

}  // namespace

TreeSheet::Key TreeSheet::key_of(const Session& session, const WorkspaceState& state) const {
  Key key;
  const OpenedFiles::Entry* const file = session.files().current();
  if (file != nullptr) {
    if (shown_trace(session) != nullptr) key.file = file->id;
    return key;
  }
  key.spec = state.history.spec();
  if (for_card_) key.spec->device = spec::DeviceKind::cuda;
  const run::Run* const run = session.run();
  if (run != nullptr && run->finished && run->verdict == run::Verdict::ok) key.run = run->id;
  key.comparison = ended_comparison(session);
  key.sweep = state.sweeps->sweep();
  if (key.sweep != nullptr) {
    key.points = static_cast<std::size_t>(std::ranges::count_if(
        state.sweeps->sweep()->points(), [](const auto& point) { return point.measured; }));
  }
  key.predicted = predictions_.spec == key.spec;
  return key;
}

void TreeSheet::collect(Session& session, const WorkspaceState& state, const Key& key) {
  evidence_ = {};
  if (const files::OpenedTrace* const trace = shown_trace(session)) {
    if (!trace->recording) evidence_.add("trace", summary_json(trace->about, trace->summary));
    return;
  }
  if (!key.spec) return;
  evidence_.spec = key.spec;
  evidence_.command = settings_command(*key.spec);
  if (key.run != 0) evidence_.add("run", document_of(session));
  if (const run::Comparison* const comparison = ended_comparison(session)) {
    nlohmann::json document = report::to_json(*comparison, run::comparison_protocol(), nullptr);
    document["checks"] = report::to_json(checks::of_comparison(*comparison, false));
    evidence_.add("ab", std::move(document));
  }
  if (key.points > 0) {
    nlohmann::json document = sweep::to_json(*state.sweeps->sweep(), nullptr);
    document["checks"] = report::to_json(sweep::checks_of(*state.sweeps->sweep()));
    evidence_.add("sweep", std::move(document));
  }
  if (!key.predicted) return;
  for (const auto& [source, document] : predictions_.documents)
    evidence_.documents[source] = document;
  for (const auto& [source, why] : predictions_.apart) evidence_.apart[source] = why;
}

// Not while something is measured: it would take the processor away.
void TreeSheet::predict(const Session& session, const spec::WorkloadSpec& spec) {
  if (job_.valid() && is_ready(job_)) predictions_ = job_.get();
  if (job_.valid() || session.busy() || !session.dry_runner() || predictions_.spec == spec) return;
  job_ = std::async(std::launch::async, [spec, loader = session.dry_runner()] {
    advice::Evidence found;
    found.spec = spec;
    const auto runner = loader();
    if (runner && *runner != nullptr) add_predictions(found, **runner, built_in_gpus());
    return found;
  });
}

void TreeSheet::draw(const views::Ui& ui, Session& session, WorkspaceState& state) {
  const spec::WorkloadSpec& settings = state.history.spec();
  const OpenedFiles::Entry* const file = session.files().current();
  if (settings.device != spec::DeviceKind::cpu) for_card_ = false;
  if (file == nullptr && settings.device == spec::DeviceKind::cpu) {
    const std::array<views::Choice, 2> where = {views::Choice{"here", ui.texts("tree.here"), ""},
                                                views::Choice{"card", settings.target_gpu, ""}};
    int chosen = for_card_ ? 1 : 0;
    if (views::segmented(ui, "###tree_where", where, chosen,
                         std::min(ui.px(420), ImGui::GetContentRegionAvail().x)))
      for_card_ = chosen == 1;
    ImGui::Dummy({0, ui.px(4)});
  }
  Key key = key_of(session, state);
  if (key.spec) predict(session, *key.spec);
  key.predicted = key.spec && predictions_.spec == key.spec;
  if (key_ != key) collect(session, state, key);
  key_ = key;
  const std::string about =
      file != nullptr ? file->path.filename().string() : views::short_settings(ui.texts, settings);
  views::TreeView::Actions actions;
  actions.why_not_try = [&](const std::vector<std::string>& set) -> std::string {
    if (file != nullptr) return ui.texts("tree.file_has_no_settings");
    const auto changed = with_settings(settings, set);
    if (!changed || *changed == settings) return ui.texts("tree.set_already");
    const auto problems = spec::validate(*changed);
    return problems.empty() ? std::string() : views::message_text(ui.texts, problems.front());
  };
  actions.try_it = [&](const std::vector<std::string>& set) {
    if (const auto changed = with_settings(settings, set)) state.history.set(*changed);
  };
  view_.draw(ui, built_in_trees(), evidence_, about, actions);
}

}  // namespace ts::app

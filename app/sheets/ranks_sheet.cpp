#include "app/sheets/ranks_sheet.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/ranks/rank_tables.h"
#include "core/predict/share.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "views/calculate/chosen_inputs.h"
#include "views/calculate/text_table.h"
#include "views/charts/icons.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::app {

using views::TextStyle;

namespace {

constexpr float kRankChoicesWidth = 400;  // at scale 1

constexpr std::array kRankInputs = {
    calculate::Input{.name = "ranks", .start = 2, .least = 2, .most = 64},
    calculate::Input{.name = "bucket_mib", .unit = "MiB", .start = 25, .least = 0, .most = 65'536},
    calculate::Input{
        .name = "first_bucket_mib", .unit = "MiB", .start = 1, .least = 0, .most = 65'536},
    calculate::Input{.name = "timed_steps", .start = 0, .least = 0, .most = 1'000'000},
    calculate::Input{.name = "timeout_s", .unit = "s", .start = 60, .least = 1, .most = 86'400},
    calculate::Input{.name = "factor_rank", .start = 1, .least = 1, .most = 65'536},
    calculate::Input{.name = "sync_every", .start = 0, .least = 0, .most = 1},
};

constexpr std::array kCompressions = {run::Compression::none, run::Compression::bf16,
                                      run::Compression::fp16, run::Compression::powersgd};

constexpr std::array kShards = {run::Shard::none, run::Shard::zero1, run::Shard::zero2,
                                run::Shard::zero3};

// A row of buttons, one a value; the keys of their texts begin with `prefix`.
template <class Value, std::size_t count>
void choose(const views::Ui& ui, const char* item, const std::string& prefix,
            const std::array<Value, count>& values, Value& chosen, float width) {
  std::vector<views::Choice> choices;
  for (const Value one : values) {
    const std::string id = run::to_string(one);
    choices.push_back({id, ui.texts(prefix + id), ""});
  }
  int at = static_cast<int>(std::ranges::find(values, chosen) - values.begin());
  if (views::segmented(ui, item, choices, at, width)) chosen = values[static_cast<std::size_t>(at)];
  ImGui::Dummy({0, ui.px(6)});
}

void paragraph(const views::Ui& ui, views::Color color, const base::Message& said) {
  views::wrapped_text(ui, TextStyle::body, color,
                      text::printable(views::message_text(ui.texts, said)), ui.px(12));
}

std::string text_of_ranks(const views::Ui& ui, const RankAnswer& known) {
  std::vector<base::Message> said = sentences_of_ranks(known.document);
  if (!known.problem.empty()) said.insert(said.begin(), known.problem);
  std::string words;
  for (const base::Message& one : said) words += views::message_text(ui.texts, one) + "\n";
  return words + "\n" + io::to_markdown(table_of_ranks(known.document, known.predicted, ui.texts)) +
         "\n" + io::to_markdown(table_of_collectives(known.document, ui.texts));
}

}  // namespace

RanksSheet::RanksSheet() : numbers_("ranks", kRankInputs) {}

void RanksSheet::draw_choices(const views::Ui& ui) {
  const float width = ImGui::GetContentRegionAvail().x - ui.px(12);
  views::section(ui, ui.texts("ranks.shard"));
  choose(ui, "###ranks_shard", "ranks.shard.", kShards, shard_, width);
  views::section(ui, ui.texts("ranks.compression"));
  choose(ui, "###ranks_compression", "ranks.compression.", kCompressions, compression_, width);
  views::draw_chosen_inputs(ui, numbers_, refused_);
}

run::World RanksSheet::world() const {
  run::World world;
  world.place.size = static_cast<std::int32_t>(numbers_.number("ranks"));
  world.bucket_mib = numbers_.real("bucket_mib");
  world.first_bucket_mib = numbers_.real("first_bucket_mib");
  world.timeout_s = numbers_.real("timeout_s");
  world.factor_rank = numbers_.number("factor_rank");
  world.sync_every = numbers_.number("sync_every") != 0;
  world.shard = shard_;
  world.compression = compression_;
  return world;
}

RankRun RanksSheet::request(const WorkspaceState& state) const {
  RankRun run{.spec = state.history.spec(),
              .world = world(),
              .folder = state.save_folder(),
              .program = state.program};
  if (const std::int64_t steps = numbers_.number("timed_steps"); steps > 0)
    run.options = {"--steps", std::to_string(steps)};
  return run;
}

base::Message RanksSheet::why_not(const Session& session, const spec::WorkloadSpec& spec) const {
  if (session.engine() == nullptr) {
    return session.engine_problem().empty() ? text::message("advice.problem.loading")
                                            : session.engine_problem();
  }
  if (session.busy()) return text::message("ranks.run_goes_on");
  const auto problems = spec::validate(spec);
  if (!problems.empty()) return problems.front();
  return predict::shard_problem(spec, world()).value_or(base::Message());
}

bool RanksSheet::draw_buttons(const views::Ui& ui, Session& session, const WorkspaceState& state,
                              const RankAnswer* known) {
  const base::Message problem = why_not(session, state.history.spec());
  if (busy()) {
    if (views::text_button(ui, "###ranks_cancel", "advice.cancel", views::ButtonKind::plain,
                           "Esc")) {
      cancel();
    }
  } else {
    ImGui::BeginDisabled(!problem.empty());
    if (views::text_button(ui, "###ranks_start", "ranks.start", views::ButtonKind::primary)) {
      if (ranks_ == nullptr)
        ranks_ = std::make_unique<RankSession>(session.dry_runner(), session.gpus());
      ranks_->start(request(state));
    }
    ImGui::EndDisabled();
  }
  const bool ended = known != nullptr && known->document.is_object() && !busy();
  ImGui::BeginDisabled(!ended);
  ImGui::SameLine(0, ui.px(8));
  if (views::icon_button(ui, "###ranks_copy", views::icon::kCopy, "common.copy",
                         views::ButtonKind::quiet)) {
    ImGui::SetClipboardText(text_of_ranks(ui, *known).c_str());
  }
  ImGui::SameLine(0, ui.px(8));
  const bool asked = views::icon_button(ui, "###ranks_timeline", views::icon::kTimeline,
                                        "simulate.timeline", views::ButtonKind::quiet);
  views::tooltip(ui, ui.texts("ranks.timeline_about"));
  ImGui::EndDisabled();
  ImGui::Dummy({0, ui.px(4)});
  if (!problem.empty() && !busy()) paragraph(ui, ui.theme.warn, problem);
  return asked;
}

void RanksSheet::draw_progress(const views::Ui& ui, const RankAnswer& known) {
  const std::string seconds = text::decimal(known.seconds, 0);
  const std::string stage =
      known.progress ? views::message_text(ui.texts, known.progress->stage) : "";
  views::text(ui, TextStyle::body, ui.theme.text2,
              known.progress ? ui.texts("ranks.running", {{"seconds", seconds}, {"stage", stage}})
                             : ui.texts("ranks.starting", {{"seconds", seconds}}));
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ui.theme.accent);
  ImGui::ProgressBar(known.progress ? static_cast<float>(known.progress->percent) / 100.0F : 0.0F,
                     {std::min(ui.px(480), ImGui::GetContentRegionAvail().x), ui.px(6)}, "");
  ImGui::PopStyleColor();
}

void RanksSheet::draw_results(const views::Ui& ui, const RankAnswer& known) {
  if (!known.problem.empty()) paragraph(ui, ui.theme.bad, known.problem);
  if (!known.document.is_object()) return;
  for (const base::Message& said : sentences_of_ranks(known.document))
    paragraph(ui, ui.theme.text, said);
  ImGui::Dummy({0, ui.px(6)});
  constexpr std::array<float, 8> kRankWeights = {0.6F, 1, 1.1F, 1.1F, 1.2F, 1.2F, 1, 1};
  views::draw_text_table(ui, table_of_ranks(known.document, known.predicted, ui.texts),
                         kRankWeights, {.id = "###ranks_table"});
  if (!known.not_predicted.empty()) paragraph(ui, ui.theme.text3, known.not_predicted);
  const io::TextTable collectives = table_of_collectives(known.document, ui.texts);
  if (!collectives.rows.empty()) {
    ImGui::Dummy({0, ui.px(8)});
    constexpr std::array<float, 7> kCollectiveWeights = {1.4F, 1, 0.7F, 1, 1.1F, 1, 1};
    views::draw_text_table(ui, collectives, kCollectiveWeights, {.id = "###ranks_collectives"});
  }
  views::wrapped_text(ui, TextStyle::small, ui.theme.text3,
                      ui.texts("ranks.folder", {{"folder", known.run.folder.string()}}), ui.px(12));
}

std::optional<std::filesystem::path> RanksSheet::draw(const views::Ui& ui, Session& session,
                                                      const WorkspaceState& state) {
  const auto known = ranks_ == nullptr ? nullptr : ranks_->latest();
  const float width = std::min(ui.px(kRankChoicesWidth), ImGui::GetContentRegionAvail().x * 0.36F);
  if (ImGui::BeginChild("###ranks_choices", {width, 0}, ImGuiChildFlags_NavFlattened))
    draw_choices(ui);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(20));
  bool asked = false;
  if (ImGui::BeginChild("###ranks_answers", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    asked = draw_buttons(ui, session, state, known.get());
    if (known == nullptr) {
      paragraph(ui, ui.theme.text2, text::message("ranks.about"));
    } else if (busy()) {
      draw_progress(ui, *known);
    } else {
      draw_results(ui, *known);
    }
  }
  ImGui::EndChild();
  return asked ? std::optional(known->run.folder / "trace.json") : std::nullopt;
}

}  // namespace ts::app

#include "views/calculate/loader_view.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string>

#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "views/calculate/chosen_inputs.h"
#include "views/charts/icons.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr float kChoicesWidth = 440;  // at scale 1

std::string subject_title(const Ui& ui, const simulate::Simulation& subject) {
  return ui.texts("simulate.title." + std::string(subject.id));
}

io::TextTable answers_table(const Ui& ui, const loader::LabAnswers& known) {
  std::vector<simulate::Point> points;
  for (const loader::Answer& one : known.answers) points.push_back(one.point);
  return table_of(known.request.question, points, ui.texts);
}

bool is_empty(const LoaderView::Shown& shown) {
  return shown.known == nullptr || shown.known->answers.empty();
}

// The sentences of each number; what broke stands below them.
void draw_sentences(const Ui& ui, const loader::LabAnswers& known) {
  for (const loader::Answer& answer : known.answers) {
    const std::string at = answer.point.at ? known.request.question.over + " = " +
                                                 text::grouped(*answer.point.at) + ": "
                                           : "";
    const auto draw = [&](TextStyle style, Color color, const base::Message& said) {
      wrapped_text(ui, style, color, text::printable(at + message_text(ui.texts, said)), ui.px(12));
    };
    for (const base::Message& said : answer.verdict)
      draw(&said == answer.verdict.data() ? TextStyle::body_strong : TextStyle::body, ui.theme.text,
           said);
    for (const base::Message& fault : answer.faults) draw(TextStyle::small, ui.theme.warn, fault);
  }
}

}  // namespace

LoaderView::LoaderView() {
  for (const simulate::Simulation& subject : loader::subjects())
    numbers_.emplace_back(subject.id, subject.inputs);
}

const simulate::Simulation& LoaderView::subject() const {
  return loader::subjects()[subject_];
}

std::optional<loader::LabRequest> LoaderView::request() {
  auto question = loader::question_of(subject().id, {}, over_.words());
  problem_ = question ? base::Message() : question.error();
  if (!question) return std::nullopt;
  question->chosen = numbers_[subject_];
  return loader::LabRequest{.question = std::move(*question), .data = data_};
}

void LoaderView::draw_head(const Ui& ui, const Shown& shown, Answer& answer) {
  const auto all = loader::subjects();
  const float width = std::min(ui.px(320), ImGui::GetContentRegionAvail().x * 0.35F);
  select(ui, "###loader_subject", subject_title(ui, subject()), "", width, [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string id = "###loader_" + std::string(all[i].id);
      if (!list_row(ui, id.c_str(), subject_title(ui, all[i]), "", i == subject_)) continue;
      subject_ = i;
      over_.name.clear();
      return true;
    }
    return false;
  });
  ImGui::SameLine(0, ui.px(8));
  if (shown.busy) {
    answer.cancel = text_button(ui, "###loader_cancel", "advice.cancel", ButtonKind::plain, "Esc");
  } else if (text_button(ui, "###loader_ask", "loader.ask", ButtonKind::primary)) {
    answer.ask = request();
  }
  ImGui::BeginDisabled(is_empty(shown));
  ImGui::SameLine(0, ui.px(8));
  if (icon_button(ui, "###loader_copy", icon::kCopy, "common.copy", ButtonKind::quiet))
    ImGui::SetClipboardText(io::to_markdown(answers_table(ui, *shown.known)).c_str());
  ImGui::SameLine(0, ui.px(8));
  answer.picture =
      icon_button(ui, "###loader_picture", icon::kPicture, "stepper.picture", ButtonKind::quiet);
  ImGui::SameLine(0, ui.px(8));
  answer.timeline = icon_button(ui, "###loader_timeline", icon::kTimeline, "simulate.timeline",
                                ButtonKind::quiet);
  tooltip(ui, ui.texts("simulate.timeline_about"));
  ImGui::EndDisabled();
  ImGui::Dummy({0, ui.px(6)});
}

void LoaderView::draw_choices(const Ui& ui) {
  section(ui, ui.texts("loader.data"));
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("###loader_data", ui.texts("loader.data_hint"), &data_);
  ImGui::Dummy({0, ui.px(6)});
  over_.draw(ui, subject().inputs);
  draw_chosen_inputs(ui, numbers_[subject_], problem_);
}

void LoaderView::draw_state(const Ui& ui, const Shown& shown) const {
  const simulate::Experiment& question = shown.known->request.question;
  if (!shown.busy) {
    if (shown.known->problem.empty()) return;
    return wrapped_text(ui, TextStyle::body, ui.theme.warn,
                        text::printable(message_text(ui.texts, shown.known->problem)), ui.px(12));
  }
  text(ui, TextStyle::body, ui.theme.text2,
       ui.texts("loader.running", {{"made", text::grouped(shown.progress.made)},
                                   {"steps", text::grouped(shown.progress.steps)},
                                   {"done", text::grouped(shown.known->answers.size())},
                                   {"all", text::grouped(point_count(question))}}));
  const auto batches = static_cast<float>(question.chosen.number("batches"));
  const float part = static_cast<float>(shown.progress.steps) / batches;
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ui.theme.accent);
  ImGui::ProgressBar((static_cast<float>(shown.known->answers.size()) + std::min(part, 1.0F)) /
                         static_cast<float>(point_count(question)),
                     {std::min(ui.px(480), ImGui::GetContentRegionAvail().x), ui.px(6)}, "");
  ImGui::PopStyleColor();
}

LoaderView::Answer LoaderView::draw(const Ui& ui, const Shown& shown) {
  Answer answer;
  draw_head(ui, shown, answer);
  const float width = std::min(ui.px(kChoicesWidth), ImGui::GetContentRegionAvail().x * 0.42F);
  if (ImGui::BeginChild("###loader_choices", {width, 0}, ImGuiChildFlags_NavFlattened))
    draw_choices(ui);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(16));
  if (ImGui::BeginChild("###loader_answers", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    for (const base::Message& problem : {problem_, shown.problem}) {
      if (problem.empty()) continue;
      wrapped_text(ui, TextStyle::body, ui.theme.bad, message_text(ui.texts, problem), ui.px(12));
    }
    if (shown.known != nullptr) draw_state(ui, shown);
    if (is_empty(shown)) {
      const std::string id = subject().id;
      wrapped_text(ui, TextStyle::body, ui.theme.text2, ui.texts("simulate.about." + id),
                   ui.px(12));
    } else {
      draw_sentences(ui, *shown.known);
      ImGui::Dummy({0, ui.px(4)});
      draw_outcome_timeline(ui, shown.known->answers.front().point.outcome);
      draw_figures(ui, "###loader_figures", answers_table(ui, *shown.known));
    }
  }
  ImGui::EndChild();
  return answer;
}

}  // namespace ts::views

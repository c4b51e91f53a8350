#include "views/calculate/cluster_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/advice/recipes.h"
#include "core/text/numbers.h"
#include "views/calculate/cluster_document.h"
#include "views/calculate/text_table.h"
#include "views/charts/icons.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr std::array<std::int64_t, 6> kNodes = {1, 2, 4, 8, 16, 72};
constexpr std::array<std::int64_t, 6> kMost = {8, 32, 64, 256, 1024, 4096};

void draw_numbers(const Ui& ui, const char* id, std::span<const std::int64_t> numbers,
                  std::int64_t& chosen, float width) {
  std::vector<Choice> choices;
  for (const std::int64_t number : numbers)
    choices.push_back({std::to_string(number), text::grouped(number), ""});
  int at = static_cast<int>(std::ranges::find(numbers, chosen) - numbers.begin());
  if (segmented(ui, id, choices, at, width)) chosen = numbers[static_cast<std::size_t>(at)];
}

std::string speed_of(const cluster::Link& link) {
  return text::decimal(link.gb_s, link.gb_s < 100 ? 1 : 0) + " GB/s";
}

// A list of the links; `automatic`: what an empty name is called.
void draw_links(const Ui& ui, const char* id, std::span<const cluster::Link> links,
                const std::string& automatic, std::string& chosen, float width) {
  const auto found = std::ranges::find(links, chosen, &cluster::Link::name);
  const bool named = found != links.end();
  select(ui, id, named ? chosen : automatic, named ? speed_of(*found) : "", width, [&] {
    if (list_row(ui, "###automatic", automatic, "", !named)) {
      chosen.clear();
      return true;
    }
    for (const cluster::Link& link : links) {
      const bool pressed =
          list_row(ui, ("###" + link.name).c_str(), link.name, speed_of(link), link.name == chosen);
      tooltip(ui, link.source);
      if (!pressed) continue;
      chosen = link.name;
      return true;
    }
    return false;
  });
}

// Draws how far the search is, or why there is no answer.
void draw_state(const Ui& ui, const cluster::ClusterHunt& hunt) {
  if (!hunt.problem.empty()) {
    return wrapped_text(ui, TextStyle::body, ui.theme.warn, message_text(ui.texts, hunt.problem),
                        ui.px(12));
  }
  if (!hunt.running) {
    return wrapped_text(ui, TextStyle::body_strong, ui.theme.text,
                        message_text(ui.texts, cluster_sentence(hunt.request, hunt.answer)),
                        ui.px(12));
  }
  const std::string mode = ui.texts(std::string("cluster.mode.") + to_string(hunt.mode));
  text(ui, TextStyle::body, ui.theme.text2,
       ui.texts("cluster.asked", {{"mode", mode},
                                  {"cards", std::to_string(hunt.cards)},
                                  {"done", std::to_string(hunt.answer.modes.size())},
                                  {"all", std::to_string(cluster::kModeCount)}}));
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ui.theme.accent);
  ImGui::ProgressBar(
      static_cast<float>(hunt.answer.modes.size()) / static_cast<float>(cluster::kModeCount),
      {std::min(ui.px(480), ImGui::GetContentRegionAvail().x), ui.px(6)}, "");
  ImGui::PopStyleColor();
}

void draw_rows(const Ui& ui, const cluster::ClusterHunt& hunt) {
  if (hunt.answer.modes.empty()) return;
  constexpr std::array<float, 7> kWeights = {2.6F, 0.8F, 1.6F, 1.2F, 1.1F, 1.1F, 1.3F};
  const cluster::ModeAnswer* const best = hunt.answer.smallest();
  draw_text_table(
      ui, cluster_table(hunt.answer, ui.texts), kWeights,
      {.id = "###cluster_rows", .row_color = [&](std::size_t row) -> std::optional<Color> {
         const cluster::ModeAnswer& one = hunt.answer.modes[row];
         if (&one == best) return ui.theme.ok;
         return one.fits ? ui.theme.text : ui.theme.text3;
       }});
}

}  // namespace

void ClusterView::draw_choices(const Ui& ui, const Shown& shown) {
  const float room = ImGui::GetContentRegionAvail().x;
  const float column = std::min(ui.px(420), (room - ui.px(24)) / 2);
  const auto field = [&](const char* key, const std::function<void()>& draw) {
    ImGui::BeginGroup();
    section(ui, ui.texts(key));
    draw();
    ImGui::EndGroup();
  };
  const std::span<const cluster::Link> links = shown.links.links();
  ImGui::BeginChild("###cluster_left", {column, 0}, ImGuiChildFlags_AutoResizeY);
  field("cluster.card", [&] { shown.draw_select(column); });
  field("cluster.inside", [&] {
    draw_links(ui, "###cluster_inside", links,
               ui.texts("cluster.of_card", {{"link", shown.links.of_card(shown.card).name}}),
               choice_.wiring.inside, column);
  });
  field("cluster.between", [&] {
    draw_links(ui, "###cluster_between", links,
               ui.texts("cluster.usual", {{"link", shown.links.network().name}}),
               choice_.wiring.between, column);
  });
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(24));
  ImGui::BeginChild("###cluster_right", {column, 0}, ImGuiChildFlags_AutoResizeY);
  field("cluster.node",
        [&] { draw_numbers(ui, "###cluster_node", kNodes, choice_.wiring.node, column); });
  field("cluster.most", [&] { draw_numbers(ui, "###cluster_most", kMost, choice_.most, column); });
  ImGui::EndChild();
  ImGui::Dummy({0, ui.px(8)});
}

void ClusterView::draw_buttons(const Ui& ui, const Shown& shown, Answer& answer) {
  if (shown.busy) {
    answer.cancel = text_button(ui, "###cluster_cancel", "advice.cancel", ButtonKind::plain, "Esc");
  } else {
    ImGui::BeginDisabled(!shown.problem.empty());
    answer.ask = text_button(ui, "###cluster_ask", "advice.ask", ButtonKind::primary);
    ImGui::EndDisabled();
  }
  ImGui::SameLine(0, ui.px(8));
  ImGui::BeginDisabled(shown.hunt == nullptr || shown.hunt->answer.modes.empty() || shown.busy);
  if (icon_button(ui, "###cluster_copy", icon::kCopy, "common.copy", ButtonKind::quiet)) {
    ImGui::SetClipboardText(
        cluster_document(shown.hunt->request, shown.hunt->answer, "md", ui.texts).c_str());
  }
  ImGui::EndDisabled();
  ImGui::Dummy({0, ui.px(4)});
}

ClusterView::Answer ClusterView::draw(const Ui& ui, const Shown& shown) {
  Answer answer;
  draw_choices(ui, shown);
  draw_buttons(ui, shown, answer);
  if (answer.ask) asked_ = choice_;
  const auto paragraph = [&](Color color, const std::string& words) {
    wrapped_text(ui, TextStyle::body, color, words, ui.px(12));
  };
  if (!shown.problem.empty()) paragraph(ui.theme.warn, message_text(ui.texts, shown.problem));
  if (shown.hunt == nullptr) {
    paragraph(ui.theme.text2, ui.texts("cluster.what"));
    return answer;
  }
  const bool other = shown.hunt->request.spec != shown.settings || asked_ != choice_;
  if (!shown.busy && other) paragraph(ui.theme.warn, ui.texts("advice.stale"));
  draw_state(ui, *shown.hunt);
  ImGui::Dummy({0, ui.px(4)});
  draw_rows(ui, *shown.hunt);
  wrapped_text(ui, TextStyle::small, ui.theme.text3,
               message_text(ui.texts, cluster_note(shown.hunt->request)), ui.px(12));
  return answer;
}

}  // namespace ts::views

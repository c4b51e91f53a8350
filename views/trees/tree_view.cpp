#include "views/trees/tree_view.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/text/joined.h"
#include "views/charts/icons.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/trees/tree_text.h"

namespace ts::views {
namespace {

// Lengths at scale 1.
constexpr float kNarrowest = 212;
constexpr float kWidest = 400;
constexpr float kAcross = 58;  // between columns
constexpr float kDown = 20;    // between rows
constexpr float kPadding = 10;
constexpr float kLine = 4;  // between the texts of a box
constexpr float kButton = 30;

// One text of a box.
struct Part {
  TextStyle style = TextStyle::body;
  Color color = 0;
  std::string words;
};

Color state_color(const Ui& ui, const advice::Node& node, const advice::Visit* visit) {
  if (visit == nullptr) return ui.theme.line;
  switch (node.kind) {
    case advice::NodeKind::end:
      return ui.theme.ok;
    case advice::NodeKind::all:
    case advice::NodeKind::yours:
      return ui.theme.text3;
    case advice::NodeKind::ask:
      break;
  }
  if (!visit->branch) return ui.theme.warn;
  const auto& good = node.branches[*visit->branch].good;
  if (!good) return ui.theme.accent;
  return *good ? ui.theme.ok : ui.theme.bad;
}

std::vector<Part> parts_of(const Ui& ui, const advice::Node& node, const advice::Visit* visit) {
  const text::Language language = ui.texts.language();
  const Theme& theme = ui.theme;
  std::vector<Part> parts;
  const bool heads = node.kind == advice::NodeKind::all || visit != nullptr;
  parts.push_back({heads ? TextStyle::body_strong : TextStyle::body,
                   visit != nullptr ? theme.text : theme.text2, node.text.in(language)});
  const auto add = [&](TextStyle style, Color color, std::string words) {
    if (!words.empty()) parts.push_back({style, color, std::move(words)});
  };
  if (!node.errors.empty())
    add(TextStyle::small, readable(theme.warn, theme.surface2), text::joined(node.errors, ", "));
  if (visit == nullptr) return parts;
  if (visit->reading) {
    const std::string answer = answer_text(ui.texts, node, *visit);
    add(TextStyle::body, theme.text, found_text(ui.texts, *visit->reading));
    add(TextStyle::small, theme.text2,
        nature_text(ui.texts, *visit->reading) + (answer.empty() ? "" : "  \xe2\x86\x92 ") +
            answer);
  } else if (node.kind == advice::NodeKind::ask) {
    add(TextStyle::body, readable(theme.warn, theme.surface2),
        ui.texts("tree.no_number", {{"what", node.missing.in(language)}}));
    for (const base::Message& why : visit->apart)
      add(TextStyle::small, theme.text2, message_text(ui.texts, why));
  } else if (node.kind == advice::NodeKind::yours) {
    add(TextStyle::small, theme.text2, ui.texts("tree.yours"));
  }
  if (!node.source.empty()) add(TextStyle::small, theme.text2, node.source.in(language));
  if (!node.set.empty()) add(TextStyle::mono, theme.text, text::joined(node.set, ", "));
  return parts;
}

// A node with its place on the sheet; positions in pixels from the left upper corner of all boxes.
struct Box {
  std::size_t node = 0;
  const advice::Visit* visit = nullptr;
  std::vector<Part> parts;
  float x = 0, y = 0, width = 0, height = 0;
  bool has_try = false, has_command = false;
};

void draw_buttons(const Ui& ui, const advice::Node& node, const Box& box,
                  const TreeView::Actions& actions) {
  if (box.has_try) {
    const std::string why = actions.why_not_try(node.set);
    ImGui::BeginDisabled(!why.empty());
    if (text_button(ui, "###try", "tree.try", ButtonKind::primary)) actions.try_it(node.set);
    ImGui::EndDisabled();
    tooltip(ui, why.empty() ? ui.texts("tree.try_about") : why.c_str());
    if (box.has_command) ImGui::SameLine(0, ui.px(6));
  }
  if (!box.has_command) return;
  const std::string command = "tensorscope " + box.visit->command;
  if (icon_button(ui, "###copy_command", icon::kCopy, "tree.command", ButtonKind::quiet))
    ImGui::SetClipboardText(command.c_str());
  tooltip(ui, command);
}

void draw_box(const Ui& ui, const advice::Walk& walk, const Box& box,
              const TreeView::Actions& actions) {
  const advice::Node& node = walk.tree->nodes[box.node];
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(6), ui.px(kLine)));
  for (const Part& part : box.parts)
    wrapped_text(ui, part.style, part.color, part.words, ui.px(kPadding));
  draw_buttons(ui, node, box, actions);
  ImGui::PopStyleVar();
}

}  // namespace

void TreeView::draw_head(const Ui& ui, std::span<const advice::Tree> trees,
                         const std::string& about) {
  const text::Language language = ui.texts.language();
  const float width = std::min(ui.px(380), ImGui::GetContentRegionAvail().x * 0.5F);
  select(ui, "###tree", trees[shown_].title.in(language), "", width, [&] {
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const std::string id = "###tree_" + trees[i].id;
      if (!list_row(ui, id.c_str(), trees[i].title.in(language), text::joined(trees[i].rows, ", "),
                    i == shown_))
        continue;
      shown_ = i;
      return true;
    }
    return false;
  });
  ImGui::SameLine(0, ui.px(12));
  ImGui::AlignTextToFramePadding();
  text(ui, TextStyle::body, ui.theme.text2, about);
  ImGui::Dummy({0, ui.px(2)});
  wrapped_text(ui, TextStyle::body, ui.theme.text2, trees[shown_].about.in(language), ui.px(20));
  ImGui::Dummy({0, ui.px(6)});
}

// Keeps the end of the way in sight when it changes; a list is read from its beginning.
void TreeView::follow_end(const advice::Walk& walk, float top, float bottom) {
  const bool list = walk.tree->nodes.front().kind == advice::NodeKind::all;
  const auto now = std::pair(shown_, list ? 0 : walk.visits.back().node);
  if (followed_ == now) return;
  const bool other = !followed_ || followed_->first != shown_;
  followed_ = now;
  const float height = ImGui::GetWindowHeight();
  const float seen = other ? 0 : ImGui::GetScrollY();
  if (other) ImGui::SetScrollY(0);
  if (list || (top >= seen && bottom <= seen + height)) return;
  ImGui::SetScrollY(std::max(0.0F, bottom - height));
}

void TreeView::draw_tree(const Ui& ui, const advice::Walk& walk, const Actions& actions) {
  const advice::Tree& tree = *walk.tree;
  if (laid_out_ != shown_) layout_ = tree_layout(tree);
  laid_out_ = shown_;
  const float avail = ImGui::GetContentRegionAvail().x - ui.px(14);
  const auto columns = static_cast<float>(layout_.columns);
  // Whole pixels, as a window has them: its words wrap at that width.
  const float width = std::floor(std::clamp((avail - ui.px(kAcross) * (columns - 1)) / columns,
                                            ui.px(kNarrowest), ui.px(kWidest)));
  const float padding = ui.px(kPadding);
  std::vector<Box> boxes(tree.nodes.size());
  std::vector<float> heights(layout_.rows, 0);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Box& box = boxes[i];
    const advice::Node& node = tree.nodes[i];
    box.node = i;
    box.visit = walk.of(node);
    box.parts = parts_of(ui, node, box.visit);
    box.width = width;
    box.x = static_cast<float>(layout_.places[i].column) * (width + ui.px(kAcross));
    box.has_try = box.visit != nullptr && !node.set.empty();
    box.has_command = box.visit != nullptr && !box.visit->command.empty();
    box.height = 2 * padding;
    for (const Part& part : box.parts)
      box.height += wrapped_height(ui, part.style, part.words, width - 2 * padding) + ui.px(kLine);
    if (box.has_try || box.has_command) box.height += ui.px(kButton) + ui.px(kLine);
    float& row = heights[layout_.places[i].row];
    row = std::max(row, box.height);
  }
  std::vector<float> tops(layout_.rows, 0);
  for (std::size_t i = 1; i < tops.size(); ++i)
    tops[i] = tops[i - 1] + heights[i - 1] + ui.px(kDown);
  for (Box& box : boxes) box.y = tops[layout_.places[box.node].row];

  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 start = ImGui::GetCursorPos();
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const auto connect = [&](const Box& from, const Box& to, bool taken, const std::string& answer) {
    const Color color = taken ? ui.theme.accent : ui.theme.line;
    const float thickness = ui.px(taken ? 2.5F : 1.5F);
    const float elbow = ui.px(18);
    if (from.x == to.x) {
      const float x = origin.x + from.x + elbow;
      sink.line({x, origin.y + from.y + from.height}, {x, origin.y + to.y}, color, thickness);
      sink.text({x + ui.px(6), origin.y + to.y - ui.px(18)}, TextStyle::small,
                taken ? ui.theme.text : ui.theme.text2, answer);
      return;
    }
    const float y0 = origin.y + from.y + elbow;
    const float y1 = origin.y + to.y + elbow;
    const float x0 = origin.x + from.x + from.width;
    const float x1 = origin.x + to.x;
    const float middle = x0 + ui.px(14);
    const Point corners[] = {{x0, y0}, {middle, y0}, {middle, y1}, {x1, y1}};
    sink.polyline(corners, color, thickness);
    sink.text({middle + ui.px(5), y1 - ui.px(18)}, TextStyle::small,
              taken ? ui.theme.text : ui.theme.text2, answer);
  };
  // The way that was taken lies over the others.
  for (const bool taken : {false, true}) {
    for (const Box& box : boxes) {
      const TreePlace& place = layout_.places[box.node];
      if (box.node == 0 || (box.visit != nullptr) != taken) continue;
      const advice::Node& parent = tree.nodes[place.parent];
      const std::string& answer = place.branch ? parent.branches[*place.branch].answer : "";
      connect(boxes[place.parent], box, taken,
              answer.empty() ? "" : std::string(ui.texts("tree." + answer)));
    }
  }
  float bottom = 0;
  for (const Box& box : boxes) {
    const Rect area{origin.x + box.x, origin.y + box.y, origin.x + box.x + box.width,
                    origin.y + box.y + box.height};
    sink.fill(area, box.visit != nullptr ? ui.theme.surface2 : ui.theme.surface, ui.px(4));
    sink.outline(area, state_color(ui, tree.nodes[box.node], box.visit),
                 ui.px(box.visit != nullptr ? 2 : 1), ui.px(4));
    ImGui::SetCursorPos({start.x + box.x, start.y + box.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding, padding));
    const std::string id = "###node_" + tree.nodes[box.node].id;
    if (ImGui::BeginChild(id.c_str(), {box.width, box.height},
                          ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AlwaysUseWindowPadding,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse))
      draw_box(ui, walk, box, actions);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    if (box.visit == nullptr && !tree.nodes[box.node].source.empty())
      tooltip(ui, tree.nodes[box.node].source.in(ui.texts.language()));
    bottom = std::max(bottom, box.y + box.height);
  }
  ImGui::SetCursorPos({start.x, start.y + bottom});
  ImGui::Dummy({columns * (width + ui.px(kAcross)) - ui.px(kAcross), ui.px(2)});
  const Box& end = boxes[walk.visits.back().node];
  follow_end(walk, end.y, end.y + end.height);
}

void TreeView::draw(const Ui& ui, std::span<const advice::Tree> trees,
                    const advice::Evidence& evidence, const std::string& about,
                    const Actions& actions) {
  if (trees.empty()) return;
  shown_ = std::min(shown_, trees.size() - 1);
  draw_head(ui, trees, about);
  const advice::Walk walk = advice::walk(trees[shown_], evidence);
  if (ImGui::BeginChild("###tree_boxes", {0, 0}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_HorizontalScrollbar))
    draw_tree(ui, walk, actions);
  ImGui::EndChild();
}

}  // namespace ts::views

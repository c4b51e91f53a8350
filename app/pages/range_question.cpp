#include "app/pages/range_question.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "core/text/numbers.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

using views::TextStyle;

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = error == std::errc() && end == text.data() + text.size() &&
                    std::isfinite(number) && number >= 0;
  return good ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<base::FileRange> typed_range(base::FileRange::Unit unit, std::string_view from,
                                           std::string_view to) {
  base::FileRange range{.unit = unit};
  if (!from.empty()) {
    const auto number = number_in(from);
    if (!number) return std::nullopt;
    range.from = *number;
  }
  if (!to.empty()) {
    const auto number = number_in(to);
    if (!number) return std::nullopt;
    range.to = *number;
  }
  return range.is_empty() ? std::nullopt : std::optional(range);
}

void RangeQuestion::draw_fields(const views::Ui& ui) {
  const views::Choice units[] = {{"events", ui.texts("file.range.events"), {}},
                                 {"seconds", ui.texts("file.range.seconds"), {}}};
  views::segmented(ui, "###range_unit", units, unit_, ui.px(280));
  ImGui::Dummy({0, ui.px(6)});
  const auto field = [&](const char* id, const char* label, std::string& text) {
    views::text(ui, TextStyle::small, ui.theme.text3, ui.texts(label));
    ImGui::SetNextItemWidth(ui.px(280));
    ImGui::InputText(id, &text);
    ImGui::Dummy({0, ui.px(4)});
  };
  field("###range_from", "file.range.from", from_);
  field("###range_to", "file.range.to", to_);
}

void RangeQuestion::draw(const views::Ui& ui, OpenedFiles& files, const OpenedFiles::Entry& entry) {
  if (entry_ != entry.id) *this = {};
  entry_ = entry.id;
  const auto size = [](std::uint64_t bytes) {
    return text::bytes(static_cast<std::int64_t>(bytes)).joined();
  };
  views::wrapped_text(ui, TextStyle::large, ui.theme.text,
                      ui.texts("file.range.title", {{"name", entry.path.filename().string()},
                                                    {"size", size(*entry.asks)}}));
  views::wrapped_text(ui, TextStyle::body, ui.theme.text2,
                      ui.texts("file.range.words", {{"most", size(files.asks_above())}}));
  ImGui::Dummy({0, ui.px(8)});
  draw_fields(ui);
  const auto range = typed_range(static_cast<base::FileRange::Unit>(unit_), from_, to_);
  views::text(ui, TextStyle::small, ui.theme.bad,
              range ? std::string() : ui.texts("file.range.wrong"));
  ImGui::Dummy({0, ui.px(6)});
  const std::filesystem::path path = entry.path;
  ImGui::BeginDisabled(!range || range->is_all());
  const bool part =
      views::text_button(ui, "###range_open", "file.range.open", views::ButtonKind::primary);
  ImGui::EndDisabled();
  ImGui::SameLine(0, ui.px(8));
  const bool all =
      views::text_button(ui, "###range_all", "file.range.open_all", views::ButtonKind::plain);
  ImGui::SameLine(0, ui.px(8));
  const bool cancel =
      views::text_button(ui, "###range_cancel", "file.cancel", views::ButtonKind::plain);
  if (part) files.open(path, *range);
  if (all) files.open(path, {});
  if (cancel && files.current_index()) files.close(*files.current_index());
}

}  // namespace ts::app

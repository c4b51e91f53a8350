#include "views/snapshot/reserved_view.h"

#include <imgui.h>

#include <array>
#include <span>

#include "core/files/reserved_table.h"
#include "views/charts/icons.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// Words in one column are many, in the others few.
constexpr std::array kPartWeights = {3.0F, 1.0F, 0.7F, 2.4F, 1.0F};
constexpr std::array kChangeWeights = {3.0F, 1.0F, 1.0F, 1.3F, 1.8F};

// `strong`: a row that stands out.
void draw_table(const Ui& ui, const char* id, const io::TextTable& table,
                std::span<const float> weights, std::size_t strong) {
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable(id, static_cast<int>(table.columns.size()), kFlags)) return;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    ImGui::TableSetupColumn(table.columns[i].c_str(), ImGuiTableColumnFlags_WidthStretch,
                            weights[i]);
  }
  table_headings([&](int column) { return table.is_right(static_cast<std::size_t>(column)); });
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    ImGui::TableNextRow();
    ImGui::PushStyleColor(ImGuiCol_Text, row == strong ? ui.theme.text : ui.theme.text2);
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const std::string& words = table.rows[row][column];
      if (table.is_right(column)) {
        right_aligned_column(words);
      } else {
        ImGui::TableNextColumn();
        if (cell_text(words)) tooltip(ui, words);
      }
    }
    ImGui::PopStyleColor();
  }
  ImGui::EndTable();
}

void draw_answer(const Ui& ui, const allocator::ReservedAnswer& answer) {
  wrapped_text(ui, TextStyle::body_medium, ui.theme.text,
               files::reserved_sentence(answer, ui.texts), ui.px(8));
  const io::TextTable parts = files::parts_table(answer, ui.texts, files::Numbers::rounded);
  const io::TextTable changes = files::changes_table(answer, ui.texts, files::Numbers::rounded);
  const FontScope font(ui, TextStyle::body);
  ImGui::Dummy({0, ui.px(6)});
  draw_table(ui, "###reserved_parts", parts, kPartWeights, parts.rows.size() - 1);
  ImGui::Dummy({0, ui.px(10)});
  draw_table(ui, "###reserved_changes", changes, kChangeWeights, 0);
  ImGui::Dummy({0, ui.px(6)});
  if (icon_button(ui, "###copy_reserved", icon::kCopy, "common.copy", ButtonKind::quiet))
    ImGui::SetClipboardText(reserved_text(answer, ui.texts).c_str());
}

}  // namespace

void draw_reserved(const Ui& ui, const files::ReservedMoment* moment, bool current) {
  if (moment == nullptr)
    return wrapped_text(ui, TextStyle::body, ui.theme.text3, ui.texts("file.replay.goes_on"),
                        ui.px(8));
  if (!moment->answer)
    return wrapped_text(ui, TextStyle::body, ui.theme.text2,
                        message_text(ui.texts, moment->problem), ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, current ? 1.0F : 0.55F);
  draw_answer(ui, *moment->answer);
  ImGui::PopStyleVar();
}

std::string reserved_text(const allocator::ReservedAnswer& answer, const text::Texts& texts) {
  return files::reserved_sentence(answer, texts) + "\n\n" +
         io::to_tsv(files::parts_table(answer, texts, files::Numbers::exact)) + "\n" +
         io::to_tsv(files::changes_table(answer, texts, files::Numbers::exact));
}

}  // namespace ts::views

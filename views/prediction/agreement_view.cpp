#include "views/prediction/agreement_view.h"

#include <imgui.h>

#include <array>
#include <cstdlib>
#include <string>

#include "core/spec/workload_math.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/charts/one_unit.h"
#include "views/charts/run_time.h"
#include "views/common/exact_bytes.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

using memory::Agreement;
using memory::EventIndex;
using memory::EventPair;

// The buttons after a heading, at the right end of its line.
template <class Make>
void copy_buttons(const Ui& ui, const std::string& id, const Make& make) {
  const auto copy = [&](const char* format, auto write) {
    if (button(ui, (id + "_" + format).c_str(), "\xef\x83\x85", format, "", ButtonKind::quiet))
      ImGui::SetClipboardText(write(make()).c_str());
    ImGui::SameLine(0, ui.px(4));
  };
  copy("TSV", [](const io::TextTable& table) { return io::to_tsv(table); });
  copy("Markdown", [](const io::TextTable& table) { return io::to_markdown(table); });
  copy("LaTeX", [](const io::TextTable& table) {
    return io::to_latex(table, "Predicted against measured", "tab:agreement");
  });
  ImGui::NewLine();
}

// "+ 512 KiB  mm" and the place. Empty for a side without such an event.
std::string event_text(const memory::AllocationLog& log, EventIndex event,
                       const base::StringTable& strings, const text::Texts& texts) {
  if (event == memory::kNone) return {};
  const memory::Event& one = log.events()[event];
  if (one.block == memory::kNone) return texts("agreement.no_block");
  const memory::Block& block = log.blocks()[one.block];
  const bool taken = one.action == memory::Action::alloc;
  return std::string(taken ? "+ " : "\xe2\x88\x92 ") + text::bytes(block.size).joined() + "  " +
         slice_label(strings.view(block.op), trace::SliceClass::other, texts);
}

// All facts about one side, for the tooltip.
std::string event_details(const memory::AllocationLog& log, EventIndex event,
                          const base::StringTable& strings, const text::Texts& texts,
                          const char* side) {
  std::string words = texts(side);
  if (event == memory::kNone) return words + ": " + texts("agreement.nothing");
  const memory::Event& one = log.events()[event];
  words += ": " + texts("memory.event_number", {{"number", text::grouped(event)}});
  if (one.block == memory::kNone) return words;
  const memory::Block& block = log.blocks()[one.block];
  words += ", " + texts(one.action == memory::Action::alloc ? "agreement.takes" : "agreement.frees",
                        {{"bytes", text::grouped(block.size)}});
  words += "\n  " + std::string(strings.view(block.op));
  if (const std::string_view module = strings.view(block.module); !module.empty())
    words += "\n  " + std::string(module);
  return words;
}

const char* agreement_key(Agreement value) {
  constexpr std::array kKeys = {"agreement.same", "agreement.changed", "agreement.only_predicted",
                                "agreement.only_measured"};
  return kKeys[static_cast<std::size_t>(value)];
}

const char* explanation_key(memory::Explanation value) {
  constexpr std::array kKeys = {"agreement.why.none", "agreement.why.thread_scratch",
                                "agreement.why.cast_order"};
  return kKeys[static_cast<std::size_t>(value)];
}

Color agreement_color(const Theme& theme, const EventPair& pair) {
  if (pair.agreement == Agreement::same) return theme.ok;
  return pair.explanation == memory::Explanation::none ? theme.bad : theme.warn;
}

std::string column_id(const char* table, std::size_t column) {
  return std::string("###") + table + std::to_string(column);
}

struct ShownEvent {
  const report::ComparedLogs& logs;
  const EventPair& pair;
  const text::Texts& texts;

  [[nodiscard]] bool has_measured() const { return pair.measured != memory::kNone; }
  // The measured side, or the predicted one if there is no other.
  [[nodiscard]] const memory::AllocationLog& log() const {
    return has_measured() ? logs.measured : logs.predicted;
  }
  [[nodiscard]] EventIndex event() const { return has_measured() ? pair.measured : pair.predicted; }
  [[nodiscard]] memory::BlockIndex block() const { return log().events()[event()].block; }
};

std::string where_text(const ShownEvent& of) {
  const memory::PhaseSpan* const phase = report::phase_of(of.log(), of.event());
  if (phase == nullptr) return {};
  std::string where = of.texts(phase_key(phase->phase));
  if (phase->step < 0) return where;
  return of.texts("memory.step_phase",
                  {{"number", text::grouped(phase->step + 1)}, {"phase", where}});
}

std::string module_text(const ShownEvent& of) {
  if (of.block() == memory::kNone) return {};
  return std::string(of.logs.strings.view(of.log().blocks()[of.block()].module));
}

std::string verdict_text(const ShownEvent& of) {
  std::string verdict = of.texts(agreement_key(of.pair.agreement));
  if (of.pair.explanation != memory::Explanation::none)
    verdict += std::string(": ") + of.texts(explanation_key(of.pair.explanation));
  return verdict;
}

struct ShownColumn {
  const char* heading;
  float weight;
  std::string (*words)(const ShownEvent& of);
};
constexpr auto kEventColumns = std::to_array<ShownColumn>({
    {"agreement.where", 2, where_text},
    {"inspector.peaks.predicted", 3,
     [](const ShownEvent& of) {
       return event_text(of.logs.predicted, of.pair.predicted, of.logs.strings, of.texts);
     }},
    {"inspector.peaks.measured", 3,
     [](const ShownEvent& of) {
       return event_text(of.logs.measured, of.pair.measured, of.logs.strings, of.texts);
     }},
    {"agreement.module", 2, module_text},
    {"agreement.verdict", 3, verdict_text},
});

// Why there is nothing to compare, as a key of the locale files. Null if there is something.
const char* no_agreement_reason(const ViewContext& context) {
  if (context.file != nullptr || context.trace != nullptr) return "agreement.of_a_file";
  if (context.run == nullptr || context.run->memory.events().empty()) return "agreement.no_run";
  if (!context.run->finished) return "agreement.still_runs";
  if (spec::captures_step(context.run->spec)) return "agreement.replayed";
  const bool measured = memory_source(context).kind == MemorySource::Kind::measured;
  return measured && context.forecast != nullptr ? nullptr : "agreement.no_prediction";
}

// True if the measured run is compared in full, which means it finished.
bool compares_whole_run(const ViewContext& context) {
  return context.run != nullptr && context.run->verdict == run::Verdict::ok;
}

}  // namespace

void AgreementView::update(const ViewContext& context, const report::ComparedLogs& logs) {
  const MadeFor now{context.run->id, context.forecast->id, logs.measured.version()};
  if (made_for_ == now) return;
  comparison_ = memory::compare_logs(logs.predicted, logs.measured, logs.strings,
                                     !compares_whole_run(context));
  categories_ = report::categories_at_peaks(logs);
  made_for_ = now;
}

void AgreementView::draw(const Ui& ui, const ViewContext& context) {
  if (const char* const reason = no_agreement_reason(context)) {
    wrapped_text(ui, TextStyle::body, ui.theme.text3, ui.texts(reason));
    return;
  }
  const report::ComparedLogs logs{context.forecast->run.log, context.run->memory, context.strings};
  update(context, logs);
  draw_categories(ui, compares_whole_run(context));
  ImGui::Dummy({0, ui.px(8)});
  draw_events(ui, context, logs);
}

void AgreementView::draw_categories(const Ui& ui, bool whole) {
  section(ui, ui.texts("agreement.categories"), ui.texts("agreement.each_at_its_peak"));
  if (!whole) wrapped_text(ui, TextStyle::small, ui.theme.warn, ui.texts("agreement.broken_off"));
  copy_buttons(ui, "###copy_categories", [this] { return report::category_text(categories_); });
  report::CategoryAgreement total;
  for (const report::CategoryAgreement& row : categories_) {
    total.predicted += row.predicted;
    total.measured += row.measured;
  }
  // Sizes and their differences use one unit.
  std::vector<double> sizes;
  for (const report::CategoryAgreement& row : categories_) {
    sizes.push_back(static_cast<double>(row.predicted));
    sizes.push_back(static_cast<double>(row.measured));
  }
  const OneUnit unit = byte_unit(sizes);
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings;
  constexpr auto& kColumns = report::kCategoryColumns;
  if (!ImGui::BeginTable("###agreement_categories", static_cast<int>(kColumns.size()), kFlags))
    return;
  for (std::size_t i = 0; i < kColumns.size(); ++i)
    ImGui::TableSetupColumn((ui.texts(kColumns[i].heading) + column_id("c", i)).c_str());
  table_headings([](int number) { return number > 0; });
  const auto bytes_cell = [&](std::int64_t bytes, bool difference) {
    const char* const sign = !difference ? "" : bytes < 0 ? "\xe2\x88\x92" : bytes > 0 ? "+" : "";
    const auto shown = static_cast<double>(difference ? std::abs(bytes) : bytes);
    right_aligned(sign + unit.joined(shown));
    exact_bytes_tip(ui, bytes);
  };
  const auto error_cell = [&](const report::CategoryAgreement& row) {
    const std::int64_t off = row.predicted - row.measured;
    const bool close = std::abs(off) * 100 <= row.measured;
    ImGui::PushStyleColor(ImGuiCol_Text, close ? ui.theme.ok : ui.theme.warn);
    right_aligned(row.measured > 0 ? prediction_error(row.predicted, row.measured)
                  : off == 0       ? "0 %"
                                   : text::kNoNumber);
    ImGui::PopStyleColor();
  };
  const auto add = [&](const char* name, const report::CategoryAgreement& row) {
    ImGui::TableNextRow();
    for (const report::CategoryColumn& column : kColumns) {
      ImGui::TableNextColumn();
      if (column.bytes != nullptr) {
        bytes_cell(column.bytes(row), column.difference);
      } else if (&column == &kColumns.front()) {
        ImGui::TextUnformatted(name);
      } else {
        error_cell(row);
      }
    }
  };
  for (const report::CategoryAgreement& row : categories_)
    add(ui.texts(category_key(row.category)), row);
  add(ui.texts("memory.total"), total);
  ImGui::EndTable();
}

void AgreementView::draw_events(const Ui& ui, const ViewContext& context,
                                const report::ComparedLogs& logs) {
  const std::size_t different = comparison_.different.size();
  section(ui, ui.texts("agreement.events"),
          ui.texts("agreement.events_remark",
                   {{"steps", text::grouped(static_cast<std::size_t>(comparison_.steps))},
                    {"predicted", text::grouped(comparison_.predicted_events)},
                    {"measured", text::grouped(comparison_.measured_events)}}));
  const std::string summary =
      different == 0
          ? ui.texts("agreement.all_agree", {{"count", text::grouped(comparison_.pairs.size())}})
          : ui.texts("agreement.some_differ",
                     {{"different", text::grouped(different)},
                      {"count", text::grouped(comparison_.pairs.size())},
                      {"unexplained", text::grouped(comparison_.unexplained)}});
  wrapped_text(ui, TextStyle::body, different == 0 ? ui.theme.ok : ui.theme.text, summary);
  if (!comparison_.aligned) {
    wrapped_text(ui, TextStyle::small, ui.theme.warn, ui.texts("agreement.not_aligned"));
  }
  toggle(ui, "###all_events", ui.texts("agreement.show_all"), all_events_, ui.px(260));
  ImGui::SameLine(0, ui.px(16));
  copy_buttons(ui, "###copy_events",
               [&] { return report::event_text(comparison_, logs, all_events_); });
  draw_rows(ui, context, logs);
}

void AgreementView::draw_rows(const Ui& ui, const ViewContext& context,
                              const report::ComparedLogs& logs) {
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_SizingStretchProp;
  constexpr auto kCount = static_cast<int>(kEventColumns.size());
  if (!ImGui::BeginTable("###agreement_events", kCount, kFlags, ImGui::GetContentRegionAvail()))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (std::size_t i = 0; i < kEventColumns.size(); ++i) {
    const auto& [heading, weight, words] = kEventColumns[i];
    ImGui::TableSetupColumn((ui.texts(heading) + column_id("e", i)).c_str(), 0, weight);
  }
  ImGui::TableHeadersRow();
  const std::size_t rows = all_events_ ? comparison_.pairs.size() : comparison_.different.size();
  rows_in_view(rows, [&](std::size_t row) {
    const EventPair& pair =
        comparison_.pairs[all_events_ ? row : std::size_t{comparison_.different[row]}];
    const ShownEvent shown{logs, pair, ui.texts};
    const memory::BlockIndex block = shown.block();
    const bool has_block = shown.has_measured() && block != memory::kNone;
    ImGui::PushID(static_cast<int>(row));
    ImGui::TableNextRow();
    for (const ShownColumn& column : kEventColumns) {
      ImGui::TableNextColumn();
      const std::string words = column.words(shown);
      if (&column == &kEventColumns.front()) {
        const bool selected = has_block && context.state.selected_block == std::optional(block);
        if (ImGui::Selectable((words + "###row").c_str(), selected,
                              ImGuiSelectableFlags_SpanAllColumns) &&
            has_block) {
          context.state.selected_block = block;
        }
        tooltip(ui, event_details(logs.predicted, pair.predicted, logs.strings, ui.texts,
                                  "inspector.peaks.predicted") +
                        "\n" +
                        event_details(logs.measured, pair.measured, logs.strings, ui.texts,
                                      "inspector.peaks.measured"));
      } else if (column.words == verdict_text) {
        ImGui::PushStyleColor(ImGuiCol_Text, agreement_color(ui.theme, pair));
        ImGui::TextUnformatted(words.c_str());
        ImGui::PopStyleColor();
      } else {
        ImGui::TextUnformatted(words.c_str());
      }
    }
    ImGui::PopID();
  });
  ImGui::EndTable();
}

}  // namespace ts::views

#include "views/inspector/file_panel.h"

#include <imgui.h>

#include <string>

#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/inspector/file_rows.h"
#include "views/inspector/row_list.h"
#include "views/inspector/trace_rows.h"

namespace ts::views {

namespace {

// A button for each table of the trace that is not empty, with the number of its calls.
std::optional<TraceTable> choose_table(const Ui& ui, const ViewContext& context) {
  std::optional<TraceTable> chosen;
  const TraceCalls calls = trace_calls(context);
  const float width = ImGui::GetContentRegionAvail().x - ui.px(16);
  const auto row = [&](const char* id, const char* key, const char* shortcut, std::int64_t count,
                       TraceTable table) {
    if (count == 0) return;
    const std::string words = ui.texts(key, {{"count", text::grouped(count)}});
    if (button(ui, id, "", words, shortcut, ButtonKind::plain, width)) chosen = table;
    ImGui::Dummy({0, ui.px(4)});
  };
  row("###table_operators", "trace.open_operators", "O", calls.operators, TraceTable::operators);
  row("###table_kernels", "trace.open_kernels", "", calls.kernels, TraceTable::kernels);
  return chosen;
}

std::optional<TraceTable> draw_trace_panel(const Ui& ui, const ViewContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(2)));
  const std::vector<InspectorRow> rows = trace_rows(context);
  section(ui, ui.texts("trace.title"));
  if (!context.trace->about.fault.empty()) {
    wrapped_text(ui, TextStyle::body, ui.theme.warn,
                 message_text(ui.texts, context.trace->about.fault));
    ImGui::Dummy({0, ui.px(8)});
  }
  const std::optional<TraceTable> table = choose_table(ui, context);
  draw_rows(ui, rows);
  ImGui::Dummy({0, ui.px(8)});
  if (copy_button(ui, "###copy_file")) ImGui::SetClipboardText(to_tsv(rows).c_str());
  ImGui::PopStyleVar();
  return table;
}

// The two forms of a recording: its timeline (the number after those of devices), its blocks.
// `grows`: it has no blocks yet.
std::optional<std::size_t> choose_form(const Ui& ui, bool timeline, bool grows) {
  std::optional<std::size_t> chosen;
  section(ui, ui.texts("recording.form"));
  if (list_row(ui, "###form_timeline", ui.texts("recording.timeline"), {}, timeline)) chosen = 1;
  if (list_row(ui, "###form_blocks", ui.texts("recording.blocks"), {}, !timeline,
               grows ? ui.texts("live.blocks_later") : std::string()))
    chosen = 0;
  ImGui::Dummy({0, ui.px(8)});
  return chosen;
}

// The devices of a file with several.
std::optional<std::size_t> choose_device(const Ui& ui, const ViewContext& context) {
  std::optional<std::size_t> chosen;
  if (context.file->devices.size() < 2) return chosen;
  ImGui::Dummy({0, ui.px(8)});
  section(ui, ui.texts("file.devices"));
  for (std::size_t i = 0; i < context.file->devices.size(); ++i) {
    const files::OpenedDevice& device = context.file->devices[i];
    const std::string id = "###device_" + std::to_string(device.number);
    const std::string words =
        ui.texts("file.device_number", {{"number", std::to_string(device.number)}});
    if (list_row(ui, id.c_str(), words, text::bytes(device.run.memory.peak_bytes()).joined(),
                 &device == context.file_device)) {
      chosen = i;
    }
  }
  return chosen;
}

void choose_stream(const Ui& ui, const files::OpenedDevice& device, FilePanelChoice& chosen) {
  if (device.parts.streams.size() < 2) return;
  const auto row = [&](const std::string& id, const std::string& words,
                       std::optional<std::int64_t> stream) {
    if (list_row(ui, id.c_str(), words, {}, device.part.stream == stream))
      chosen.part = files::MemoryPart{.stream = stream, .pool = device.part.pool};
  };
  ImGui::Dummy({0, ui.px(8)});
  section(ui, ui.texts("file.part.streams"));
  row("###stream_all", ui.texts("file.part.all"), std::nullopt);
  for (const std::int64_t stream : device.parts.streams) {
    const std::string number = std::to_string(stream);
    row("###stream_" + number, ui.texts("file.part.stream", {{"number", number}}), stream);
  }
}

std::string pool_text(const Ui& ui, const allocator::PoolId& pool) {
  if (pool == allocator::PoolId{}) return ui.texts("file.part.default_pool");
  return ui.texts("file.block.pool_private",
                  {{"first", std::to_string(pool.first)}, {"second", std::to_string(pool.second)}});
}

void choose_pool(const Ui& ui, const files::OpenedDevice& device, FilePanelChoice& chosen) {
  if (device.parts.pools.size() < 2) return;
  const auto row = [&](const std::string& id, const std::string& words,
                       std::optional<allocator::PoolId> pool) {
    if (list_row(ui, id.c_str(), words, {}, device.part.pool == pool))
      chosen.part = files::MemoryPart{.stream = device.part.stream, .pool = pool};
  };
  ImGui::Dummy({0, ui.px(8)});
  section(ui, ui.texts("file.part.pools"));
  row("###pool_all", ui.texts("file.part.all"), std::nullopt);
  for (std::size_t i = 0; i < device.parts.pools.size(); ++i)
    row("###pool_" + std::to_string(i), pool_text(ui, device.parts.pools[i]),
        device.parts.pools[i]);
}

// Lets the user choose a part of the device, and applies the choice.
void choose_part(const Ui& ui, const files::OpenedDevice& device, FilePanelChoice& chosen) {
  choose_stream(ui, device, chosen);
  choose_pool(ui, device, chosen);
  if (device.part.is_all()) return;
  ImGui::Dummy({0, ui.px(8)});
  wrapped_text(ui, TextStyle::body, ui.theme.text2, ui.texts("file.part.note"));
}

}  // namespace

FilePanelChoice draw_file_panel(const Ui& ui, const ViewContext& context) {
  FilePanelChoice chosen;
  const bool timeline = context.trace != nullptr;
  if (timeline ? context.trace->recording
               : context.file != nullptr && context.file->trace != nullptr) {
    chosen.device = choose_form(ui, timeline, context.run != nullptr && !context.run->finished);
  }
  if (timeline) chosen.table = draw_trace_panel(ui, context);
  if (context.file == nullptr || context.file_device == nullptr) return chosen;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(2)));
  const std::vector<InspectorRow> rows = file_rows(context);
  const std::vector<InspectorRow> settings = file_settings(context);
  section(ui, ui.texts("file.title"));
  if (!context.file->file.fault.empty()) {
    wrapped_text(ui, TextStyle::body, ui.theme.warn,
                 message_text(ui.texts, context.file->file.fault));
    ImGui::Dummy({0, ui.px(8)});
  }
  draw_rows(ui, rows);
  if (const auto device = choose_device(ui, context)) chosen.device = device;
  if (context.file->trace == nullptr) choose_part(ui, *context.file_device, chosen);
  if (!settings.empty()) {
    ImGui::Dummy({0, ui.px(8)});
    section(ui, ui.texts("file.settings"));
    draw_rows(ui, settings);
  }
  ImGui::Dummy({0, ui.px(8)});
  const std::vector<InspectorRow> replayed = replay_rows(context);
  const std::string expandable = expandable_sentence(context);
  section(ui, ui.texts("file.replay.title"));
  draw_rows(ui, replayed);
  if (!replayed.empty()) section(ui, ui.texts("file.expandable.question"));
  wrapped_text(ui, TextStyle::body, expandable.empty() ? ui.theme.text3 : ui.theme.text,
               expandable.empty()
                   ? ui.texts(context.file->arrives ? "file.replay.later" : "file.replay.goes_on")
                   : expandable);
  const std::string fragmentation = fragmentation_sentence(context);
  const std::vector<InspectorRow> trials = trial_rows(context);
  if (!fragmentation.empty()) {
    ImGui::Dummy({0, ui.px(8)});
    section(ui, ui.texts("file.misfit.title"));
    wrapped_text(ui, TextStyle::body, ui.theme.text, fragmentation);
  }
  if (!trials.empty()) {
    ImGui::Dummy({0, ui.px(8)});
    section(ui, ui.texts("file.trial.title"));
    draw_rows(ui, trials);
  }
  ImGui::Dummy({0, ui.px(8)});
  if (copy_button(ui, "###copy_file")) {
    ImGui::SetClipboardText((to_tsv(rows) + to_tsv(settings) + to_tsv(replayed) + expandable +
                             "\n" + fragmentation + "\n" + to_tsv(trials))
                                .c_str());
  }
  ImGui::PopStyleVar();
  return chosen;
}

}  // namespace ts::views

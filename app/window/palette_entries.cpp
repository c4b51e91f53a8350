#include "app/window/palette_entries.h"

#include <string>

#include "app/session/catalogue.h"
#include "app/session/languages.h"
#include "core/base/letters.h"
#include "core/spec/gpu_catalogue.h"
#include "core/spec/own_model.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/text/numbers.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

using spec::Field;

std::string setting_text(const views::Ui& ui, Field field, const std::string& value) {
  return ui.texts("palette.set", {{"name", views::field_text(ui.texts, field)},
                                  {"value", views::value_text(ui.texts, field, value)}});
}

std::string reason_text(const views::Ui& ui, const spec::WorkloadSpec& spec, Field field) {
  const std::string key = spec::field_reason(spec, field);
  return key.empty() ? std::string() : std::string(ui.texts(key));
}

// "T=1024", "T = 1024" or "T 1024": adds the typed setting; an impossible value has its reason.
void add_typed_setting(const views::Ui& ui, std::string_view typed, WorkspaceState& state,
                       std::vector<PaletteEntry>& entries) {
  const auto parts = typed_setting(typed);
  if (!parts) return;
  const std::string value(parts->value);
  for (const spec::FieldRow& row : spec::field_rows()) {
    if (!base::same_letters(row.name, parts->name)) continue;
    spec::WorkloadSpec spec = state.history.spec();
    std::string reason;
    if (const auto problem = spec::value_problem(row.field, value)) {
      reason = views::message_text(ui.texts, *problem);
    } else {
      spec::WorkloadSpec changed = spec;
      static_cast<void>(spec::set_field(changed, row.name, value));
      // A workload comes with a preset that can run, as from its button.
      if (row.field == Field::workload) {
        spec::choose_workload(changed.workload, spec);
      } else {
        spec = changed;
      }
      reason = reason_text(ui, spec, row.field);
    }
    // Matches whatever was typed.
    entries.push_back({.id = std::string(typed),
                       .words = setting_text(ui, row.field, value),
                       .reason = reason,
                       .perform = [&state, spec] { state.history.set(spec); }});
    return;
  }
}

void add_workloads(const views::Ui& ui, WorkspaceState& state, std::vector<PaletteEntry>& entries) {
  const spec::WorkloadKind now = state.history.spec().workload;
  const auto names = spec::field_choices(Field::workload);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto kind = static_cast<spec::WorkloadKind>(i);
    if (!spec::is_offered(kind, state.history.spec())) continue;
    const std::string words = ui.texts(std::string("controls.workload.") + names[i]);
    entries.push_back({.id = std::string("workload=") + names[i],
                       .words = ui.texts("palette.workload", {{"name", words}}),
                       .right = kind == now ? ui.texts("palette.now") : "",
                       .perform = [&state, kind] {
                         spec::WorkloadSpec changed = state.history.spec();
                         spec::choose_workload(kind, changed);
                         state.history.set(changed);
                       }});
  }
}

void add_settings(const views::Ui& ui, WorkspaceState& state, std::vector<PaletteEntry>& entries) {
  const spec::WorkloadSpec& spec = state.history.spec();
  for (const spec::FieldRow& row : spec::field_rows()) {
    // Workloads are listed with their presets, cards with their sizes.
    if (row.field == Field::target_gpu || row.field == Field::workload) continue;
    const std::string now = spec::field_text(spec, row.field);
    const std::string reason = reason_text(ui, spec, row.field);
    const auto choices = spec::field_choices(row.field);
    for (const char* const choice : choices) {
      entries.push_back({.id = std::string(row.name) + "=" + choice,
                         .words = setting_text(ui, row.field, choice),
                         .right = now == choice ? ui.texts("palette.now") : "",
                         .reason = reason,
                         .perform = [&state, name = row.name, choice] {
                           spec::WorkloadSpec changed = state.history.spec();
                           if (spec::set_field(changed, name, choice)) state.history.set(changed);
                         }});
    }
    if (!choices.empty()) continue;
    PaletteEntry entry{
        .id = row.name,
        .words = ui.texts("palette.type", {{"name", views::field_text(ui.texts, row.field)}}),
        .right = now,
        .reason = reason};
    entry.completes = std::string(row.name) + "=";
    entries.push_back(std::move(entry));
  }
}

void add_presets(const views::Ui& ui, WorkspaceState& state, std::vector<PaletteEntry>& entries) {
  // Presets of the current workload come first: "preset small" then finds the one of this workload.
  const spec::WorkloadKind now = state.history.spec().workload;
  for (const bool present : {true, false}) {
    for (const spec::Preset& preset : spec::presets()) {
      if ((preset.workload == now) != present) continue;
      const std::string workload = to_string(preset.workload);
      const std::string name = ui.texts("controls.workload." + workload) + std::string(" ") +
                               views::preset_text(ui.texts, preset);
      entries.push_back({.id = "preset " + workload + " " + preset.id,
                         .words = ui.texts("palette.preset", {{"name", name}}),
                         .right = views::preset_source_text(ui.texts, preset),
                         .perform = [&state, &preset] {
                           spec::WorkloadSpec changed = state.history.spec();
                           spec::apply_preset(preset, changed);
                           state.history.set(changed);
                         }});
    }
  }
}

void add_cards(const views::Ui& ui, const spec::GpuCatalogue& gpus, WorkspaceState& state,
               std::vector<PaletteEntry>& entries) {
  for (const spec::Gpu& card : gpus.gpus()) {
    entries.push_back({.id = "target_gpu " + card.name,
                       .words = ui.texts("palette.card", {{"name", card.name}}),
                       .right = text::bytes(card.advertised_bytes()).joined(),
                       .perform = [&state, name = card.name] {
                         spec::WorkloadSpec changed = state.history.spec();
                         changed.target_gpu = name;
                         state.history.set(changed);
                       }});
  }
}

void add_languages_and_scales(const views::Ui& ui, WorkspaceState& state,
                              std::vector<PaletteEntry>& entries) {
  for (int i = 0; i < text::kLanguageCount; ++i) {
    const auto language = static_cast<text::Language>(i);
    const auto index = static_cast<std::size_t>(i);
    entries.push_back({.id = std::string("language ") + text::language_code(language),
                       .words = ui.texts("palette.language", {{"code", kLanguageNames[index]}}),
                       .right = kEnglishLanguageNames[index],
                       .perform = [&state, language] { state.preferences.language = language; }});
  }
  for (const float scale : kScales) {
    const std::string words = text::decimal(static_cast<double>(scale) * 100, 0);
    entries.push_back({.id = "scale " + words,
                       .words = ui.texts("menu.scale", {{"percent", words}}),
                       .perform = [&state, scale] { state.preferences.scale = scale; }});
  }
}

void add_actions(const views::Ui& ui, WindowActions& actions, Requests& requests,
                 std::vector<PaletteEntry>& entries) {
  for (const ActionRow& row : action_rows()) {
    if (row.action == Action::palette) continue;
    entries.push_back(
        {.id = row.id,
         .words = ui.texts(row.what),
         .right = actions.keys_of(row),
         .reason = actions.why_not(row.action),
         .perform = [&actions, &row, &requests] { actions.perform(row.action, requests); }});
  }
}

void add_recent_files(const views::Ui& ui, WindowActions& actions,
                      std::vector<PaletteEntry>& entries) {
  for (const ListedFile& file : actions.recent_files()) {
    entries.push_back({.id = "recent " + file.path.string(),
                       .words = ui.texts("palette.recent", {{"name", recent_name(file.path)}}),
                       .reason = file.kind == FileKind::missing
                                     ? ui.texts("file.missing", {{"path", file.path.string()}})
                                     : "",
                       .perform = [&actions, path = file.path] { actions.open_recent(path); }});
  }
}

void add_demos(const views::Ui& ui, WindowActions& actions, std::vector<PaletteEntry>& entries) {
  const auto& demos = built_in_demos();
  for (std::size_t i = 0; i < demos.size(); ++i) {
    const std::string& title = demos[i].title.in(ui.texts.language());
    entries.push_back({.id = "demo " + demos[i].id,
                       .words = ui.texts("palette.demo", {{"name", title}}),
                       .right = WindowActions::keys_of_demo(i),
                       .reason = actions.presenter().why_not(i),
                       .perform = [&actions, i] { actions.presenter().show(i); }});
  }
}

}  // namespace

std::vector<PaletteEntry> palette_entries(const views::Ui& ui, std::string_view typed,
                                          const PageServices& services, WindowActions& actions,
                                          Requests& requests) {
  WorkspaceState& state = services.state;
  std::vector<PaletteEntry> entries;
  add_typed_setting(ui, typed, state, entries);
  add_actions(ui, actions, requests, entries);
  add_recent_files(ui, actions, entries);
  add_demos(ui, actions, entries);
  add_workloads(ui, state, entries);
  add_settings(ui, state, entries);
  add_presets(ui, state, entries);
  add_cards(ui, services.session.gpus(), state, entries);
  add_languages_and_scales(ui, state, entries);
  return entries;
}

}  // namespace ts::app

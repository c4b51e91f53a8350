// The entries of the palette: every command, setting, preset, card and look.
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/session/languages.h"
#include "app/window/workspace.h"
#include "core/spec/gpu_catalogue.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/text/numbers.h"
#include "views/common/spec_words.h"

namespace ts::app {
namespace {

using spec::Field;

std::string setting_words(const views::Ui& ui, Field field, const std::string& value) {
  return ui.texts("palette.set", {{"name", views::field_words(ui.texts, field)},
                                  {"value", views::value_words(ui.texts, field, value)}});
}

std::string reason_words(const views::Ui& ui, const spec::WorkloadSpec& spec, Field field) {
  const std::string key = spec::field_reason(spec, field);
  return key.empty() ? std::string() : std::string(ui.texts(key));
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char one, char other) {
    const auto low = [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    };
    return low(one) == low(other);
  });
}

}  // namespace

// "T=1024", "T = 1024" or "T 1024": adds the typed setting; an impossible value has its reason.
void Workspace::add_typed_setting(const views::Ui& ui, std::string_view typed,
                                  std::vector<PaletteEntry>& entries) {
  const auto parts = typed_setting(typed);
  if (!parts) return;
  const std::string value(parts->value);
  for (const spec::FieldRow& row : spec::field_rows()) {
    if (!same_letters(row.name, parts->name)) continue;
    spec::WorkloadSpec spec = state_->history.spec();
    std::string reason;
    if (const auto problem = spec::value_problem(row.field, value)) {
      reason = views::message_words(ui.texts, *problem);
    } else {
      static_cast<void>(spec::set_field(spec, row.name, value));
      reason = reason_words(ui, spec, row.field);
    }
    // Matches whatever was typed.
    entries.push_back({std::string(typed), setting_words(ui, row.field, value), "", reason,
                       [this, spec] { state_->history.set(spec); }});
    return;
  }
}

void Workspace::add_workloads(const views::Ui& ui, std::vector<PaletteEntry>& entries) {
  const spec::WorkloadKind now = state_->history.spec().workload;
  const auto names = spec::field_choices(Field::workload);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string words = ui.texts(std::string("controls.workload.") + names[i]);
    const auto kind = static_cast<spec::WorkloadKind>(i);
    entries.push_back({std::string("workload=") + names[i],
                       ui.texts("palette.workload", {{"name", words}}),
                       kind == now ? ui.texts("palette.now") : "", "", [this, kind] {
                         spec::WorkloadSpec changed = state_->history.spec();
                         spec::choose_workload(kind, changed);
                         state_->history.set(changed);
                       }});
  }
}

void Workspace::add_settings(const views::Ui& ui, std::vector<PaletteEntry>& entries) {
  const spec::WorkloadSpec& spec = state_->history.spec();
  for (const spec::FieldRow& row : spec::field_rows()) {
    // Workloads are listed with their presets, cards with their sizes.
    if (row.field == Field::target_gpu || row.field == Field::workload) continue;
    const std::string now = spec::field_text(spec, row.field);
    const std::string reason = reason_words(ui, spec, row.field);
    const auto choices = spec::field_choices(row.field);
    for (const char* const choice : choices) {
      entries.push_back({std::string(row.name) + "=" + choice, setting_words(ui, row.field, choice),
                         now == choice ? ui.texts("palette.now") : "", reason,
                         [this, name = row.name, choice] {
                           spec::WorkloadSpec changed = state_->history.spec();
                           if (spec::set_field(changed, name, choice)) state_->history.set(changed);
                         }});
    }
    if (!choices.empty()) continue;
    PaletteEntry entry{
        row.name,
        ui.texts("palette.type", {{"name", views::field_words(ui.texts, row.field)}}),
        now,
        reason,
        {}};
    entry.completes = std::string(row.name) + "=";
    entries.push_back(std::move(entry));
  }
}

void Workspace::add_presets(const views::Ui& ui, std::vector<PaletteEntry>& entries) {
  // Presets of the current workload come first: "preset small" then finds the one of this workload.
  const spec::WorkloadKind now = state_->history.spec().workload;
  for (const bool present : {true, false}) {
    for (const spec::Preset& preset : spec::presets()) {
      if ((preset.workload == now) != present) continue;
      const std::string workload = to_string(preset.workload);
      const std::string name = ui.texts("controls.workload." + workload) + std::string(" ") +
                               views::preset_words(ui.texts, preset);
      entries.push_back({"preset " + workload + " " + preset.id,
                         ui.texts("palette.preset", {{"name", name}}),
                         views::preset_source_words(ui.texts, preset), "", [this, &preset] {
                           spec::WorkloadSpec changed = state_->history.spec();
                           spec::apply_preset(preset, changed);
                           state_->history.set(changed);
                         }});
    }
  }
}

void Workspace::add_cards(const views::Ui& ui, std::vector<PaletteEntry>& entries) {
  for (const spec::Gpu& card : session_->gpus().gpus()) {
    entries.push_back({"target_gpu " + card.name, ui.texts("palette.card", {{"name", card.name}}),
                       text::bytes(card.memory_bytes).joined(), "", [this, name = card.name] {
                         spec::WorkloadSpec changed = state_->history.spec();
                         changed.target_gpu = name;
                         state_->history.set(changed);
                       }});
  }
}

void Workspace::add_looks(const views::Ui& ui, std::vector<PaletteEntry>& entries) {
  for (int i = 0; i < text::kLanguageCount; ++i) {
    const auto language = static_cast<text::Language>(i);
    const std::string code = text::language_code(language);
    entries.push_back(
        {"language " + code,
         ui.texts("palette.language", {{"code", kLanguageNames[static_cast<std::size_t>(i)]}}), "",
         "", [this, language] { state_->preferences.language = language; }});
  }
  for (const float scale : kScales) {
    const std::string words = text::decimal(static_cast<double>(scale) * 100, 0);
    entries.push_back({"scale " + words, ui.texts("menu.scale", {{"percent", words}}), "", "",
                       [this, scale] { state_->preferences.scale = scale; }});
  }
}

void Workspace::draw_palette(const views::Ui& ui, Requests& requests) {
  palette_.draw(ui, [&](std::string_view typed) {
    std::vector<PaletteEntry> entries;
    add_typed_setting(ui, typed, entries);
    for (const ActionRow& row : action_rows()) {
      if (row.action == Action::palette) continue;
      const std::string id = row.id;
      entries.push_back({id, ui.texts(row.what), keys_of(row), why_not(row.action),
                         [this, &row, &requests] { perform(row.action, requests); }});
    }
    add_workloads(ui, entries);
    add_settings(ui, entries);
    add_presets(ui, entries);
    add_cards(ui, entries);
    add_looks(ui, entries);
    return entries;
  });
}

}  // namespace ts::app

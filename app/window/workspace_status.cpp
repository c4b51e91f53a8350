// The status bar, and the bar that offers a restart.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <span>
#include <utility>

#include "app/session/memory_use.h"
#include "app/window/workspace.h"
#include "core/base/clock.h"
#include "core/report/recording_notes.h"
#include "core/text/numbers.h"
#include "views/charts/icons.h"
#include "views/charts/labels.h"
#include "views/charts/stale_mark.h"
#include "views/common/ids.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_words.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

using views::TextStyle;

constexpr ImGuiWindowFlags kStatusFlags = ImGuiWindowFlags_NoScrollbar |
                                          ImGuiWindowFlags_NoSavedSettings |
                                          ImGuiWindowFlags_NoScrollWithMouse;

}  // namespace

// Only while a run is shown after which the GPU does not respond any more.
void Workspace::draw_restart_bar(const views::Ui& ui, Requests& requests) {
  const run::Run* const run = session_->run();
  if (run == nullptr || !run->failure.restart) return;
  const auto& t = *texts_;
  const float height = ui.px(44);
  if (ImGui::BeginViewportSideBar(views::ids::kRestartBar, ImGui::GetMainViewport(), ImGuiDir_Up,
                                  height, kStatusFlags)) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 origin = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    sink.fill({origin.x, origin.y + height - 1, origin.x + width, origin.y + height},
              ui.theme.line);
    const char* const icon = "\xef\x81\xb1";  // warning triangle
    const float y = origin.y + (height - sink.text_height(TextStyle::body_medium)) / 2;
    float x = origin.x + ui.px(16);
    sink.text({x, y}, TextStyle::body_medium, ui.theme.bad, icon);
    x += sink.text_width(TextStyle::body_medium, icon) + ui.px(10);
    const char* const sentence = t("restart.sentence");
    sink.text({x, y}, TextStyle::body_medium, ui.theme.text, sentence);
    x += sink.text_width(TextStyle::body_medium, sentence) + ui.px(16);
    ImGui::SetCursorScreenPos({x, origin.y + (height - ImGui::GetFrameHeight()) / 2});
    requests.restart =
        views::button(ui, "###restart", "", t("restart.button"), "", views::ButtonKind::primary);
    views::tooltip(ui, t("restart.tooltip"));
  }
  ImGui::End();
}

// The devices of this machine, the processor first; else the reason why there are none.
std::string Workspace::device_names() const {
  const auto& t = *texts_;
  const run::EngineInfo* engine = session_->engine();
  if (engine == nullptr || engine->devices.empty()) {
    return t(session_->engine_problem().empty() ? "bar.loading" : "bar.no_engine");
  }
  std::string names;
  for (const run::DeviceInfo& device : engine->devices) {
    if (device.unavailable.empty()) names += (names.empty() ? "" : "  ·  ") + device.name;
  }
  return names;
}

// The reason why a working device does not record its kernels; empty if there is nothing to report.
std::string Workspace::kernels_not_recorded() const {
  const run::EngineInfo* engine = session_->engine();
  if (engine == nullptr) return {};
  for (const run::DeviceInfo& device : engine->devices) {
    if (device.unavailable.empty() && !device.not_recorded.empty())
      return views::message_words(*texts_, device.not_recorded);
  }
  return {};
}

// The keys of a lecture, and what they do now.
std::vector<std::pair<std::string, std::string>> Workspace::projector_keys() const {
  const auto& t = *texts_;
  const bool busy = session_->busy();
  const char* start = "status.key.run";
  if (state_->page == Page::sweep) start = "status.key.sweep";
  if (state_->page == Page::compare) start = "status.key.compare";
  std::vector<std::pair<std::string, std::string>> keys;
  for (const auto& [action, words] :
       {std::pair{busy ? Action::stop : Action::start, busy ? "status.key.stop" : start},
        std::pair{Action::live, "status.key.live"},
        std::pair{Action::settings, "status.key.settings"},
        std::pair{Action::projector, "status.key.projector"}}) {
    if (action == Action::settings && !has_form()) continue;
    keys.emplace_back(keys_of(action_row(action)), t(words));
  }
  return keys;
}

namespace {

using KeysAndWords = std::span<const std::pair<std::string, std::string>>;

constexpr float kKeyGap = 6, kKeysGap = 24;  // at scale 1

float width_of(const views::DrawSink& sink, const views::Ui& ui, KeysAndWords keys) {
  float width = 0;
  for (const auto& [key, words] : keys) {
    width += sink.text_width(TextStyle::small, key) + ui.px(kKeyGap) +
             sink.text_width(TextStyle::small, words) + ui.px(kKeysGap);
  }
  return std::max(0.0F, width - ui.px(kKeysGap));
}

void draw_keys(views::DrawSink& sink, const views::Ui& ui, KeysAndWords keys, float x, float y) {
  for (const auto& [key, words] : keys) {
    sink.text({x, y}, TextStyle::small, ui.theme.text, key);
    x += sink.text_width(TextStyle::small, key) + ui.px(kKeyGap);
    sink.text({x, y}, TextStyle::small, ui.theme.text2, words);
    x += sink.text_width(TextStyle::small, words) + ui.px(kKeysGap);
  }
}

}  // namespace

void Workspace::draw_status_bar(const views::Ui& ui) {
  const float height = ui.px(26);
  if (ImGui::BeginViewportSideBar(views::ids::kStatusBar, ImGui::GetMainViewport(), ImGuiDir_Down,
                                  height, kStatusFlags)) {
    const auto& t = *texts_;
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 origin = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    sink.fill({origin.x, origin.y, origin.x + width, origin.y + 1}, ui.theme.line);
    const float y = origin.y + (height - sink.text_height(TextStyle::small)) / 2;
    float x = origin.x + ui.px(16);
    const run::Run* run = session_->run();
    // The settings of the run's figures, if they differ from the current ones.
    const std::string settings = run != nullptr
                                     ? views::difference_words(t, run->spec, state_->history.spec())
                                     : std::string();
    bool faint = false;
    const auto pair = [&](const std::string& label, const std::string& value, bool value_first) {
      const std::string& first = value_first ? value : label;
      const std::string& second = value_first ? label : value;
      const views::Color strong = faint ? ui.theme.text3 : ui.theme.text;
      const views::Color weak = faint ? ui.theme.text3 : ui.theme.text2;
      sink.text({x, y}, TextStyle::small, value_first ? strong : weak, first);
      x += sink.text_width(TextStyle::small, first) + ui.px(4);
      sink.text({x, y}, TextStyle::small, value_first ? weak : strong, second);
      x += sink.text_width(TextStyle::small, second) + ui.px(20);
    };
    if (!settings.empty()) {
      const std::string words = views::stale_words(t, settings);
      const ImVec2 size{sink.text_width(TextStyle::small, words),
                        sink.text_height(TextStyle::small)};
      sink.text({x, y}, TextStyle::small, ui.theme.warn, words);
      ImGui::SetCursorScreenPos({x, y});
      ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop | ImGuiItemFlags_NoNav, true);
      ImGui::InvisibleButton("###status_stale", size);
      ImGui::PopItemFlag();
      views::tooltip(ui, t("status.stale_hint"));
      x += size.x + ui.px(20);
      faint = true;
    }
    if (run != nullptr) {
      const std::uint64_t events = run->trace.slice_count() + run->memory.events().size();
      pair(t("status.events"), text::grouped(static_cast<std::int64_t>(events)), true);
      // Notes that limit the trust in the pictures stand out and give the reason.
      std::string notes;
      for (const base::Message& note : report::recording_notes(*run)) {
        notes += (notes.empty() ? "" : "\n") + t(note.key, note.arguments);
      }
      const float notes_x = x;
      const auto marked = [&](const char* label, const std::string& value, bool warn) {
        if (!warn) return pair(label, value, false);
        const std::string words = std::string(views::icon::kWarning) + "  " + label + " " + value;
        sink.text({x, y}, TextStyle::small, ui.theme.warn, words);
        x += sink.text_width(TextStyle::small, words) + ui.px(20);
      };
      marked(t("status.dropped"), text::grouped(static_cast<std::int64_t>(run->dropped)),
             run->dropped > 0);
      if (const auto cost = run->recording_cost()) {
        marked(t("status.overhead"), views::recording_cost_words(*cost, t).joined(),
               report::recording_is_costly(*run));
      }
      if (!notes.empty()) {
        ImGui::SetCursorScreenPos({notes_x, y});
        ImGui::Dummy({x - notes_x, sink.text_height(TextStyle::small)});
        views::tooltip(ui, notes);
      }
    }
    // The prediction is for the current settings.
    faint = false;
    if (const predict::Outlook* outlook = session_->predictions().outlook();
        outlook != nullptr && outlook->target != nullptr && !shows_file()) {
      const auto nanoseconds = static_cast<double>(outlook->target->run.duration_ns);
      pair(t("status.prediction"), text::duration_ns(nanoseconds).joined(), false);
    }
    if (const std::string why = kernels_not_recorded(); !why.empty()) {
      const char* words = t("status.not_recorded");
      const float words_width = sink.text_width(TextStyle::small, words);
      sink.text({x, y}, TextStyle::small, ui.theme.warn, words);
      ImGui::SetCursorScreenPos({x, y});
      ImGui::Dummy({words_width, sink.text_height(TextStyle::small)});
      views::tooltip(ui, why);
      x += words_width + ui.px(20);
    }
    if (!state_->preferences.set_aside.empty()) {
      const char* words = t("status.set_aside");
      const float words_width = sink.text_width(TextStyle::small, words);
      sink.text({x, y}, TextStyle::small, ui.theme.warn, words);
      ImGui::SetCursorScreenPos({x, y});
      const ImVec2 size(words_width, sink.text_height(TextStyle::small));
      if (ImGui::InvisibleButton("###set_aside", size)) state_->preferences.set_aside.clear();
      views::tooltip(
          ui, t("status.set_aside_hint", {{"path", state_->preferences.set_aside.string()}}));
      x += words_width + ui.px(20);
    }
    const float left_end = x;
    std::string right;
    right += text::decimal(static_cast<double>(ImGui::GetIO().Framerate), 0) + " fps";
    const std::string memory =
        std::string(t("status.app_memory")) + " " + text::bytes(resident_bytes()).joined();
    const float right_width = sink.text_width(TextStyle::small, memory) + ui.px(16);
    const float right_x = origin.x + width - right_width;
    sink.text({right_x, y}, TextStyle::small, ui.theme.text2, memory);
    if (show_frame_rate_) {
      sink.text({right_x - ui.px(20) - sink.text_width(TextStyle::small, right), y},
                TextStyle::small, ui.theme.text2, right);
    }
    const float room = right_x - ui.px(90) - left_end;
    if (base::now_ns() >= note_until_ns_ && state_->preferences.projector) {
      auto keys = projector_keys();
      // The key to leave is the last entry and is dropped last.
      while (keys.size() > 1 && width_of(sink, ui, keys) > room) keys.erase(keys.begin());
      const float keys_width = width_of(sink, ui, keys);
      const float keys_x = std::clamp(origin.x + (width - keys_width) / 2, left_end,
                                      std::max(left_end, left_end + room - keys_width));
      if (keys_width <= room) draw_keys(sink, ui, keys, keys_x, y);
    }
    if (base::now_ns() < note_until_ns_) {
      const float note_width = sink.text_width(TextStyle::small, note_);
      const float middle = origin.x + (width - note_width) / 2;
      sink.push_clip({left_end, origin.y, right_x - ui.px(90), origin.y + height});
      sink.text({std::max(left_end, middle), y}, TextStyle::small, ui.theme.text, note_);
      sink.pop_clip();
    }
  }
  ImGui::End();
}

}  // namespace ts::app

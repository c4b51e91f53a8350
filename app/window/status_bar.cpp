#include "app/window/status_bar.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <span>

#include "core/checks/comparison_checks.h"
#include "core/report/recording_notes.h"
#include "core/text/numbers.h"
#include "views/charts/icons.h"
#include "views/charts/labels.h"
#include "views/charts/stale_mark.h"
#include "views/common/ids.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

using views::TextStyle;

using KeyHints = std::span<const std::pair<std::string, std::string>>;

constexpr float kKeyGap = 6, kKeysGap = 24;  // at scale 1

// The RAM of this process in bytes (resident set), from the system.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

float width_of(const views::DrawSink& sink, const views::Ui& ui, KeyHints keys) {
  float width = 0;
  for (const auto& [key, words] : keys) {
    width += sink.text_width(TextStyle::small, key) + ui.px(kKeyGap) +
             sink.text_width(TextStyle::small, words) + ui.px(kKeysGap);
  }
  return std::max(0.0F, width - ui.px(kKeysGap));
}

void draw_keys(views::DrawSink& sink, const views::Ui& ui, KeyHints keys, float x, float y) {
  for (const auto& [key, words] : keys) {
    sink.text({x, y}, TextStyle::small, ui.theme.text, key);
    x += sink.text_width(TextStyle::small, key) + ui.px(kKeyGap);
    sink.text({x, y}, TextStyle::small, ui.theme.text2, words);
    x += sink.text_width(TextStyle::small, words) + ui.px(kKeysGap);
  }
}

}  // namespace

struct StatusBar::Line {
  const views::Ui& ui;
  views::ImGuiSink sink;
  float x = 0, y = 0;
  bool faint = false;  // figures of other settings

  void add(views::Color color, const std::string& words, float gap) {
    sink.text({x, y}, TextStyle::small, color, words);
    x += sink.text_width(TextStyle::small, words) + ui.px(gap);
  }
  void label_and_value(const std::string& label, const std::string& value) {
    add(faint ? ui.theme.text3 : ui.theme.text2, label, 4);
    add(faint ? ui.theme.text3 : ui.theme.text, value, 20);
  }
  // With a tooltip. `pressable`: the keyboard reaches it, too; true when it was pressed.
  bool warning(const char* id, const std::string& words, const std::string& tip,
               bool pressable = false) {
    const ImVec2 at{x, y};
    const ImVec2 size{sink.text_width(TextStyle::small, words), sink.text_height(TextStyle::small)};
    add(ui.theme.warn, words, 20);
    ImGui::SetCursorScreenPos(at);
    ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop | ImGuiItemFlags_NoNav, !pressable);
    const bool pressed = ImGui::InvisibleButton(id, size);
    ImGui::PopItemFlag();
    views::tooltip(ui, tip);
    return pressed;
  }
};

// The reason why a working device does not record its kernels; empty if there is nothing to report.
std::string StatusBar::kernels_not_recorded() const {
  const run::EngineInfo* engine = services_.session.engine();
  if (engine == nullptr) return {};
  for (const run::DeviceInfo& device : engine->devices) {
    if (device.unavailable.empty() && !device.not_recorded.empty())
      return views::message_text(services_.texts, device.not_recorded);
  }
  return {};
}

// The keys of a lecture, and what they do now.
std::vector<std::pair<std::string, std::string>> StatusBar::projector_keys() const {
  const bool busy = services_.session.busy();
  const char* start = "status.key.run";
  if (services_.state.page == Page::sweep) start = "status.key.sweep";
  if (services_.state.page == Page::compare) start = "status.key.compare";
  std::vector<std::pair<std::string, std::string>> keys;
  if (actions_->presenter().demo()) {
    for (const auto& [action, words] :
         {std::pair{Action::demo_back, "status.key.demo_back"},
          std::pair{Action::blank, "status.key.blank"}, std::pair{Action::hold, "status.key.hold"},
          std::pair{Action::enlarge, "status.key.enlarge"},
          std::pair{Action::demo_next, "status.key.demo_next"}})
      keys.emplace_back(actions_->keys_of(action_row(action)), services_.texts(words));
    return keys;
  }
  for (const auto& [action, words] :
       {std::pair{busy ? Action::stop : Action::start, busy ? "status.key.stop" : start},
        std::pair{Action::live, "status.key.live"},
        std::pair{Action::settings, "status.key.settings"},
        std::pair{Action::projector, "status.key.projector"}}) {
    if (action == Action::settings && !pages_->current().has_form()) continue;
    keys.emplace_back(actions_->keys_of(action_row(action)), services_.texts(words));
  }
  return keys;
}

void StatusBar::draw_run(Line& line) const {
  const run::Run* const run = services_.session.run();
  // An opened file and a lesson tell their own figures.
  const bool of_page = !pages_->shows_file() && services_.state.page != Page::lessons;
  if (run == nullptr || !of_page) return;
  const auto& t = services_.texts;
  // The settings of the run's figures, if they differ from the current ones.
  const std::string settings = views::difference_text(t, run->spec, services_.state.history.spec());
  line.faint = !settings.empty();
  if (line.faint)
    line.warning("###status_stale", views::stale_text(t, settings), t("status.stale_hint"));
  const std::uint64_t events = run->trace.slice_count() + run->memory.events().size();
  line.add(line.faint ? line.ui.theme.text3 : line.ui.theme.text, text::grouped(events), 4);
  line.add(line.faint ? line.ui.theme.text3 : line.ui.theme.text2, t("status.events"), 20);
  // Notes that limit the trust in the pictures stand out and give the reason.
  std::string notes;
  for (const base::Message& note : report::recording_notes(*run)) {
    notes += (notes.empty() ? "" : "\n") + t(note.key, note.arguments);
  }
  const float notes_x = line.x;
  const auto marked = [&](const char* label, const std::string& value, bool warn) {
    if (!warn) return line.label_and_value(label, value);
    line.add(line.ui.theme.warn, std::string(views::icon::kWarning) + "  " + label + " " + value,
             20);
  };
  marked(t("status.dropped"), text::grouped(run->dropped), run->dropped > 0);
  if (const auto cost = run->recording_cost()) {
    marked(t("status.overhead"), views::recording_cost_text(*cost, t).joined(),
           report::recording_is_costly(*run));
  }
  if (notes.empty()) return;
  ImGui::SetCursorScreenPos({notes_x, line.y});
  ImGui::Dummy({line.x - notes_x, line.sink.text_height(TextStyle::small)});
  views::tooltip(line.ui, notes);
}

// The checks of the run on screen, if its settings are the current ones. On the page of lessons: of
// the newest run, if it is a lesson's. On the page of A and B: of their comparison.
std::vector<report::CheckResult> StatusBar::checks_on_screen(bool stale) {
  const Session& session = services_.session;
  if (pages_->shows_file()) return {};
  if (services_.state.page == Page::compare) {
    const run::Comparison* const comparison = session.comparison();
    return comparison == nullptr ? std::vector<report::CheckResult>()
                                 : checks::of_comparison(*comparison, false);
  }
  const bool lesson = services_.state.page == Page::lessons;
  const run::Run* const run = lesson ? session.current() : session.run();
  if (run == nullptr || stale || (lesson && run->id == services_.state.own_run)) return {};
  return checks_.of(*run, session.strings());
}

// How many checks have passed.
void StatusBar::draw_checks(Line& line) {
  const std::vector<report::CheckResult> checks = checks_on_screen(line.faint);
  if (checks.empty()) return;
  const auto& t = services_.texts;
  const std::size_t passed = views::passed_checks(checks);
  const std::size_t told = views::answered_checks(checks);
  const std::string words =
      t("status.checks", {{"passed", std::to_string(passed)}, {"count", std::to_string(told)}});
  if (passed == told) return line.add(line.ui.theme.text2, words, 20);
  line.warning("###checks", std::string(views::icon::kWarning) + "  " + words,
               views::unpassed_text(t, checks));
}

void StatusBar::draw_warnings(Line& line) const {
  const auto& t = services_.texts;
  if (actions_->presenter().hold)
    line.warning("###held", t("status.held"),
                 t("status.held_hint", {{"key", action_row(Action::hold).keys}}));
  if (const std::string why = kernels_not_recorded(); !why.empty()) {
    line.warning("###not_recorded", t("status.not_recorded"), why);
  }
  std::filesystem::path& set_aside = services_.state.preferences.set_aside;
  if (set_aside.empty()) return;
  const std::string tip = t("status.set_aside_hint", {{"path", set_aside.string()}});
  if (line.warning("###set_aside", t("status.set_aside"), tip, true)) set_aside.clear();
}

// The sentence for the user, or the keys for a lecture.
void StatusBar::draw_middle(Line& line, float end) const {
  const float start = line.x;
  const float room = end - start;
  const ImVec2 origin = ImGui::GetWindowPos();
  const float middle = origin.x + ImGui::GetWindowWidth() / 2;
  if (const std::string* const sentence = services_.notices.sentence()) {
    const float width = line.sink.text_width(TextStyle::small, *sentence);
    line.sink.push_clip({start, origin.y, end, origin.y + ImGui::GetWindowHeight()});
    line.sink.text({std::max(start, middle - width / 2), line.y}, TextStyle::small,
                   line.ui.theme.text, *sentence);
    line.sink.pop_clip();
    return;
  }
  if (!services_.state.preferences.projector) return;
  auto keys = projector_keys();
  // The key to leave is the last entry and is dropped last.
  while (keys.size() > 1 && width_of(line.sink, line.ui, keys) > room) keys.erase(keys.begin());
  const float width = width_of(line.sink, line.ui, keys);
  const float x = std::clamp(middle - width / 2, start, std::max(start, start + room - width));
  if (width <= room) draw_keys(line.sink, line.ui, keys, x, line.y);
}

void StatusBar::draw(const views::Ui& ui, bool frame_rate) {
  const float height = ui.px(26);
  if (ImGui::BeginViewportSideBar(views::ids::kStatusBar, ImGui::GetMainViewport(), ImGuiDir_Down,
                                  height, kStripFlags)) {
    const auto& t = services_.texts;
    const ImVec2 origin = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    Line line{ui, {*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale}};
    line.sink.fill({origin.x, origin.y, origin.x + width, origin.y + 1}, ui.theme.line);
    line.x = origin.x + ui.px(16);
    line.y = origin.y + (height - line.sink.text_height(TextStyle::small)) / 2;
    draw_run(line);
    draw_checks(line);
    // The prediction is for the current settings.
    line.faint = false;
    if (const predict::Outlook* outlook = services_.session.predictions().outlook();
        outlook != nullptr && outlook->target != nullptr && !pages_->shows_file()) {
      const auto nanoseconds = static_cast<double>(outlook->target->run.duration_ns);
      line.label_and_value(t("status.prediction"), text::duration_ns(nanoseconds).joined());
    }
    draw_warnings(line);
    const std::string memory =
        std::string(t("status.app_memory")) + " " + text::bytes(resident_bytes()).joined();
    const float right =
        origin.x + width - line.sink.text_width(TextStyle::small, memory) - ui.px(16);
    line.sink.text({right, line.y}, TextStyle::small, ui.theme.text2, memory);
    if (frame_rate) {
      const std::string rate =
          text::decimal(static_cast<double>(ImGui::GetIO().Framerate), 0) + " fps";
      line.sink.text({right - ui.px(20) - line.sink.text_width(TextStyle::small, rate), line.y},
                     TextStyle::small, ui.theme.text2, rate);
    }
    draw_middle(line, right - ui.px(90));
  }
  ImGui::End();
}

}  // namespace ts::app

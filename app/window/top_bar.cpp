#include "app/window/top_bar.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "app/session/catalogue.h"
#include "app/session/languages.h"
#include "core/text/numbers.h"
#include "views/common/ids.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

using views::TextStyle;

struct Menu {
  const char* id;
  const char* key;
};
constexpr std::array<Menu, 4> kMenus = {{{"###menu_file", "menu.file"},
                                         {"###menu_run", "menu.run"},
                                         {"###menu_view", "menu.view"},
                                         {"###menu_help", "menu.help"}}};
constexpr const char* kProgram = "Tensorscope";
constexpr const char* kBars = "\xef\x83\x89";
constexpr const char* kPlay = "\xef\x81\x8b";
constexpr const char* kStopIcon = "\xef\x81\x8d";
// At scale 1.
constexpr float kHeight = 44;
constexpr float kName = 46;      // where the program's name begins
constexpr float kQuiet = 18;     // of a button besides its text, with the gap behind
constexpr float kLabelled = 44;  // of one with icon and text, besides them
constexpr float kIconOnly = 36;

void draw_logo(const views::Ui& ui, views::ImGuiSink& sink, float x, float y) {
  // A step signal, as a profiler draws one.
  const float u = ui.px(4);
  const std::array<views::Point, 8> points = {{{x, y + 2 * u},
                                               {x + u, y + 2 * u},
                                               {x + u, y},
                                               {x + 2 * u, y},
                                               {x + 2 * u, y + 4 * u},
                                               {x + 3 * u, y + 4 * u},
                                               {x + 3 * u, y + 2 * u},
                                               {x + 4 * u, y + 2 * u}}};
  sink.polyline(points, ui.theme.accent, ui.px(2));
}

}  // namespace

void TopBar::draw_menu_items(const views::Ui& ui, const char* id, Requests& requests) {
  const auto& t = services_.texts;
  Preferences& preferences = services_.state.preferences;
  const auto items = [&](std::initializer_list<Action> actions) {
    for (const Action action : actions) draw_action(ui, action, requests);
  };
  const std::string_view menu = id;
  if (menu == "###menu_file") {
    items({Action::open});
    draw_recent_menu(ui, requests);
    items({Action::compare_with});
    ImGui::Separator();
    items({Action::save, Action::save_session, Action::save_page, Action::save_prediction,
           Action::copy_script, Action::picture, Action::save_folder});
    ImGui::Separator();
    items({Action::reset_settings, Action::quit});
  } else if (menu == "###menu_run") {
    items({Action::start, Action::stop, Action::live, Action::check_values});
    draw_runs_menu(ui);
    ImGui::Separator();
    items({Action::undo, Action::redo});
    ImGui::Separator();
    items({Action::note, Action::notes});
  } else if (menu == "###menu_view") {
    items({Action::page_run, Action::page_sweep, Action::page_hunt, Action::page_compare,
           Action::page_lessons});
    ImGui::Separator();
    items({Action::dark, Action::light});
    ImGui::Separator();
    for (const float scale : kScales) {
      const std::string percent = text::decimal(static_cast<double>(scale) * 100, 0);
      const std::string words =
          t("menu.scale", {{"percent", percent}}) + "###menu_scale_" + percent;
      if (ImGui::MenuItem(words.c_str(), nullptr, preferences.scale == scale)) {
        preferences.scale = scale;
      }
    }
    items({Action::larger, Action::smaller});
    ImGui::Separator();
    items({Action::operators, Action::trace_difference, Action::agreement, Action::projector,
           Action::settings, Action::reset_layout});
    ImGui::Separator();
    draw_demo_menu(ui);
    items({Action::demo_next, Action::demo_back, Action::blank, Action::hold, Action::enlarge});
    ImGui::Separator();
    items({Action::next_panel, Action::previous_panel});
  } else {
    items({Action::palette, Action::advisor, Action::cluster, Action::ranks, Action::loader,
           Action::trees, Action::calculators, Action::simulations, Action::steppers,
           Action::kernels, Action::glossary, Action::shortcuts});
  }
}

void TopBar::draw_menus(const views::Ui& ui, Requests& requests) {
  const bool open =
      std::ranges::any_of(kMenus, [](const Menu& menu) { return ImGui::IsPopupOpen(menu.id); });
  for (const Menu& menu : kMenus) {
    const bool pressed = views::text_button(ui, menu.id, menu.key, views::ButtonKind::quiet);
    // Once one is open, the mouse opens the others.
    const bool reached =
        open && !ImGui::IsPopupOpen(menu.id) &&
        ImGui::IsMouseHoveringRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), false);
    if (pressed || reached) ImGui::OpenPopup(menu.id);
    const ImVec2 below{ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.px(4)};
    ImGui::SetNextWindowPos(below);
    views::padded_popup(menu.id, ui.px(8), [&] { draw_menu_items(ui, menu.id, requests); });
    ImGui::SameLine(0, ui.px(2));
  }
}

// Draws the menus behind one button, if the bar has no room for them.
void TopBar::draw_one_menu(const views::Ui& ui, Requests& requests) {
  constexpr const char* kMenu = "###menus";
  if (views::button(ui, kMenu, kBars, "", "", views::ButtonKind::quiet)) ImGui::OpenPopup(kMenu);
  ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.px(4)});
  views::padded_popup(kMenu, ui.px(8), [&] {
    for (const Menu& menu : kMenus) {
      const std::string words = services_.texts(menu.key) + std::string(menu.id);
      if (!ImGui::BeginMenu(words.c_str())) continue;
      draw_menu_items(ui, menu.id, requests);
      ImGui::EndMenu();
    }
  });
  ImGui::SameLine(0, ui.px(2));
}

void TopBar::draw_action(const views::Ui& ui, Action action, Requests& requests) {
  const ActionRow& row = action_row(action);
  const std::string words = services_.texts(row.name) + std::string("###menu_") + row.id;
  const std::string reason = actions_->why_not(action);
  if (ImGui::MenuItem(words.c_str(), actions_->keys_of(row).c_str(), actions_->is_on(action),
                      reason.empty())) {
    actions_->perform(action, requests);
  }
  views::tooltip(ui, reason);
}

// The runs that were kept, the newest first.
void TopBar::draw_runs_menu(const views::Ui& ui) {
  const auto& t = services_.texts;
  const auto& runs = services_.session.kept_runs().all();
  const std::string name = t("menu.runs") + std::string("###menu_runs");
  if (!ImGui::BeginMenu(name.c_str(), !runs.empty())) {
    if (runs.empty()) views::tooltip(ui, t("command.why.no_runs"));
    return;
  }
  for (std::size_t i = runs.size(); i-- > 0;) {
    const run::Run& run = *runs[i].run;
    const std::string words =
        views::short_settings(t, run.spec) + "###kept_run_" + std::to_string(i);
    const run::TimingSummary timing = run.timing();
    const std::string time =
        timing.n > 0 ? text::duration_ns(timing.median_ms * 1e6).joined() : t("hunt.legend.oom");
    if (ImGui::MenuItem(words.c_str(), time.c_str(), &run == services_.session.run()))
      actions_->show_run(runs[i].run);
  }
  ImGui::EndMenu();
}

// A missing file is shown as missing.
void TopBar::draw_recent_menu(const views::Ui& ui, Requests& requests) {
  const std::string reason = actions_->why_not(Action::clear_recent);
  const std::string name = services_.texts("menu.recent") + std::string("###menu_recent");
  const bool open = ImGui::BeginMenu(name.c_str(), reason.empty());
  if (!open) {
    views::tooltip(ui, reason);
    return;
  }
  const std::vector<ListedFile>& recent = actions_->recent_files();
  for (std::size_t i = 0; i < recent.size(); ++i) {
    const bool missing = recent[i].kind == FileKind::missing;
    const std::string words = recent_name(recent[i].path) + "###recent_file_" + std::to_string(i);
    if (ImGui::MenuItem(words.c_str(), missing ? services_.texts("file.kind.missing") : nullptr,
                        false, !missing)) {
      actions_->open_recent(recent[i].path);
    }
    views::tooltip(ui, recent[i].path.string());
  }
  ImGui::Separator();
  draw_action(ui, Action::clear_recent, requests);
  ImGui::EndMenu();
}

void TopBar::draw_demo_menu(const views::Ui& ui) {
  const std::string name = services_.texts("menu.demos") + std::string("###menu_demos");
  if (!ImGui::BeginMenu(name.c_str())) return;
  Presenter& presenter = actions_->presenter();
  const auto& demos = built_in_demos();
  for (std::size_t i = 0; i < demos.size(); ++i) {
    const std::string words =
        demos[i].title.in(services_.texts.language()) + "###demo_" + demos[i].id;
    const std::string reason = presenter.why_not(i);
    if (ImGui::MenuItem(words.c_str(), WindowActions::keys_of_demo(i).c_str(),
                        presenter.demo() == i, reason.empty())) {
      presenter.show(i);
    }
    views::tooltip(ui, reason);
  }
  ImGui::EndMenu();
}

void TopBar::draw_page_tabs(const views::Ui& ui) {
  ImGui::SameLine(0, ui.px(12));
  for (const Page page : kPages) {
    const ActionRow& row = action_row(action_of(page));
    const std::string id = std::string("###") + row.id;
    if (views::text_button(ui, id.c_str(), row.name, views::ButtonKind::quiet))
      services_.state.page = page;
    if (services_.state.page == page) {
      const ImVec2 low = ImGui::GetItemRectMin();
      const ImVec2 high = ImGui::GetItemRectMax();
      ImGui::GetWindowDrawList()->AddRectFilled({low.x, high.y + ui.px(5)},
                                                {high.x, high.y + ui.px(7)}, ui.theme.accent);
    }
    ImGui::SameLine(0, ui.px(2));
  }
}

const char* TopBar::run_key() const {
  // On the pages of A against B and of lessons the key belongs to their own button.
  const Page page = services_.state.page;
  return page == Page::compare || page == Page::lessons ? ""
         : services_.session.busy()                     ? "Esc"
                                                        : services_.texts("common.space");
}

// The estimate for the current settings, as long as no measured run tells the time.
std::optional<report::RunEstimate> TopBar::estimate() const {
  const Session& session = services_.session;
  if (services_.state.page != Page::run || pages_->shows_file()) return std::nullopt;
  const run::Run* const run = session.busy() ? session.current() : nullptr;
  if (session.busy() && (run == nullptr || run->seconds_left >= 0)) return std::nullopt;
  const spec::WorkloadSpec& spec = run != nullptr ? run->spec : services_.state.history.spec();
  const run::Roof* const roof = session.roof_of(spec);
  if (roof == nullptr) return std::nullopt;
  const auto estimate = report::estimate_run(spec, run::Protocol(), *roof);
  return estimate && estimate->is_long() ? estimate : std::nullopt;
}

// "Run", "Run, about 4 min".
std::string TopBar::run_text() const {
  const auto& t = services_.texts;
  std::string words = services_.session.busy() ? t("bar.stop") : t("bar.run");
  const auto takes = estimate();
  if (!takes) return words;
  return t("bar.run_takes",
           {{"run", words}, {"time", views::message_text(t, report::time_text(*takes))}});
}

BarParts TopBar::parts_of(const views::Ui& ui, const std::string& device) const {
  const auto& t = services_.texts;
  const views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const auto words = [&](const char* label) {
    return sink.text_width(TextStyle::body_medium, label);
  };
  BarParts parts;
  parts.unit = ui.px(1);
  parts.logo = ui.px(kName);
  parts.name = sink.text_width(TextStyle::body_strong, kProgram) + ui.px(20);
  for (const Menu& menu : kMenus) parts.menus += words(t(menu.key)) + ui.px(kQuiet);
  parts.one_menu = sink.text_width(TextStyle::body, kBars) + ui.px(kQuiet);
  parts.pages = ui.px(12);
  for (const Page page : kPages)
    parts.pages += words(t(action_row(action_of(page)).name)) + ui.px(kQuiet);
  parts.run = words(run_text().c_str()) + sink.text_width(TextStyle::small, run_key()) +
              sink.text_width(TextStyle::body, kPlay) + ui.px(40 + 16);
  parts.live = ui.px(36 + 16) + sink.text_width(TextStyle::body, t("bar.live"));
  const char* const language =
      kLanguageNames[static_cast<std::size_t>(services_.state.preferences.language)];
  const float gaps = ui.px(8 + 8 + 16);
  parts.labelled = words(language) + words(t("bar.projector")) + ui.px(2 * kLabelled) + gaps;
  parts.icons = ui.px(2 * kIconOnly) + gaps;
  // Device and target do not apply to a file.
  const bool of_run = !pages_->shows_file();
  if (of_run) parts.device = sink.text_width(TextStyle::body, device) + ui.px(36 + 16);
  parts.target = of_run && !services_.frame.projector();
  parts.gap = ui.px(16);
  // On a projector a lecture needs the pages; the menus are for the person at the machine.
  parts.one_menu_only = services_.state.preferences.projector;
  return parts;
}

// The devices of this machine, the processor first; else the reason why there are none.
std::string TopBar::device_names() const {
  const auto& t = services_.texts;
  const run::EngineInfo* engine = services_.session.engine();
  if (engine == nullptr || engine->devices.empty()) {
    return t(services_.session.engine_problem().empty() ? "bar.loading" : "bar.no_engine");
  }
  std::string names;
  for (const run::DeviceInfo& device : engine->devices) {
    if (device.unavailable.empty()) names += (names.empty() ? "" : "  ·  ") + device.name;
  }
  return names;
}

// The names of all devices if there is room, else their number.
std::string TopBar::short_device_names() const {
  const run::EngineInfo* const engine = services_.session.engine();
  if (engine == nullptr) return device_names();
  const auto count = std::ranges::count_if(
      engine->devices, [](const run::DeviceInfo& one) { return one.unavailable.empty(); });
  return count > 1 ? services_.texts("bar.devices", {{"count", text::grouped(count)}})
                   : device_names();
}

void TopBar::draw(const views::Ui& ui, Requests& requests) {
  const float height = ui.px(kHeight);
  ImGuiViewport* viewport = ImGui::GetMainViewport();
  if (ImGui::BeginViewportSideBar(views::ids::kTopBar, viewport, ImGuiDir_Up, height,
                                  kStripFlags)) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 origin = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    std::string device = device_names();
    BarParts parts = parts_of(ui, device);
    BarPlan plan = plan_bar(parts, width);
    if (!plan.device && parts.device > 0) {
      device = short_device_names();
      parts = parts_of(ui, device);
      plan = plan_bar(parts, width);
    }
    sink.fill({origin.x, origin.y + height - 1, origin.x + width, origin.y + height},
              ui.theme.line);
    draw_logo(ui, sink, origin.x + ui.px(16), origin.y + height / 2 - ui.px(8));
    const float top = (height - ui.px(28)) / 2;
    float menus = parts.logo;
    if (plan.name) {
      sink.text({origin.x + menus, origin.y + (height - sink.text_height(TextStyle::body)) / 2},
                TextStyle::body_strong, ui.theme.text, kProgram);
      menus += parts.name;
    }
    ImGui::SetCursorPos({menus, top});
    plan.menus ? draw_menus(ui, requests) : draw_one_menu(ui, requests);
    draw_page_tabs(ui);
    float total = parts.run + parts.live + (plan.labels ? parts.labelled : parts.icons);
    total += plan.target > 0 ? plan.target + parts.gap : 0;
    total += plan.device ? parts.device : 0;
    ImGui::SetCursorPos({std::max(ImGui::GetCursorPosX(), width - total), top});
    draw_run_and_live(ui, parts);
    if (plan.target > 0) {
      ImGui::SameLine(0, parts.gap);
      ImGui::SetCursorPosY(top);
      views::draw_target_select(services_.contexts.controls(ui), plan.target);
      views::tooltip(ui, services_.texts("bar.target_hint"));
    }
    if (plan.device && parts.device > 0) {
      ImGui::SameLine(0, parts.gap);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float y = origin.y + (height - sink.text_height(TextStyle::body)) / 2;
      sink.text({at.x, y}, TextStyle::body, ui.theme.text2, "\xef\x8b\x9b");
      sink.text({at.x + ui.px(24), y}, TextStyle::body, ui.theme.text2, device);
      ImGui::Dummy({parts.device - parts.gap, ui.px(24)});
      views::tooltip(ui, device_names());
    }
    ImGui::SameLine(0, ui.px(8));
    ImGui::SetCursorPosY(top);
    draw_language_and_projector(ui, plan.labels);
  }
  ImGui::End();
}

void TopBar::draw_run_and_live(const views::Ui& ui, const BarParts& parts) {
  const auto& t = services_.texts;
  const bool busy = services_.session.busy();
  if (views::button(ui, busy ? views::ids::kStop : views::ids::kRun, busy ? kStopIcon : kPlay,
                    run_text(), run_key(), views::ButtonKind::primary, parts.run - ui.px(16))) {
    busy ? services_.session.cancel() : pages_->current().start();
  }
  if (const auto takes = estimate())
    views::tooltip(ui, views::message_text(t, report::estimate_text(*takes)));
  ImGui::SameLine(0, ui.px(16));
  ImGui::SetCursorPosY((ui.px(kHeight) - ui.px(24)) / 2);
  views::toggle(ui, views::ids::kLive, t("bar.live"), services_.state.preferences.live,
                parts.live - ui.px(16));
}

// `labels`: with text; else the tooltips have it.
void TopBar::draw_language_and_projector(const views::Ui& ui, bool labels) {
  Preferences& preferences = services_.state.preferences;
  const std::string name = kLanguageNames[static_cast<std::size_t>(preferences.language)];
  const std::string projector = services_.texts("bar.projector");
  const auto pressed = [&](const char* id, const char* icon, const std::string& words,
                           views::ButtonKind kind) {
    const views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const float width = labels ? sink.text_width(TextStyle::body_medium, words) + ui.px(kLabelled)
                               : ui.px(kIconOnly);
    const bool is = views::button(ui, id, icon, labels ? words : std::string(), "", kind, width);
    if (!labels) views::tooltip(ui, words);
    return is;
  };
  if (pressed(views::ids::kLanguage, "\xef\x86\xab", name, views::ButtonKind::quiet))
    ImGui::OpenPopup("###languages");
  ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.px(4)});
  views::padded_popup("###languages", ui.px(8), [&] {
    for (int i = 0; i < text::kLanguageCount; ++i) {
      const auto one = static_cast<text::Language>(i);
      const std::string id = std::string("###language_") + text::language_code(one);
      if (views::list_row(ui, id.c_str(), kLanguageNames[static_cast<std::size_t>(i)],
                          text::language_code(one), one == preferences.language)) {
        preferences.language = one;
        ImGui::CloseCurrentPopup();
      }
    }
  });
  ImGui::SameLine(0, ui.px(8));
  if (pressed(views::ids::kProjector, "\xef\x8e\x90", projector,
              preferences.projector ? views::ButtonKind::on : views::ButtonKind::quiet))
    preferences.projector = !preferences.projector;
}

}  // namespace ts::app

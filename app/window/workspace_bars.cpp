// The top bar, its menus and the sheet of shortcuts.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "app/session/languages.h"
#include "app/window/workspace.h"
#include "core/text/numbers.h"
#include "views/common/ids.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

using views::TextStyle;

constexpr ImGuiWindowFlags kBarFlags = ImGuiWindowFlags_NoScrollbar |
                                       ImGuiWindowFlags_NoSavedSettings |
                                       ImGuiWindowFlags_NoScrollWithMouse;

constexpr std::array<const char*, 4> kMenus = {"###menu_file", "###menu_run", "###menu_view",
                                               "###menu_help"};
constexpr std::array<float, 7> kScales = {0.75F, 1, 1.25F, 1.5F, 2, 2.5F, 3};

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

void Workspace::draw_menus(const views::Ui& ui, Requests& requests) {
  const auto& t = *texts_;
  Preferences& preferences = state_->preferences;
  const auto items = [&](std::initializer_list<Action> actions) {
    for (const Action action : actions) draw_action(ui, action, requests);
  };
  const bool open =
      std::ranges::any_of(kMenus, [](const char* id) { return ImGui::IsPopupOpen(id); });
  const auto menu = [&](const char* id, const char* key, auto draw_items) {
    const bool pressed = views::button(ui, id, "", t(key), "", views::ButtonKind::quiet);
    // Once one is open the others follow the mouse.
    const bool reached =
        open && !ImGui::IsPopupOpen(id) &&
        ImGui::IsMouseHoveringRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), false);
    if (pressed || reached) ImGui::OpenPopup(id);
    const ImVec2 below{ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.px(4)};
    ImGui::SetNextWindowPos(below);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(8), ui.px(8)));
    if (ImGui::BeginPopup(id)) {
      draw_items();
      ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
    ImGui::SameLine(0, ui.px(2));
  };
  menu("###menu_file", "menu.file", [&] {
    items({Action::open, Action::picture});
    ImGui::Separator();
    items({Action::reset_settings, Action::quit});
  });
  menu("###menu_run", "menu.run", [&] {
    items({Action::start, Action::stop, Action::live});
    ImGui::Separator();
    items({Action::undo, Action::redo});
  });
  menu("###menu_view", "menu.view", [&] {
    items({Action::page_run, Action::page_sweep, Action::page_hunt, Action::page_compare});
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
    items({Action::operators, Action::agreement, Action::projector, Action::reset_layout});
    ImGui::Separator();
    items({Action::next_panel, Action::previous_panel});
  });
  menu("###menu_help", "menu.help", [&] {
    items({Action::palette, Action::glossary, Action::shortcuts});
  });
}

void Workspace::draw_action(const views::Ui& ui, Action action, Requests& requests) {
  const ActionRow& row = action_row(action);
  const std::string words = (*texts_)(row.name) + std::string("###menu_") + row.id;
  const std::string reason = why_not(action);
  if (ImGui::MenuItem(words.c_str(), keys_of(row).c_str(), is_on(action), reason.empty())) {
    perform(action, requests);
  }
  views::tooltip(ui, reason);
}

void Workspace::draw_top_bar(const views::Ui& ui, Requests& requests, bool has_target_field) {
  const float height = ui.px(44);
  ImGuiViewport* viewport = ImGui::GetMainViewport();
  if (ImGui::BeginViewportSideBar(views::ids::kTopBar, viewport, ImGuiDir_Up, height, kBarFlags)) {
    Preferences& preferences = state_->preferences;
    const auto& t = *texts_;
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 origin = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    sink.fill({origin.x, origin.y + height - 1, origin.x + width, origin.y + height},
              ui.theme.line);
    draw_logo(ui, sink, origin.x + ui.px(16), origin.y + height / 2 - ui.px(8));
    sink.text({origin.x + ui.px(46), origin.y + (height - sink.text_height(TextStyle::body)) / 2},
              TextStyle::body_strong, ui.theme.text, "Tensorscope");
    const float top = (height - ui.px(28)) / 2;
    ImGui::SetCursorPos(
        {ui.px(46) + sink.text_width(TextStyle::body_strong, "Tensorscope") + ui.px(20), top});
    draw_menus(ui, requests);
    draw_page_tabs(ui);
    const float menus_end = ImGui::GetCursorPosX();

    // From the right end to the left, as far as there is room.
    const auto label_width = [&](const char* words) {
      return sink.text_width(TextStyle::body_medium, words);
    };
    const char* run_label = session_->busy() ? t("bar.stop") : t("bar.run");
    // On the page of A against B the key compares, and its button says so.
    const bool compares = state_->page == Page::compare && session_->files().current() == nullptr;
    const char* run_key = compares ? "" : session_->busy() ? "Esc" : t("common.space");
    const char* language = kLanguageNames[static_cast<std::size_t>(preferences.language)];
    const float run_width = label_width(run_label) + sink.text_width(TextStyle::small, run_key) +
                            sink.text_width(TextStyle::body, "\xef\x81\x8b") + ui.px(40);
    const float live_width = ui.px(36) + sink.text_width(TextStyle::body, t("bar.live"));
    const float language_width = label_width(language) + ui.px(44);
    const float projector_width = label_width(t("bar.projector")) + ui.px(44);
    std::string device = device_names();
    // A file has no target.
    const bool wants_target = session_->files().current() == nullptr && !has_target_field;
    const float bare_width =
        run_width + live_width + language_width + projector_width + ui.px(16 * 4);
    float target_width = 0;
    for (const float at_scale_1 : {200.F, 132.F, 100.F}) {
      const float tried = ui.px(at_scale_1);
      if (wants_target && target_width == 0 && menus_end + bare_width + tried + ui.px(16) < width)
        target_width = tried;
    }
    // All by name where there is room, else how many.
    const float other_width =
        run_width + live_width + language_width + projector_width + target_width;
    const float device_room = width - menus_end - other_width - ui.px(16 * 5 + 36);
    const std::string all_devices = device;
    if (sink.text_width(TextStyle::body, device) > device_room && session_->engine() != nullptr) {
      const auto count =
          std::ranges::count_if(session_->engine()->devices,
                                [](const run::DeviceInfo& one) { return one.unavailable.empty(); });
      device = count > 1 ? t("bar.devices", {{"count", text::grouped(count)}}) : device;
    }
    const float device_width = sink.text_width(TextStyle::body, device) + ui.px(36);
    float total = bare_width + (target_width > 0 ? target_width + ui.px(16) : 0);
    // A file was not made by this machine's devices.
    const bool show_device = session_->files().current() == nullptr &&
                             menus_end + total + device_width + ui.px(16) < width;
    if (show_device) total += device_width + ui.px(16);
    ImGui::SetCursorPos({std::max(menus_end, width - total), top});
    if (views::button(ui, session_->busy() ? views::ids::kStop : views::ids::kRun,
                      session_->busy() ? "\xef\x81\x8d" : "\xef\x81\x8b", run_label, run_key,
                      views::ButtonKind::primary, run_width)) {
      if (session_->busy()) {
        session_->cancel();
      } else {
        start();
      }
    }
    ImGui::SameLine(0, ui.px(16));
    ImGui::SetCursorPosY((height - ui.px(24)) / 2);
    views::toggle(ui, views::ids::kLive, t("bar.live"), preferences.live, live_width);
    if (target_width > 0) {
      ImGui::SameLine(0, ui.px(16));
      ImGui::SetCursorPosY(top);
      views::draw_target_select(controls(ui), target_width);
      views::tooltip(ui, t("bar.target_hint"));
    }
    if (show_device) {
      ImGui::SameLine(0, ui.px(16));
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float y = origin.y + (height - sink.text_height(TextStyle::body)) / 2;
      sink.text({at.x, y}, TextStyle::body, ui.theme.text2, "\xef\x8b\x9b");
      sink.text({at.x + ui.px(24), y}, TextStyle::body, ui.theme.text2, device);
      ImGui::Dummy({device_width, ui.px(24)});
      views::tooltip(ui, all_devices);
    }
    ImGui::SameLine(0, ui.px(8));
    ImGui::SetCursorPosY(top);
    if (views::button(ui, views::ids::kLanguage, "\xef\x86\xab", language, "",
                      views::ButtonKind::quiet, language_width)) {
      ImGui::OpenPopup("###languages");
    }
    ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(8), ui.px(8)));
    if (ImGui::BeginPopup("###languages")) {
      for (int i = 0; i < text::kLanguageCount; ++i) {
        const auto one = static_cast<text::Language>(i);
        const std::string id = std::string("###language_") + text::language_code(one);
        if (views::list_row(ui, id.c_str(), kLanguageNames[static_cast<std::size_t>(i)],
                            text::language_code(one), one == preferences.language)) {
          preferences.language = one;
          ImGui::CloseCurrentPopup();
        }
      }
      ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
    ImGui::SameLine(0, ui.px(8));
    if (views::button(ui, views::ids::kProjector, "\xef\x8e\x90", t("bar.projector"), "",
                      views::ButtonKind::quiet, projector_width)) {
      preferences.projector = !preferences.projector;
    }
  }
  ImGui::End();
}

// Over the panels: a table wants their whole width.
void Workspace::draw_sheet(const views::Ui& ui, const char* title, const char* id, bool& open,
                           const std::function<void()>& draw) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({viewport->WorkSize.x * 0.86F, viewport->WorkSize.y * 0.8F},
                           ImGuiCond_Appearing);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(20), ui.px(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  const std::string words = std::string((*texts_)(title)) + id;
  if (ImGui::Begin(words.c_str(), &open,
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings)) {
    draw();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void Workspace::draw_shortcuts(const views::Ui& ui) {
  struct Shortcut {
    std::string keys;
    const char* what;
  };
  // What the mouse is over takes these: they are no commands of the window.
  std::vector<Shortcut> shortcuts = {
      {"Enter", "shortcut.press"},
      {"Tab", "shortcut.tab"},
      {"\xe2\x86\x90 / \xe2\x86\x92", "shortcut.arrows"},
      {"\xe2\x86\x90 \xe2\x86\x91 \xe2\x86\x92 \xe2\x86\x93", "shortcut.chart_arrows"},
      {"W / S", "shortcut.zoom"},
      {"A / D", "shortcut.pan"},
      {"F", "shortcut.fit"},
      {"M", "shortcut.mark"},
      {"/", "shortcut.search"},
      {ui.texts("shortcut.box_zoom_keys"), "shortcut.box_zoom"},
      {"Ctrl+C", "shortcut.copy"}};
  for (const ActionRow& row : action_rows()) {
    if (*row.keys != '\0') shortcuts.push_back({keys_of(row), row.what});
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(24), ui.px(20)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.surface2);
  if (ImGui::Begin("###shortcuts", &show_shortcuts_,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize |
                       ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings)) {
    views::text(ui, TextStyle::body_strong, ui.theme.text, (*texts_)("shortcut.title"));
    ImGui::Dummy({0, ui.px(6)});
    // In two columns: a single one would be higher than a small window.
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ui.px(10), ui.px(2)));
    if (ImGui::BeginTable("keys", 4, ImGuiTableFlags_SizingFixedFit)) {
      const std::size_t rows = (shortcuts.size() + 1) / 2;
      for (std::size_t i = 0; i < rows * 2; ++i) {
        const std::size_t at = i / 2 + (i % 2) * rows;
        ImGui::TableNextColumn();
        if (at < shortcuts.size())
          views::text(ui, TextStyle::mono, ui.theme.accent, shortcuts[at].keys);
        ImGui::TableNextColumn();
        if (at < shortcuts.size())
          views::text(ui, TextStyle::body, ui.theme.text, (*texts_)(shortcuts[at].what));
      }
      ImGui::EndTable();
    }
    ImGui::PopStyleVar();
    const bool outside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
    if (outside) show_shortcuts_ = false;
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace ts::app

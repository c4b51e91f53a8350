// The top bar, its menus and the sheet of shortcuts.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>

#include "app/workspace.h"
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

// Each language is named in itself, so that it is found by who needs it.
constexpr std::array<const char*, text::kLanguageCount> kLanguageNames = {
    "English", "\xe7\xae\x80\xe4\xbd\x93\xe4\xb8\xad\xe6\x96\x87",
    "\xe7\xb9\x81\xe9\xab\x94\xe4\xb8\xad\xe6\x96\x87"};

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

void Workspace::draw_menus(const views::Ui& ui, Wishes& wishes) {
  const auto& t = *texts_;
  Preferences& preferences = state_->preferences;
  const auto item = [&](const char* key, const char* id, const char* shortcut, bool enabled,
                        bool checked = false) {
    return ImGui::MenuItem((std::string(t(key)) + id).c_str(), shortcut, checked, enabled);
  };
  const auto menu = [&](const char* id, const char* key, auto draw_items) {
    if (views::button(ui, id, "", t(key), "", views::ButtonKind::quiet)) ImGui::OpenPopup(id);
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
    if (item("menu.open", "###menu_open", "Ctrl+O", true)) ask_for_file_ = true;
    if (item("menu.picture", "###menu_picture", "F12", true)) wishes.picture = true;
    ImGui::Separator();
    if (item("menu.quit", "###menu_quit", "Ctrl+Q", true)) wishes.quit = true;
  });
  menu("###menu_run", "menu.run", [&] {
    if (item("menu.start", "###menu_start", (*texts_)("common.space"), true)) start();
    if (item("menu.stop", "###menu_stop", "Esc", session_->busy())) session_->cancel();
    if (item("menu.live", "###menu_live", "L", true, preferences.live)) {
      preferences.live = !preferences.live;
    }
    ImGui::Separator();
    if (item("menu.undo", "###menu_undo", "Ctrl+Z", state_->history.can_undo())) {
      state_->history.undo();
    }
    if (item("menu.redo", "###menu_redo", "Ctrl+Shift+Z", state_->history.can_redo())) {
      state_->history.redo();
    }
  });
  menu("###menu_view", "menu.view", [&] {
    const bool dark = preferences.theme == views::ThemeKind::dark;
    if (item("menu.dark", "###menu_dark", nullptr, true, dark)) {
      preferences.theme = views::ThemeKind::dark;
    }
    if (item("menu.light", "###menu_light", nullptr, true, !dark)) {
      preferences.theme = views::ThemeKind::light;
    }
    ImGui::Separator();
    for (const float scale : kScales) {
      const std::string percent = text::decimal(static_cast<double>(scale) * 100, 0);
      const std::string words =
          (*texts_)("menu.scale", {{"percent", percent}}) + "###menu_scale_" + percent;
      if (ImGui::MenuItem(words.c_str(), nullptr, preferences.scale == scale)) {
        preferences.scale = scale;
      }
    }
    ImGui::Separator();
    if (item("menu.operators", "###menu_operators", "O", true, show_operators_)) {
      show_operators_ = !show_operators_;
    }
    if (item("menu.agreement", "###menu_agreement", "E", true, state_->view.show_agreement)) {
      state_->view.show_agreement = !state_->view.show_agreement;
    }
    if (item("menu.projector", "###menu_projector", "P", true, preferences.projector)) {
      preferences.projector = !preferences.projector;
    }
    if (item("menu.reset_layout", "###menu_reset_layout", nullptr, true)) {
      ImGui::DockBuilderRemoveNode(dock_id_);
    }
  });
  menu("###menu_help", "menu.help", [&] {
    if (item("menu.shortcuts", "###menu_shortcuts", "?", true)) show_shortcuts_ = true;
  });
}

void Workspace::draw_top_bar(const views::Ui& ui, Wishes& wishes) {
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
    draw_menus(ui, wishes);
    draw_page_tabs(ui);
    const float menus_end = ImGui::GetCursorPosX();

    // From the right end to the left, as far as there is room.
    const auto label_width = [&](const char* words) {
      return sink.text_width(TextStyle::body_medium, words);
    };
    const char* run_label = session_->busy() ? t("bar.stop") : t("bar.run");
    const char* run_key = session_->busy() ? "Esc" : t("common.space");
    const char* language = kLanguageNames[static_cast<std::size_t>(preferences.language)];
    const float run_width = label_width(run_label) + sink.text_width(TextStyle::small, run_key) +
                            sink.text_width(TextStyle::body, "\xef\x81\x8b") + ui.px(40);
    const float live_width = ui.px(36) + sink.text_width(TextStyle::body, t("bar.live"));
    const float language_width = label_width(language) + ui.px(44);
    const float projector_width = label_width(t("bar.projector")) + ui.px(44);
    std::string device = device_names();
    // All by name where there is room, else how many.
    const float other_width = run_width + live_width + language_width + projector_width;
    const float device_room = width - menus_end - other_width - ui.px(16 * 5 + 36);
    const std::string all_devices = device;
    if (sink.text_width(TextStyle::body, device) > device_room && session_->engine() != nullptr) {
      const auto count =
          std::ranges::count_if(session_->engine()->devices,
                                [](const run::DeviceInfo& one) { return one.unavailable.empty(); });
      device = count > 1 ? t("bar.devices", {{"count", text::grouped(count)}}) : device;
    }
    const float device_width = sink.text_width(TextStyle::body, device) + ui.px(36);
    float total = run_width + live_width + language_width + projector_width + ui.px(16 * 4);
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
    const char* keys;
    const char* key;
  };
  constexpr std::array<Shortcut, 19> kShortcuts = {{{"Space", "shortcut.run"},
                                                    {"Esc", "shortcut.cancel"},
                                                    {"L", "shortcut.live"},
                                                    {"P", "shortcut.projector"},
                                                    {"W / S", "shortcut.zoom"},
                                                    {"A / D", "shortcut.pan"},
                                                    {"F", "shortcut.fit"},
                                                    {"M", "shortcut.mark"},
                                                    {"/", "shortcut.search"},
                                                    {"Shift+Drag", "shortcut.box_zoom"},
                                                    {"Ctrl+Z", "shortcut.undo"},
                                                    {"Ctrl+Shift+Z", "shortcut.redo"},
                                                    {"Ctrl+C", "shortcut.copy"},
                                                    {"Ctrl+O", "shortcut.open"},
                                                    {"O", "shortcut.operators"},
                                                    {"E", "shortcut.agreement"},
                                                    {"F12", "shortcut.picture"},
                                                    {"?", "shortcut.sheet"},
                                                    {"Ctrl+Q", "shortcut.quit"}}};
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
    if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
      for (const Shortcut& shortcut : kShortcuts) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        views::text(ui, TextStyle::mono, ui.theme.accent, shortcut.keys);
        ImGui::TableNextColumn();
        views::text(ui, TextStyle::body, ui.theme.text, (*texts_)(shortcut.key));
      }
      ImGui::EndTable();
    }
    const bool outside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
    if (outside) show_shortcuts_ = false;
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace ts::app

// Help to find one's way: glossary, defaults, leftover limits, and files to open.
#include <imgui_internal.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(DrivenWindow, GlossaryIsAKeyAndEveryTermIsBehindItsLabel) {
  drive([](ImGuiTestContext* context) {
    context->KeyPress(ImGuiKey_G);
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###glossary_sheet")->Active);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###glossary_sheet")->Active);
    // Over the name of a slider, left of its track; an earlier test may have scrolled the panel.
    context->ScrollToItemY("//###controls/###slider_T");
    context->Yield(2);
    const ImRect track = context->ItemInfo("//###controls/###slider_T").RectFull;
    context->MouseMoveToPos({track.Min.x - 40, track.GetCenter().y});
    const auto explained = [] {
      for (const ImGuiWindow* const one : ImGui::GetCurrentContext()->Windows) {
        if (one->Active && (one->Flags & ImGuiWindowFlags_Tooltip) != 0) return true;
      }
      return false;
    };
    IM_CHECK(until(context, 20, explained));
  });
}

TEST_F(DrivenWindow, SettingsGoBackToTheDefaults) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.memory_limit = std::int64_t{1} << 30;
    show(spec);
    state().preferences.theme = views::ThemeKind::light;
    state().preferences.scale = 1.25F;
    context->Yield(2);
    context->ItemClick("//###top_bar/###menu_file");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###menu_reset_settings");
    context->Yield(3);
    IM_CHECK(state().history.spec() == default_preferences().spec);
    IM_CHECK(state().preferences.theme == default_preferences().theme);
    IM_CHECK_EQ(state().preferences.scale, default_preferences().scale);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    IM_CHECK(state().history.spec() == spec);
  });
}

TEST_F(DrivenWindow, AMemoryLimitOfLastTimeIsPointedOut) {
  Preferences left = default_preferences();
  left.spec.memory_limit = std::int64_t{600} << 20;
  EXPECT_EQ(WorkspaceState(left).old_limit, std::int64_t{600} << 20);
  EXPECT_EQ(WorkspaceState(default_preferences()).old_limit, 0);
  drive([&](ImGuiTestContext* context) {
    context->Yield(2);
    IM_CHECK(!context->ItemExists("//###limit_bar/###limit_remove"));
    show(left.spec);
    state().old_limit = left.spec.memory_limit;
    context->Yield(3);
    context->ItemClick("//###limit_bar/###limit_remove");
    context->Yield(3);
    IM_CHECK_EQ(state().history.spec().memory_limit, std::int64_t{0});
    IM_CHECK(!context->ItemExists("//###limit_bar/###limit_remove"));
  });
}

TEST_F(DrivenWindow, OpenListsAFolderAndWhatWasOpenedLast) {
  const std::filesystem::path inner = folder() / "to_open" / "inner";
  std::filesystem::create_directories(inner);
  std::ofstream(inner / "one.json") << R"({"segments": [], "device_traces": [[]]})";
  state().preferences.recent_files.clear();
  drive([&](ImGuiTestContext* context) {
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    context->Yield(4);
    context->KeyChars((folder() / "to_open").string().c_str());
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(4);
    // Still open: a folder is gone into.
    IM_CHECK(context->GetWindowByRef("//###open_sheet")->Active);
    const ImGuiID list = context->WindowInfo("//###open_sheet/###open_list").ID;
    context->SetRef(list);
    double_click(context, "###entry_0");
    context->Yield(4);
    context->SetRef(list);
    double_click(context, "###entry_0");
    context->Yield(4);
    IM_CHECK(until(context, 20, [] { return !session().files().loading(); }));
    IM_CHECK(session().files().current() != nullptr);
    IM_CHECK(session().files().current()->path == inner / "one.json");
    IM_CHECK_EQ(state().preferences.recent_files.size(), std::size_t{1});
    // It is the first of those that were opened last, and there is no dialog of the desktop here.
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    context->Yield(4);
    context->SetRef(context->WindowInfo("//###open_sheet/###open_list").ID);
    IM_CHECK(context->ItemExists("###recent_0"));
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
  });
  while (!session().files().entries().empty()) session().files().close(0);
}

// A message tells what was saved, and its button shows the folder on the desktop.
TEST_F(DrivenWindow, ASavedPictureIsShownByTheDesktop) {
  const std::filesystem::path programs = folder() / "programs";
  const std::filesystem::path told = folder() / "told";
  std::filesystem::create_directories(programs);
  std::ofstream(programs / "xdg-open")
      << "#!/bin/sh\nprintf %s \"$1\" > '" << told.string() << ".part' && mv '" << told.string()
      << ".part' '" << told.string() << "'\n";
  std::filesystem::permissions(programs / "xdg-open", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (programs.string() + ":" + path).c_str(), 1);
  drive([&](ImGuiTestContext* context) {
    close_toasts(context);
    context->KeyPress(ImGuiKey_F12);
    context->Yield(4);
    IM_CHECK(context->GetWindowByRef("//###toasts") != nullptr);
    IM_CHECK(context->GetWindowByRef("//###toasts")->Active);
    context->ItemClick("//###toasts/$$0/###toast_show");
    IM_CHECK(until(context, 20, [&] { return std::filesystem::exists(told); }));
    IM_CHECK_STR_EQ(content(told).c_str(), saved().c_str());
    context->ItemClick("//###toasts/$$0/###toast_copy");
    IM_CHECK(std::string(ImGui::GetClipboardText()).starts_with(saved().string()));
    context->ItemClick("//###toasts/$$0/###toast_close");
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###toasts")->Active);
  });
  setenv("PATH", path.c_str(), 1);
  for (const auto& entry : std::filesystem::directory_iterator(saved())) {
    if (entry.path().extension() == ".png") std::filesystem::remove(entry.path());
  }
}

}  // namespace
}  // namespace ts::app::testing

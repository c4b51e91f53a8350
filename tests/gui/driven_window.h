#pragma once

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "app/window/window.h"

namespace ts::app::testing {

// The real window with the real engine, driven by Dear ImGui's test engine. One window for all
// tests of a suite; every test starts from the same small specification and an empty selection.
class DrivenWindow : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  // Runs a script of user actions, frame by frame, until it ends.
  void drive(const std::function<void(ImGuiTestContext*)>& script);

  // Lets frames pass until the condition holds; false after `seconds`.
  static bool until(ImGuiTestContext* context, double seconds,
                    const std::function<bool()>& condition);
  // Presses Space and waits for the end of the run it starts.
  static bool run_to_end(ImGuiTestContext* context, double seconds = 60);

  // Two clicks that count as one double click however long a frame takes.
  static void double_click(ImGuiTestContext* context, const char* item);
  // Clicks an item of the menu that is open inside a menu; false if none is open.
  static bool click_in_child_menu(ImGuiTestContext* context, const char* item);
  // Moves the mouse over a panel, column by column and from its lower edge up, until the condition
  // holds; false if it holds nowhere.
  static bool point_at(ImGuiTestContext* context, const char* panel,
                       const std::function<bool()>& found);
  // Selects with a click a slice of the timeline, or a block of the memory; false if there is none.
  static bool click_a_slice(ImGuiTestContext* context);
  static bool click_a_block(ImGuiTestContext* context);
  // Gives the window another size.
  static void resize(ImGuiTestContext* context, int width, int height);
  // Takes away what says that something was saved.
  static void close_toasts(ImGuiTestContext* context);

  static Window& window();
  static Session& session() { return window().session(); }
  static WorkspaceState& state() { return window().state(); }
  static const std::filesystem::path& folder();
  static std::filesystem::path saved();  // where the window saves, in folder()
  // The files that the program would have been started anew with.
  static const std::vector<std::filesystem::path>& restarted_with();
  static void show(const spec::WorkloadSpec& spec) { state().history.set(spec); }
  // Shows the settings and opens a sheet by its keys once the engine is there.
  static void open_sheet(ImGuiTestContext* context, const spec::WorkloadSpec& spec,
                         ImGuiKeyChord keys);
  static spec::WorkloadSpec small_attention();
  // One whose run takes so long that there is time to do something in the meantime.
  static spec::WorkloadSpec long_attention();
  // There is a Python with torch 2.11, for tests that run scripts.
  static bool has_torch();
  // The prediction for the current settings; null until it is known.
  static const predict::Forecast* prediction();
};

}  // namespace ts::app::testing

// Saving by a key and from the menu, and the place of the files.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

// The newest folder of that kind; empty: none.
std::filesystem::path newest(const std::filesystem::path& parent, const std::string& kind) {
  std::filesystem::path found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(parent, none)) {
    const bool is_one = entry.is_directory() && entry.path().filename().string().starts_with(kind);
    if (is_one) found = std::max(found, entry.path());
  }
  return found;
}

nlohmann::json json_in(const std::filesystem::path& path) {
  const auto content = io::read_file(path);
  const auto json = content ? io::parse_json(*content) : nlohmann::json();
  return json ? *json : nlohmann::json();
}

void click_in_file_menu(ImGuiTestContext* context, const char* item) {
  context->ItemClick("//###top_bar/###menu_file");
  context->Yield(2);
  context->ItemClick(item);
  context->Yield(4);
}

TEST_F(DrivenWindow, AKeySavesTheRunOnScreen) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
    context->Yield(4);
    const std::filesystem::path run = newest(saved(), "run-");
    IM_CHECK(!run.empty());
    for (const char* name : {"run.json", "trace.json", "snapshot.pickle", "operators.csv",
                             "operators.md", "workspace.png", "timeline.png", "memory.png"})
      IM_CHECK(std::filesystem::exists(run / name));
    const nlohmann::json document = json_in(run / "run.json");
    IM_CHECK(document.at("spec") == to_json(session().run()->spec));
    IM_CHECK(context->GetWindowByRef("//###toasts")->Active);
    close_toasts(context);
  });
  std::filesystem::remove_all(saved());
}

// The controls may have moved on: the pictures are of the run that is saved, like its tables.
TEST_F(DrivenWindow, ASavedRunHasThePicturesOfItsOwnSettings) {
  drive([](ImGuiTestContext* context) {
    const auto picture = [context] {
      std::filesystem::remove_all(saved());
      context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
      context->Yield(4);
      const auto content = io::read_file(newest(saved(), "run-") / "memory.png");
      close_toasts(context);
      return content ? *content : std::string();
    };
    IM_CHECK(run_to_end(context));
    IM_CHECK(until(context, 30, [] { return prediction() != nullptr; }));
    const std::string before = picture();
    IM_CHECK(!before.empty());
    spec::WorkloadSpec other = small_attention();
    other.seq_len *= 2;
    other.target_gpu = "RTX 4060";
    show(other);
    IM_CHECK(until(context, 30, [] { return prediction() != nullptr; }));
    IM_CHECK(picture() == before);
    IM_CHECK(state().history.spec() == other);
  });
  std::filesystem::remove_all(saved());
}

// The key obeys the reasons that the menu shows.
TEST_F(DrivenWindow, NothingIsSavedWhileItRunsOrOfAFile) {
  const std::filesystem::path file = folder() / "opened.json";
  std::ofstream(file) << R"({"segments": [], "device_traces": [[]]})";
  std::filesystem::remove_all(saved());
  drive([&](ImGuiTestContext* context) {
    show(long_attention());
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [] { return session().busy() && session().current() != nullptr; }));
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
    context->Yield(2);
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    IM_CHECK(newest(saved(), "run-").empty());
    window().open_files({file});
    IM_CHECK(until(context, 20, [] { return !session().files().loading(); }));
    IM_CHECK(session().files().current() != nullptr);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
    context->Yield(4);
    IM_CHECK(newest(saved(), "run-").empty());
  });
  while (!session().files().entries().empty()) session().files().close(0);
}

TEST_F(DrivenWindow, ThePredictionIsSavedFromTheMenu) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.target_gpu = "RTX 4060";
    show(spec);
    IM_CHECK(until(context, 30, [] { return prediction() != nullptr; }));
    click_in_file_menu(context, "//$FOCUSED/###menu_save_prediction");
    const std::filesystem::path folder = newest(saved(), "prediction-");
    IM_CHECK(!folder.empty());
    for (const char* name : {"predicted_snapshot.pickle", "peak.csv", "peak.md", "accounting.csv",
                             "accounting.md", "workspace.png", "memory.png", "report.html"})
      IM_CHECK(std::filesystem::exists(folder / name));
    const nlohmann::json document = json_in(folder / "prediction.json");
    IM_CHECK(document.at("spec") == to_json(spec));
    IM_CHECK_STR_EQ(document.at("target").at("name").get<std::string>().c_str(), "RTX 4060");
    IM_CHECK_EQ(document.at("needed").get<std::int64_t>(), prediction()->prediction.needed);
    close_toasts(context);
  });
  std::filesystem::remove_all(saved());
}

// The files of that ending in the folder where things are saved.
std::vector<std::filesystem::path> saved_files(const std::filesystem::path& parent,
                                               const std::string& prefix) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(parent)) {
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

TEST_F(DrivenWindow, APanelIsSavedAndCopiedByItsMenu) {
  std::filesystem::remove_all(saved());
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    for (const char* panel : {"//###memory", "//###timeline", "//###inspector"}) {
      const ImGuiWindow* const window = context->GetWindowByRef(panel);
      context->MouseMoveToPos(
          {window->Pos.x + window->Size.x * 0.5F, window->Pos.y + window->Size.y - 12});
      context->MouseClick(ImGuiMouseButton_Right);
      context->Yield(2);
      context->ItemClick("//$FOCUSED/###panel_save");
      context->Yield(4);
      close_toasts(context);
    }
    ImGui::SetClipboardText("");
    const ImGuiWindow* const memory = context->GetWindowByRef("//###memory");
    context->MouseMoveToPos(
        {memory->Pos.x + memory->Size.x * 0.5F, memory->Pos.y + memory->Size.y - 12});
    context->MouseClick(ImGuiMouseButton_Right);
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###panel_copy");
    context->Yield(2);
    IM_CHECK(std::string(ImGui::GetClipboardText()).starts_with("<"));
  });
  const auto memory = saved_files(saved(), "memory-");
  ASSERT_EQ(memory.size(), 2U);
  EXPECT_EQ(memory[0].extension(), ".png");
  EXPECT_EQ(memory[1].extension(), ".svg");
  EXPECT_EQ(saved_files(saved(), "timeline-").size(), 2U);
  EXPECT_EQ(saved_files(saved(), "inspector-").size(), 1U);
  const std::string svg = io::read_file(memory[1]).value_or("");
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_NE(svg.find("Active memory"), std::string::npos);
  EXPECT_EQ(svg.find("<image"), std::string::npos);
  std::filesystem::remove_all(saved());
}

TEST_F(DrivenWindow, OnlyTheChosenPartsAreSaved) {
  drive([](ImGuiTestContext* context) {
    click_in_file_menu(context, "//$FOCUSED/###menu_save_folder");
    context->ItemClick("//###save_folder_sheet/###save_part_trace");
    context->ItemClick("//###save_folder_sheet/###save_part_pictures");
    context->ItemClick("//###save_folder_sheet/###save_part_report");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    IM_CHECK_STR_EQ(state().preferences.save_parts.names().c_str(), "snapshot,tables");
    IM_CHECK(run_to_end(context));
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
    context->Yield(4);
    const std::filesystem::path run = newest(saved(), "run-");
    for (const char* name : {"run.json", "snapshot.pickle", "operators.csv", "operators.md"})
      IM_CHECK(std::filesystem::exists(run / name));
    for (const char* name : {"trace.json", "workspace.png", "timeline.png", "memory.png"})
      IM_CHECK(!std::filesystem::exists(run / name));
    close_toasts(context);
  });
  state().preferences.save_parts = {};
  std::filesystem::remove_all(saved());
}

// The folder is shown as it is, another can be typed, and the default comes back.
TEST_F(DrivenWindow, TheFolderOfWhatIsSavedCanBeChosen) {
  const std::filesystem::path other = folder() / "other place";
  drive([&](ImGuiTestContext* context) {
    click_in_file_menu(context, "//$FOCUSED/###menu_save_folder");
    IM_CHECK(context->GetWindowByRef("//###save_folder_sheet")->Active);
    context->ItemInputValue("//###save_folder_sheet/###save_folder_path", "no whole path");
    context->Yield(2);
    IM_CHECK(state().preferences.save_folder.empty());
    context->ItemInputValue("//###save_folder_sheet/###save_folder_path", other.c_str());
    context->Yield(3);
    IM_CHECK_STR_EQ(state().preferences.save_folder.c_str(), other.c_str());
    IM_CHECK(!context->GetWindowByRef("//###save_folder_sheet")->Active);
    context->KeyPress(ImGuiKey_F12);
    context->Yield(4);
    IM_CHECK(std::filesystem::exists(other));
    IM_CHECK(!std::filesystem::is_empty(other));
    close_toasts(context);
    click_in_file_menu(context, "//$FOCUSED/###menu_save_folder");
    context->ItemClick("//###save_folder_sheet/###save_folder_default");
    context->Yield(3);
    IM_CHECK(state().preferences.save_folder.empty());
  });
  std::filesystem::remove_all(other);
}

// The step as it is set, as text for PyTorch's Python; where there is none, the menu says why.
TEST_F(DrivenWindow, TheStepIsCopiedAsPyTorch) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.seq_len = 77;
    show(spec);
    context->Yield(2);
    ImGui::SetClipboardText("before");
    context->ItemClick("//###top_bar/###menu_file");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###menu_copy_script");
    context->Yield(2);
    const std::string script = ImGui::GetClipboardText();
    IM_CHECK(script.find("\nT = 77\n") != std::string::npos);
    IM_CHECK(script.find("import torch\n") != std::string::npos);
    ImGui::SetClipboardText("before");
    spec.backend = spec::AttentionBackend::tiled;
    show(spec);
    context->Yield(2);
    context->ItemClick("//###top_bar/###menu_file");
    context->Yield(2);
    const ImGuiTestItemInfo item = context->ItemInfo("//$FOCUSED/###menu_copy_script");
    IM_CHECK((item.ItemFlags & ImGuiItemFlags_Disabled) != 0);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    IM_CHECK_STR_EQ(ImGui::GetClipboardText(), "before");
  });
}

}  // namespace
}  // namespace ts::app::testing

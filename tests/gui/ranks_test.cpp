// Ranks in the window: two processes of the program run a small block, their timeline becomes a
// tab; one that is killed is named; Escape ends them, then closes the sheet.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class RanksInTheWindow : public DrivenWindow {
 protected:
  static spec::WorkloadSpec small_block() {
    spec::WorkloadSpec spec;
    spec.workload = spec::WorkloadKind::block;
    spec.pass = spec::Pass::full_step;
    spec.batch = 2;
    spec.seq_len = 16;
    spec.d_model = 64;
    spec.heads = 4;
    spec.d_ff = 128;
    spec.threads = 1;
    return spec;
  }
  // `steps`: as many timed ones.
  static void start(ImGuiTestContext* context, const char* steps,
                    const std::string& shard = "none") {
    open_sheet(context, small_block(), ImGuiMod_Shift | ImGuiKey_R);
    context->ItemClick(("//###ranks_sheet/**/###ranks_shard/" + shard).c_str());
    context->SetRef(context->WindowInfo("//###ranks_sheet/###ranks_choices").ID);
    context->ItemInputValue("###field_timed_steps", steps);
    context->SetRef(ImGuiTestRef());
    context->ItemClick("//###ranks_sheet/**/###ranks_start");
    IM_CHECK(until(context, 60, [&] { return !ended(context); }));
  }
  static bool ended(ImGuiTestContext* context) {
    return context->ItemExists("//###ranks_sheet/**/###ranks_start");
  }
  static std::string copied(ImGuiTestContext* context) {
    ImGui::SetClipboardText("");
    context->ItemClick("//###ranks_sheet/**/###ranks_copy");
    return ImGui::GetClipboardText();
  }
  // The process of a rank that this process started; 0: there is none.
  static pid_t process_of(const std::string& rank) {
    const auto content = [](const std::filesystem::path& path) {
      std::ifstream file(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string launcher = "TENSORSCOPE_LAUNCHER=" + std::to_string(getpid());
      const std::string variables = content(entry.path() / "environ") + '\0';
      if (variables.find(launcher + '\0') == std::string::npos) continue;
      if (variables.find('\0' + ("RANK=" + rank) + '\0') != std::string::npos)
        return std::stoi(name);
    }
    return 0;
  }
  // The peaks of that rank, measured and predicted, stand side by side.
  static void check_peak(const std::string& rows, int rank) {
    const std::string row = "| " + std::to_string(rank) + " | ";
    const std::size_t step = rows.find(row) + row.size();
    const std::size_t peak = rows.find("| ", step) + 2;
    const std::size_t predicted = rows.find("| ", peak) + 2;
    IM_CHECK_STR_EQ(rows.substr(peak, predicted - peak).c_str(),
                    rows.substr(predicted, predicted - peak).c_str());
  }
  static void close(ImGuiTestContext* context) {
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###ranks_sheet")->Active);
  }
};

TEST_F(RanksInTheWindow, TwoRanksTakeWhatIsPredictedAndLeaveOneTimeline) {
  drive([](ImGuiTestContext* context) {
    const std::size_t files = session().files().entries().size();
    start(context, "4");
    IM_CHECK(until(context, 120, [&] { return ended(context); }));
    const std::string rows = copied(context);
    IM_CHECK(rows.find("| 0 | ") != std::string::npos);
    IM_CHECK(rows.find("| 1 | ") != std::string::npos);
    IM_CHECK(rows.find("gloo:all_reduce") != std::string::npos);
    check_peak(rows, 1);
    context->ItemClick("//###ranks_sheet/**/###ranks_timeline");
    IM_CHECK(until(context, 60, [&] {
      const auto& entries = session().files().entries();
      return entries.size() == files + 1 && entries.back().opened != nullptr;
    }));
    IM_CHECK(session().files().entries().back().opened->trace != nullptr);
    IM_CHECK(!context->GetWindowByRef("//###ranks_sheet")->Active);
    session().files().close(files);
  });
}

TEST_F(RanksInTheWindow, RanksDivideWhatIsChosen) {
  drive([](ImGuiTestContext* context) {
    for (const std::string shard : {"zero1", "zero3"}) {
      start(context, "2", shard);
      IM_CHECK(until(context, 120, [&] { return ended(context); }));
      const std::string rows = copied(context);
      check_peak(rows, 0);
      check_peak(rows, 1);
      IM_CHECK((rows.find("gloo:broadcast") != std::string::npos) == (shard == "zero1"));
      IM_CHECK((rows.find("gloo:all_gather") != std::string::npos) == (shard == "zero3"));
      close(context);
    }
  });
}

// A sentence stands in place of a start, and the choice of the test goes back.
TEST_F(RanksInTheWindow, WhatDoesNotGoTogetherIsNotStarted) {
  drive([](ImGuiTestContext* context) {
    open_sheet(context, small_block(), ImGuiMod_Shift | ImGuiKey_R);
    context->ItemClick("//###ranks_sheet/**/###ranks_shard/zero2");
    context->ItemClick("//###ranks_sheet/**/###ranks_compression/bf16");
    context->Yield(2);
    const auto can_start = [&] {
      const ImGuiTestItemInfo info = context->ItemInfo("//###ranks_sheet/**/###ranks_start");
      return (info.ItemFlags & ImGuiItemFlags_Disabled) == 0;
    };
    IM_CHECK(!can_start());
    context->ItemClick("//###ranks_sheet/**/###ranks_compression/none");
    context->Yield(2);
    IM_CHECK(can_start());
    context->ItemClick("//###ranks_sheet/**/###ranks_shard/none");
    close(context);
  });
}

TEST_F(RanksInTheWindow, ARankThatIsKilledIsNamed) {
  drive([](ImGuiTestContext* context) {
    start(context, "1000000");
    IM_CHECK(until(context, 60, [] { return process_of("1") != 0; }));
    const pid_t rank = process_of("1");
    IM_CHECK(rank != 0 && kill(rank, SIGKILL) == 0);
    IM_CHECK(until(context, 120, [&] { return ended(context); }));
    IM_CHECK(copied(context).find("Rank 1 was ended by signal 9") == 0);
    close(context);
  });
}

TEST_F(RanksInTheWindow, EscapeEndsTheRanksThenClosesTheSheet) {
  drive([](ImGuiTestContext* context) {
    start(context, "1000000");
    IM_CHECK(until(context, 60, [] { return process_of("1") != 0; }));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 120, [&] { return ended(context); }));
    IM_CHECK(copied(context).find("Cancelled") == 0);
    IM_CHECK(process_of("0") == 0 && process_of("1") == 0);
    close(context);
  });
}

}  // namespace
}  // namespace ts::app::testing

// Files in the window: opened by path, dropped, bad ones, several beside the run.
#include <imgui_internal.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <memory>
#include <set>
#include <string_view>

#include "app/pages/file_tabs.h"
#include "app/session/languages.h"
#include "core/allocator/snapshot_of_log.h"
#include "core/snapshot/snapshot_write.h"
#include "core/text/message.h"
#include "tests/gui/driven_window.h"
#include "tests/gui/two_streams.h"

namespace ts::app::testing {
namespace {

class FilesInTheWindow : public DrivenWindow {
 protected:
  void TearDown() override {
    while (!session().files().entries().empty()) session().files().close(0);
  }

  // A snapshot of what ran last.
  static std::filesystem::path write_snapshot(const char* name) {
    const auto path = folder() / name;
    const allocator::Snapshot snapshot =
        allocator::snapshot_of(session().run()->memory, session().strings());
    EXPECT_TRUE(snapshot::write_snapshot(path, snapshot, snapshot::snapshot_format_of(path)));
    return path;
  }
  // Clicks inside the window whose name contains `part`, at so many pixels from its corner.
  static bool click_in(ImGuiTestContext* context, const char* part, ImVec2 at) {
    for (const ImGuiWindow* one : ImGui::GetCurrentContext()->Windows) {
      if (!one->Active || std::string(one->Name).find(part) == std::string::npos) continue;
      context->MouseMoveToPos({one->Pos.x + at.x, one->Pos.y + at.y});
      context->MouseClick();
      context->Yield(2);
      return true;
    }
    return false;
  }
  static bool read(ImGuiTestContext* context) {
    return until(context, 20, [] { return !session().files().loading(); });
  }
  // A file of that name and content is open and drawn.
  static bool opens(ImGuiTestContext* context, const char* name, const char* content) {
    const auto path = folder() / name;
    std::ofstream(path) << content;
    window().open_files({path});
    if (!read(context)) return false;
    context->Yield(4);
    return true;
  }
};

TEST_F(FilesInTheWindow, OpenByTypedPathShowsTheRecording) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    const auto path = write_snapshot("typed.pickle");
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    context->Yield(3);
    context->KeyChars(path.string().c_str());
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(2);
    IM_CHECK(read(context));
    const OpenedFiles::Entry* entry = session().files().current();
    IM_CHECK(entry != nullptr && entry->opened != nullptr);
    const files::OpenedDevice& device = entry->opened->devices.at(0);
    IM_CHECK_EQ(device.run.memory.peak_bytes(), session().run()->memory.peak_bytes());
    IM_CHECK(state().view.block_colors ==
             views::BlockColors::category);  // our own files tell the categories
    context->Yield(4);
    // A click on the stack selects a block, whose stack the inspector shows.
    IM_CHECK(click_a_block(context));
    IM_CHECK_NE(device.stacks.at(*state().view.selected_block), memory::kNone);
  });
}

TEST_F(FilesInTheWindow, SegmentsAreSelectableToo) {
  drive([](ImGuiTestContext* context) {
    // One segment of 2 MiB that is taken from end to end: it fills the map.
    IM_CHECK(opens(context, "segments.json",
                   R"({"segments": [{"device": 0, "address": 4096, "total_size": 2097152,
        "blocks": [{"address": 4096, "size": 2097152, "requested_size": 2000000,
                    "state": "active_allocated"}]}], "device_traces": [[]]})"));
    IM_CHECK(state().view.block_colors ==
             views::BlockColors::stack);  // the file tells no categories
    const ImGuiWindow* panel = context->GetWindowByRef("//###timeline");
    context->MouseMoveToPos({panel->Pos.x + panel->Size.x / 2, panel->Pos.y + 110});
    context->MouseClick();
    context->Yield(2);
    IM_CHECK(state().view.selected_block == memory::BlockIndex{0});
  });
}

constexpr const char* kThreeEvents = R"({
    "segments": [{"device": 0, "address": 4096, "total_size": 2097152, "blocks": [
       {"address": 4096, "size": 1048576, "requested_size": 1048576, "state": "active_allocated"},
       {"address": 1052672, "size": 1048576, "requested_size": 0, "state": "inactive"}]}],
    "device_traces": [[
       {"action": "segment_alloc", "addr": 4096, "size": 2097152, "time_us": 10},
       {"action": "alloc", "addr": 4096, "size": 1048576, "time_us": 11,
        "frames": [{"name": "forward", "filename": "/data/model.py", "line": 4}]},
       {"action": "alloc", "addr": 1052672, "size": 700, "time_us": 12,
        "frames": [{"name": "log", "filename": "/data/train.py", "line": 9}]},
       {"action": "free_completed", "addr": 1052672, "size": 700, "time_us": 13}]]})";

// A click on an event goes to its state and selects its block; the keys step on from there.
TEST_F(FilesInTheWindow, TheAllocatorsEventsCanBeSteppedThrough) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(opens(context, "events.json", kThreeEvents));
    IM_CHECK(click_in(context, "###events", {60, 30}));
    context->KeyPress(ImGuiKey_Home);
    context->Yield(2);
    context->KeyPress(ImGuiKey_DownArrow, 2);
    context->Yield(2);
    IM_CHECK(state().view.selected_block == memory::BlockIndex{0});
    IM_CHECK_EQ(state().view.cursor_ns.value_or(0), 11'000);
    context->KeyPress(ImGuiKey_DownArrow);
    context->Yield(2);
    IM_CHECK(state().view.selected_block == memory::BlockIndex{1});
    context->KeyPress(ImGuiKey_UpArrow);
    context->Yield(2);
    IM_CHECK(state().view.selected_block == memory::BlockIndex{0});
  });
}

// A file in front belongs to its page: the others show the memory of the settings.
TEST_F(FilesInTheWindow, OtherPagesAreAboutTheSettings) {
  drive([](ImGuiTestContext* context) {
    const auto memory_of_hunt = [&]() -> int {
      state().page = Page::hunt;
      const bool settled = until(context, 60, [] {
        return prediction() != nullptr && !session().predictions().hunt_busy() &&
               !session().predictions().busy();
      });
      IM_CHECK_RETV(settled, 0);
      context->MouseMoveToPos({4, 4});
      context->Yield(4);
      return context->GetWindowByRef("//###hunt_memory")->DrawList->VtxBuffer.Size;
    };
    const int alone = memory_of_hunt();
    IM_CHECK_GT(alone, 100);
    state().page = Page::run;
    IM_CHECK(opens(context, "events.json", kThreeEvents));
    IM_CHECK_EQ(memory_of_hunt(), alone);
    state().page = Page::run;
  });
}

// Beside the segments of a small window the column that names the operator is not squeezed.
TEST_F(FilesInTheWindow, TheEventsNameTheirOperatorInASmallWindow) {
  drive([](ImGuiTestContext* context) {
    const ImVec2 before = ImGui::GetIO().DisplaySize;
    IM_CHECK(opens(context, "events.json", kThreeEvents));
    resize(context, 1280, 720);
    const ImGuiTable* events = nullptr;
    ImPool<ImGuiTable>& tables = ImGui::GetCurrentContext()->Tables;
    for (int i = 0; i < tables.GetMapSize(); ++i) {
      const ImGuiTable* const one = tables.TryGetMapData(i);
      const bool shown = one != nullptr && one->LastFrameActive >= ImGui::GetFrameCount() - 1;
      if (shown &&
          std::string_view(one->OuterWindow->Name).find("history_events") != std::string_view::npos)
        events = one;
    }
    IM_CHECK(events != nullptr);
    IM_CHECK_EQ(events->ColumnsCount, 4);
    IM_CHECK_GE(events->Columns[3].WidthGiven, 90.0F);
    resize(context, static_cast<int>(before.x), static_cast<int>(before.y));
  });
}

// The memory is the picture of a snapshot: in a small window it has more of the height than below
// the timeline of a run.
TEST_F(FilesInTheWindow, TheMemoryOfASnapshotHasMostOfASmallWindow) {
  drive([](ImGuiTestContext* context) {
    const ImVec2 before = ImGui::GetIO().DisplaySize;
    const auto height = [context] {
      context->Yield(4);
      return context->GetWindowByRef("//###memory")->Size.y / ImGui::GetMainViewport()->WorkSize.y;
    };
    resize(context, 1280, 720);
    const float of_a_run = height();
    IM_CHECK(opens(context, "events.json", kThreeEvents));
    IM_CHECK_GE(height(), 0.61F);
    IM_CHECK_LE(of_a_run, 0.55F);
    IM_CHECK_GE(of_a_run, 0.53F);
    resize(context, static_cast<int>(before.x), static_cast<int>(before.y));
  });
}

// The search field finds blocks by their stacks, and Enter goes from one to the next.
TEST_F(FilesInTheWindow, SearchFindsBlocksByTheirLine) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(opens(context, "events.json", kThreeEvents));
    context->ItemClick("//###timeline/###snapshot_search");
    context->KeyCharsReplaceEnter("train.py");
    context->Yield(2);
    IM_CHECK_STR_EQ(state().view.search.c_str(), "train.py");
    IM_CHECK(state().view.selected_block == memory::BlockIndex{1});
    context->KeyCharsReplaceEnter(">=1MiB");
    context->Yield(2);
    IM_CHECK(state().view.selected_block == memory::BlockIndex{0});
    context->KeyCharsReplaceEnter("");
  });
}

// The table and the flame graph are of the peak; a click selects the largest block of a row.
TEST_F(FilesInTheWindow, TheTableSelectsTheLargestBlockOfALine) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(opens(context, "events.json", kThreeEvents));
    context->ItemClick("//###timeline/###snapshot_tabs/table");
    context->Yield(3);
    IM_CHECK(click_in(context, "###blocks", {100, 50}));  // the second row
    IM_CHECK(state().view.selected_block == memory::BlockIndex{1});
    context->ItemClick("//###timeline/###snapshot_tabs/flame");
    context->Yield(3);
    const ImGuiWindow* panel = context->GetWindowByRef("//###timeline");
    context->MouseMoveToPos({panel->Pos.x + 60, panel->Pos.y + 140});  // model.py
    context->MouseClick();
    context->Yield(2);
    IM_CHECK(state().view.selected_block == memory::BlockIndex{0});
    context->ItemClick("//###timeline/###snapshot_tabs/history");
  });
}

// The other snapshot is opened from the file menu and stays behind; a click on a row picks its
// blocks in both files.
TEST_F(FilesInTheWindow, TwoSnapshotsAreCompared) {
  drive([](ImGuiTestContext* context) {
    const auto other = folder() / "other.json";
    std::string content = kThreeEvents;
    const std::string call = R"("size": 700, "time_us": 12)";
    content.replace(content.find(call), call.size(), R"("size": 4096, "time_us": 12)");
    std::ofstream(other) << content;
    IM_CHECK(opens(context, "events.json", kThreeEvents));
    context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_O);
    context->Yield(3);
    context->KeyCharsReplaceEnter(other.c_str());
    context->Yield(2);
    IM_CHECK(read(context));
    context->Yield(4);
    IM_CHECK_EQ(session().files().entries().size(), std::size_t{2});
    IM_CHECK_EQ(session().files().current_index().value(), std::size_t{0});
    IM_CHECK(click_in(context, "###difference_table", {60, 30}));  // 4096 B that only the other has
    IM_CHECK_EQ(state().view.picks.size(), std::size_t{2});
    IM_CHECK(state().view.picks[0]->blocks == std::vector<memory::BlockIndex>{1});
    IM_CHECK(state().view.picks[1]->blocks.empty());
    IM_CHECK(click_in(context, "###difference_table", {60, 50}));  // 700 B that only this one has
    IM_CHECK(state().view.picks[1]->blocks == std::vector<memory::BlockIndex>{1});
    IM_CHECK(state().view.selected_block == memory::BlockIndex{1});
    context->ItemClick("//###timeline/###snapshot_tabs/history");
  });
}

// Three whole steps, each with a block of "log" that stays.
TEST_F(FilesInTheWindow, WhatGrowsFromStepToStepIsATable) {
  drive([](ImGuiTestContext* context) {
    std::string events;
    std::string marks;
    for (int step = 0; step < 5; ++step) {
      const int time = 100 * step + 10;
      const auto at = [&](int more) { return std::to_string(time + more); };
      events += (step > 0 ? "," : "") +
                (R"({"action": "alloc", "size": 1024, "addr": )" +
                 std::to_string(4096 * (step + 1)) + R"(, "time_us": )" + at(5) +
                 R"(, "frames": [{"name": "log", "filename": "/data/train.py", "line": 9}]})");
      for (const char* const stage : {"START", "END"}) {
        marks += (marks.empty() ? "" : ",") +
                 (R"({"name": "ProfilerStep#)" + std::to_string(step)) + R"(", "stage": ")" +
                 stage + R"(", "device": 0, "time_us": )" + at(stage[0] == 'S' ? 0 : 50) + "}";
      }
    }
    const std::string content = R"({"segments": [], "device_traces": [[)" + events +
                                R"(]], "external_annotations": [)" + marks + "]}";
    IM_CHECK(opens(context, "growth.json", content.c_str()));
    context->ItemClick("//###timeline/###snapshot_tabs/growth");
    context->Yield(3);
    IM_CHECK(click_in(context, "###snapshot_growth", {60, 50}));
    IM_CHECK_EQ(state().view.picks.size(), std::size_t{1});
    IM_CHECK(state().view.picks[0]->blocks == (std::vector<memory::BlockIndex>{0, 1, 2, 3, 4}));
    IM_CHECK(state().view.selected_block == memory::BlockIndex{4});
    context->ItemClick("//###timeline/###snapshot_tabs/history");
  });
}

// The menu of a block says what it holds; Ctrl+Z takes it back.
TEST_F(FilesInTheWindow, ACategoryIsCorrected) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(opens(context, "events.json", kThreeEvents));
    IM_CHECK(point_at(context, "//###memory",
                      [] { return state().view.hovered_block == memory::BlockIndex{0}; }));
    const auto category = [] {
      return session().files().current()->opened->devices[0].run.memory.blocks()[0].category;
    };
    const memory::Category guessed = category();
    IM_CHECK(guessed != memory::Category::gradient);
    context->MouseClick(ImGuiMouseButton_Right);
    context->Yield(3);
    context->ItemClick("//$FOCUSED/###block_is");
    context->Yield(3);
    IM_CHECK(click_in_child_menu(context, "###category_gradient"));
    context->Yield(4);
    IM_CHECK(category() == memory::Category::gradient);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    context->Yield(4);
    IM_CHECK(category() == guessed);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z);
    context->Yield(4);
    IM_CHECK(category() == memory::Category::gradient);
  });
}

TEST_F(FilesInTheWindow, AStreamIsShownAlone) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(opens(context, "streams.json", kTwoStreams));
    const auto peak = [] {
      return session().files().current()->opened->devices.at(0).run.memory.peak_bytes();
    };
    IM_CHECK_EQ(peak(), std::int64_t{1700});
    const auto choose = [&](const char* row) {
      context->ItemClick(row);
      const bool done = read(context);
      context->Yield(4);
      return done;
    };
    IM_CHECK(choose("//###controls/###stream_7"));
    IM_CHECK_EQ(peak(), std::int64_t{1600});
    IM_CHECK(choose("//###controls/###stream_0"));
    IM_CHECK_EQ(peak(), std::int64_t{100});
    IM_CHECK(choose("//###controls/###stream_all"));
    IM_CHECK_EQ(peak(), std::int64_t{1700});
  });
}

TEST_F(FilesInTheWindow, ALargeOneAsksWhichEventsAreRead) {
  drive([](ImGuiTestContext* context) {
    OpenedFiles& files = session().files();
    const std::uint64_t usual = files.asks_above();
    files.ask_above(10);
    IM_CHECK(io::write_file(folder() / "large.json", kTwoStreams).has_value());
    window().open_files({folder() / "large.json"});
    context->Yield(6);
    IM_CHECK(files.current() != nullptr && files.current()->asks.has_value());
    context->ItemInputValue("//###timeline/###range_from", "2");
    context->ItemInputValue("//###timeline/###range_to", "1");
    context->Yield(2);
    const auto open_part = context->ItemInfo("//###timeline/###range_open");
    IM_CHECK((open_part.ItemFlags & ImGuiItemFlags_Disabled) != 0);
    context->ItemInputValue("//###timeline/###range_from", "0");
    context->ItemInputValue("//###timeline/###range_to", "2");
    context->Yield(2);
    context->ItemClick("//###timeline/###range_open");
    IM_CHECK(read(context));
    context->Yield(4);
    const OpenedFiles::Entry* const entry = files.current();
    IM_CHECK(entry != nullptr && entry->opened != nullptr);
    IM_CHECK_EQ(entry->opened->devices.at(0).run.memory.peak_bytes(), std::int64_t{800});
    files.ask_above(usual);
  });
}

// How far the reading is, and Cancel. The reading waits for this test.
TEST_F(FilesInTheWindow, ALongReadingHasABarAndCanBeCancelled) {
  drive([](ImGuiTestContext* context) {
    OpenedFiles& files = session().files();
    std::promise<void> go;
    const std::shared_future<void> goes_on = go.get_future().share();
    files.read_with([goes_on](const std::filesystem::path& path, const files::Opening& opening) {
      opening.progress->part(1);
      opening.progress->reach(40, 100);
      goes_on.wait();
      return opening.progress->cancelled() ? base::Result<std::unique_ptr<files::OpenedFile>>(
                                                 text::fail("file_error.stopped"))
                                           : files::open_file(path, opening);
    });
    IM_CHECK(io::write_file(folder() / "slow.json", kTwoStreams).has_value());
    window().open_files({folder() / "slow.json"});
    const auto bar = [] {
      const ImGuiWindow* const window = ImGui::FindWindowByName("###reading_bar");
      return window != nullptr && window->Active;
    };
    IM_CHECK(until(context, 20, bar));
    const OpenedFiles::Entry* const entry = files.current();
    IM_CHECK(entry != nullptr && entry->loading());
    IM_CHECK_STR_EQ(reading_text(built_in_texts(), *entry).c_str(), "Reading slow.json: 40 %");
    const std::size_t count = files.entries().size();
    context->ItemClick("//###reading_bar/###stop_reading");
    context->Yield(4);
    IM_CHECK_EQ(files.entries().size(), count - 1);
    IM_CHECK(!bar());
    go.set_value();
    IM_CHECK(until(context, 20, [] { return !session().files().loading(); }));
    files.read_with(files::open_file);
  });
}

// Operators, launches and kernels on the timeline of runs, where they can be selected.
TEST_F(FilesInTheWindow, ATraceShowsOnTheTimeline) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(opens(context, "trace.json", R"({"traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 0, "dur": 100}]})"));
    const OpenedFiles::Entry* entry = session().files().current();
    IM_CHECK(entry != nullptr && entry->opened != nullptr && entry->opened->trace != nullptr);
    const run::Run& run = entry->opened->trace->run;
    IM_CHECK_EQ(state().viewed, run.id);
    const ImGuiWindow* panel = context->GetWindowByRef("//###timeline");
    const auto name_of_selected = [&] {
      const auto selected = state().view.selected_slice;
      return selected ? std::string(entry->opened->strings().view(run.trace.slice(*selected).name))
                      : std::string();
    };
    std::set<std::string> names;
    for (float y = 40; y < panel->Size.y - 20; y += 8) {
      context->MouseMoveToPos({panel->Pos.x + panel->Size.x * 0.6F, panel->Pos.y + y});
      context->MouseClick();
      context->Yield(2);
      names.insert(name_of_selected());
    }
    IM_CHECK(names.contains("aten::mm"));
    IM_CHECK(names.contains("gemm"));
    // Its panel names its tables and opens each.
    context->ItemClick("//###controls/###table_kernels");
    context->Yield(2);
    IM_CHECK(state().operators_tab == views::OperatorsTab::kernel);
    IM_CHECK(context->WindowInfo("//###operators_sheet", ImGuiTestOpFlags_NoError).ID != 0);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    context->ItemClick("//###controls/###table_operators");
    context->Yield(2);
    IM_CHECK(state().operators_tab == views::OperatorsTab::op);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    // Nobody says what its memory holds, and it has no stacks.
    IM_CHECK(state().view.block_colors == views::BlockColors::allocation);
  });
}

// A row of the table looks for its slices in the timeline.
TEST_F(FilesInTheWindow, TwoTracesAreCompared) {
  drive([](ImGuiTestContext* context) {
    const auto trace = [](const char* op, int us) {
      const std::string head = R"({"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "name": ")";
      return R"({"traceEvents": [)" + head + R"(aten::mm", "ts": 0, "dur": 100}, )" + head + op +
             R"(", "ts": 200, "dur": )" + std::to_string(us) + "}]}";
    };
    const auto other = folder() / "other_trace.json";
    std::ofstream(other) << trace("aten::relu", 40);
    IM_CHECK(opens(context, "trace.json", trace("aten::gelu", 300).c_str()));
    context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_O);
    context->Yield(3);
    context->KeyCharsReplaceEnter(other.c_str());
    context->Yield(2);
    IM_CHECK(read(context));
    context->Yield(4);
    IM_CHECK_EQ(session().files().current_index().value(), std::size_t{0});
    // The largest difference first: an operator that only this one has.
    IM_CHECK(click_in(context, "/###trace_difference_", {120, 30}));
    IM_CHECK_STR_EQ(state().view.search.c_str(), "aten::gelu");
    IM_CHECK(state().view.selected_slice.has_value());
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    state().view.search.clear();
  });
}

TEST_F(FilesInTheWindow, ABadFileSaysWhyAndCloses) {
  drive([](ImGuiTestContext* context) {
    const auto path = folder() / "bad.pickle";
    std::ofstream(path) << "this is no snapshot";
    const auto worse = folder() / "worse.pickle";
    std::ofstream(worse) << "";
    window().open_files({path, worse});
    IM_CHECK(read(context));
    context->Yield(4);
    const auto& entries = session().files().entries();
    IM_CHECK_EQ(entries.size(), std::size_t{2});
    IM_CHECK(entries[0].problem.sentence.find("bad.pickle") != std::string::npos);
    IM_CHECK(entries[1].problem.sentence.find("worse.pickle") != std::string::npos);
    const std::string tab = "//###file_tabs/###tabs/###file_" + std::to_string(entries[1].id);
    context->TabClose(tab.c_str());
    context->Yield(3);
    IM_CHECK_EQ(session().files().entries().size(), std::size_t{1});
    IM_CHECK_EQ(session().files().current_index().value(), std::size_t{0});
  });
}

// One sentence, and no tab with nothing in it.
TEST_F(FilesInTheWindow, AMissingFileIsSaidAndLeavesTheRecentOnes) {
  drive([](ImGuiTestContext* context) {
    auto& recent = state().preferences.recent_files;
    const std::string gone = (folder() / "gone.pickle").string();
    const auto there = folder() / "there.pickle";
    std::ofstream(there) << "a file";
    recent = {gone, there.string()};
    const std::size_t tabs = session().files().entries().size();
    // In the sheet the sentence stands below the field, which keeps what was typed.
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    context->Yield(3);
    context->KeyCharsReplaceEnter((folder() / "nowhere.pickle").c_str());
    context->Yield(3);
    IM_CHECK(ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
    IM_CHECK_EQ(session().files().entries().size(), tabs);
    // A recent one that is no longer there leaves the list when it is pressed.
    context->SetRef(context->WindowInfo("//###open_sheet/###open_list").ID);
    context->ItemClick("###recent_0");
    context->Yield(3);
    IM_CHECK_EQ(recent.size(), std::size_t{1});
    IM_CHECK_STR_EQ(recent.front().c_str(), there.c_str());
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    // Dropped onto the window, or named on the command line.
    recent = {gone};
    window().open_files({gone});
    context->Yield(3);
    IM_CHECK_EQ(session().files().entries().size(), tabs);
    IM_CHECK(recent.empty());
  });
}

TEST_F(FilesInTheWindow, TheMenuHasTheFilesOpenedLast) {
  drive([](ImGuiTestContext* context) {
    auto& recent = state().preferences.recent_files;
    const auto there = folder() / "there.json";
    std::ofstream(there) << kThreeEvents;
    recent = {(folder() / "gone.pickle").string(), there.string()};
    const auto open_menu = [&] {
      context->ItemClick("//###top_bar/###menu_file");
      context->Yield(2);
      context->ItemClick("//$FOCUSED/###menu_recent");
      context->Yield(2);
    };
    open_menu();
    IM_CHECK(click_in_child_menu(context, "###recent_file_0"));  // not there: nothing happens
    context->Yield(2);
    IM_CHECK(session().files().entries().empty());
    IM_CHECK(click_in_child_menu(context, "###recent_file_1"));
    IM_CHECK(read(context));
    IM_CHECK(session().files().current() != nullptr);
    IM_CHECK_STR_EQ(recent.front().c_str(), there.c_str());
    context->Yield(3);
    open_menu();
    IM_CHECK(click_in_child_menu(context, "###menu_clear_recent"));
    context->Yield(2);
    IM_CHECK(recent.empty());
  });
}

TEST_F(FilesInTheWindow, TabsSwitchAndARunComesToTheFront) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    const auto first = write_snapshot("one.pickle");
    const auto second = write_snapshot("two.pickle");
    window().open_files({first, second});
    IM_CHECK(read(context));
    context->Yield(4);
    IM_CHECK(session().files().current()->path == second);
    const int id = session().files().entries()[0].id;
    context->ItemClick(("//###file_tabs/###tabs/###file_" + std::to_string(id)).c_str());
    context->Yield(3);
    IM_CHECK(session().files().current()->path == first);
    context->ItemClick("//###file_tabs/###tabs/###tab_run");
    context->Yield(3);
    IM_CHECK(session().files().current() == nullptr);
    session().files().choose(std::size_t{1});
    context->Yield(4);
    IM_CHECK(session().files().current()->path == second);
    IM_CHECK(run_to_end(context));
    IM_CHECK(session().files().current() == nullptr);
  });
}

TEST_F(FilesInTheWindow, CopyButtonsFillTheClipboard) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    context->ItemClick("//###inspector/###copy_inspector");
    context->Yield(2);
    IM_CHECK(std::string(ImGui::GetClipboardText()).find("Backend that ran\t") !=
             std::string::npos);
    window().open_files({write_snapshot("copied.pickle")});
    IM_CHECK(read(context));
    context->Yield(4);
    context->ItemClick("//###controls/###copy_file");
    context->Yield(2);
    IM_CHECK(std::string(ImGui::GetClipboardText()).find("copied.pickle") != std::string::npos);
  });
}

}  // namespace
}  // namespace ts::app::testing

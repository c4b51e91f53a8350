// The page of sweeps in the window: points appear, open, are run again, are compared; the file of a
// sweep is taken up again.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "app/session/languages.h"
#include "tests/gui/driven_window.h"
#include "views/sweep/sweep_view.h"

namespace ts::app::testing {
namespace {

class SweepInTheWindow : public DrivenWindow {
 protected:
  void TearDown() override { state().page = Page::run; }

  // Begins the sweep that the page offers, at T = 32 alone.
  static void start_at_one_length(ImGuiTestContext* context) {
    show(small_attention());
    state().sweep_edit.low = state().sweep_edit.high = 32;
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    context->ItemClick("//###sweep_controls/###sweep_start");
  }
};

TEST_F(SweepInTheWindow, ASweepRunsOnItsPageAndAPointOpensItsRun) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    state().sweep_edit.low = 32;
    state().sweep_edit.high = 128;
    context->Yield(2);
    context->ItemClick("//###sweep_controls/###sweep_start");
    IM_CHECK(until(context, 120, [] {
      const sweep::Sweep* sweep = state().sweeps->sweep();
      return sweep != nullptr && sweep->finished();
    }));
    const sweep::Sweep& sweep = *state().sweeps->sweep();
    IM_CHECK_EQ(sweep.count(sweep::PointStatus::ok), std::size_t{6});
    const std::size_t first = sweep.order().front();
    IM_CHECK(state().sweeps->run_of(first) != nullptr);
    const ImGuiWindow* page = context->GetWindowByRef("//###sweep_page");
    // The first row of the table, right under its header.
    context->MouseMoveToPos(
        {page->Pos.x + page->Size.x * 0.5F, page->Pos.y + page->Size.y - 6 * 25 + 4});
    context->MouseClick();
    context->Yield(3);
    IM_CHECK(state().page == Page::run);
    IM_CHECK(session().run() != session().current() ||
             session().run()->spec == session().current()->spec);
    IM_CHECK(session().run()->spec == state().history.spec());
    IM_CHECK(session().run()->finished);
  });
}

TEST_F(SweepInTheWindow, AnExerciseSetsTheControlsAndTheyStayInForce) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    const spec::WorkloadSpec before = state().history.spec();
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    context->ItemClick("//###sweep_controls/###sweep_preset");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###preset_lab6");
    context->Yield(2);
    IM_CHECK_EQ(state().sweep_edit.preset, std::string("lab6"));
    IM_CHECK_EQ(state().history.spec().heads, 12);
    IM_CHECK(!context->ItemExists("//###sweep_controls/###sweep_exercise"));
    spec::WorkloadSpec smaller = state().history.spec();
    smaller.batch = 1;
    smaller.heads = 2;
    show(smaller);
    context->Yield(3);
    IM_CHECK(context->ItemExists("//###sweep_controls/###sweep_exercise"));
    context->ItemClick("//###sweep_controls/###sweep_start");
    IM_CHECK(until(context, 20, [] { return state().sweeps->sweep() != nullptr; }));
    IM_CHECK(state().sweeps->sweep()->spec().base == smaller);
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return state().sweeps->idle() && !session().busy(); }));
    context->ItemClick("//###sweep_controls/###sweep_exercise");
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().heads, 12);
    for (int step = 0; step < 3; ++step) context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    IM_CHECK(state().history.spec() == before);
    state().sweep_edit.preset.clear();
  });
}

TEST_F(SweepInTheWindow, EscapeEndsTheSweepAndNotItsPointAlone) {
  drive([](ImGuiTestContext* context) {
    show(long_attention());
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    state().sweep_edit.low = 256;
    state().sweep_edit.high = 1024;
    context->Yield(2);
    context->ItemClick("//###sweep_controls/###sweep_start");
    IM_CHECK(until(context, 120, [] { return session().busy(); }));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return state().sweeps->idle() && !session().busy(); }));
    IM_CHECK_GT(state().sweeps->sweep()->count(sweep::PointStatus::cancelled) +
                    state().sweeps->sweep()->count(sweep::PointStatus::pending),
                std::size_t{0});
  });
}

TEST_F(SweepInTheWindow, AJournalOpensOnThePageAndOneOfItsPointsIsRunAgain) {
  drive([](ImGuiTestContext* context) {
    start_at_one_length(context);
    const auto idle = [] {
      return state().sweeps->sweep() != nullptr && state().sweeps->idle() &&
             state().sweeps->sweep()->finished();
    };
    // The one that was begun, not one that stands there from before.
    IM_CHECK(until(context, 60, [&] {
      return idle() && state().sweeps->sweep()->spec().axes.front().values.back() == 32;
    }));
    std::filesystem::path journal;
    for (const auto& entry : std::filesystem::directory_iterator(saved())) {
      if (entry.path().filename().string().starts_with("sweep-"))
        journal = std::max(journal, entry.path() / "sweep.jsonl");
    }
    context->ItemClick("//###top_bar/###page_run");
    const views::SweepEdit begun = std::exchange(state().sweep_edit, {});
    window().open_files({journal});
    context->Yield(3);
    IM_CHECK(state().page == Page::sweep);
    IM_CHECK(state().sweep_edit == begun);
    IM_CHECK(until(context, 60, [] { return state().sweeps->idle(); }));
    const sweep::Sweep& sweep = *state().sweeps->sweep();
    IM_CHECK_EQ(sweep.count(sweep::PointStatus::ok), std::size_t{2});
    IM_CHECK(sweep.points()[0].prediction.known());
    IM_CHECK(state().sweeps->run_of(sweep.order().front()) == nullptr);
    // Its recording is on disk.
    const std::size_t first = sweep.order().front();
    const ImGuiWindow* rows = context->GetWindowByRef("//###sweep_page");
    context->MouseMoveToPos(
        {rows->Pos.x + rows->Size.x * 0.4F, rows->Pos.y + rows->Size.y - 2 * 25 + 4});
    context->MouseClick();
    IM_CHECK(until(context, 60, [] { return state().page == Page::run; }));
    IM_CHECK(session().run()->spec == sweep.points()[first].spec);
    IM_CHECK(session().run()->trace.slice_count() > 0);
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    // Both points compared: the button left of "run again", in one row and then in the other.
    for (const int row : {2, 1}) {
      context->MouseMoveToPos({rows->Pos.x + rows->Size.x - 180,
                               rows->Pos.y + rows->Size.y - static_cast<float>(row * 25) + 4});
      context->Yield(2);
      context->MouseClick();
      context->Yield(2);
    }
    IM_CHECK(context->GetWindowByRef("//###comparison_sheet") != nullptr);
    context->WindowClose("//###comparison_sheet");
    const auto lines = std::filesystem::file_size(journal);
    const ImGuiWindow* page = context->GetWindowByRef("//###sweep_page");
    context->MouseMoveToPos(
        {page->Pos.x + page->Size.x - 60, page->Pos.y + page->Size.y - 2 * 25 + 4});
    context->Yield(2);
    context->MouseClick();
    context->Yield(3);
    IM_CHECK(
        until(context, 60, [&] { return std::filesystem::file_size(journal) > lines && idle(); }));
    // One value more, while it is there.
    state().sweep_edit.high = 64;
    context->Yield(2);
    context->ItemClick("//###sweep_controls/###sweep_add");
    context->Yield(2);
    IM_CHECK_EQ(state().sweeps->sweep()->points().size(), std::size_t{4});
  });
}

// A point that is measured is not lost to the key; what was cancelled can only be resumed.
TEST_F(SweepInTheWindow, SpacePausesAndResumesAndACancelledSweepSaysWhatIsLeft) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.heads = 8;
    show(spec);
    state().sweep_edit.low = 256;
    state().sweep_edit.high = 1024;
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    context->ItemClick("//###sweep_controls/###sweep_start");
    const auto sweep = [] { return state().sweeps->sweep(); };
    IM_CHECK(until(context, 60, [&] { return sweep()->running().has_value(); }));
    const std::size_t point = *sweep()->running();
    const run::RunId asked = session().asked();
    context->KeyPress(ImGuiKey_Space);
    context->Yield(2);
    IM_CHECK(state().sweeps->runner()->paused());
    IM_CHECK_EQ(session().asked(), asked);
    IM_CHECK(until(context, 120, [] { return state().sweeps->idle(); }));
    IM_CHECK(sweep()->points()[point].status == sweep::PointStatus::ok);
    // On the page of runs it goes no further than a note.
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [&] { return sweep()->running().has_value(); }));
    IM_CHECK(!state().sweeps->runner()->paused());
    const run::RunId next = session().asked();
    context->ItemClick("//###top_bar/###page_run");
    context->KeyPress(ImGuiKey_Space);
    context->Yield(2);
    IM_CHECK_EQ(session().asked(), next);
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    context->ItemClick("//###sweep_page/###sweep_cancel");
    IM_CHECK(until(context, 60, [] { return state().sweeps->idle(); }));
    context->Yield(2);
    const std::size_t left = sweep()->count(sweep::PointStatus::cancelled);
    IM_CHECK(left > 0);
    text::Texts texts = built_in_texts();
    const std::string words = views::sweep_state_text(*sweep(), false, texts);
    IM_CHECK(words.starts_with("Cancelled: "));
    IM_CHECK(words.find("other " + std::to_string(left)) != std::string::npos);
    IM_CHECK(context->ItemExists("//###sweep_page/###sweep_resume"));
    IM_CHECK(!context->ItemExists("//###sweep_page/###sweep_cancel"));
  });
}

// One measurement at a time: A/B waits for the sweep and says so.
TEST_F(SweepInTheWindow, APairIsNotComparedWhileASweepMeasures) {
  drive([](ImGuiTestContext* context) {
    show(long_attention());
    state().sweep_edit.low = 256;
    state().sweep_edit.high = 1024;
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    context->ItemClick("//###sweep_controls/###sweep_start");
    IM_CHECK(until(context, 60, [] { return session().busy(); }));
    const std::size_t before = state().sweeps->sweep()->count(sweep::PointStatus::cancelled);
    context->ItemClick("//###top_bar/###page_compare");
    context->Yield(2);
    const run::RunId asked = session().asked();
    context->KeyPress(ImGuiKey_Space);
    context->Yield(2);
    IM_CHECK(!session().comparing());
    IM_CHECK_EQ(session().asked(), asked);
    const ImGuiTestItemInfo start = context->ItemInfo("//###compare_page/###compare_start");
    IM_CHECK((start.ItemFlags & ImGuiItemFlags_Disabled) != 0);
    IM_CHECK_EQ(state().sweeps->sweep()->count(sweep::PointStatus::cancelled), before);
    context->ItemClick("//###top_bar/###page_sweep");
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return state().sweeps->idle() && !session().busy(); }));
  });
}

TEST_F(SweepInTheWindow, TheProjectorShowsThePageThatIsOpen) {
  drive([](ImGuiTestContext* context) {
    const auto shows = [context](const char* window) {
      const ImGuiWindow* found = context->GetWindowByRef(window);
      return found != nullptr && found->Active;
    };
    context->ItemClick("//###top_bar/###page_sweep");
    context->Yield(2);
    context->KeyPress(ImGuiKey_P);
    context->Yield(2);
    IM_CHECK(state().preferences.projector);
    IM_CHECK(shows("//###sweep_page"));
    // The strip in place of the form, on every page.
    IM_CHECK(shows("//###projector_controls"));
    IM_CHECK(!shows("//###sweep_controls"));
    context->ItemClick("//###top_bar/###page_hunt");
    context->Yield(2);
    IM_CHECK(shows("//###projector_controls"));
    IM_CHECK(!shows("//###hunt_controls"));
    context->ItemClick("//###top_bar/###page_compare");
    context->Yield(2);
    IM_CHECK(shows("//###projector_controls"));
    IM_CHECK(!shows("//###compare_controls"));
    context->ItemClick("//###top_bar/###page_run");
    context->Yield(2);
    IM_CHECK(shows("//###projector_controls"));
    context->KeyPress(ImGuiKey_P);
    context->Yield(2);
    IM_CHECK(!state().preferences.projector);
  });
}

// One chart: its numbers and its picture on the clipboard, and all of it as files.
TEST_F(SweepInTheWindow, AChartIsCopiedAndSaved) {
  drive([](ImGuiTestContext* context) {
    start_at_one_length(context);
    IM_CHECK(until(context, 60, [] {
      return state().sweeps->sweep() != nullptr && state().sweeps->idle() &&
             state().sweeps->sweep()->finished();
    }));
    const auto choose = [context](const char* entry) {
      const ImGuiWindow* page = context->GetWindowByRef("//###sweep_page");
      context->MouseMoveToPos({page->Pos.x + page->Size.x * 0.2F, page->Pos.y + 200});
      context->MouseClick(ImGuiMouseButton_Right);
      context->Yield(2);
      context->ItemClick((std::string("//$FOCUSED/") + entry).c_str());
      context->Yield(2);
    };
    choose("###chart_data");
    const std::string data = ImGui::GetClipboardText();
    IM_CHECK(data.starts_with("series\tT\tstatus\tmedian_ms"));
    const auto points = state().sweeps->sweep()->points().size();
    IM_CHECK_EQ(static_cast<std::size_t>(std::count(data.begin(), data.end(), '\n')), points + 1);
    choose("###chart_svg");
    const std::string svg = ImGui::GetClipboardText();
    IM_CHECK(svg.starts_with("<svg") || svg.starts_with("<?xml"));
    IM_CHECK(svg.find("</svg>") != std::string::npos);
    const auto was_saved = [](const char* name) {
      for (const auto& entry : std::filesystem::directory_iterator(saved())) {
        if (std::filesystem::exists(entry.path() / name)) return true;
      }
      return false;
    };
    IM_CHECK(!was_saved("chart-time.png"));
    choose("###chart_save");
    context->Yield(2);
    for (const char* name : {"chart-time.png", "chart-time.svg", "chart-time.csv", "sweep.csv"})
      IM_CHECK(was_saved(name));
    // The buttons above the figure: the table, and all charts together.
    context->ItemClick("//###sweep_page/###sweep_copy");
    context->Yield(2);
    IM_CHECK(std::string(ImGui::GetClipboardText()).find("| series |") != std::string::npos);
    IM_CHECK(!was_saved("figure.png"));
    context->ItemClick("//###sweep_page/###sweep_save");
    context->Yield(3);
    IM_CHECK(was_saved("figure.png") && was_saved("figure.svg"));
    // Either axis, linear or logarithmic.
    for (const auto* scale : {"###sweep_log_x", "###sweep_log_y"}) {
      context->ItemClick((std::string("//###sweep_page/") + scale).c_str());
      context->Yield(2);
    }
    IM_CHECK(state().sweep_page.look.log_x && state().sweep_page.look.log_y);
    state().sweep_page.look = {};
  });
}

}  // namespace
}  // namespace ts::app::testing

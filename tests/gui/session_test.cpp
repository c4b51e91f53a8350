// A session in the window: saved as one file, and shown again as it was.
#include <imgui_internal.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "core/io/file.h"
#include "tests/gui/driven_window.h"
#include "tests/gui/two_streams.h"

namespace ts::app::testing {
namespace {

class SessionInTheWindow : public DrivenWindow {
 protected:
  void TearDown() override {
    while (!session().files().entries().empty()) session().files().close(0);
    session().show(nullptr);
  }
  static bool read(ImGuiTestContext* context) {
    const bool read = until(context, 20, [] { return !session().files().loading(); });
    context->Yield(4);
    return read;
  }
  static std::set<std::filesystem::path> sessions() {
    std::set<std::filesystem::path> all;
    if (!std::filesystem::exists(saved())) return all;
    for (const auto& entry : std::filesystem::directory_iterator(saved())) {
      if (entry.path().extension() == ".session") all.insert(entry.path());
    }
    return all;
  }
  // The session that this saves; empty: none came.
  static std::filesystem::path save(ImGuiTestContext* context) {
    const std::set<std::filesystem::path> before = sessions();
    std::filesystem::path saved;
    context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S);
    until(context, 60, [&] {
      for (const auto& one : sessions()) {
        if (!before.contains(one)) saved = one;
      }
      return !saved.empty();
    });
    return saved;
  }
};

constexpr const char* kTwoBlocks = R"({
    "segments": [{"device": 0, "address": 4096, "total_size": 2097152, "blocks": [
       {"address": 4096, "size": 2097152, "requested_size": 1048576, "state": "inactive"}]}],
    "device_traces": [[
       {"action": "segment_alloc", "addr": 4096, "size": 2097152, "time_us": 10},
       {"action": "alloc", "addr": 4096, "size": 1048576, "time_us": 11,
        "frames": [{"name": "forward", "filename": "/data/model.py", "line": 4}]},
       {"action": "free_completed", "addr": 4096, "size": 1048576, "time_us": 13}]]})";

TEST_F(SessionInTheWindow, IsSavedAndShownAgain) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(4);
    const run::Run& ran = *session().run();
    const std::int64_t peak = ran.memory.peak_bytes();
    const std::uint64_t slices = ran.trace.slice_count();
    const double median_ms = ran.timing().median_ms;
    const base::TimeRange marked{ran.trace.range().begin + 10, ran.trace.range().begin + 5'000};
    state().view.marked = marked;
    state().notes[ran.id].add({.time_ns = marked.begin, .block = 0, .text = "the first block"});
    const auto file = folder() / "kept.json";
    IM_CHECK(io::write_file(file, kTwoBlocks).has_value());
    window().open_files({file});
    IM_CHECK(read(context));
    session().files().correct({memory::Category::gradient, {0}});
    state().view.selected_block = 0;
    state().page = Page::hunt;
    state().hunt_edit.x.high = 4096;
    context->Yield(4);
    const std::filesystem::path path = save(context);
    IM_CHECK(!path.empty());
    close_toasts(context);

    while (!session().files().entries().empty()) session().files().close(0);
    state().page = Page::run;
    state().hunt_edit.x.high = 8192;
    state().view.marked.reset();
    spec::WorkloadSpec other = small_attention();
    other.seq_len *= 2;
    show(other);
    IM_CHECK(run_to_end(context));
    context->Yield(4);

    window().open_files({path});
    IM_CHECK(until(context, 20, [] { return !session().files().entries().empty(); }));
    IM_CHECK(read(context));
    IM_CHECK(state().page == Page::hunt);
    IM_CHECK_EQ(state().hunt_edit.x.high, 4096);
    IM_CHECK(state().history.spec() == small_attention());
    const OpenedFiles::Entry* const entry = session().files().current();
    IM_CHECK(entry != nullptr && entry->opened != nullptr);
    IM_CHECK(entry->opened->devices[0].run.memory.blocks()[0].category ==
             memory::Category::gradient);
    IM_CHECK(session().files().can_undo());
    state().page = Page::run;
    context->Yield(4);
    IM_CHECK(state().view.selected_block == memory::BlockIndex{0});
    session().files().choose(std::nullopt);
    context->Yield(4);
    const run::Run& again = *session().run();
    IM_CHECK_EQ(again.memory.peak_bytes(), peak);
    IM_CHECK_EQ(again.trace.slice_count(), slices);
    IM_CHECK_EQ(again.timing().median_ms, median_ms);
    IM_CHECK(state().view.marked == marked);
    const auto& notes = state().notes[again.id];
    IM_CHECK_EQ(notes.all().size(), std::size_t{1});
    IM_CHECK_STR_EQ(notes.all()[0].text.c_str(), "the first block");
    // The run that was there before is still to be had.
    context->ItemClick("//###top_bar/###menu_run");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###menu_runs");
    context->Yield(2);
    const std::size_t runs = session().kept_runs().all().size();
    IM_CHECK_GE(runs, std::size_t{3});
    const std::string one = "###kept_run_" + std::to_string(runs - 2);
    IM_CHECK(click_in_child_menu(context, one.c_str()));
    context->Yield(3);
    IM_CHECK_EQ(session().run()->spec.seq_len, other.seq_len);
  });
}

// The stream that is shown alone, with what is selected in it.
TEST_F(SessionInTheWindow, APartOfAFileIsShownAgain) {
  drive([](ImGuiTestContext* context) {
    const auto file = folder() / "kept_streams.json";
    IM_CHECK(io::write_file(file, kTwoStreams).has_value());
    window().open_files({file});
    IM_CHECK(read(context));
    session().files().narrow({.stream = 7, .pool = {}});
    IM_CHECK(read(context));
    state().view.selected_block = 1;
    state().view.search = "700";
    context->Yield(4);
    const std::filesystem::path path = save(context);
    IM_CHECK(!path.empty());
    close_toasts(context);
    session().files().close(0);
    context->Yield(2);

    window().open_files({path});
    const auto is_part = [] {
      const OpenedFiles::Entry* const entry = session().files().current();
      return entry != nullptr && entry->whole != nullptr &&
             entry->opened->devices[0].part.stream == 7;
    };
    IM_CHECK(until(context, 20, is_part));
    context->Yield(4);
    IM_CHECK_EQ(session().files().current()->opened->devices[0].run.memory.peak_bytes(),
                std::int64_t{1600});
    IM_CHECK(state().view.selected_block == memory::BlockIndex{1});
    IM_CHECK_STR_EQ(state().view.search.c_str(), "700");
  });
}

// T writes one about what is under the mouse; it is in the list, in the report, and can be undone.
TEST_F(SessionInTheWindow, ANoteIsWrittenUndoneAndReported) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(4);
    const ImGuiWindow* const panel = context->GetWindowByRef("//###timeline");
    context->MouseMoveToPos({panel->Pos.x + panel->Size.x * 0.6F, panel->Pos.y + 120});
    context->Yield(3);
    IM_CHECK(state().view.cursor_ns.has_value());
    const std::int64_t moment = *state().view.cursor_ns;
    const files::Notes& notes = state().notes[session().run()->id];
    context->KeyPress(ImGuiKey_T);
    context->Yield(3);
    context->KeyCharsAppendEnter("slow here");
    context->Yield(3);
    IM_CHECK_EQ(notes.all().size(), std::size_t{1});
    IM_CHECK_EQ(notes.all()[0].time_ns, moment);
    IM_CHECK(!notes.all()[0].block.has_value());
    context->ItemClick("//###notes_sheet/###note_0");
    context->Yield(3);
    context->KeyCharsReplaceEnter("very slow here");
    context->Yield(3);
    IM_CHECK_STR_EQ(notes.all()[0].text.c_str(), "very slow here");
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z, 2);
    context->Yield(3);
    IM_CHECK(notes.all().empty());
    context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, 2);
    context->Yield(3);
    IM_CHECK_EQ(notes.all().size(), std::size_t{1});
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
    std::string report;
    IM_CHECK(until(context, 60, [&] {
      for (const auto& entry : std::filesystem::directory_iterator(saved())) {
        const auto read = io::read_file(entry.path() / "report.md");
        if (read && read->find("very slow here") != std::string::npos) report = *read;
      }
      return !report.empty();
    }));
    close_toasts(context);
  });
}

// A file that is another one now comes without what was said about the old one.
TEST_F(SessionInTheWindow, AChangedFileAndADamagedSessionAreSaid) {
  drive([](ImGuiTestContext* context) {
    const auto file = folder() / "changes.json";
    IM_CHECK(io::write_file(file, kTwoBlocks).has_value());
    window().open_files({file});
    IM_CHECK(read(context));
    session().files().correct({memory::Category::gradient, {0}});
    const std::filesystem::path path = save(context);
    IM_CHECK(!path.empty());
    close_toasts(context);
    session().files().close(0);
    IM_CHECK(io::write_file(file, std::string(kTwoBlocks) + " ").has_value());
    window().open_files({path});
    IM_CHECK(until(context, 20, [] { return !session().files().entries().empty(); }));
    IM_CHECK(read(context));
    IM_CHECK(!session().files().can_undo());
    session().files().close(0);
    std::string bytes = io::read_file(path).value();
    bytes[bytes.size() / 2] ^= 0x10;
    const auto damaged = folder() / "damaged.session";
    IM_CHECK(io::write_file(damaged, bytes).has_value());
    const spec::WorkloadSpec before = state().history.spec();
    window().open_files({damaged});
    context->Yield(10);
    IM_CHECK(session().files().entries().empty());
    IM_CHECK(state().history.spec() == before);
  });
}

// The result of an A/B is in it, and what still runs is not, which is said.
TEST_F(SessionInTheWindow, KeepsTheComparisonAndSaysWhatIsNotInIt) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec b = small_attention();
    b.batch = 2;
    run::Protocol protocol;
    protocol.min_samples = protocol.max_samples = 12;
    IM_CHECK(session().start_comparison(small_attention(), b, protocol));
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    IM_CHECK(session().comparison() != nullptr);
    const stats::PairedRatio ratio = session().comparison()->total;
    IM_CHECK_GE(ratio.pairs, 1);
    const std::filesystem::path path = save(context);
    IM_CHECK(!path.empty());
    close_toasts(context);

    show(long_attention());
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [] { return session().busy(); }));
    context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S);
    IM_CHECK(until(context, 60,
                   [context] { return context->ItemExists("//###toasts/$$0/###toast_close"); }));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    close_toasts(context);

    // Another comparison takes its place, until the session is opened.
    IM_CHECK(session().start_comparison(b, b, protocol));
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    window().open_files({path});
    IM_CHECK(until(context, 60, [&ratio] {
      const run::Comparison* const shown = session().comparison();
      return shown->sides[0].spec == small_attention() && shown->total.median == ratio.median;
    }));
    IM_CHECK_EQ(session().comparison()->total.pairs, ratio.pairs);
  });
}

}  // namespace
}  // namespace ts::app::testing

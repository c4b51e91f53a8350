// The window without a mouse: who has the keys, the ring, the commands and their palette.
#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions.h"
#include "app/window/input_pace.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

ImGuiID focused() {
  return ImGui::GetCurrentContext()->NavId;
}

bool ring_is_on(ImGuiTestContext* context, const char* item) {
  return ImGui::GetIO().NavVisible && focused() == context->ItemInfo(item).ID;
}

void type_into_palette(ImGuiTestContext* context, const char* words) {
  context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  context->Yield(4);
  context->KeyChars(words);
  context->Yield(3);
}

// A typed value is run, and Escape stops that run; neither of them opens the field again.
TEST_F(DrivenWindow, KeysAfterATypedValueBelongToThePage) {
  drive([](ImGuiTestContext* context) {
    for (const char* const page : {"//###controls", "//###compare_controls"}) {
      const bool compares = state().page == Page::compare;
      const std::string field = std::string(page) + "/###field_T";
      show(small_attention());
      context->Yield(2);
      context->ItemClick(field.c_str());
      context->Yield(2);
      context->KeyCharsReplaceEnter("1024");
      context->Yield(2);
      // As after Tab: the ring shows, and stays on the field.
      ImGui::SetNavCursorVisible(true);
      context->Yield();
      context->KeyPress(ImGuiKey_Space);
      context->Yield(3);
      IM_CHECK(!ImGui::GetIO().WantTextInput);
      IM_CHECK(session().busy());
      context->KeyPress(ImGuiKey_Escape);
      IM_CHECK(until(context, 60, [] { return !session().busy(); }));
      IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{1024});
      // Opened again and left with Escape the field gives back what was there, the typed value.
      context->ItemClick(field.c_str());
      context->Yield(2);
      context->KeyCharsReplace("77");
      context->KeyPress(ImGuiKey_Escape);
      context->Yield(3);
      IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{1024});
      if (!compares) state().page = Page::compare;
      context->Yield(3);
    }
  });
}

// Escape ends what is nearest: typing, an open list, only then a run.
TEST_F(DrivenWindow, EscapeLeavesTheNearestThing) {
  drive([](ImGuiTestContext* context) {
    show(long_attention());
    context->KeyPress(ImGuiKey_Space);
    context->Yield(2);
    IM_CHECK(session().busy());
    const run::RunId asked = session().asked();
    context->ItemClick("//###controls/###field_B");
    context->Yield(2);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    context->ItemClick("//###controls/###preset");
    context->Yield(2);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
    IM_CHECK(session().asked() == asked);
    IM_CHECK(session().run() == nullptr || session().run()->verdict != run::Verdict::cancelled);
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    // It may have ended by itself before.
    IM_CHECK(session().run()->finished);
  });
}

TEST_F(DrivenWindow, EverySettingIsReachedWithTabAndTheArrows) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###controls/###slider_T");
    show(small_attention());
    context->Yield(2);
    context->KeyPress(ImGuiKey_RightArrow);
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{144});
    context->KeyPress(ImGuiMod_Shift | ImGuiKey_LeftArrow);
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{72});
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{144});
    // The ring goes on from there: to the field, whose value is typed after Enter.
    context->KeyPress(ImGuiKey_Tab);
    context->Yield(2);
    for (int i = 0; i < 2 && !ring_is_on(context, "//###controls/###field_T"); ++i) {
      context->KeyPress(ImGuiKey_Tab);
      context->Yield(2);
    }
    IM_CHECK(ring_is_on(context, "//###controls/###field_T"));
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK(ImGui::GetIO().WantTextInput);
    context->KeyCharsReplaceEnter("256");
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{256});
    context->KeyPress(ImGuiKey_Tab);
    context->Yield(2);
    // d_model does not matter to these settings and is folded away.
    IM_CHECK(ring_is_on(context, "//###controls/###slider_heads"));
  });
}

// Nobody knows F6 before the help was read.
TEST_F(DrivenWindow, TabBeginsTheRingWhereNothingHasIt) {
  drive([](ImGuiTestContext* context) {
    ImGui::FocusWindow(nullptr);
    ImGui::FocusTopMostWindowUnderOne(nullptr, nullptr, nullptr,
                                      ImGuiFocusRequestFlags_RestoreFocusedChild);
    ImGui::GetCurrentContext()->NavId = 0;
    context->Yield(2);
    context->KeyPress(ImGuiKey_Tab);
    context->Yield(3);
    IM_CHECK(ImGui::GetIO().NavVisible);
    IM_CHECK_NE(ImGui::GetCurrentContext()->NavId, ImGuiID{0});
  });
}

// Tab goes through all panels and comes back; Shift+Tab goes the same way backwards.
TEST_F(DrivenWindow, TabGoesOnToTheNextPanel) {
  drive([](ImGuiTestContext* context) {
    const auto panel = [] {
      const ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
      for (; window != nullptr; window = window->ParentWindow) {
        const std::string name = window->Name;
        for (const char* const one :
             {"###top_bar", "###controls", "###timeline", "###memory", "###inspector"})
          if (name.ends_with(one)) return std::string(one);
      }
      return std::string();
    };
    IM_CHECK(run_to_end(context));
    // Results that come later give the panels other items.
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    close_toasts(context);
    context->ItemClick("//###controls/###slider_T");
    const auto visited = [&](ImGuiKeyChord key) {
      std::vector<std::string> panels = {panel()};
      for (int i = 0; i < 400; ++i) {
        context->KeyPress(key);
        context->Yield(3);
        if (panel() != panels.back()) panels.push_back(panel());
        if (panels.size() > 1 && panels.back() == "###controls") break;
      }
      return panels;
    };
    std::vector<std::string> forward = visited(ImGuiKey_Tab);
    for (const char* const one : {"###top_bar", "###timeline", "###memory", "###inspector"}) {
      if (std::ranges::find(forward, one) == forward.end())
        context->LogError("Tab does not come to %s", one);
      IM_CHECK(std::ranges::find(forward, one) != forward.end());
    }
    IM_CHECK(forward.back() == "###controls");
    std::vector<std::string> back = visited(ImGuiMod_Shift | ImGuiKey_Tab);
    std::ranges::reverse(back);
    for (const std::string& one : forward) context->LogInfo("forward: %s", one.c_str());
    for (const std::string& one : back) context->LogInfo("back: %s", one.c_str());
    IM_CHECK(back == forward);
  });
}

// The nearest thing that can be left is the panel, not what runs behind it.
TEST_F(DrivenWindow, EscapeClosesAPanelBeforeItStopsARun) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->KeyPress(ImGuiKey_O);
    context->Yield(3);
    show(long_attention());
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [] { return session().busy(); }));
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(session().busy());
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    IM_CHECK(session().run()->verdict == run::Verdict::cancelled);
  });
}

TEST_F(DrivenWindow, F6GoesThroughThePanelsAndEnterPresses) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    std::vector<std::string> seen;
    for (int i = 0; i < 8; ++i) {
      context->KeyPress(ImGuiKey_F6);
      context->Yield(3);
      IM_CHECK(ImGui::GetIO().NavVisible);
      seen.emplace_back(ImGui::GetCurrentContext()->NavWindow->Name);
    }
    for (const char* const panel :
         {"###top_bar", "###controls", "###timeline", "###memory", "###inspector"}) {
      const bool found = std::ranges::any_of(
          seen, [&](const std::string& name) { return name.find(panel) != std::string::npos; });
      if (!found) context->LogError("F6 does not come to %s", panel);
      IM_CHECK(found);
    }
    // From the top bar's first item with Tab to the page of the sweep.
    while (std::string(ImGui::GetCurrentContext()->NavWindow->Name).find("###top_bar") ==
           std::string::npos) {
      context->KeyPress(ImGuiKey_F6);
      context->Yield(3);
    }
    for (int i = 0; i < 12 && !ring_is_on(context, "//###top_bar/###page_sweep"); ++i) {
      context->KeyPress(ImGuiKey_Tab);
      context->Yield(2);
    }
    IM_CHECK(ring_is_on(context, "//###top_bar/###page_sweep"));
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK(state().page == Page::sweep);
  });
}

TEST_F(DrivenWindow, PagesHaveKeysAndRedoHasTwo) {
  drive([](ImGuiTestContext* context) {
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_3);
    context->Yield(2);
    IM_CHECK(state().page == Page::hunt);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_4);
    context->Yield(2);
    IM_CHECK(state().page == Page::compare);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_2);
    context->Yield(2);
    IM_CHECK(state().page == Page::sweep);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_1);
    context->Yield(2);
    IM_CHECK(state().page == Page::run);
    spec::WorkloadSpec spec = small_attention();
    spec.batch = 3;
    show(spec);
    for (const ImGuiKeyChord redo :
         {ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiKey_Y}) {
      context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
      IM_CHECK_EQ(state().history.spec().batch, std::int64_t{1});
      context->KeyPress(redo);
      IM_CHECK_EQ(state().history.spec().batch, std::int64_t{3});
    }
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Minus);
    context->Yield(2);
    IM_CHECK_EQ(state().preferences.scale, 0.75F);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Equal);
    context->Yield(2);
    IM_CHECK_EQ(state().preferences.scale, 1.0F);
  });
}

TEST_F(DrivenWindow, PaletteFindsCommandsSettingsPresetsAndCards) {
  drive([](ImGuiTestContext* context) {
    type_into_palette(context, "page hunt");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK(state().page == Page::hunt);
    IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
    state().page = Page::run;
    // The value is typed with the name; Space in it starts nothing.
    type_into_palette(context, "t 640");
    IM_CHECK(!session().busy());
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{640});
    // The second entry, reached with the arrow; a setting without a value asks for one.
    type_into_palette(context, "seed");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(4);
    context->KeyChars("41");
    context->Yield(2);
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK_EQ(state().history.spec().seed, std::uint64_t{41});
    type_into_palette(context, "preset lm small");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK(state().history.spec().workload == spec::WorkloadKind::lm);
    type_into_palette(context, "a100 80");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK(state().history.spec().target_gpu.find("A100") != std::string::npos);
    // A language by its name in English.
    type_into_palette(context, "simplified chinese");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK(std::exchange(state().preferences.language, text::Language::en) ==
             text::Language::zh_cn);
    context->Yield(3);
    // A workload by its name, with the first of its presets.
    type_into_palette(context, "workload mlp");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK(state().history.spec().workload == spec::WorkloadKind::mlp);
    // Attention has nothing to update: the pass of a step is not taken over.
    type_into_palette(context, "workload=lm");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    type_into_palette(context, "workload attention");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK(state().history.spec().workload == spec::WorkloadKind::attention);
    IM_CHECK(spec::validate(state().history.spec()).empty());
    show(small_attention());
    type_into_palette(context, "T = 512");
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{512});
    // A value that cannot be stays in the field with its reason.
    for (const char* const never : {"T = 99999999", "T = long", "dtype=fp3x"}) {
      type_into_palette(context, never);
      context->SetRef(context->WindowInfo("//$FOCUSED/###palette_rows").ID);
      IM_CHECK(context->ItemExists((std::string("###command_") + never).c_str()));
      context->KeyPress(ImGuiKey_Enter);
      context->Yield(3);
      IM_CHECK(ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
      context->KeyPress(ImGuiKey_Escape);
      context->Yield(3);
    }
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{512});
    type_into_palette(context, "backend=flash");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
    IM_CHECK(state().history.spec().backend == small_attention().backend);
  });
}

// Several events between two frames of a slow window, in the order of the system.
class SlowWindow : public DrivenWindow {
 protected:
  void SetUp() override {
    DrivenWindow::SetUp();
    window().catches_up = true;
    for (int i = 0; i < 8; ++i) window().frame();
  }
  void TearDown() override {
    ImGui::GetIO().ClearEventsQueue();
    ImGui::GetIO().ClearInputKeys();
    window().catches_up = false;
    for (int i = 0; i < 3; ++i) window().frame();
  }
  static void key(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }
  static void press(ImGuiKey one) {
    key(one, true);
    key(one, false);
  }
  static void control(bool down) {
    key(ImGuiMod_Ctrl, down);
    key(ImGuiKey_LeftCtrl, down);
  }
  static void type(const char* words) {
    for (const char* at = words; *at != '\0'; ++at) {
      const bool digit = *at >= '0' && *at <= '9';
      const int first = digit ? ImGuiKey_0 : ImGuiKey_A;
      const auto letter = static_cast<ImGuiKey>(first + *at - (digit ? '0' : 'a'));
      key(letter, true);
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(*at));
      key(letter, false);
    }
  }
};

TEST_F(SlowWindow, ChordsKeepTheirModifiers) {
  spec::WorkloadSpec spec = small_attention();
  spec.batch = 5;
  show(spec);
  // Down since the frame before, and let go before the next one comes.
  control(true);
  window().frame();
  press(ImGuiKey_Z);
  control(false);
  window().frame();
  EXPECT_EQ(state().history.spec().batch, 1);
  control(true);
  press(ImGuiKey_Y);
  press(ImGuiKey_Z);
  press(ImGuiKey_Y);
  control(false);
  // Without Ctrl this would open the table of operators, with it the sheet for files.
  press(ImGuiKey_P);
  window().frame();
  EXPECT_EQ(state().history.spec().batch, 5);
  EXPECT_TRUE(state().preferences.projector);
}

TEST_F(SlowWindow, WhatIsTypedBehindAKeyGoesIntoTheFieldItOpens) {
  control(true);
  key(ImGuiMod_Shift, true);
  press(ImGuiKey_P);
  key(ImGuiMod_Shift, false);
  control(false);
  type("page");
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Space, true);
  ImGui::GetIO().AddInputCharacter(' ');
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Space, false);
  type("hunt");
  press(ImGuiKey_Enter);
  // A busy machine catches up with less of it before it draws.
  for (int i = 0; i < 30 && state().page != Page::hunt; ++i) window().frame();
  EXPECT_TRUE(state().page == Page::hunt);
  EXPECT_FALSE(state().preferences.projector) << "P was typed";
  EXPECT_FALSE(session().busy()) << "Space was typed";
}

// The mouse goes over a chart while the wheel turns: all of it is one frame's work.
TEST_F(SlowWindow, MovesAndTurnsDoNotPileUp) {
  for (int i = 0; i < 300; ++i) {
    ImGui::GetIO().AddMousePosEvent(static_cast<float>(500 + i), 400);
    ImGui::GetIO().AddMouseWheelEvent(0, 0.01F);
  }
  InputPace pace;
  pace.hold(0);
  EXPECT_LE(ImGui::GetCurrentContext()->InputEventsQueue.Size, 2);
  const auto& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  float turned = 0;
  for (const ImGuiInputEvent& event : queue) {
    if (event.Type == ImGuiInputEventType_MousePos) {
      EXPECT_EQ(event.MousePos.PosX, 799.0F);
    }
    if (event.Type == ImGuiInputEventType_MouseWheel) turned += event.MouseWheel.WheelY;
  }
  EXPECT_NEAR(turned, 3, 1e-3);
  pace.release();
}

TEST_F(SlowWindow, OldPressesAreForgottenReleasesAreNot) {
  InputPace pace;
  const auto& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  press(ImGuiKey_L);
  press(ImGuiKey_P);
  pace.hold(1);
  pace.release();
  EXPECT_EQ(queue.Size, 4);
  EXPECT_TRUE(pace.waiting());
  press(ImGuiKey_O);
  pace.hold(InputPace::kStale + 2);
  pace.release();
  int presses = 0;
  int releases = 0;
  for (const ImGuiInputEvent& event : queue) (event.Key.Down ? presses : releases) += 1;
  EXPECT_EQ(presses, 1) << "O, which has just come";
  EXPECT_EQ(releases, 3);
}

// Menus, keys, palette and sheet read one table: no two commands share keys, and all have words.
TEST_F(DrivenWindow, CommandsHaveKeysOfTheirOwn) {
  std::vector<int> chords;
  for (const ActionRow& row : action_rows()) {
    for (const int chord : {row.chord, row.other_chord}) {
      if (chord == 0) continue;
      EXPECT_EQ(std::ranges::count(chords, chord), 0) << row.id;
      chords.push_back(chord);
    }
    EXPECT_EQ(row.chord != 0, *row.keys != '\0') << row.id;
  }
}

}  // namespace
}  // namespace ts::app::testing

// A lecture: demos by one key each, and what a lecturer does with the picture.
#include <imgui_internal.h>

#include "app/session/catalogue.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class Demos : public DrivenWindow {
 protected:
  void SetUp() override {
    DrivenWindow::SetUp();
    state().preferences.projector = false;
    state().preferences.live = false;
    state().page = Page::run;
  }
  static bool shows(ImGuiTestContext* context, const char* window) {
    const ImGuiWindow* const found = context->GetWindowByRef(window);
    return found != nullptr && found->Active && found->WasActive;
  }
  static void press(ImGuiTestContext* context, ImGuiKeyChord key) {
    context->KeyPress(key);
    context->Yield(3);
  }
  // The key of a demo by its place in the list.
  static ImGuiKeyChord key_of(std::size_t demo) {
    return ImGuiMod_Alt | static_cast<ImGuiKey>(ImGuiKey_0 + static_cast<int>((demo + 1) % 10));
  }
  static std::size_t place_of(const std::string& id) {
    const auto& all = built_in_demos();
    return static_cast<std::size_t>(std::ranges::find(all, id, &lessons::Demo::id) - all.begin());
  }
  // Asks the question of a demo and shows its picture.
  static void open(ImGuiTestContext* context, const char* id) {
    press(context, key_of(place_of(id)));
    press(context, ImGuiKey_N);
  }
  // Ends what runs, then the demo.
  static void leave(ImGuiTestContext* context) {
    for (int i = 0; i < 3 && shows(context, "//###demo_strip"); ++i) {
      press(context, ImGuiKey_Escape);
      until(context, 30, [] { return !session().busy(); });
    }
    IM_CHECK(!shows(context, "//###demo_strip"));
  }
};

// Nothing is seen or run before the class has guessed.
TEST_F(Demos, EveryKeyAsksAQuestionFirst) {
  drive([](ImGuiTestContext* context) {
    const spec::WorkloadSpec before = state().history.spec();
    for (std::size_t i = 0; i < built_in_demos().size(); ++i) {
      press(context, key_of(i));
      IM_CHECK(shows(context, "//###demo_question"));
      IM_CHECK(!shows(context, "//###demo_strip"));
      IM_CHECK(!shows(context, "//###projector_memory"));
      IM_CHECK(state().preferences.projector);
      IM_CHECK(!session().busy());
      IM_CHECK(state().history.spec() == before);
    }
    press(context, ImGuiKey_Escape);
    IM_CHECK(!shows(context, "//###demo_question"));
    IM_CHECK(!state().preferences.projector);
  });
}

TEST_F(Demos, QuestionPictureAnswerAndTheNextOne) {
  drive([](ImGuiTestContext* context) {
    state().preferences.live = true;
    open(context, "mountain");
    IM_CHECK(shows(context, "//###demo_strip"));
    IM_CHECK(shows(context, "//###projector_memory"));
    IM_CHECK(!state().preferences.live);
    IM_CHECK(state().history.spec().workload == spec::WorkloadKind::lm);
    IM_CHECK(until(context, 60, [] {
      return session().run() != nullptr && session().run()->finished && !session().busy();
    }));
    // The picture is the promised one: the peak of step 2 is above that of step 1.
    const memory::AllocationLog& log = session().run()->memory;
    IM_CHECK(log.peak_event() != memory::kNone);
    const ImGuiWindow* const strip = context->GetWindowByRef("//###demo_strip");
    const float height = strip->Size.y;
    press(context, ImGuiKey_N);
    IM_CHECK_EQ(strip->Size.y, height);  // the page does not move
    press(context, ImGuiMod_Shift | ImGuiKey_N);
    press(context, ImGuiMod_Shift | ImGuiKey_N);
    IM_CHECK(shows(context, "//###demo_question"));
    context->ItemClick("//###demo_question/###demo_next");
    context->Yield(3);
    context->ItemClick("//###demo_strip/###demo_next");
    context->Yield(3);
    context->ItemClick("//###demo_strip/###demo_next");
    context->Yield(3);
    IM_CHECK(shows(context, "//###demo_question"));  // of the next demo
    context->ItemClick("//###demo_question/###demo_leave");
    context->Yield(3);
    IM_CHECK(state().preferences.live);
    state().preferences.live = false;
    IM_CHECK(until(context, 30, [] { return !session().busy(); }));
  });
}

TEST_F(Demos, EachIsOnThePageThatItIsAbout) {
  drive([](ImGuiTestContext* context) {
    // A card that is not here is predicted for; nothing runs.
    open(context, "edge");
    IM_CHECK(state().page == Page::run);
    IM_CHECK_STR_EQ(state().history.spec().target_gpu.c_str(), "RTX 4090");
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    IM_CHECK(!session().busy());
    IM_CHECK(prediction()->prediction.fit == predict::Fit::fits);
    leave(context);
    open(context, "square");
    IM_CHECK(state().page == Page::sweep);
    IM_CHECK(until(context, 30, [] { return !state().sweeps->idle(); }));
    IM_CHECK_EQ(state().sweeps->sweep()->points().size(), 8U);
    leave(context);
    IM_CHECK(state().sweeps->idle());
    open(context, "map");
    IM_CHECK(state().page == Page::hunt);
    IM_CHECK(until(context, 60, [] {
      return state().hunts->progress() != nullptr && !session().predictions().hunt_busy();
    }));
    IM_CHECK_STR_EQ(state().hunts->progress()->target.name.c_str(), "RTX 4060");
    leave(context);
    open(context, "kv-cache");
    IM_CHECK(state().page == Page::compare);
    IM_CHECK(until(context, 60, [] { return session().comparing(); }));
    leave(context);
    IM_CHECK(!session().comparing());
  });
}

// Results that are not memory have the place of the memory.
TEST_F(Demos, NumbersAndStepsFillThePage) {
  drive([](ImGuiTestContext* context) {
    for (const char* const id : {"sums", "loss-scale", "first-step"}) {
      open(context, id);
      IM_CHECK(until(context, 60, [] { return !session().busy() && session().run()->finished; }));
      context->Yield(3);
      IM_CHECK(views::result_of(*session().run()).has_value());
      IM_CHECK(!shows(context, "//###projector_timeline"));
      const ImGuiWindow* const result = context->GetWindowByRef("//###projector_memory");
      IM_CHECK(result->ScrollMax.y == 0);  // all of it is seen
      leave(context);
    }
  });
}

// What cannot be done here is greyed with its reason, and so says the key.
TEST_F(Demos, WithoutACompilerTheLastOneSaysWhy) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(until(context, 60, [] { return session().engine() != nullptr; }));
    open(context, "compile");
    const bool can = session().engine()->not_compiled.empty();
    IM_CHECK_EQ(shows(context, "//###demo_strip"), can);
    IM_CHECK_EQ(shows(context, "//###demo_question"), !can);
    press(context, ImGuiKey_Escape);
    until(context, 60, [] { return !session().busy(); });
    press(context, ImGuiKey_Escape);
    IM_CHECK(!state().preferences.projector);
  });
}

TEST_F(Demos, APictureIsBlankedHeldAndEnlarged) {
  drive([](ImGuiTestContext* context) {
    press(context, ImGuiKey_B);
    IM_CHECK(shows(context, "//###blank"));
    IM_CHECK(!shows(context, "//###top_bar"));
    press(context, ImGuiKey_B);
    IM_CHECK(shows(context, "//###top_bar"));
    // A panel under the mouse, then all again.
    context->MouseMove("//###timeline");
    context->Yield(2);
    press(context, ImGuiKey_Z);
    IM_CHECK(shows(context, "//###enlarged"));
    IM_CHECK(!shows(context, "//###memory"));
    press(context, ImGuiKey_Z);
    IM_CHECK(shows(context, "//###memory"));
    // Held: the run goes on, and what has come is shown afterwards.
    show(long_attention());
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [] { return session().run() != nullptr && session().busy(); }));
    press(context, ImGuiKey_H);
    const std::size_t events = session().run()->memory.events().size();
    const std::size_t slices = session().run()->trace.slice_count();
    context->SleepNoSkip(1.0F, 0.02F);
    IM_CHECK_EQ(session().run()->memory.events().size(), events);
    IM_CHECK_EQ(session().run()->trace.slice_count(), slices);
    press(context, ImGuiKey_H);
    IM_CHECK(until(context, 60, [=] { return session().run()->trace.slice_count() > slices; }));
    press(context, ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
  });
}

TEST_F(Demos, AreInTheMenuAndThePalette) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###top_bar/###menu_view");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###menu_demos");
    context->Yield(3);
    ImGuiWindow* menu = nullptr;
    for (ImGuiWindow* const one : ImGui::GetCurrentContext()->Windows) {
      if (one->Active && (one->Flags & ImGuiWindowFlags_ChildMenu) != 0) menu = one;
    }
    IM_CHECK(menu != nullptr);
    context->SetRef(menu);
    context->ItemClick("###demo_sums");
    context->SetRef(ImGuiTestRef());
    context->Yield(3);
    IM_CHECK(shows(context, "//###demo_question"));
    press(context, ImGuiKey_Escape);
    press(context, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    context->KeyChars("demo mountain");
    context->Yield(3);
    press(context, ImGuiKey_Enter);
    IM_CHECK(shows(context, "//###demo_question"));
    press(context, ImGuiKey_Escape);
    IM_CHECK(!shows(context, "//###demo_question"));
  });
}

}  // namespace
}  // namespace ts::app::testing

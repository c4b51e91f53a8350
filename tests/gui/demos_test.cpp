// A lecture: demos by one key each, and what a lecturer does with the picture.
#include <imgui_internal.h>
#include <png.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

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

// The first of the suite: nothing has run yet. Then the projector gives all of the page to the
// prediction.
TEST_F(Demos, APredictionHasTheRoomOfTheEmptyTimeline) {
  drive([](ImGuiTestContext* context) {
    open(context, "edge");
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    context->Yield(2);
    IM_CHECK(session().run() == nullptr);
    IM_CHECK(!shows(context, "//###projector_timeline"));
    leave(context);
  });
}

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
    IM_CHECK(session().run() == nullptr);  // that of the demo before is hidden
    leave(context);
    IM_CHECK(session().run() != nullptr);
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

// The settings are as before the demo, in one step of undo; the card of one is not that of the
// next.
TEST_F(Demos, LeavingRestoresWhatWasThere) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec own = small_attention();
    own.target_gpu = "H200 SXM";
    show(own);
    state().page = Page::sweep;
    state().hunt_edit.x = {spec::Field::T, 64, 1024};
    const views::HuntEdit axes = state().hunt_edit;
    open(context, "edge");
    IM_CHECK_STR_EQ(state().history.spec().target_gpu.c_str(), "RTX 4090");
    context->ItemDragWithDelta("//###projector_controls/###slider_T", {40, 0});
    context->Yield(2);
    const spec::WorkloadSpec dragged = state().history.spec();
    open(context, "mountain");
    IM_CHECK_STR_EQ(state().history.spec().target_gpu.c_str(), "H200 SXM");
    open(context, "map");
    IM_CHECK(state().page == Page::hunt);
    const spec::WorkloadSpec last = state().history.spec();
    leave(context);
    IM_CHECK(state().history.spec() == own);
    IM_CHECK(state().page == Page::sweep);
    IM_CHECK(state().hunt_edit == axes);
    press(context, ImGuiMod_Ctrl | ImGuiKey_Z);
    IM_CHECK(state().history.spec() == last);
    IM_CHECK(last != dragged);
    state().page = Page::run;
    state().hunt_edit = {};
  });
}

// The rows of a PNG from `y0` to `y1`, as RGB.
std::vector<std::uint8_t> rows_of(const std::filesystem::path& path, float y0, float y1) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0);
  const auto row = [&](float y) {
    return pixels.begin() + static_cast<std::ptrdiff_t>(y) *
                                static_cast<std::ptrdiff_t>(PNG_IMAGE_ROW_STRIDE(image));
  };
  return {row(y0), row(y1)};
}

// The picture of the window has the strip of the demo: its answer is seen in it.
TEST_F(Demos, APictureOfTheWindowHasItsStrip) {
  drive([](ImGuiTestContext* context) {
    open(context, "edge");
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    const ImGuiWindow* const strip = context->GetWindowByRef("//###demo_strip");
    const auto pictured = [&] {
      std::filesystem::remove_all(saved());
      press(context, ImGuiKey_F12);
      close_toasts(context);
      const auto picture = std::filesystem::directory_iterator(saved())->path();
      return rows_of(picture, strip->Pos.y + 2, strip->Pos.y + strip->Size.y - 2);
    };
    const auto task = pictured();
    IM_CHECK(pictured() == task);
    press(context, ImGuiKey_N);
    IM_CHECK(pictured() != task);
    leave(context);
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

// A demo that cannot run here is greyed with its reason, and the key says the same.
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
    IM_CHECK(click_in_child_menu(context, "###demo_sums"));
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

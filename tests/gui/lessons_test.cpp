// The page of lessons in the window: one lesson from its question to the folder.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "core/io/file.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class LessonsInTheWindow : public DrivenWindow {
 protected:
  void SetUp() override {
    DrivenWindow::SetUp();
    std::filesystem::remove_all(saved());
    // As after a start: nothing is known of what earlier tests left.
    state().lessons = std::make_shared<LessonSession>();
    state().lessons->set_folder(saved());
  }
  void TearDown() override {
    state().lessons->cancel();
    state().page = Page::run;
    std::filesystem::remove_all(saved());
  }
  static LessonRunner* shown() { return state().lessons->shown(); }
  static std::string file(const char* name) {
    const auto content = io::read_file(shown()->folder() / name);
    return content ? *content : std::string();
  }
  static bool is_there(ImGuiTestContext* context, const char* item) {
    return context->ItemExists(item);
  }
  // The list is longer than the window: what is searched for stands at its top.
  static void open_lesson(ImGuiTestContext* context, const char* search, const std::string& id) {
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_5);
    context->Yield(2);
    context->ItemClick("//###lesson_gallery/###lesson_search");
    context->KeyCharsReplace(search);
    context->Yield(2);
    context->ItemClick(("//###lesson_gallery/**/###lesson_" + id).c_str());
    context->Yield(2);
  }
  static void open_sums(ImGuiTestContext* context) { open_lesson(context, "a2-10", "sums"); }
};

TEST_F(LessonsInTheWindow, OneIsDoneFromItsQuestionToTheFolder) {
  drive([](ImGuiTestContext* context) {
    open_sums(context);
    IM_CHECK(shown() != nullptr);
    IM_CHECK_STR_EQ(shown()->lesson().id.c_str(), "sums");
    IM_CHECK(!is_there(context, "//###lesson_gallery/**/###lesson_oom-hunt"));
    // The steps may run before there is a guess; what they found stays hidden.
    context->KeyPress(ImGuiKey_Escape);
    context->ItemClick("//###lesson_page/###lesson_run");
    IM_CHECK(until(context, 60, [] { return shown()->complete(); }));
    context->Yield(2);
    IM_CHECK(shown()->findings().answer.has_value());
    IM_CHECK(!is_there(context, "//###lesson_page/###lesson_numbers"));
    // But for a teacher.
    const auto height = [context] {
      context->Yield(3);
      return context->GetWindowByRef("//###lesson_page")->ContentSize.y;
    };
    const float without_key = height();
    context->ItemClick("//###lesson_page/###lesson_key");
    IM_CHECK_GT(height(), without_key + 200);  // tables of numbers and checks, the answers
    context->ItemClick("//###lesson_page/###lesson_key");
    IM_CHECK_EQ(height(), without_key);
    // A lesson with an open question is not done.
    const auto open_questions = [] {
      const auto cards = state().lessons->cards();
      return std::ranges::find_if(
                 cards, [](const views::LessonCard& one) { return one.lesson->id == "sums"; })
          ->open;
    };
    IM_CHECK_EQ(open_questions(), std::size_t{2});
    const float button = context->ItemInfo("//###lesson_page/###lesson_give_guess").RectFull.Min.y;
    // Text that is no number is refused with a sentence.
    context->ItemClick("//###lesson_page/###lesson_guess");
    context->KeyCharsReplace("four");
    context->ItemClick("//###lesson_page/###lesson_give_guess");
    context->Yield(2);
    IM_CHECK(!shown()->guess().has_value());
    context->ItemClick("//###lesson_page/###lesson_guess");
    context->KeyCharsReplace("4");
    context->ItemClick("//###lesson_page/###lesson_give_guess");
    context->Yield(4);
    IM_CHECK(shown()->guess().has_value());
    // The field and its button stay where they were.
    const auto locked = context->ItemInfo("//###lesson_page/###lesson_give_guess");
    IM_CHECK_EQ(locked.RectFull.Min.y, button);
    IM_CHECK((locked.ItemFlags & ImGuiItemFlags_Disabled) != 0);
    IM_CHECK_EQ(open_questions(), std::size_t{1});
    IM_CHECK(*ts::lessons::is_right(shown()->lesson(), shown()->findings(), *shown()->guess()));
    IM_CHECK(shown()->findings().passed() == shown()->findings().checks.size());
    context->ItemClick("//###lesson_page/###lesson_answer_why");
    context->KeyCharsReplace("bf16 has 8 bits of mantissa.");
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
    IM_CHECK(until(context, 30, [] { return file("report.html") != ""; }));
    const std::string report = file("report.md");
    IM_CHECK(report.find("10.0021") != report.npos);
    IM_CHECK(report.find("bf16 has 8 bits of mantissa.") != report.npos);
    IM_CHECK(report.find("step-sums/curves.svg") != report.npos);
    for (const char* name : {"report.tex", "values.csv", "checks.csv", "step-sums/run.json",
                             "step-sums/curves.png", "step-sums/snapshot.pickle"})
      IM_CHECK(!file(name).empty());
    IM_CHECK_EQ(open_questions(), std::size_t{0});
    const auto card = state().lessons->cards();
    const auto sums = std::ranges::find_if(
        card, [](const views::LessonCard& one) { return one.lesson->id == "sums"; });
    IM_CHECK(sums->done == 1 && sums->steps == 1);
    close_toasts(context);
    // After a restart all of it is there again.
    state().lessons = std::make_shared<LessonSession>();
    state().lessons->set_folder(saved());
    context->Yield(2);
    // The first that is not done is open until another is chosen.
    IM_CHECK(shown() != nullptr && !shown()->complete());
    open_sums(context);
    IM_CHECK(shown()->complete());
    IM_CHECK_STR_EQ(shown()->guess()->text.c_str(), "4");
    IM_CHECK_STR_EQ(shown()->answers().at("why").c_str(), "bf16 has 8 bits of mantissa.");
    IM_CHECK_STR_EQ(state().lessons->edit.answers.at("why").c_str(),
                    "bf16 has 8 bits of mantissa.");
    context->KeyPress(ImGuiKey_Escape);
  });
}

// The errors of the material are folded under their numbers; what shows one opens from there.
TEST_F(LessonsInTheWindow, ErrorsOfTheMaterialLeadToWhatShowsThem) {
  drive([](ImGuiTestContext* context) {
    open_lesson(context, "flash-memory", "flash-memory");
    IM_CHECK(!is_there(context, "//###lesson_page/**/###open_E-24"));
    context->ItemClick("//###lesson_page/###lesson_errors");
    context->Yield(3);
    IM_CHECK(is_there(context, "//###lesson_page/###open_E-24"));
    context->ItemClick("//###lesson_page/###lesson_errors");
    open_sums(context);
    IM_CHECK(!is_there(context, "//###lesson_page/###lesson_errors"));  // none is known there
    context->KeyPress(ImGuiKey_Escape);
  });
}

// A guess that is drawn with the mouse over the sizes of a sweep, and locked.
TEST_F(LessonsInTheWindow, AGuessIsDrawnWithTheMouse) {
  drive([](ImGuiTestContext* context) {
    open_lesson(context, "a2-23", "flash-memory");
    IM_CHECK(shown() != nullptr && shown()->lesson().id == "flash-memory" && !shown()->guess());
    const ImRect area = context->ItemInfo("//###lesson_page/###lesson_curve").RectFull;
    const auto at = [&](float x, float y) {
      return ImVec2(area.Min.x + area.GetWidth() * x, area.Min.y + area.GetHeight() * y);
    };
    context->MouseMoveToPos(at(0.16F, 0.8F));
    context->MouseDown();
    context->MouseMoveToPos(at(0.6F, 0.6F));
    context->MouseMoveToPos(at(0.96F, 0.2F));
    context->MouseUp();
    context->ItemClick("//###lesson_page/###lesson_give_guess");
    context->Yield(2);
    IM_CHECK(shown()->guess().has_value());
    const auto& points = shown()->guess()->points;
    IM_CHECK_EQ(points.size(), 4U);
    IM_CHECK(points.front().y < points.back().y);
    IM_CHECK(shown()->guess()->number > 0.5);
    context->KeyPress(ImGuiKey_Escape);
  });
}

TEST_F(LessonsInTheWindow, ARunningOneIsCancelledAndGoesOn) {
  drive([](ImGuiTestContext* context) {
    open_lesson(context, "acc-4", "checkpointing");
    context->KeyPress(ImGuiKey_Escape);
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [] { return shown()->current() != nullptr; }));
    IM_CHECK(is_there(context, "//###lesson_page/###lesson_cancel"));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [] { return !shown()->running(); }));
    IM_CHECK(!shown()->complete());
    IM_CHECK_STR_EQ(shown()->problem().sentence.c_str(), "");
    IM_CHECK(is_there(context, "//###lesson_page/###lesson_run"));
    // A card is predicted for without running anything.
    context->ItemClick("//###lesson_page/**/8gb");
    context->Yield(2);
    IM_CHECK(shown()->tier() == ts::lessons::Tier::gb8);
    context->ItemClick("//###lesson_page/###lesson_run");
    IM_CHECK(until(context, 60, [] { return shown()->complete(); }));
    IM_CHECK(shown()->findings().answer->nature == ts::lessons::Nature::predicted);
  });
}

// A file of one's own opens as any other; one with a mistake changes nothing.
TEST_F(LessonsInTheWindow, ALessonOfOnesOwnOpensFromItsFile) {
  drive([](ImGuiTestContext* context) {
    const std::filesystem::path file = folder() / "mine.json";
    const auto write = [&](const char* id, const char* kind) {
      std::ofstream(file) << R"({"id": ")" << id << R"(", "title": "Mine", "task": "Look.",
        "steps": [{"id": "dry", "title": "Dry", "laptop": {"kind": ")"
                          << kind << R"(", "workload": "attention", "set": ["B=1"]}}],
        "values": [{"id": "peak", "label": "Peak", "of": "dry.peak_bytes"}]})";
    };
    write("mine", "dream");
    window().open_files({file});
    context->Yield(2);
    IM_CHECK(shown() == nullptr);
    IM_CHECK(state().page == Page::run);
    write("sums", "predict");
    window().open_files({file});
    IM_CHECK(shown() == nullptr);
    write("mine", "predict");
    window().open_files({file});
    context->Yield(2);
    IM_CHECK(state().page == Page::lessons);
    IM_CHECK_STR_EQ(shown()->lesson().id.c_str(), "mine");
    IM_CHECK(is_there(context, "//###lesson_gallery/**/###lesson_mine"));
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [] { return shown()->complete(); }));
    IM_CHECK(shown()->findings().values[0].in(ts::lessons::Column::predicted).has_value());
    // The folder it leaves opens, too.
    const std::filesystem::path done = shown()->folder() / "lesson.json";
    context->ItemClick("//###lesson_gallery/**/###lesson_autocast-types");
    context->Yield(2);
    IM_CHECK_STR_EQ(shown()->lesson().id.c_str(), "autocast-types");
    window().open_files({done});
    context->Yield(2);
    IM_CHECK_STR_EQ(shown()->lesson().id.c_str(), "mine");
    IM_CHECK(shown()->complete());
    std::filesystem::remove(file);
  });
}

// Exercises without a lesson are found with their reason.
TEST_F(LessonsInTheWindow, ExercisesWithoutALessonAreListed) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###top_bar/###page_lessons");
    context->Yield(2);
    const auto height = [] {
      for (const ImGuiWindow* const one : ImGui::GetCurrentContext()->Windows) {
        const bool is_list = std::string(one->Name).find("###lesson_list") != std::string::npos;
        if (is_list) return one->ContentSize.y;
      }
      return 0.0F;
    };
    const auto searched = [&](const char* words) {
      context->ItemClick("//###lesson_gallery/###lesson_search");
      context->KeyCharsReplace(words);
      context->Yield(4);
      return height();
    };
    const float nothing = searched("no such words");
    IM_CHECK(nothing > 0);
    const float one = searched("a2-29");
    IM_CHECK(one > nothing + 20);
    IM_CHECK(searched("vlm") > one + 1000);
    context->KeyCharsReplace("");
    context->KeyPress(ImGuiKey_Escape);
  });
}

}  // namespace
}  // namespace ts::app::testing

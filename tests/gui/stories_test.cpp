// Three stories of a lecture and of homework, from the first key to the folder that is handed in.
// What a user does is counted. With TENSORSCOPE_STORY_PICTURES=FOLDER their key moments are kept
// there.
#include <imgui_internal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/io/file.h"
#include "core/predict/hunt_progress.h"
#include "core/spec/presets.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class Stories : public DrivenWindow {
 protected:
  void SetUp() override {
    DrivenWindow::SetUp();
    std::filesystem::remove_all(saved());
    state().lessons = std::make_shared<LessonSession>();
    state().lessons->set_folder(saved());
    state().hunt_edit = {};
    state().compare_edit = {};
    actions_ = 0;
  }
  void TearDown() override {
    state().lessons->cancel();
    state().page = Page::run;
    std::filesystem::remove_all(saved());
  }

  // Actions of a user, one each.
  void press(ImGuiTestContext* context, ImGuiKeyChord keys) {
    ++actions_;
    context->KeyPress(keys);
    context->Yield(3);
  }
  void click(ImGuiTestContext* context, const char* item) {
    ++actions_;
    context->ItemClick(item);
    context->Yield(3);
  }
  void drag(ImGuiTestContext* context, const char* item, ImVec2 by) {
    ++actions_;
    context->ItemDragWithDelta(item, by);
    context->Yield(3);
  }
  void fill(ImGuiTestContext* context, const char* field, const char* words, bool enter) {
    ++actions_;
    context->ItemClick(field);
    context->KeyCharsReplace(words);
    if (enter) context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
  }
  // Chooses from a list: it opens, then the row.
  void choose(ImGuiTestContext* context, const char* list, const char* row) {
    ++actions_;
    context->ItemClick(list);
    context->Yield(2);
    context->ItemClick(row);
    context->Yield(3);
  }
  void choose_card(ImGuiTestContext* context, const char* typed) {
    ++actions_;
    context->ItemClick("//###top_bar/###target");
    context->Yield(3);
    context->KeyChars(typed);
    context->Yield(2);
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
  }
  [[nodiscard]] int actions() const { return actions_; }

  static void picture(ImGuiTestContext* context, const std::string& name) {
    const char* const wanted = std::getenv("TENSORSCOPE_STORY_PICTURES");
    if (wanted == nullptr) return;
    context->KeyPress(ImGuiKey_F12);
    context->Yield(4);
    std::filesystem::create_directories(wanted);
    for (const auto& entry : std::filesystem::directory_iterator(saved())) {
      if (!entry.path().filename().string().starts_with("picture-")) continue;
      std::filesystem::copy_file(entry.path(), std::filesystem::path(wanted) / (name + ".png"),
                                 std::filesystem::copy_options::overwrite_existing);
      std::filesystem::remove(entry.path());
      break;
    }
    close_toasts(context);
  }
  static bool shows(ImGuiTestContext* context, const char* window) {
    const ImGuiWindow* const found = context->GetWindowByRef(window);
    return found != nullptr && found->Active;
  }
  static std::filesystem::path folder_of(const std::string& kind) {
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::directory_iterator(saved())) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory() && name.starts_with(kind)) found = std::max(found, entry.path());
    }
    return found;
  }
  static bool has(const std::filesystem::path& folder, const char* file) {
    std::error_code none;
    return std::filesystem::file_size(folder / file, none) > 0 && !none;
  }
  static bool fits(ImGuiTestContext* context, bool expected) {
    return until(context, 60, [&] {
      return prediction() != nullptr &&
             (prediction()->prediction.fit != predict::Fit::oom) == expected;
    });
  }

 private:
  int actions_ = 0;
};

// Flash and naive are timed by turns, then T is dragged over the edge of a card that nobody has
// here: naive does not fit, flash does.
TEST_F(Stories, ATeacherDragsTOverTheEdge) {
  drive([this](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.heads = 8;
    spec.d_head = 64;
    spec.seq_len = 512;
    spec.dtype = spec::DataType::bf16;
    spec.target_gpu = "RTX 4060";
    show(spec);
    context->Yield(2);
    press(context, ImGuiKey_P);
    press(context, ImGuiMod_Ctrl | ImGuiKey_4);
    IM_CHECK(state().compare_edit.field == spec::Field::backend);
    press(context, ImGuiKey_Space);
    IM_CHECK(until(context, 120, [] {
      const run::Comparison* const both = session().comparison();
      return both != nullptr && both->stage == run::Stage::done && !session().busy();
    }));
    const run::Comparison& both = *session().comparison();
    IM_CHECK(!both.failure.has_value());
    IM_CHECK(both.sides[0].spec.backend == spec::AttentionBackend::naive);
    IM_CHECK(both.sides[1].facts.backend_ran == "flash");
    // Counted, not timed: flash keeps no squares.
    IM_CHECK_LT(both.sides[1].peak * 2, both.sides[0].peak);
    picture(context, "teacher-1-compared");
    press(context, ImGuiMod_Ctrl | ImGuiKey_1);
    IM_CHECK(fits(context, true));
    picture(context, "teacher-2-fits");
    drag(context, "//###projector_controls/###slider_T", {600, 0});
    IM_CHECK_GT(state().history.spec().seq_len, std::int64_t{8192});
    IM_CHECK(fits(context, false));
    IM_CHECK(prediction()->prediction.breaking.has_value());
    IM_CHECK(shows(context, "//###projector_verdict"));
    picture(context, "teacher-3-over-the-edge");
    choose(context, "//###projector_controls/###backend", "//$FOCUSED/###backend_flash");
    IM_CHECK(fits(context, true));
    picture(context, "teacher-4-flash-fits");
    IM_CHECK_LE(actions(), 6);
  });
}

// Without a card: its name, the map, the exact edge, and two keys to save map and prediction.
TEST_F(Stories, AStudentFindsTheEdgeOfACardOf8Gigabytes) {
  drive([this](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.batch = 8;
    spec.heads = 8;
    spec.d_head = 64;
    spec.seq_len = 1024;
    show(spec);
    context->Yield(2);
    choose_card(context, "4060");
    IM_CHECK_STR_EQ(state().history.spec().target_gpu.c_str(), "RTX 4060");
    press(context, ImGuiMod_Ctrl | ImGuiKey_3);
    IM_CHECK(until(context, 120, [] {
      const predict::HuntProgress* const hunt = state().hunts->progress();
      return hunt != nullptr && !hunt->running && !session().predictions().hunt_busy() &&
             hunt->exact && hunt->exact->edge.fits;
    }));
    context->Yield(3);
    picture(context, "student-1-map");
    const std::int64_t edge = *state().hunts->progress()->exact->edge.fits;
    press(context, ImGuiMod_Ctrl | ImGuiKey_S);
    const std::filesystem::path hunt = folder_of("hunt");
    for (const char* name :
         {"hunt.png", "hunt.csv", "hunt.md", "hunt.tex", "hunt.json", "report.html", "spec.json"})
      IM_CHECK(has(hunt, name));
    close_toasts(context);
    click(context, "//###hunt_side/###take_edge");
    IM_CHECK_EQ(state().history.spec().seq_len, edge);
    press(context, ImGuiMod_Ctrl | ImGuiKey_1);
    IM_CHECK(fits(context, true));
    picture(context, "student-2-edge");
    choose(context, "//###top_bar/###menu_file", "//$FOCUSED/###menu_save_prediction");
    const std::filesystem::path predicted = folder_of("prediction");
    for (const char* name :
         {"predicted_snapshot.pickle", "memory.png", "peak.csv", "accounting.md", "report.html"})
      IM_CHECK(has(predicted, name));
    close_toasts(context);
    // One more than the edge does not fit.
    spec = state().history.spec();
    spec.seq_len = edge + 1;
    show(spec);
    IM_CHECK(fits(context, false));
    IM_CHECK_LE(actions(), 6);
  });
}

// The conditions of flash are a fold below the backends, one line a condition.
TEST_F(Stories, AStudentAsksWhyFlashCannotRun) {
  drive([this](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.target_gpu = "RTX 4060";
    spec.d_head = 60;
    show(spec);
    const auto height = [context] {
      context->Yield(3);
      return context->GetWindowByRef("//###controls")->ContentSize.y;
    };
    const float folded = height();
    click(context, "//###controls/###flash_conditions");
    IM_CHECK_GT(height(), folded + 7 * 14);
    picture(context, "flash-1-conditions");
    state().preferences.language = text::Language::zh_cn;
    state().preferences.theme = views::ThemeKind::light;
    context->Yield(3);
    picture(context, "flash-2-conditions-zh");
    state().preferences.language = text::Language::en;
    click(context, "//###controls/###flash_conditions");
    IM_CHECK_EQ(height(), folded);
    spec.workload = spec::WorkloadKind::mlp;
    show(spec);
    context->Yield(3);
    IM_CHECK(!context->ItemExists("//###controls/###flash_conditions"));
  });
}

// The preset keeps the sizes; its parts lie in the folds, and each that is fused again needs less.
TEST_F(Stories, AStudentSeesWhatWritingOutCosts) {
  drive([this](ImGuiTestContext* context) {
    const auto has = [context](const char* item) {
      return context->ItemExists((std::string("//###controls/") + item).c_str());
    };
    const auto peak = [context] {
      context->Yield(2);
      const bool there = until(context, 60, [] { return prediction() != nullptr; });
      return there ? prediction()->run.log.peak_bytes() : 0;
    };
    spec::WorkloadSpec spec;
    spec.workload = spec::WorkloadKind::lm;
    IM_CHECK(spec::apply_presets("tiny", spec));
    spec.autocast = spec::Autocast::bf16;
    show(spec);
    const std::int64_t fused = peak();
    choose(context, "//###controls/###preset", "//$FOCUSED/###preset_as-written");
    IM_CHECK_EQ(state().history.spec().d_model, spec.d_model);
    IM_CHECK_EQ(state().history.spec().seq_len, spec.seq_len);
    const std::int64_t written = peak();
    IM_CHECK_GT(written, fused);
    for (const char* fold : {"//###controls/###more_precision", "//###controls/###more_model",
                             "//###controls/###more_attention"})
      click(context, fold);
    IM_CHECK(has("###silu/###fused") && has("###cross_entropy/###fused"));
    IM_CHECK(has("###products/###matmul") && has("###rope_fp32"));
    IM_CHECK(has("###mask/###head") || has("###mask"));
    click(context, "//###controls/###softmax/###fused");
    IM_CHECK(state().history.spec().softmax == spec::Form::fused);
    IM_CHECK_LT(peak(), written);
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1920, 1080}}) {
      resize(context, width, height);
      for (const auto language : {text::Language::en, text::Language::zh_cn}) {
        state().preferences.language = language;
        context->ScrollToItemY("//###controls/###more_model");
        context->Yield(3);
        picture(context, "written-" + std::to_string(width) + "-" + text::language_code(language));
      }
    }
    state().preferences.language = text::Language::en;
    // Another backend has nothing of these to write out.
    spec = state().history.spec();
    spec.backend = spec::AttentionBackend::flash;
    show(spec);
    context->Yield(3);
    IM_CHECK(!has("###softmax/###fused") && has("###silu/###fused"));
    for (const char* fold : {"//###controls/###more_precision", "//###controls/###more_model",
                             "//###controls/###more_attention"})
      click(context, fold);
  });
}

// Two pictures, the table, the sentences and the snapshot of A2-15, in one folder.
TEST_F(Stories, AStudentHandsInTheMemoryExercise) {
  drive([this](ImGuiTestContext* context) {
    press(context, ImGuiMod_Ctrl | ImGuiKey_5);
    fill(context, "//###lesson_gallery/###lesson_search", "a2-15", true);
    const auto lesson = [] { return state().lessons->shown(); };
    IM_CHECK(lesson() != nullptr && lesson()->lesson().id == "training-memory");
    click(context, "//###lesson_page/###lesson_run");
    IM_CHECK(until(context, 240, [&] { return lesson()->complete(); }));
    context->Yield(3);
    picture(context, "homework-1-run");
    fill(context, "//###lesson_page/###lesson_guess", "16", true);
    IM_CHECK(lesson()->guess().has_value());
    fill(context, "//###lesson_page/###lesson_answer_shape",
         "The forward rises as activations are kept, the backward falls.", false);
    press(context, ImGuiMod_Ctrl | ImGuiKey_S);
    const std::filesystem::path folder = lesson()->folder();
    IM_CHECK(until(context, 60, [&] { return has(folder, "report.html"); }));
    picture(context, "homework-2-saved");
    IM_CHECK_LE(actions(), 6);
    for (const char* name : {"step-forward/memory.png", "step-train/memory.png", "values.csv",
                             "values.md", "report.md", "report.tex", "step-train/snapshot.pickle"})
      IM_CHECK(has(folder, name));
    const std::string report = io::read_file(folder / "report.md").value_or("");
    for (const char* part : {"The forward rises as activations are kept", "step-forward/memory.png",
                             "step-train/memory.png", "step-train/snapshot.pickle"})
      IM_CHECK(report.find(part) != std::string::npos);
    // PyTorch's own page is made from it.
    const std::string viewer = "python3 -B '" TENSORSCOPE_SNAPSHOT_CHECK "' viewer '" +
                               (folder / "step-train/snapshot.pickle").string() +
                               "' '" TENSORSCOPE_MEMORY_VIZ "' > /dev/null";
    const int ended = std::system(viewer.c_str());
    constexpr int kCannotLook = 77;
    IM_CHECK(ended == 0 || WEXITSTATUS(ended) == kCannotLook);
    close_toasts(context);
  });
}

}  // namespace
}  // namespace ts::app::testing

// The bars of a lesson: own guess, measured, predicted, theory, published.
#include "views/lessons/lesson_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assets/assets.h"
#include "core/spec/gpu_catalogue.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/lessons/lesson_page.h"

namespace ts::views {
namespace {

using testing::RecordingSink;
using Kind = RecordingSink::Kind;

constexpr const char* kLesson = R"({
  "id": "x", "title": "X", "task": "x",
  "question": {"text": "?", "answer": "peak"},
  "steps": [{"id": "run", "title": "run", "laptop": {"kind": "run", "workload": "attention"}},
            {"id": "dry", "title": "dry", "laptop": {"kind": "predict", "workload": "attention"}}],
  "values": [
    {"id": "peak", "label": "Peak of both", "measured": "run.peak_bytes",
     "predicted": "dry.peak_bytes"},
    {"id": "alone", "label": "Measured alone", "measured": "run.median_ms"}]})";

class LessonFigureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto gpus = spec::GpuCatalogue::parse(assets::gpus());
    auto read = lessons::read_lesson(kLesson, "x", *gpus);
    ASSERT_TRUE(read.has_value()) << read.error().sentence;
    lesson_ = std::move(*read);
    const lessons::Documents documents = {
        {"run", {{"memory", {{"peak_allocated", 1000}}}, {"step_ms", {{"median", 2.0}}}}},
        {"dry", {{"peak_allocated", 4000}}}};
    findings_ = lessons::find(lesson_, lessons::Tier::laptop, documents);
  }
  LessonFigure figure() {
    return {theme(ThemeKind::light), {1},       texts_, lesson_,
            lessons::Tier::laptop,   findings_, guess_};
  }
  RecordingSink drawn() {
    RecordingSink sink;
    draw_lesson_figure(sink, {0, 0, 600, 400}, figure());
    return sink;
  }
  static bool says(const RecordingSink& sink, const std::string& words) {
    return std::ranges::any_of(sink.calls, [&](const RecordingSink::Call& call) {
      return call.kind == Kind::text && call.text == words;
    });
  }

  text::Texts texts_ = testing::program_texts();
  lessons::Lesson lesson_;
  lessons::Findings findings_;
  std::optional<lessons::Guess> guess_;
};

TEST_F(LessonFigureTest, ABarIsAsLongAsItsNumber) {
  const RecordingSink sink = drawn();
  const auto bar = std::ranges::find_if(sink.calls, [&](const RecordingSink::Call& call) {
    return call.kind == Kind::fill && call.color == theme(ThemeKind::light).accent;
  });
  ASSERT_NE(bar, sink.calls.end()) << "what was measured is filled";
  float left = 1e9F;
  float right = 0;
  for (const RecordingSink::Call& call : sink.calls) {
    if (call.kind != Kind::line && call.kind != Kind::polyline) continue;
    left = std::min(left, call.bounds.x0);
    right = std::max(right, call.bounds.x1);
  }
  EXPECT_NEAR(bar->bounds.width() * 4, right - left, 3) << "what was predicted is an outline";
  EXPECT_TRUE(says(sink, "Measured"));
  EXPECT_TRUE(says(sink, "Predicted"));
  EXPECT_TRUE(says(sink, "1,000 B"));
}

TEST_F(LessonFigureTest, OneNumberAloneIsNotCompared) {
  EXPECT_FALSE(says(drawn(), "Measured alone"));
  const float height = lesson_figure_height(figure());
  findings_.values[0].of[1].reset();
  EXPECT_LT(lesson_figure_height(figure()), height);
  EXPECT_EQ(lesson_figure_height(figure()), 0);
  EXPECT_TRUE(drawn().calls.empty());
}

TEST_F(LessonFigureTest, TheGuessStandsBesideWhatWasFound) {
  EXPECT_FALSE(says(drawn(), "Own guess"));
  guess_ = *lessons::parse_guess(lesson_, lessons::Tier::laptop, "2000 B");
  EXPECT_TRUE(says(drawn(), "Own guess"));
  EXPECT_TRUE(says(drawn(), "2000 B"));
}

TEST_F(LessonFigureTest, NothingIsOutsideTheArea) {
  guess_ = *lessons::parse_guess(lesson_, lessons::Tier::laptop, "1 GiB");
  for (const RecordingSink::Call& call : drawn().calls) {
    EXPECT_LE(call.bounds.x1, 601) << call.text;
    EXPECT_LE(call.bounds.y1, lesson_figure_height(figure()) + 1) << call.text;
  }
}

// The answer is no answer before there is a guess.
TEST_F(LessonFigureTest, NumbersAreHiddenUntilThereIsAGuess) {
  const LessonShown before{
      .lesson = lesson_, .tier = lessons::Tier::laptop, .findings = findings_, .guess = guess_};
  EXPECT_FALSE(numbers_are_shown(before));
  guess_ = *lessons::parse_guess(lesson_, lessons::Tier::laptop, "3 KiB");
  EXPECT_TRUE(numbers_are_shown(before));
  guess_.reset();
  lesson_.question.reset();
  EXPECT_TRUE(numbers_are_shown(before)) << "nothing is asked";
}

}  // namespace
}  // namespace ts::views

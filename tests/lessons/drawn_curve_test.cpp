// A guess that is drawn: what it is read from, how it grows, and how far it is from the truth.
#include "core/lessons/drawn_curve.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/spec/gpu_catalogue.h"

namespace ts::lessons {
namespace {

constexpr const char* kDrawn = R"json({
  "id": "drawn", "title": "a", "summary": "b", "task": "c",
  "question": {"text": "How?", "answer": "slope", "within_percent": 10,
    "curve": {"step": "curve", "series": "naive", "of": "peak_bytes", "laptop": "1 MiB:1 GiB"}},
  "steps": [{"id": "curve", "title": "d", "laptop": {"kind": "sweep", "workload": "attention",
    "preset": "acc1", "axes": ["T=128:1024:x2"], "series": ["backend=naive,flash"],
    "fit": "256:1024"}}],
  "values": [{"id": "slope", "label": "e", "measured": "curve.exponent_bytes(naive)"
}]
})json";

base::Result<Lesson> lesson_of(std::string json) {
  return read_lesson(json, "drawn", *spec::GpuCatalogue::parse("[]"));
}

std::string with(const std::string& from, const std::string& to) {
  std::string json = kDrawn;
  return json.replace(json.find(from), from.size(), to);
}

TEST(DrawnCurve, IsReadFromItsPoints) {
  const auto lesson = lesson_of(kDrawn);
  ASSERT_TRUE(lesson) << lesson.error().sentence;
  EXPECT_EQ(curve_places(*lesson, Tier::laptop), (std::vector<double>{128, 256, 512, 1024}));
  EXPECT_EQ(curve_range(*lesson->question->curve, Tier::laptop).high, 1024.0 * 1024 * 1024);
  const auto guess =
      parse_guess(*lesson, Tier::laptop, "1024:64 MiB, 512:16 MiB,256:4 MiB,128:3 MiB");
  ASSERT_TRUE(guess) << guess.error().sentence;
  // Over the range that the sweep fits: the flat beginning does not count.
  EXPECT_NEAR(guess->number, 2, 1e-9);
  EXPECT_EQ(curve_text(guess->points, Unit::bytes),
            "128:3145728,256:4194304,512:16777216,1024:67108864");
  for (const char* const wrong : {"", "128", "128:1 MiB", "128:1 MiB,200:2 MiB", "128:1,128:2",
                                  "128:1 MiB,256:0", "128:1 MiB,256:x"})
    EXPECT_FALSE(parse_guess(*lesson, Tier::laptop, wrong)) << wrong;
}

TEST(DrawnCurve, IsToldHowFarItIs) {
  const auto lesson = lesson_of(kDrawn);
  ASSERT_TRUE(lesson);
  const auto guess = parse_guess(*lesson, Tier::laptop, "256:2,512:4,1024:8");
  ASSERT_TRUE(guess);
  Findings findings;
  EXPECT_FALSE(curve_error(*lesson, Tier::laptop, findings, *guess));
  findings.curve.measured = {{128, 1}, {256, 1}, {512, 4}, {1024, 16}};
  const auto error = curve_error(*lesson, Tier::laptop, findings, *guess);
  ASSERT_TRUE(error);
  EXPECT_NEAR(error->slope, 1, 1e-9);
  EXPECT_NEAR(error->true_slope, 2, 1e-9);
  EXPECT_NEAR(error->ratio, 1, 1e-9);  // 2, 1 and 1/2 times the truth
}

TEST(DrawnCurve, AWrongOneIsNamed) {
  EXPECT_FALSE(lesson_of(with("\"of\": \"peak_bytes\"", "\"of\": \"peak\"")));
  EXPECT_FALSE(lesson_of(with("\"series\": \"naive\"", "\"series\": \"own\"")));
  EXPECT_FALSE(lesson_of(with("\"step\": \"curve\"", "\"step\": \"none\"")));
  EXPECT_FALSE(lesson_of(with("1 MiB:1 GiB", "1 GiB:1 MiB")));
  EXPECT_FALSE(lesson_of(with(", \"laptop\": \"1 MiB:1 GiB\"", "")));
}

}  // namespace
}  // namespace ts::lessons

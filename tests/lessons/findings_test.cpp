// The documents of steps in words: numbers in their columns, checks, sentences, guesses.
#include "core/lessons/findings.h"

#include <gtest/gtest.h>

#include "core/calculate/calculation_json.h"
#include "core/lessons/lesson_report.h"
#include "tests/lessons/example.h"

namespace ts::lessons {
namespace {

using testing::example_lesson;

nlohmann::json point(const char* series, int length, int peak, int predicted) {
  return {{"series", series},
          {"at", {{"T", length}}},
          {"status", "ok"},
          {"peak_allocated", peak},
          {"peak_predicted", predicted}};
}

Documents documents(int peak) {
  nlohmann::json sweep = {{"points",
                           {point("naive", 256, 1000, 1010), point("naive", 512, peak, 3500),
                            point("flash", 256, 10, 10), point("flash", 512, 20, 20)}},
                          {"fits", nlohmann::json::array()}};
  return {{"curve", std::move(sweep)}};
}

TEST(Findings, NumbersStandInTheColumnOfTheirNature) {
  const Lesson lesson = example_lesson();
  const Findings found = find(lesson, Tier::laptop, documents(3900));
  ASSERT_EQ(found.values.size(), 1U);
  const Cells& growth = found.values[0];
  EXPECT_DOUBLE_EQ(growth.in(Column::measured)->value, 3.9);
  EXPECT_EQ(growth.in(Column::measured)->nature, Nature::measured);
  EXPECT_NEAR(growth.in(Column::predicted)->value, 3500.0 / 1010, 1e-12);
  EXPECT_EQ(growth.in(Column::predicted)->nature, Nature::predicted);
  EXPECT_DOUBLE_EQ(growth.in(Column::theory)->value, 4);
  EXPECT_EQ(growth.in(Column::theory)->nature, Nature::theory);
  EXPECT_EQ(growth.in(Column::published)->nature, Nature::published);
  EXPECT_DOUBLE_EQ(found.answer->value, 3.9) << "what was measured is the answer";
}

// A formula and a simulation have columns of their own, and answer where nothing is measured.
TEST(Findings, TheoryAndSimulatedNumbersAreNeverMixed) {
  const auto lesson = read_lesson(testing::arithmetic_example(), "x", testing::gpus());
  ASSERT_TRUE(lesson.has_value()) << lesson.error().sentence;
  const Documents none;
  EXPECT_FALSE(find(*lesson, Tier::laptop, none).answer.has_value());
  Documents documents;
  const auto& memory = *lesson->steps[0].plans[0];
  documents["memory"] = to_json(*memory.calculation);
  const auto& bubbles = *lesson->steps[1].plans[0];
  documents["bubbles"] = to_json(
      *bubbles.experiment, {run_point(*bubbles.experiment, 0), run_point(*bubbles.experiment, 1)});
  EXPECT_EQ(memory.command, "calculate zero ranks=8");
  EXPECT_EQ(bubbles.command, "simulate pipeline micro_batches=4 --over pipeline_stages=2,4");
  const Findings found = find(*lesson, Tier::laptop, documents);
  const Cells& held = found.values[0];
  EXPECT_DOUBLE_EQ(held.in(Column::theory)->value, 22.75e9);
  EXPECT_EQ(text_of(*held.in(Column::theory), &lesson->values[0]), "22.75 GB");
  EXPECT_EQ(held.in(Column::theory)->nature, Nature::theory);
  const Cells& bubble = found.values[1];
  EXPECT_NEAR(bubble.in(Column::simulated)->value, 100 * 3.0 / 7, 1e-9);
  EXPECT_EQ(bubble.in(Column::simulated)->nature, Nature::simulated);
  EXPECT_EQ(bubble.in(Column::simulated)->unit, Unit::percent);
  for (const Column column : {Column::measured, Column::predicted}) {
    EXPECT_FALSE(held.in(column).has_value());
    EXPECT_FALSE(bubble.in(column).has_value());
  }
  EXPECT_EQ(found.answer->nature, Nature::theory);
  EXPECT_EQ(columns_of(*lesson, Tier::laptop),
            (std::vector{Column::theory, Column::simulated, Column::published}));
  // A folder's content may be of another version, or changed by hand.
  for (const char* const odd : {"null", "[]", "{\"terms\": 1, \"points\": [1]}", "\"x\""}) {
    const auto json = nlohmann::json::parse(odd);
    EXPECT_FALSE(
        find(*lesson, Tier::laptop, {{"memory", json}, {"bubbles", json}}).answer.has_value());
  }
}

// The rules of the backends, of the settings of a prediction.
TEST(Findings, WhetherABackendTakesTheSettings) {
  const QuantityRow& row = **find_quantity(StepKind::predict, "can_run");
  const auto can_run = [&](const char* type, const char* backend) {
    spec::WorkloadSpec settings;
    settings.device = spec::DeviceKind::cuda;
    EXPECT_TRUE(spec::set_field(settings, "workload", "attention"));
    EXPECT_TRUE(spec::set_field(settings, "dtype", type));
    return read_quantity(row, {{"spec", to_json(settings)}}, backend);
  };
  EXPECT_EQ(can_run("fp16", "flash"), 1);
  EXPECT_EQ(can_run("fp32", "flash"), 0);
  EXPECT_EQ(can_run("fp32", "math"), 1);
  EXPECT_EQ(can_run("fp32", "flesh"), std::nullopt);
  EXPECT_EQ(read_quantity(row, {{"spec", 1}}, "flash"), std::nullopt);
}

// A card is only predicted for, whatever a document says.
TEST(Findings, NothingIsMeasuredOnACard) {
  const Lesson lesson = example_lesson();
  const Findings found = find(lesson, Tier::gb8, documents(3900));
  EXPECT_FALSE(found.values[0].in(Column::measured).has_value());
  EXPECT_TRUE(found.values[0].in(Column::predicted).has_value());
  EXPECT_EQ(found.answer->nature, Nature::predicted);
  EXPECT_TRUE(found.checks.empty()) << "the check is of what is measured";
  EXPECT_TRUE(found.sentences.empty());
}

TEST(Findings, AChecksStateFollowsTheNumber) {
  const Lesson lesson = example_lesson();
  EXPECT_EQ(find(lesson, Tier::laptop, {}).checks.at(0).state, CheckState::waiting);
  EXPECT_EQ(find(lesson, Tier::laptop, documents(3900)).checks.at(0).state, CheckState::passed);
  EXPECT_EQ(find(lesson, Tier::laptop, documents(2000)).checks.at(0).state, CheckState::passed)
      << "at least means with it";
  EXPECT_EQ(find(lesson, Tier::laptop, documents(1999)).checks.at(0).state, CheckState::failed);
}

TEST(Findings, EqualsHasItsTolerance) {
  Lesson lesson = example_lesson();
  Check& check = lesson.checks[0];
  check.at_least.reset();
  check.equals = *parse_expression("growth.theory");
  const auto state = [&] { return find(lesson, Tier::laptop, documents(3900)).checks.at(0).state; };
  EXPECT_EQ(state(), CheckState::failed);
  check.within = 0.1001;
  EXPECT_EQ(state(), CheckState::passed);
  check.within_percent = 1;
  EXPECT_EQ(state(), CheckState::failed);
  check.within_percent = 3;
  EXPECT_EQ(state(), CheckState::passed);
}

TEST(Findings, ASentenceIsSaidOnceAllItsNumbersAreThere) {
  const Lesson lesson = example_lesson();
  EXPECT_TRUE(find(lesson, Tier::laptop, {}).sentences.empty());
  const Findings found = find(lesson, Tier::laptop, documents(3900));
  ASSERT_EQ(found.sentences.size(), 1U);
  EXPECT_EQ(filled(lesson, found, lesson.sentences[0].text.in(text::Language::en)),
            "The peak grows 3.90 \xc3\x97.");
}

TEST(Findings, AGuessIsANumberInTheUnitOfTheAnswer) {
  Lesson lesson = example_lesson();
  EXPECT_DOUBLE_EQ(parse_guess(lesson, Tier::laptop, "4")->number, 4);
  EXPECT_DOUBLE_EQ(parse_guess(lesson, Tier::laptop, "4.5x")->number, 4.5);
  for (const char* const text : {"", "four", "4 GiB", "nan"}) {
    EXPECT_FALSE(parse_guess(lesson, Tier::laptop, text).has_value()) << text;
  }
  lesson.values[0].columns[0] = *parse_expression("curve.peak_bytes(naive, T = 512)");
  EXPECT_DOUBLE_EQ(parse_guess(lesson, Tier::laptop, "2 MiB")->number, 2 << 20);
  lesson.values[0].shown_in = "MiB";
  EXPECT_DOUBLE_EQ(parse_guess(lesson, Tier::laptop, "2")->number, 2 << 20);
  lesson.values[0].columns[0] = *parse_expression("curve.median_ms(naive, T = 512)");
  EXPECT_DOUBLE_EQ(parse_guess(lesson, Tier::laptop, "1.5 s")->number, 1500);
  EXPECT_DOUBLE_EQ(parse_guess(lesson, Tier::laptop, "7")->number, 7);
}

TEST(Findings, AGuessIsRightWithinItsTolerance) {
  const Lesson lesson = example_lesson();
  const Findings found = find(lesson, Tier::laptop, documents(4000));
  const auto right = [&](const char* text) {
    return *is_right(lesson, found, *parse_guess(lesson, Tier::laptop, text));
  };
  EXPECT_TRUE(right("4"));
  EXPECT_TRUE(right("3.2"));
  EXPECT_FALSE(right("3.1"));
  EXPECT_FALSE(
      is_right(lesson, find(lesson, Tier::laptop, {}), *parse_guess(lesson, Tier::laptop, "4"))
          .has_value());
}

TEST(Findings, TheMeasuredNumberSaysWhichChoiceIsTrue) {
  Lesson lesson = example_lesson();
  Words text;
  text.of.fill("x");
  lesson.question->choices = {{text, std::nullopt, 3}, {text, 3, 5}, {text, 5, std::nullopt}};
  EXPECT_EQ(true_choice(lesson, find(lesson, Tier::laptop, documents(4000))), 1U);
  EXPECT_EQ(true_choice(lesson, find(lesson, Tier::laptop, documents(3000))), 1U) << "from 3 on";
  EXPECT_EQ(true_choice(lesson, find(lesson, Tier::laptop, documents(5000))), 2U);
  EXPECT_FALSE(true_choice(lesson, find(lesson, Tier::laptop, {})).has_value());
  EXPECT_FALSE(parse_guess(lesson, Tier::laptop, "4").has_value()) << "there are three";
  EXPECT_FALSE(parse_guess(lesson, Tier::laptop, "0").has_value());
  EXPECT_EQ(parse_guess(lesson, Tier::laptop, "2")->choice, 1U);
}

TEST(Findings, ADocumentOfAnotherShapeHasNoNumbers) {
  const Lesson lesson = example_lesson();
  for (const char* const json : {"{}", "null", "[]", R"({"points": [[]]})", R"({"points": 3})"}) {
    const Findings found = find(lesson, Tier::laptop, {{"curve", nlohmann::json::parse(json)}});
    EXPECT_FALSE(found.values[0].in(Column::measured).has_value()) << json;
  }
}

TEST(Findings, BytesAreShownInTheUnitThatIsAskedFor) {
  Value value;
  value.shown_in = "MiB";
  value.decimals = 3;
  EXPECT_EQ(text_of({2189695488.0, Unit::bytes}, &value), "2,088.256 MiB");
  EXPECT_EQ(text_of({2189695488.0, Unit::bytes}), "2.04 GiB");
  EXPECT_EQ(text_of({3.9, Unit::ratio}), "3.90 \xc3\x97");
}

TEST(LessonReport, PagesEscapeWhatTheyQuote) {
  const std::vector<io::Block> blocks = {{io::Block::Kind::title, "a < b & c", {}},
                                         {io::Block::Kind::text, "<script>1</script>", {}}};
  const std::string page = to_html(blocks, text::Language::en);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
}

}  // namespace
}  // namespace ts::lessons

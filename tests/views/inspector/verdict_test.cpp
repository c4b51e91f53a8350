// The sentence of the verdict: its words and the room that they have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/text/message.h"
#include "tests/views/inspector/inspector_run.h"
#include "tests/views/recording_sink.h"
#include "views/inspector/inspector_view.h"

namespace ts::views {
namespace {

using testing::InspectorRows;
using testing::kMiB;

TEST_F(InspectorRows, while_a_run_goes_on_the_verdict_stays) {
  predict::Outlook outlook;
  auto forecast = std::make_shared<predict::Forecast>();
  forecast->prediction.sentence.sentence = "Fits on a card";
  outlook.target = forecast;
  ViewContext view = context();
  view.outlook = &outlook;
  run_.stage = run::Stage::recording;
  run_.fraction = 0.25F;
  const ShownVerdict words = verdict_text(view, {});
  EXPECT_EQ(words.sentence, "Fits on a card");
  EXPECT_EQ(words.remark, "Recording: 25 %");
}

// Larger lengths may fit again: nothing is said of them before they were asked.
TEST_F(InspectorRows, the_edge_is_stated_with_both_of_its_sides) {
  predict::Outlook outlook;
  auto forecast = std::make_shared<predict::Forecast>();
  forecast->prediction.sentence.sentence = "Fits on a card";
  outlook.target = forecast;
  outlook.edges = {{.field = spec::Field::T, .first_too_large = 2304, .last_that_fits = 2048}};
  ViewContext view = context();
  view.outlook = &outlook;
  view.memory.kind = MemorySource::Kind::predicted;
  EXPECT_EQ(verdict_text(view, {}).sentence, "Fits on a card");
  EXPECT_EQ(verdict_text(view, {}).edge, "On the slider T = 2,048 fits, 2,304 does not");
  predict::EdgeHunt& exact = outlook.edges.front().exact.emplace();
  exact.fits = 2287;
  exact.oom = 2288;
  EXPECT_EQ(verdict_text(view, {}).edge, "T = 2,287 fits, 2,288 does not");
  // As the page of the hunt says it.
  exact.probes = {{{2287}, {predict::Fit::fits_after_flush, 1, {}}}};
  EXPECT_EQ(verdict_text(view, {}).edge,
            "T = 2,287 fits after a flush of the cache, 2,288 does not");
  exact.again = {{2307, 2318}};
  EXPECT_EQ(verdict_text(view, {}).edge, "All T up to 2,287 fit, some up to 2,318");
}

// The size of the verdict never changes. Every sentence about a card has room in the panel, in
// every language, and with its edge on the projector.
TEST_F(InspectorRows, the_sentence_of_a_prediction_has_room_in_its_full_size) {
  const base::Message sentences[] = {
      text::message("prediction.fits", {{"target", "RTX 4060 Laptop"},
                                        {"needed", "14.70 GiB"},
                                        {"memory", "24.00 GiB"},
                                        {"spare", "19.30 GiB"}}),
      text::message("prediction.fits_after_flush",
                    {{"target", "RTX 4060 Laptop"}, {"times", "12"}}),
      text::message("prediction.oom_module", {{"target", "RTX 4060 Laptop"},
                                              {"missing", "137.36 GiB"},
                                              {"needed", "161.36 GiB"},
                                              {"op", "aten::_softmax"},
                                              {"module", "blocks.11.attn"},
                                              {"asked", "10.12 GiB"}}),
      text::message(
          "prediction.oom_pieces",
          {{"target", "RTX 4060 Laptop"}, {"op", "aten::_softmax"}, {"asked", "10.12 GiB"}})};
  for (const text::Language language :
       {text::Language::en, text::Language::zh_cn, text::Language::zh_tw}) {
    texts_.choose(language);
    for (const base::Message& sentence : sentences) {
      SCOPED_TRACE(sentence.sentence);
      predict::Outlook outlook;
      auto forecast = std::make_shared<predict::Forecast>();
      forecast->prediction.sentence = sentence;
      outlook.target = forecast;
      outlook.edges = {{.field = spec::Field::T, .first_too_large = 2304, .last_that_fits = 2048}};
      predict::EdgeHunt& exact = outlook.edges.front().exact.emplace();
      exact.fits = 2287;
      exact.oom = 2288;
      exact.again = {{2307, 2318}};
      ViewContext view = context();
      view.outlook = &outlook;
      view.memory.kind = MemorySource::Kind::predicted;
      const ShownVerdict words = verdict_text(view, {});
      testing::RecordingSink sink;
      const PlacedVerdict panel = place_verdict(sink, texts_, words, 302, 4);
      EXPECT_FALSE(panel.cut) << panel.lines.back();
      EXPECT_LE(panel.lines.size(), 4U);
      // Either in the sentence or, if there is no room, in the remark: never lost.
      std::string all = panel.remark;
      for (const std::string& line : panel.lines) all += line;
      EXPECT_THAT(all, ::testing::HasSubstr("2,318"));
      testing::RecordingSink wall(1.6F);
      EXPECT_FALSE(place_verdict(wall, texts_, words, 1826, 1).cut);
    }
  }
}

// A sentence from outside ends in an ellipsis; it is not drawn smaller and takes no more lines.
TEST_F(InspectorRows, a_long_sentence_is_cut_at_the_last_line) {
  ShownVerdict words;
  for (int i = 0; i < 40; ++i) words.sentence += "a corpus that is gone ";
  testing::RecordingSink sink;
  const PlacedVerdict placed = place_verdict(sink, texts_, words, 302, 4);
  EXPECT_TRUE(placed.cut);
  ASSERT_EQ(placed.lines.size(), 4U);
  EXPECT_TRUE(placed.lines.back().ends_with("\u2026"));
}

// A run here says nothing of a card that cannot run the settings.
TEST_F(InspectorRows, what_a_card_cannot_run_stays_said_after_a_run_here) {
  predict::Outlook outlook;
  outlook.spec.target_gpu = "RTX 4090";
  outlook.problem.sentence = "CUDA has no fp32 kernel of flash";
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  run_.finished = true;
  ViewContext view = context();
  view.outlook = &outlook;
  const ShownVerdict words = verdict_text(view, {});
  EXPECT_EQ(words.sentence, "Cannot run on RTX 4090");
  EXPECT_THAT(words.remark, ::testing::HasSubstr("CUDA has no fp32 kernel of flash"));
  EXPECT_THAT(words.remark, ::testing::HasSubstr("Run on this machine"));
  // Where it ran is said once.
  record(memory::Action::alloc, 1, kMiB, 1);
  run_.limit = 1024 * kMiB;
  EXPECT_EQ(verdict_text(view, {}).remark,
            "CUDA has no fp32 kernel of flash\nRan on this machine with a peak of 1.00 MiB");
}

// The prediction stays, and why there is no more than it.
TEST_F(InspectorRows, a_run_that_failed_before_it_allocated_anything_says_why) {
  predict::Outlook outlook;
  auto forecast = std::make_shared<predict::Forecast>();
  forecast->prediction.sentence.sentence = "Fits on a card";
  outlook.target = forecast;
  run_.finished = true;
  run_.verdict = run::Verdict::failed;
  run_.failure.sentence = "The corpus is gone";
  ViewContext view = context();
  view.outlook = &outlook;
  view.memory.kind = MemorySource::Kind::predicted;
  const ShownVerdict words = verdict_text(view, {});
  EXPECT_EQ(words.sentence, "Fits on a card");
  EXPECT_EQ(words.remark, "Run on this machine: Failed. The corpus is gone");
  view.stale = "naive, T = 512";
  EXPECT_EQ(verdict_text(view, {}).remark.find("The corpus"), std::string::npos);
}

}  // namespace
}  // namespace ts::views

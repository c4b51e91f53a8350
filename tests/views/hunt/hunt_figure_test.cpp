// The map of a hunt, drawn into a recorder.
#include "views/hunt/hunt_figure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/predict/hunt_table.h"
#include "core/text/numbers.h"
#include "tests/views/contrast_of.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/hunt/hunt_controls.h"
#include "views/hunt/hunt_text.h"

namespace ts::views {
namespace {

using testing::RecordingSink;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// Needs B * T / 1024 GiB of 24; more than 20 is tight.
predict::HuntMap made_map(predict::MapDepth depth) {
  predict::HuntMap map({}, *predict::parse_hunt_axis("T=1024:16384"),
                       *predict::parse_hunt_axis("B=1:16"), 5);
  const predict::Probe probe =
      [](const spec::WorkloadSpec& spec) -> base::Result<predict::ProbeAnswer> {
    const std::int64_t needed = spec.batch * spec.seq_len * kGiB / 1024;
    const predict::Fit fit = needed > 24 * kGiB   ? predict::Fit::oom
                             : needed > 15 * kGiB ? predict::Fit::fits_after_flush
                                                  : predict::Fit::fits;
    return predict::ProbeAnswer{fit, needed, {"A reason", {}, {}}};
  };
  EXPECT_TRUE(predict::fill(map, depth, probe, {}, {}));
  return map;
}

class HuntFigureTest : public ::testing::Test {
 protected:
  std::optional<std::size_t> draw(const predict::HuntMap& map, Rect area, Point mouse = {-1, -1},
                                  std::optional<std::size_t> selected = std::nullopt) {
    sink_ = RecordingSink();
    const HuntFigure figure{map, 24 * kGiB, texts_, theme(ThemeKind::dark), {1}, selected, mouse};
    return draw_hunt_figure(sink_, area, figure);
  }
  [[nodiscard]] bool says(const std::string& words) const {
    return std::any_of(sink_.calls.begin(), sink_.calls.end(),
                       [&](const RecordingSink::Call& call) {
                         return call.text.find(words) != std::string::npos;
                       });
  }
  text::Texts texts_ = testing::program_texts();
  RecordingSink sink_;
};

// Larger sizes may fit again after a flush: the largest of all is said, and where the others lie.
TEST_F(HuntFigureTest, TheLargestIsNotSaidBeforeLargerOnesWereAsked) {
  predict::EdgeHunt edge;
  edge.fits = 2287;
  edge.oom = 2288;
  predict::HuntProgress hunt{.id = 1,
                             .target = {},
                             .map = made_map(predict::MapDepth::frontier),
                             .other = std::nullopt,
                             .exact = predict::ExactEdge{16, edge},
                             .problem = {},
                             .frontier_after = std::nullopt};
  hunt.target.name = "RTX 4090";
  EXPECT_EQ(exact_sentence(hunt, 16, texts_), "");
  hunt.running = true;
  EXPECT_EQ(hunt_sentence(hunt, 16, texts_), "Computing the map of the new settings");
  hunt.frontier_after = 0.1;
  EXPECT_EQ(hunt_sentence(hunt, 16, texts_),
            "At B = 16, T = 2,287 fits RTX 4090 and 2,288 does not; larger ones are being asked");
  EXPECT_TRUE(hunt_sentence(hunt, 8, texts_).starts_with("At B = 8 the largest T on this map"));
  hunt.exact->searched_above = true;
  EXPECT_EQ(exact_sentence(hunt, 16, texts_),
            "At B = 16 the largest T that fits RTX 4090 is 2,287");
  EXPECT_EQ(exact_gaps(hunt, 16, texts_), "");
  EXPECT_EQ(exact_sentence(hunt, 8, texts_), "") << "another row";
  hunt.exact->edge.again = {{2307, 2318}, {2330, 2330}};
  EXPECT_EQ(exact_sentence(hunt, 16, texts_),
            "At B = 16 the largest T that fits RTX 4090 is 2,330");
  EXPECT_EQ(exact_gaps(hunt, 16, texts_),
            "Not every smaller one does: all up to 2,287, then 2,307 to 2,318, 2,330");
  EXPECT_EQ(exact_gaps(hunt, 8, texts_), "") << "another row";
}

TEST_F(HuntFigureTest, ShowsEveryNumberAndBoundsWhereItInferred) {
  const Rect area{0, 0, 900, 500};
  draw(made_map(predict::MapDepth::every_cell), area);
  for (const char* words : {"1.0", "16.0", "256", "1,024", "16,384", "B \\ T"}) {
    EXPECT_TRUE(says(words)) << words;
  }
  EXPECT_FALSE(says(">"));
  draw(made_map(predict::MapDepth::frontier), area);
  EXPECT_TRUE(says(">"));
  EXPECT_TRUE(says("<"));
  EXPECT_EQ(sink_.open_clips(), 0U);
  for (const RecordingSink::Call& call : sink_.calls) {
    EXPECT_GE(call.seen().x0, area.x0);
    EXPECT_LE(call.seen().x1, area.x1 + 1) << call.text;
    EXPECT_LE(call.seen().y1, area.y1 + 1) << call.text;
  }
}

TEST_F(HuntFigureTest, SmallNeedsAreNotZeros) {
  predict::HuntMap map({}, *predict::parse_hunt_axis("T=1:16"), *predict::parse_hunt_axis("B=1:16"),
                       5);
  const predict::Probe probe =
      [](const spec::WorkloadSpec& spec) -> base::Result<predict::ProbeAnswer> {
    return predict::ProbeAnswer{
        predict::Fit::fits, spec.batch * spec.seq_len << 20, {"A reason", {}, {}}};
  };
  ASSERT_TRUE(predict::fill(map, predict::MapDepth::every_cell, probe, {}, {}));
  draw(map, {0, 0, 900, 500});
  EXPECT_TRUE(says("Memory needed, MiB"));
  EXPECT_TRUE(says("1.0"));
  EXPECT_TRUE(says("256"));
  EXPECT_FALSE(says("0.0"));
  // Beside needs above the card's the unit is that of the card.
  EXPECT_EQ(predict::grid_unit(map, std::int64_t{1} << 30), 'M');
  EXPECT_EQ(predict::grid_unit(map, std::int64_t{100} << 10), 'K');
  EXPECT_EQ(predict::grid_unit(made_map(predict::MapDepth::frontier), 24 * kGiB), 'G');
  EXPECT_EQ(predict::grid_text(map.cell(0), 'G'), "0.001");
  EXPECT_EQ(predict::grid_text(map.cell(0), 'M', true), "1.0");
}

TEST_F(HuntFigureTest, ANumberThatIsTooWideStandsInALargerUnit) {
  predict::HuntMap map({}, *predict::parse_hunt_axis("T=1:1024"),
                       *predict::parse_hunt_axis("B=1:1024"), 11);
  const predict::Probe probe =
      [](const spec::WorkloadSpec& spec) -> base::Result<predict::ProbeAnswer> {
    return predict::ProbeAnswer{
        predict::Fit::fits, spec.batch * spec.seq_len << 20, {"A reason", {}, {}}};
  };
  ASSERT_TRUE(predict::fill(map, predict::MapDepth::every_cell, probe, {}, {}));
  const HuntFigure figure{.map = map,
                          .memory = kGiB / 2,
                          .texts = texts_,
                          .theme = theme(ThemeKind::dark),
                          .metrics = {1},
                          .selected = std::nullopt,
                          .mouse = {-1, -1}};
  draw_hunt_figure(sink_, {0, 0, 520, 500}, figure);
  EXPECT_TRUE(says("Memory needed, MiB"));
  EXPECT_TRUE(says("512"));
  EXPECT_TRUE(says("1.0T")) << "1,048,576 MiB are wider than a cell";
}

TEST(HuntWords, LargeSizesHaveTheUnitOfTheReasonBesideThem) {
  OneUnit mib;
  mib.size = 1024.0 * 1024;
  mib.name = "MiB";
  EXPECT_EQ(hunt_size(mib, 9999LL << 20), "9,999 MiB");
  EXPECT_EQ(hunt_size(mib, 136LL << 30), text::bytes(136LL << 30).joined());
}

TEST_F(HuntFigureTest, EveryNumberIsReadableOnItsCell) {
  for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
    for (const predict::MapDepth depth :
         {predict::MapDepth::frontier, predict::MapDepth::every_cell}) {
      const predict::HuntMap map = made_map(depth);
      sink_ = RecordingSink();
      const HuntFigure figure{map, 24 * kGiB, texts_, theme(kind), {1}, 3, {-1, -1}};
      draw_hunt_figure(sink_, {0, 0, 900, 500}, figure);
      const auto worst = testing::worst_contrast(sink_, theme(kind).surface);
      EXPECT_GE(worst.contrast, kReadable) << worst.text;
    }
  }
}

TEST_F(HuntFigureTest, WithoutRoomForADecimalThereIsNone) {
  const predict::HuntMap map = made_map(predict::MapDepth::every_cell);
  draw(map, {0, 0, 180, 500});
  EXPECT_TRUE(says("16"));
  EXPECT_FALSE(says("16.0"));
  EXPECT_FALSE(says("64.0"));
}

TEST_F(HuntFigureTest, TheLegendNamesWhatIsThereAndLosesTheFrontierFirst) {
  predict::HuntMap map = made_map(predict::MapDepth::every_cell);
  draw(map, {0, 0, 900, 500});
  EXPECT_TRUE(says("fits"));
  EXPECT_TRUE(says("frontier"));
  EXPECT_FALSE(says("confirmed")) << "no cell was run";
  map.confirm(0, {true, kGiB});
  draw(map, {0, 0, 900, 500});
  EXPECT_TRUE(says("confirmed"));
  draw(map, {0, 0, 480, 500});
  EXPECT_TRUE(says("fits"));
  EXPECT_TRUE(says("OOM"));
  EXPECT_FALSE(says("frontier"));
}

// A map may have cells of both kinds that are no neighbours, as far as is known.
TEST_F(HuntFigureTest, AFrontierThatIsNotDrawnIsNotNamed) {
  predict::HuntMap map({}, *predict::parse_hunt_axis("T=1024:16384"),
                       *predict::parse_hunt_axis("B=1:16"), 5);
  map.tell(0, {predict::Fit::fits, kGiB, {}});
  map.tell(map.size() - 1, {predict::Fit::oom, 100 * kGiB, {}});
  predict::HuntMap other = map;
  sink_ = RecordingSink();
  const HuntFigure figure{map,      24 * kGiB, texts_, theme(ThemeKind::dark), {1}, std::nullopt,
                          {-1, -1}, &other,    "flash"};
  draw_hunt_figure(sink_, {0, 0, 900, 500}, figure);
  EXPECT_TRUE(says("OOM"));
  EXPECT_FALSE(says("frontier"));
}

// As in the cells of the map, whatever their size.
TEST_F(HuntFigureTest, TheBisectionHasTheUnitOfTheMap) {
  predict::EdgeHunt edge;
  edge.probes = {{{1}, {predict::Fit::fits, 3 << 20, {}}},
                 {{1536}, {predict::Fit::fits, kGiB * 24 - (8 << 20), {}}},
                 {{1537},
                  {predict::Fit::oom,
                   kGiB * 24 + (8 << 20),
                   {"",
                    "prediction.oom",
                    {{"missing", "8.00 MiB"}, {"asked", "1.00 GiB"}, {"op", "aten::bmm"}}}}}};
  predict::HuntProgress hunt{.id = 1,
                             .target = {},
                             .map = made_map(predict::MapDepth::frontier),
                             .other = std::nullopt,
                             .exact = predict::ExactEdge{16, edge},
                             .problem = {},
                             .frontier_after = std::nullopt};
  hunt.target.memory = 24 * kGiB;
  const auto rows = bisection_rows(hunt, 16, texts_);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].size, "0.00293 GiB");
  EXPECT_EQ(rows[1].size, "23.99 GiB");
  EXPECT_EQ(rows[2].size, "24.01 GiB");
  const std::vector<std::string> reasons = {"8.00 MiB missing, 1.00 GiB for aten::bmm",
                                            "1.00 GiB for aten::bmm", "8.00 MiB missing"};
  EXPECT_EQ(rows[2].reasons, reasons);
  EXPECT_FALSE(bisection_awaited(hunt, 16));
  EXPECT_TRUE(bisection_rows(hunt, 8, texts_).empty()) << "of another row";
  EXPECT_TRUE(bisection_awaited(hunt, 8));
}

// Also of a workload whose steps leave memory behind.
TEST_F(HuntFigureTest, EveryAnswerOfAPredictionHasWordsForARow) {
  int answers = 0;
  for (const char* const answer : {"fits", "fits_after_flush", "fits_steps", "oom", "oom_module",
                                   "oom_pieces", "oom_pieces_module"}) {
    const std::string key = "prediction." + std::string(answer);
    ASSERT_NE(std::string(texts_(key)), key) << "an answer that there is";
    const std::string words = short_reason(texts_, {"", key, {{"spare", "1.00 GiB"}}});
    EXPECT_EQ(words.find("hunt.log"), std::string::npos) << words;
    ++answers;
  }
  const auto english = text::Catalogue::parse(assets::locale_en());
  ASSERT_TRUE(english);
  for (const auto& [key, words] : english->entries()) {
    answers -= key.starts_with("prediction.short.") ? 1 : 0;
  }
  EXPECT_EQ(answers, 0) << "every answer is tried";
}

TEST_F(HuntFigureTest, TheSecondLineSaysWhatTheMapIsOfAndHowLongItTook) {
  predict::HuntProgress hunt{.id = 1,
                             .target = {},
                             .map = made_map(predict::MapDepth::every_cell),
                             .other = std::nullopt,
                             .exact = std::nullopt,
                             .running = false,
                             .problem = {},
                             .frontier_after = 0.0042};
  EXPECT_EQ(hunt_state(hunt, texts_),
            "All 25 cells asked by 25 dry runs; the frontier was known after 4.20 ms");
  const std::string settings = hunt_settings(hunt, texts_);
  for (const char* const word : {"Attention", "naive", "fp32"})
    EXPECT_NE(settings.find(word), std::string::npos) << settings;
}

TEST_F(HuntFigureTest, TheRingOfALowCellLeavesItsNumberFree) {
  predict::HuntMap map = made_map(predict::MapDepth::every_cell);
  map.confirm(0, {true, kGiB});
  for (const float height : {180.0F, 500.0F}) {
    draw(map, {0, 0, 900, height});
    const auto number =
        std::find_if(sink_.calls.begin(), sink_.calls.end(),
                     [](const RecordingSink::Call& call) { return call.text == "1.0"; });
    // The last outline; one before it is in the legend.
    const auto ring = std::find_if(
        sink_.calls.rbegin(), sink_.calls.rend(),
        [](const RecordingSink::Call& call) { return call.kind == RecordingSink::Kind::outline; });
    ASSERT_NE(ring, sink_.calls.rend());
    ASSERT_NE(number, sink_.calls.end());
    EXPECT_LE(ring->bounds.y0, number->bounds.y0) << height;
    EXPECT_GE(ring->bounds.y1, number->bounds.y1) << height;
  }
}

// The column of the settings has its label where its neighbours leave no room for it.
TEST_F(HuntFigureTest, TheChosenColumnHasItsLabel) {
  const predict::HuntMap map = made_map(predict::MapDepth::frontier);
  for (float width = 240; width < 900; width += 60) {
    for (std::size_t column = 0; column < map.x_values().size(); ++column) {
      sink_ = RecordingSink();
      draw_hunt_figure(sink_, {0, 0, width, 400},
                       {.map = map,
                        .memory = 0,
                        .texts = texts_,
                        .theme = theme(ThemeKind::dark),
                        .metrics = {1},
                        .selected = column});
      EXPECT_TRUE(says(text::grouped(map.x_values()[column]))) << width << ", " << column;
    }
  }
}

TEST_F(HuntFigureTest, LargeSizesOfACellHaveASeparator) {
  const predict::HuntMap map = made_map(predict::MapDepth::frontier);
  const std::string last = cell_place(map, map.size() - 1);
  ASSERT_GE(map.x_values().back(), 1000);
  EXPECT_NE(last.find(text::grouped(map.x_values().back())), std::string::npos) << last;
}

TEST_F(HuntFigureTest, EveryCellIsFoundByTheMouse) {
  const predict::HuntMap map = made_map(predict::MapDepth::frontier);
  const Rect area{0, 0, 900, 500};
  std::vector<bool> found(map.size());
  for (float y = 1; y < area.y1; y += 13) {
    for (float x = 1; x < area.x1; x += 13) {
      if (const auto cell = draw(map, area, {x, y})) {
        found[*cell] = true;
        EXPECT_TRUE(says(cell_place(map, *cell)));
      }
    }
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), true), 25);
}

TEST_F(HuntFigureTest, ConfirmedCellsAreRingedAndContradictedOnesMarked) {
  predict::HuntMap map = made_map(predict::MapDepth::every_cell);
  const Rect area{0, 0, 900, 500};
  draw(map, area);
  const std::size_t outlines = sink_.count(RecordingSink::Kind::outline);
  const std::size_t lines = sink_.count(RecordingSink::Kind::line);
  map.confirm(0, {true, kGiB});
  draw(map, area);
  EXPECT_EQ(sink_.count(RecordingSink::Kind::outline), outlines + 2) << "and that of the legend";
  EXPECT_EQ(sink_.count(RecordingSink::Kind::line), lines);
  map.confirm(24, {true, kGiB});
  draw(map, area, {-1, -1}, 3);
  EXPECT_EQ(sink_.count(RecordingSink::Kind::outline), outlines + 4) << "and the selected one";
  EXPECT_EQ(sink_.count(RecordingSink::Kind::line), lines + 1);
}

TEST_F(HuntFigureTest, ASecondFrontierIsDashedAndNamed) {
  const predict::HuntMap map = made_map(predict::MapDepth::frontier);
  predict::HuntMap other({}, map.x(), map.y(), 5);
  ASSERT_TRUE(
      predict::fill(other, predict::MapDepth::frontier,
                    [](const spec::WorkloadSpec& spec) -> base::Result<predict::ProbeAnswer> {
                      const bool over = spec.batch > 4;
                      return predict::ProbeAnswer{
                          over ? predict::Fit::oom : predict::Fit::fits, 1, {"A reason", {}, {}}};
                    },
                    {}, {}));
  const Rect area{0, 0, 900, 500};
  draw(map, area);
  const std::size_t before = sink_.count(RecordingSink::Kind::fill);
  EXPECT_FALSE(says("flash frontier"));
  sink_ = RecordingSink();
  const HuntFigure figure{map,      24 * kGiB, texts_, theme(ThemeKind::dark), {1}, std::nullopt,
                          {-1, -1}, &other,    "flash"};
  draw_hunt_figure(sink_, area, figure);
  EXPECT_TRUE(says("flash frontier"));
  EXPECT_GT(sink_.count(RecordingSink::Kind::fill), before + 20);
}

TEST_F(HuntFigureTest, WhatRunsConfirmedIsOneSentence) {
  predict::HuntMap map = made_map(predict::MapDepth::every_cell);
  EXPECT_EQ(confirmed_sentence(map, texts_), "");
  map.confirm(0, {true, kGiB});
  map.confirm(24, {true, kGiB});
  EXPECT_EQ(confirmed_sentence(map, texts_), "2 cells confirmed, 1 not as predicted");
  map.tell(1, {predict::Fit::fits, 1000, {}, 1010});
  map.confirm(1, {true, 1000});
  EXPECT_EQ(confirmed_sentence(map, texts_),
            "3 cells confirmed, 1 not as predicted, worst error of a peak +1.0 %");
}

TEST(HuntEdit, ComparesAnotherBackendOnly) {
  spec::WorkloadSpec spec;
  HuntEdit edit;
  EXPECT_FALSE(compared_spec(edit, spec));
  edit.compare = spec.backend;
  EXPECT_FALSE(compared_spec(edit, spec));
  edit.compare = spec::AttentionBackend::flash;
  ASSERT_TRUE(compared_spec(edit, spec));
  EXPECT_EQ(compared_spec(edit, spec)->backend, spec::AttentionBackend::flash);
  spec.workload = spec::WorkloadKind::mlp;
  EXPECT_FALSE(compared_spec(edit, spec));
}

TEST_F(HuntFigureTest, TheSentenceIsThatOfTheRow) {
  const predict::HuntMap map = made_map(predict::MapDepth::frontier);
  const auto sentence = [&](std::int64_t batch) {
    return frontier_sentence(map, "a card", batch, texts_);
  };
  EXPECT_EQ(sentence(1), "At B = 1 every T up to 16,384 fits a card");
  EXPECT_EQ(sentence(4), "At B = 4 the largest T on this map that fits a card is 4,096");
  EXPECT_EQ(sentence(7), sentence(4)) << "the row below";
}

TEST_F(HuntFigureTest, TheSentenceSaysWhyACardCannotRunIt) {
  predict::HuntRequest request;
  request.spec.workload = spec::WorkloadKind::attention;
  request.spec.backend = spec::AttentionBackend::flash;
  request.spec.dtype = spec::DataType::fp32;
  request.spec.device = spec::DeviceKind::cuda;
  request.x = {spec::Field::T, 16, 1024};
  request.y = {spec::Field::B, 1, 8};
  request.target.name = "RTX 4090";
  const std::string sentence = hunt_sentence(predict::HuntSearch(1, request).progress(), 1, texts_);
  EXPECT_TRUE(sentence.starts_with("RTX 4090 cannot run it: ")) << sentence;
  EXPECT_NE(sentence.find("fp32"), std::string::npos) << sentence;
}

TEST_F(HuntFigureTest, TinyAreasAreLeftEmpty) {
  const predict::HuntMap map = made_map(predict::MapDepth::frontier);
  EXPECT_FALSE(draw(map, {0, 0, 40, 30}, {20, 20}).has_value());
  EXPECT_FALSE(draw(map, {0, 0, 0, 0}).has_value());
}

// The settings are on the map, also where they lie beyond the ends that were chosen.
TEST(HuntEdit, AMapThatReachesFurtherSaysSo) {
  const text::Texts texts = testing::program_texts();
  const predict::HuntAxis chosen{spec::Field::T, 128, 8192};
  EXPECT_EQ(reach_text(chosen, chosen, texts), "");
  EXPECT_EQ(reach_text(chosen, {spec::Field::T, 256, 4096}, texts), "");
  EXPECT_EQ(reach_text(chosen, {spec::Field::B, 1, 10'000}, texts), "");
  EXPECT_EQ(reach_text(chosen, {spec::Field::T, 128, 10'000}, texts),
            "On this map: T = 128 to 10,000, so that the settings are on it");
}

TEST(HuntEdit, AxesAreThoseOfTheWorkload) {
  for (int i = 0; i <= static_cast<int>(spec::WorkloadKind::toy); ++i) {
    spec::WorkloadSpec spec;
    spec.workload = static_cast<spec::WorkloadKind>(i);
    HuntEdit edit;
    edit.x.field = spec::Field::layers;
    edit.y.field = spec::Field::layers;
    settle(edit, spec);
    EXPECT_NE(edit.x.field, edit.y.field);
    EXPECT_TRUE(spec::field_applies(spec, edit.x.field));
    EXPECT_TRUE(spec::field_applies(spec, edit.y.field));
    EXPECT_LE(edit.x.low, edit.x.high);
  }
}

}  // namespace
}  // namespace ts::views

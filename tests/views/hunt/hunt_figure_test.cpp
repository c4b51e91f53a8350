// The map of a hunt, drawn into a recorder.
#include "views/hunt/hunt_figure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/run/hunt_table.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/hunt/hunt_controls.h"

namespace ts::views {
namespace {

using testing::RecordingSink;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// Needs B * T / 1024 GiB of 24; more than 20 is tight.
run::HuntMap made_map(run::MapDepth depth) {
  run::HuntMap map({}, *run::parse_hunt_axis("T=1024:16384"), *run::parse_hunt_axis("B=1:16"), 5);
  const run::Probe probe = [](const run::WorkloadSpec& spec) -> base::Result<run::ProbeAnswer> {
    const std::int64_t needed = spec.batch * spec.seq_len * kGiB / 1024;
    const run::Fit fit = needed > 24 * kGiB   ? run::Fit::oom
                         : needed > 15 * kGiB ? run::Fit::fits_after_flush
                                              : run::Fit::fits;
    return run::ProbeAnswer{fit, needed, {"A reason", {}, {}}};
  };
  EXPECT_TRUE(run::fill(map, depth, probe, {}, {}));
  return map;
}

class HuntFigureTest : public ::testing::Test {
 protected:
  std::optional<std::size_t> draw(const run::HuntMap& map, Rect area, Point mouse = {-1, -1},
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

TEST_F(HuntFigureTest, ShowsEveryNumberAndBoundsWhereItInferred) {
  const Rect area{0, 0, 900, 500};
  draw(made_map(run::MapDepth::every_cell), area);
  for (const char* words : {"1.0", "16.0", "256", "1,024", "16,384", "B \\ T"}) {
    EXPECT_TRUE(says(words)) << words;
  }
  EXPECT_FALSE(says(">"));
  draw(made_map(run::MapDepth::frontier), area);
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
  run::HuntMap map({}, *run::parse_hunt_axis("T=1:16"), *run::parse_hunt_axis("B=1:16"), 5);
  const run::Probe probe = [](const run::WorkloadSpec& spec) -> base::Result<run::ProbeAnswer> {
    return run::ProbeAnswer{run::Fit::fits, spec.batch * spec.seq_len << 20, {"A reason", {}, {}}};
  };
  ASSERT_TRUE(run::fill(map, run::MapDepth::every_cell, probe, {}, {}));
  draw(map, {0, 0, 900, 500});
  EXPECT_TRUE(says("Memory needed, MiB"));
  EXPECT_TRUE(says("1.0"));
  EXPECT_TRUE(says("256"));
  EXPECT_FALSE(says("0.0"));
  // Beside needs above the card's the unit is that of the card.
  EXPECT_EQ(run::grid_unit(map, std::int64_t{1} << 30), 'M');
  EXPECT_EQ(run::grid_unit(map, std::int64_t{100} << 10), 'K');
  EXPECT_EQ(run::grid_unit(made_map(run::MapDepth::frontier), 24 * kGiB), 'G');
  EXPECT_EQ(run::grid_words(map.cell(0), 'G'), "0.001");
  EXPECT_EQ(run::grid_words(map.cell(0), 'M', true), "1.0");
}

TEST_F(HuntFigureTest, WithoutRoomForADecimalThereIsNone) {
  const run::HuntMap map = made_map(run::MapDepth::every_cell);
  draw(map, {0, 0, 180, 500});
  EXPECT_TRUE(says("16"));
  EXPECT_FALSE(says("16.0"));
  EXPECT_FALSE(says("64.0"));
}

TEST_F(HuntFigureTest, TheLegendNamesWhatIsThereAndLosesTheFrontierFirst) {
  run::HuntMap map = made_map(run::MapDepth::every_cell);
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

TEST_F(HuntFigureTest, TheRingOfALowCellLeavesItsNumberFree) {
  run::HuntMap map = made_map(run::MapDepth::every_cell);
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

TEST_F(HuntFigureTest, EveryCellIsFoundByTheMouse) {
  const run::HuntMap map = made_map(run::MapDepth::frontier);
  const Rect area{0, 0, 900, 500};
  std::vector<bool> found(map.size());
  for (float y = 1; y < area.y1; y += 7) {
    for (float x = 1; x < area.x1; x += 7) {
      if (const auto cell = draw(map, area, {x, y})) {
        found[*cell] = true;
        EXPECT_TRUE(says(cell_place(map, *cell)));
      }
    }
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), true), 25);
}

TEST_F(HuntFigureTest, ConfirmedCellsAreRingedAndContradictedOnesMarked) {
  run::HuntMap map = made_map(run::MapDepth::every_cell);
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
  const run::HuntMap map = made_map(run::MapDepth::frontier);
  run::HuntMap other({}, map.x(), map.y(), 5);
  ASSERT_TRUE(run::fill(
      other, run::MapDepth::frontier,
      [](const run::WorkloadSpec& spec) -> base::Result<run::ProbeAnswer> {
        const bool over = spec.batch > 4;
        return run::ProbeAnswer{over ? run::Fit::oom : run::Fit::fits, 1, {"A reason", {}, {}}};
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
  run::HuntMap map = made_map(run::MapDepth::every_cell);
  EXPECT_EQ(confirmed_sentence(map, texts_), "");
  map.confirm(0, {true, kGiB});
  map.confirm(24, {true, kGiB});
  EXPECT_EQ(confirmed_sentence(map, texts_), "2 cells confirmed, 1 not as predicted");
  map.tell(1, {run::Fit::fits, 1000, {}, 1010});
  map.confirm(1, {true, 1000});
  EXPECT_EQ(confirmed_sentence(map, texts_),
            "3 cells confirmed, 1 not as predicted, worst error of a peak +1.0 %");
}

TEST(HuntDraft, ComparesAnotherBackendOnly) {
  run::WorkloadSpec spec;
  HuntDraft draft;
  EXPECT_FALSE(compared_spec(draft, spec));
  draft.compare = spec.backend;
  EXPECT_FALSE(compared_spec(draft, spec));
  draft.compare = run::AttentionBackend::flash;
  ASSERT_TRUE(compared_spec(draft, spec));
  EXPECT_EQ(compared_spec(draft, spec)->backend, run::AttentionBackend::flash);
  spec.workload = run::WorkloadKind::mlp;
  EXPECT_FALSE(compared_spec(draft, spec));
}

TEST_F(HuntFigureTest, TheSentenceIsThatOfTheRow) {
  const run::HuntMap map = made_map(run::MapDepth::frontier);
  const auto sentence = [&](std::int64_t batch) {
    return frontier_sentence(map, "a card", batch, texts_);
  };
  EXPECT_EQ(sentence(1), "At B = 1 every T up to 16,384 fits a card");
  EXPECT_EQ(sentence(4), "At B = 4 the largest T on this map that fits a card is 4,096");
  EXPECT_EQ(sentence(7), sentence(4)) << "the row below";
}

TEST_F(HuntFigureTest, TinyAreasAreLeftEmpty) {
  const run::HuntMap map = made_map(run::MapDepth::frontier);
  EXPECT_FALSE(draw(map, {0, 0, 40, 30}, {20, 20}).has_value());
  EXPECT_FALSE(draw(map, {0, 0, 0, 0}).has_value());
}

TEST(HuntDraft, AxesAreThoseOfTheWorkload) {
  for (int i = 0; i <= static_cast<int>(run::WorkloadKind::toy); ++i) {
    run::WorkloadSpec spec;
    spec.workload = static_cast<run::WorkloadKind>(i);
    HuntDraft draft;
    draft.x.field = run::Field::layers;
    draft.y.field = run::Field::layers;
    settle(draft, spec);
    EXPECT_NE(draft.x.field, draft.y.field);
    EXPECT_TRUE(run::field_applies(spec, draft.x.field));
    EXPECT_TRUE(run::field_applies(spec, draft.y.field));
    EXPECT_LE(draft.x.low, draft.x.high);
  }
}

}  // namespace
}  // namespace ts::views

#include "views/snapshot/flame_figure.h"

#include <gtest/gtest.h>

#include "core/files/opened_file.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"

namespace ts::views {
namespace {

// main calls forward (60 bytes, of which 40 and 20 in two operators) and log (40 bytes).
class FlameFigureTest : public ::testing::Test {
 protected:
  FlameFigureTest() {
    for (const char* const name : {"main", "forward", "mm", "add", "log"}) {
      allocator::Frame frame;
      frame.name = file_.file.snapshot.strings->intern(name);
      frames_.push_back(file_.file.snapshot.stacks.add_frame(frame));
    }
    const auto node = [&](std::size_t frame, std::uint32_t parent, double begin, double weight) {
      nodes_.push_back({.frame = frames_[frame],
                        .parent = parent,
                        .depth = nodes_[parent].depth + 1,
                        .begin = begin,
                        .weight = weight,
                        .count = 1,
                        .largest = static_cast<memory::BlockIndex>(frame)});
    };
    nodes_.push_back({.weight = 100});
    node(0, 0, 0, 100);
    node(1, 1, 0, 60);
    node(2, 2, 0, 40);
    node(3, 2, 40, 20);
    node(4, 1, 60, 40);
    context_.file = &file_;
    figure_.lay_out(kArea, context_, nodes_, 1, blocks::Weight::alive,
                    blocks::FlameFrames::telling);
  }
  void click(float x, float y) {
    ChartInput input;
    input.hovered = input.left_pressed = true;
    input.mouse = {x, y};
    figure_.update(input, context_);
  }

  static constexpr Rect kArea{10, 100, 1010, 400};
  files::OpenedFile file_;
  std::vector<allocator::FrameIndex> frames_;
  std::vector<blocks::FlameNode> nodes_;
  base::StringTable strings_;
  const text::Texts texts_ = testing::program_texts();
  ViewState state_;
  ViewContext context_{nullptr, strings_, texts_, theme(ThemeKind::dark), {1}, state_, 0, 0, ""};
  FlameFigure figure_;
};

TEST_F(FlameFigureTest, FramesAreAsWideAsTheirBytes) {
  EXPECT_EQ(figure_.place_of(0).width(), 1000);
  EXPECT_EQ(figure_.place_of(2).x0, 10);
  EXPECT_EQ(figure_.place_of(2).width(), 600);
  EXPECT_EQ(figure_.place_of(4).x0, 410);
  EXPECT_EQ(figure_.place_of(4).width(), 200);
  EXPECT_EQ(figure_.place_of(4).y0, 160) << "below the root, main and forward";
  testing::RecordingSink sink;
  figure_.draw(sink, context_);
  EXPECT_TRUE(sink.says("forward  60 B"));
}

TEST_F(FlameFigureTest, AClickShowsAFrameOverTheWholeWidthAndSelectsItsLargestBlock) {
  click(20, 145);  // forward
  EXPECT_EQ(figure_.shown(), 2U);
  EXPECT_EQ(state_.selected_block, 1U);
  EXPECT_EQ(figure_.place_of(2).width(), 1000);
  EXPECT_EQ(figure_.place_of(1).width(), 1000) << "what lies above keeps the way back";
  EXPECT_EQ(figure_.place_of(5).width(), 0) << "what lies beside is out of view";
  EXPECT_NEAR(figure_.place_of(3).width(), 667, 1);
  click(20, 105);  // the root
  EXPECT_EQ(figure_.shown(), 0U);
  EXPECT_EQ(figure_.place_of(5).width(), 400);
  figure_.lay_out(kArea, context_, nodes_, 2, blocks::Weight::alive, blocks::FlameFrames::telling);
  EXPECT_FALSE(figure_.node_at({5, 5}));
}

}  // namespace
}  // namespace ts::views

// The head of the page on the wall.
#include "views/inspector/projector_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/views/inspector/inspector_run.h"
#include "tests/views/recording_sink.h"

namespace ts::views {
namespace {

using testing::InspectorRows;
using testing::kMiB;

class ProjectorHead : public InspectorRows {};

// A lecture on naive against flash has both on the wall.
TEST_F(ProjectorHead, the_run_before_stays_beside_the_one_after_it) {
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  run_.finished = true;
  run_.spec.backend = spec::AttentionBackend::flash;
  RunFigures before;
  before.id = 3;
  before.spec = run_.spec;
  before.step_ms = 5300;
  before.peak_bytes = kMiB;
  ViewContext view = context();
  view.earlier = &before;
  EXPECT_EQ(headline_rows(view).size(), 1U) << "the same settings";
  before.spec.backend = spec::AttentionBackend::naive;
  auto rows = headline_rows(view);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].label, "flash");
  EXPECT_FALSE(rows[0].stale);
  EXPECT_EQ(rows[1].label, "Of naive");
  EXPECT_TRUE(rows[1].stale);
  // In one unit, or the one that is slower would look faster.
  EXPECT_EQ(rows[0].figures[0].value.joined(), "1.00 ms");
  EXPECT_EQ(rows[1].figures[0].value.joined(), "5,300 ms");
  view.stale = "flash";
  view.stale_earlier = "T = 128";  // naive is set again, at another length
  rows = headline_rows(view);
  EXPECT_EQ(rows[0].label, "Of flash");
  EXPECT_TRUE(rows[0].stale);
  EXPECT_EQ(rows[1].label, "Of T = 128") << "by what it has otherwise than the settings of now";
}

// A lecture is about this: how close the prediction was.
TEST_F(ProjectorHead, the_predicted_peak_stands_beside_the_measured_one) {
  record(memory::Action::alloc, 1, 3 * kMiB, 1);
  sample(run::SampleUpdate::Kind::timed, 1'000'000);
  run_.finished = true;
  predict::Forecast here;
  memory::Record more;
  more.action = memory::Action::alloc;
  more.address = 1;
  more.size = 3 * kMiB - kMiB / 100;
  here.run.log.append(more);
  ViewContext view = context();
  view.forecast = &here;
  const auto value_of = [&](const std::string& key) -> std::string {
    for (const HeadlineRow& row : headline_rows(view))
      for (const HeadlineFigure& figure : row.figures)
        if (figure.key == key) return figure.value.joined();
    return "";
  };
  EXPECT_EQ(value_of("inspector.headline.peak"), "3.00 MiB");
  EXPECT_EQ(value_of("inspector.headline.predicted"), "2.99 MiB");
  EXPECT_EQ(value_of("inspector.headline.error"), "\u22120.3 %");
  // All of it is on the wall: 1,920 pixels at 1.6.
  testing::RecordingSink sink(1.6F);
  const Rect area{67, 0, 1894, 44};
  draw_headline_row(sink, theme(ThemeKind::light), {1.6F}, texts_, headline_rows(view).front(),
                    area, 200);
  EXPECT_TRUE(sink.says(texts_("inspector.headline.error")));
  for (const auto& call : sink.calls) EXPECT_LE(call.bounds.x1, area.x1) << call.text;
  // Not of a part of a run, nor of other settings.
  run_.verdict = run::Verdict::oom;
  EXPECT_EQ(value_of("inspector.headline.predicted"), "");
  run_.verdict = run::Verdict::ok;
  view.memory.kind = MemorySource::Kind::predicted;
  EXPECT_EQ(value_of("inspector.headline.predicted"), "");
}

TEST_F(ProjectorHead, the_head_on_the_wall_says_why_this_machine_cannot_run_it) {
  predict::Outlook outlook;
  auto card = std::make_shared<predict::Forecast>();
  card->prediction.sentence.sentence = "Fits on a card";
  outlook.target = card;
  ViewContext view = context(false);
  view.memory.kind = MemorySource::Kind::predicted;
  view.outlook = &outlook;
  EXPECT_FALSE(head_remark(view, verdict_text(view, {})).reason);
  outlook.not_here.sentence = "Efficient has kernels for CUDA only";
  const HeadRemark remark = head_remark(view, verdict_text(view, {}));
  EXPECT_TRUE(remark.reason);
  EXPECT_TRUE(remark.only_here);
  EXPECT_EQ(remark.words, "This machine cannot run it. Efficient has kernels for CUDA only");
  outlook.target = nullptr;
  outlook.problem.sentence = "CUDA has no fp32 kernel of flash";
  EXPECT_THAT(head_remark(view, verdict_text(view, {})).words,
              ::testing::HasSubstr("CUDA has no fp32 kernel of flash"));
}

}  // namespace
}  // namespace ts::views

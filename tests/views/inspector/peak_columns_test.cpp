// Where the columns of what is needed lie.
#include <gtest/gtest.h>

#include <vector>

#include "tests/views/inspector/inspector_run.h"
#include "tests/views/recording_sink.h"
#include "views/inspector/peak_table.h"

namespace ts::views {
namespace {

using testing::kMiB;

// In a window of 960 x 600, too: then what was measured goes below.
TEST(PeakColumns, every_link_of_the_chain_keeps_its_name_at_any_width) {
  using Kind = PeakRow::Kind;
  const std::vector<PeakRow> rows = {
      {Kind::place, "RTX PRO 6000 Blackwell", {}, {}, {}},
      {Kind::term, "tensors", 22 * kMiB, 22 * kMiB, {}},
      {Kind::term, "+ CUDA context", 426 * kMiB, {}, {}},
      {Kind::part, "before backward", 12 * kMiB, {}, {}},
      {Kind::sum, "= needed", std::int64_t{1} << 33, {}, {}},
      {Kind::rest, "to spare", std::int64_t{15} << 30, {}, {}},
  };
  const testing::RecordingSink sink;
  for (const float scale : {1.0F, 1.6F}) {
    const Metrics metrics{scale};
    for (float width = 230; width < 420; width += 5) {
      const PeakColumns columns = peak_columns(sink, metrics, rows, metrics.px(width));
      EXPECT_LE(metrics.px(24) + sink.text_width(TextStyle::body, "before backward"),
                columns.predicted - sink.text_width(TextStyle::body, "12.00"))
          << width;
      EXPECT_LE(columns.error, metrics.px(width));
      EXPECT_TRUE(width <= 370 || !columns.stacked) << width;
    }
  }
}

}  // namespace
}  // namespace ts::views

// Which columns of the table of a sweep are shown at which width.
#include "views/sweep/table_columns.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/views/recording_sink.h"

namespace ts::views {
namespace {

const std::vector<std::string> kHeader = {
    "Series", "T", "Median, ms", "95 % CI, ms", "Throughput", "Peak predicted, MiB", "Result"};
const std::vector<std::vector<std::string>> kRows = {
    {"mem-efficient", "16,384", "0.183", "0.181 to 0.185", "346.3 k tokens/s", "0.629",
     "ok, and a sentence that is longer than there is room for"}};
constexpr std::array<int, 7> kWorth = {0, 0, 0, 2, 1, 3, 0};

// Nothing stands on anything else, and no number is cut.
TEST(TableColumns, a_column_is_left_out_before_a_number_is_cut) {
  const testing::RecordingSink sink;
  for (float width = 420; width < 1400; width += 10) {
    const TableColumns columns = table_columns(sink, {1}, kHeader, kRows, kWorth, width);
    float sum = 0;
    for (std::size_t i = 0; i < kHeader.size(); ++i) {
      sum += columns.widths[i];
      if (columns.widths[i] <= 0 || i + 1 == kHeader.size()) continue;
      EXPECT_LE(sink.text_width(TextStyle::body, kRows[0][i]), columns.widths[i] - 16)
          << width << " " << kHeader[i];
      const auto [first, second] = two_lines(kHeader[i]);
      EXPECT_LE(sink.text_width(TextStyle::small, columns.tall ? second : kHeader[i]),
                columns.widths[i] - 16)
          << width << " " << kHeader[i];
    }
    EXPECT_LE(sum, width + 0.5F);
    EXPECT_TRUE(columns.widths[5] > 0 || columns.widths[3] <= 0) << "worth less";
    EXPECT_TRUE(columns.widths[3] > 0 || columns.widths[4] <= 0) << "worth less";
    EXPECT_GT(columns.widths[2], 0);
  }
  EXPECT_GT(table_columns(sink, {1}, kHeader, kRows, kWorth, 1390).widths[4], 0);
  auto worth = kWorth;
  worth[2] = kLeftOut;
  const TableColumns columns = table_columns(sink, {1}, kHeader, kRows, worth, 1390);
  EXPECT_EQ(columns.widths[2], 0) << "although there is room";
  EXPECT_GT(columns.widths[3], 0);
}

}  // namespace
}  // namespace ts::views

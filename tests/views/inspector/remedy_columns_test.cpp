// Where the columns of the remedies lie.
#include <gtest/gtest.h>

#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/inspector/remedy_list.h"

namespace ts::views {
namespace {

TEST(RemedyColumns, no_number_or_heading_touches_another_in_any_language) {
  text::Texts texts = testing::program_texts();
  for (const text::Language language :
       {text::Language::en, text::Language::zh_cn, text::Language::zh_tw}) {
    texts.choose(language);
    for (const float scale : {1.0F, 1.5F, 2.0F}) {
      const testing::RecordingSink sink(scale);
      const Metrics metrics{scale};
      const float width = metrics.px(250);
      const RemedyColumns columns = remedy_columns(sink, metrics, texts, width);
      const auto small = [&](const char* words) {
        return sink.text_width(TextStyle::small, words);
      };
      const auto body = [&](const char* words) { return sink.text_width(TextStyle::body, words); };
      EXPECT_EQ(columns.time, width);
      EXPECT_LE(columns.needed, columns.time - body("\xe2\x88\x92"
                                                    "59 %"));
      EXPECT_LE(columns.bar, columns.needed - body("128.4"));
      EXPECT_LE(columns.unit, columns.time - small(texts("remedy.time")));
      // The unit stands over its numbers.
      EXPECT_LE(columns.unit, columns.needed);
      EXPECT_GT(columns.unit, columns.needed - body("128.4"));
      // A title has more than half of the list.
      EXPECT_GT(columns.bar, width / 2);
    }
  }
}

}  // namespace
}  // namespace ts::views

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "core/report/roofs.h"
#include "core/spec/memory_limit.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/charts/read_out.h"
#include "views/charts/title_row.h"
#include "views/common/spec_text.h"

namespace ts::views {
namespace {

using testing::RecordingSink;

TEST(FittedText, DropsRatherThanSqueezes) {
  const RecordingSink sink;
  const float letter = sink.text_width(TextStyle::small, "m");
  EXPECT_EQ(fitted(sink, TextStyle::small, "softmax", 100), "softmax");
  EXPECT_EQ(fitted(sink, TextStyle::small, "softmax", letter * 6), "soft…");
  EXPECT_EQ(fitted(sink, TextStyle::small, "softmax", letter * 5.2F), "");
  EXPECT_EQ(fitted(sink, TextStyle::small, "mm", letter * 2), "mm");
  EXPECT_EQ(fitted(sink, TextStyle::small, "", 100), "");
  EXPECT_EQ(fitted(sink, TextStyle::small, "softmax", -3), "");
}

TEST(FittedText, NeverWiderThanAskedAndNeverHalfALetter) {
  const RecordingSink sink;
  std::mt19937 random(2);
  const std::array<std::string, 4> samples{"aten::_scaled_dot_product_flash_attention",
                                           "blocks.11.attn", "优化器状态与激活值", "µs ≈ 12 %"};
  for (int i = 0; i < 2000; ++i) {
    const std::string& text = samples[random() % samples.size()];
    const float width = static_cast<float>(random() % 400);
    const std::string shown = fitted(sink, TextStyle::body, text, width);
    EXPECT_LE(sink.text_width(TextStyle::body, shown), width + 0.5F);
    if (shown.empty() || shown == text) continue;
    ASSERT_TRUE(shown.ends_with("…"));
    const std::string kept = shown.substr(0, shown.size() - std::string("…").size());
    EXPECT_TRUE(text.starts_with(kept));
    EXPECT_NE(static_cast<unsigned char>(text[kept.size()]) & 0xC0U, 0x80U);
  }
}

// A sentence loses whole parts from its end, never a number its unit.
TEST(FittedParts, LeavesOutWholePartsFromTheEnd) {
  const RecordingSink sink;
  constexpr std::string_view kBetween[] = {", ", "，"};
  const auto shown = [&](std::string_view text, float width) {
    return fitted_parts(sink, TextStyle::small, text, width, kBetween);
  };
  const std::string two = "176 segments, 11.03 GiB reserved";
  const std::string whole = two + ", 1,024 KiB of it free";
  const float least = sink.text_width(TextStyle::small, "176 segments");
  std::set<std::string> seen;
  for (float width = 0; width < sink.text_width(TextStyle::small, whole) + 20; width += 3) {
    const std::string words = shown(whole, width);
    EXPECT_LE(sink.text_width(TextStyle::small, words), width + 0.5F);
    EXPECT_TRUE(width <= least || !words.empty()) << width;
    seen.insert(words);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"", "176 segments", two, whole}));
  EXPECT_EQ(shown("176 个段，已保留 11 GiB", least), "176 个段");
}

// A narrow frame keeps its file and line; the front of the path goes first.
TEST(FittedPath, KeepsTheFileAndTheLine) {
  const RecordingSink sink;
  const std::string file = "benchmark.py:207";
  const std::string frame = "forward_pass  /data/user/cs336_systems/" + file;
  const auto width_of = [&](std::string_view words) {
    return sink.text_width(TextStyle::mono, words);
  };
  std::set<std::string> seen;
  for (float width = width_of(file); width <= width_of(frame) + 5; width += 2) {
    const std::string words = fitted_path(sink, TextStyle::mono, frame, width);
    EXPECT_LE(width_of(words), width + 0.5F) << words;
    EXPECT_TRUE(words.ends_with(file)) << words << " at " << width;
    seen.insert(words);
  }
  for (const char* const front :
       {"forward_pass  …/user/cs336_systems/", "forward_pass  …/cs336_systems/", "forward_pass  …/",
        "forward_pass  ", "forw…  ", ""}) {
    EXPECT_TRUE(seen.contains(front + file)) << front;
  }
  EXPECT_TRUE(seen.contains(frame));
}

// Paths take two fifths of a wide chart, and more only beside a line that is wider itself.
TEST(ReadOut, APathLeavesMostOfTheChartInView) {
  const RecordingSink sink;
  const Metrics metrics{1};
  const auto room = [&](float width, std::span<const ReadOutLine> others) {
    return read_out_path_room(sink, metrics, {0, 0, width, 300}, others);
  };
  EXPECT_LE(room(1000, {}) + 16, 400);
  EXPECT_GT(room(1000, {}), 360);
  EXPECT_GT(room(600, {}) + 20, 320);
  EXPECT_LE(room(600, {}) + 16, 320);
  EXPECT_LE(room(200, {}), 200) << "never wider than the chart";
  const ReadOutLine wide[] = {{std::string(60, 'm'), TextStyle::small, false}};
  const float line = sink.text_width(TextStyle::small, wide[0].text);
  ASSERT_GT(line, room(1000, {}));
  EXPECT_EQ(room(1000, wide), line);
}

// Where the limit of memory comes from is said in the language of the window.
TEST(LimitWords, AreInTheUsersLanguage) {
  text::Texts texts = testing::program_texts();
  for (const char* const source :
       {spec::kLimitFromSpec, spec::kLimitFromRam, spec::kLimitFromContainer,
        spec::kLimitFromAvailable, spec::kLimitFromDevice}) {
    texts.choose(text::Language::en);
    const std::string english = limit_text(texts, source);
    for (const text::Language language : {text::Language::zh_cn, text::Language::zh_tw}) {
      texts.choose(language);
      EXPECT_NE(limit_text(texts, source), english);
    }
  }
}

TEST(PresetWords, AreInTheUsersLanguage) {
  text::Texts texts = testing::program_texts();
  for (const spec::Preset& preset : spec::presets()) {
    EXPECT_EQ(preset_text(texts, preset), preset.name);
    EXPECT_EQ(preset_source_text(texts, preset), preset.source);
  }
  for (const text::Language language : {text::Language::zh_cn, text::Language::zh_tw}) {
    texts.choose(language);
    for (const char* const id : {"w6", "toy", "cross"}) {
      for (const spec::Preset& preset : spec::presets()) {
        if (preset.id == std::string_view(id)) {
          EXPECT_NE(preset_text(texts, preset), preset.name);
        }
      }
    }
    const spec::Preset* const tiny = spec::find_preset(spec::WorkloadKind::lm, "tiny");
    EXPECT_NE(preset_source_text(texts, *tiny), tiny->source);
  }
}

// No raw key where a value was typed that the setting cannot have.
TEST(ValueWords, WhatIsNoValueStaysAsItWasTyped) {
  const text::Texts texts = testing::program_texts();
  EXPECT_EQ(value_text(texts, spec::Field::backend, "efficient"), "mem-efficient");
  EXPECT_EQ(value_text(texts, spec::Field::mlp, "small"), "small");
  EXPECT_EQ(value_text(texts, spec::Field::T, "some"), "some");
}

TEST(Labels, SayPhasesInTheUsersLanguage) {
  text::Texts texts = testing::program_texts();
  EXPECT_EQ(slice_label("forward", trace::SliceClass::forward, texts), "forward");
  EXPECT_EQ(slice_label("step 0", trace::SliceClass::step, texts), "step 1");
  EXPECT_EQ(slice_label("warm-up", trace::SliceClass::step, texts), "warm-up");
  EXPECT_EQ(slice_label("aten::bmm", trace::SliceClass::matmul, texts), "bmm");
  EXPECT_EQ(slice_label("aten::_softmax", trace::SliceClass::softmax, texts), "softmax");
  EXPECT_EQ(slice_label("_private.module", trace::SliceClass::module, texts), "_private.module");
  texts.choose(text::Language::zh_cn);
  EXPECT_EQ(slice_label("forward", trace::SliceClass::forward, texts), "前向");
  EXPECT_EQ(short_label("blocks.1.attn", trace::SliceClass::module), "attn");
  EXPECT_EQ(short_label("blocks.1", trace::SliceClass::module), "");
  EXPECT_EQ(short_label("blocks.1.attn", trace::SliceClass::matmul), "");
}

TEST(ReadOut, StaysInsideAndOffTheMouse) {
  std::mt19937 random(4);
  const Theme& colors = theme(ThemeKind::dark);
  for (int i = 0; i < 1000; ++i) {
    RecordingSink sink;
    const Rect bounds{100, 50, 100 + 300 + static_cast<float>(random() % 800),
                      50 + 120 + static_cast<float>(random() % 600)};
    const Point mouse{bounds.x0 + static_cast<float>(random() % 1000) / 1000 * bounds.width(),
                      bounds.y0 + static_cast<float>(random() % 1000) / 1000 * bounds.height()};
    const std::array<ReadOutLine, 3> lines{
        ReadOutLine{"aten::softmax", TextStyle::mono, true},
        ReadOutLine{std::string(random() % 90, 'x'), TextStyle::small, false},
        ReadOutLine{"341 µs", TextStyle::small, true}};
    draw_read_out(sink, colors, Metrics{1}, mouse, bounds, lines);
    for (const auto& call : sink.calls) {
      EXPECT_GE(call.bounds.x0, bounds.x0);
      EXPECT_GE(call.bounds.y0, bounds.y0);
      EXPECT_LE(call.bounds.x1, bounds.x1);
      EXPECT_LE(call.bounds.y1, bounds.y1);
    }
  }
}

TEST(TitleRow, GivesUpTheLeastFirstAndNeverOverlaps) {
  const RecordingSink sink;
  const std::array<LegendEntry, 3> legend{LegendEntry{"matmul", 1, 0, 3},
                                          LegendEntry{"softmax", 2, 0, 1},
                                          LegendEntry{"elementwise", 3, 0, 2}};
  const std::array<TitleItem, 3> items{TitleItem{150, -1}, TitleItem{60, 2}, TitleItem{60, 1}};
  bool lesser_seen = false;
  for (float width = 40; width < 1200; width += 7) {
    for (const LegendSide side : {LegendSide::left, LegendSide::right}) {
      const TitleRow row = lay_out_title_row(sink, {10, 0, 10 + width, 38}, Metrics{1}, "Timeline",
                                             "step 3", legend, side, items);
      std::vector<Rect> parts{row.title};
      if (row.subtitle.width() > 0) parts.push_back(row.subtitle);
      for (const Rect& part : row.legend)
        if (part.width() > 0) parts.push_back(part);
      for (const Rect& part : row.items)
        if (part.width() > 0) parts.push_back(part);
      std::ranges::sort(parts, {}, &Rect::x0);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        EXPECT_GE(parts[i].x0, 10);
        EXPECT_LE(parts[i].x1, 10 + width + 0.01F);
        if (i > 0) {
          EXPECT_GE(parts[i].x0, parts[i - 1].x1) << width;
        }
      }
      // Two items go before the legend does; the better one of them stays longer.
      if (row.items[2].width() > 0) {
        EXPECT_GT(row.items[1].width(), 0);
      }
      // The lesser one is there only beside a whole legend.
      if (row.items[0].width() > 0) {
        lesser_seen = true;
        EXPECT_GT(row.legend[2].width(), 0) << width;
      }
    }
  }
  EXPECT_TRUE(lesser_seen);
}

// The subtitle of a run that goes on is longer than that of its end.
TEST(TitleRow, NothingMovesWhenTheSubtitleChanges) {
  const RecordingSink sink;
  const std::array<LegendEntry, 2> legend{LegendEntry{"matmul", 1, 0, 2},
                                          LegendEntry{"softmax", 2, 0, 1}};
  const std::array<TitleItem, 2> items{TitleItem{150, -1}, TitleItem{60, 2}};
  for (float width = 200; width < 1000; width += 7) {
    for (const LegendSide side : {LegendSide::left, LegendSide::right}) {
      const auto row_of = [&](const char* subtitle) {
        return lay_out_title_row(sink, {0, 0, width, 38}, Metrics{1}, "Memory", subtitle, legend,
                                 side, items);
      };
      const TitleRow partial = row_of("Partial: the run goes on; dashed: predicted");
      for (const char* const subtitle : {"dashed: predicted", ""}) {
        const TitleRow row = row_of(subtitle);
        for (std::size_t i = 0; i < legend.size(); ++i)
          EXPECT_EQ(row.legend[i].x0, partial.legend[i].x0) << width;
        for (std::size_t i = 0; i < items.size(); ++i)
          EXPECT_EQ(row.items[i].x0, partial.items[i].x0) << width;
      }
    }
  }
}

TEST(TitleRow, ALegendWithoutRoomHasARowOfItsOwn) {
  const RecordingSink sink;
  const std::array<LegendEntry, 3> legend{LegendEntry{"matmul", 1, 0, 2},
                                          LegendEntry{"softmax", 2, 0, 1},
                                          LegendEntry{"nothing", 3, 0, 0}};
  const std::array<TitleItem, 1> items{TitleItem{180, 3}};
  const auto row_of = [&](float width) {
    return lay_out_title_row(sink, {0, 0, width, 38}, Metrics{1}, "Timeline", "", legend,
                             LegendSide::right, items);
  };
  EXPECT_FALSE(lacks_legend(row_of(900), legend));
  TitleRow row = row_of(300);
  EXPECT_TRUE(lacks_legend(row, legend));
  lay_out_legend_row(sink, {0, 38, 300, 58}, Metrics{1}, legend, row);
  EXPECT_FALSE(lacks_legend(row, legend));
  EXPECT_EQ(row.legend[0].y0, 38);
  // A part without content takes no row.
  float width = 900;
  while (width > 300 && row_of(width).legend[2].width() > 0) --width;
  EXPECT_FALSE(lacks_legend(row_of(width), legend));
}

TEST(LimitWords, WhatCoreNamesIsSaidInTheLanguageThatIsShown) {
  text::Texts texts = testing::program_texts();
  EXPECT_EQ(limit_text(texts, "RTX 4090"), "RTX 4090");
  EXPECT_EQ(limit_text(texts, "memory_limit (2.00 GiB)"), "memory limit (2.00 GiB)");
  EXPECT_EQ(limit_text(texts, "80 % of RAM"), "80 % of RAM");
  texts.choose(text::Language::zh_cn);
  EXPECT_EQ(limit_text(texts, "memory_limit (2.00 GiB)"), "内存上限 (2.00 GiB)");
  EXPECT_EQ(limit_text(texts, "80 % of RAM"), "内存的 80 %");
  spec::Gpu card;
  card.name = "RTX 4090";
  EXPECT_EQ(message_text(texts, report::roofs_of_card(card, spec::DataType::bf16).source),
            "RTX 4090, bf16，稠密");
  run::Run run{run::StartedUpdate{}};
  run.roof = run::Roof{.dtype = spec::DataType::fp32, .size = 1024, .tflops = 1, .gb_s = 1};
  EXPECT_EQ(message_text(texts, report::roofs_of_run(run).source),
            "实测：fp32 下 1024 x 1024 的矩阵乘与复制");
  spec::WorkloadSpec spec;
  spec.batch = -1;
  for (const spec::SpecProblem& problem : spec::validate(spec)) {
    EXPECT_EQ(message_text(texts, problem).find("_"), std::string::npos);
  }
  spec = {};
  spec.memory_limit = 1;
  const auto problems = spec::validate(spec);
  ASSERT_FALSE(problems.empty());
  EXPECT_TRUE(message_text(texts, problems.front()).starts_with("内存上限"));
}

}  // namespace
}  // namespace ts::views

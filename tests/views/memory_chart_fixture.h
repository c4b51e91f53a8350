#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/files/opened_file.h"
#include "core/files/opened_trace.h"
#include "tests/views/recording_sink.h"
#include "tests/views/synthetic_run.h"
#include "tests/views/texts_for_tests.h"
#include "views/memory/memory_chart.h"

namespace ts::views::testing {

inline constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// The chart of a made-up run, drawn into a recorder.
class MemoryChartTest : public ::testing::Test {
 protected:
  ViewContext context() {
    return {run.get(),    strings,    texts,   theme(ThemeKind::light), Metrics{scale}, state, now,
            target_bytes, "RTX 4090", nullptr, outlook.get(),           forecast.get()};
  }
  RecordingSink frame(const ChartInput& given = {}) {
    RecordingSink sink(scale);
    now += 400'000'000;  // a stale layout is made anew by now
    ViewContext view = context();
    view.stale_memory = stale;
    view.live = live;
    view.trace = trace;
    if (file != nullptr) {
      view.file = file;
      if (!file->devices.empty()) view.file_device = file->devices.data();
      view.memory.kind = MemorySource::Kind::opened;
      view.memory.log = &run->memory;
      view.memory.id = run->id;
      view.memory.blocks_before = blocks_before;
    }
    if (predicted) {
      view.memory.kind = MemorySource::Kind::predicted;
      view.memory.log = &forecast->run.log;
      view.memory.id = forecast->id;
      view.memory.range = forecast->run.log.time_range();
    }
    chart.lay_out(sink, area, view);
    ChartInput input = given;
    input.now_ns = now;
    input.seconds = 0.016F;
    chart.update(input, view);
    chart.draw(sink, view);
    return sink;
  }
  [[nodiscard]] ChartInput over(float x, float y) const {
    const Rect& plot = chart.regions().plot;
    ChartInput input;
    input.hovered = true;
    input.mouse = {plot.x0 + plot.width() * x, plot.y0 + plot.height() * y};
    return input;
  }
  void click(ChartInput input) {
    input.left_pressed = input.left_down = true;
    frame(input);
    input.left_pressed = input.left_down = false;
    frame(input);
  }

  // Predicted for the card: its tensors are those of the run.
  void predict(std::int64_t cached, std::int64_t context = kGiB) {
    auto target = std::make_shared<predict::Forecast>();
    target->target.name = "RTX 4090";
    target->target.memory = target_bytes;
    target->target.context = context;
    predict::Prediction& prediction = target->prediction;
    prediction.chain = {run->memory.peak_bytes(), 0, 0, cached, context};
    prediction.needed = prediction.chain.needed();
    prediction.headroom = target_bytes - prediction.needed;
    outlook = std::make_unique<predict::Outlook>();
    outlook->target = std::move(target);
  }

  base::StringTable strings;
  text::Texts texts = program_texts();
  const files::OpenedTrace* trace = nullptr;
  const files::OpenedFile* file = nullptr;
  std::int64_t blocks_before = 0;  // of the file
  std::unique_ptr<run::Run> run = transformer_run(strings, {});
  ViewState state;
  float scale = 1;
  Rect area{20, 30, 1260, 560};
  std::int64_t now = 1;
  std::int64_t target_bytes = 24 * kGiB;
  std::string stale;
  bool live = false;
  MemoryChart chart;
  std::unique_ptr<predict::Forecast> forecast;
  std::unique_ptr<predict::Outlook> outlook;
  bool predicted = false;  // the forecast is what is shown
};

}  // namespace ts::views::testing

#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/run/recording_stream.h"
#include "tests/run/made_batch.h"

namespace ts::run::testing {

// The run of a script as it goes on, and what of it is sent.
struct MadeStream {
  base::StringTable strings;
  std::vector<capture::Batch> batches;
  std::vector<std::string> pieces;
  Run run{started()};

  explicit MadeStream(std::uint32_t seed, int later_batches = 3, int rows = 40) {
    std::mt19937 random(seed);
    RecordingStreamWriter writer(strings);
    run.script = "train.py";
    pieces.push_back(writer.begin(run));
    for (int i = 0; i <= later_batches; ++i) {
      batches.push_back(random_batch(random, strings, i == 0, rows));
      StepTimes step;
      step.begin_ns = 1'000 * i;
      step.total_ns = 900 + i;
      writer.step(step);
      pieces.push_back(writer.piece(batches.back(), 4096 * i));
      run.apply(BatchUpdate{1, batches.back()});
      run.apply(SampleUpdate{1, step, SampleUpdate::Kind::recorded});
      run.apply(PeakUpdate{1, 4096 * i});
    }
    FinishedUpdate end;
    end.id = 1;
    end.end_ns = 77'000;
    end.verdict = Verdict::failed;
    end.failure.sentence = "The script ended with ValueError at train.py:3";
    end.notes = {{{"body", {"body", "body.0"}, true}}, 6};
    run.apply(std::move(end));
    pieces.push_back(writer.end(run, "train.recording"));
  }

  [[nodiscard]] std::string bytes() const {
    std::string all;
    for (const std::string& piece : pieces) all += piece;
    return all;
  }

  static StartedUpdate started() {
    StartedUpdate update;
    update.id = 1;
    update.begin_ns = 500;
    update.limit = std::int64_t{1} << 30;
    update.limit_source = "memory_limit";
    return update;
  }
};

// The run that these updates make; a StartedUpdate comes first.
inline Run applied(std::vector<Update> updates) {
  Run run(std::get<StartedUpdate>(updates.at(0)));
  for (Update& update : updates) run.apply(std::move(update));
  return run;
}

}  // namespace ts::run::testing

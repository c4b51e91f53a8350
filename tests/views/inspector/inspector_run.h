#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/texts_for_tests.h"
#include "views/common/view_state.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views::testing {

inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// A run that is filled record by record, and what the inspector is told of it.
class InspectorRows : public ::testing::Test {
 protected:
  void sample(run::SampleUpdate::Kind kind, std::int64_t total_ns) {
    run::SampleUpdate update;
    update.kind = kind;
    update.times.total_ns = total_ns;
    run_.apply(update);
  }
  void record(memory::Action action, std::uint64_t address, std::int64_t size, std::int64_t time_ns,
              memory::Category category = memory::Category::unknown) {
    run::BatchUpdate update;
    memory::Record record;
    record.action = action;
    record.address = address;
    record.size = size;
    record.time_ns = time_ns;
    record.category = category;
    record.step = 1;
    record.phase = base::Phase::forward;
    record.op = strings_.intern("aten::bmm");
    record.module = strings_.intern("blocks.3.attn");
    update.batch.memory.push_back(record);
    run_.apply(std::move(update));
  }
  trace::SliceRef slice(std::uint16_t depth, std::int64_t begin, std::int64_t duration,
                        const char* name) {
    if (run_.trace.tracks().empty()) run_.trace.add_track({});
    trace::Slice one;
    one.begin_ns = begin;
    one.duration_ns = duration;
    one.name = strings_.intern(name);
    EXPECT_TRUE(run_.trace.append(0, depth, one));
    return {0, depth, run_.trace.lane_size(0, depth) - 1};
  }
  ViewContext context(bool with_run = true) {
    return {with_run ? &run_ : nullptr,
            strings_,
            texts_,
            theme(ThemeKind::dark),
            {1},
            state_,
            0,
            0,
            "",
            nullptr};
  }
  // The value of the row with that label, joined; "no row" when there is none.
  std::string value(const std::vector<InspectorRow>& rows, const std::string& label) {
    for (const InspectorRow& row : rows) {
      if (row.label == label) return row.value.joined();
    }
    return "no row";
  }

  base::StringTable strings_;
  text::Texts texts_ = program_texts();
  ViewState state_;
  run::Run run_{run::StartedUpdate{}};
};

}  // namespace ts::views::testing

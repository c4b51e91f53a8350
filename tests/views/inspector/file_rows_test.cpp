// What is said of a memory snapshot that was opened.
#include "views/inspector/file_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/allocator/snapshot_of_log.h"
#include "core/files/opened_file.h"
#include "core/files/replay_answer.h"
#include "tests/views/texts_for_tests.h"

namespace ts::views {
namespace {

constexpr std::int64_t kReserved = 20 << 20;

// The value of the row with that label; "no row" when there is none.
std::string value_of(const std::vector<InspectorRow>& rows, const std::string& label) {
  const auto found = std::ranges::find(rows, label, &InspectorRow::label);
  return found == rows.end() ? "no row" : found->value.joined();
}

// The CPU's allocator has no segments; those of the file that such a run wrote are the model's.
TEST(FileRows, AFileOfOurOwnSaysThatItsSegmentsAreModelled) {
  base::StringTable strings;
  memory::AllocationLog log;
  memory::Record record;
  record.action = memory::Action::alloc;
  record.address = 1;
  record.size = 3 << 20;
  log.append(record);
  files::OpenedFile file;
  file.file.snapshot = allocator::snapshot_of(log, strings);
  file.devices.push_back({0, run::Run{run::StartedUpdate{}}, {}, 0, 0, kReserved, kReserved, 2});
  files::ReplayAnswer replayed;
  replayed.recorded = replayed.simulated = {1, kReserved, kReserved};
  const text::Texts texts = testing::program_texts();
  ViewState state;
  ViewContext shown{
      &file.devices[0].run, strings, texts, theme(ThemeKind::dark), {1}, state, 0, 0, ""};
  shown.file = &file;
  shown.file_device = file.devices.data();
  shown.replayed = &replayed;
  EXPECT_EQ(value_of(file_rows(shown), "Peak reserved, modelled"), "20.00 MiB");
  EXPECT_EQ(value_of(file_rows(shown), "Peak reserved"), "no row");
  EXPECT_EQ(value_of(replay_rows(shown), "Against the file"), "same: both are of one model");
  EXPECT_NE(file_verdict(shown).remark.find("by the model"), std::string::npos);
  for (allocator::SnapshotSetting& setting : file.file.snapshot.allocator_settings) {
    if (file.file.snapshot.text(setting.name) == allocator::kModelledSegments)
      setting.value = false;
  }
  EXPECT_EQ(value_of(file_rows(shown), "Peak reserved"), "20.00 MiB");
  EXPECT_EQ(value_of(replay_rows(shown), "Against the recording"), "same at every event");
}

// Such a block shows where it was freed, under a title that says so.
TEST(FileRows, ABlockFromBeforeShowsWhereItWasFreed) {
  files::OpenedFile file;
  allocator::Snapshot& snapshot = file.file.snapshot;
  allocator::Frame frame;
  frame.name = snapshot.strings->intern("drop");
  frame.filename = snapshot.strings->intern("/x/train.py");
  frame.line = 7;
  const auto index = snapshot.stacks.add_frame(frame);
  const auto stack = snapshot.stacks.add_stack(std::span(&index, 1));
  file.devices.push_back(
      {0, run::Run{run::StartedUpdate{}}, {memory::kNone, stack}, 0, 0, 0, 0, 2, {{0, stack}}});
  const text::Texts texts = testing::program_texts();
  ViewState state;
  ViewContext shown{
      &file.devices[0].run, *snapshot.strings, texts, theme(ThemeKind::dark), {1}, state, 0, 0, ""};
  shown.file = &file;
  shown.file_device = file.devices.data();
  state.selected_block = 0;
  EXPECT_TRUE(only_freed_here(shown));
  EXPECT_EQ(stack_lines(shown), std::vector<std::string>{"drop  train.py:7"});
  state.selected_block = 1;
  EXPECT_FALSE(only_freed_here(shown));
  EXPECT_EQ(stack_lines(shown), std::vector<std::string>{"drop  train.py:7"});
}

}  // namespace
}  // namespace ts::views

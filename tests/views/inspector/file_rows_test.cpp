// The words for a memory snapshot or a trace that was opened.
#include "views/inspector/file_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/allocator/snapshot_of_log.h"
#include "core/files/opened_file.h"
#include "core/files/replay_answer.h"
#include "core/io/file.h"
#include "core/text/message.h"
#include "tests/memory/records.h"
#include "tests/views/texts_for_tests.h"
#include "views/inspector/file_block.h"
#include "views/inspector/trace_rows.h"

namespace ts::views {
namespace {

constexpr std::int64_t kReserved = 20 << 20;

// The value of the row with that label; "no row" when there is none.
std::string value_of(const std::vector<InspectorRow>& rows, const std::string& label) {
  const auto found = std::ranges::find(rows, label, &InspectorRow::label);
  return found == rows.end() ? "no row" : found->value.joined();
}

run::Run two_blocks() {
  run::Run run{run::StartedUpdate{}};
  run.memory.append(memory::testing::alloc(0, 0x1000, 700));
  run.memory.append(memory::testing::alloc(1, 0x2000, 3 << 20));
  return run;
}

// The CPU's allocator has no segments; those of the file that such a run wrote are the model's.
TEST(FileRows, AFileOfOurOwnSaysThatItsSegmentsAreModelled) {
  base::StringTable strings;
  memory::AllocationLog log;
  memory::Record record;
  record.time_ns = 1'000'000;
  record.action = memory::Action::alloc;
  record.address = 1;
  record.size = 3 << 20;
  log.append(record);
  record.time_ns = 2'000'000;
  record.address = 2;
  log.append(record);
  files::OpenedFile file;
  file.file.snapshot = allocator::snapshot_of(log, strings);
  file.devices.push_back({.run = run::Run{run::StartedUpdate{}},
                          .peak_reserved = kReserved,
                          .end_reserved = kReserved,
                          .trace_events = 2});
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
  replayed.trials.push_back({.setting = "max_split_size_mb:128", .peak_reserved = kReserved});
  EXPECT_EQ(value_of(trial_rows(shown), "max_split_size_mb:128"), "20.00 MiB");
  replayed.expandable.kind = allocator::ExpandableAnswer::Kind::too_short;
  EXPECT_TRUE(trial_rows(shown).empty()) << "too short to tell what a setting changes";
  file.devices[0].run.memory = two_blocks().memory;
  EXPECT_EQ(file_verdict(shown).sentence.find("device"), std::string::npos) << "there is one";
  file.devices.push_back({.number = 1, .run = run::Run{run::StartedUpdate{}}});
  shown.file_device = file.devices.data();
  shown.run = &file.devices[0].run;
  EXPECT_NE(file_verdict(shown).sentence.find("on device 0"), std::string::npos);
  file.devices.pop_back();
  EXPECT_NE(value_of(file_rows(shown), "Time span"), "no row");
  allocator::SnapshotOfLogOptions options;
  options.user_metadata = allocator::predicted_note("RTX 4090");
  file.file.snapshot = allocator::snapshot_of(log, strings, options);
  EXPECT_EQ(value_of(file_rows(shown), "Time span"), "no row") << "its times count events";
  EXPECT_EQ(value_of(file_rows(shown), "Peak reserved"), "no row");
  EXPECT_EQ(value_of(replay_rows(shown), "Against the file"), "same: both are of one model");
  EXPECT_NE(file_verdict(shown).remark.find("by the model"), std::string::npos);
  for (allocator::SnapshotSetting& setting : file.file.snapshot.allocator_settings) {
    if (file.file.snapshot.text(setting.name) == allocator::kModelledSegments)
      setting.value = false;
  }
  EXPECT_EQ(value_of(file_rows(shown), "Peak reserved"), "20.00 MiB");
  EXPECT_EQ(value_of(replay_rows(shown), "Against the recording"), "same at every event");
  replayed.difference = text::message(
      "replay.difference",
      {{"event", "57"},
       text::argument("what", text::message("replay.difference.allocation",
                                            {{"recorded", "2 B"}, {"simulated", "3 B"}}))});
  EXPECT_EQ(
      value_of(replay_rows(shown), "Against the recording"),
      "event 57: after the allocation 2 B are reserved in the recording, 3 B in the simulation");
  text::Texts chinese = testing::program_texts();
  chinese.choose(text::Language::zh_cn);
  ViewContext in_chinese{
      &file.devices[0].run, strings, chinese, theme(ThemeKind::dark), {1}, state, 0, 0, ""};
  in_chinese.file = &file;
  in_chinese.file_device = file.devices.data();
  in_chinese.replayed = &replayed;
  const std::string words = value_of(replay_rows(in_chinese), chinese("file.replay.agreement"));
  EXPECT_EQ(words.find("recording"), std::string::npos) << words;
  EXPECT_NE(words.find("57"), std::string::npos) << words;
}

// The panel for a trace with these facts: its rows and its sentence.
struct TracePanel {
  std::vector<InspectorRow> rows;
  std::string sentence;
};
TracePanel panel_of_trace(const text::Texts& texts, trace_file::TraceFile about,
                          trace_file::TraceSummary summary = {}, files::ShownMemory memory = {}) {
  const files::OpenedTrace opened{.path = "/x/a.json",
                                  .run = run::Run{run::StartedUpdate{}},
                                  .about = std::move(about),
                                  .summary = std::move(summary),
                                  .memory = std::move(memory)};
  ViewState state;
  ViewContext shown{
      &opened.run, *opened.about.strings, texts, theme(ThemeKind::dark), {1}, state, 0, 0, ""};
  shown.trace = &opened;
  return {trace_rows(shown), trace_verdict(shown).sentence};
}
std::vector<InspectorRow> rows_of_trace(const text::Texts& texts, trace_file::TraceFile about) {
  return panel_of_trace(texts, std::move(about)).rows;
}

// The calls that the buttons to the tables of a trace tell.
TEST(FileRows, TheCallsOfATraceAreCountedForItsTables) {
  const text::Texts texts = testing::program_texts();
  ViewState state;
  base::StringTable strings;
  ViewContext shown{nullptr, strings, texts, theme(ThemeKind::dark), {1}, state, 0, 0, ""};
  EXPECT_EQ(trace_calls(shown).operators, 0) << "without a trace";
  files::OpenedTrace opened{.path = "/x/a.json",
                            .run = run::Run{run::StartedUpdate{}},
                            .about = {},
                            .summary = {},
                            .memory = {}};
  shown.trace = &opened;
  EXPECT_EQ(trace_calls(shown).kernels, 0);
  opened.summary.operators.resize(2);
  opened.summary.operators[0].count = 40;
  opened.summary.operators[1].count = 2;
  opened.summary.kernels.resize(1);
  opened.summary.kernels[0].count = 17;
  EXPECT_EQ(trace_calls(shown).operators, 42);
  EXPECT_EQ(trace_calls(shown).kernels, 17);
}

TEST(FileRows, EachGpuOfATraceIsBusyForItself) {
  const text::Texts texts = testing::program_texts();
  constexpr std::int64_t kMillisecond = 1'000'000;
  trace_file::TraceSummary summary;
  summary.span_ns = 10 * kMillisecond;
  summary.devices = {{.device = 0, .kernels = 1, .time = {.compute_ns = 2 * kMillisecond}}};
  summary.gpu_busy_ns = 2 * kMillisecond;
  summary.gpu = {.compute_ns = 3 * kMillisecond / 2,
                 .exposed_copy_ns = kMillisecond / 2,
                 .idle_ns = 6 * kMillisecond};
  TracePanel panel = panel_of_trace(texts, {}, summary);
  EXPECT_EQ(value_of(panel.rows, "GPU busy"), "2.00 ms");
  EXPECT_EQ(value_of(panel.rows, "GPU computes"), "1.50 ms, 18.8 %");
  EXPECT_EQ(value_of(panel.rows, "Exposed communication"), "no row");
  EXPECT_EQ(value_of(panel.rows, "Exposed copies"), "500.0 µs, 6.2 %");
  EXPECT_EQ(value_of(panel.rows, "GPU idle"), "6.00 ms, 75.0 %");
  EXPECT_EQ(value_of(panel.rows, "Memory shown"), "no row");
  EXPECT_EQ(panel.sentence, "The GPU is busy for 20.0 % of 10.00 ms");
  summary.devices.push_back({.device = 3, .kernels = 1, .time = {.compute_ns = 8 * kMillisecond}});
  summary.gpu_busy_ns = 5 * kMillisecond;
  panel = panel_of_trace(texts, {}, summary, {.device = 3, .rank = "rank 1", .places = 2});
  EXPECT_EQ(value_of(panel.rows, "GPU busy, mean of 2"), "5.00 ms");
  EXPECT_EQ(value_of(panel.rows, "GPU 3 busy"), "8.00 ms");
  EXPECT_EQ(value_of(panel.rows, "Memory shown"), "rank 1, GPU 3, one of 2");
  EXPECT_EQ(panel.sentence, "The 2 GPUs are busy for 50.0 % of 10.00 ms on average");
  summary.by_number = true;
  EXPECT_EQ(panel_of_trace(texts, {}, summary).sentence, "A trace of 10.00 ms");
}

TEST(FileRows, DevicesOfOneNameAreSaidOnceWithTheirNumber) {
  trace_file::TraceFile about;
  about.devices = {"H100", "H100", "", "A100", "H100"};
  std::vector<std::string> devices;
  for (const InspectorRow& row : rows_of_trace(testing::program_texts(), std::move(about)))
    if (row.label == "Device") devices.push_back(row.value.joined());
  EXPECT_EQ(devices, (std::vector<std::string>{"3 \u00d7 H100", "A100"}));
}

// The beginning of a large file is shown while the rest is read, and when that is stopped.
TEST(FileRows, TheSizeIsTheFilesAndSaysThatABeginningIsShown) {
  const text::Texts texts = testing::program_texts();
  const auto size = [&](const base::Message& fault) {
    return size_row(texts, {std::size_t{300} << 20}, fault).value.joined();
  };
  const auto part = [](const char* why) { return io::read_in_part("a", text::message(why)); };
  EXPECT_EQ(size({}), "300 MiB");
  EXPECT_EQ(size(part("pack_error.cut")), "300 MiB") << "there is no more of it";
  for (const char* why : {"file_error.reason.goes_on", "file_error.stopped"})
    EXPECT_EQ(size(part(why)), "300 MiB; its beginning is shown") << why;
  const base::Message beginning = part("file_error.reason.goes_on");
  const std::size_t packed = std::size_t{12} << 20;
  EXPECT_EQ(size_row(texts, {std::size_t{300} << 20, packed}, {}).value.joined(),
            "300 MiB, packed 12.00 MiB");
  EXPECT_EQ(size_row(texts, {0, packed}, beginning).value.joined(),
            "12.00 MiB packed; its beginning is shown")
      << "what it unpacks to is not known yet";
  trace_file::TraceFile about;
  about.bytes = std::size_t{300} << 20;
  about.fault = part("file_error.stopped");
  EXPECT_EQ(value_of(rows_of_trace(texts, std::move(about)), "Size"),
            "300 MiB; its beginning is shown");
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
      {.run = two_blocks(), .stacks = {memory::kNone, stack}, .free_stacks = {{0, stack}}});
  const text::Texts texts = testing::program_texts();
  ViewState state;
  ViewContext shown{
      &file.devices[0].run, *snapshot.strings, texts, theme(ThemeKind::dark), {1}, state, 0, 0, ""};
  shown.file = &file;
  shown.file_device = file.devices.data();
  state.selected_block = 0;
  EXPECT_TRUE(selected_block_facts(shown)->only_freed);
  EXPECT_EQ(stack_as_text(shown), "drop  /x/train.py:7\n");
  snapshot.notes.add({});
  snapshot.device_traces = {allocator::Trace(2)};
  snapshot.device_traces[0][1].time_us = 5;
  shown.memory.kind = MemorySource::Kind::opened;
  shown.memory.log = &file.devices[0].run.memory;
  shown.memory.blocks_before = 1;
  EXPECT_EQ(value_of(block_rows(shown), "Allocated at"), "before the recording");
  state.selected_block = 1;
  EXPECT_EQ(value_of(block_rows(shown), "Allocated at"), "1 ns");
  EXPECT_FALSE(selected_block_facts(shown)->only_freed);
  EXPECT_EQ(stack_as_text(shown), "drop  /x/train.py:7\n");
}

}  // namespace
}  // namespace ts::views

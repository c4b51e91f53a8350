// The recording of a script, as it opens.
#include "core/files/opened_recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/blocks/block_table.h"
#include "core/files/opened_file.h"
#include "core/io/file.h"
#include "core/run/recording.h"

namespace ts::files {
namespace {

using memory::Action;

// A script of one step: a parameter, an activation of a line in a module, a refusal.
std::string script_recording(run::Verdict verdict, std::uint64_t dropped) {
  base::StringTable strings;
  run::StartedUpdate started;
  started.id = 1;
  run::Run run(started);
  run.script = "train.py";
  run.dropped = dropped;
  run.allocator_peak = 5000;
  run::StepTimes step;
  step.total_ns = 7;
  run.apply(run::SampleUpdate{1, step, run::SampleUpdate::Kind::recorded});
  run::FinishedUpdate end;
  end.id = 1;
  end.verdict = verdict;
  run.apply(std::move(end));
  run::RecordingWriter writer(1, strings, run::RecordingWriter::WhenFull::keep);
  capture::Batch batch;
  batch.tracks.push_back({0, {trace::TrackKind::phases, "phases"}});
  batch.tracks.push_back({1, {trace::TrackKind::cpu_thread, "worker"}});
  batch.slices.push_back(
      {1, 0, {.begin_ns = 10, .duration_ns = 20, .name = strings.intern("aten::mm")}});
  const auto add = [&](Action action, std::uint64_t address, std::int64_t size,
                       const char* module) {
    memory::Record record;
    record.time_ns = 10 + static_cast<std::int64_t>(batch.memory.size());
    record.address = address;
    record.size = size;
    record.action = action;
    record.step = 0;
    record.phase = base::Phase::forward;
    record.op = strings.intern("aten::mm");
    record.module = strings.intern(module);
    batch.memory.push_back(record);
  };
  add(Action::phase_begin, 0, 0, "");
  add(Action::alloc, 0x1000, 1000, "layers.0.attn @ model.py:61");
  add(Action::alloc, 0x2000, 3000, "@ train.py:12");
  add(Action::alloc, 0x4000, 500, "layers.0.attn @ model.py:61");
  add(Action::alloc, 0x5000, 500, "layers.0.attn");
  add(Action::phase_end, 0, 0, "");
  writer.add(batch);
  return writer.file(run);
}

class OpenedRecording : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::unique_ptr<OpenedFile> open(const std::string& content) {
    EXPECT_TRUE(io::write_file(path_, content));
    auto opened = open_file(path_);
    EXPECT_TRUE(opened) << opened.error().sentence;
    return std::move(*opened);
  }
  // No ending tells the kind: the content does.
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / "tensorscope opened recording";
};

TEST_F(OpenedRecording, ShowsTimelineFirstAndThenItsBlocks) {
  const auto opened = open(script_recording(run::Verdict::ok, 0));
  ASSERT_EQ(opened->devices.size(), 1U);
  ASSERT_NE(opened->trace_shown(opened->first_shown()), nullptr);
  EXPECT_EQ(opened->trace_shown(0), nullptr);
  EXPECT_TRUE(opened->fault().empty());
  const OpenedTrace& trace = *opened->trace;
  EXPECT_TRUE(trace.recording);
  EXPECT_EQ(trace.run.script, "train.py");
  EXPECT_EQ(trace.run.recorded_steps.size(), 1U);
  EXPECT_EQ(trace.run.memory.peak_bytes(), 5000);
  ASSERT_EQ(trace.summary.operators.size(), 1U);
  EXPECT_EQ(opened->strings(1).view(trace.summary.operators[0].name), "aten::mm");
  EXPECT_EQ(opened->devices[0].run.memory.peak_bytes(), 5000);
}

TEST_F(OpenedRecording, TellsTheBytesOfEveryLine) {
  const auto opened = open(script_recording(run::Verdict::ok, 0));
  const OpenedDevice& device = opened->devices[0];
  const auto groups = blocks::group_blocks(blocks_of(*opened, device), blocks::GroupBy::frame,
                                           blocks::Weight::alive, device.run.memory.peak_event());
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "train.py:12");
  EXPECT_EQ(groups[0].weight, 3000);
  EXPECT_EQ(groups[1].name, "model.py:61");
  EXPECT_EQ(groups[1].weight, 1500);
  EXPECT_EQ(groups[1].count, 2);
  // Module and line of a block are the recorded ones.
  const auto& blocks = device.run.memory.blocks();
  const auto module = [&](std::size_t i) { return opened->strings(0).view(blocks[i].module); };
  EXPECT_EQ(module(0), "layers.0.attn @ model.py:61");
  EXPECT_EQ(module(1), "@ train.py:12");
  EXPECT_EQ(module(3), "layers.0.attn");
}

TEST_F(OpenedRecording, SaysWhatWasLostAndHowItEnded) {
  const auto opened = open(script_recording(run::Verdict::oom, 12));
  EXPECT_NE(opened->fault().sentence.find("12 records were lost"), std::string::npos);
  EXPECT_EQ(opened->trace->run.verdict, run::Verdict::oom);
}

TEST_F(OpenedRecording, DamagedIsOneSentence) {
  std::string content = script_recording(run::Verdict::ok, 0);
  content.resize(content.size() - 3);
  ASSERT_TRUE(io::write_file(path_, content));
  const auto opened = open_file(path_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().sentence.find("cannot be shown"), std::string::npos);
}

}  // namespace
}  // namespace ts::files

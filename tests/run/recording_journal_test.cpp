// A killed process leaves all that was written of its recording, up to the last whole piece.
#include "core/run/recording_journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "core/base/clock.h"
#include "core/report/run_json.h"
#include "core/run/recording_format.h"
#include "core/run/recording_parts.h"
#include "tests/io/temporary_folder.h"
#include "tests/run/made_stream.h"

namespace ts::run {
namespace {

using testing::MadeStream;

// The same run, in pieces of the writer that also makes the whole file.
struct MadeJournal : MadeStream {
  explicit MadeJournal(std::uint32_t seed) : MadeStream(seed) {
    pieces = {recording_parts::piece_of(recording_parts::run_header(first), {})};
    for (std::size_t i = 0; i < batches.size(); ++i) {
      writer.add(batches[i]);
      RecordingProgress progress;
      progress.steps = {run.recorded_steps.at(i)};
      progress.peak = 4096 * static_cast<std::int64_t>(i);
      const RecordingWriter::Piece piece = writer.next_piece(progress);
      pieces.push_back(piece.begin + std::string(piece.records));
    }
  }
  Run first{started()};
  RecordingWriter writer{1, strings};
};

Run begun() {
  return Run(MadeStream::started());
}

std::shared_ptr<Run> read(std::string_view file) {
  base::StringTable strings;
  auto run = read_recording(file, 1, strings);
  EXPECT_TRUE(run) << (run ? "" : run.error().sentence);
  return run ? *run : nullptr;
}

TEST(RecordingJournal, HasAllThatWasWrittenAndFailed) {
  const MadeJournal made(3);
  const auto run = read(made.bytes());
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->trace.slice_count(), made.run.trace.slice_count());
  EXPECT_EQ(run->memory.events().size(), made.run.memory.events().size());
  EXPECT_EQ(run->memory.peak_bytes(), made.run.memory.peak_bytes());
  EXPECT_EQ(run->launches.size(), made.run.launches.size());
  EXPECT_EQ(run->recorded_steps.size(), made.run.recorded_steps.size());
  EXPECT_EQ(run->verdict, Verdict::failed);
  EXPECT_NE(run->failure.sentence.find("ended without saying how"), std::string::npos);
  EXPECT_EQ(run->end_ns, run->trace.range().end);
  for (trace::TrackId track = 0; track < run->trace.tracks().size(); ++track) {
    for (std::uint16_t depth = 0; depth < run->trace.depth_count(track); ++depth) {
      for (std::uint32_t i = 0; i < run->trace.lane_size(track, depth); ++i) {
        EXPECT_EQ(run->trace.slice({track, depth, i}).begin_ns,
                  made.run.trace.slice({track, depth, i}).begin_ns);
      }
    }
  }
}

TEST(RecordingJournal, ThePiecesDoNotChangeTheFile) {
  MadeJournal made(4);
  RecordingWriter alone(1, made.strings);
  for (const capture::Batch& batch : made.batches) alone.add(batch);
  EXPECT_EQ(made.writer.file(made.run), alone.file(made.run));
  EXPECT_EQ(read(alone.file(made.run))->verdict, made.run.verdict);
}

TEST(RecordingJournal, CutOffAnywhereItHasTheWholePieces) {
  const MadeJournal made(5);
  const std::string bytes = made.bytes();
  std::vector<std::size_t> ends;
  for (const std::string& piece : made.pieces)
    ends.push_back((ends.empty() ? 0 : ends.back()) + piece.size());
  for (std::size_t size = ends.front(); size < bytes.size(); size += 13) {
    const auto run = read(std::string_view(bytes).substr(0, size));
    ASSERT_NE(run, nullptr) << size;
    const auto whole = std::ranges::count_if(ends, [size](std::size_t end) { return end <= size; });
    EXPECT_EQ(run->recorded_steps.size(), static_cast<std::size_t>(whole - 1)) << size;
  }
}

TEST(RecordingJournal, AFileWithSomethingBehindItIsDamaged) {
  const MadeJournal made(6);
  base::StringTable strings;
  const std::string file = made.writer.file(made.run);
  EXPECT_FALSE(read_recording(file + "x", 1, strings));
  EXPECT_FALSE(read_recording(file + file, 1, strings));
}

TEST(RecordingJournal, LiesBesideTheRecordingUntilThatIsWritten) {
  const io::testing::TemporaryFolder folder;
  const auto path = RecordingJournal::path_of(folder / "one.recording");
  EXPECT_EQ(path.filename(), "one.recording.part");
  MadeStream made(7);
  {
    RecordingJournal journal(path, begun());
    RecordingWriter writer(1, made.strings);
    writer.add(made.batches.front());
    journal.step(made.run.recorded_steps.front());
    journal.update(writer, 0, 0, 64);
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto run = read(bytes);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->recorded_steps.size(), 1U);
  RecordingJournal again(path, begun());
  again.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
  RecordingJournal nowhere(folder / "no" / "folder.part", begun());
  nowhere.remove();
}

}  // namespace
}  // namespace ts::run

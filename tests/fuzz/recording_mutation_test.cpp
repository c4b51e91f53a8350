// Damaged recordings whose checksums are right, as somebody would make them who wants to get past
// those: each is read or refused with a sentence, and what was read can be looked at.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/report/run_json.h"
#include "core/run/recording.h"
#include "core/run/recording_format.h"
#include "core/run/recording_stream.h"
#include "core/sweep/point_profile.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/mutator.h"
#include "tests/run/made_batch.h"
#include "tests/run/made_runs.h"
#include "tests/run/made_stream.h"

namespace ts::fuzz {
namespace {

constexpr int kRecordingCases = 400;

std::string recording(std::uint32_t seed) {
  std::mt19937 random(seed);
  base::StringTable strings;
  run::Run run = run::testing::made_run(spec::WorkloadSpec{}, 3, 4096);
  run::BatchUpdate update{run.id, run::testing::random_batch(random, strings, true, 60)};
  run::RecordingWriter writer(run.id, strings);
  writer.add(update.batch);
  run.apply(std::move(update));
  return writer.file(run);
}

bool feed_recording(const std::string& file) {
  base::StringTable strings;
  const auto read = run::read_recording(file, 3, strings);
  if (!read) {
    EXPECT_FALSE(read.error().sentence.empty());
    return false;
  }
  const run::Run& run = **read;
  static_cast<void>(report::to_json(run, nullptr));
  static_cast<void>(sweep::profile_of(run, strings));
  static_cast<void>(run.timing());
  for (trace::TrackId track = 0; track < run.trace.tracks().size(); ++track) {
    for (std::uint16_t depth = 0; depth < run.trace.depth_count(track); ++depth) {
      for (std::uint32_t i = 0; i < run.trace.lane_size(track, depth); ++i) {
        static_cast<void>(strings.view(run.trace.slice({track, depth, i}).name));
      }
    }
  }
  return true;
}

class DamagedRecordings : public ::testing::TestWithParam<int> {};

TEST_P(DamagedRecordings, AreReadOrRefused) {
  const auto seed = static_cast<std::uint32_t>(GetParam());
  const std::string file = recording(seed);
  ASSERT_TRUE(feed_recording(file));
  const auto parts = run::recording_format::parts_of(file);
  ASSERT_TRUE(parts);
  const std::string header(parts->header);
  const std::string records(parts->records);
  Mutator frame({file}, seed);
  Mutator header_bytes({header}, seed);
  Mutator record_bytes({records}, seed);
  JsonMutator meaning(seed);
  using run::recording_format::framed;
  int read = 0;
  for (int i = 0; i < kRecordingCases; ++i) {
    feed_recording(frame.next());
    read += feed_recording(framed(header_bytes.next(), records)) ? 1 : 0;
    read += feed_recording(framed(header, record_bytes.next())) ? 1 : 0;
    read += feed_recording(framed(meaning.changed(header), records)) ? 1 : 0;
  }
  EXPECT_GT(read, kRecordingCases / 10);
}

// Reads the stream up to its fault. True if anything came of it.
bool feed_stream(const std::string& bytes) {
  base::StringTable strings;
  run::RecordingStreamReader reader(1, strings);
  std::vector<run::Update> updates;
  const auto fed = reader.feed(bytes, updates);
  EXPECT_TRUE(fed || !fed.error().sentence.empty());
  if (!updates.empty()) {
    const run::Run run = run::testing::applied(std::move(updates));
    static_cast<void>(report::to_json(run, nullptr));
    static_cast<void>(sweep::profile_of(run, strings));
  }
  return reader.ended();
}

TEST_P(DamagedRecordings, AreReadOrRefusedAsTheyCome) {
  const auto seed = static_cast<std::uint32_t>(GetParam());
  const run::testing::MadeStream made(seed, 2, 30);
  ASSERT_TRUE(feed_stream(made.bytes()));
  Mutator frames({made.bytes()}, seed);
  JsonMutator meaning(seed);
  std::mt19937 random(seed);
  int ended = 0;
  for (int i = 0; i < kRecordingCases; ++i) {
    feed_stream(frames.next());
    std::string bytes;
    const std::size_t damaged = random() % made.pieces.size();
    for (std::size_t at = 0; at < made.pieces.size(); ++at) {
      const auto parts = run::recording_format::parts_of(made.pieces[at]);
      const std::string records(parts->records);
      Mutator record_bytes({records.empty() ? std::string(1, '\x01') : records}, random());
      const bool here = at == damaged;
      bytes += run::recording_format::framed(here && i % 2 == 0
                                                 ? meaning.changed(std::string(parts->header))
                                                 : std::string(parts->header),
                                             here && i % 2 == 1 ? record_bytes.next() : records);
    }
    ended += feed_stream(bytes) ? 1 : 0;
  }
  EXPECT_GT(ended, kRecordingCases / 10);
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedRecordings, ::testing::Range(0, 3));

}  // namespace
}  // namespace ts::fuzz

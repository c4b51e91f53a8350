// A recording in pieces: what comes out is what went in, wherever the bytes are parted, cut off or
// changed.
#include "core/run/recording_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/report/run_json.h"
#include "core/run/recording_format.h"
#include "tests/run/made_stream.h"

namespace ts::run {
namespace {

using testing::applied;
using testing::MadeStream;

struct Fed {
  base::StringTable strings;
  RecordingStreamReader reader{1, strings};
  std::vector<Update> updates;
  bool good = true;
  std::string problem;

  // In parts of so many bytes.
  void feed(std::string_view bytes, std::size_t part) {
    for (; good && !bytes.empty(); bytes.remove_prefix(std::min(part, bytes.size()))) {
      const auto fed = reader.feed(bytes.substr(0, part), updates);
      good = fed.has_value();
      if (!fed) problem = fed.error().sentence;
    }
  }
};

void expect_same_notes(const ScriptNotes& got, const ScriptNotes& made) {
  EXPECT_EQ(got.kept_graphs, made.kept_graphs);
  ASSERT_EQ(got.idle_parts.size(), made.idle_parts.size());
  for (std::size_t i = 0; i < got.idle_parts.size(); ++i) {
    EXPECT_EQ(got.idle_parts[i].module, made.idle_parts[i].module);
    EXPECT_EQ(got.idle_parts[i].inside, made.idle_parts[i].inside);
    EXPECT_EQ(got.idle_parts[i].gradients, made.idle_parts[i].gradients);
  }
}

void expect_same(const Run& got, const base::StringTable& got_strings, const MadeStream& made) {
  EXPECT_EQ(report::to_json(got, nullptr), report::to_json(made.run, nullptr));
  ASSERT_EQ(got.trace.slice_count(), made.run.trace.slice_count());
  ASSERT_EQ(got.memory.events().size(), made.run.memory.events().size());
  EXPECT_EQ(got.memory.peak_bytes(), made.run.memory.peak_bytes());
  EXPECT_EQ(got.launches.size(), made.run.launches.size());
  expect_same_notes(got.notes, made.run.notes);
  for (trace::TrackId track = 0; track < got.trace.tracks().size(); ++track) {
    EXPECT_EQ(got.trace.tracks()[track].name, made.run.trace.tracks()[track].name);
    for (std::uint16_t depth = 0; depth < got.trace.depth_count(track); ++depth) {
      for (std::uint32_t i = 0; i < got.trace.lane_size(track, depth); ++i) {
        const trace::Slice a = got.trace.slice({track, depth, i});
        const trace::Slice b = made.run.trace.slice({track, depth, i});
        ASSERT_EQ(a.begin_ns, b.begin_ns);
        ASSERT_EQ(a.duration_ns, b.duration_ns);
        ASSERT_EQ(got_strings.view(a.name), made.strings.view(b.name));
        ASSERT_EQ(got_strings.view(a.module), made.strings.view(b.module));
      }
    }
  }
}

TEST(RecordingStream, GivesTheRunHoweverItsBytesAreParted) {
  const MadeStream made(1);
  for (const std::size_t part :
       {std::size_t{1}, std::size_t{7}, std::size_t{4096}, made.bytes().size()}) {
    Fed fed;
    fed.feed(made.bytes(), part);
    ASSERT_TRUE(fed.good) << fed.problem;
    EXPECT_TRUE(fed.reader.ended());
    EXPECT_FALSE(fed.reader.inside_piece());
    EXPECT_EQ(fed.reader.script(), "train.py");
    EXPECT_EQ(fed.reader.file(), "train.recording");
    run::Run got = applied(fed.updates);
    got.script = fed.reader.script();
    expect_same(got, fed.strings, made);
  }
}

TEST(RecordingStream, CutOffAtAnyByteItHasAllWholePieces) {
  const MadeStream made(2);
  Fed fed;
  std::ptrdiff_t batches = 0;
  for (std::size_t i = 0; i < made.pieces.size(); ++i) {
    const std::string_view piece = made.pieces[i];
    for (std::size_t at = 0; at < piece.size(); ++at) {
      ASSERT_EQ(std::ranges::count_if(
                    fed.updates,
                    [](const Update& one) { return std::holds_alternative<BatchUpdate>(one); }),
                batches);
      ASSERT_FALSE(fed.reader.ended());
      ASSERT_EQ(fed.reader.inside_piece(), at > 0);
      fed.feed(piece.substr(at, 1), 1);
      ASSERT_TRUE(fed.good) << fed.problem;
    }
    batches += i > 0 ? 1 : 0;
  }
  EXPECT_TRUE(fed.reader.ended());
}

TEST(RecordingStream, AnyChangedByteEndsItAndLeavesWhatCameBefore) {
  const MadeStream made(3, 1, 8);
  const std::string bytes = made.bytes();
  Fed whole;
  whole.feed(bytes, bytes.size());
  ASSERT_TRUE(whole.good);
  // Each byte is read by itself; all of them take half a minute under a sanitizer.
  for (std::size_t at = 0; at < bytes.size(); at += 5) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    Fed fed;
    fed.feed(changed, 512);
    EXPECT_FALSE(fed.reader.ended()) << at;
    EXPECT_TRUE(!fed.good || fed.reader.inside_piece()) << at;
    EXPECT_EQ(fed.good, fed.problem.empty()) << at;
    EXPECT_LT(fed.updates.size(), whole.updates.size()) << at;
    const bool after_first = at >= made.pieces[0].size();
    EXPECT_EQ(!fed.updates.empty(), after_first) << at;
  }
}

TEST(RecordingStream, WhatComesAfterTheEndIsRefused) {
  const MadeStream made(4);
  Fed fed;
  fed.feed(made.bytes() + made.pieces[1], 100);
  EXPECT_FALSE(fed.good);
  EXPECT_TRUE(fed.reader.ended());
  EXPECT_EQ(fed.problem, "something came after its end");
}

TEST(RecordingStream, APieceLargerThanAnyIsRefusedBeforeItComes) {
  std::string header = recording_format::framed("{}", "");
  for (std::size_t i = 0; i < 8; ++i) header[recording_format::kMagic.size() + i] = '\x7F';
  Fed fed;
  fed.feed(std::string_view(header).substr(0, recording_format::kMagic.size() + 24), 64);
  EXPECT_FALSE(fed.good);
}

TEST(RecordingStream, WhatTheReceiverIsTooSlowForIsCounted) {
  base::StringTable strings;
  std::mt19937 random(5);
  RecordingStreamWriter writer(strings);
  run::Run run(MadeStream::started());
  std::string bytes = writer.begin(run);
  const capture::Batch first = testing::random_batch(random, strings, true, 10);
  const capture::Batch second = testing::random_batch(random, strings, false, 10);
  writer.skip(first);  // its tracks are needed by the next one
  bytes += writer.piece(second, 7);
  bytes += writer.end(run, "");
  Fed fed;
  fed.feed(bytes, 1000);
  ASSERT_TRUE(fed.good) << fed.problem;
  const run::Run got = applied(fed.updates);
  EXPECT_EQ(got.trace.tracks().size(), first.tracks.size());
  EXPECT_EQ(got.trace.slice_count(), second.slices.size());
  EXPECT_EQ(got.dropped, first.slices.size() + first.memory.size());
}

}  // namespace
}  // namespace ts::run

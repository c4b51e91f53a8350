// The beginning of a large file is shown while it is read, for each format.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/files/opened_file.h"
#include "core/io/file.h"
#include "core/snapshot/snapshot_write.h"
#include "tests/io/gzip_bytes.h"
#include "tests/io/temporary_folder.h"

namespace ts::files {
namespace {

using io::testing::gzipped;
using io::testing::TemporaryFolder;

constexpr int kBlocks = 4000;
constexpr Opening::Sizes kSmallSizes = {.large = 4096, .large_packed = 1024, .beginning = 60'000};

// One block after another, each of another size; at the end a segment with the last one alive.
std::string snapshot_bytes(snapshot::SnapshotFormat format) {
  allocator::Snapshot snapshot;
  auto& trace = snapshot.device_traces.emplace_back();
  const auto add = [&](allocator::TraceAction action, std::int64_t size, std::int64_t time) {
    allocator::TraceEntry entry;
    entry.address = 1 << 20;
    entry.size = size;
    entry.time_us = time;
    entry.action = action;
    entry.notes = snapshot.notes.add({}) & allocator::kMostNotes;
    trace.push_back(entry);
  };
  add(allocator::TraceAction::segment_alloc, 2 << 20, 0);
  for (int i = 1; i <= kBlocks; ++i) {
    add(allocator::TraceAction::alloc, 512 * (1 + i % 40), 3 * i);
    add(allocator::TraceAction::free_requested, 512 * (1 + i % 40), 3 * i + 1);
    add(allocator::TraceAction::free_completed, 512 * (1 + i % 40), 3 * i + 2);
  }
  std::string bytes;
  snapshot::write_snapshot([&bytes](std::string_view piece) { bytes += piece; }, snapshot, format);
  return bytes;
}

std::string trace_bytes(bool list) {
  std::string bytes = list ? "[" : R"({"schemaVersion": 1, "traceEvents": [)";
  for (int i = 0; i < kBlocks; ++i) {
    if (i > 0) bytes += ",\n";
    bytes += R"({"ph": "X", "cat": "cpu_op", "name": "aten::op_)" + std::to_string(i % 97) +
             R"(", "pid": 7, "tid": 7, "ts": )" + std::to_string(10 * i) + R"(, "dur": 8})";
  }
  return bytes + (list ? "]" : "]}");
}

struct Case {
  const char* name;
  std::string bytes;
};

std::vector<Case> cases() {
  const std::string pickle = snapshot_bytes(snapshot::SnapshotFormat::pickle);
  const std::string json = snapshot_bytes(snapshot::SnapshotFormat::json);
  return {{"a.pickle", pickle},
          {"a.json", json},
          {"a.pickle.gz", gzipped(pickle)},
          {"a.json.gz", gzipped(json)},
          {"trace.json", trace_bytes(false)},
          {"list.json", trace_bytes(true)},
          {"trace.json.gz", gzipped(trace_bytes(false))}};
}

std::size_t events_of(const OpenedFile& file) {
  return file.trace != nullptr ? file.trace->about.event_count : file.file.snapshot.entry_count();
}

class LargeFiles : public ::testing::Test {
 protected:
  std::filesystem::path place(const Case& one) {
    EXPECT_TRUE(io::write_file(folder_ / one.name, one.bytes));
    return folder_ / one.name;
  }
  Opening opening() {
    return {
        .progress = &progress_,
        .beginning =
            [this](std::unique_ptr<OpenedFile> file) { beginnings_.push_back(std::move(file)); },
        .sizes = kSmallSizes};
  }

  TemporaryFolder folder_;
  base::Progress progress_;
  std::vector<std::unique_ptr<OpenedFile>> beginnings_;
};

TEST_F(LargeFiles, ShowTheirBeginningFirst) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto path = place(one);
    const auto whole = open_file(path, opening());
    ASSERT_TRUE(whole) << whole.error().sentence;
    EXPECT_EQ((*whole)->fault().sentence, "");
    ASSERT_EQ(beginnings_.size(), 1U);
    const OpenedFile& beginning = *beginnings_.back();
    EXPECT_NE(beginning.fault().sentence.find("still being read"), std::string::npos)
        << beginning.fault().sentence;
    EXPECT_NE(beginning.fault().sentence.find(one.name), std::string::npos);
    EXPECT_GT(events_of(beginning), 150U);
    EXPECT_LT(events_of(beginning), events_of(**whole));
    EXPECT_TRUE(beginning.file.snapshot.segments.empty());
    EXPECT_EQ(beginning.path, path);
    EXPECT_TRUE(beginning.arrives);
    const auto& [bytes, packed] =
        beginning.trace != nullptr
            ? std::pair(beginning.trace->about.bytes, beginning.trace->about.packed)
            : std::pair(beginning.file.bytes, beginning.file.packed);
    const bool is_packed = path.extension() == ".gz";
    EXPECT_EQ(bytes, is_packed ? 0 : one.bytes.size()) << "that of the whole file";
    EXPECT_EQ(packed, is_packed ? one.bytes.size() : 0);
    EXPECT_FALSE((*whole)->arrives);
    beginnings_.clear();
  }
}

// The blocks of the beginning are those of the whole, as far as it goes.
TEST_F(LargeFiles, TheBeginningSaysWhatTheWholeSays) {
  const auto path = place({"a.pickle", snapshot_bytes(snapshot::SnapshotFormat::pickle)});
  const auto whole = open_file(path, opening());
  ASSERT_TRUE(whole) << whole.error().sentence;
  ASSERT_EQ(beginnings_.size(), 1U);
  const auto& all = (*whole)->devices.at(0).run.memory.blocks();
  const auto& first = beginnings_[0]->devices.at(0).run.memory.blocks();
  ASSERT_GT(first.size(), 300U);
  for (std::size_t i = 0; i + 1 < first.size(); ++i) ASSERT_EQ(first[i].size, all[i].size) << i;
}

TEST_F(LargeFiles, OneThatIsCutOffShowsItsBeginningToo) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto path = place({one.name, one.bytes.substr(0, one.bytes.size() * 9 / 10)});
    const auto whole = open_file(path, opening());
    ASSERT_TRUE(whole) << whole.error().sentence;
    EXPECT_NE((*whole)->fault().sentence, "");
    ASSERT_EQ(beginnings_.size(), 1U);
    EXPECT_LT(events_of(*beginnings_.back()), events_of(**whole));
    beginnings_.clear();
  }
}

TEST_F(LargeFiles, ReadingEndsWhenItIsCancelled) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto path = place(one);
    base::Progress progress;
    const auto stopped = open_file(path, {.progress = &progress,
                                          .beginning = [&](auto) { progress.cancel(); },
                                          .sizes = kSmallSizes});
    ASSERT_FALSE(stopped);
    EXPECT_NE(stopped.error().sentence.find("was stopped"), std::string::npos)
        << stopped.error().sentence;
  }
}

TEST_F(LargeFiles, SmallOnesHaveNoBeginning) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto path = place(one);
    EXPECT_FALSE(is_large(path));
    EXPECT_TRUE(is_large(path, kSmallSizes));
    auto with_usual_sizes = opening();
    with_usual_sizes.sizes = {};
    ASSERT_TRUE(open_file(path, with_usual_sizes));
    EXPECT_TRUE(beginnings_.empty());
  }
}

TEST_F(LargeFiles, WhatIsNoFileOfOursHasNoBeginning) {
  const auto path = place({"noise.pickle", std::string(100'000, 'x')});
  EXPECT_FALSE(open_file(path, opening()));
  EXPECT_TRUE(beginnings_.empty());
}

}  // namespace
}  // namespace ts::files

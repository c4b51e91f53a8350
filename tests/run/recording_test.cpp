// A run as a file, and back.
#include "core/run/recording.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/run/recording_format.h"
#include "core/run/run_json.h"
#include "tests/run/made_runs.h"

namespace ts::run {
namespace {

// What a collector might hand over, at random but in order.
capture::Batch random_batch(std::mt19937& random, base::StringTable& strings, bool tracks) {
  capture::Batch batch;
  if (tracks) {
    batch.tracks.push_back({0, {trace::TrackKind::phases, "steps"}});
    batch.tracks.push_back({1, {trace::TrackKind::cpu_thread, "main"}});
    batch.tracks.push_back({2, {trace::TrackKind::gpu_idle, "GPU 3 idle", 3}});
    trace::KernelLaunch launch;
    launch.op = strings.intern("aten::op1");
    launch.grid = {12, 3, 1};
    launch.block = {256, 1, 1};
    launch.registers = 96;
    launch.shared_memory = 65536;
    batch.launches.emplace_back(strings.intern("aten::op1, grid 12x3x1"), launch);
  }
  std::int64_t now = 1'000'000;
  for (int i = 0; i < 300; ++i) {
    now += static_cast<std::int64_t>(random() % 5000);
    capture::Batch::Row row;
    row.track = static_cast<trace::TrackId>(random() % 2);
    row.depth = static_cast<std::uint16_t>(random() % 3);
    row.slice.begin_ns = now;
    row.slice.duration_ns = static_cast<std::int64_t>(random() % 4000);
    row.slice.name = strings.intern("aten::op" + std::to_string(random() % 9));
    row.slice.module = strings.intern(random() % 2 == 0 ? "" : "blocks.0");
    row.slice.flow = random() % 7 == 0 ? static_cast<std::uint32_t>(random()) : 0;
    row.slice.slice_class = static_cast<trace::SliceClass>(random() % trace::kSliceClassCount);
    batch.slices.push_back(row);
    memory::Record record;
    record.time_ns = now;
    record.address = 0x7F0000000000U + random() % 64 * 4096;
    record.size = static_cast<std::int64_t>(random() % (1 << 28));
    record.op = row.slice.name;
    record.step = static_cast<std::int32_t>(random() % 3) - 1;
    record.action = random() % 2 == 0 ? memory::Action::alloc : memory::Action::free_completed;
    batch.memory.push_back(record);
  }
  return batch;
}

struct Written {
  base::StringTable strings;
  Run run = testing::made_run(WorkloadSpec{}, 3, 4096);
  std::string file;

  explicit Written(std::uint32_t seed) {
    std::mt19937 random(seed);
    strings.intern("taken before");
    run = testing::made_run(WorkloadSpec{}, 3, 4096);
    RecordingWriter writer(run.id, strings);
    // What made_run() told its run of memory.
    capture::Batch first;
    first.memory.push_back({0, 0x1000, 4096});
    writer.add(first);
    for (const bool tracks : {true, false}) {
      BatchUpdate update{run.id, random_batch(random, strings, tracks)};
      writer.add(update.batch);
      run.apply(std::move(update));
    }
    run.roof = Roof{DataType::fp32, 1024, 0.25, 12};
    run.facts.courses = {{"fp16", {1, 2.5, 1e4}, {0.1, 4, 3e-7}}, {"bf16", {}, {}}};
    file = writer.file(run);
  }
};

void expect_equal(const Run& a, const base::StringTable& strings_a, const Run& b,
                  const base::StringTable& strings_b) {
  EXPECT_EQ(to_json(a, nullptr), to_json(b, nullptr));
  ASSERT_EQ(a.launches.size(), b.launches.size());
  for (const auto& [detail, launch] : a.launches) {
    const auto found = std::ranges::find_if(b.launches, [&](const auto& one) {
      return strings_b.view(one.first) == strings_a.view(detail);
    });
    ASSERT_NE(found, b.launches.end());
    EXPECT_EQ(strings_b.view(found->second.op), strings_a.view(launch.op));
    EXPECT_EQ(found->second.grid, launch.grid);
    EXPECT_EQ(found->second.block, launch.block);
    EXPECT_EQ(found->second.registers, launch.registers);
    EXPECT_EQ(found->second.shared_memory, launch.shared_memory);
  }
  ASSERT_EQ(a.trace.tracks().size(), b.trace.tracks().size());
  ASSERT_EQ(a.trace.slice_count(), b.trace.slice_count());
  for (trace::TrackId track = 0; track < a.trace.tracks().size(); ++track) {
    EXPECT_EQ(a.trace.tracks()[track].name, b.trace.tracks()[track].name);
    EXPECT_EQ(a.trace.tracks()[track].kind, b.trace.tracks()[track].kind);
    EXPECT_EQ(a.trace.tracks()[track].device, b.trace.tracks()[track].device);
    for (std::uint16_t depth = 0; depth < a.trace.depth_count(track); ++depth) {
      ASSERT_EQ(a.trace.lane_size(track, depth), b.trace.lane_size(track, depth));
      for (std::uint32_t i = 0; i < a.trace.lane_size(track, depth); ++i) {
        const trace::Slice x = a.trace.slice({track, depth, i});
        const trace::Slice y = b.trace.slice({track, depth, i});
        EXPECT_EQ(x.begin_ns, y.begin_ns);
        EXPECT_EQ(x.duration_ns, y.duration_ns);
        EXPECT_EQ(x.flow, y.flow);
        EXPECT_EQ(x.slice_class, y.slice_class);
        EXPECT_EQ(strings_a.view(x.name), strings_b.view(y.name));
        EXPECT_EQ(strings_a.view(x.module), strings_b.view(y.module));
      }
    }
  }
  ASSERT_EQ(a.memory.events().size(), b.memory.events().size());
  EXPECT_EQ(a.memory.peak_bytes(), b.memory.peak_bytes());
  EXPECT_EQ(a.memory.peak_event(), b.memory.peak_event());
  ASSERT_EQ(a.memory.blocks().size(), b.memory.blocks().size());
  for (std::size_t i = 0; i < a.memory.blocks().size(); ++i) {
    EXPECT_EQ(a.memory.blocks()[i].size, b.memory.blocks()[i].size);
    EXPECT_EQ(a.memory.blocks()[i].address, b.memory.blocks()[i].address);
    EXPECT_EQ(strings_a.view(a.memory.blocks()[i].op), strings_b.view(b.memory.blocks()[i].op));
  }
  EXPECT_EQ(a.memory.unmatched_frees(), b.memory.unmatched_frees());
}

TEST(Recording, CoursesComeBackAndOlderFilesHaveNone) {
  const Written written(5);
  base::StringTable strings;
  const auto read = read_recording(written.file, 7, strings);
  ASSERT_TRUE(read) << read.error().sentence;
  ASSERT_EQ((*read)->facts.courses.size(), 2U);
  const Course& course = (*read)->facts.courses[0];
  EXPECT_EQ(course.name, "fp16");
  EXPECT_EQ(course.x, written.run.facts.courses[0].x);
  EXPECT_EQ(course.y, written.run.facts.courses[0].y);

  const auto parts = recording_format::parts_of(written.file);
  ASSERT_TRUE(parts);
  auto header = nlohmann::json::parse(parts->header);
  // What is no number stays none.
  header["facts"]["courses"][0][2][1] = nullptr;
  const std::string gap = recording_format::framed(header.dump(), parts->records);
  const auto with_gap = read_recording(gap, 9, strings);
  ASSERT_TRUE(with_gap) << with_gap.error().sentence;
  EXPECT_TRUE(std::isnan((*with_gap)->facts.courses[0].y[1]));
  EXPECT_EQ((*with_gap)->facts.courses[0].y[2], 3e-7);

  ASSERT_EQ(header.at("facts").erase("courses"), 1U);
  const std::string older = recording_format::framed(header.dump(), parts->records);
  const auto opened = read_recording(older, 8, strings);
  ASSERT_TRUE(opened) << opened.error().sentence;
  EXPECT_TRUE((*opened)->facts.courses.empty());
  EXPECT_EQ((*opened)->facts.parameters, written.run.facts.parameters);
}

TEST(Recording, TellsANewRunTheSame) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const Written written(seed);
    base::StringTable strings;
    strings.intern("another program's strings");
    const auto read = read_recording(written.file, 77, strings);
    ASSERT_TRUE(read) << read.error().sentence;
    EXPECT_EQ((*read)->id, 77U);
    EXPECT_TRUE((*read)->finished);
    expect_equal(written.run, written.strings, **read, strings);
    // 1,200 records and their names: the bound in the header is about the truth.
    EXPECT_LT(written.file.size(), 1200 * 22 + 6000);
  }
}

TEST(Recording, OutOfMemoryIsKept) {
  const base::StringTable strings;
  const run::Run run = testing::stopped_run(WorkloadSpec{}, Verdict::oom);
  base::StringTable other;
  const auto read = read_recording(RecordingWriter(run.id, strings).file(run), 5, other);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)->verdict, Verdict::oom);
  EXPECT_EQ((*read)->failure.op, run.failure.op);
  EXPECT_EQ((*read)->failure.bytes_asked, run.failure.bytes_asked);
}

TEST(Recording, WhatIsCutOffOrDamagedIsRefusedWithASentence) {
  const Written written(4);
  base::StringTable strings;
  for (std::size_t keep = 0; keep < written.file.size(); keep += 1 + keep / 3) {
    const auto read = read_recording(std::string_view(written.file).substr(0, keep), 1, strings);
    ASSERT_FALSE(read) << keep;
    EXPECT_FALSE(read.error().sentence.empty());
  }
  std::mt19937 random(9);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = written.file;
    char& one = damaged[random() % damaged.size()];
    one = static_cast<char>(static_cast<unsigned>(one) + 1 + random() % 255);
    EXPECT_FALSE(read_recording(damaged, 1, strings)) << i;
  }
  EXPECT_FALSE(read_recording("{}", 1, strings));
}

TEST(Recording, IsBounded) {
  base::StringTable strings;
  RecordingWriter writer(1, strings);
  std::mt19937 random(3);
  const capture::Batch batch = random_batch(random, strings, false);
  for (int i = 0; i < 10000 && !writer.too_large(); ++i) writer.add(batch);
  EXPECT_TRUE(writer.too_large());
  EXPECT_LT(writer.file(testing::made_run(WorkloadSpec{}, 1, 1)).size(), 100'000U);
}

}  // namespace
}  // namespace ts::run

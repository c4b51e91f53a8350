// A run as a file, and back.
#include "core/run/recording.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/report/run_json.h"
#include "core/run/recording_format.h"
#include "tests/run/made_batch.h"
#include "tests/run/made_runs.h"

namespace ts::run {
namespace {

using testing::random_batch;

struct Written {
  base::StringTable strings;
  Run run = testing::made_run(spec::WorkloadSpec{}, 3, 4096);
  std::string file;

  explicit Written(std::uint32_t seed) {
    std::mt19937 random(seed);
    strings.intern("taken before");
    run = testing::made_run(spec::WorkloadSpec{}, 3, 4096);
    RecordingWriter writer(run.id, strings);
    // The memory records of made_run().
    capture::Batch first;
    first.memory.push_back({0, 0x1000, 4096});
    writer.add(first);
    for (const bool tracks : {true, false}) {
      BatchUpdate update{run.id, random_batch(random, strings, tracks)};
      writer.add(update.batch);
      run.apply(std::move(update));
    }
    run.roof = Roof{spec::DataType::fp32, 1024, 0.25, 12};
    run.values = ValueErrors{.values = 3e-7, .gradients = 2e-6, .worst_gradient = "fc1.weight"};
    run.apply(PeakUpdate{run.id, 123'456});
    run.facts.curves = {{"fp16", {1, 2.5, 1e4}, {0.1, 4, 3e-7}}, {"bf16", {}, {}}};
    file = writer.file(run);
  }
};

void expect_equal(const Run& a, const base::StringTable& strings_a, const Run& b,
                  const base::StringTable& strings_b) {
  EXPECT_EQ(report::to_json(a, nullptr), report::to_json(b, nullptr));
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

// A script is recorded up to the limit; what comes later is counted.
TEST(Recording, KeepsWhatFitsAndCountsTheRest) {
  base::StringTable strings;
  auto run = testing::made_run(spec::WorkloadSpec{}, 3, 4096);
  run.script = "train.py";
  RecordingWriter writer(run.id, strings, RecordingWriter::WhenFull::keep);
  capture::Batch batch;
  for (std::uint64_t i = 0; i < 100'000; ++i)
    batch.memory.push_back({0, 0x1000 * (i % 7919), static_cast<std::int64_t>(i)});
  std::uint64_t added = 0;
  while (!writer.too_large()) {
    writer.add(batch);
    added += batch.memory.size();
  }
  writer.add(batch);
  EXPECT_EQ(writer.lost(), batch.memory.size());
  const auto read = read_recording(writer.file(run), 7, strings);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)->script, "train.py");
  EXPECT_EQ((*read)->dropped, batch.memory.size());
  EXPECT_GE((*read)->memory.blocks().size(), added);
}

TEST(Recording, CurvesComeBackUnderTheOldNameTooAndOlderFilesHaveNone) {
  const Written written(5);
  base::StringTable strings;
  const auto read = read_recording(written.file, 7, strings);
  ASSERT_TRUE(read) << read.error().sentence;
  ASSERT_EQ((*read)->facts.curves.size(), 2U);
  const ResultCurve& curve = (*read)->facts.curves[0];
  EXPECT_EQ(curve.name, "fp16");
  EXPECT_EQ(curve.x, written.run.facts.curves[0].x);
  EXPECT_EQ(curve.y, written.run.facts.curves[0].y);

  const auto parts = recording_format::parts_of(written.file);
  ASSERT_TRUE(parts);
  auto header = nlohmann::json::parse(parts->header);
  // Null stays null.
  header["facts"]["curves"][0][2][1] = nullptr;
  const std::string gap = recording_format::framed(header.dump(), parts->records);
  const auto with_gap = read_recording(gap, 9, strings);
  ASSERT_TRUE(with_gap) << with_gap.error().sentence;
  EXPECT_TRUE(std::isnan((*with_gap)->facts.curves[0].y[1]));
  EXPECT_EQ((*with_gap)->facts.curves[0].y[2], 3e-7);

  header["facts"]["courses"] = header["facts"]["curves"];
  ASSERT_EQ(header.at("facts").erase("curves"), 1U);
  const std::string renamed = recording_format::framed(header.dump(), parts->records);
  const auto old_name = read_recording(renamed, 10, strings);
  ASSERT_TRUE(old_name) << old_name.error().sentence;
  EXPECT_EQ((*old_name)->facts.curves[0].x, written.run.facts.curves[0].x);

  ASSERT_EQ(header.at("facts").erase("courses"), 1U);
  const std::string older = recording_format::framed(header.dump(), parts->records);
  const auto opened = read_recording(older, 8, strings);
  ASSERT_TRUE(opened) << opened.error().sentence;
  EXPECT_TRUE((*opened)->facts.curves.empty());
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
  const run::Run run = testing::stopped_run(spec::WorkloadSpec{}, Verdict::oom);
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

// A file whose checksum is right and whose content is not: only these bounds stand before the
// stores.
class RecordingWith : public ::testing::Test {
 protected:
  // The sentence about the file after its header was changed so, and these records.
  std::string sentence(const std::function<void(nlohmann::json&)>& change,
                       const std::vector<std::uint64_t>& numbers) {
    const auto parts = recording_format::parts_of(written_.file);
    auto header = nlohmann::json::parse(parts->header);
    change(header);
    std::string records;
    for (std::uint64_t value : numbers) {
      for (; value >= 0x80; value >>= 7) records += static_cast<char>(value | 0x80U);
      records += static_cast<char>(value);
    }
    base::StringTable strings;
    const auto read = read_recording(recording_format::framed(header.dump(), records), 1, strings);
    run_ = read ? *read : nullptr;
    return read ? "" : read.error().sentence;
  }
  std::string sentence(const std::vector<std::uint64_t>& numbers) {
    return sentence([](nlohmann::json&) {}, numbers);
  }
  static std::vector<std::uint64_t> slice(std::uint64_t track, std::uint64_t depth,
                                          std::uint64_t name, std::uint64_t kind) {
    return {recording_format::kSlice, track, depth, 2, 5, name, 0, 0, 0, kind};
  }

  Written written_{6};
  std::shared_ptr<ts::run::Run> run_;
};

TEST_F(RecordingWith, TracksBeyondTheLastIsRefused) {
  const auto tracks = static_cast<std::uint64_t>(written_.run.trace.tracks().size());
  EXPECT_EQ(sentence(slice(tracks - 1, 0, 1, 0)), "");
  ASSERT_NE(run_, nullptr);
  EXPECT_EQ(run_->trace.slice_count(), 1U);
  for (const std::uint64_t track : {tracks, tracks + 1, std::uint64_t{65'535}, UINT64_MAX}) {
    EXPECT_EQ(sentence(slice(track, 0, 1, 0)), "its records cannot be read") << track;
  }
  const auto none = [](nlohmann::json& header) { header["tracks"] = nlohmann::json::array(); };
  EXPECT_EQ(sentence(none, slice(0, 0, 1, 0)), "its records cannot be read");
  for (const int kind : {-1, 99}) {
    const auto unknown = [kind](nlohmann::json& header) { header["tracks"][0][0] = kind; };
    EXPECT_EQ(sentence(unknown, {}), "it has a track of an unknown kind");
  }
}

TEST_F(RecordingWith, NumbersBeyondTheirBoundsAreRefused) {
  const auto parts = recording_format::parts_of(written_.file);
  const std::size_t names = nlohmann::json::parse(parts->header).at("strings").size();
  EXPECT_EQ(sentence(slice(0, 4096, names, trace::kSliceClassCount - 1)), "");
  EXPECT_NE(sentence(slice(0, 4097, 1, 0)), "");
  EXPECT_NE(sentence(slice(0, 0, names + 1, 0)), "");
  EXPECT_NE(sentence(slice(0, 0, 1, trace::kSliceClassCount)), "");
  EXPECT_NE(sentence({9}), "");
  EXPECT_NE(sentence({recording_format::kSlice, 0}), "");
}

TEST_F(RecordingWith, AVerdictThatThereIsNotIsAFailure) {
  const auto with = [](int verdict) {
    return [verdict](nlohmann::json& header) { header["verdict"] = verdict; };
  };
  for (const Verdict verdict : {Verdict::ok, Verdict::oom, Verdict::cancelled, Verdict::failed}) {
    ASSERT_EQ(sentence(with(static_cast<int>(verdict)), {}), "");
    EXPECT_EQ(run_->verdict, verdict);
  }
  for (const int verdict : {-1, static_cast<int>(Verdict::failed) + 1, 1 << 20}) {
    ASSERT_EQ(sentence(with(verdict), {}), "");
    EXPECT_EQ(run_->verdict, Verdict::failed) << verdict;
    EXPECT_EQ(run_->failure.verdict, Verdict::failed);
  }
}

TEST_F(RecordingWith, AHeaderNestedTooDeeplyIsRefused) {
  const auto deep = [](nlohmann::json& header) {
    nlohmann::json value = 1;
    for (int i = 0; i < 200; ++i) value = nlohmann::json::array({std::move(value)});
    header["facts"]["curves"] = std::move(value);
  };
  EXPECT_NE(sentence(deep, {}).find("nested more than"), std::string::npos);
}

TEST(Recording, IsBounded) {
  base::StringTable strings;
  RecordingWriter writer(1, strings);
  std::mt19937 random(3);
  const capture::Batch batch = random_batch(random, strings, false);
  for (int i = 0; i < 10000 && !writer.too_large(); ++i) writer.add(batch);
  EXPECT_TRUE(writer.too_large());
  EXPECT_LT(writer.file(testing::made_run(spec::WorkloadSpec{}, 1, 1)).size(), 100'000U);
}

}  // namespace
}  // namespace ts::run

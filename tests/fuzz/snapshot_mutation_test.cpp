// Damaged snapshots, 100,000 of them. Meant for the asan preset, where every stray byte counts; in
// other builds it is a test of sentences and round trips.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/allocator/snapshot_recorder.h"
#include "core/snapshot/snapshot_write.h"
#include "tests/allocator/random_program.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/snapshot_target.h"
#include "tests/snapshot/pickle_bytes.h"
#include "tests/snapshot/random_snapshot.h"

namespace ts::fuzz {
namespace {

std::string written(const allocator::Snapshot& snapshot, snapshot::SnapshotFormat format) {
  std::string bytes;
  snapshot::write_snapshot([&bytes](std::string_view piece) { bytes += piece; }, snapshot, format);
  return bytes;
}

std::vector<std::string> files(snapshot::SnapshotFormat format) {
  std::vector<std::string> all;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto size = static_cast<int>(seed / 4);
    all.push_back(written(snapshot::testing::RandomSnapshot(seed).make(size), format));
  }
  return all;
}

// Opcodes that our own writer does not use.
std::string rare_opcodes() {
  snapshot::testing::PickleBytes bytes(2);
  bytes.op('}').op('q').little_endian(0, 1).op('(');
  bytes.text("device_traces").op(']').op('(').op('}').text("action").text("oom").op('s');
  bytes.op(0x86).op('l').op('a');
  bytes.text("external_annotations").op('(').op('(').text("name").text("n").op('d').op('l');
  bytes.text("segments").op('(').number(1).op('t').op('2').op('0').op('(').op('1');
  bytes.text("x").op(0x8B).little_endian(16, 4).ops(std::string(16, '\xFF')).op('u');
  return bytes.stop();
}

// What makes sense as a recording, so that damaged ones still reach the replay.
std::vector<std::string> recordings() {
  std::vector<std::string> all;
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    allocator::AllocatorSettings settings;
    settings.expandable_segments = seed % 2 == 1;
    allocator::SnapshotRecorder recorder(settings, {std::int64_t{300} << 20, 0, std::nullopt});
    allocator::testing::RandomProgram program(seed);
    std::vector<std::optional<std::uint64_t>> addresses;
    for (int i = 0; i < 25; ++i) {
      const auto step = program.next();
      if (step.kind == allocator::testing::ProgramStep::Kind::alloc) {
        addresses.push_back(recorder.alloc(step.bytes, {0, step.stream}));
      } else if (step.kind == allocator::testing::ProgramStep::Kind::empty_cache) {
        recorder.empty_cache({});
      } else if (addresses[step.block]) {
        recorder.free(*addresses[step.block], {});
      }
    }
    allocator::Snapshot snapshot = recorder.finish();
    auto& trace = snapshot.device_traces[0];
    if (seed >= 4) trace.erase(trace.begin(), trace.begin() + static_cast<long>(trace.size() / 2));
    all.push_back(written(snapshot, snapshot::SnapshotFormat::pickle));
  }
  return all;
}

// In one test, so that they spread over processors; AddressSanitizer takes several times as long.
#ifdef __SANITIZE_ADDRESS__
constexpr int kCases = 2'500;
#else
constexpr int kCases = 10'000;
#endif

void feed(const std::vector<std::string>& files, int round) {
  Mutator mutator(files, static_cast<std::uint64_t>(round));
  for (const std::string& file : files) feed_snapshot(file);
  for (int i = 0; i < kCases; ++i) feed_snapshot(mutator.next());
}

class DamagedSnapshots : public ::testing::TestWithParam<int> {};

TEST_P(DamagedSnapshots, Pickles) {
  auto seeds = files(snapshot::SnapshotFormat::pickle);
  seeds.push_back(rare_opcodes());
  feed(seeds, GetParam());
}

TEST_P(DamagedSnapshots, Recordings) {
  feed(recordings(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedSnapshots, ::testing::Range(0, 4));

class DamagedJson : public ::testing::TestWithParam<int> {};

TEST_P(DamagedJson, Json) {
  feed(files(snapshot::SnapshotFormat::json), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedJson, ::testing::Range(0, 2));

// Bytes at random, with the two that make it a pickle.
TEST(Noise, IsRefused) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = snapshot::testing::PickleBytes().bytes();
    for (std::size_t length = random() % 60; length > 0; --length) {
      bytes += static_cast<char>(random());
    }
    feed_snapshot(bytes);
  }
}

}  // namespace
}  // namespace ts::fuzz

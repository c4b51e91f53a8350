// Damaged snapshots, 100,000 of them. Meant for the asan preset, where every stray byte counts; in
// other builds it is a test of sentences and round trips.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/snapshot_seeds.h"
#include "tests/fuzz/snapshot_target.h"

namespace ts::fuzz {
namespace {

// In one test, so that they spread over processors; AddressSanitizer takes several times as long.
constexpr int kCases = 1'200;

void feed(const std::vector<std::string>& files, int round) {
  Mutator mutator(files, static_cast<std::uint64_t>(round));
  for (const std::string& file : files) feed_snapshot(file);
  for (int i = 0; i < kCases; ++i) feed_snapshot(mutator.next());
}

class DamagedSnapshots : public ::testing::TestWithParam<int> {};

TEST_P(DamagedSnapshots, Pickles) {
  auto seeds = snapshot_files(snapshot::SnapshotFormat::pickle);
  seeds.push_back(rare_opcodes());
  feed(seeds, GetParam());
}

TEST_P(DamagedSnapshots, Recordings) {
  feed(snapshot_recordings(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedSnapshots, ::testing::Range(0, 4));

class DamagedJson : public ::testing::TestWithParam<int> {};

TEST_P(DamagedJson, Json) {
  feed(snapshot_files(snapshot::SnapshotFormat::json), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedJson, ::testing::Range(0, 2));

// Bytes at random, with the two that make it a pickle.
TEST(Noise, IsRefused) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2 * kCases; ++i) {
    std::string bytes = snapshot::testing::PickleBytes().bytes();
    for (std::size_t length = random() % 60; length > 0; --length) {
      bytes += static_cast<char>(random());
    }
    feed_snapshot(bytes);
  }
}

}  // namespace
}  // namespace ts::fuzz

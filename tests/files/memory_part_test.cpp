// A stream or a pool of a device of a snapshot, shown as if it were all.
#include "core/files/memory_part.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/blocks/block_facts.h"
#include "core/files/corrections.h"
#include "core/files/opened_file.h"
#include "core/io/file.h"
#include "tests/io/temporary_folder.h"

namespace ts::files {
namespace {

using allocator::PoolId;

// Device 0 has streams 0 and 7; at 64 MiB lies a segment of the private pool (0, 3), with one block
// from before the trace; an event tells pool (0, 5) itself. Device 1 has one stream.
constexpr const char* kFile = R"({
  "segments": [
    {"device": 0, "address": 1048576, "total_size": 2097152, "stream": 0, "segment_pool_id": [0, 0],
     "blocks": [{"address": 1048576, "size": 1024, "requested_size": 700,
                 "state": "active_allocated"}]},
    {"device": 0, "address": 67108864, "total_size": 2097152, "stream": 7,
     "segment_pool_id": [0, 3], "blocks": [
       {"address": 67108864, "size": 512, "requested_size": 40, "state": "active_allocated"},
       {"address": 67109376, "size": 512, "requested_size": 300, "state": "active_allocated"}]},
    {"device": 1, "address": 4096, "total_size": 2097152, "stream": 0, "blocks": []}],
  "device_traces": [[
     {"action": "segment_alloc", "addr": 1048576, "size": 2097152, "stream": 0, "time_us": 10},
     {"action": "alloc", "addr": 1048576, "size": 700, "stream": 0, "time_us": 11,
      "category": "parameter"},
     {"action": "alloc", "addr": 67109376, "size": 300, "stream": 7, "time_us": 12,
      "category": "gradient"},
     {"action": "alloc", "addr": 1050000, "size": 50, "stream": 0, "time_us": 13,
      "category": "activation", "pool_id": [0, 5]},
     {"action": "free_completed", "addr": 1050000, "size": 50, "stream": 0, "time_us": 14,
      "pool_id": [0, 5]},
     {"action": "oom", "device_free": 77, "size": 1024, "stream": 0, "time_us": 15}],
    [{"action": "alloc", "addr": 4096, "size": 9, "stream": 0, "time_us": 16}]]})";

class MemoryParts : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(io::write_file(folder_ / "parts.json", kFile));
    auto opened = open_file(folder_ / "parts.json");
    ASSERT_TRUE(opened) << opened.error().sentence;
    ASSERT_EQ((*opened)->file.fault.sentence, "");
    whole_ = std::move(*opened);
  }
  OpenedDevice& device() { return whole_->devices.at(0); }
  std::unique_ptr<OpenedFile> narrow(const MemoryPart& part) {
    auto file = narrowed(*whole_, {&device(), 1}, part);
    EXPECT_EQ(file->devices.size(), 1U);
    return file;
  }
  static std::vector<std::int64_t> sizes(const OpenedFile& file) {
    std::vector<std::int64_t> sizes;
    for (const memory::Block& block : file.devices.at(0).run.memory.blocks())
      sizes.push_back(block.size);
    return sizes;
  }

  io::testing::TemporaryFolder folder_;
  std::unique_ptr<OpenedFile> whole_;
};

TEST_F(MemoryParts, AreListedForEachDevice) {
  EXPECT_EQ(device().parts.streams, (std::vector<std::int64_t>{0, 7}));
  EXPECT_EQ(device().parts.pools, (std::vector<PoolId>{{0, 0}, {0, 3}, {0, 5}}));
  EXPECT_EQ(whole_->devices.at(1).parts.streams, std::vector<std::int64_t>{0});
  EXPECT_EQ(whole_->devices.at(1).parts.pools, std::vector<PoolId>{{}});
}

TEST_F(MemoryParts, AreThereOrNot) {
  EXPECT_TRUE(has_part(device().parts, {}));
  EXPECT_TRUE(has_part(device().parts, {.stream = 7, .pool = PoolId{0, 3}}));
  EXPECT_FALSE(has_part(device().parts, {.stream = 8, .pool = {}}));
  EXPECT_FALSE(has_part(whole_->devices.at(1).parts, {.stream = 0, .pool = PoolId{0, 3}}));
}

TEST_F(MemoryParts, OfAllDevicesInOneFile) {
  const auto file = narrowed(*whole_, whole_->devices, {.stream = 0, .pool = {}});
  ASSERT_EQ(file->devices.size(), 2U);
  EXPECT_EQ(file->devices[0].trace_events, 5U);
  EXPECT_EQ(file->devices[1].number, 1);
  EXPECT_EQ(file->devices[1].run.memory.peak_bytes(), 9);
  EXPECT_EQ(file->file.snapshot.segments.size(), 2U);
  EXPECT_EQ(file->devices[1].in_whole, std::vector<memory::BlockIndex>{0});
}

TEST_F(MemoryParts, AStreamHasItsBlocksAndSegments) {
  const auto file = narrow({.stream = 7, .pool = {}});
  EXPECT_EQ(sizes(*file), (std::vector<std::int64_t>{40, 300}));
  EXPECT_EQ(file->file.snapshot.segments.size(), 1U);
  EXPECT_EQ(file->devices[0].number, 0);
  EXPECT_EQ(file->devices[0].run.memory.peak_bytes(), 340);
  EXPECT_EQ(file->devices[0].blocks_before, 1);
  EXPECT_EQ(file->path, whole_->path);
  EXPECT_NE(file->devices[0].run.id, device().run.id);
  EXPECT_EQ(sizes(*narrow({.stream = 0, .pool = {}})), (std::vector<std::int64_t>{700, 50}));
}

TEST_F(MemoryParts, APoolIsToldByTheEventOrItsSegment) {
  EXPECT_EQ(sizes(*narrow({.stream = {}, .pool = PoolId{0, 3}})),
            (std::vector<std::int64_t>{40, 300}));
  EXPECT_EQ(sizes(*narrow({.stream = {}, .pool = PoolId{0, 5}})), std::vector<std::int64_t>{50});
  EXPECT_EQ(sizes(*narrow({.stream = {}, .pool = PoolId{}})), std::vector<std::int64_t>{700});
}

TEST_F(MemoryParts, TogetherAreTheWhole) {
  std::int64_t bytes = 0;
  std::size_t blocks = 0;
  for (const std::int64_t stream : device().parts.streams) {
    for (const PoolId& pool : device().parts.pools) {
      const auto file = narrow({.stream = stream, .pool = pool});
      for (const std::int64_t size : sizes(*file)) bytes += size;
      blocks += sizes(*file).size();
    }
  }
  EXPECT_EQ(blocks, device().run.memory.blocks().size());
  EXPECT_EQ(bytes, 700 + 300 + 50 + 40);
}

TEST_F(MemoryParts, CategoriesAreThoseOfTheWhole) {
  Corrections corrections;
  corrections.add(device(), {.category = memory::Category::optimizer_state, .blocks = {2}});
  ASSERT_EQ(device().run.memory.blocks()[2].size, 300);
  const auto file = narrow({.stream = 7, .pool = {}});
  EXPECT_EQ(file->devices[0].run.memory.blocks()[1].category, memory::Category::optimizer_state);
  EXPECT_TRUE(file->devices[0].corrected.at(1));
  EXPECT_EQ(in_whole(file->devices[0], std::vector<std::uint32_t>{1, 99}),
            std::vector<std::uint32_t>{2});
  corrections.undo(device());
  take_categories(file->devices[0], device());
  EXPECT_EQ(file->devices[0].run.memory.blocks()[1].category, memory::Category::gradient);
}

TEST_F(MemoryParts, FactsAreThoseOfTheWhole) {
  const auto file = narrow({.stream = 7, .pool = {}});
  const blocks::BlockFacts facts = blocks::facts_of(blocks_of(*file, file->devices[0]), 1);
  EXPECT_EQ(facts.address, 67109376U);
  EXPECT_EQ(facts.stream, 7);
  EXPECT_EQ(facts.private_pool, (PoolId{0, 3}));
}

TEST_F(MemoryParts, NothingInItIsAnEmptyFile) {
  const auto file = narrow({.stream = 99, .pool = {}});
  EXPECT_TRUE(sizes(*file).empty());
  EXPECT_EQ(file->devices[0].run.memory.peak_bytes(), 0);
}

}  // namespace
}  // namespace ts::files

#include "core/files/opened_file.h"

#include <gtest/gtest.h>

#include <string>

#include "core/files/corrections.h"
#include "core/files/file_label.h"
#include "core/io/file.h"
#include "tests/io/temporary_folder.h"
#include "tests/snapshot/leaking_snapshot.h"

namespace ts::files {
namespace {

using io::testing::TemporaryFolder;

constexpr const char* kTwoDevices = R"({
  "segments": [{"device": 2, "address": 4096, "total_size": 2097152, "blocks": [
     {"address": 4096, "size": 512, "requested_size": 300, "state": "active_allocated"}]}],
  "device_traces": [[
     {"action": "segment_alloc", "addr": 1048576, "size": 2097152, "time_us": 10},
     {"action": "alloc", "addr": 1048576, "size": 700, "time_us": 11, "category": "parameter"},
     {"action": "free_requested", "addr": 1048576, "size": 700, "time_us": 12},
     {"action": "free_completed", "addr": 1048576, "size": 700, "time_us": 13}], [], []]})";

TEST(OpenedFile, HasARecordForEachDeviceWithAnything) {
  const TemporaryFolder folder;
  ASSERT_TRUE(io::write_file(folder / "two.json", kTwoDevices));
  const auto opened = open_file(folder / "two.json");
  ASSERT_TRUE(opened) << opened.error().sentence;
  const OpenedFile& file = **opened;
  ASSERT_EQ(file.devices.size(), 2U);
  EXPECT_EQ(file.devices[0].number, 0);
  EXPECT_EQ(file.devices[0].run.memory.peak_bytes(), 700);
  EXPECT_EQ(file.devices[0].trace_events, 4U);
  EXPECT_TRUE(has_categories(file.devices[0].run.memory));
  EXPECT_EQ(file.devices[1].number, 2);
  EXPECT_EQ(file.devices[1].run.memory.peak_bytes(), 300);
  EXPECT_FALSE(has_categories(file.devices[1].run.memory));
  EXPECT_NE(file.devices[0].run.id, file.devices[1].run.id);
  EXPECT_TRUE(file.devices[0].run.finished);
  EXPECT_EQ(file.file.pickle_protocol, 0);
  EXPECT_EQ(file.file.bytes, std::string(kTwoDevices).size());
}

// A loss that each of four steps keeps. What a view shows of it is made by the thread that reads.
TEST(OpenedFile, WhatGrowsIsThereBeforeItIsDrawn) {
  const TemporaryFolder folder;
  ASSERT_TRUE(io::write_file(folder / "leak.json", snapshot::testing::leaking(4)));
  const auto opened = open_file(folder / "leak.json");
  ASSERT_TRUE(opened) << opened.error().sentence;
  const OpenedDevice& device = (*opened)->devices.at(0);
  EXPECT_EQ(device.growth, nullptr) << "commands do not need it";
  prepare_for_view(**opened);
  ASSERT_NE(device.growth, nullptr);
  ASSERT_EQ(device.growth->stacks.size(), 1U);
  EXPECT_EQ(device.growth->stacks[0].last_bytes, 4 * 700);
}

TEST(OpenedFile, WhatCouldBeReadIsShownWithTheFault) {
  const TemporaryFolder folder;
  std::string content = kTwoDevices;
  content.replace(content.find("\"size\": 700, \"time_us\": 12"), 11, "\"size\": \"x\"");
  ASSERT_TRUE(io::write_file(folder / "half.json", content));
  const auto opened = open_file(folder / "half.json");
  ASSERT_TRUE(opened) << opened.error().sentence;
  EXPECT_NE((*opened)->file.fault.sentence.find("half.json"), std::string::npos);
  EXPECT_EQ((*opened)->devices[0].run.memory.peak_bytes(), 700);
}

TEST(OpenedFile, AFileWithNothingToShowIsOneSentence) {
  const TemporaryFolder folder;
  ASSERT_TRUE(io::write_file(folder / "empty.json", "{}"));
  const auto empty = open_file(folder / "empty.json");
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().sentence.find("empty.json"), std::string::npos);
  EXPECT_FALSE(open_file(folder / "missing.json"));
  EXPECT_FALSE(open_file(folder / ""));
}

// Numbers that no device has are left out, not looked up.
TEST(OpenedFile, OddDeviceNumbersDoNoHarm) {
  const TemporaryFolder folder;
  ASSERT_TRUE(io::write_file(folder / "odd.json", R"({"segments": [
      {"device": -1, "address": 1, "total_size": 512, "blocks": []},
      {"device": 9000000000000000000, "address": 2, "total_size": 512, "blocks": []},
      {"device": 7, "address": 3, "total_size": 512, "blocks": []}]})"));
  const auto opened = open_file(folder / "odd.json");
  ASSERT_TRUE(opened) << opened.error().sentence;
  ASSERT_EQ((*opened)->devices.size(), 1U);
  EXPECT_EQ((*opened)->devices[0].number, 7);
}

TEST(Corrections, ChangeTheCategoriesAndAreTakenBack) {
  const TemporaryFolder folder;
  ASSERT_TRUE(io::write_file(folder / "two.json", kTwoDevices));
  const auto opened = open_file(folder / "two.json");
  ASSERT_TRUE(opened) << opened.error().sentence;
  OpenedDevice& device = (*opened)->devices[0];
  device.guessed_share = 1;
  const memory::AllocationLog& log = device.run.memory;
  const auto at_peak = [&](memory::Category category) {
    return log.by_category_after(log.peak_event())[static_cast<std::size_t>(category)];
  };
  const std::uint64_t before = log.version();
  Corrections corrections;
  EXPECT_FALSE(corrections.can_undo());
  corrections.add(device, {.category = memory::Category::gradient, .blocks = {0, 99}});
  EXPECT_EQ(at_peak(memory::Category::gradient), 700);
  EXPECT_EQ(at_peak(memory::Category::parameter), 0);
  EXPECT_EQ(device.guessed_share, 0);
  EXPECT_TRUE(device.corrected.at(0));
  EXPECT_NE(log.version(), before) << "views draw anew";
  corrections.add(device, {.category = memory::Category::activation, .blocks = {0}});
  EXPECT_EQ(at_peak(memory::Category::activation), 700);
  corrections.undo(device);
  EXPECT_EQ(at_peak(memory::Category::gradient), 700);
  corrections.undo(device);
  EXPECT_EQ(at_peak(memory::Category::parameter), 700) << "as the file tells";
  EXPECT_EQ(device.guessed_share, 1);
  EXPECT_FALSE(device.corrected.at(0));
  EXPECT_FALSE(corrections.can_undo());
  corrections.redo(device);
  EXPECT_EQ(at_peak(memory::Category::gradient), 700);
  corrections.add(device, {.category = memory::Category::input, .blocks = {0}});
  EXPECT_FALSE(corrections.can_redo());
  EXPECT_EQ(corrections.held().size(), 2U);
}

TEST(FileLabel, HasTheFolderWhereNamesAreEqual) {
  EXPECT_EQ(file_label("/runs/a/memory.pickle", "/runs/b/memory.pickle"), "a/memory.pickle");
  EXPECT_EQ(file_label("/runs/a/one.pickle", "/runs/b/two.pickle"), "one.pickle");
}

}  // namespace
}  // namespace ts::files

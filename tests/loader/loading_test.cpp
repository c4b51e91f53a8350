// Real loads of small data sets: every batch arrives in its order whatever breaks.
#include "core/loader/loading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/loader/lab.h"
#include "tests/io/temporary_folder.h"

namespace ts::loader {
namespace {

using io::testing::TemporaryFolder;

simulate::Experiment small(const char* subject, const std::vector<std::string>& more,
                           const std::string& over = "") {
  const bool images = std::string_view(subject) == "images";
  std::vector<std::string> settings = {"samples=24", "batch=4", "batches=9", "step_ms=0"};
  if (images) settings.insert(settings.end(), {"image_width=40", "image_height=32", "side=16"});
  settings.insert(settings.end(), more.begin(), more.end());
  auto question = question_of(subject, settings, over);
  EXPECT_TRUE(question) << question.error().sentence;
  return *question;
}

// With the order in which steps were done.
struct Done {
  Answer answer;
  std::vector<std::size_t> steps;
};

Done done(const simulate::Experiment& question, Lab& lab) {
  Done result;
  auto answer = lab.answer(question, 0,
                           {.step = [&](std::size_t batch) { result.steps.push_back(batch); }}, {});
  EXPECT_TRUE(answer) << answer.error().sentence;
  if (answer) result.answer = std::move(*answer);
  return result;
}

Done done(const char* subject, const std::vector<std::string>& settings) {
  Lab lab;
  return done(small(subject, settings), lab);
}

double figure(const Done& one, const char* name) {
  return one.answer.point.outcome.value(name);
}

void expect_all_steps(const Done& one) {
  ASSERT_EQ(one.steps.size(), 9U);
  EXPECT_TRUE(std::ranges::is_sorted(one.steps));
}

TEST(Loading, EveryBatchComesInItsOrder) {
  for (const char* const workers : {"workers=0", "workers=1", "workers=3", "workers=8"}) {
    for (const char* const subject : {"images", "tokens"}) {
      const Done one = done(subject, {workers, "prefetch=1"});
      expect_all_steps(one);
      EXPECT_EQ(figure(one, "left_out"), 0);
      EXPECT_TRUE(one.answer.faults.empty());
      EXPECT_GT(figure(one, "bytes_read"), 0);
    }
  }
}

TEST(Loading, ArchivesAndPlainFilesHoldTheSame) {
  const Done plain = done("images", {"sharded=0"});
  const Done sharded = done("images", {"sharded=1", "shard_samples=5"});
  expect_all_steps(sharded);
  EXPECT_EQ(figure(sharded, "left_out"), 0);
  Lab lab;
  const Done tokens = done(small("tokens", {"sharded=1", "shard_samples=7", "packed=1"}), lab);
  expect_all_steps(tokens);
  EXPECT_GT(figure(tokens, "padding"), 0);
  EXPECT_LT(figure(tokens, "kept_scores"), 1);
}

TEST(Loading, BrokenSamplesAreNamedCountedAndLeftOut) {
  const Done one = done("images", {"broken=3", "batches=6"});
  EXPECT_EQ(one.steps.size(), 6U) << "one epoch";
  EXPECT_EQ(figure(one, "left_out"), 3);
  ASSERT_EQ(one.answer.faults.size(), 3U);
  for (const base::Message& fault : one.answer.faults) {
    EXPECT_EQ(fault.key, "loader.left_out");
    EXPECT_NE(fault.sentence.find(".jpg"), std::string::npos) << fault.sentence;
  }
  EXPECT_EQ(one.answer.verdict.back().key, "loader.left_out_count");
}

TEST(Loading, EmptyArchivesArePassedOver) {
  const Done one = done("images", {"sharded=1", "shard_samples=8", "empty_shards=2"});
  expect_all_steps(one);
  ASSERT_EQ(one.answer.faults.size(), 2U);
  EXPECT_EQ(one.answer.faults[0].key, "loader.skipped");
}

TEST(Loading, WhatAWorkerLeavesIsMadeByAnother) {
  for (const char* const dying : {"dying_workers=1", "dying_workers=2", "dying_workers=3"}) {
    const Done one = done("images", {"workers=3", dying});
    expect_all_steps(one);
    EXPECT_EQ(figure(one, "left_out"), 0);
  }
  // Alone it makes one batch; the thread of the steps makes the rest.
  const Done alone = done("tokens", {"workers=1", "dying_workers=1"});
  expect_all_steps(alone);
  EXPECT_EQ(figure(alone, "ended_workers"), 1);
  ASSERT_EQ(alone.answer.faults.size(), 1U);
  EXPECT_EQ(alone.answer.faults[0].key, "loader.ended");
}

TEST(Loading, CachesFindWhatWasLoadedBefore) {
  // Nine batches of four are one and a half epochs of 24.
  const Done memory = done("images", {"memory_mib=1", "workers=0"});
  EXPECT_NEAR(figure(memory, "memory_hits"), 12.0 / 36, 1e-9);
  EXPECT_NEAR(figure(memory, "best_hits"), 12.0 / 36, 1e-9);
  const Done disk = done("images", {"disk_cache=1", "workers=0"});
  EXPECT_NEAR(figure(disk, "disk_hits"), 12.0 / 36, 1e-9);
  EXPECT_LT(figure(disk, "bytes_read"), figure(done("images", {}), "bytes_read"));
}

TEST(Loading, ReadingAllFirstAndStackingGiveTheSameBatches) {
  const Done kept = done("images", {"preload=1", "stacked=1", "workers=2"});
  expect_all_steps(kept);
  EXPECT_EQ(figure(kept, "left_out"), 0);
  EXPECT_EQ(figure(kept, "bytes_read"), 0) << "nothing is read once the batches begin";
  EXPECT_GT(figure(kept, "preloaded"), 0);
  EXPECT_EQ(figure(done("images", {}), "preloaded"), 0);
}

TEST(Loading, MappedFilesGiveTheSameSamples) {
  for (const char* const sharded : {"sharded=0", "sharded=1"}) {
    const TemporaryFolder folder;
    const Plan plan = plan_of(small("tokens", {sharded, "shard_samples=10"}).chosen);
    ASSERT_TRUE(make_data_set(folder / "set", plan, {}, {}));
    const auto set = open_data_set(folder / "set", false);
    ASSERT_TRUE(set);
    SampleReader reads(*set), maps(*set, true);
    std::string room, unused;
    for (const Sample& sample : set->samples) {
      const auto read = reads.read(sample, room);
      const auto mapped = maps.read(sample, unused);
      ASSERT_TRUE(read && mapped) << sample.name;
      EXPECT_EQ(*mapped, *read) << sample.name;
    }
    EXPECT_TRUE(unused.empty());
    EXPECT_GT(in_system_cache(*set), 0U);
  }
  for (const char* const subject : {"images", "tokens"}) {
    const Done read = done(subject, {"sharded=1"});
    const Done mapped = done(subject, {"sharded=1", "mapped=1"});
    expect_all_steps(mapped);
    EXPECT_EQ(figure(mapped, "left_out"), 0);
    EXPECT_EQ(figure(mapped, "bytes_read"), figure(read, "bytes_read"));
    EXPECT_GT(figure(mapped, "map_in_memory"), 0);
    EXPECT_EQ(figure(read, "map_in_memory"), 0);
  }
}

// A page that a file has no more must not be touched.
TEST(Loading, AMappedArchiveThatBecomesShorterIsLeftOut) {
  const TemporaryFolder folder;
  const Plan plan = plan_of(small("tokens", {"sharded=1", "shard_samples=1000"}).chosen);
  ASSERT_TRUE(make_data_set(folder / "set", plan, {}, {}));
  const auto set = open_data_set(folder / "set", false);
  ASSERT_TRUE(set);
  SampleReader maps(*set, true);
  std::string unused;
  ASSERT_TRUE(maps.read(set->samples.front(), unused));
  std::filesystem::resize_file(set->files.front(), set->samples.back().offset);
  ASSERT_TRUE(maps.read(set->samples.front(), unused));
  const auto cut = maps.read(set->samples.back(), unused);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().key, "loader_error.shorter");
}

TEST(Loading, AFolderOfOnesOwn) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.txt") << "some words";
  std::ofstream(folder / "b.txt") << "more words than that";
  std::ofstream(folder / "notes.md") << "no sample";
  Lab lab(folder.path());
  const Done one = done(small("tokens", {"context=8"}), lab);
  expect_all_steps(one);
  EXPECT_NEAR(figure(one, "padding"), 0, 1e-9) << "both are cut";
  Lab none(folder.path());
  const auto refused = none.answer(small("images", {}), 0, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().key, "loader_error.no_images");
}

TEST(Loading, FilesThatVanishAreLeftOut) {
  for (const char* const mapped : {"mapped=0", "mapped=1"}) {
    const TemporaryFolder folder;
    const Plan plan = plan_of(small("tokens", {mapped}).chosen);
    ASSERT_TRUE(make_data_set(folder / "set", plan, {}, {}));
    const auto set = open_data_set(folder / "set", false);
    ASSERT_TRUE(set);
    std::filesystem::remove(folder / "set" / "00000003.txt");
    std::ofstream(folder / "set" / "00000004.txt", std::ios::trunc) << "";
    const auto loaded = load({.plan = plan, .set = &*set}, {});
    ASSERT_TRUE(loaded);
    EXPECT_GE(loaded->left_out, 2U);
    EXPECT_EQ(loaded->steps.size(), plan.batches);
  }
}

TEST(Loading, ACancelIsSeenAndTheSetIsTheSameForASeed) {
  Lab lab;
  base::CancelToken cancel;
  const auto cancelled = lab.answer(small("images", {}), 0,
                                    {.stepped = [&](std::size_t) { cancel.cancel(); }}, cancel);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().key, "loader_error.cancelled");
  const Plan plan = plan_of(small("tokens", {"median=50", "spread=80"}).chosen);
  EXPECT_EQ(made_lengths(plan), made_lengths(plan));
}

TEST(MadeLengths, HaveTheMedianAndTheSpreadThatAreSet) {
  auto question = question_of("tokens", {"samples=20001", "median=200", "spread=50"}, "");
  ASSERT_TRUE(question);
  auto lengths = made_lengths(plan_of(question->chosen));
  std::ranges::sort(lengths);
  EXPECT_NEAR(lengths[10000], 200, 5);
  // One deviation above: 200 e^0.5.
  EXPECT_NEAR(lengths[static_cast<std::size_t>(20001 * 0.8413)], 200 * 1.6487, 10);
}

}  // namespace
}  // namespace ts::loader

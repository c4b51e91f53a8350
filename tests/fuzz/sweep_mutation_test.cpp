// Damaged journals of sweeps and profiles of their points: each is read or refused with a sentence,
// and what was read can be put into a sweep, tables and JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/io/json_parse.h"
#include "core/report/compare_report.h"
#include "core/sweep/point_profile.h"
#include "core/sweep/sweep_journal.h"
#include "core/sweep/sweep_table.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/mutator.h"
#include "tests/sweep/made_sweeps.h"

namespace ts::fuzz {
namespace {

constexpr int kSweepCases = 300;

// Line by line: a header, points that fit, ran out of memory and failed, and a wider specification.
std::vector<std::string> journal_lines() {
  sweep::Sweep sweep(sweep::testing::over_t("T=64:512:x2"));
  sweep::testing::predict_all(sweep, sweep::testing::as_theory, 1 << 20);
  sweep::testing::run_all(sweep, sweep::testing::with_limit(256));
  const nlohmann::json header = {{"tensorscope_sweep", 1},
                                 {"identity", {{"program", "tensorscope"}, {"gpus", {"H200"}}}},
                                 {"sweep", to_json(sweep.spec())}};
  std::vector<std::string> lines = {header.dump()};
  for (const sweep::SweepPoint& point : sweep.points()) {
    lines.push_back(to_json(sweep, point).dump());
  }
  const nlohmann::json wider = {
      {"sweep", to_json(sweep::testing::over_t("T=64:1024:x2", "backend=naive,flash,math"))}};
  lines.push_back(wider.dump());
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Whether it was read.
bool feed_journal(const std::string& text) {
  const auto content = sweep::parse_journal(text, "sweep.jsonl");
  if (!content) {
    EXPECT_FALSE(content.error().sentence.empty());
    return false;
  }
  sweep::Sweep sweep(content->spec);
  if (const auto restored = sweep::restore(sweep, *content, "sweep.jsonl"); !restored) {
    EXPECT_FALSE(restored.error().sentence.empty());
    return false;
  }
  static_cast<void>(sweep::same_identity(*content, {{"program", "x"}}, "sweep.jsonl"));
  static_cast<void>(to_json(sweep, nullptr).dump());
  static_cast<void>(sweep::full_table(sweep));
  EXPECT_FALSE(sweep::sweep_markdown(sweep, "caption").empty());
  EXPECT_FALSE(sweep::sweep_latex(sweep, "caption").empty());
  // The written text is read again.
  const nlohmann::json header = {
      {"tensorscope_sweep", 1}, {"identity", content->identity}, {"sweep", to_json(sweep.spec())}};
  const auto again = sweep::parse_journal(header.dump() + "\n", "sweep.jsonl");
  EXPECT_TRUE(again && again->spec == sweep.spec()) << header.dump();
  return true;
}

class DamagedJournals : public ::testing::TestWithParam<int> {};

TEST_P(DamagedJournals, AreReadOrRefused) {
  const auto lines = journal_lines();
  ASSERT_TRUE(feed_journal(joined(lines)));
  const auto seed = static_cast<std::uint64_t>(GetParam());
  Mutator bytes({joined(lines)}, seed);
  JsonMutator meaning(seed);
  std::mt19937_64 random(seed);
  int read = 0;
  for (int i = 0; i < kSweepCases; ++i) {
    std::vector<std::string> damaged = lines;
    std::string& line = damaged[random() % (random() % 2 == 0 ? 1 : damaged.size())];
    line = meaning.changed(line);
    read += feed_journal(joined(damaged)) ? 1 : 0;
    read += feed_journal(bytes.next()) ? 1 : 0;
  }
  EXPECT_GT(read, kSweepCases / 10) << "some damage is none that a reader can see";
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedJournals, ::testing::Range(0, 3));

class DamagedProfiles : public ::testing::TestWithParam<int> {};

TEST_P(DamagedProfiles, AreComparedOrRefused) {
  const base::StringTable strings;
  const std::string good =
      sweep::profile_of(run::testing::made_run(spec::WorkloadSpec{}, 2, 4096), strings).dump();
  const auto seed = static_cast<std::uint64_t>(GetParam());
  Mutator bytes({good}, seed);
  JsonMutator meaning(seed);
  int compared = 0;
  for (int i = 0; i < 5 * kSweepCases; ++i) {
    const auto a = io::parse_json(i % 2 == 0 ? bytes.next() : meaning.changed(good));
    const auto b = io::parse_json(good);
    ASSERT_TRUE(b);
    if (!a) continue;
    try {
      const auto comparison = sweep::compare_profiles(*a, *b);
      EXPECT_FALSE(sweep::comparison_markdown(comparison, "A", "B", 5).empty());
      static_cast<void>(to_json(comparison).dump());
      ++compared;
    } catch (const nlohmann::json::exception&) {
      // The promise of compare_profiles(); app/output/sweep_files.cpp makes a sentence of it.
    }
  }
  EXPECT_GT(compared, kSweepCases);
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedProfiles, ::testing::Range(0, 2));

}  // namespace
}  // namespace ts::fuzz

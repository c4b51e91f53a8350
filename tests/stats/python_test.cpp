// Summaries of random samples against reference.py: exact fractions always, NumPy and SciPy where
// they can be imported.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/stats/quantiles.h"

namespace ts::stats {
namespace {

using Samples = std::vector<double>;

// The answer of reference.py for each set of samples; empty when it fails.
std::vector<nlohmann::json> reference(const std::vector<Samples>& sets) {
  // Tests run side by side.
  const std::filesystem::path stem =
      std::filesystem::path(testing::TempDir()) / ("summaries-" + std::to_string(::getpid()));
  const std::string input = stem.string() + "-in.json";
  const std::string output = stem.string() + "-out.json";
  std::ofstream(input) << nlohmann::json(sets);
  const std::string command = TENSORSCOPE_SYSTEM_PYTHON " '" TENSORSCOPE_REFERENCE_SCRIPT
                                                        "' summary < '" +
                              input + "' > '" + output + "'";
  std::vector<nlohmann::json> answers;
  if (std::system(command.c_str()) == 0) {
    std::ifstream file(output);
    answers = nlohmann::json::parse(file).get<std::vector<nlohmann::json>>();
  }
  std::filesystem::remove(input);
  std::filesystem::remove(output);
  return answers;
}

bool python_is_there() {
  return std::system(TENSORSCOPE_SYSTEM_PYTHON " -c 'import fractions' 2> /dev/null") == 0;
}

std::vector<Samples> random_samples() {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> times(1.0, 0.6);
  std::vector<Samples> all;
  for (const std::size_t n : {1U, 2U, 3U, 5U, 6U, 7U, 10U, 25U, 99U, 100U, 1001U}) {
    Samples samples(n);
    for (double& sample : samples) sample = times(random);
    // Ties and far values, as real timings have.
    if (n > 20) {
      samples[3] = samples[4] = samples[5];
      samples[6] = 1000;
    }
    all.push_back(samples);
  }
  return all;
}

void expect_near(double value, const nlohmann::json& expected, const char* what) {
  const double reference_value = expected.get<double>();
  EXPECT_NEAR(value, reference_value, 1e-12 * (1 + std::abs(reference_value))) << what;
}

TEST(SummariseAgainstPython, ExactFractions) {
  if (!python_is_there()) GTEST_SKIP() << "needs python3";
  const auto sets = random_samples();
  const auto answers = reference(sets);
  ASSERT_EQ(answers.size(), sets.size());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    SCOPED_TRACE(sets[set].size());
    const nlohmann::json& expected = answers[set];
    const auto summary = summarise(sets[set]);
    ASSERT_TRUE(summary.has_value());
    EXPECT_EQ(summary->n, expected.at("n").get<int>());
    EXPECT_EQ(summary->outliers, expected.at("outliers").get<int>());
    expect_near(summary->min, expected.at("min"), "min");
    expect_near(summary->q1, expected.at("q1"), "q1");
    expect_near(summary->median, expected.at("median"), "median");
    expect_near(summary->q3, expected.at("q3"), "q3");
    expect_near(summary->max, expected.at("max"), "max");
    expect_near(summary->mean, expected.at("mean"), "mean");
    expect_near(summary->std, expected.at("std"), "std");
    ASSERT_EQ(summary->p90.has_value(), !expected.at("p90").is_null());
    if (summary->p90) expect_near(*summary->p90, expected.at("p90"), "p90");
    ASSERT_EQ(summary->p99.has_value(), !expected.at("p99").is_null());
    if (summary->p99) expect_near(*summary->p99, expected.at("p99"), "p99");
    ASSERT_EQ(summary->ci95.has_value(), !expected.at("ci95").is_null());
    if (summary->ci95) {
      expect_near(summary->ci95->low, expected.at("ci95").at(0), "ci95 low");
      expect_near(summary->ci95->high, expected.at("ci95").at(1), "ci95 high");
    }
  }
}

TEST(SummariseAgainstPython, NumPy) {
  if (!python_is_there()) GTEST_SKIP() << "needs python3";
  const auto sets = random_samples();
  const auto answers = reference(sets);
  ASSERT_EQ(answers.size(), sets.size());
  if (!answers.front().contains("numpy")) GTEST_SKIP() << "NumPy cannot be imported";
  for (std::size_t set = 0; set < sets.size(); ++set) {
    SCOPED_TRACE(sets[set].size());
    const nlohmann::json& expected = answers[set].at("numpy");
    const auto summary = summarise(sets[set]);
    expect_near(summary->q1, expected.at("q1"), "q1");
    expect_near(summary->median, expected.at("median"), "median");
    expect_near(summary->q3, expected.at("q3"), "q3");
    expect_near(summary->mean, expected.at("mean"), "mean");
    expect_near(summary->std, expected.at("std"), "std");
  }
}

TEST(SummariseAgainstPython, SciPy) {
  if (!python_is_there()) GTEST_SKIP() << "needs python3";
  const auto sets = random_samples();
  const auto answers = reference(sets);
  ASSERT_EQ(answers.size(), sets.size());
  if (!answers.front().contains("scipy")) GTEST_SKIP() << "SciPy cannot be imported";
  for (std::size_t set = 0; set < sets.size(); ++set) {
    SCOPED_TRACE(sets[set].size());
    const nlohmann::json& expected = answers[set].at("scipy").at("ci95");
    const auto summary = summarise(sets[set]);
    ASSERT_EQ(summary->ci95.has_value(), !expected.is_null());
    if (!summary->ci95) continue;
    expect_near(summary->ci95->low, expected.at(0), "low");
    expect_near(summary->ci95->high, expected.at(1), "high");
  }
}

}  // namespace
}  // namespace ts::stats

// Damaged specifications: each is read or refused with a sentence, and what was read comes back
// from what is written of it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/io/json_parse.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/mutator.h"
#include "tests/spec/random_spec.h"

namespace ts::fuzz {
namespace {

bool feed_spec(const std::string& text) {
  const auto json = io::parse_json(text);
  if (!json) return false;
  const auto spec = spec::spec_from_json(*json);
  if (!spec) {
    EXPECT_FALSE(spec.error().sentence.empty());
    return false;
  }
  for (const spec::SpecProblem& problem : spec::validate(*spec)) {
    EXPECT_FALSE(problem.sentence.empty());
  }
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  const std::string written = to_json(*spec).dump(-1, ' ', false, kReplace);
  const auto again = spec::spec_from_json(nlohmann::json::parse(written));
  EXPECT_TRUE(again && *again == *spec) << written;
  return true;
}

class DamagedSpecs : public ::testing::TestWithParam<int> {};

TEST_P(DamagedSpecs, AreReadOrRefused) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  std::mt19937_64 random(seed);
  std::vector<std::string> specs;
  while (specs.size() < 20) {
    const spec::WorkloadSpec spec = spec::random_spec(random);
    if (spec::validate(spec).empty()) specs.push_back(to_json(spec).dump(1));
  }
  Mutator bytes(specs, seed);
  JsonMutator meaning(seed);
  int read = 0;
  for (const std::string& spec : specs) read += feed_spec(spec) ? 1 : 0;
  EXPECT_EQ(read, 20);
  for (int i = 0; i < 3'000; ++i) {
    read += feed_spec(bytes.next()) ? 1 : 0;
    read += feed_spec(meaning.changed(specs[random() % specs.size()])) ? 1 : 0;
  }
  EXPECT_GT(read, 40);  // some of the damaged ones, too
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedSpecs, ::testing::Range(0, 2));

}  // namespace
}  // namespace ts::fuzz

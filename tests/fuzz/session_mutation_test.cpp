// Damaged sessions, as archives and with right checksums around damaged documents: each is read or
// refused with a sentence, and what was read can be saved again.
#include <gtest/gtest.h>

#include <string>

#include "tests/files/made_session.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/mutator.h"

namespace ts::fuzz {
namespace {

constexpr int kSessionCases = 300;

bool feed_session(const std::string& content) {
  const auto session = files::parse_session(content);
  if (!session) {
    EXPECT_FALSE(session.error().sentence.empty());
    return false;
  }
  const auto again = files::session_bytes(*session);
  EXPECT_TRUE(again);
  EXPECT_TRUE(files::parse_session(*again)) << "what was read can be read again";
  return true;
}

class DamagedSessions : public ::testing::TestWithParam<int> {};

TEST_P(DamagedSessions, AreReadOrRefused) {
  const auto seed = static_cast<std::uint32_t>(GetParam());
  files::SavedSession made = files::testing::made_session();
  made.runs.pop_back();
  made.shown_run = 0;
  const std::string whole = files::session_bytes(made).value();
  ASSERT_TRUE(feed_session(whole));
  files::testing::Parts parts = files::testing::parts_of(whole);
  const std::string document = parts.at("session.json");
  Mutator archive({whole}, seed);
  Mutator bytes({document}, seed);
  JsonMutator meaning(seed);
  int read = 0;
  for (int i = 0; i < kSessionCases; ++i) {
    feed_session(archive.next());
    for (const std::string& damaged : {bytes.next(), meaning.changed(document)}) {
      parts["session.json"] = damaged;
      read += feed_session(files::testing::archive_of(parts)) ? 1 : 0;
    }
  }
  EXPECT_GT(read, kSessionCases / 30);
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedSessions, ::testing::Range(0, 3));

}  // namespace
}  // namespace ts::fuzz

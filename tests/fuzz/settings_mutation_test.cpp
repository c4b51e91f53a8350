// Damaged settings: what cannot be used is named, the rest stands, and what is kept can be written
// and read again.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "app/session/preferences.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/mutator.h"
#include "tests/io/temporary_folder.h"

namespace ts::fuzz {
namespace {

TEST(DamagedSettings, AreReadOrNamed) {
  const io::testing::TemporaryFolder folder;
  ASSERT_TRUE(app::save_preferences(folder.path(), app::default_preferences()));
  const std::string good = io::testing::content_of(folder / "settings.json");
  Mutator bytes({good}, 21);
  JsonMutator meaning(21);
  int clean = 0;
  for (int i = 0; i < 3'000; ++i) {
    base::Message problem;
    const std::string text = i % 2 == 0 ? bytes.next() : meaning.changed(good);
    const app::Preferences read = app::parse_preferences(text, problem);
    clean += problem.empty() ? 1 : 0;
    EXPECT_TRUE(read.scale >= app::kMinScale && read.scale <= app::kMaxScale);
    EXPECT_GE(read.window_width, 640);
    EXPECT_LE(read.window_height, 16384);
    if (i % 20 != 0) continue;
    ASSERT_TRUE(app::save_preferences(folder.path(), read));
    problem = {};
    const auto again =
        app::parse_preferences(io::testing::content_of(folder / "settings.json"), problem);
    EXPECT_TRUE(problem.empty()) << text;
    EXPECT_TRUE(again.spec == read.spec);
    EXPECT_EQ(again.scale, read.scale);
  }
  EXPECT_GT(clean, 25);
}

}  // namespace
}  // namespace ts::fuzz

// Folders of one user: never the current one, never of a name that somebody else could take before.
#include "core/io/user_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "core/io/private_folder.h"
#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

// A variable of the environment, for one scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(UserFolder, isWhereTheVariablesSay) {
  const Variable home("HOME", "/h");
  const Variable none("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(*user_folder("XDG_CACHE_HOME", ".cache"), "/h/.cache/tensorscope");
  const Variable named("XDG_CACHE_HOME", "/c");
  EXPECT_EQ(*user_folder("XDG_CACHE_HOME", ".cache"), "/c/tensorscope");
}

TEST(UserFolder, isNeverBelowTheCurrentFolder) {
  for (const char* home : {static_cast<const char*>(nullptr), "", "relative", "."}) {
    for (const char* cache : {static_cast<const char*>(nullptr), "", "relative"}) {
      const Variable first("HOME", home);
      const Variable second("XDG_CACHE_HOME", cache);
      const auto folder = user_folder("XDG_CACHE_HOME", ".cache");
      ASSERT_FALSE(folder) << *folder;
      EXPECT_EQ(
          folder.error().sentence,
          "There is no folder of this user: set HOME, or XDG_CACHE_HOME, to an absolute path");
    }
  }
}

TEST(PrivateFolder, isForItsUserAloneAndGoesWithItsObject) {
  const testing::TemporaryFolder parent;
  std::filesystem::path path;
  {
    const auto first = PrivateFolder::make(parent.path(), "making-");
    const auto second = PrivateFolder::make(parent.path(), "making-");
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->path(), second->path());
    path = first->path();
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
    testing::put(path / "file", "x");
  }
  EXPECT_TRUE(parent.names().empty());
  const auto nowhere = PrivateFolder::make(parent / "none", "making-");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().sentence.find("none"), std::string::npos);
}

}  // namespace
}  // namespace ts::io

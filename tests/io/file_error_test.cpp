// Nothing that goes wrong while writing leaves half a file or loses the old one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "core/io/file.h"
#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

using testing::content_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::put;
using testing::TemporaryFolder;

void expect_failure(const base::Result<void>& result, const std::filesystem::path& path,
                    std::string_view reason) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().sentence,
            "Cannot write " + path.string() + ": " + std::string(reason) + ".");
}

TEST(WriteFileError, MissingFolder) {
  const TemporaryFolder folder;
  const auto path = folder / "no/such/file";
  expect_failure(write_file(path, "text"), path, "No such file or directory");
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriteFileError, FolderInPlaceOfTheFile) {
  const TemporaryFolder folder;
  expect_failure(write_file(folder.path(), "text"), folder.path(), "Is a directory");
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriteFileError, FileInPlaceOfTheFolder) {
  const TemporaryFolder folder;
  put(folder / "file", "old");
  const auto path = folder / "file/inner";
  expect_failure(write_file(path, "text"), path, "Not a directory");
  EXPECT_EQ(content_of(folder / "file"), "old");
}

TEST(WriteFileError, UnwritableFolder) {
  const TemporaryFolder folder;
  const auto path = folder / "file";
  put(path, "old");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  // The superuser may write anywhere: be somebody else for a moment.
  constexpr uid_t kNobody = 65534;
  const bool superuser = ::geteuid() == 0;
  if (superuser) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const auto result = write_file(path, "new");
  if (superuser) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  expect_failure(result, path, "Permission denied");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

TEST(WriteFileError, FullDevice) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  expect_failure(write_file("/dev/full", "text"), "/dev/full", "No space left on device");
}

TEST(WriteFileError, LimitInTheMiddleKeepsTheOldFile) {
  const TemporaryFolder folder;
  const auto path = folder / "file";
  put(path, "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = 400'000;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  int produced = 0;
  const auto result = write_file(path, [&produced](const WritePiece& write) {
    for (; produced < 10; ++produced) write(std::string(100'000, 'n'));
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  static_cast<void>(std::signal(SIGXFSZ, old_handler));
  expect_failure(result, path, "File too large");
  EXPECT_EQ(produced, 10);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

// In a process of its own with a name space of its own, so that the mount is seen nowhere else.
enum Verdict : int { kRight = 0, kWrong = 1, kNoMount = 77 };

bool may_mount() {
  if (::unshare(CLONE_NEWNS) == 0) return true;
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  // Only users the new name space knows may own files.
  put("/proc/self/setgroups", "deny");
  put("/proc/self/uid_map", "0 " + user + " 1");
  put("/proc/self/gid_map", "0 " + group + " 1");
  return ::geteuid() == 0;
}

int fill_a_tiny_disk(const std::filesystem::path& folder) {
  if (!may_mount()) return kNoMount;
  ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") != 0) return kNoMount;
  const auto path = folder / "file";
  put(path, "old");
  const auto result = write_file(path, std::string(200'000, 'n'));
  const std::string sentence = result ? "nothing" : result.error().sentence;
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
  const bool right = sentence == "Cannot write " + path.string() + ": No space left on device." &&
                     content_of(path) == "old" && files == 1;
  if (!right) std::cerr << "said " << sentence << ", left " << files << " files\n";
  // A text that fits is written again.
  return right && write_file(path, "new") && content_of(path) == "new" ? kRight : kWrong;
}

TEST(WriteFileError, FullDiskKeepsTheOldFile) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(fill_a_tiny_disk(folder.path()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoMount) GTEST_SKIP() << "this system lets nobody mount a tmpfs here";
  EXPECT_EQ(WEXITSTATUS(status), kRight);
}

}  // namespace
}  // namespace ts::io

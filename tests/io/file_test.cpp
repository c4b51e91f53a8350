#include "core/io/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

using testing::content_of;
using ::testing::ElementsAre;
using testing::put;
using testing::TemporaryFolder;

TEST(WriteFile, GivesBackAnyBytes) {
  const TemporaryFolder folder;
  std::string content;
  for (int i = 0; i < 1000; ++i) content += static_cast<char>(i);
  for (const std::string& text : {std::string(), std::string("x"), content}) {
    ASSERT_TRUE(write_file(folder / "file", text));
    EXPECT_EQ(content_of(folder / "file"), text);
    const auto read = read_file(folder / "file");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, text);
  }
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

// Files of a killed process go; files that another still writes, or that only look alike,
// stays.
TEST(WriteFile, RemovesWhatKilledProcessesLeft) {
  const TemporaryFolder folder;
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  const auto left_by = [](pid_t process) {
    return "run.json.tensorscope-" + std::to_string(process) + "-0.partial";
  };
  put(folder.path() / left_by(gone), "half a fi");
  put(folder.path() / left_by(getppid()), "half a fi");
  put(folder / "mine.partial", "");
  put(folder / "mine.tensorscope-x-0.partial", "");
  ASSERT_TRUE(write_file(folder / "file", "whole"));
  EXPECT_THAT(folder.names(), ElementsAre("file", "mine.partial", "mine.tensorscope-x-0.partial",
                                          left_by(getppid())));
}

// The names in the folder in the middle of a write.
std::vector<std::string> names_while_writing(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  EXPECT_TRUE(write_file(folder / "file", [&](const WritePiece&) { names = folder.names(); }));
  return names;
}

// The process is in the name, so that what it leaves is recognised; the rest cannot be known.
TEST(WriteFile, WritesUnderANameThatNobodyGuesses) {
  const TemporaryFolder first_folder;
  const TemporaryFolder second_folder;
  const auto first = names_while_writing(first_folder);
  const auto second = names_while_writing(second_folder);
  const std::string pattern =
      "file\\.tensorscope-" + std::to_string(getpid()) + "-[0-9a-f]{16}\\.partial";
  ASSERT_THAT(first, ElementsAre(::testing::MatchesRegex(pattern)));
  ASSERT_THAT(second, ElementsAre(::testing::MatchesRegex(pattern)));
  EXPECT_NE(first, second);
}

TEST(WriteFile, RemovesWhatAProcessThatDiedInTheMiddleLeft) {
  const TemporaryFolder folder;
  const pid_t writer = fork();
  if (writer == 0) {
    static_cast<void>(write_file(folder / "file", [](const WritePiece&) { _exit(0); }));
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(writer, &status, 0), writer);
  ASSERT_EQ(status, 0);
  ASSERT_THAT(folder.names(), ElementsAre(::testing::EndsWith(".partial")));
  ASSERT_TRUE(write_file(folder / "other", "whole"));
  EXPECT_THAT(folder.names(), ElementsAre("other"));
}

TEST(WriteFile, JoinsPiecesOfEverySize) {
  const TemporaryFolder folder;
  std::string expected;
  const auto result = write_file(folder / "file", [&](const WritePiece& write) {
    char letter = 'a';
    for (const std::size_t size :
         {0U, 1U, 1000U, 262'143U, 262'144U, 5U, 262'145U, 3'000'000U, 7U}) {
      const std::string piece(size, letter++);
      expected += piece;
      write(piece);
    }
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(content_of(folder / "file"), expected);
  EXPECT_EQ(*read_file(folder / "file"), expected);
}

TEST(WriteFile, ReplacesAndKeepsPermissions) {
  const TemporaryFolder folder;
  put(folder / "file", "old");
  ASSERT_EQ(::chmod((folder / "file").c_str(), 0640), 0);
  ASSERT_TRUE(write_file(folder / "file", "new"));
  EXPECT_EQ(content_of(folder / "file"), "new");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(WriteFile, NewFilesFollowTheUmask) {
  const TemporaryFolder folder;
  const mode_t old = ::umask(027);
  ASSERT_TRUE(write_file(folder / "file", "new"));
  ::umask(old);
  struct stat status {};
  ASSERT_EQ(::stat((folder / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(WriteFile, WritesThroughALink) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "deep");
  put(folder / "deep/file", "old");
  std::filesystem::create_symlink("deep/file", folder / "link");
  ASSERT_TRUE(write_file(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(folder / "deep/file"), "new");
}

TEST(WriteFile, TakesAPathRelativeToTheWorkingFolder) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto result = write_file("plain", "text");
  std::filesystem::current_path(before);
  ASSERT_TRUE(result);
  EXPECT_EQ(content_of(folder / "plain"), "text");
}

TEST(WriteFile, WritesToAPipeWithoutReplacingIt) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = content_of(folder / "pipe"); });
  const auto result = write_file(folder / "pipe", "through the pipe");
  reader.join();
  EXPECT_TRUE(result);
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

// However often it is written and read at the same time, one sees a whole file.
TEST(WriteFile, NobodySeesHalfAFile) {
  const TemporaryFolder folder;
  constexpr std::size_t kSize = 600'000;
  const auto path = folder / "file";
  ASSERT_TRUE(write_file(path, std::string(kSize, 'z')));
  std::atomic<int> writing{2};
  std::vector<std::thread> writers;
  for (const char letter : {'a', 'b'}) {
    writers.emplace_back([&, letter] {
      const std::string content(kSize, letter);
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(write_file(path, content));
      --writing;
    });
  }
  int reads = 0;
  while (writing > 0) {
    const auto content = read_file(path);
    ASSERT_TRUE(content.has_value());
    ASSERT_EQ(content->size(), kSize);
    ASSERT_EQ(content->find_first_not_of(content->front()), std::string::npos);
    ++reads;
  }
  for (auto& writer : writers) writer.join();
  EXPECT_GT(reads, 0);
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

TEST(ReadFile, ReadsWhatHasNoSize) {
  const auto content = read_file("/proc/self/status");
  ASSERT_TRUE(content.has_value());
  EXPECT_THAT(*content, ::testing::StartsWith("Name:"));
}

TEST(ReadFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "missing").string();
  EXPECT_EQ(read_file(missing).error().sentence,
            "Cannot read " + missing + ": No such file or directory.");
  EXPECT_EQ(read_file(folder.path()).error().sentence,
            "Cannot read " + folder.path().string() + ": Is a directory.");
}

TEST(LineValue, IsWhatStandsBehindTheKey) {
  const TemporaryFolder folder;
  put(folder / "facts",
      "vendor\t: A\nmodel : 7\nmodel name\t:  Some CPU @ 2 GHz  \nmodel name : B\n"
      "PRETTY_NAME=\"Debian 12\"\nempty :\nno separator\n");
  EXPECT_EQ(line_value(folder / "facts", "model name", ':'), "Some CPU @ 2 GHz");
  EXPECT_EQ(line_value(folder / "facts", "PRETTY_NAME", '='), "Debian 12");
  EXPECT_EQ(line_value(folder / "facts", "empty", ':'), "");
  EXPECT_EQ(line_value(folder / "facts", "no", ':'), "");
  EXPECT_EQ(line_value(folder / "facts", "absent", ':'), "");
  EXPECT_EQ(line_value(folder / "missing", "model", ':'), "");
}

TEST(ReadFile, RefusesPipesAndDevicesWithoutWaiting) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::filesystem::path& path : {folder / "pipe", std::filesystem::path("/dev/zero")}) {
    const auto read = read_file(path);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().sentence, "Cannot read " + path.string() + ": it is a pipe or device.");
  }
}

TEST(ReasonNoFile, NamesFoldersAndDevices) {
  EXPECT_EQ(reason_no_file("/dev/null")->key, "file_error.reason.device");
  EXPECT_EQ(reason_no_file("/")->key, "file_error.reason.folder");
  EXPECT_FALSE(reason_no_file("/nothing/is/here"));
  EXPECT_FALSE(reason_no_file("/proc/self/exe"));
}

TEST(AbsolutePath, NeedsANameAndAFolder) {
  EXPECT_EQ(*absolute_path("/a/b"), "/a/b");
  EXPECT_EQ(*absolute_path("b"), std::filesystem::current_path() / "b");
  EXPECT_EQ(*absolute_path("./b/./c"), std::filesystem::current_path() / "b/c");
  EXPECT_EQ(*absolute_path("."), std::filesystem::current_path());
  EXPECT_EQ(*absolute_path("/a/../b"), "/a/../b");  // a may be a link
  EXPECT_EQ(absolute_path("").error().sentence, "The file to open has no name");
}

}  // namespace
}  // namespace ts::io

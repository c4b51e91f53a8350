// The program's reader of archives opens the written file.
#include "core/io/zip_write.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <string>

#include "core/io/file.h"
#include "core/io/zip_archive.h"
#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

std::map<std::string, std::string> members_of(const std::filesystem::path& path) {
  std::map<std::string, std::string> members;
  const auto archive = ZipArchive::open(path);
  EXPECT_TRUE(archive) << archive.error().sentence;
  if (!archive) return members;
  for (const ZipArchive::Member& member : archive->members()) {
    const auto content = archive->read(member, 1 << 24);
    EXPECT_TRUE(content) << content.error().sentence;
    members[member.name] = content.value_or("");
  }
  return members;
}

TEST(ZipWrite, every_file_is_in_it_with_its_content) {
  const testing::TemporaryFolder folder;
  const auto root = folder.path() / "homework";
  std::mt19937 random(7);
  std::map<std::string, std::string> written;
  for (const char* const name :
       {"report.md", "empty", "step-a/run.json", "step-a/\xe5\x9b\xbe.svg"}) {
    std::string content;
    const std::size_t size = std::string(name) == "empty" ? 0 : 1 + random() % 200'000;
    for (std::size_t i = 0; i < size; ++i)
      content += static_cast<char>(i % 3 == 0 ? random() % 256 : 'a');
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << content;
    written["homework/" + std::string(name)] = content;
  }
  std::ofstream(root / ".tensorscope-files") << "hidden";
  std::filesystem::create_symlink("/etc/passwd", root / "link");
  const auto archive = folder.path() / "homework.zip";
  ASSERT_TRUE(write_zip(archive, root, "homework"));
  EXPECT_EQ(members_of(archive), written);
  const auto first = read_file(archive);
  ASSERT_TRUE(write_zip(archive, root, "homework"));
  EXPECT_EQ(read_file(archive), first) << "the same files, the same bytes";
}

TEST(ZipWrite, an_archive_that_cannot_be_written_is_an_error) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "content";
  EXPECT_FALSE(write_zip(folder.path() / "no" / "such" / "folder.zip", folder.path(), "x"));
  ASSERT_TRUE(write_zip(folder.path() / "empty.zip", folder.path() / "nothing", "x"));
  EXPECT_TRUE(members_of(folder.path() / "empty.zip").empty());
}

}  // namespace
}  // namespace ts::io

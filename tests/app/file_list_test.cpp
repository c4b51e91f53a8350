#include "app/session/file_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "app/window/palette.h"
#include "tests/io/temporary_folder.h"

namespace ts::app {
namespace {

std::filesystem::path written(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(FileList, names_what_can_be_opened_with_kind_and_size) {
  const io::testing::TemporaryFolder folder;
  written(folder / "b.pickle", std::string(3000, 'x'));
  written(folder / "a.json", "{}");
  written(folder / "notes.txt", "no");
  written(folder / ".hidden.json", "no");
  written(folder.path() / "inner" / "c.pkl", "x");
  const FileList list = list_folder(folder.path());
  ASSERT_EQ(list.files.size(), 3U);
  EXPECT_EQ(list.files[0].path.filename(), "inner");
  EXPECT_EQ(list.files[0].kind, FileKind::folder);
  EXPECT_EQ(list.files[0].bytes, 0U);
  EXPECT_EQ(list.files[1].path.filename(), "a.json");
  EXPECT_EQ(list.files[1].kind, FileKind::json);
  EXPECT_EQ(list.files[2].kind, FileKind::snapshot);
  EXPECT_EQ(list.files[2].bytes, 3000U);
  EXPECT_FALSE(list.cut);
}

TEST(FileList, of_what_is_no_folder_is_empty) {
  const io::testing::TemporaryFolder folder;
  EXPECT_TRUE(list_folder(folder / "missing").files.empty());
  EXPECT_EQ(listed(folder / "missing").kind, FileKind::missing);
}

TEST(FileList, recent_files_are_new_first_once_and_few) {
  std::vector<std::string> recent;
  for (int i = 0; i < 30; ++i) remember_file(recent, "/f" + std::to_string(i % 20));
  ASSERT_EQ(recent.size(), kMostRecent);
  EXPECT_EQ(recent.front(), "/f9");
  EXPECT_EQ(std::ranges::count(recent, "/f9"), 1);
}

// A menu asks in every frame: the disk is looked at once a second, or when the list changes.
TEST(FileList, recent_files_are_looked_at_again_after_a_second) {
  const io::testing::TemporaryFolder folder;
  const std::vector<std::string> recent = {written(folder / "a.pickle", "x").string(),
                                           (folder / "gone.json").string()};
  RecentFiles files;
  ASSERT_EQ(files.look(recent, 10).size(), 2U);
  EXPECT_EQ(files.look(recent, 10)[0].kind, FileKind::snapshot);
  EXPECT_EQ(files.look(recent, 10)[1].kind, FileKind::missing);
  std::filesystem::remove(recent[0]);
  EXPECT_EQ(files.look(recent, 11)[0].kind, FileKind::snapshot);
  EXPECT_EQ(files.look(recent, 10 + RecentFiles::kReadAgainNs)[0].kind, FileKind::missing);
  EXPECT_TRUE(files.look({}, 12).empty());
  EXPECT_EQ(recent_name("/a/run-1/snapshot.pickle"), "run-1/snapshot.pickle");
}

TEST(Palette, a_setting_is_typed_with_and_without_spaces) {
  for (const char* const typed : {"T=512", "T = 512", "T 512", " T =512 ", "T= 512"}) {
    const auto setting = typed_setting(typed);
    ASSERT_TRUE(setting) << typed;
    EXPECT_EQ(setting->name, "T") << typed;
    EXPECT_EQ(setting->value, "512") << typed;
  }
  EXPECT_EQ(typed_setting("memory_limit = 2 GiB")->value, "2 GiB");
  for (const char* const typed : {"", " ", "T", "T=", "T = ", "= 512"})
    EXPECT_FALSE(typed_setting(typed)) << typed;
}

TEST(Palette, finds_all_words_in_any_order_and_puts_beginnings_first) {
  const std::vector<PaletteEntry> entries = {{"set_T", "Sequence: type a value", "", "", {}},
                                             {"page_sweep", "Page: sweep", "", "", {}},
                                             {"sweep", "Sweep again", "", "", {}}};
  const auto ids = [&](const char* typed) {
    std::string all;
    for (const PaletteEntry* one : matching(entries, typed)) all += one->id + " ";
    return all;
  };
  EXPECT_EQ(ids(""), "set_T page_sweep sweep ");
  EXPECT_EQ(ids("SWEEP"), "sweep page_sweep ");
  EXPECT_EQ(ids("sweep page"), "page_sweep ");
  EXPECT_EQ(ids("nothing"), "");
}

// "mlp small" reads as a setting that has no such value: the preset of that name comes first.
TEST(Palette, what_cannot_be_chosen_comes_last) {
  const std::vector<PaletteEntry> entries = {{"mlp small", "Set mlp to small", "", "No such", {}},
                                             {"preset mlp small", "Preset: MLP small", "", "", {}}};
  const auto found = matching(entries, "mlp small");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.front()->id, "preset mlp small");
  EXPECT_EQ(found.back()->reason, "No such");
}

}  // namespace
}  // namespace ts::app

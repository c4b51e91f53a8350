#include "app/session/preferences.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/output/time_stamp.h"
#include "app/session/languages.h"
#include "tests/io/temporary_folder.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

class PreferencesFile : public testing::Test {
 protected:
  void write(const std::string& content) const {
    std::ofstream(folder_.path() / "settings.json", std::ios::binary) << content;
  }
  Preferences load() { return load_preferences(folder_.path(), problem_); }
  static void expect_equal(const Preferences& a, const Preferences& b) {
    EXPECT_EQ(a.theme, b.theme);
    EXPECT_EQ(a.language, b.language);
    EXPECT_EQ(a.scale, b.scale);
    EXPECT_EQ(a.projector, b.projector);
    EXPECT_EQ(a.live, b.live);
    EXPECT_EQ(a.window_width, b.window_width);
    EXPECT_EQ(a.window_height, b.window_height);
    EXPECT_EQ(a.recent_files, b.recent_files);
    EXPECT_EQ(a.spec, b.spec);
  }

  io::testing::TemporaryFolder folder_;
  base::Message problem_;
};

TEST_F(PreferencesFile, come_back_as_they_were) {
  Preferences saved;
  saved.theme = views::ThemeKind::light;
  saved.language = text::Language::zh_tw;
  saved.scale = 1.25F;
  saved.projector = true;
  saved.live = true;
  saved.window_width = 1280;
  saved.window_height = 720;
  saved.recent_files = {"/a/b.pickle", "/c.json"};
  saved.spec.workload = spec::WorkloadKind::block;
  saved.spec.seq_len = 777;
  saved.spec.target_gpu = "RTX 3090";
  ASSERT_TRUE(save_preferences(folder_.path() / "new" / "folder", saved));
  expect_equal(load_preferences(folder_.path() / "new" / "folder", problem_), saved);
  EXPECT_TRUE(problem_.empty()) << problem_.sentence;
}

TEST_F(PreferencesFile, without_a_file_are_the_defaults_and_no_problem) {
  expect_equal(load(), default_preferences());
  EXPECT_TRUE(problem_.empty()) << problem_.sentence;
}

TEST_F(PreferencesFile, the_first_start_shows_a_workload_that_can_run) {
  EXPECT_TRUE(spec::validate(default_preferences().spec).empty());
}

TEST_F(PreferencesFile, that_cannot_be_read_give_the_defaults_and_one_sentence) {
  for (const char* content : {"", "{\"theme\": \"light\"", "[1, 2]", "null", "\xff\xfe\0\1"}) {
    write(content);
    problem_ = {};
    expect_equal(load(), default_preferences());
    EXPECT_NE(problem_.sentence.find("settings.json"), std::string::npos) << content;
  }
}

TEST_F(PreferencesFile, one_wrong_value_costs_only_itself) {
  write(R"({"theme": 7, "language": "tlh", "scale": "big", "live": true, "window_width": 900.5,
            "window_height": -3, "spec": {"T": "many"}, "unknown": 1})");
  Preferences wanted = default_preferences();
  wanted.live = true;
  wanted.window_height = 640;  // the least there is
  expect_equal(load(), wanted);
  EXPECT_NE(problem_.sentence.find("theme, language, scale, window_width, spec"), std::string::npos)
      << problem_.sentence;
}

TEST_F(PreferencesFile, what_cannot_be_used_is_kept_and_named_until_it_was_seen) {
  const auto content = [&](const char* name) { return io::testing::content_of(folder_ / name); };
  write("{\"theme\": \"light\"");
  Preferences loaded = load();
  EXPECT_EQ(content("settings.set-aside.json"), "{\"theme\": \"light\"");
  EXPECT_NE(problem_.sentence.find("is not valid JSON"), std::string::npos) << problem_.sentence;
  EXPECT_NE(problem_.sentence.find("settings.set-aside.json"), std::string::npos)
      << problem_.sentence;
  // The preferences saved at the end of the session are read at the next start ...
  ASSERT_TRUE(save_preferences(folder_.path(), loaded));
  problem_ = {};
  loaded = load();
  EXPECT_NE(problem_.sentence.find("settings.set-aside.json"), std::string::npos)
      << problem_.sentence;
  // ... until the user has seen it.
  loaded.set_aside.clear();
  ASSERT_TRUE(save_preferences(folder_.path(), loaded));
  problem_ = {};
  load();
  EXPECT_TRUE(problem_.empty()) << problem_.sentence;

  // The next one does not overwrite the first; the same one is not kept twice.
  for (int start = 0; start < 2; ++start) {
    write(R"({"scale": "big"})");
    load();
  }
  EXPECT_EQ(content("settings.set-aside.json"), "{\"theme\": \"light\"");
  EXPECT_EQ(content("settings.set-aside-2.json"), R"({"scale": "big"})");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "settings.set-aside-3.json"));
}

TEST_F(PreferencesFile, what_cannot_even_be_read_is_moved_away) {
  std::filesystem::create_directory(folder_ / "settings.json");
  io::testing::put(folder_ / "settings.json" / "inside", "x");
  const Preferences loaded = load();
  EXPECT_NE(problem_.sentence.find("Is a directory"), std::string::npos) << problem_.sentence;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "settings.set-aside.json" / "inside"));
  EXPECT_TRUE(save_preferences(folder_.path(), loaded));
}

TEST_F(PreferencesFile, whose_problem_is_told_in_the_language_of_the_window) {
  const text::Texts texts = built_in_texts(text::Language::zh_cn);
  for (const auto& [content, wanted] : {std::pair{"{", "不是有效的 JSON，使用默认设置"},
                                        {"[]", "不是 JSON 对象，使用默认设置"},
                                        {R"({"scale": "big"})", "这些项使用默认设置：scale"}}) {
    write(content);
    problem_ = {};
    const Preferences loaded = load();
    const std::string words = views::message_text(texts, problem_);
    EXPECT_NE(words.find(wanted), std::string::npos) << words;
    EXPECT_NE(words.find("；原内容保存在 " + loaded.set_aside.string()), std::string::npos)
        << words;
  }
}

TEST_F(PreferencesFile, nested_too_deeply_are_refused) {
  write("{\"spec\": " + std::string(200'000, '[') + std::string(200'000, ']') + "}");
  expect_equal(load(), default_preferences());
  EXPECT_NE(problem_.sentence.find("nested more than"), std::string::npos) << problem_.sentence;
}

TEST_F(PreferencesFile, that_are_all_right_are_no_problem) {
  write(R"({"theme": "dark", "language": "en", "scale": 1.5, "unknown": 1})");
  EXPECT_EQ(load().scale, 1.5F);
  EXPECT_TRUE(problem_.empty()) << problem_.sentence;
}

TEST_F(PreferencesFile, keep_the_scale_within_what_can_be_read) {
  for (const auto& [written, wanted] : {std::pair{"0.01", kMinScale},
                                        {"99", kMaxScale},
                                        {"1e300", kMaxScale},
                                        {"-1", kMinScale},
                                        {"2", 2.0F}}) {
    write(std::string("{\"scale\": ") + written + "}");
    EXPECT_EQ(load().scale, wanted) << written;
  }
}

TEST_F(PreferencesFile, that_cannot_be_saved_say_why) {
  std::ofstream(folder_.path() / "taken") << "a file where the folder should be";
  const auto saved = save_preferences(folder_.path() / "taken" / "below", Preferences());
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().sentence.find("taken"), std::string::npos);
}

TEST(Preferences, KeepTheFolderOfWhatIsSavedIfItIsAWholePath) {
  const io::testing::TemporaryFolder folder;
  Preferences preferences = default_preferences();
  preferences.save_folder = "/somewhere/else";
  preferences.save_parts.set(SavePart::trace, false);
  ASSERT_TRUE(save_preferences(folder.path(), preferences));
  base::Message problem;
  EXPECT_EQ(load_preferences(folder.path(), problem).save_folder, "/somewhere/else");
  EXPECT_EQ(load_preferences(folder.path(), problem).save_parts.names(),
            "snapshot,tables,pictures,report");
  EXPECT_TRUE(problem.empty()) << problem.sentence;
  static_cast<void>(parse_preferences(R"({"save_folder": "somewhere"})", problem));
  EXPECT_NE(problem.sentence.find("save_folder"), std::string::npos) << problem.sentence;
}

TEST(NewPath, TakesANumberWhereSomethingIsAlready) {
  const io::testing::TemporaryFolder folder;
  EXPECT_EQ(unused_path(folder.path(), "run-1", ""), folder.path() / "run-1");
  std::filesystem::create_directory(folder.path() / "run-1");
  std::filesystem::create_symlink("nowhere", folder.path() / "run-1-2");
  EXPECT_EQ(unused_path(folder.path(), "run-1", ""), folder.path() / "run-1-3");
  EXPECT_EQ(unused_path(folder.path(), "run-1", ".png"), folder.path() / "run-1.png");
}

}  // namespace
}  // namespace ts::app

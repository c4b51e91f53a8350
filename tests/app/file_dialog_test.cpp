#include "app/sheets/file_dialog.h"

#include <gtest/gtest.h>

#include "app/session/languages.h"

namespace ts::app {
namespace {

TEST(FileDialog, NamesTheKindsOfFilesInTheLanguageOfTheWindow) {
  const auto english = dialog_filters(built_in_texts(text::Language::en));
  const auto chinese = dialog_filters(built_in_texts(text::Language::zh_cn));
  ASSERT_EQ(english.size(), chinese.size());
  ASSERT_EQ(english.size() % 2, 0U) << "a name and its patterns";
  for (std::size_t i = 0; i < english.size(); i += 2) {
    EXPECT_TRUE(english[i] != chinese[i] || english[i] == "Python") << english[i];
    EXPECT_EQ(english[i + 1], chinese[i + 1]);
  }
}

}  // namespace
}  // namespace ts::app

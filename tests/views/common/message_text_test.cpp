#include <gtest/gtest.h>

#include <string>

#include "core/io/file.h"
#include "core/snapshot/snapshot_read.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_journal.h"
#include "core/text/message.h"
#include "tests/views/texts_for_tests.h"
#include "views/common/spec_text.h"

namespace ts::views {
namespace {

// A message is told in the language of the window, with the reasons inside it; what somebody else
// wrote stays.
TEST(MessageWords, AreInTheUsersLanguage) {
  text::Texts texts = testing::program_texts();
  const base::Message by_events = text::message(
      "engine.by_events", {text::argument("reason", text::message("engine.no_driver"))});
  EXPECT_EQ(message_text(texts, by_events), by_events.sentence);
  EXPECT_EQ(
      by_events.sentence,
      "No NVIDIA driver was found (libcuda.so.1). Operators are timed by CUDA events instead, "
      "to about 10 \u00b5s");
  for (const text::Language language : {text::Language::zh_cn, text::Language::zh_tw}) {
    texts.choose(language);
    const std::string words = message_text(texts, by_events);
    for (const char* const english : {"No NVIDIA", "found", "Operators", "about"})
      EXPECT_EQ(words.find(english), std::string::npos) << words;
    EXPECT_NE(words.find("libcuda.so.1"), std::string::npos) << words;
    EXPECT_EQ(message_text(texts, {"Something new"}), "Something new");
  }
}

// Errors of readers: nothing in them stays English.
TEST(MessageWords, OfErrorsAreInTheUsersLanguage) {
  text::Texts texts = testing::program_texts();
  const std::string cut_pickle("\x80\x02}q\x00(X\x01", 8);
  const base::Error errors[] = {io::read_file("/nowhere/a.pickle").error(),
                                io::read_file("/dev/null").error(),
                                snapshot::read_snapshot("/nowhere/a.pickle").error(),
                                snapshot::parse_snapshot("").error(),
                                snapshot::parse_snapshot("neither").error(),
                                snapshot::parse_snapshot("{").error(),
                                snapshot::parse_snapshot(cut_pickle).error(),
                                snapshot::parse_snapshot("\x80\x02R.").error(),
                                sweep::parse_axis("T=2048:256").error(),
                                sweep::read_journal("/nowhere/sweep.jsonl").error()};
  for (const base::Error& error : errors) EXPECT_EQ(message_text(texts, error), error.sentence);
  texts.choose(text::Language::zh_cn);
  for (const base::Error& error : errors) {
    const std::string words = message_text(texts, error);
    EXPECT_NE(words, error.sentence);
    for (const char* const english :
         {"Cannot", "file", "byte", "journal", "line", "snapshot ", "range", "read"})
      EXPECT_EQ(words.find(english), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace ts::views

#include "core/text/message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace ts::text {
namespace {

base::Message nested() {
  return message(
      "file_error.line",
      {{"path", "a{line}.jsonl"},
       {"line", "3"},
       argument("reason", message("journal_error.point",
                                  {argument("reason", message("journal_error.status"))}))});
}

TEST(Message, HasItsEnglish) {
  EXPECT_EQ(nested().sentence,
            "a{line}.jsonl, line 3: the status is unknown (the line may be removed: its point is "
            "then run again)");
  EXPECT_EQ(fail("engine.cancelled").value().sentence, "Cancelled");
}

TEST(Message, ComesBackFromJson) {
  const base::Message said = nested();
  EXPECT_EQ(message_from_json(said.sentence, text_json(said)), said);
  const base::Message foreign{"LibTorch said this"};
  EXPECT_EQ(text_json(foreign), nullptr);
  EXPECT_EQ(message_from_json(foreign.sentence, nullptr), foreign);
}

// A file of another version, or a damaged one, may hold any key.
TEST(Message, WithAKeyThatIsUnknownKeepsItsSentence) {
  nlohmann::json json = text_json(nested());
  json["arguments"][2]["key"] = "no.such.key";
  const base::Message read = message_from_json("said", json);
  EXPECT_EQ(read.key, "file_error.line");
  EXPECT_EQ(read.arguments[2].key, "");
  EXPECT_EQ(read.arguments[2].value, nested().arguments[2].value);
  json["key"] = "no.such.key";
  EXPECT_EQ(message_from_json("said", json), base::Message{"said"});
}

TEST(Message, NestedWithoutEndIsCutOff) {
  nlohmann::json json = text_json(message("engine.no_driver"));
  for (int level = 0; level < 1000; ++level) {
    nlohmann::json outer = {{"name", "reason"}, {"value", "v"}};
    outer["key"] = "engine.by_events";
    outer["arguments"] = std::move(json.at("arguments"));
    json["arguments"] = nlohmann::json::array();
    json["arguments"].push_back(std::move(outer));
  }
  std::size_t levels = 0;
  const base::Message read = message_from_json("said", json);
  for (auto* list = &read.arguments; !list->empty(); list = &list->front().arguments) ++levels;
  EXPECT_LT(levels, 20U);
}

}  // namespace
}  // namespace ts::text

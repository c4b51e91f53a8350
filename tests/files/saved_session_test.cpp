#include "core/files/saved_session.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/io/file.h"
#include "core/io/zip_archive.h"
#include "core/io/zip_write.h"
#include "tests/files/made_session.h"
#include "tests/io/temporary_folder.h"

namespace ts::files {
namespace {

using testing::archive_of;
using testing::made_session;

void expect_same(const SavedView& a, const SavedView& b) {
  EXPECT_EQ(a, b);
}

TEST(SavedSession, comes_back_as_it_was) {
  const SavedSession saved = made_session();
  const auto bytes = session_bytes(saved);
  ASSERT_TRUE(bytes);
  const auto read = parse_session(*bytes);
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(read->program, saved.program);
  EXPECT_EQ(read->unix_ns, saved.unix_ns);
  EXPECT_EQ(read->page, saved.page);
  EXPECT_EQ(read->layout, saved.layout);
  EXPECT_EQ(read->spec, saved.spec);
  EXPECT_EQ(read->lesson, saved.lesson);
  ASSERT_EQ(read->runs.size(), saved.runs.size());
  EXPECT_EQ(*read->runs[0].recording, *saved.runs[0].recording);
  expect_same(read->runs[0].view, saved.runs[0].view);
  EXPECT_EQ(read->shown_run, saved.shown_run);
  ASSERT_EQ(read->files.size(), 1U);
  const SavedFile& file = read->files[0];
  EXPECT_EQ(file.path, saved.files[0].path);
  EXPECT_EQ(file.mark, saved.files[0].mark);
  EXPECT_EQ(file.shown_device, 1U);
  ASSERT_EQ(file.devices.size(), 1U);
  ASSERT_EQ(file.devices[0].corrections.size(), 1U);
  EXPECT_EQ(file.devices[0].corrections[0].category, memory::Category::gradient);
  EXPECT_EQ(file.devices[0].corrections[0].blocks, saved.files[0].devices[0].corrections[0].blocks);
  expect_same(file.devices[0].view, saved.files[0].devices[0].view);
  EXPECT_EQ(file.range, saved.files[0].range);
  EXPECT_EQ(file.part, saved.files[0].part);
  expect_same(file.part_view, saved.files[0].part_view);
  EXPECT_EQ(read->shown_file, saved.shown_file);
  ASSERT_TRUE(read->sweep);
  EXPECT_EQ(read->sweep->folder, saved.sweep->folder);
  EXPECT_EQ(read->sweep->journal, saved.sweep->journal);
  ASSERT_EQ(read->sweep->points.size(), 1U);
  EXPECT_EQ(read->sweep->points[0].name, "b.recording");
  EXPECT_EQ(*read->sweep->points[0].content, "a point");
  ASSERT_TRUE(read->hunt);
  EXPECT_EQ(read->hunt->x, saved.hunt->x);
  EXPECT_EQ(read->hunt->y, saved.hunt->y);
  EXPECT_EQ(read->hunt->compare, saved.hunt->compare);
  ASSERT_EQ(read->hunt->runs.size(), 1U);
  EXPECT_EQ(read->hunt->runs[0].spec, saved.hunt->runs[0].spec);
  EXPECT_EQ(read->hunt->runs[0].peak, saved.hunt->runs[0].peak);
  EXPECT_FALSE(read->hunt->runs[0].fits);
  ASSERT_NE(read->comparison, nullptr);
  const run::Comparison& comparison = *read->comparison;
  EXPECT_EQ(comparison.sides[1].spec, saved.comparison->sides[1].spec);
  EXPECT_EQ(comparison.sides[1].peak, 1001);
  EXPECT_EQ(comparison.sides[0].facts.backend_ran, "naive");
  EXPECT_EQ(comparison.sides[0].timed_steps.size(), 20U);
  EXPECT_EQ(comparison.total.pairs, 20);
  EXPECT_EQ(comparison.total.median, saved.comparison->total.median);
  EXPECT_EQ(comparison.total.verdict, saved.comparison->total.verdict);
  EXPECT_EQ(comparison.backward.pairs, 0);
  EXPECT_EQ(session_bytes(*read).value(), *bytes) << "the same session, the same bytes";
}

TEST(SavedSession, an_empty_one_comes_back_empty) {
  const auto bytes = session_bytes({});
  ASSERT_TRUE(bytes);
  const auto read = parse_session(*bytes);
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_TRUE(read->runs.empty() && read->files.empty() && !read->sweep && !read->hunt &&
              read->comparison == nullptr);
}

// One sentence each, and it says which of them it is.
TEST(SavedSession, what_is_newer_damaged_or_no_session_is_said) {
  const std::string bytes = session_bytes(made_session()).value();
  const auto sentence_of = [](std::string content) {
    const auto read = parse_session(std::move(content));
    return read ? std::string() : read.error().sentence;
  };
  EXPECT_EQ(sentence_of(""), "it is no ZIP archive");
  EXPECT_EQ(sentence_of("not a session"), "it is no ZIP archive");
  EXPECT_NE(sentence_of(bytes.substr(0, bytes.size() / 2)), "");
  EXPECT_EQ(sentence_of(archive_of({{"other.txt", "x"}})), "it is no session of Tensorscope");
  EXPECT_EQ(sentence_of(archive_of({{"session.json", "{}"}})), "it is no session of Tensorscope");
  EXPECT_EQ(sentence_of(archive_of({{"session.json", "{"}})), "its document is not valid JSON");
  EXPECT_EQ(sentence_of(archive_of(
                {{"session.json", R"({"format": "tensorscope session", "version": 2})"}})),
            "a newer Tensorscope saved it, in version 2 of the format; this one reads up to "
            "version 1");
  std::string damaged = bytes;
  damaged[damaged.find("session.json") + 40] ^= 1;
  EXPECT_EQ(sentence_of(damaged), "its part session.json is damaged");
}

TEST(SavedSession, a_part_that_is_missing_or_impossible_is_named) {
  const auto read = [](const auto& change) {
    auto parts = testing::parts_of(session_bytes(made_session()).value());
    auto document = nlohmann::json::parse(parts.at("session.json"));
    change(document, parts);
    parts["session.json"] = document.dump();
    const auto session = parse_session(archive_of(parts));
    return session ? std::string() : session.error().sentence;
  };
  EXPECT_EQ(read([](auto&, auto&) {}), "");
  EXPECT_EQ(read([](auto&, auto& parts) { parts.erase("sweep.jsonl"); }),
            "its part sweep.jsonl is missing");
  EXPECT_EQ(read([](auto&, auto& parts) { parts.erase("runs/0.recording"); }),
            "its part runs/0.recording is missing");
  EXPECT_EQ(read([](auto& json, auto&) { json["shown_file"] = 7; }),
            "its value of \"shown_file\" is impossible");
  EXPECT_EQ(read([](auto& json, auto&) { json["files"][0]["path"] = "relative.pickle"; }),
            "its value of \"path\" is impossible");
  EXPECT_EQ(read([](auto& json, auto&) { json["layout"]["left"] = 4.5; }),
            "its value of \"left\" is impossible");
  EXPECT_EQ(read([](auto& json, auto&) {
              json["files"][0]["devices"][0]["corrections"][0]["blocks"] = {4294967294U, 5};
            }),
            "its value of \"blocks\" is impossible");
  EXPECT_NE(read([](auto& json, auto&) { json.erase("page"); }).find("cannot be read"),
            std::string::npos);
  EXPECT_EQ(read([](auto& json, auto&) { json["sweep"]["points"][0] = "../b.recording"; }),
            "its value of \"points\" is impossible");
  EXPECT_EQ(read([](auto&, auto& parts) { parts.erase("points/b.recording"); }),
            "its part points/b.recording is missing");
  // Sessions of older versions have no points and no comparison.
  EXPECT_EQ(read([](auto& json, auto&) { json["sweep"].erase("points"); }), "");
  EXPECT_EQ(read([](auto&, auto& parts) { parts.erase("comparison.json"); }), "");
  const auto compared = [&read](const auto& change) {
    return read([&change](auto&, auto& parts) {
      auto comparison = nlohmann::json::parse(parts.at("comparison.json"));
      change(comparison);
      parts["comparison.json"] = comparison.dump();
    });
  };
  EXPECT_EQ(compared([](auto& json) { json["seconds"] = -1; }),
            "its value of \"seconds\" is impossible");
  EXPECT_NE(compared([](auto& json) { json["sides"].erase(1); }).find("cannot be read"),
            std::string::npos);
  EXPECT_NE(compared([](auto& json) {
              json["sides"][0]["timed"][3] = {1, 2};
            }).find("cannot be"),
            std::string::npos);
  EXPECT_NE(compared([](auto& json) { json["sides"][0]["spec"]["B"] = "many"; }), "");
}

TEST(SavedSession, a_comparison_that_failed_keeps_why) {
  SavedSession session;
  run::Comparison comparison;
  comparison.failure = run::Failure(base::Message{.sentence = "No room"}, run::Verdict::oom);
  comparison.failure->bytes_asked = 77;
  comparison.failed_side = 1;
  session.comparison = std::make_shared<const run::Comparison>(comparison);
  const auto read = parse_session(session_bytes(session).value());
  ASSERT_TRUE(read) << read.error().sentence;
  ASSERT_TRUE(read->comparison->failure);
  EXPECT_EQ(read->comparison->failure->sentence, "No room");
  EXPECT_EQ(read->comparison->failure->verdict, run::Verdict::oom);
  EXPECT_EQ(read->comparison->failure->bytes_asked, 77);
  EXPECT_EQ(read->comparison->failed_side, 1);
}

TEST(SavedSession, of_a_file_names_the_file) {
  const io::testing::TemporaryFolder folder;
  const auto path = folder / "a.session";
  ASSERT_TRUE(io::write_file(path, "nothing"));
  const auto read = read_session(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().sentence,
            "The session " + path.string() + " cannot be opened: it is no ZIP archive");
}

TEST(Notes, are_by_time_and_every_change_can_be_undone) {
  Notes notes;
  EXPECT_TRUE(notes.add({.time_ns = 20, .block = std::nullopt, .text = "late"}));
  EXPECT_TRUE(notes.add({.time_ns = 10, .block = 3, .text = "early"}));
  ASSERT_EQ(notes.all().size(), 2U);
  EXPECT_EQ(notes.all()[0].text, "early");
  EXPECT_EQ(notes.of_block(3), 0U);
  EXPECT_EQ(notes.of_block(4), std::nullopt);
  notes.change(1, "later");
  notes.change(0, "");  // without a text it goes
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].text, "later");
  notes.undo();
  EXPECT_EQ(notes.all().size(), 2U);
  notes.undo();
  EXPECT_EQ(notes.all()[1].text, "late");
  notes.redo();
  EXPECT_EQ(notes.all()[1].text, "later");
  notes.add({.time_ns = 5, .block = std::nullopt, .text = "new"});
  EXPECT_FALSE(notes.can_redo());
  while (notes.can_undo()) notes.undo();
  EXPECT_TRUE(notes.all().empty());
}

}  // namespace
}  // namespace ts::files

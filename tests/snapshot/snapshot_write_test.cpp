#include "core/snapshot/snapshot_write.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/snapshot/snapshot_read.h"
#include "tests/io/temporary_folder.h"
#include "tests/snapshot/random_snapshot.h"

namespace ts::snapshot {
namespace {

constexpr SnapshotFormat kFormats[] = {SnapshotFormat::pickle, SnapshotFormat::json};

std::string written(const allocator::Snapshot& snapshot, SnapshotFormat format) {
  std::string bytes;
  write_snapshot([&bytes](std::string_view piece) { bytes += piece; }, snapshot, format);
  return bytes;
}

TEST(SnapshotWrite, WhatIsWrittenIsReadAgain) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const allocator::Snapshot snapshot = testing::RandomSnapshot(seed).make(static_cast<int>(seed));
    const std::string words = testing::as_text(snapshot);
    for (const SnapshotFormat format : kFormats) {
      const auto file = parse_snapshot(written(snapshot, format));
      ASSERT_TRUE(file) << file.error().sentence;
      EXPECT_EQ(file->fault.sentence, "");
      EXPECT_TRUE(file->ignored_keys.empty());
      EXPECT_EQ(testing::as_text(file->snapshot), words) << seed;
    }
  }
}

TEST(SnapshotWrite, ManyItemsGoInBatches) {
  allocator::Snapshot snapshot;
  allocator::EntryNotes notes;
  const allocator::NotesIndex index = snapshot.notes.add(notes);
  auto& trace = snapshot.device_traces.emplace_back();
  for (std::uint64_t i = 0; i < 3500; ++i) {
    allocator::TraceEntry& entry = trace.emplace_back();
    entry.address = i;
    entry.size = 512;
    entry.notes = index & allocator::kMostNotes;
  }
  const std::string bytes = written(snapshot, SnapshotFormat::pickle);
  const auto file = parse_snapshot(bytes);
  ASSERT_TRUE(file);
  EXPECT_EQ(testing::as_text(file->snapshot), testing::as_text(snapshot));
}

TEST(SnapshotWrite, AnEmptySnapshotIsAFile) {
  for (const SnapshotFormat format : kFormats) {
    const auto file = parse_snapshot(written({}, format));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->fault.sentence, "");
    EXPECT_TRUE(file->snapshot.segments.empty());
  }
}

TEST(SnapshotWrite, TheNameTellsTheFormat) {
  EXPECT_EQ(snapshot_format_of("a/run.json"), SnapshotFormat::json);
  EXPECT_EQ(snapshot_format_of("a/run.pickle"), SnapshotFormat::pickle);
  EXPECT_EQ(snapshot_format_of("run"), SnapshotFormat::pickle);
  EXPECT_EQ(snapshot_format_of("run.json.gz"), SnapshotFormat::json);
  EXPECT_EQ(snapshot_format_of("run.pickle.gz"), SnapshotFormat::pickle);
}

// Runs `snapshot_check.py COMMAND FILE...`; its exit code.
int check(const std::string& arguments) {
  const std::string command =
      "python3 -B '" TENSORSCOPE_SNAPSHOT_CHECK "' " + arguments + " > /dev/null";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Python's own pickle reads what is written, restricted so that nothing but data may come, and
// finds in both formats the same.
TEST(SnapshotWrite, PythonReadsBothFormats) {
  if (std::system("python3 -c 'import pickle' 2> /dev/null") != 0) GTEST_SKIP() << "needs python3";
  const io::testing::TemporaryFolder folder;
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    const allocator::Snapshot snapshot = testing::RandomSnapshot(seed).make(1100);
    const std::filesystem::path pickle = folder.path() / "a.pickle";
    const std::filesystem::path text = folder.path() / "a.json";
    ASSERT_TRUE(write_snapshot(pickle, snapshot, SnapshotFormat::pickle));
    ASSERT_TRUE(write_snapshot(text, snapshot, SnapshotFormat::json));
    EXPECT_EQ(check("same '" + pickle.string() + "' '" + text.string() + "'"), 0);
  }
}

// Python's files of every protocol are read: it writes a snapshot of ours anew.
TEST(SnapshotWrite, WhatPythonWritesIsRead) {
  if (std::system("python3 -c 'import pickle' 2> /dev/null") != 0) GTEST_SKIP() << "needs python3";
  const io::testing::TemporaryFolder folder;
  const allocator::Snapshot snapshot = testing::RandomSnapshot(11).make(1100);
  const std::filesystem::path ours = folder.path() / "ours.pickle";
  ASSERT_TRUE(write_snapshot(ours, snapshot, SnapshotFormat::pickle));
  for (int protocol = 2; protocol <= 5; ++protocol) {
    const std::filesystem::path theirs = folder.path() / "theirs.pickle";
    ASSERT_EQ(check("again '" + ours.string() + "' '" + theirs.string() + "' " +
                    std::to_string(protocol)),
              0);
    const auto file = read_snapshot(theirs);
    ASSERT_TRUE(file) << file.error().sentence;
    EXPECT_EQ(file->fault.sentence, "");
    EXPECT_EQ(testing::as_text(file->snapshot), testing::as_text(snapshot)) << protocol;
  }
}

// A dump of Python is in Python equal to the file that comes back: numbers, texts, lists, tuples.
TEST(SnapshotWrite, AFileOfPythonComesBackAsItWas) {
  if (std::system("python3 -c 'import pickle' 2> /dev/null") != 0) GTEST_SKIP() << "needs python3";
  const io::testing::TemporaryFolder folder;
  const std::filesystem::path made =
      std::filesystem::path(TENSORSCOPE_SNAPSHOT_CHECK).parent_path() / "made_snapshot.py";
  const std::filesystem::path theirs = folder.path() / "theirs.pickle";
  const std::filesystem::path ours = folder.path() / "ours.pickle";
  const std::string make =
      "python3 -B '" + made.string() + "' 700 '" + theirs.string() + "' --stacks";
  ASSERT_EQ(std::system(make.c_str()), 0);
  const auto file = read_snapshot(theirs);
  ASSERT_TRUE(file) << file.error().sentence;
  ASSERT_TRUE(write_snapshot(ours, file->snapshot, SnapshotFormat::pickle));
  EXPECT_EQ(check("equal '" + theirs.string() + "' '" + ours.string() + "'"), 0);
}

// Wherever a piece ends.
TEST(SnapshotWrite, ReadInPiecesItIsTheSame) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    for (const SnapshotFormat format : {SnapshotFormat::pickle, SnapshotFormat::json}) {
      const std::string bytes =
          written(testing::RandomSnapshot(seed).make(static_cast<int>(seed)), format);
      const auto whole = parse_snapshot(bytes);
      for (const std::size_t piece : {2U, 5U, 64U, 1'000U}) {
        io::Input input = io::Input::in_pieces(bytes, piece);
        const auto file = parse_snapshot(input);
        ASSERT_EQ(file.has_value(), whole.has_value()) << seed;
        if (!whole) continue;
        EXPECT_EQ(file->fault.sentence, "");
        EXPECT_EQ(file->bytes, bytes.size());
        EXPECT_EQ(testing::as_text(file->snapshot), testing::as_text(whole->snapshot)) << seed;
      }
    }
  }
}

// A file of an older PyTorch gets no fields that it did not have.
TEST(SnapshotWrite, NoFieldsAreInvented) {
  const auto old = parse_snapshot(
      R"({"segments": [{"device": 0, "address": 4096, "total_size": 2048, "stream": 0,
          "segment_type": "large", "blocks": [{"size": 2048, "state": "inactive"}]}],
          "device_traces": [[{"action": "alloc", "addr": 4096, "size": 9, "stream": 0},
          {"action": "oom", "device_free": 7, "addr": 0, "size": 9, "stream": 0}]]})");
  ASSERT_TRUE(old) << old.error().sentence;
  const std::string bytes = written(old->snapshot, SnapshotFormat::json);
  for (const char* name :
       {"time_us", "compile_context", "user_metadata", "is_expandable", "segment_pool_id",
        "requested_size", "allocator_settings", "external_annotations"}) {
    EXPECT_EQ(bytes.find(name), std::string::npos) << name;
  }
  const auto again = parse_snapshot(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->snapshot.layout, old->snapshot.layout);
  const auto& oom = again->snapshot.device_traces[0][1];
  EXPECT_EQ(oom.address, 7U) << "what the device has free";
  EXPECT_EQ(again->snapshot.notes[oom.notes].oom_address, 0U);
}

// PyTorch 2.0 has the allocations at a place as its history, also where it is free now.
TEST(SnapshotWrite, AFileOf2023ComesBackAsItWas) {
  constexpr const char* kOld = R"({"segments": [{"device": 0, "address": 4096, "total_size": 3072,
      "allocated_size": 1024, "active_size": 2048, "stream": 0, "segment_type": "large", "blocks": [
      {"size": 1024, "state": "active_allocated", "history": [
        {"addr": 4096, "real_size": 1000, "frames": [{"name": "f", "filename": "a.py", "line": 3}]},
        {"addr": 4096, "real_size": 900, "frames": [{"name": "g", "filename": "b.py", "line": 4}]}]},
      {"size": 512, "state": "inactive", "history": [
        {"addr": 5120, "real_size": 7, "frames": [{"name": "h", "filename": "c.py", "line": 5}]}]},
      {"size": 512, "state": "inactive", "history": []},
      {"size": 1024, "state": "active_pending_free", "history": [{"addr": 6144, "real_size": 9}]},
      {"size": 512, "state": "inactive"}]}], "device_traces": []})";
  const auto file = parse_snapshot(kOld);
  ASSERT_TRUE(file) << file.error().sentence;
  EXPECT_EQ(file->fault.sentence, "");
  const std::string text = written(file->snapshot, SnapshotFormat::json);
  EXPECT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(kOld));
  const auto pickled = parse_snapshot(written(file->snapshot, SnapshotFormat::pickle));
  ASSERT_TRUE(pickled) << pickled.error().sentence;
  EXPECT_EQ(written(pickled->snapshot, SnapshotFormat::json), text);
}

// A note of a user may be a dictionary: its words are shown, and it is written as what it was.
TEST(SnapshotWrite, ANoteThatIsADictionaryStaysOne) {
  const auto file = parse_snapshot(
      R"({"segments": [], "device_traces": [[
          {"action": "alloc", "addr": 1, "size": 2, "stream": 0,
           "user_metadata": {"rank": 3, "name": "a", "warm": true, "lr": 0.5, "none": null}},
          {"action": "alloc", "addr": 2, "size": 2, "stream": 0,
           "user_metadata": "rank: 3, name: a, warm: true, lr: 0.5, none: none"},
          {"action": "alloc", "addr": 3, "size": 2, "stream": 0, "user_metadata": {}}]]})");
  ASSERT_TRUE(file) << file.error().sentence;
  EXPECT_TRUE(file->ignored_keys.empty());
  const allocator::Snapshot& snapshot = file->snapshot;
  const auto note = [&](std::size_t entry) {
    const auto notes = snapshot.device_traces.at(0).at(entry).notes;
    return snapshot.text(snapshot.notes[notes].user_metadata);
  };
  EXPECT_EQ(note(0), "rank: 3, name: a, warm: true, lr: 0.5, none: none");
  EXPECT_EQ(note(0), note(1));
  for (const SnapshotFormat format : kFormats) {
    const auto again = parse_snapshot(written(snapshot, format));
    ASSERT_TRUE(again) << again.error().sentence;
    const auto json = nlohmann::json::parse(written(again->snapshot, SnapshotFormat::json));
    const auto& trace = json["device_traces"][0];
    EXPECT_EQ(trace[0]["user_metadata"],
              (nlohmann::json{
                  {"rank", 3}, {"name", "a"}, {"warm", true}, {"lr", 0.5}, {"none", nullptr}}));
    EXPECT_EQ(trace[1]["user_metadata"], std::string(note(1)));
    EXPECT_EQ(trace[2]["user_metadata"], nlohmann::json::object());
  }
}

// One that cannot be read is told and left out, and says nothing against what follows it.
TEST(SnapshotWrite, ADamagedHistoryOfAFreeBlockIsLeftOut) {
  const auto file = parse_snapshot(R"({"segments": [{"address": 1, "total_size": 9, "blocks": [
      {"size": 4, "state": "inactive", "history": [{"addr": "x"}]},
      {"size": 5, "state": "active_allocated"}]}]})");
  ASSERT_TRUE(file) << file.error().sentence;
  EXPECT_EQ(file->fault.sentence, "");
  EXPECT_EQ(file->ignored_keys, std::vector<std::string>{"history"});
  EXPECT_EQ(file->snapshot.segments.at(0).blocks.size(), 2U);
  EXPECT_EQ(written(file->snapshot, SnapshotFormat::json).find("history"), std::string::npos);
}

TEST(SnapshotWrite, WhatAFileHasIsKeptEvenWhereItIsEmpty) {
  const auto file = parse_snapshot(
      R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 2,
          "time_us": 0, "compile_context": "", "user_metadata": ""}]],
          "allocator_settings": {}, "external_annotations": []})");
  ASSERT_TRUE(file) << file.error().sentence;
  for (const SnapshotFormat format : kFormats) {
    const std::string bytes = written(file->snapshot, format);
    for (const char* name : {"time_us", "compile_context", "user_metadata", "allocator_settings",
                             "external_annotations"})
      EXPECT_NE(bytes.find(name), std::string::npos) << name;
    EXPECT_EQ(bytes.find("is_expandable"), std::string::npos);
  }
}

}  // namespace
}  // namespace ts::snapshot
